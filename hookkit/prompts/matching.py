"""Finds the keywords that a prompt asks for, exact or mistyped; mentions, names and negations do not count."""

from hookkit.prompts import keywords
from hookkit.prompts.keywords import listed
from hookkit.prompts.prose import END, ends, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DISTINCT = 1_000  # words checked for typing mistakes


class KeywordMatch:
    """A word of the prompt and its keyword; the two differ if the word is mistyped."""

    __slots__ = ("keyword", "target", "word")

    def __init__(self, word: str, keyword: str, target: str) -> None:
        self.word = word
        self.keyword = keyword
        self.target = target


def matches(prompt: str, spoken_words: list[str], rows: dict[str, str], *, fuzzy: bool) -> "Iterator[KeywordMatch]":
    """Every row that the prompt asks for: first exact words in the table's order, then mistyped words."""
    for keyword, target in rows.items():
        if says(prompt, spoken_words, keyword):
            yield KeywordMatch(keyword, keyword, target)
    if not fuzzy:
        return
    heads = by_head(spoken_words)
    for keyword, target in rows.items():
        for word in mistyped(keyword.replace("-", ""), heads):
            if _asks(spoken_words, [word], keyword):
                yield KeywordMatch(word, keyword, target)


def says(prompt: str, spoken_words: list[str], keyword: str) -> bool:
    if keyword.isascii() and keyword.isalpha():
        return _asks(spoken_words, [keyword], keyword)
    parts = words(keyword)
    if "".join(parts) == keyword.replace(" ", "").replace("-", ""):
        return bool(parts) and _asks(spoken_words, parts, keyword)
    # Not a word of letters: `c++` must stand alone; text of a script without spaces may stand anywhere.
    text = ends(prompt).lower()
    return keyword in (text.split() if keyword.isascii() else text)


def _asks(spoken_words: list[str], parts: list[str], keyword: str) -> bool:
    """Whether the words occur as a request: not forbidden, not the name of a thing, not a command line."""
    if parts[0] not in spoken_words:
        return False
    places = [
        at for at, word in enumerate(spoken_words) if word == parts[0] and spoken_words[at : at + len(parts)] == parts
    ]
    return any(not _is_name(spoken_words, at, keyword) and not is_forbidden(spoken_words, at) for at in places)


def _is_name(spoken_words: list[str], at: int, keyword: str) -> bool:
    """Whether the keyword names a thing: `the build failed`, `who broke the build`, `npm run build`."""
    after = spoken_words[at + 1] if at + 1 < len(spoken_words) else END
    before, first = (*reversed(spoken_words[max(0, at - 2) : at]), END, END)[:2]
    if listed(after, keywords.AFTER.get(keyword, "")):
        return True
    if listed(after, keywords.COMPOUNDS.get(keyword, "")):
        return not (before == END or listed(before, keywords.VERBAL + keywords.CLAUSES))
    names = keywords.BEFORE.get(keyword, "")
    if listed(before, names) or (listed(before, keywords.ARTICLES) and listed(first, names)):
        return True
    return listed(first if before == "run" else before, keywords.PROGRAMS)


def is_forbidden(spoken_words: list[str], at: int) -> bool:
    for back in range(at - 1, max(-1, at - 1 - keywords.REACH), -1):
        word, after = spoken_words[back], spoken_words[back + 1]
        if word == END or listed(word, keywords.CLAUSES):
            return False
        if listed(word, keywords.FORBIDS_NEXT):
            return at - back <= 2  # noqa: PLR2004 - an article may stand between
        if (word, after) in (("no", "need"), ("never", "mind")):
            return True
        if listed(word, keywords.FORBIDS) or word.endswith("n't"):
            spared = listed(after, keywords.SPARES) and spoken_words[back + 1 : back + 3] != ["have", "to"]
            return not spared and spoken_words[max(0, back - 1)] != "why"
    return False


def by_head(spoken_words: list[str]) -> dict[str, list[str]]:
    """The distinct words by first letter, so that each keyword is compared with few words."""
    heads: dict[str, list[str]] = {}
    distinct = [word for word in dict.fromkeys(spoken_words) if len(word) >= keywords.SHORT and word.isalpha()]
    for word in distinct[:DISTINCT]:
        heads.setdefault(word[0], []).append(word)
    return heads


def mistyped(keyword: str, heads: dict[str, list[str]]) -> list[str]:
    """The words that are typing mistakes of the keyword. rapidfuzz is loaded only if a word is near."""
    if len(keyword) < keywords.SHORT:
        return []
    near = [word for head in dict.fromkeys(keyword[:2]) for word in heads.get(head, ()) if _is_near(word, keyword)]
    if not near:
        return []
    from rapidfuzz.distance import OSA

    return [word for word in near if OSA.distance(word, keyword) <= 1 + _is_shuffled(word, keyword)]


def _is_near(word: str, keyword: str) -> bool:
    """A cheap test: similar start and length, a typical slip, and not an English word of its own."""
    if word == keyword or abs(len(word) - len(keyword)) > 1 or not _heads_agree(word, keyword):
        return False
    if not (_is_shuffled(word, keyword) or _slips(word, keyword)):
        return False
    return not _inflects(word, keyword) and not listed(word, keywords.REAL_WORDS)


def _heads_agree(word: str, keyword: str) -> bool:
    """People notice a wrong first letter: it must be right, swapped with the second, or (in a long word) lost."""
    swapped = word[:2] == keyword[1::-1]
    return word[0] == keyword[0] or swapped or (len(keyword) >= keywords.LONG and word == keyword[1:])


def _is_shuffled(word: str, keyword: str) -> bool:
    """Whether a long word has the same letters as the keyword: two slips are allowed then."""
    return len(keyword) >= keywords.LONG and set(word) == set(keyword)


def _slips(word: str, keyword: str) -> bool:
    """Whether the difference is a swapped, doubled, lost or neighbouring key: any other letter makes another word.

    In a short word only swapped and doubled letters count, since most words near a short word are real words.
    """
    at, end = _prefix(word, keyword), _prefix(word[::-1], keyword[::-1])
    long = len(keyword) > keywords.SHORT
    if at + end < len(keyword) - 2:
        return False
    if len(word) < len(keyword):
        return long
    if len(word) == len(keyword):
        swapped = word[at : at + 2] == keyword[at : at + 2][::-1]
        return swapped or (long and word[at] in keywords.KEYS.get(keyword[at], ""))
    beside = keyword[max(0, at - 1) : at + 1]
    return word[at] in beside or (long and any(word[at] in keywords.KEYS.get(key, "") for key in beside))


def _prefix(one: str, other: str) -> int:
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


def _inflects(word: str, keyword: str) -> bool:
    """Whether the word is another form of the keyword (`ships`); a last letter typed twice is a slip."""
    if word[:-1] == keyword:
        return word[-1] in keywords.ENDINGS and word[-1] != keyword[-1]
    return keyword[:-1] == word and keyword.endswith(keywords.FORMS)


def calls(prompt: str, target: str) -> bool:
    """Whether the prompt already calls the target by name, as people or the client's completion write it."""
    text, name = ends(prompt).lower(), target.lower()
    if name[1:] not in text:
        return False
    spellings = (name, f"@agent-{name[1:]}", f'@"{name[1:]}')
    return any(token.strip("()[]{}<>*_~`,.;:!?'").rstrip('"') in spellings for token in text.split())
