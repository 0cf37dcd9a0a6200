"""Extracts the person's own words from a prompt, without code, paths, flags, links and quotations.

Written without `re`, whose import alone costs more than all of this module.
"""

READ = 8_000  # characters read from each end of a prompt: requests are not in the middle of a paste
QUOTED = 12  # words in the longest quotation that is skipped

# Markers between the words: END of a clause; THING for a token that is not a word.
END, THING = "", "#"

OPENING, CLOSING = "([{*_~", ")]}*_~.,;:!?"
QUOTES = ("'", '"')
STOPS = (",", ".", ";", ":", "!", "?")
DOCUMENTS = ("md", "mdx", "rst", "txt")
ASCII_END, MARKS, UNSPACED = 0x80, range(0x300, 0x370), 0x2E80


class _Folding(dict[int, str]):
    """Typographic marks become plain marks; symbols and scripts without spaces separate words."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        keeps = code < ASCII_END or code in MARKS or (code < UNSPACED and char.isalnum())
        self[code] = char if keeps else " "
        return self[code]


FOLDING = _Folding()
for plain, fancy in (
    ("'", "\u2018\u2019\u02bc\u2032\u00b4"),
    ('"', "\u201c\u201d\u201e\u00ab\u00bb"),
    (" , ", "\u2013\u2014\u2026\u3001\u3002\uff0c\uff01\uff1f"),
):
    FOLDING.update(dict.fromkeys(map(ord, fancy), plain))


def words(prompt: str) -> list[str]:
    """The words in lower case and in order, with END and THING between them."""
    text = ends(_uncoded(prompt))
    if not text.isascii():
        text = text.translate(FOLDING)
    tokens = text.replace("...", ", ").replace(",", ", ").replace("\n", " , ").split()
    lowered: list[str] = []
    skip = 0
    for at, token in enumerate(tokens):
        if at < skip:
            continue
        if token.isalpha():
            lowered.append(token.lower())
        elif skip := _quotation(tokens, at):
            lowered.append(THING)
        else:
            lowered += _read(token)
    return lowered


def _uncoded(prompt: str) -> str:
    """The prompt without code fences, text in backticks and lines quoted with `>`."""
    text = f" {THING} ".join(prompt.split("```")[::2])
    if "\n>" in text or text.startswith(">"):
        text = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
    parts = text.replace("``", "`").split("`")
    if len(parts) % 2 == 0:  # the last backtick has no partner
        parts[-2:] = [" ".join(parts[-2:])]
    return f" {THING} ".join(parts[::2])


def ends(text: str) -> str:
    """Both ends of a long text, cut at spaces: half a word looks like a mistyped word."""
    if len(text) <= 2 * READ:
        return text
    head = text[:READ].rsplit(None, 1)[:-1]
    tail = text[-READ:].split(None, 1)[1:]
    return " , ".join(head + tail)


def _quotation(tokens: list[str], at: int) -> int:
    """The index after a short quotation that starts here, or 0: quoted words are mentioned, not said."""
    opening = tokens[at].lstrip(OPENING)
    if len(opening) <= 1 or opening[0] not in QUOTES:
        return 0
    for end in range(at, min(at + QUOTED, len(tokens))):
        if tokens[end].rstrip(CLOSING).endswith(opening[0], 1 if end == at else 0):
            whole = at == 0 and end == len(tokens) - 1  # the whole prompt is in quotes
            return 0 if whole else end + 1
    return 0


def _read(token: str) -> list[str]:
    """The words of a token that is not all letters: punctuation, a compound, a document's name, or THING."""
    end = [END] if token.rstrip("*_~)\"'")[-1:] in STOPS else []
    core = token.lstrip(OPENING + "\"'").rstrip(CLOSING + "\"'")
    if not core:
        return end
    core, owns = (core[:-2], ["'s"]) if core.endswith("'s") else (core, [])
    stem, _, suffix = core.rpartition("/")[2].lstrip("@").partition(".")
    if suffix.lower() in DOCUMENTS and (stem.isupper() or stem.lower() == "readme"):
        core = stem
    joined = core.replace("-", "")
    isword = joined.replace("'", "").isalnum() and not core.startswith("-")
    return [joined.lower() if isword else THING, *owns, *end]
