"""Reduces words of prompts and skills to comparable stems."""

from hookkit.prompts.keywords import listed
from hookkit.prompts.prose import words

LONGEST_KIND = 5
# File endings found in every project: they say little about the request.
USUAL = (
    " c cc cfg cpp cs css go h hpp html ini java js json jsx kt lock log lua md mdx mjs php pl py rb rs rst scala sh "
    "sql svelte swift toml ts tsx txt vue xml yaml yml com org net io dev "
)
# Ending, replacement, least length of the word: at most one ending of each row is removed.
ROWS = (
    (("ies", "y", 5), ("sses", "ss", 6), ("xes", "x", 5), ("ches", "ch", 6), ("shes", "sh", 6), ("s", "", 4)),
    (("ing", "", 6), ("ed", "", 5), ("ion", "", 7)),
    (("ment", "", 8),),
    (("e", "", 4),),
)
KEPT = ("ss", "us", "is", "eed")


def spoken(text: str) -> list[str]:
    """The words of a text, with the endings of file names in it: `q3.xlsx` adds xlsx."""
    if "." in text:
        text = " ".join(token + _kind(token) for token in text.split(" "))
    return words(text)


def _kind(token: str) -> str:
    _, dot, kind = token.rstrip(")]}*_~.,;:!?'\"`\n").rpartition(".")
    fits = dot and kind.isascii() and kind.isalnum() and kind[0].isalpha() and 1 < len(kind) <= LONGEST_KIND
    return f" {kind}" if fits and not listed(kind.lower(), USUAL) else ""


def single(word: str) -> str:
    """The word without a plural ending."""
    return _without(word, ROWS[:1])


def stem(word: str) -> str:
    """The common stem of a word's forms. Different words may share a stem: locale, local."""
    return _without(word, ROWS)


def _without(word: str, rows: "tuple[tuple[tuple[str, str, int], ...], ...]") -> str:
    if not word.isascii():
        return word
    for row in rows:
        for ending, instead, least in row:
            if word.endswith(ending) and len(word) >= least and not word.endswith(KEPT):
                word = _undoubled(word[: -len(ending)]) + instead
                break
    return word


def _undoubled(word: str) -> str:
    """`running` comes from run, but `adding` from add and `pulling` from pull."""
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word  # noqa: PLR2004
