"""Files for an approved call to read and write: no secrets, only known places, and only overwrites git can undo."""

import os

from hookkit.approve.private import is_private
from hookkit.approve.spoiled import Spoiled
from hookkit.policy.call import Call, is_device
from hookkit.policy.decide import decide
from hookkit.programs.paths import TOP
from hookkit.shell.globs import SPECIAL, is_pattern
from hookkit.shell.state import UNKNOWN
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.judge import Judge

# Places without a person's own data: programs, libraries, packages, temporary files.
PLACES = ("/usr", "/opt", "/bin", "/lib", "/lib64", "/sbin", "/tmp", "/var/tmp", "/private/tmp", "/nix/store")  # noqa: S108
PLACES_IN_HOME = (
    ".cargo/registry", ".rustup", "go/pkg", ".pyenv/versions", ".nvm/versions", ".local/lib", ".cache/pip",
    "miniconda3", "anaconda3", ".conda", ".asdf/installs", ".local/share/mise/installs", ".local/share/uv",
)  # fmt: skip
SINGLE = ("/etc/hosts", "/etc/os-release", "/etc/issue", "/etc/debian_version", "/etc/services", "/proc/cpuinfo",
          "/proc/meminfo", "/proc/version", "/proc/loadavg", "/proc/uptime")  # fmt: skip
# Devices without an end, and the person's terminal: its escape codes can change the clipboard.
DEVICES = ("/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
PROCESS = ("proc/", "dev/")  # a link in these places leads elsewhere for each process: /dev/fd, /proc/self/cwd
# Hidden names of plain files in a project; all other hidden names belong to git, to an agent or to another tool.
HIDDEN = tuple(
    ".gitignore .gitkeep .dockerignore .editorconfig .coveragerc .flake8 .pylintrc .npmignore .prettierrc"
    " .eslintrc.json .clang-format .rspec .rubocop.yml .env.example".split()
)
# Files with instructions or settings for agents and hookkit.
OWN = tuple(
    "hookkit.toml hookkit.local.toml claude.md claude.local.md agents.md gemini.md qwen.md local.md skill.md"
    " directives.md agents.override.md opencode.json opencode.jsonc crush.json crush.md warp.md".split()
)
# Names that a program starts by itself: git its hooks, Python its customizations, the shell what stands in PATH. A file
# HEAD makes a directory a repository, with settings of its own. Installed packages run as part of other programs.
STARTED = frozenset(
    "head sitecustomize.py usercustomize.py node_modules site-packages dist-packages venv virtualenv pre-commit"
    " post-commit pre-push post-checkout post-merge commit-msg prepare-commit-msg post-index-change pre-rebase"
    " post-rewrite pre-merge-commit".split()
)
SECRETS = (".env", ".netrc", ".npmrc", ".pypirc", ".git-credentials", "id_rsa", "id_ed25519", "credentials", "secrets")
MATCHES = 500  # most files for a pattern to match
ENTRIES, BELOW = 5_000, 1_500  # of a searched directory, and of the directories below
HOLDERS = frozenset((".env", ".netrc", ".pypirc", ".git-credentials", "id_rsa", "id_ed25519"))  # secrets at any depth
SKIPPED = (".git", "node_modules", ".venv", ".tox", "__pycache__", ".mypy_cache")


class Ground:
    """The places of one call. `judge` finds the secrets: the rules about Read hold for every path."""

    def __init__(self, judge: "Judge", call: Call, actor: str) -> None:
        self.judge = judge
        self.call = call
        self.actor = actor
        self.home = call.place.home
        self.project = os.path.realpath(call.place.project) if call.place.project else ""
        self.real_home = os.path.realpath(self.home) if self.home else ""
        self.homes = [os.path.join(self.real_home, place) for place in PLACES_IN_HOME] if self.home else []
        self.homes += [self.project] if self.is_project else []

    @property
    def is_project(self) -> bool:
        """False for the home directory, the directories above the home directory, and top directories of the system."""
        is_top = self.project.count("/") == 1 and self.project[1:] in TOP
        return bool(self.project) and not is_top and not f"{self.home}/".startswith(f"{self.project.rstrip('/')}/")

    def read(self, path: str, directory: str | None, *, names: bool = False, below: bool = False) -> None:
        """Raise Spoiled if the path may lead to a secret. `names`: the call shows only names and sizes of files."""
        if path in DEVICES:
            raise Spoiled(f"{path} never ends, or is the terminal of the person")
        if path == "-" or is_device(path):
            return  # `<(…)` is a file in /dev/fd: the line's other commands fill it
        where = self._absolute(path, directory)
        self._no_secret(path, directory)
        if names:
            return
        if f"{os.path.normpath(where)}/".lstrip("/").startswith(PROCESS) and path not in SINGLE:
            raise Spoiled(f"{path} is another file for each process")
        for found in (path, *self._matches(where)):
            real = os.path.realpath(os.path.join(directory or "/", found))
            if found is path and is_pattern(where):
                real = os.path.realpath(_start(where))
            if is_private(found) or is_private(real.removeprefix(self.project)):
                raise Spoiled(f"{found} may be a secret")
            if not self._is_known(real):
                raise Spoiled(f"{path} is outside the project")
            if below:
                self._search(real, path)

    def write(self, path: str, directory: str | None) -> str:
        """The real path of a file, if the call may write there. `lost_by` asks git about all paths together."""
        where = self._absolute(path, directory)
        if is_pattern(path):
            raise Spoiled(f"{path} is a pattern: the files are not known")
        real = os.path.realpath(where)
        if not self.is_project or not f"{real}/".startswith(f"{self.project}/") or real == self.project:
            raise Spoiled(f"{path} is outside the project")
        for written in (real[len(self.project) :], os.path.normpath(where)[len(self.project) :]):
            names = [name.lower() for name in written.split("/") if name]
            if any(name[0] == "." and name not in HIDDEN for name in names):
                raise Spoiled(f"{path} is a hidden file: it may belong to git, to an agent or to another tool")
            if any(name in OWN for name in names):
                raise Spoiled(f"{path} is a file of an agent or of hookkit")
            if any(name[0] == "-" for name in names):
                raise Spoiled(f"the name {path} would be taken for an option")
            if any(name in STARTED for name in names):
                raise Spoiled(f"{path} may be started by git, by a shell or by another program")
        if _is_below(real, self._programs()):
            raise Spoiled(f"{path} would be a program in PATH")
        return real

    def no_dashes(self, directory: str | None) -> None:
        """Raise for a directory with a file like `-delete`: `find *` would take its name for an option."""
        try:
            with os.scandir(directory or "/") as entries:
                found = next((entry.name for entry in entries if entry.name[:1] == "-"), "")
        except OSError:
            return
        if found:
            raise Spoiled(f"the name of the file {found} would be taken for an option")

    def _absolute(self, path: str, directory: str | None) -> str:
        if not path or UNKNOWN in path or path.startswith("~"):
            raise Spoiled("a path is computed")
        if directory is None or UNKNOWN in directory:
            raise Spoiled("the directory of a command is computed")
        return os.path.join(directory, path)

    def _no_secret(self, path: str, directory: str | None) -> None:
        found = Call("Read", {"file_path": path}, cwd=directory or "", project=self.call.place.project, home=self.home)
        verdict = decide(self.judge.policy, found, self.actor)
        if verdict.verdict not in (None, "allow"):
            raise Spoiled(f"{path} may be a secret: {verdict.reason}")

    def _programs(self) -> list[str]:
        """The directories of PATH inside the project."""
        named = [os.path.realpath(entry) for entry in self.judge.environ.get("PATH", "").split(":") if entry]
        return [entry for entry in named if _is_below(entry, (self.project,)) and entry != self.project]

    def _matches(self, where: str) -> list[str]:
        """The paths that a pattern finds now. `**/*.py` finds too many to look at, and none but programs."""
        if not is_pattern(where):
            return []
        ending = where.rpartition("/")[2].rpartition(".")[2]
        if is_pattern(where.partition("/..")[0]) and "/.." in where:
            raise Spoiled("a pattern may lead out of its directory")
        if "**" in where and not ending.isalnum():
            raise Spoiled("a pattern finds too many files to look at")
        if "**" in where:
            return []
        from glob import iglob  # late: few commands have a file name pattern

        found: list[str] = []
        for path in iglob(where):
            if len(found) >= MATCHES:
                raise Spoiled("a pattern finds too many files to look at")
            found.append(path)
        return found

    def _is_known(self, real: str) -> bool:
        if _is_below(real, self.homes) or real in SINGLE:
            return True
        return _is_below(real, PLACES) and not (self.real_home and _is_below(real, (self.real_home,)))

    def _search(self, real: str, path: str) -> None:
        """A search through a directory that holds a secret would show the secret. Looks at the first names below."""
        waiting = [real] if os.path.isdir(real) else []
        left, secrets = ENTRIES, frozenset(SECRETS)
        for place in waiting:  # grows: the upper directories come first
            try:
                with os.scandir(place) as entries:
                    found = [entry for entry, _ in zip(entries, range(left), strict=False)]
            except OSError:
                raise Spoiled(f"{place} cannot be read") from None
            shown = next((entry.name for entry in found if _is_shown(entry.name.lower(), secrets)), "")
            if shown or (len(found) == left and place == real):
                raise Spoiled(f"a search through {path} may show {shown or 'a secret'}")
            left, secrets = min(left - len(found), BELOW), HOLDERS
            if not self.project or not _is_below(place, (self.project,)):
                return  # packages have no secrets of the person
            waiting += [one.path for one in found if one.name not in SKIPPED and one.is_dir(follow_symlinks=False)]


def _is_shown(name: str, secrets: frozenset[str]) -> bool:
    is_key = secrets is not HOLDERS and name[:1] != "." and is_private(name)
    return is_key or name in secrets or (name.startswith(".env.") and name not in HIDDEN)


def _is_below(real: str, places: "list[str] | tuple[str, ...]") -> bool:
    return any(f"{real}/".startswith(f"{place}/") for place in places)


def _start(where: str) -> str:
    """The directory in front of a pattern."""
    return where[: next(at for at, char in enumerate(where) if char in SPECIAL)].rpartition("/")[0] or "/"


def lost_by(paths: list[str], ground: Ground, environ: dict[str, str]) -> str:
    """The first path whose present content git could not bring back, or an empty text.

    A new path has no content to lose. Every other path must be a committed file without changes.
    """
    existing = [path for path in dict.fromkeys(paths) if os.path.lexists(path)]
    other = next((path for path in existing if not os.path.isfile(path)), "")
    if other or not existing:
        return other
    root = files.repository(ground.project)
    if any(files.repository(os.path.dirname(path)) != root for path in existing):
        return existing[0]  # a repository inside the project keeps its own record
    from hookkit.system import git

    names = [os.path.relpath(path, root) for path in existing]
    return git.unsaved(root, environ, names)
