"""Tries patterns only at their needles: text without a needle costs a substring search."""

import re

from hookkit.system.masking import BLOCK, SIGNS, is_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.system.masking import Spans


def prefixed(prefix: str, pattern: str, text: str) -> "Spans":
    """Tokens with this prefix at the start of a word."""
    match = re.compile(pattern).match
    at = text.find(prefix)
    while at >= 0:
        end = at + len(prefix)
        hit = None if text[at - 1 : at].isalnum() else match(text, end)
        if hit is not None:
            yield at, hit.end()
        at = text.find(prefix, hit.end() if hit is not None else end)


def matched(needle: str, pattern: str, text: str, lower: str) -> "Spans":
    """The pattern's group, or the whole match, at each needle."""
    match = re.compile(pattern).match
    at = lower.find(needle)
    while at >= 0:
        hit = match(text, at)
        if hit is not None:
            yield hit.span(hit.lastindex or 0)
        at = lower.find(needle, hit.end() if hit is not None else at + 1)


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
