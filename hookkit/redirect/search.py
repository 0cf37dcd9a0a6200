"""Finds the project's own command for an action, from a directory up to the repository's root."""

import os

from hookkit.redirect import detectors, toolchains
from hookkit.redirect.detectors import ACTIONS, SCRIPT
from hookkit.redirect.targets import TaskFiles
from hookkit.redirect.toolchains import NONE, ROWS, Toolchain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

WRAPPER_SCRIPTS = ("gradle", "maven")  # toolchains that run a script of the project: gradlew, mvnw
BINS = ("node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin", "bin")  # a project's own programs
PACKAGE = "package.json"
ENTRIES, FOLDERS = 500, 200  # most names of a folder, most folders to look at
SKIPPED = frozenset("node_modules target dist build vendor venv env third_party site-packages".split())


class ProjectCommand:
    """The project's own command for an action.

    `family` names the tool that takes the arguments; `own` says that a task `file` of the project defines the command,
    with the script `body` and, with prerequisites, the `recipe`. `place` is the file and line of the definition,
    `sources` are all files of it (none where some are unknown).
    """

    __slots__ = (
        "body", "ecosystem", "family", "file", "own", "place", "recipe", "runner", "sources", "takes", "text",
        "toolchain",
    )  # fmt: skip

    def __init__(self, row: Toolchain, text: str, family: str, place: str) -> None:
        self.toolchain = row.name
        self.ecosystem = row.ecosystem
        self.text = row.runner + text
        self.runner = row.runner
        self.family = family
        self.takes = row.takes
        self.own = bool(row.command)
        self.place = place
        self.file = ""
        self.sources: list[str] = []
        self.body = ""
        self.recipe = ""

    @property
    def runs_project_text(self) -> bool:
        """Whether the command runs a text of the project, such as a recipe, and not only a tool's fixed command."""
        return self.own or self.toolchain in WRAPPER_SCRIPTS


class CommandSearch:
    """Looks for the project's commands from a directory up to the repository's root.

    With a search `path` (PATH), commands whose program is not installed are left out.
    """

    def __init__(
        self,
        directory: str,
        root: str,
        tasks: TaskFiles,
        more: "Sequence[dict[str, Any]]" = (),
        path: str | None = None,
    ) -> None:
        self.directory = directory
        self.root = root
        self.tasks = tasks
        self.path = path
        self.rows = (*(_user_row(row) for row in more), *ROWS)
        self.upward = upward(directory, root)

    def find(self, action: str, program: str = "", family: str = "") -> ProjectCommand | None:
        """The command for an action, for an agent that called `program`.

        A program that may work here stays in its ecosystem: only a task runner whose recipe runs no tool of another
        ecosystem replaces it. A program that cannot work is replaced by the nearest command, in the order of ROWS.
        """
        commands = list(self.commands(action))
        name = program.rpartition("/")[2]
        for _, command in commands:
            if command.toolchain == name and not command.ecosystem:
                return command  # a task runner with this target
        if self._may_define(name):
            return None
        ecosystem = toolchains.of_command(name)
        home = self.manifest(ecosystem, action, family)
        if not home and not self.is_used(ecosystem):
            return commands[0][1] if commands else None
        for here, command in commands:
            is_own = len(here) >= len(home) and self._is_at_home(command, ecosystem)
            if is_own and not (here != self.directory and self._is_wider(command, ecosystem)):
                return command
        return None

    def _may_define(self, runner: str) -> bool:
        """Whether the task file of a runner may define the target in a way that hookkit does not read."""
        row = next((row for row in self.rows if row.name == runner and row.command and not row.ecosystem), None)
        names = row.markers if row is not None else []
        paths = [os.path.join(here, name) for here in self.upward for name in names]
        path = next((path for path in paths if os.path.isfile(path)), "")
        return bool(path) and (any("%" in name for name in self.tasks.targets(path)) or path in self.tasks.partial)

    def overview(self) -> "Iterator[tuple[str, str, ProjectCommand | None]]":
        """For each action: the ecosystem of the called command ("" for all others) and the project's command.

        No command means that a command of this ecosystem stays as written.
        """
        homes = [row for row in toolchains.ECOSYSTEMS if self.manifest(row.name)]
        called = {(toolchains.of_command(row.words[0]), row.action) for row in detectors.ROWS}
        for action in ACTIONS:
            usual = self.find(action)
            for row in homes:
                if (row.name, action) not in called:
                    continue
                family = SCRIPT if row.name == "node" else ""
                command = self.find(action, row.tools[0], family) if self.manifest(row.name, action, family) else usual
                if (command and command.text) != (usual and usual.text):
                    yield action, row.name, command
            if usual is not None:
                yield action, "", usual

    def manifest(self, ecosystem: str, action: str = "", family: str = "") -> str:
        """The nearest directory with the ecosystem's manifest; "" where the program cannot work.

        A package manager needs the script in the nearest package.json.
        """
        row = toolchains.BY_NAME.get(ecosystem)
        names = row.manifests if row is not None else []
        for here in self.upward:
            paths = [os.path.join(here, name) for name in names]
            path = next((path for path in paths if os.path.isfile(path)), "")
            if path:
                return here if family != SCRIPT or action in self.tasks.targets(path) else ""
        return ""

    def is_used(self, ecosystem: str) -> bool:
        """Whether a recipe, a test file or another manifest of the repository is of the ecosystem.

        Then its programs may work, and the command is about that part. So it is in a repository too large to look at.
        """
        row = toolchains.BY_NAME.get(ecosystem)
        if row is None:
            return False
        runners = [task for task in self.rows if task.command and not task.ecosystem]
        for here in self.upward:
            for marker in (name for task in runners for name in task.markers):
                path = os.path.join(here, marker)
                targets = self.tasks.targets(path) if os.path.isfile(path) else ()
                names = [action for action in ACTIONS if action in targets]
                if any(ecosystem in toolchains.ecosystems(self.tasks.recipe(path, name)) for name in names):
                    return True
        for here, names in _walk(self.root):
            others = row.manifests if here not in self.upward else ()
            if not here or any(row.is_test(name) or name in others for name in names):
                return True
        return False

    def _is_wider(self, command: ProjectCommand, ecosystem: str) -> bool:
        """Whether a task runner above would run more than the tests of the ecosystem that are below the directory."""
        if command.ecosystem or ecosystem not in toolchains.LOCAL:
            return False
        row = toolchains.BY_NAME[ecosystem]
        return any(not here or any(row.is_test(name) for name in names) for here, names in _walk(self.directory))

    def commands(self, action: str) -> "Iterator[tuple[str, ProjectCommand]]":
        """Every command for an action with its directory, the nearest first."""
        blocked: set[str] = set()  # tools that would stop at a nearer marker file without the target
        for here in self.upward:
            for row in self.rows:
                marker = next((name for name in row.markers if os.path.isfile(os.path.join(here, name))), "")
                if not marker or row.name in blocked:
                    continue
                command = self._command(row, action, here, marker)
                if command is not None:
                    yield here, command
                elif row.command:
                    blocked.add(row.name)

    def _command(self, row: Toolchain, action: str, here: str, marker: str) -> ProjectCommand | None:
        above = upward(here, self.root)
        if row.lock and not any(os.path.exists(os.path.join(up, lock)) for up in above for lock in row.lock):
            return None
        path = os.path.join(here, marker)
        target = self.tasks.targets(path).get(action) if row.command else None
        if row.lock and row.command and self._manager(above) not in ("", row.name):
            return None
        text = _spell(row, action, os.path.relpath(here, self.directory))
        if not text or (row.command and target is None) or not self._has(here, row.needs.get(action, "")):
            return None
        command = ProjectCommand(row, text, _family(row, action), f"{target.file}:{target.line}" if target else path)
        if target is not None:
            command.file = path
            command.body = "\n".join(target.body) if row.takes != NONE else ""
            command.recipe = self.tasks.recipe(path, action)
            if not command.recipe.strip():
                return None  # make would report success, and have run nothing
        if not self.is_installed(command):
            return None
        command.sources = sources(row, here, marker, self.tasks)
        return command

    def _manager(self, above: list[str]) -> str:
        """The package manager that the nearest package.json with an opinion demands: others refuse to run there."""
        for here in above:
            path = os.path.join(here, PACKAGE)
            if os.path.isfile(path):
                self.tasks.targets(path)
            if self.tasks.managers.get(path):
                return self.tasks.managers[path]
        return ""

    def is_installed(self, command: ProjectCommand) -> bool:
        """Whether the command's program is there, and for a task runner also the programs of its recipe."""
        if self.path is None:
            return True
        words = [word for word in command.text.split() if "=" not in word]
        folders = [folder for folder in self.path.split(os.pathsep) if os.path.isabs(folder)]
        if not _is_program(words[0] if words else "", self.directory, folders):
            return False
        if not command.own or command.ecosystem:
            return True
        here, targets = os.path.dirname(command.file), self.tasks.targets(command.file)
        folders += [here, *(os.path.join(up, name) for up in self.upward for name in BINS)]
        names = {*toolchains.programs_of(command.recipe), *toolchains.tools(command.recipe)}
        return all("/" in name or "$" in name or name in targets or _is_program(name, here, folders) for name in names)

    def _is_at_home(self, command: ProjectCommand, ecosystem: str) -> bool:
        """Whether a command belongs to the ecosystem, or to a task runner that runs no other ecosystem's tool."""
        if command.ecosystem:
            return command.ecosystem == ecosystem
        targets = self.tasks.targets(command.file) if command.own else ()
        return toolchains.ecosystems(command.recipe, targets) <= {ecosystem}

    def _has(self, here: str, need: str) -> bool:
        """Whether a condition of a command holds: a file, a directory, an option of the project's own conftest.py."""
        if need.startswith("--"):
            texts = (self.tasks.text(os.path.join(here, name)) for name in ("conftest.py", "tests/conftest.py"))
            return any(need in text for text in texts)
        return os.path.isdir(os.path.join(here, need)) if need.endswith("/") else os.path.exists(f"{here}/{need}")


def _is_program(name: str, directory: str, folders: list[str]) -> bool:
    paths = [os.path.join(directory, name)] if "/" in name else [os.path.join(folder, name) for folder in folders]
    return any(os.path.isfile(path) and ("/" in name or os.access(path, os.X_OK)) for path in paths)


def _walk(top: str) -> "Iterator[tuple[str, list[str]]]":
    """The directories from `top` down, each with its names; at the end "" for the rest of a large tree."""
    pending = [top]
    for _ in range(FOLDERS):
        if not pending:
            return
        here, names = pending.pop(0), []
        try:
            with os.scandir(here) as entries:
                for entry, _ in zip(entries, range(ENTRIES), strict=False):
                    names.append(entry.name)
                    if entry.name not in SKIPPED and entry.name[0] != "." and entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except OSError:
            continue
        yield here, names
    if pending:
        yield "", []


def sources(row: Toolchain, here: str, marker: str, tasks: TaskFiles) -> list[str]:
    """The files that define what a toolchain's commands run; none where some of them are unknown."""
    path = os.path.join(here, marker)
    if row.command:
        tasks.targets(path)
    if path in tasks.partial:
        return []
    further = [os.path.join(here, name) for name in row.sources]
    return [*tasks.sources.get(path, [path]), *(name for name in further if os.path.lexists(name))]


def _spell(row: Toolchain, action: str, way: str) -> str:
    """The command for a directory `way` below the toolchain's directory; "" where it cannot run from there."""
    if way.replace("..", "").strip("./"):
        return ""  # not a directory above: its name might need quoting
    text = row.commands.get(action) or row.command.replace("{action}", action)
    if text and way != "." and row.above:
        return row.above.replace("{dir}", way).replace("{action}", action)
    if way != "." and text.startswith("./"):
        return ""
    return text.replace("{dir}", "" if way == "." else way + "/")


def _family(row: Toolchain, action: str) -> str:
    """The name in `detectors` for the tool of the command."""
    if row.command or row.name in WRAPPER_SCRIPTS:
        return SCRIPT if row.ecosystem == "node" else row.name
    words = row.commands[action].split(" ")[:2]
    return " ".join(word for word in words if word.isalpha())


def _user_row(row: "dict[str, Any]") -> Toolchain:
    return Toolchain(row["name"], row["marker"], {action: row[action] for action in ACTIONS if action in row})


def upward(directory: str, root: str) -> list[str]:
    """The directory and its parents, up to the repository's root."""
    folders = [directory]
    while folders[-1] != root and len(folders[-1]) > len(root):
        folders.append(os.path.dirname(folders[-1]))
    return folders
