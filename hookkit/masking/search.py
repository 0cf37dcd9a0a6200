"""Tries patterns only at their needles: text without a needle costs a substring search."""

import re

from hookkit.masking import BLOCK, SIGNS, is_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.masking import Spans


def prefixed(prefix: str, pattern: str, text: str) -> "Spans":
    """Tokens with this prefix at the start of a word."""
    match = re.compile(pattern).match
    at = text.find(prefix)
    while at >= 0:
        end = at + len(prefix)
        found = None if text[at - 1 : at].isalnum() else match(text, end)
        if found is not None:
            yield at, found.end()
        at = text.find(prefix, found.end() if found is not None else end)


def matched(needle: str, pattern: str, text: str, lower: str) -> "Spans":
    """The pattern's group, or the whole match, at each needle."""
    match = re.compile(pattern).match
    at = lower.find(needle)
    while at >= 0:
        found = match(text, at)
        if found is not None:
            yield found.span(found.lastindex or 0)
        at = lower.find(needle, found.end() if found is not None else at + 1)


def blocks(text: str) -> "Spans":
    """Two or more lines of base64 with a shorter last line: the inside of a key without its first line."""
    at = first = count = 0
    for row in [*text.split("\n"), ""]:
        bare = row.strip(SIGNS)
        if len(bare) in BLOCK and is_base64(bare):
            first = first if count else at
            count += 1
        elif count:
            if count > 1:
                yield first, at + len(row) if len(bare) < BLOCK.start and is_base64(bare) else at - 1
            count = 0
        at += len(row) + 1
