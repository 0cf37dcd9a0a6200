"""Finds the skill for a prompt in the index of `skill_index`, kept on disk until a skill's file changes, and quotes it.

A wrong skill costs the conversation thousands of characters; a missed skill costs little, since the client still offers
it. So a single word is not enough, unless the skill's author named the word as a keyword.
"""

import os
import stat

from hookkit.prompts.keywords import by_head, calls, is_forbidden, listed, mistyped, says
from hookkit.prompts.prose import END
from hookkit.prompts.stems import STOP, single, spoken, stem
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Index = dict[str, Any]
    Hits = Iterator[tuple[int, "Hit"]]  # number of the skill, hit
    from typing import Any


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
        if says(prompt, spoken_words, keyword):
            hits.setdefault(number, []).append(Hit(0, keyword, keyword, PHRASE, STRONG))
    for number, hit in _mistyped(spoken_words, index) if fuzzy else ():
        hits.setdefault(number, []).append(hit)
    matches = [_best(index["skills"][number], rows) for number, rows in hits.items()]
    for one in sorted(matches, key=lambda one: -one.score):
        if one.score and not calls(prompt, f"/{one.name}"):
            return one
    return None


def _written(spoken_words: list[str], index: "Index") -> "Hits":
    terms, phrases = index["terms"], index["phrases"]
    stems = [stem(word) for word in spoken_words]
    for at, word in enumerate(stems):
        if (word not in terms and word not in phrases) or is_forbidden(spoken_words, at):
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
    heads = by_head([word for word in spoken_words if stem(word) not in index["terms"]])
    for word, key in index["near"].items():
        for slip in mistyped(word, heads):
            at = spoken_words.index(slip)
            if is_forbidden(spoken_words, at):
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


# -- the index on disk -----------------------------------------------------------------------------


FORMAT = 1  # version of the index: a new number makes old files stale
LARGEST_INDEX = 8 << 20


def load_index(roots: list[str], own: str, environ: dict[str, str]) -> "Index":
    """The index of the skills below these directories, from disk while no file has changed."""
    places = [own, *roots]
    state = files.state_dir(environ)
    path = os.path.join(state, "skills", files.safe_name("\n".join(places)) + ".json") if state else ""
    stored = _stored(path, places)
    if stored is None:
        from hookkit.prompts import skill_index

        stamps = [[path, files.stamp(path)] for path in skill_index.paths(roots)]  # taken before reading
        stored = {"format": FORMAT, "places": places, "stamps": stamps, **skill_index.build(roots, own)}
        _keep(path, stored)
    return stored


def _stored(path: str, places: list[str]) -> "Index | None":
    value = jsons.read_own(path, LARGEST_INDEX)
    if value is None or value.get("format") != FORMAT or value.get("places") != places:
        return None
    return value if all(files.stamp(path) == stamp for path, stamp in value["stamps"]) else None


def _keep(path: str, content: "Index") -> None:
    """A failed write only makes the next call slower."""
    try:
        files.private_dir(os.path.dirname(os.path.dirname(path)))
        files.private_dir(os.path.dirname(path))
        files.write(path, jsons.dumps(content).encode())
    except OSError:
        return


# -- quoting a SKILL.md ----------------------------------------------------------------------------


FILE_NAME = "SKILL.md"
LIMIT = 256 * 1024  # bytes of a file
LEAST = 200  # characters of the shortest useful quotation
WORDS = 5  # words of the prompt to name
FENCES = ("```", "~~~")
DEEPEST = 6  # heading
GAP = "\n\n[…]\n\n"


def read_skill(path: str, root: str, *, is_own: bool) -> str:
    """The file's text. Refused: a project's link out of its skills, another user's file, a world-writable file."""
    folder = os.path.join(root, "skills")
    info = os.stat(path)
    is_ours = info.st_uid in (os.geteuid(), 0) or os.geteuid() == 0
    is_inside = is_own or (files.inside(path, folder) and files.inside(folder, os.path.dirname(root)))
    if not is_ours or not is_inside or info.st_mode & stat.S_IWOTH:
        raise OSError(f"not a skill to be read: {path}")
    return files.read(path, LIMIT).decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")


def body(text: str) -> int:
    """The offset of the text after the frontmatter."""
    end = text.find("\n---", 3) if text.startswith("---\n") else -1
    if end < 0:
        return 0
    after = text.find("\n", end + 4)
    return len(text) if after < 0 else after + 1


def context(match: "SkillMatch", prompt: str, limit: int) -> str:
    """The text for the model; "" if the file is gone or the limit leaves no room."""
    from hookkit.system import clipping  # late: most prompts quote no skill

    try:
        text = read_skill(match.path, match.root, is_own=match.is_own)
    except OSError:
        return ""
    text = text[body(text) :].strip()
    named = ", ".join(f'"{words}"' for words in match.words[:WORDS])
    whose = "the user's own" if match.is_own else "this project's"
    head = f'The prompt says {named}, so {whose} skill "{match.name}" may be what it needs.'
    whole = f"{head} From {match.path}:\n\n"
    room = limit - clipping.length(whole)
    if text and clipping.length(text) <= room:
        return whole + text
    parts = f"{head} Parts of {match.path} (read it for the rest):\n\n"
    room = limit - clipping.length(parts)
    return parts + part(text, prompt, room) if text and room >= LEAST else ""


def part(text: str, prompt: str, room: int) -> str:
    """The beginning and the sections that share the most words with the prompt, in the file's order."""
    from hookkit.system import clipping

    sections = _sections(text)
    asked = {stem(word) for word in spoken(prompt) if word.isalnum() and not listed(word, STOP)}
    shared = [_shared(section, asked) for section in sections]
    best = [at for at in range(1, len(sections)) if shared[at]] or [*range(1, len(sections))]
    best.sort(key=lambda at: (-shared[at], at))
    taken = {0: clipping.clip(sections[0], room // 2 if best else room, FILE_NAME)}
    for at in best:
        left = room - sum(clipping.length(piece) + len(GAP) for piece in taken.values())
        if left < LEAST:
            break
        taken[at] = clipping.clip(sections[at], left, FILE_NAME)
    order = sorted(taken)
    return "".join(("" if at == 0 else "\n\n" if at - 1 in taken else GAP) + taken[at] for at in order)


def _sections(text: str) -> list[str]:
    """Split at headings, but not at comments inside code; an empty section is joined to the next section."""
    sections: list[list[str]] = [[]]
    fence, has_body = "", False
    for line in text.split("\n"):
        mark = line.lstrip()[:3]
        if mark in FENCES and fence in ("", mark):
            fence = "" if fence else mark
        is_heading = not fence and _is_heading(line)
        if is_heading and has_body:
            sections.append([])
            has_body = False
        has_body = has_body or (bool(line.strip()) and not is_heading)
        sections[-1].append(line)
    return ["\n".join(lines).strip() for lines in sections]


def _is_heading(line: str) -> bool:
    level = len(line) - len(line.lstrip("#"))
    return 0 < level <= DEEPEST and line[level : level + 1] == " "


def _shared(section: str, asked: set[str]) -> int:
    """The number of words shared with the prompt; words of the heading count twice."""
    heading, _, _ = section.partition("\n")
    body, titled = ({stem(word) for word in spoken(text)} for text in (section, heading))
    return len(asked & body) + len(asked & titled)
