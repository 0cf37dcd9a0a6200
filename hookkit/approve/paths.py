"""Files for an approved call to read and write: no secrets, only known places, and only overwrites git can undo."""

import os

from hookkit.approve.words import Spoiled
from hookkit.policy.call import HARMLESS, Call
from hookkit.policy.decide import decide
from hookkit.shell.effects import TOP
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
# Hidden names of plain files in a project; all other hidden names belong to git, to an agent or to another tool.
HIDDEN = tuple(
    ".gitignore .gitkeep .dockerignore .editorconfig .coveragerc .flake8 .pylintrc .npmignore .prettierrc"
    " .eslintrc.json .clang-format .rspec .rubocop.yml .env.example".split()
)
# Files with instructions or settings for agents and hookkit.
OWN = tuple(
    "hookkit.toml hookkit.local.toml claude.md claude.local.md agents.md gemini.md qwen.md local.md skill.md"
    " directives.md".split()
)
SECRETS = (".env", ".netrc", ".npmrc", ".pypirc", ".git-credentials", "id_rsa", "id_ed25519", "credentials", "secrets")
MATCHES = 500  # most files for a pattern to match
ENTRIES = 5_000  # of a searched directory


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
        if path == "-" or path in HARMLESS or path.startswith("/dev/fd/"):
            return  # `<(…)` is a file in /dev/fd: the line's other commands fill it
        where = self._absolute(path, directory)
        self._no_secret(path, directory)
        if names:
            return
        for real in self._real(where):
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
        return real

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

    def _real(self, where: str) -> list[str]:
        """The real path; for a pattern, the real paths of the matches and of the searched directory."""
        if not is_pattern(where):
            return [os.path.realpath(where)]
        from glob import iglob  # late: few commands have a file name pattern

        start = next(at for at, char in enumerate(where) if char in SPECIAL)
        found = [os.path.realpath(where[:start].rpartition("/")[0] or "/")]
        deep = "**" in where
        for count, path in enumerate(() if deep else iglob(where)):
            if count >= MATCHES:
                raise Spoiled("a pattern finds too many files to look at")
            found.append(os.path.realpath(path))
        return found

    def _is_known(self, real: str) -> bool:
        if _is_below(real, self.homes) or real in SINGLE:
            return True
        return _is_below(real, PLACES) and not (self.real_home and _is_below(real, (self.real_home,)))

    def _search(self, real: str, path: str) -> None:
        """A search through a directory with a secret at its top would show the secret."""
        if not os.path.isdir(real):
            return
        try:
            with os.scandir(real) as entries:
                for count, entry in enumerate(entries):
                    name = entry.name.lower()
                    if count > ENTRIES or name in SECRETS or (name.startswith(".env.") and name not in HIDDEN):
                        raise Spoiled(f"a search through {path} may show {entry.name}")
        except OSError:
            raise Spoiled(f"{path} cannot be read") from None


def _is_below(real: str, places: "list[str] | tuple[str, ...]") -> bool:
    return any(f"{real}/".startswith(f"{place}/") for place in places)


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
