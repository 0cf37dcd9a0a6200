"""What a project's task files really define: a target that is only mentioned would run nothing, or fail."""

import os

from hookkit import files, jsons
from hookkit.errors import HookkitError

LIMIT = 1 << 20
INCLUDES = 16  # files read for one Makefile at the most


def make(path: str) -> set[str]:
    """Targets with a rule. `.PHONY: test` alone is none: make would do nothing, and call it a success."""
    targets: set[str] = set()
    pending = [path]
    for _ in range(INCLUDES):
        if not pending:
            break
        for line in _make_lines(_text(pending.pop())):
            first, _, rest = line.partition(" ")
            if first in ("include", "-include", "sinclude"):
                pending += [os.path.join(os.path.dirname(path), name) for name in rest.split() if "$" not in name]
            else:
                targets.update(_rule(line))
    return targets


def _make_lines(text: str) -> list[str]:
    """Logical lines outside recipes and `define`, with comments taken off."""
    lines = []
    defining = False
    for line in text.replace("\\\n", " ").split("\n"):
        words = line.split()
        if words[:1] == ["define"] or words[:2] == ["override", "define"]:
            defining = True
        elif words[:1] == ["endef"]:
            defining = False
        elif not defining and not line.startswith("\t"):
            lines.append(line.partition("#")[0].strip())
    return lines


def _rule(line: str) -> list[str]:
    """The targets of `a b: c`, `a:: c`, `a b &: c`; none for assignments and target-specific variables."""
    names, colon, rest = line.partition(":")
    if not colon or "=" in names or rest.lstrip(":").startswith("="):
        return []
    head = rest.lstrip(":").partition(";")[0].replace("==", "")
    if "=" in head and "$" not in head.partition("=")[0]:
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


def _text(path: str) -> str:
    """A task file that cannot be read defines nothing."""
    try:
        return files.read(path, LIMIT).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        return ""
