"""The words that a person wrote in a prompt: not its code, paths, flags, links, nor what it only quotes.

Found without `re`, whose import alone costs more than everything here.
"""

READ = 8_000  # characters from each end: nobody's wish stands in the middle of a paste
QUOTED = 12  # words: a longer quotation is somebody speaking

# Among the words stand the ends of clauses, and marks for what is no word.
END, THING = "", "#"

OPENING, CLOSING = "([{*_~", ")]}*_~.,;:!?"
QUOTES = ("'", '"')
STOPS = (",", ".", ";", ":", "!", "?")
DOCUMENTS = ("md", "mdx", "rst", "txt")
ASCII_END, MARKS, UNSPACED = 0x80, range(0x300, 0x370), 0x2E80


class _Folding(dict[int, str]):
    """Typographic marks become plain ones; symbols, and scripts that are written without spaces, part words."""

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
    """In lower case and in their order, with END and THING where they are due."""
    text = ends(_uncoded(prompt))
    if not text.isascii():
        text = text.translate(FOLDING)
    tokens = text.replace("...", ", ").replace(",", ", ").replace("\n", " , ").split()
    found: list[str] = []
    skip = 0
    for at, token in enumerate(tokens):
        if at < skip:
            continue
        if token.isalpha():
            found.append(token.lower())
        elif skip := _quotation(tokens, at):
            found.append(THING)
        else:
            found += _read(token)
    return found


def _uncoded(prompt: str) -> str:
    """Without what is fenced, between backticks, or quoted line by line from elsewhere."""
    text = f" {THING} ".join(prompt.split("```")[::2])
    if "\n>" in text or text.startswith(">"):
        text = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
    parts = text.replace("``", "`").split("`")
    if len(parts) % 2 == 0:  # the last backtick opens nothing
        parts[-2:] = [" ".join(parts[-2:])]
    return f" {THING} ".join(parts[::2])


def ends(text: str) -> str:
    """Cut at spaces, as half a word looks like a mistyped one."""
    if len(text) <= 2 * READ:
        return text
    head = text[:READ].rsplit(None, 1)[:-1]
    tail = text[-READ:].split(None, 1)[1:]
    return " , ".join(head + tail)


def _quotation(tokens: list[str], at: int) -> int:
    """Where a short quotation that opens here ends, if one does: its words are mentioned, not said."""
    opening = tokens[at].lstrip(OPENING)
    if len(opening) <= 1 or opening[0] not in QUOTES:
        return 0
    for end in range(at, min(at + QUOTED, len(tokens))):
        if tokens[end].rstrip(CLOSING).endswith(opening[0], 1 if end == at else 0):
            whole = at == 0 and end == len(tokens) - 1  # the prompt itself was pasted with its quotes
            return 0 if whole else end + 1
    return 0


def _read(token: str) -> list[str]:
    """What a token says that is not all letters: a word with punctuation, a compound, a document, or no word."""
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
