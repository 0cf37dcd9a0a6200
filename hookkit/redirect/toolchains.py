"""Marker files → the project's own commands. One row a toolchain, in the order in which they are tried."""

import os

from hookkit.redirect import targets
from hookkit.redirect.detectors import SCRIPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

ACTIONS = ("test", "build", "lint", "e2e", "smoke")

APPEND, DASHES, NONE = "append", "dashes", "none"  # how a command takes further arguments


class Toolchain:
    """`command` is for tools that do what a file of the project defines (`defined` reads which actions that are);
    `commands` for tools that know by themselves. `lock` is a file that must lie here or above.
    """

    __slots__ = ("above", "command", "commands", "defined", "lock", "markers", "name", "needs", "runner", "takes")

    def __init__(  # noqa: PLR0913 - a table's row is as wide as the table
        self,
        name: str,
        markers: str,
        commands: dict[str, str] | None = None,
        *,
        command: str = "",
        defined: "Callable[[str], Collection[str]] | None" = None,
        above: str = "",
        lock: str = "",
        needs: str = "",
        runner: str = "",
        takes: str = NONE,
    ) -> None:
        self.name = name
        self.markers = markers.split()
        self.commands = commands or {}
        self.command = command
        self.defined = defined
        self.above = above  # how to call it from below its directory, where it does not look upward itself
        self.lock = lock.split()
        self.needs = needs
        self.runner = runner
        self.takes = takes


_CARGO = {"test": "cargo test", "build": "cargo build", "lint": "cargo clippy", "e2e": "cargo test --test '*'"}
_GO = {"test": "go test ./...", "build": "go build ./...", "lint": "go vet ./...", "e2e": "go test -tags=e2e"}
_PYTHON = {"test": "pytest", "lint": "ruff check", "e2e": "pytest tests/", "smoke": "pytest --smoke"}
_CMAKE = {"test": "ctest --test-dir {dir}build", "build": "cmake --build {dir}build"}


def _package(name: str, lock: str, takes: str, test: str = "{name} test") -> Toolchain:
    commands = {"test": test.format(name=name)}
    return Toolchain(
        name,
        "package.json",
        commands,
        command=f"{name} run {{action}}",
        defined=targets.scripts,
        lock=lock,
        takes=takes,
    )


def _python(name: str, lock: str, runner: str) -> Toolchain:
    return Toolchain(name, "pyproject.toml", _PYTHON, lock=lock, runner=runner, takes=APPEND)


ROWS = (
    Toolchain("make", "GNUmakefile makefile Makefile", command="make {action}", defined=targets.make,
              above="make -C {dir} {action}"),
    Toolchain("just", "justfile Justfile .justfile", command="just {action}", defined=targets.just),
    Toolchain("task", "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml", command="task {action}",
              defined=targets.taskfile),
    Toolchain("cargo", "Cargo.toml", _CARGO, takes=APPEND),
    Toolchain("go", "go.mod", _GO, takes=APPEND),
    _package("pnpm", "pnpm-lock.yaml", APPEND),
    _package("yarn", "yarn.lock", APPEND),
    _package("npm", "package-lock.json npm-shrinkwrap.json", DASHES),
    _package("bun", "bun.lock bun.lockb", APPEND, "bun run test"),
    _python("uv", "uv.lock", "uv run "),
    _python("poetry", "poetry.lock", "poetry run "),
    _python("pdm", "pdm.lock", "pdm run "),
    _python("pipenv", "Pipfile.lock", "pipenv run "),
    _python("python", "", ""),
    Toolchain("gradle", "gradlew", {"test": "./gradlew test", "build": "./gradlew build"},
              above="{dir}/gradlew -p {dir} {action}"),
    Toolchain("maven", "mvnw", {"test": "./mvnw test", "build": "./mvnw package"}),
    Toolchain("cmake", "CMakeLists.txt", _CMAKE, needs="build/CMakeCache.txt"),
)  # fmt: skip


LANGUAGES = ("cargo", "go", "pnpm", "yarn", "npm", "bun", "uv", "poetry", "pdm", "pipenv", "python", "gradle", "maven")


class Target:
    """The project's own command for an action, and whose arguments it takes."""

    __slots__ = ("body", "family", "own", "path", "runner", "takes", "text", "toolchain")

    def __init__(self, toolchain: Toolchain, text: str, family: str, body: str = "") -> None:
        self.toolchain = toolchain.name
        self.text = toolchain.runner + text
        self.runner = toolchain.runner
        self.family = family
        self.takes = toolchain.takes
        self.own = toolchain.defined is not None  # the project wrote down what this does
        self.body = body  # what a script runs
        self.path = ""  # the file that the toolchain was recognised by


def detect(
    directory: str, action: str, root: str, more: "list[dict[str, Any]] | tuple[()]" = (), family: str = ""
) -> Target | None:
    """The nearest toolchain that knows the action: a monorepo's package wins over its root.

    In a project of two languages the tool that was asked for (`family`) is one of its own; only a task runner, which
    knows of both, comes before it.
    """
    rows = (*(_user_row(row) for row in more), *ROWS)
    best: Target | None = None
    blocked: set[str] = set()  # rows whose tool would stop at a nearer marker and find nothing there
    for here in _upward(directory, root):
        for row in rows:
            marker = next((name for name in row.markers if os.path.isfile(os.path.join(here, name))), "")
            if not marker or row.name in blocked:
                continue
            target = _target(row, action, directory, here, marker, root)
            if target is not None and (target.family == family or row.name not in LANGUAGES or not family):
                return target
            best = best or target
            if row.defined is not None and target is None:
                blocked.add(row.name)
        if best is not None:
            return best
    return None


def _target(row: Toolchain, action: str, directory: str, here: str, marker: str, root: str) -> Target | None:
    if row.needs and not os.path.exists(os.path.join(here, row.needs)):
        return None
    if row.lock and not any(os.path.exists(os.path.join(up, lock)) for up in _upward(here, root) for lock in row.lock):
        return None
    body = ""
    if row.defined is not None:
        defined = row.defined(os.path.join(here, marker))
        if action not in defined:
            return None
        body = defined[action] if isinstance(defined, dict) else ""
    text = _spell(row, action, os.path.relpath(here, directory))
    target = Target(row, text, _family(row, action), body) if text else None
    if target is not None:
        target.path = os.path.join(here, marker)
    return target


def _spell(row: Toolchain, action: str, way: str) -> str:
    """The command as it must be written `way` below the toolchain's own directory; nothing where it cannot be."""
    if way.replace("..", "").strip("./"):
        return ""  # not above us at all: a name in it might mean something to the shell
    if way != "." and row.above:
        return row.above.replace("{dir}", way).replace("{action}", action)
    text = row.commands.get(action) or row.command.replace("{action}", action)
    if way != "." and text.startswith("./"):
        return ""
    return text.replace("{dir}", "" if way == "." else way + "/")


def _family(row: Toolchain, action: str) -> str:
    """What `detectors` calls the tool behind the command."""
    if row.defined is not None or row.name in ("gradle", "maven"):
        return SCRIPT if row.defined is targets.scripts else row.name
    words = row.commands[action].split(" ")[:2]
    return " ".join(word for word in words if word.isalpha())


def _user_row(row: "dict[str, Any]") -> Toolchain:
    return Toolchain(row["name"], row["marker"], {action: row[action] for action in ACTIONS if action in row})


def _upward(directory: str, root: str) -> list[str]:
    """The directory and those above it, up to the repository's root."""
    found = [directory]
    while found[-1] != root and len(found[-1]) > len(root):
        found.append(os.path.dirname(found[-1]))
    return found
