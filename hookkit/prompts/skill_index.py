"""Builds the index of skills: the words that speak for each skill, so that a prompt only needs lookups.

A project's skills are untrusted: number, size and names are bounded, and links out of the skills are not followed.
"""

import os

from hookkit.prompts.keywords import FORBIDS, listed
from hookkit.prompts.prose import END, THING, words
from hookkit.prompts.skills import FILE_NAME, STRONG, SUPPORTS, TELLS, body, read_skill
from hookkit.prompts.stems import COMMON, STOP, single, spoken, stem
from hookkit.system import files, masking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Index = dict[str, Any]
    Term = tuple[float, int]  # weight of a word, kind of a word (SUPPORTS, TELLS, STRONG)

ENTRIES = 1_000  # names read from a directory of skills
SKILLS = 200
HEAD, HEADS, DESCRIPTION = 8_000, 200_000, 2_000  # characters of one skill's head, of all, of a description
KEYWORDS = 50  # of one skill
LONGEST = 64  # characters in a name
TRUE = ("true", "yes", "on", "1")

# Weights by the place of a word. Words of a long name count less: NAME / words ** SHARE.
KEYWORD, NAME, WORD, SUPPORT = 4.0, 3.0, 1.0, 0.5
SHARE = 0.25


class Skill:
    """The frontmatter of a SKILL.md, and its path."""

    __slots__ = ("description", "is_own", "keywords", "name", "names", "path", "root", "sum")

    def __init__(self, path: str, root: str, *, is_own: bool) -> None:
        self.path = path
        self.root = root
        self.is_own = is_own
        self.name = os.path.basename(os.path.dirname(path))
        self.names = [self.name]
        self.description = ""
        self.keywords: list[str] = []
        self.sum = ""


def paths(roots: list[str]) -> list[str]:
    """All paths whose change makes the index stale: the directories and their SKILL.md files."""
    skill_files = []
    for root in roots:
        folder = os.path.join(root, "skills")
        names = [os.path.join(folder, name) for name in _names(folder)]
        skill_files += [folder, *(path for name in names for path in (name, os.path.join(name, "SKILL.md")))]
    return skill_files


def _names(folder: str) -> list[str]:
    """Names of directories that may hold a skill; the client uses the directory's name as the skill's name."""
    names = []
    try:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if count >= ENTRIES:
                    break
                if _is_name(entry.name):
                    names.append(entry.name)
    except OSError:
        return []
    return sorted(names)[:SKILLS]


def _is_name(name: str) -> bool:
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    return plain.isalnum() and len(name) <= LONGEST and not name.startswith(".")


def build(roots: list[str], own: str) -> "Index":
    """The index of all skills; of two with the same name the user's own wins, as in the client."""
    skills: dict[str, Skill] = {}
    room = HEADS
    for root in sorted(roots, key=lambda root: root != own):
        for name in _names(os.path.join(root, "skills")):
            if name in skills or len(skills) >= SKILLS:
                continue
            skill = Skill(os.path.join(root, "skills", name, FILE_NAME), root, is_own=root == own)
            head = _head(skill)
            room -= len(head or "")
            if room >= 0 and head is not None and _understood(skill, head):
                skills[name] = skill
    return _index([*skills.values()])


def _head(skill: Skill) -> str | None:
    """The frontmatter, or None where it is unclosed or too long: an unread part might forbid the skill's use."""
    try:
        text = read_skill(skill.path, skill.root, is_own=skill.is_own)
    except OSError:
        return None
    skill.sum = files.checksum(f"{skill.path}\n{text}".encode("utf-8", "surrogatepass"))
    end = body(text)
    head = text[4:end].rpartition("---")[0]
    return None if len(head) > HEAD or (text.startswith("---") and not end) else head


def _understood(skill: Skill, head: str) -> bool:
    """Fill in the skill from its frontmatter; False if the model may not use the skill by itself."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # makes only strings, lists and dicts of strings
    try:
        fields = yaml.load(head, loader) or {}  # noqa: S506 - BaseLoader is safe
    except (ValueError, RecursionError, yaml.YAMLError):
        return False
    if not isinstance(fields, dict) or _text(fields.get("disable-model-invocation")).lower() in TRUE:
        return False
    name = _text(fields.get("name"))
    skill.names += [name] if name != skill.name and _is_name(name.replace(" ", "-")) else []
    text = f"{_text(fields.get('description'))}\n{_text(fields.get('when_to_use'))}"
    skill.description = masking.mask(text)[:DESCRIPTION]
    keywords = [*_list(fields.get("keywords")), *_list(fields.get("triggers")), *_quoted(skill.description)]
    skill.keywords = list(dict.fromkeys(keywords))[:KEYWORDS]
    return True


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _list(value: object) -> list[str]:
    items = value if isinstance(value, list) else _text(value).replace("\n", ",").split(",")
    return [item for item in map(_text, items) if 0 < len(item) <= LONGEST]


def _quoted(text: str) -> list[str]:
    """Phrases in quotes: authors quote requests, as in `when the user asks to "cut a release"`. Words are left out."""
    return [saying for saying in text.split('"')[1::2] if " " in saying.strip() and len(saying) <= LONGEST]


def _index(skills: list[Skill]) -> "Index":
    common = _Common()
    spoken_for = [_terms(skill, common) for skill in skills]
    counts: dict[str, int] = {}
    for terms in spoken_for:
        for word in terms:
            counts[word] = counts.get(word, 0) + 1
    index: dict[str, list[list[Any]]] = {}
    for number, terms in enumerate(spoken_for):
        for word, (weight, kind) in terms.items():
            index.setdefault(word, []).append([number, round(weight * _rarity(counts[word], len(skills)), 2), kind])
    rows = [{"name": one.name, "path": one.path, "root": one.root, "own": one.is_own, "sum": one.sum} for one in skills]
    return {"skills": rows, "terms": index, **_sayings(skills, common)}


class _Common:
    """Words that say little, in any form."""

    def __init__(self) -> None:
        self.singles = {single(word) for word in COMMON.split()}
        self.stems = {stem(word) for word in COMMON.split()}

    def __contains__(self, word: str) -> bool:
        one = single(word)
        return one in self.singles or (not one.endswith("e") and stem(word) in self.stems)


def _rarity(count: int, skills: int) -> float:
    """1 for a word of a single skill, less for a word of many skills."""
    from math import log

    return log(1 + skills / count) / log(1 + skills)


def _terms(skill: Skill, common: _Common) -> "dict[str, Term]":
    """Each word with its strongest source: the description, pairs of its words, the name, a keyword."""
    terms: dict[str, Term] = {}
    before = ""
    for word in _described(skill.description):
        if word:
            terms[stem(word)] = (SUPPORT, SUPPORTS) if word in common else (WORD, TELLS)
        if word and before:
            is_plain = word in common and before in common
            terms[f"{stem(before)} {stem(word)}"] = (SUPPORT if is_plain else WORD, SUPPORTS)
        before = word
    for name in skill.names:
        parts = [word for word in _parts(name) if not listed(word, STOP)]
        telling = [word for word in parts if word not in common]
        for word in parts:
            terms[stem(word)] = (NAME / len(telling) ** SHARE, STRONG) if word in telling else (WORD, SUPPORTS)
    for text in (*skill.names, *skill.keywords):
        word = "".join(_parts(text))  # people join words: pull-request, pullrequest
        is_named = text in skill.keywords or word != text
        if is_named and word and word not in common and not listed(word, STOP):
            terms[stem(word)] = (KEYWORD, STRONG)
    return terms


def _described(text: str) -> list[str]:
    """The words of a description; each sentence ends at a "not", as in `do not use it for slides`.

    An empty string replaces each stop word, so that only neighbouring words form a pair.
    """
    words: list[str] = []
    for mark in '/"`':
        text = text.replace(mark, " ")
    for sentence in text.replace("\n", ". ").split(". "):
        for form in dict.fromkeys((sentence, sentence.replace("-", " "))):
            for word in spoken(form):
                if listed(word, FORBIDS) or word.endswith("n't"):
                    break
                words.append("" if word in (END, THING) or listed(word, STOP) else word)
            words.append("")
    return words


def _parts(text: str) -> list[str]:
    plain = "".join(char if char.isalnum() else " " for char in text.lower().replace("'s", " "))
    return plain.split()


def _sayings(skills: list[Skill], common: _Common) -> "Index":
    """Phrases by first word; keywords that are not words; words checked for typing mistakes; forms of strong words."""
    phrases: dict[str, list[list[Any]]] = {}
    odd: list[list[Any]] = []
    near: dict[str, str] = {}
    strong: dict[str, list[str]] = {}
    for number, skill in enumerate(skills):
        for phrase in _phrases(skill, common):
            phrases.setdefault(phrase[0], []).append([phrase, number])
        odd += [[text.lower(), number] for text in skill.keywords if not words(text) or THING in words(text)]
        for text in (*skill.names, *skill.keywords):
            parts = _parts(text)
            for word in (*parts, "".join(parts)):
                strong.setdefault(stem(word), []).append(single(word))
            near |= {word: stem(word) for word in parts if word not in common and not listed(word, STOP)}
    return {"phrases": phrases, "odd": odd, "near": near, "strong": strong}


def _phrases(skill: Skill, common: _Common) -> list[list[str]]:
    """Names and keywords of several words, and `pdf skill`; phrases of common words (`fix this`) are left out."""
    phrases = [[*_parts(name), "skill"] for name in skill.names]
    for text in (*skill.names, *skill.keywords):
        content = [word for word in _parts(text) if not listed(word, STOP)]
        if len(content) > 1 or any(word not in common for word in content):
            phrases += [_parts(text), words(text)]
    phrases = [phrase for phrase in phrases if len(phrase) > 1 and END not in phrase and THING not in phrase]
    return [[*phrase] for phrase in dict.fromkeys(tuple(map(stem, phrase)) for phrase in phrases)]
