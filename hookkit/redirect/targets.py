"""What a project's task files really define: a target that is only mentioned would run nothing, or fail."""

import os

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

LIMIT = 1 << 20
INCLUDES = 16  # files read for one Makefile at the most


def make(path: str) -> set[str]:
    """Targets with a rule that make would run.

    `.PHONY: test` alone is none, nor is a target beside a file of its name: make does nothing, and calls it a success.
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
        return []  # then nobody knows what a recipe looks like
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
    """Recipes that run without arguments: one with a parameter that has no default needs a person to fill it in."""
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
    """Keys right below `tasks:`; enough of YAML for that is their indentation."""
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
    """A package's scripts, without the one that npm makes up to say that there is none."""
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
    """A task file that cannot be read defines nothing; one is read once, however often a line asks."""
    if path not in _texts:
        _texts[path] = _load(path)
    return _texts[path]


def _load(path: str) -> str:
    try:
        return files.read(path, LIMIT).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        return ""
