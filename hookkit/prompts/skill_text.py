"""Quotes a SKILL.md for the model: its path, its beginning, and the sections that the prompt is about."""

import os
import stat

from hookkit.prompts.keywords import listed
from hookkit.prompts.stems import STOP, spoken, stem
from hookkit.system import clipping, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.prompts.skills import SkillMatch

NAME = "SKILL.md"
LIMIT = 256 * 1024  # bytes of a file
LEAST = 200  # characters of the shortest useful quotation
WORDS = 5  # words of the prompt to name
FENCES = ("```", "~~~")
DEEPEST = 6  # heading
GAP = "\n\n[…]\n\n"


def read(path: str, root: str, *, is_own: bool) -> str:
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
    try:
        text = read(match.path, match.root, is_own=match.is_own)
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
    sections = _sections(text)
    asked = {stem(word) for word in spoken(prompt) if word.isalnum() and not listed(word, STOP)}
    shared = [_shared(section, asked) for section in sections]
    best = [at for at in range(1, len(sections)) if shared[at]] or [*range(1, len(sections))]
    best.sort(key=lambda at: (-shared[at], at))
    taken = {0: clipping.clip(sections[0], room // 2 if best else room, NAME)}
    for at in best:
        left = room - sum(clipping.length(piece) + len(GAP) for piece in taken.values())
        if left < LEAST:
            break
        taken[at] = clipping.clip(sections[at], left, NAME)
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
