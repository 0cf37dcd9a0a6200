"""Random trees of files, and commands that destroy parts of them."""

import os
import stat
import subprocess
from pathlib import Path
from random import Random

NAMES = ("a.txt", "b.py", "ü ñ.md", "-x", "c d", "e.bin", ".hidden", "deep", "src", "new\nline", "q'uote", "t*r")
COMMANDS = (
    "rm -rf {folder}", "rm -f {file}", "rm -rf ./*", "mv {file} {other}", "echo new > {file}", "cp {other} {file}",
    "sed -i s/a/b/g {file}", "find . -type f -not -path './.git/*' -delete", "git clean -fdxq", "git checkout -q -- .",
    "git reset -q --hard", "truncate -s 0 {file}", "find . -name '*.txt' -delete", "rm -rf {folder} {file}",
    "chmod 600 {file} && echo x >> {file}", "git stash -qu", "tee {file} < {other}", 'for f in *; do rm -rf "$f"; done',
    "ls | xargs -d '\\n' rm -rf", "mv {folder} {folder}.old && rm -rf {folder}.old", "shred -u {file}",
    "dd if=/dev/zero of={file} bs=10 count=1 status=none", "python3 -c 'import shutil; shutil.rmtree(\"{folder}\")'",
)  # fmt: skip
ME = ("-c", "user.name=a", "-c", "user.email=a@b")


def quoted(path: str) -> str:
    return "'" + path.replace("'", "'\\''") + "'"


def grow(root: Path, random: Random) -> None:
    """A repository with committed, changed, untracked and ignored files, links and odd modes."""
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("*.bin\n")
    folders = [root]
    for _ in range(random.randint(2, 12)):
        place = random.choice(folders) / random.choice(NAMES)
        if place.exists() or place.is_symlink():
            continue
        kind = random.random()
        if kind < 0.3:
            place.mkdir()
            place.chmod(random.choice((0o755, 0o700, 0o750)))
            folders.append(place)
        elif kind < 0.45:
            place.symlink_to(random.choice(("a.txt", "nowhere", "..", "/etc/hostname")))
        else:
            place.write_bytes(random.randbytes(random.choice((0, 3, 2_000))) + b"a\r\n\0")
            place.chmod(random.choice((0o644, 0o755, 0o600, 0o640)))
    if random.random() < 0.7:
        subprocess.run(["git", "add", "-A"], cwd=root, check=True, capture_output=True)
        subprocess.run(["git", *ME, "commit", "-qm", "x", "--allow-empty"], cwd=root, check=True)
        for path in root.iterdir():
            if path.is_file() and not path.is_symlink() and random.random() < 0.5:
                path.write_bytes(b"changed" + random.randbytes(5))


def _pick(random: Random, paths: list[Path], usual: str) -> str:
    return quoted(f"./{random.choice(paths)}" if paths else usual)


def command(root: Path, random: Random) -> str:
    found = [path.relative_to(root) for path in root.rglob("*") if ".git" not in path.relative_to(root).parts]
    some_files = [path for path in found if (root / path).is_file() and not (root / path).is_symlink()]
    some_folders = [path for path in found if (root / path).is_dir() and not (root / path).is_symlink()]
    form = random.choice(COMMANDS)
    for hole, paths in (("{file}", some_files), ("{other}", some_files), ("{folder}", some_folders)):
        form = form.replace(hole, _pick(random, paths, "./nothing"))
    return form


def state(root: Path) -> dict[str, tuple[str, int, bytes]]:
    """Every file of the tree: its kind, its mode, its content."""
    found = {}
    for here, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*folders, *names):
            path = os.path.join(here, name)
            info = os.lstat(path)
            kind = "l" if stat.S_ISLNK(info.st_mode) else "d" if stat.S_ISDIR(info.st_mode) else "f"
            data = os.fsencode(os.readlink(path)) if kind == "l" else Path(path).read_bytes() if kind == "f" else b""
            found[os.path.relpath(path, root)] = (kind, 0 if kind == "l" else stat.S_IMODE(info.st_mode), data)
    return found
