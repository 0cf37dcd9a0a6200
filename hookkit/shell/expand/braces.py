"""`{a,b}` and `{1..5}` written out, over quotes and expansions too."""

from hookkit.shell.state import UNKNOWN
from hookkit.shell.syntax import LITERAL, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.state import Budget

MOST = 256  # words from a single brace expansion; beyond this limit the word is UNKNOWN
DIGITS = 6  # of the numbers in {1..5}


def braces(parts: list[Part], budget: "Budget") -> list[list[Part]]:
    """The alternatives of a word, in bash's order."""
    if not any(part.kind == LITERAL and not part.quoted and "{" in part.text for part in parts):
        return [parts]
    pending = [parts]
    done: list[list[Part]] = []
    while pending:
        word = pending.pop()
        budget.spend(len(word), sum(len(part.text) for part in word if part.kind == LITERAL))
        split = _brace(word)
        if split is None:
            done.append(word)
        elif len(pending) + len(done) + len(split) > MOST:
            return [[Part(LITERAL, UNKNOWN, quoted=True)]]
        else:
            pending += reversed(split)
    return done


def _brace(parts: list[Part]) -> list[list[Part]] | None:
    """The alternatives of the first brace expansion in the word."""
    opens: list[tuple[int, int, list[tuple[int, int]]]] = []  # the place of each open brace, and its commas
    for number, part in enumerate(parts):
        if part.kind != LITERAL or part.quoted or ("{" not in part.text and not opens):
            continue
        for at, char in enumerate(part.text):
            if char == "{":
                opens.append((number, at, []))
            elif char == "," and opens:
                opens[-1][2].append((number, at))
            elif char == "}" and opens:
                start = opens.pop()
                if start[2]:
                    return _alternatives(parts, start[:2], start[2], (number, at))
                counted = _sequence(part.text[start[1] + 1 : at]) if start[0] == number else []
                if counted:
                    head = _slice(parts, (0, 0), start[:2])
                    tail = _slice(parts, (number, at + 1), (len(parts), 0))
                    return [[*head, Part(LITERAL, text), *tail] for text in counted]
    return None


def _sequence(text: str) -> list[str]:
    """`1..5`, `a..e`, `1..9..2`; too long a sequence is a single UNKNOWN word."""
    first, dots, rest = text.partition("..")
    last, _, step = rest.partition("..")
    if not dots or not first or not last:
        return []
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha() and (first + last).isascii():
        low, high, letters = ord(first), ord(last), True
    elif _is_number(first) and _is_number(last):
        low, high, letters = int(first), int(last), False
    else:
        return []
    size = max(1, abs(int(step))) if _is_number(step) else 1
    if abs(high - low) // size > MOST:
        return [UNKNOWN]
    numbers = range(low, high + 1, size) if low <= high else range(low, high - 1, -size)
    return [chr(number) if letters else str(number) for number in numbers]


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= DIGITS


def _alternatives(
    parts: list[Part], start: tuple[int, int], commas: list[tuple[int, int]], end: tuple[int, int]
) -> list[list[Part]]:
    head = _slice(parts, (0, 0), start)
    tail = _slice(parts, (end[0], end[1] + 1), (len(parts), 0))
    bounds = [start, *commas, end]
    middles = [_slice(parts, (low[0], low[1] + 1), high) for low, high in zip(bounds, bounds[1:], strict=False)]  # noqa: RUF007 - itertools is not loaded
    return [[*head, *middle, *tail] for middle in middles]


def _slice(parts: list[Part], start: tuple[int, int], end: tuple[int, int]) -> list[Part]:
    """The parts between two places in them."""
    slice_ = []
    for number in range(start[0], min(end[0] + 1, len(parts))):
        part = parts[number]
        low = start[1] if number == start[0] else 0
        high = end[1] if number == end[0] else len(part.text)
        if (low, high) == (0, len(part.text)):
            if number < end[0] or high:
                slice_.append(part)
        elif low < high:
            slice_.append(Part(LITERAL, part.text[low:high], quoted=part.quoted))
    return slice_
