"""The project's own commands: test, lint, format and build, if the person trusts the files with their definitions."""

import os

from hookkit.approve.paths import Ground
from hookkit.approve.row import DIGITS, NONE, PATHS, TEXT, Row
from hookkit.approve.words import Spoiled, program, split
from hookkit.redirect import sources
from hookkit.redirect.search import CommandSearch
from hookkit.redirect.targets import TaskFiles
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings
    from hookkit.shell.commands import Command

_PYTEST = Row(
    f"-qvxslh {DIGITS} --quiet --verbose --exitfirst --showlocals --no-header --no-summary --disable-warnings"
    " --full-trace --lf --last-failed --ff --failed-first --collect-only --co --stepwise --sw --nf --no-cov",
    "-kmnr --tb --color --maxfail --durations --show-capture --capture --deselect --timeout --numprocesses",
    operands=PATHS,
)
_RUFF = Row("-qvn --quiet --verbose --fix --diff --check --no-cache --statistics --show-fixes --preview --no-fix",
            "--select --ignore --output-format --line-length --target-version", operands=PATHS)  # fmt: skip
_CARGO = Row("-qvr --quiet --verbose --release --all --workspace --all-targets --all-features --no-default-features"
             " --lib --bins --tests --examples --no-fail-fast --locked --offline --frozen --check",
             "-pFj --package --features --test --bin --example --jobs --color --message-format",
             operands=TEXT)  # fmt: skip
_GO = Row("-v -race -short -cover -failfast -x -n -json", "-run -count -timeout -p -parallel -bench -tags",
          operands=PATHS, single=True)  # fmt: skip
_SCRIPT = Row("-s --silent --quiet", operands=NONE)
SCRIPTS = tuple("test tests unit e2e smoke lint check typecheck type-check format fmt build".split())
# The command, its options, and the action whose definition must be trusted.
ROWS: dict[str, tuple[Row, str]] = {
    **dict.fromkeys(("pytest", "py.test", "python -m pytest", "python3 -m pytest"), (_PYTEST, "test")),
    **dict.fromkeys(("ruff check", "ruff format", "black", "isort"), (_RUFF, "lint")),
    "mypy": (Row("--strict --pretty --no-incremental --show-error-codes", "-p --package", operands=PATHS), "lint"),
    "flake8": (Row("-qv --count --statistics", "--select --ignore --max-line-length", operands=PATHS), "lint"),
    "cargo test": (_CARGO, "test"),
    "cargo build": (_CARGO, "build"),
    "cargo check": (_CARGO, "build"),
    "cargo clippy": (_CARGO, "lint"),
    "cargo fmt": (_CARGO, "lint"),
    "go test": (_GO, "test"),
    "go build": (_GO, "build"),
    "go vet": (_GO, "lint"),
    **{f"{tool} {name}": (_SCRIPT, name) for tool in ("make", "just", "task") for name in SCRIPTS},
    **{f"{tool} run {name}": (_SCRIPT, name) for tool in ("npm", "yarn", "pnpm", "bun") for name in SCRIPTS},
    **{f"{tool} test": (_SCRIPT, "test") for tool in ("npm", "yarn", "pnpm")},
}
# Options behind `--`, for the program that cargo starts.
BEHIND = {
    "cargo test": ("--nocapture", "--show-output", "--ignored", "--include-ignored", "--exact", "--list",
                   "--test-threads", "--skip", "-q", "--quiet"),
    "cargo clippy": ("-D", "-W", "-A"),
    "cargo fmt": ("--check",),
}  # fmt: skip
DEEPEST = 3


class Commands:
    """Finds commands defined by the project in trusted files."""

    def __init__(self, settings: "Settings") -> None:
        self.settings = settings

    def is_own(self, command: "Command", ground: Ground) -> bool:
        found = _row(command.words)
        if found is None or command.directory is None or not ground.is_project:
            return False
        name, row, action, rest = found
        parts = split(name, row, rest)
        _no_words_beyond(name, rest, parts.operands)
        for path in parts.operands if row.operands == PATHS else ():
            plain = path.partition("::")[0].removesuffix("/...")
            ground.read(plain or ".", command.directory)
            ground.write(plain, command.directory) if plain not in (".", "./", "") else None
        if not self._is_trusted(name, action, command.directory, ground):
            raise Spoiled(f"{name} is a command of the project, and the project is not trusted: hookkit trust")
        return True

    def _is_trusted(self, name: str, action: str, directory: str, ground: Ground) -> bool:
        """Whether the person trusts the present content of the nearest file with the command's definition."""
        real = os.path.realpath(directory)
        if not f"{real}/".startswith(f"{ground.project}/"):
            return False
        tasks = TaskFiles()
        search = CommandSearch(real, files.repository(real), tasks, self.settings.values.get("toolchains", ()))
        tool = name.split(maxsplit=1)[0]
        for _, defined in search.commands(action):
            if defined.own and defined.toolchain != tool:
                continue
            return bool(defined.sources) and sources.are_trusted(defined.sources, self.settings.environ)
        return False


def _no_words_beyond(name: str, rest: list[str], operands: list[str]) -> None:
    """Words for a second program: behind `--` of cargo, or in a file `@file`, they could write any file."""
    behind = rest[rest.index("--") + 1 :] if "--" in rest else []
    known = BEHIND.get(name, ())
    unknown = [word for word in behind if word[:1] == "-" and word.partition("=")[0] not in known]
    if name == "cargo fmt":  # each of its operands is a file to write
        unknown += [word for word in operands if word not in known]
    if unknown or any(word[:1] == "@" for word in operands):
        raise Spoiled(f"hookkit does not know what {(unknown or operands)[0]} does")


def _row(words: list[str]) -> tuple[str, Row, str, list[str]] | None:
    try:
        name = program(words[0])
    except Spoiled:
        return None
    for count in range(min(DEEPEST, len(words)), 0, -1):
        full = " ".join((name, *words[1:count]))
        if full in ROWS:
            row, action = ROWS[full]
            return full, row, action, words[count:]
    return None
