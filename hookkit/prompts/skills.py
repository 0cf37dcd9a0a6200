"""Finds the skill for a prompt in the index of `skill_index`.

A wrong skill costs the conversation thousands of characters; a missed skill costs little, since the client still offers
it. So a single word is not enough, unless the skill's author named the word as a keyword.
"""

from hookkit.prompts import matching
from hookkit.prompts.keywords import listed
from hookkit.prompts.prose import END
from hookkit.prompts.stems import single, spoken, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Index = dict[str, Any]
    Hits = Iterator[tuple[int, "Hit"]]  # number of the skill, hit


# Kinds of words: common, a specific word of the description, a word of the name or a keyword.
SUPPORTS, TELLS, STRONG = 0, 1, 2
# Least score with a STRONG word; least score and number of TELLS words without.
ENOUGH, DESCRIBED, TELLING = 3.3, 2.3, 2
PHRASE, SLIPPED, ALIKE = 4.0, 3.0, 1.0
MODIFIES, IS_MADE = -0.5, 0.5
REACH = 3  # words from a verb to the object to be made
WINDOW = 30  # all words that count must be this close: a long paste has every word somewhere


class Hit:
    """Words of the prompt that speak for a skill; hits with the same key count once."""

    __slots__ = ("at", "key", "kind", "weight", "words")

    def __init__(self, at: int, words: str, key: str, weight: float, kind: int) -> None:
        self.at = at
        self.words = words
        self.key = key
        self.weight = weight
        self.kind = kind


class SkillMatch:
    """A skill with the prompt's words for it."""

    __slots__ = ("is_own", "name", "path", "root", "score", "sum", "words")

    def __init__(self, row: "dict[str, Any]", score: float, words: list[str]) -> None:
        self.name: str = row["name"]
        self.path: str = row["path"]
        self.root: str = row["root"]
        self.is_own: bool = row["own"]
        self.sum: str = row["sum"]
        self.score = score
        self.words = words


def find(prompt: str, index: "Index", *, fuzzy: bool) -> SkillMatch | None:
    """The skill with the best score; skills that the prompt already calls by name are left out."""
    spoken_words = spoken(prompt)
    hits: dict[int, list[Hit]] = {}
    for number, hit in _written(spoken_words, index):
        hits.setdefault(number, []).append(hit)
    for keyword, number in index["odd"]:
        if matching.says(prompt, spoken_words, keyword):
            hits.setdefault(number, []).append(Hit(0, keyword, keyword, PHRASE, STRONG))
    for number, hit in _mistyped(spoken_words, index) if fuzzy else ():
        hits.setdefault(number, []).append(hit)
    matches = [_best(index["skills"][number], rows) for number, rows in hits.items()]
    for one in sorted(matches, key=lambda one: -one.score):
        if one.score and not matching.calls(prompt, f"/{one.name}"):
            return one
    return None


def _written(spoken_words: list[str], index: "Index") -> "Hits":
    terms, phrases = index["terms"], index["phrases"]
    stems = [stem(word) for word in spoken_words]
    for at, word in enumerate(stems):
        if (word not in terms and word not in phrases) or matching.is_forbidden(spoken_words, at):
            continue
        for row in terms.get(word, ()):
            yield row[0], _term(spoken_words, stems, at, row, index)
        pair = " ".join(stems[at : at + 2])
        for number, weight, _ in terms.get(pair, ()):
            yield number, Hit(at, " ".join(spoken_words[at : at + 2]), pair, weight, SUPPORTS)
        for phrase, number in phrases.get(word, ()):
            end = at + len(phrase)
            if stems[at:end] == phrase:
                yield number, Hit(at, " ".join(spoken_words[at:end]), " ".join(phrase), PHRASE, STRONG)


def _term(spoken_words: list[str], stems: list[str], at: int, row: "list[Any]", index: "Index") -> Hit:
    number, weight, kind = row
    if kind == STRONG:
        forms, word = index["strong"][stems[at]], single(spoken_words[at])
        after = stems[at + 1] if at + 1 < len(stems) else END
        if _is_other(word, forms):
            weight, kind = ALIKE, TELLS
        elif word in forms and all(other[0] != number for other in index["terms"].get(after, ())):
            weight += _role(spoken_words, at)
    return Hit(at, spoken_words[at], stems[at], weight, kind)


def _is_other(word: str, forms: list[str]) -> bool:
    """Whether a word only looks like one of the forms: local is not a form of locale."""
    return word not in forms and any(word in (f"{form}e", form.removesuffix("e")) for form in forms)


def _role(spoken_words: list[str], at: int) -> float:
    """A name that describes another thing counts less (`the pdf button`), an object to be made counts more."""
    from hookkit.prompts.stems import MADE, STOP

    after = spoken_words[at + 1] if at + 1 < len(spoken_words) else END
    if after.isalpha() and not listed(after, STOP):
        return MODIFIES
    return IS_MADE if any(listed(word, MADE) for word in spoken_words[max(0, at - REACH) : at]) else 0.0


def _mistyped(spoken_words: list[str], index: "Index") -> "Hits":
    """Mistyped names and keywords, among the words that no skill uses."""
    heads = matching.by_head([word for word in spoken_words if stem(word) not in index["terms"]])
    for word, key in index["near"].items():
        for slip in matching.mistyped(word, heads):
            at = spoken_words.index(slip)
            if matching.is_forbidden(spoken_words, at):
                continue
            for number, weight, kind in index["terms"].get(key, ()):
                if kind == STRONG:
                    yield number, Hit(at, slip, key, min(weight, SLIPPED), kind)


def _best(row: "dict[str, Any]", hits: list[Hit]) -> SkillMatch:
    """The group of nearby words with the highest score."""
    best = SkillMatch(row, 0.0, [])
    hits.sort(key=lambda hit: (hit.at, -hit.weight))
    for number, first in enumerate(hits):
        near: dict[str, Hit] = {}
        for hit in hits[number:]:
            if hit.at >= first.at + WINDOW:
                break
            near.setdefault(hit.key, hit)
        score = _score([*near.values()])
        if score > best.score:
            best = SkillMatch(row, score, _names([hit.words for hit in near.values()]))
    return best


def _names(words: list[str]) -> list[str]:
    """The distinct phrases, without those contained in a longer phrase."""
    return [
        one for one in dict.fromkeys(words) if not any(f" {one} " in f" {other} " for other in words if other != one)
    ]


def _score(hits: list[Hit]) -> float:
    """The sum of the weights, or 0 below the threshold."""
    total = sum(hit.weight for hit in hits)
    kinds = [hit.kind for hit in hits]
    described = STRONG not in kinds and kinds.count(TELLS) >= TELLING
    return total if any(kinds) and total >= (DESCRIBED if described else ENOUGH) else 0.0
