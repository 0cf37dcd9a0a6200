"""Reads the targets that a project's task files define: Makefile, justfile, Taskfile, package.json."""

import os

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

LIMIT = 1 << 20
INCLUDES = 16  # most files read for a Makefile


def make(path: str) -> set[str]:
    """Targets with a rule that make would run.

    `.PHONY: test` alone is no rule. A target with a file of the same name beside it does not count either: make would
    run nothing and report success.
    """
    targets: set[str] = set()
    phony: set[str] = set()
    pending = [path]
    seen: set[str] = set()
    while pending and len(seen) < INCLUDES:
        here = pending.pop()
        if here in seen:
            continue
        seen.add(here)
        for line in _make_lines(_text(here)):
            first, _, rest = line.partition(" ")
            if first in ("include", "-include", "sinclude"):
                pending += [os.path.join(os.path.dirname(path), name) for name in rest.split() if "$" not in name]
            elif first.startswith(".PHONY"):
                phony.update(line.partition(":")[2].split())
            else:
                targets.update(_rule(line))
    folder = os.path.dirname(path)
    return {name for name in targets if name in phony or not os.path.lexists(os.path.join(folder, name))}


def _make_lines(text: str) -> list[str]:
    """Logical lines outside recipes, `define` and conditions, with comments taken off."""
    if ".RECIPEPREFIX" in text:
        return []  # recipes may start with any character
    lines = []
    closed: list[str] = []
    for line in text.replace("\\\n", " ").split("\n"):
        words = line.split(None, 2)
        first = words[1] if words[:1] == ["override"] and len(words) > 1 else words[0] if words else ""
        if first == "define" or first in ("ifdef", "ifndef", "ifeq", "ifneq"):
            closed.append(first)
        elif first in ("endef", "endif") and closed:
            closed.pop()
        elif not closed and first and not line.startswith("\t"):
            lines.append(line.partition("#")[0].strip())
    return lines


NO_RULE = ("vpath", "export", "unexport", "override", "undefine", "private", "load", "-load")


def _rule(line: str) -> list[str]:
    """The targets of `a b: c`, `a:: c`, `a b &: c`; none for assignments and target-specific variables."""
    names, colon, rest = line.partition(":")
    if not colon or "=" in names or "$" in names or rest.lstrip(":").startswith("="):
        return []
    head = rest.lstrip(":").partition(";")[0].replace("==", "")
    if "=" in head and "$" not in head.partition("=")[0]:
        return []
    if names.split(None, 1)[:1] and names.split(None, 1)[0] in NO_RULE:
        return []
    return [name for name in names.removesuffix("&").split() if not name.startswith(".")]


def just(path: str) -> set[str]:
    """Recipes that run without arguments; parameters need a default."""
    found = set()
    for line in _text(path).split("\n"):
        head, colon, rest = line.partition(":")
        if not colon or rest.startswith("=") or line[:1].isspace() or line.startswith(("#", "alias ", "set ")):
            continue
        name, *parameters = head.removeprefix("@").split()[:8] or [""]
        if all("=" in parameter or parameter.startswith("*") for parameter in parameters):
            found.add(name)
    return found


def taskfile(path: str) -> set[str]:
    """Keys directly below `tasks:`, found by indentation: a YAML parser would cost too much start-up."""
    found = set()
    indent = -1
    inside = False
    for line in _text(path).split("\n"):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        depth = len(line) - len(line.lstrip(" "))
        if depth == 0:
            inside = bare.startswith("tasks:")
            indent = -1
        elif inside and indent in (-1, depth):
            indent = depth
            found.add(bare.partition(":")[0].strip("\"'"))
    return found


def scripts(path: str) -> dict[str, str]:
    """A package's scripts, without the placeholder test script that `npm init` writes."""
    try:
        package = jsons.loads(files.read(path, LIMIT))
    except (OSError, HookkitError):
        return {}
    found = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(found, dict):
        return {}
    texts = {name: body for name, body in found.items() if isinstance(body, str) and body.strip()}
    return {name: body for name, body in texts.items() if "Error: no test specified" not in body}


_texts: dict[str, str] = {}


def _text(path: str) -> str:
    """The text of a task file, read once; "" where the file cannot be read."""
    if path not in _texts:
        _texts[path] = _load(path)
    return _texts[path]


def _load(path: str) -> str:
    try:
        return files.read(path, LIMIT).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        return ""
