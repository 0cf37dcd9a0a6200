"""Files for an approved call to read and write: no secrets, only known places, and only overwrites git can undo."""

import os

from hookkit.errors import Spoiled
from hookkit.policy.call import Call, is_device
from hookkit.policy.judge import decide
from hookkit.programs.words import TOP
from hookkit.shell.expand import GLOB, is_pattern
from hookkit.shell.state import UNKNOWN
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.judge import Judge


ENDINGS = tuple(
    ".pem .key .p12 .pfx .jks .keystore .kdbx .ppk .keytab .ovpn .tfstate .tfstate.backup .tfvars .tfvars.json .env"
    " .htpasswd .mobileprovision .p8 .der .gpg .sqlite .sqlite3 .dump .bak.sql".split()
)
NAMES = frozenset(
    ".netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .vault-token .dockercfg .dockerconfigjson .htpasswd"
    " .s3cfg .boto .envrc .direnv kubeconfig wallet.dat shadow master.key auth.json .bash_history .zsh_history"
    " .yarnrc .yarnrc.yml gradle.properties dump.sql backup.sql appsettings.json web.config"
    " oauth_creds.json local.settings.json google-services.json .dev.vars".split()
)
STARTS = tuple(
    "id_rsa id_dsa id_ecdsa id_ed25519 krb5cc_ service-account service_account .env. .env- vault_pass"
    " .vault_pass appsettings.".split()
)
WORDS = frozenset("secret secrets credential credentials password passwords passwd token tokens apikey apikeys".split())
KEYS = frozenset("key keys passphrase passcodes".split())  # alone, they are the whole name of a file
FOLDERS = frozenset((".aws", ".ssh", ".gnupg", ".kube", ".docker", ".azure", "secrets", ".secrets", "credentials"))
# A word of WORDS counts in the names of data. In the name of a program it is the program's subject: password_reset.py.
DATA = ("", "json", "yml", "yaml", "toml", "ini", "cfg", "conf", "txt", "xml", "properties", "enc", "csv", "env", "bak",
        "old", "gz", "zip", "db", "sqlite", "log", "plist", "config")  # fmt: skip
PUBLIC = (".pub", ".example", ".sample", ".template", ".dist", ".tpl", ".schema", ".schema.json")


def is_private(path: str) -> bool:
    """Whether the name of a file or of a directory above it speaks of a secret; a pattern counts by its text."""
    *folders, name = path.lower().rstrip("/").split("/")
    if name.endswith(PUBLIC):
        return False
    if (
        name in NAMES
        or (name == "config" and folders[-1:] == [".git"])
        or name.endswith(ENDINGS)
        or name.startswith(STARTS)
    ):
        return True
    if name.partition(".")[0] in WORDS | KEYS and name.endswith((".md", ".txt", ".rst", ".json", ".yml", ".yaml")):
        return True
    stem, _, ending = name.partition(".") if name[:1] != "." else (name[1:], "", "")
    if ending.rpartition(".")[2] not in DATA:
        return False
    words = "".join(char if char.isalnum() else " " for char in stem).split()
    words = words if ending else words[-1:]  # api_token, but not secrets-view: a name without an ending may be a branch
    return not WORDS.isdisjoint(words) or not FOLDERS.isdisjoint(folders)


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
HIDDEN = tuple(".gitignore .gitkeep .dockerignore .editorconfig .npmignore .clang-format .env.example".split())
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
# Names of files whose content a tool executes: test runners, builders, servers that run checks, plugins of agents.
EXECUTED = frozenset(
    """
    conftest.py setup.py noxfile.py fabfile.py dodo.py makefile gnumakefile bsdmakefile justfile rakefile gemfile
    guardfile capfile podfile fastfile brewfile procfile vagrantfile jenkinsfile dockerfile containerfile tiltfile
    gulpfile.js gruntfile.js package.json build.gradle build.gradle.kts settings.gradle settings.gradle.kts build.rs
    build.xml build.sbt cmakelists.txt meson.build lefthook.yml lefthook.yaml azure-pipelines.yml
    azure-pipelines.yaml bitbucket-pipelines.yml appveyor.yml cloudbuild.yaml buildspec.yml wercker.yml
    docker-compose.yml docker-compose.yaml compose.yml compose.yaml hooks.json plugin.json mix.exs taskfile.yml
    taskfile.yaml tox.ini pytest.ini mypy.ini docker-compose.override.yml compose.override.yaml pom.xml init.gradle
    gradlew mvnw pnpmfile.cjs composer.json artisan rebar.config setup.hs project.clj build.boot deps.edn bb.edn
    build.zig build.mill build.cake build.fsx package.swift directory.build.props directory.build.targets sconstruct
    wscript configure dune flake.nix shell.nix default.nix workspace build.bazel module.bazel earthfile snakefile
    dangerfile cakefile jakefile.js plopfile.js gatsby-node.js hatch_build.py pylintrc ansible.cfg cdk.json
    devcontainer.json docker-bake.hcl terragrunt.hcl mise.toml action.yml action.yaml skaffold.yaml serverless.yml
    pulumi.yaml config.ru pyproject.toml setup.cfg cargo.toml deno.json deno.jsonc manage.py
    """.split()
)
CONFIGURING = (
    ".conf.js", ".conf.ts", ".workspace.ts", ".mk", ".config.js", ".config.ts", ".config.mjs", ".config.cjs",
    ".config.mts", ".config.cts", ".pth",
)  # fmt: skip
SECRETS = (".env", ".netrc", ".npmrc", ".pypirc", ".git-credentials", "id_rsa", "id_ed25519", "credentials", "secrets")
MATCHES, VISITS = 500, 5_000  # most files for a pattern to match, and names to look at
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
        self.shown: list[str] = []  # the real paths of files and directories whose content the call reads

    @property
    def is_project(self) -> bool:
        """False for the home directory, the directories above the home directory, and top directories of the system."""
        is_top = self.project.count("/") == 1 and self.project[1:] in TOP
        return bool(self.project) and not is_top and not f"{self.home}/".startswith(f"{self.project.rstrip('/')}/")

    def read(self, path: str, directory: str | None, *, names: bool = False, below: bool = False) -> None:
        """Raise Spoiled if the path may lead to a secret. `names`: the call shows only names and sizes of files."""
        if path in DEVICES:
            raise Spoiled(f"{path} never ends, or is the terminal of the person")
        if path == "-" or (is_device(path) and not path.startswith("/dev/fd/")) or self._is_made(path):
            return  # `<(…)` is a file in /dev/fd: the line's other commands fill it
        where = self._absolute(path, directory)
        if f"/{os.path.normpath(where).lstrip('/')}" in DEVICES or os.path.realpath(where) in DEVICES:
            raise Spoiled(f"{path} never ends, or is the terminal of the person")
        self._no_secret(path, directory)
        if names:
            return
        if f"{os.path.normpath(where)}/".lstrip("/").startswith(PROCESS) and path not in SINGLE:
            raise Spoiled(f"{path} is another file for each process")
        for candidate in (path, *self._matches(where)):
            real = os.path.realpath(os.path.join(directory or "/", candidate))
            if candidate is path and is_pattern(where):
                real = os.path.realpath(_start(where))
            if is_private(candidate) or is_private(real.removeprefix(self.project)):
                raise Spoiled(f"{candidate} may be a secret")
            if not self._is_known(real):
                raise Spoiled(f"{path} is outside the project")
            self.shown.append(real)
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
            if names and (names[-1] in EXECUTED or names[-1].endswith(CONFIGURING)):
                raise Spoiled(f"{path} is run by a tool as soon as it is there")
            if any(name in STARTED for name in names):
                raise Spoiled(f"{path} may be started by git, by a shell or by another program")
        if _is_below(real, self._programs()):
            raise Spoiled(f"{path} would be a program in PATH")
        return real

    def _is_made(self, path: str) -> bool:
        return self.call.shell is not None and path.startswith("/dev/fd/") and path in self.call.shell.made.files

    def no_dashes(self, directory: str | None) -> None:
        """Raise for a directory with a file like `-delete`: `find *` would take its name for an option."""
        try:
            with os.scandir(directory or "/") as entries:
                name = next((entry.name for entry in entries if entry.name[:1] == "-"), "")
        except OSError:
            return
        if name:
            raise Spoiled(f"the name of the file {name} would be taken for an option")

    def _absolute(self, path: str, directory: str | None) -> str:
        if not path or UNKNOWN in path or path.startswith("~"):
            raise Spoiled("a path is computed")
        if directory is None or UNKNOWN in directory:
            raise Spoiled("the directory of a command is computed")
        return os.path.join(directory, path)

    def _no_secret(self, path: str, directory: str | None) -> None:
        call = Call("Read", {"file_path": path}, cwd=directory or "", project=self.call.place.project, home=self.home)
        verdict = decide(self.judge.policy, call, self.actor)
        if verdict.verdict not in (None, "allow"):
            raise Spoiled(f"{path} may be a secret: {verdict.reason}")

    def _programs(self) -> list[str]:
        """The directories of PATH inside the project."""
        named = [os.path.realpath(entry) for entry in self.judge.environ.get("PATH", "").split(":") if entry]
        return [entry for entry in named if _is_below(entry, (self.project,)) and entry != self.project]

    def _matches(self, where: str) -> list[str]:
        """The paths that a pattern finds now."""
        if not is_pattern(where):
            return []
        ending = where.rpartition("/")[2].rpartition(".")[2]
        if is_pattern(where.partition("/..")[0]) and "/.." in where:
            raise Spoiled("a pattern may lead out of its directory")
        if "**" in where and not ending.isalnum():
            raise Spoiled("a pattern finds too many files to look at")
        if "**" in where:
            return self._deep(where, ending)
        if where.rpartition("/")[2][:1] == ".":
            raise Spoiled("a pattern finds hidden files, which may be secrets")
        from hookkit.system import globbing  # late: few commands have a file name pattern

        try:
            paths = [path for path, _ in zip(globbing.matches(where, VISITS), range(MATCHES), strict=False)]
        except globbing.TooMany:
            paths = [""] * MATCHES
        if len(paths) >= MATCHES:
            raise Spoiled("a pattern finds too many files to look at")
        return paths

    def _deep(self, where: str, ending: str) -> list[str]:
        """Files at any depth with this ending: links, and data whose name may speak of a secret; in the first names."""
        paths: list[str] = []
        waiting, left = [_start(where)], ENTRIES
        for place in waiting:  # grows
            try:
                with os.scandir(place) as entries:
                    listed = [entry for entry, _ in zip(entries, range(left), strict=False)]
            except OSError:
                continue
            left -= len(listed)
            named = [entry for entry in listed if entry.name.lower().endswith(f".{ending.lower()}")]
            paths += [entry.path for entry in named if entry.is_symlink() or is_private(entry.path)]
            waiting += [one.path for one in listed if one.name not in SKIPPED and one.is_dir(follow_symlinks=False)]
        if left <= 0 and ending.lower() in DATA:
            raise Spoiled("a pattern finds too many files to look at")
        return paths

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
                    listed = [entry for entry, _ in zip(entries, range(left), strict=False)]
            except OSError:
                raise Spoiled(f"{place} cannot be read") from None
            shown = next((entry.name for entry in listed if _is_shown(entry.name.lower(), secrets)), "")
            if shown or (len(listed) == left and place == real):
                raise Spoiled(f"a search through {path} may show {shown or 'a secret'}")
            left, secrets = min(left - len(listed), BELOW), HOLDERS
            if not self.project or not _is_below(place, (self.project,)):
                return  # packages have no secrets of the person
            waiting += [one.path for one in listed if one.name not in SKIPPED and one.is_dir(follow_symlinks=False)]


def _is_shown(name: str, secrets: frozenset[str]) -> bool:
    is_key = secrets is not HOLDERS and name[:1] != "." and is_private(name)
    return is_key or name in secrets or (name.startswith(".env.") and name not in HIDDEN)


def _is_below(real: str, places: "list[str] | tuple[str, ...]") -> bool:
    return any(f"{real}/".startswith(f"{place}/") for place in places)


def _start(where: str) -> str:
    """The directory in front of a pattern."""
    return where[: next(at for at, char in enumerate(where) if char in GLOB)].rpartition("/")[0] or "/"


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
