"""Splits the text of a Makefile into logical lines with their recipes, and reads the targets of a rule."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
