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
    left, kept = limit - 2 * (len(texts) - 1), list(texts)
    shortest_first = sorted(range(len(texts)), key=lambda place: length(texts[place]))
    for done, place in enumerate(shortest_first):
        kept[place] = _squeeze(texts[place], left // (len(texts) - done))
        left -= length(kept[place])
    return kept


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
    kept = head(text, limit - length(mark))
    return kept + MARK.format(left=length(text) - length(kept), where=f" in {where}" if where else "")


def head(text: str, room: int) -> str:
    """As much of the beginning as fits."""
    kept = text[: max(0, room)]
    while length(kept) > max(0, room):
        kept = kept[: max(0, len(kept) - (length(kept) - room + 1) // 2)]
    return kept
