"""Text for the model has a limit: the client replaces a longer text by a file's name and a preview."""

LIMIT = 10_000  # in the client's characters: UTF-16 units
MARK = "\n[… cut by hookkit: {left} more characters{where}]"


def length(text: str) -> int:
    """The length as the client counts: a character outside the basic plane is two."""
    return len(text) + sum(char > "\uffff" for char in text)


def share(texts: list[str], limit: int = LIMIT) -> list[str]:
    """All texts within the limit: short texts stay whole, long texts lose their middle.

    The end of a text holds its rules, and its own hook has already cut it to size.
    """
    left, parts = limit - 2 * (len(texts) - 1), list(texts)
    shortest_first = sorted(range(len(texts)), key=lambda place: length(texts[place]))
    for done, place in enumerate(shortest_first):
        parts[place] = _squeeze(texts[place], left // (len(texts) - done))
        left -= length(parts[place])
    return parts


def _squeeze(text: str, limit: int) -> str:
    if length(text) <= limit:
        return text
    end = text[-(limit // 4) :]
    while length(end) > limit // 4:
        end = end[1:]
    return f"{clip(text[: -len(end)], limit - length(end) - 1)}\n{end}"


def clip(text: str, limit: int = LIMIT, where: str = "") -> str:
    """The text if it fits, else its beginning with a mark that counts the missing characters."""
    if length(text) <= limit:
        return text
    mark = MARK.format(left=length(text), where=f" in {where}" if where else "")
    start = head(text, limit - length(mark))
    return start + MARK.format(left=length(text) - length(start), where=f" in {where}" if where else "")


def head(text: str, room: int) -> str:
    """As much of the beginning as fits."""
    start = text[: max(0, room)]
    while length(start) > max(0, room):
        start = start[: max(0, len(start) - (length(start) - room + 1) // 2)]
    return start
