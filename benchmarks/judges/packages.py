"""Texts from Debian packages: completion files and manual pages, unpacked into a cache and never installed."""

import gzip
import io
import subprocess
import tarfile
from pathlib import Path

COMPLETIONS = ("fish-common", "zsh-common", "bash-completion")
# Packages with the manual pages and completion files of programs in the records.
MANUALS = """
    at bat bsdextrautils bsdutils bubblewrap coreutils cpulimit daemontools dbus-daemon diffutils direnv docker.io
    dpkg entr expect fakeroot faketime fd-find file findutils firejail gdb git-man gnome-terminal grep gzip hostname
    hyperfine iproute2 jq kubernetes-client less libcap2-bin libc-bin login lsof ltrace make man-db mawk
    moreutils mosh mount net-tools nix-bin npm numactl opendoas openssh-client parallel passwd pipx podman pkexec
    procps proot proxychains4 ripgrep rpm runit screen sed silversearcher-ag sshpass strace sudo systemd tar tcpdump
    time tmux torsocks tree unzip util-linux util-linux-extra valgrind xdotool xterm xvfb xxd zip
""".split()
WANTED = ("/share/man/man1/", "/share/man/man8/", "completions/", "vendor_completions.d/", "/Completion/",
          "vendor-completions/")  # fmt: skip
LARGEST = 2_000_000  # bytes of one text


def fetch(name: str, cache: Path) -> tuple[Path, str]:
    """The directory with the texts of a package, from the cache or downloaded; and why there is none."""
    target = cache / name
    if target.is_dir():
        return target, ""
    scratch = cache / f".{name}"
    try:
        scratch.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", name], cwd=scratch, check=True, capture_output=True, timeout=300)
        package = next(scratch.glob("*.deb"))
        archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
        _unpack(archive, scratch)
        package.unlink()
        scratch.rename(target)
    except (OSError, subprocess.SubprocessError, StopIteration, tarfile.TarError) as error:
        return target, _explain(error)
    return target, ""


def _explain(error: BaseException) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{error.filename} is not on this machine; make the cache on a Debian machine and pass --cache"
    if isinstance(error, subprocess.CalledProcessError):
        return error.stderr.decode(errors="replace").strip().rpartition("\n")[2] or str(error)
    return str(error) or type(error).__name__


def _unpack(archive: bytes, target: Path) -> None:
    """The wanted texts, flat in three directories; a link becomes a copy of the text that it leads to."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            if not any(part in member.name for part in WANTED) or member.isdir():
                continue
            try:
                file = tar.extractfile(member)
            except KeyError:
                continue  # a link to another package
            content = file.read(LARGEST) if file is not None else b""
            name = Path(member.name).name
            if name.endswith(".gz"):
                name, content = name[:-3], gzip.decompress(content)[:LARGEST]
            directory = target / _kind(member.name)
            directory.mkdir(exist_ok=True)
            (directory / name).write_bytes(content)


def _kind(path: str) -> str:
    if "/man/" in path:
        return "man"
    return "zsh" if "zsh" in path else "fish" if "fish" in path else "bash"


def texts(directories: list[Path], kind: str) -> dict[str, str]:
    """The texts of a kind by file name; the first package wins."""
    found: dict[str, str] = {}
    for directory in directories:
        for path in sorted((directory / kind).glob("*")):
            found.setdefault(path.name, path.read_text(encoding="utf-8", errors="replace"))
    return found
