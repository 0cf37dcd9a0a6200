"""Reads the targets that a project's task files define: Makefile, justfile, Taskfile, package.json.

The files are untrusted: each is read once for a command line, and all together within a limit.
"""

import os

from hookkit.errors import HookkitError
from hookkit.redirect import toolchains
from hookkit.redirect.detectors import ACTIONS
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Targets = dict[str, "TaskTarget"]


NO_RULE = ("vpath", "export", "unexport", "override", "undefine", "private", "load", "-load")


def lines(text: str) -> "Iterator[tuple[int, str, list[str]]]":
    """Line number, logical line and recipe, outside `define` and conditions, without comments."""
    if ".RECIPEPREFIX" in text:
        return  # recipes may start with any character
    closed: list[str] = []
    held: tuple[int, str, list[str]] = (0, "", [])
    for number, line in _joined(text):
        if line.startswith("\t"):
            held[2].append(line)
            continue
        words = line.split(None, 2)
        first = words[1] if words[:1] == ["override"] and len(words) > 1 else words[0] if words else ""
        if first == "define" or first in ("ifdef", "ifndef", "ifeq", "ifneq"):
            closed.append(first)
        elif first in ("endef", "endif") and closed:
            closed.pop()
        elif not closed and first and not first.startswith("#"):
            yield held
            held = (number, line.partition("#")[0].strip(), [])
    yield held


def _joined(text: str) -> "Iterator[tuple[int, str]]":
    """Lines with the number of their first part; a backslash at the end joins a line with the next."""
    start, parts = 1, []
    for number, line in enumerate(text.split("\n"), 1):
        parts.append(line.removesuffix("\\"))
        if not line.endswith("\\"):
            yield start, " ".join(parts)
            start, parts = number + 1, []
    yield start, " ".join(parts)


def names(line: str) -> list[str]:
    """The targets of `a b: c`, `a:: c`, `a b &: c`; none for assignments and target-specific variables."""
    head, colon, rest = line.partition(":")
    if not colon or "=" in head or "$" in head or rest.lstrip(":").startswith("="):
        return []
    needs = rest.lstrip(":").partition(";")[0].replace("==", "")
    if "=" in needs and "$" not in needs.partition("=")[0]:
        return []
    if head.split(None, 1)[:1] and head.split(None, 1)[0] in NO_RULE:
        return []
    return [name for name in head.removesuffix("&").split() if not name.startswith(".")]


LIMIT = 1 << 18  # bytes of all task files of a command line
INCLUDES = 16  # most files read for a Makefile
NAMES = 200  # most names in its include lines
FOLLOWED = 50  # most prerequisites of a target to look at
SCRIPTS = 500  # most scripts of a package


class TaskTarget:
    """A target: `file` and `line` are its place, `needs` its prerequisites, `body` the lines of its recipe."""

    __slots__ = ("body", "file", "line", "needs")

    def __init__(self, file: str, line: int, needs: list[str], body: list[str]) -> None:
        self.file = file
        self.line = line
        self.needs = needs
        self.body = body


class TaskFiles:
    """The task files of one command line; `sources` names all files that define the targets of a task file.

    Files in `partial` were not read completely: an include with a variable in its name, or more than the limit.
    `managers` holds the package manager that a package.json demands.
    """

    def __init__(self) -> None:
        self.left = LIMIT
        self.sources: dict[str, list[str]] = {}
        self.partial: set[str] = set()
        self.managers: dict[str, str] = {}
        self._texts: dict[tuple[int, int], str] = {}
        self._found: dict[str, Targets] = {}

    def targets(self, path: str) -> "Targets":
        """The targets of a task file; the file's name tells the format."""
        if path not in self._found:
            name = os.path.basename(path).lower().lstrip(".")
            read = next(read for start, read in READERS if name.startswith(start))
            self.sources[path] = [path]
            self._found[path] = read(self, path)
        return self._found[path]

    def recipe(self, path: str, name: str) -> str:
        """The recipe of a target, of its prerequisites, and of the targets that it calls."""
        targets = self.targets(path)
        bodies: list[str] = []
        names = [name]
        for count, here in enumerate(names):
            target = targets.get(here)
            if target is None or count >= FOLLOWED:
                continue
            bodies += target.body
            fresh = [*dict.fromkeys((*target.needs, *toolchains.called("\n".join(target.body))))][:FOLLOWED]
            names += [need for need in fresh if need not in names]
        return "\n".join(bodies)

    def text(self, path: str) -> str:
        """The text of a file, read once under all of its names; "" where it cannot be read."""
        try:
            info = os.stat(path)
            key = (info.st_dev, info.st_ino)
            if key not in self._texts:
                data = files.read(path, self.left + 1)
                self._texts[key] = data[: self.left].decode("utf-8", "replace").replace("\r\n", "\n")
                self.left = max(0, self.left - len(data))
        except (OSError, ValueError):
            return ""
        if not self.left:
            self.partial.add(path)
        return self._texts[key]


def _make(tasks: TaskFiles, path: str) -> "Targets":
    """Targets with a rule that make would run.

    `.PHONY: test` alone is no rule. A target with a file of the same name beside it does not count either: make would
    run nothing and report success.
    """
    targets: Targets = {}
    phony: set[str] = set()
    folder, includes = os.path.dirname(path), _Includes(tasks, path)
    while includes.pending:
        here = includes.pending.pop()
        for number, line, body in lines(tasks.text(here)):
            first, _, rest = line.partition(" ")
            if first in ("include", "-include", "sinclude"):
                includes.add(rest.split())
            elif first.startswith(".PHONY"):
                phony.update(line.partition(":")[2].split())
            else:
                _add(targets, here, number, line, body)
        tasks.partial |= {path} if here in tasks.partial else set()
    for name in ACTIONS:
        if name not in phony and os.path.lexists(os.path.join(folder, name)):
            targets.pop(name, None)
    return targets


class _Includes:
    """The files of a Makefile's include lines; a file under a second name is not read again."""

    def __init__(self, tasks: TaskFiles, path: str) -> None:
        self.tasks = tasks
        self.path = path
        self.pending = [path]
        self.names = 0

    def add(self, names: list[str]) -> None:
        read = self.tasks.sources[self.path]
        for name in names:
            self.names += 1
            path = os.path.normpath(os.path.join(os.path.dirname(self.path), name))
            if len(read) >= INCLUDES or self.names > NAMES or any(char in name for char in "$*?["):
                self.tasks.partial.add(self.path)
            elif not any(_is_same(path, other) for other in read):
                self.pending.append(path)
                read.append(path)


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return one == other


def _add(targets: "Targets", path: str, number: int, line: str, body: list[str]) -> None:
    """Add the targets of a rule; several rules of the same target add up."""
    needs, _, inline = line.partition(":")[2].lstrip(":").partition(";")
    recipe = [inline, *body] if inline else body
    for name in names(line):
        known = targets.setdefault(name, TaskTarget(path, number, [], []))
        if recipe and not known.body:
            known.file, known.line = path, number
        known.needs += needs.replace("|", " ").split()
        known.body += recipe


def _just(tasks: TaskFiles, path: str) -> "Targets":
    """Recipes that run without arguments; parameters need a default."""
    targets: Targets = {}
    last = TaskTarget(path, 0, [], [])
    for number, line in enumerate(tasks.text(path).split("\n"), 1):
        if line[:1].isspace():
            last.body.append(line)
            continue
        if line.startswith(("import ", "import? ", "mod ", "mod? ")):
            tasks.partial.add(path)
        head, colon, rest = line.partition(":")
        if not colon or rest.startswith("=") or line.startswith(("#", "alias ", "set ")):
            continue
        name, *parameters = head.removeprefix("@").split()[:8] or [""]
        last = TaskTarget(path, number, rest.replace("&&", " ").split(), [])
        if all("=" in parameter or parameter.startswith("*") for parameter in parameters):
            targets[name] = last
    return targets


def _taskfile(tasks: TaskFiles, path: str) -> "Targets":
    """Keys directly below `tasks:`, found by indentation: a YAML parser would cost too much start-up."""
    targets: Targets = {}
    last = TaskTarget(path, 0, [], [])
    indent, inside = -1, False
    for number, line in enumerate(tasks.text(path).split("\n"), 1):
        bare = line.strip()
        depth = len(line) - len(line.lstrip(" "))
        if not bare or bare.startswith("#"):
            continue
        if depth == 0:
            inside, indent = bare.startswith("tasks:"), -1
            tasks.partial |= {path} if bare.startswith("includes:") else set()
        elif inside and indent in (-1, depth):
            indent = depth
            name, _, rest = bare.partition(":")
            last = targets[name.strip("\"'")] = TaskTarget(path, number, [], [rest])
        elif inside:
            key, _, rest = bare.lstrip("- ").partition(":")
            last.body.append(bare)
            last.needs += rest.strip(" []").replace(",", " ").split() if key in ("deps", "task") else []
    return targets


def _package(tasks: TaskFiles, path: str) -> "Targets":
    """A package's scripts, without the placeholder test script that `npm init` writes."""
    text = tasks.text(path)
    try:
        package = jsons.loads(text.encode("utf-8", "replace"))
    except HookkitError:
        return {}
    package = package if isinstance(package, dict) else {}
    scripts, manager = package.get("scripts"), package.get("packageManager")
    tasks.managers[path] = manager.partition("@")[0] if isinstance(manager, str) else ""
    targets: Targets = {}
    at, number = 0, 1
    for name, body in [*scripts.items()][:SCRIPTS] if isinstance(scripts, dict) else ():
        here = max(at, text.find(f'"{name}"', at or text.find('"scripts"')))
        number, at = number + text.count("\n", at, here), here
        if isinstance(body, str) and body.strip() and "Error: no test specified" not in body:
            targets[name] = TaskTarget(path, number, [], [body])
    return targets


READERS = (("just", _just), ("taskfile", _taskfile), ("package.json", _package), ("", _make))
