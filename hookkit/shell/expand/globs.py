"""Patterns of the shell: `*`, `?`, `[a-z]`. Matched with a bounded number of comparisons."""

from hookkit.programs.words import starred

SPECIAL = "*?["


def is_pattern(text: str) -> bool:
    return "*" in text or "?" in text or "[" in text


def pieces(pattern: str) -> list[str]:
    """The pattern as a list: `*`, `?`, sets like `[a-z]`, and single characters."""
    pieces: list[str] = []
    at = 0
    while at < len(pattern):
        end = _set_end(pattern, at) if pattern[at] == "[" else 0
        pieces.append(pattern[at : end or at + 1])
        at = end or at + 1
    return pieces


def _set_end(pattern: str, at: int) -> int:
    """The place behind `[…]`; 0 where the bracket stands for itself."""
    first = at + 1 + (pattern[at + 1 : at + 2] in ("!", "^"))
    end = pattern.find("]", first + 1)
    return end + 1 if end >= 0 else 0


def fits(pattern: str, text: str) -> bool:
    """Whether the whole text matches."""
    return starred(pieces(pattern), text, one)


def one(piece: str, char: str) -> bool:
    """Whether a piece of a pattern matches the character."""
    if len(piece) == 1:
        return piece in ("?", char)
    inside = piece[1:-1]
    negated = inside[:1] in ("!", "^")
    return _in_set(inside[negated:], char) != negated


def _in_set(members: str, char: str) -> bool:
    if members.startswith(("[:", "[=")):
        return True  # a class of characters: taken for any
    at = 0
    while at < len(members):
        if members[at + 1 : at + 2] == "-" and at + 2 < len(members):
            if members[at] <= char <= members[at + 2]:
                return True
            at += 3
        else:
            if members[at] == char:
                return True
            at += 1
    return False


def may_both(first: str, second: str) -> bool:
    """Whether some text matches both patterns; `first` in the shell's grammar, `second` with `*` only."""
    one_side, other = pieces(first), list(second)
    reachable = {0}
    for number in range(len(one_side) + 1):
        reachable = _closure(reachable, other, crossing=number < len(one_side) and one_side[number] == "*")
        if number == len(one_side):
            return len(other) in reachable
        reachable = _next(reachable, one_side[number], other)
    return False


def _closure(places: set[int], other: list[str], *, crossing: bool) -> set[int]:
    """Stars of the second pattern may match the empty text; a star of the first swallows any run of the second."""
    reached = set(places)
    for place in sorted(places):
        at = place
        while at < len(other) and (crossing or other[at] == "*"):
            at += 1
            reached.add(at)
    return reached


def _next(places: set[int], piece: str, other: list[str]) -> set[int]:
    """Possible positions in the second pattern after the next piece of the first."""
    if piece == "*":
        return places
    reached: set[int] = set()
    for place in places:
        if place < len(other):
            if other[place] == "*":
                reached.add(place)
            elif one(piece, other[place]):
                reached.add(place + 1)
    return reached
