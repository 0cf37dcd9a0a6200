"""Which skill a prompt is about, if any: looked up in an index that is made once for the files that it read.

A wrong skill costs the conversation thousands of characters, a missed one little: the client still offers it. So a word
alone is not enough, unless the skill's author named it as a keyword.
"""

import os

from hookkit.errors import HookkitError
from hookkit.prompts import wishes
from hookkit.prompts.keywords import listed
from hookkit.prompts.prose import END
from hookkit.prompts.stems import single, spoken, stem
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Index = dict[str, Any]
    Hits = Iterator[tuple[int, "Hit"]]  # each with the number of its skill

FORMAT = 1  # of the index: another number makes every old one stale
LIMIT = 8 << 20
# What a word is to a skill: anybody's, one of its description that says much, its name or a keyword.
SUPPORTS, TELLS, STRONG = 0, 1, 2
# What the words of a prompt must come to: with a name or a keyword, and with so many that tell.
ENOUGH, DESCRIBED, TELLING = 3.3, 2.3, 2
PHRASE, SLIPPED, ALIKE = 4.0, 3.0, 1.0
MODIFIES, IS_MADE = -0.5, 0.5
REACH = 3  # words from a verb to what is to be made
WINDOW = 30  # words in which all must stand: a long paste has every word somewhere


class Hit:
    """A word of the prompt, or several, and what it says for a skill; the same key counts once."""

    __slots__ = ("at", "key", "kind", "weight", "words")

    def __init__(self, at: int, words: str, key: str, weight: float, kind: int) -> None:
        self.at = at
        self.words = words
        self.key = key
        self.weight = weight
        self.kind = kind


class Found:
    """A skill, and the words of the prompt that speak for it."""

    __slots__ = ("is_own", "name", "path", "root", "score", "sum", "words")

    def __init__(self, row: "dict[str, Any]", score: float, words: list[str]) -> None:
        self.name: str = row["name"]
        self.path: str = row["path"]
        self.root: str = row["root"]
        self.is_own: bool = row["own"]
        self.sum: str = row["sum"]
        self.score = score
        self.words = words


def find(prompt: str, index: "Index", *, fuzzy: bool) -> Found | None:
    """The skill that the prompt is most plainly about; one that it calls already needs no more."""
    said = spoken(prompt)
    hits: dict[int, list[Hit]] = {}
    for number, hit in _written(said, index):
        hits.setdefault(number, []).append(hit)
    for keyword, number in index["odd"]:
        if wishes.says(prompt, said, keyword):
            hits.setdefault(number, []).append(Hit(0, keyword, keyword, PHRASE, STRONG))
    for number, hit in _mistyped(said, index) if fuzzy else ():
        hits.setdefault(number, []).append(hit)
    found = [_best(index["skills"][number], rows) for number, rows in hits.items()]
    for one in sorted(found, key=lambda one: -one.score):
        if one.score and not wishes.calls(prompt, f"/{one.name}"):
            return one
    return None


def _written(said: list[str], index: "Index") -> "Hits":
    terms, phrases = index["terms"], index["phrases"]
    stems = [stem(word) for word in said]
    for at, word in enumerate(stems):
        if (word not in terms and word not in phrases) or wishes.is_forbidden(said, at):
            continue
        for row in terms.get(word, ()):
            yield row[0], _term(said, stems, at, row, index)
        pair = " ".join(stems[at : at + 2])
        for number, weight, _ in terms.get(pair, ()):
            yield number, Hit(at, " ".join(said[at : at + 2]), pair, weight, SUPPORTS)
        for phrase, number in phrases.get(word, ()):
            end = at + len(phrase)
            if stems[at:end] == phrase:
                yield number, Hit(at, " ".join(said[at:end]), " ".join(phrase), PHRASE, STRONG)


def _term(said: list[str], stems: list[str], at: int, row: "list[Any]", index: "Index") -> Hit:
    number, weight, kind = row
    if kind == STRONG:
        forms, word = index["strong"][stems[at]], single(said[at])
        after = stems[at + 1] if at + 1 < len(stems) else END
        if _is_other(word, forms):
            weight, kind = ALIKE, TELLS
        elif word in forms and all(other[0] != number for other in index["terms"].get(after, ())):
            weight += _role(said, at)
    return Hit(at, said[at], stems[at], weight, kind)


def _is_other(word: str, forms: list[str]) -> bool:
    """Whether a word only looks like a form of these: local is no form of locale."""
    return word not in forms and any(word in (f"{form}e", form.removesuffix("e")) for form in forms)


def _role(said: list[str], at: int) -> float:
    """A name that only describes another thing says less (`the pdf button`), one that is to be made says more."""
    from hookkit.prompts.skill_words import MADE, STOP

    after = said[at + 1] if at + 1 < len(said) else END
    if after.isalpha() and not listed(after, STOP):
        return MODIFIES
    return IS_MADE if any(listed(word, MADE) for word in said[max(0, at - REACH) : at]) else 0.0


def _mistyped(said: list[str], index: "Index") -> "Hits":
    """Names and keywords as fingers slip, of words that no skill uses."""
    heads = wishes.by_head([word for word in said if stem(word) not in index["terms"]])
    for word, key in index["near"].items():
        for slip in wishes.mistyped(word, heads):
            at = said.index(slip)
            if wishes.is_forbidden(said, at):
                continue
            for number, weight, kind in index["terms"].get(key, ()):
                if kind == STRONG:
                    yield number, Hit(at, slip, key, min(weight, SLIPPED), kind)


def _best(row: "dict[str, Any]", hits: list[Hit]) -> Found:
    """The words that stand together and come to most."""
    best = Found(row, 0.0, [])
    hits.sort(key=lambda hit: (hit.at, -hit.weight))
    for number, first in enumerate(hits):
        near: dict[str, Hit] = {}
        for hit in hits[number:]:
            if hit.at >= first.at + WINDOW:
                break
            near.setdefault(hit.key, hit)
        score = _score([*near.values()])
        if score > best.score:
            best = Found(row, score, _named([hit.words for hit in near.values()]))
    return best


def _named(words: list[str]) -> list[str]:
    """Each once, and none that stands in a longer one."""
    return [
        one for one in dict.fromkeys(words) if not any(f" {one} " in f" {other} " for other in words if other != one)
    ]


def _score(hits: list[Hit]) -> float:
    """Nothing unless it is enough: with a name or a keyword, or else with several words that tell."""
    total = sum(hit.weight for hit in hits)
    kinds = [hit.kind for hit in hits]
    described = STRONG not in kinds and kinds.count(TELLS) >= TELLING
    return total if any(kinds) and total >= (DESCRIBED if described else ENOUGH) else 0.0


# -- the index -------------------------------------------------------------------------------------------------------


def load(roots: list[str], own: str, environ: dict[str, str]) -> "Index":
    """The index of the skills below these directories, from the disk if nothing has changed since."""
    places = [own, *roots]
    state = files.state_dir(environ)
    snapshot = os.path.join(state, "skills", files.safe_name("\n".join(places)) + ".json") if state else ""
    kept = _kept(snapshot, places)
    if kept is None:
        from hookkit.prompts import skill_index

        stamps = [[path, files.stamp(path)] for path in skill_index.paths(roots)]  # before they are read
        kept = {"format": FORMAT, "places": places, "stamps": stamps, **skill_index.build(roots, own)}
        _keep(snapshot, kept)
    return kept


def _kept(snapshot: str, places: list[str]) -> "Index | None":
    try:
        kept = jsons.loads(files.read_own(snapshot, LIMIT))
    except (OSError, HookkitError):
        return None
    if not isinstance(kept, dict) or kept.get("format") != FORMAT or kept.get("places") != places:
        return None
    return kept if all(files.stamp(path) == stamp for path, stamp in kept["stamps"]) else None


def _keep(snapshot: str, content: "Index") -> None:
    """An index that cannot be written only makes the next call slower."""
    try:
        files.private_dir(os.path.dirname(os.path.dirname(snapshot)))
        files.private_dir(os.path.dirname(snapshot))
        files.write(snapshot, jsons.dumps(content).encode())
    except OSError:
        return
