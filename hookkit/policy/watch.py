"""What `quick` looks for, worked out when the policy is compiled: programs, and texts in the names of files."""

from hookkit.policy.index import ANY, BARE, has_files
from hookkit.policy.pattern import EFFECTS, Pattern, parse
from hookkit.policy.quick import READERS
from hookkit.policy.rules import moments
from hookkit.programs import catalogue
from hookkit.programs.catalogue import SHIPPED, Program
from hookkit.programs.effects import DESTROYERS, ODD, PAIRS, ROLES
from hookkit.programs.options import Stage, required_word
from hookkit.shell.follow.wrappers import is_wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from hookkit.policy.index import Index
    from hookkit.policy.rules import Rule

ACTIVE = ("deny", "ask", "allow", "modify", "command")  # types that decide or change a call
# Programs that run files, or need the engine for some of their words only.
BY_FILE = ("git", "make", "gmake", "go", "java", "swift", "dart", "v", "nim", "kotlin", "npm", "pnpm", "yarn")
TOUCHING = ("Read", "Write", "Edit")  # deleting and sending programs always need the engine
PAIRED = {pair[:end] for pair in PAIRS for end, char in enumerate(pair) if char == " "}  # what a pair begins with
SHORTEST = 2  # characters of a text that tells files apart


def build(
    rows: "list[Rule]", index: "Index", own: "Collection[str]", *, default: str = "none"
) -> "dict[str, Any] | None":
    """None if a rule is about every command. `own` are the names of a person's own programs. Otherwise:

    - `programs`: a line for each program with rules, with the second words of these rules, or `*` for any words; the
      lines by their first letter, because a hook reads texts ten times as fast as lists;
    - `goals`, `own`: rules about files below `/` and `~` are about names that begin with one of these;
    - `verbs`: words that say what any program does;
    - `marks`: the other rules about files are about names that hold one of these; None if a rule is about every file.
    """
    active = [row["type"] in ACTIVE and "PreToolUse" in moments(row) for row in rows]
    general = [number for shelf in (ANY, "Bash", f"Bash:{ANY}") for number in index.get(shelf, {}).get(BARE, ())]
    if any(active[number] for number in general) or default != "none":
        return None
    patterns = [parse(row.get("match", ANY)) for row, counts in zip(rows, active, strict=True) if counts]
    paths = [pattern for pattern in patterns if _is_about_files(pattern)]
    arguments = dict.fromkeys(pattern.argument or "" for pattern in paths)
    goals = {_goal(argument) for argument in arguments} - {""}
    marks = {_mark(argument) for argument in arguments if not _goal(argument)}
    return {
        "programs": _by_letter(_programs(rows, index, own, with_files=has_files(index))),
        "goals": sorted(goal for goal in goals if goal[0] == "/"),
        "own": sorted(goal[1:] for goal in goals if goal[0] == "~"),
        "marks": None if "" in marks else _shortest(marks),
        "verbs": sorted(DESTROYERS) if any(kind in index for kind in EFFECTS) else [],
    }


def _is_about_files(pattern: Pattern) -> bool:
    return (
        not pattern.stages
        and not pattern.field
        and "(" in pattern.source
        and any(tool in TOUCHING for tool in pattern.tools)
    )


def _mark(argument: str) -> str:
    """The longest text that the names of all files of the rule hold; empty if there is none."""
    if argument[:1] == "!":
        return ""
    pieces = argument.removeprefix("./").lstrip("~").replace("\\*", "*").split("*")
    longest = max((piece.strip("/") for piece in pieces), key=len)
    return longest.casefold() if len(longest) >= SHORTEST and longest != ".." else ""


def _shortest(marks: set[str]) -> list[str]:
    """Without the marks that hold another mark."""
    shortest: list[str] = []
    for mark in sorted(marks, key=len):
        if not any(other in mark for other in shortest):
            shortest.append(mark)
    return shortest


def _goal(argument: str) -> str:
    """The beginning of the rule's files, if the rule tells more of it than `/` or `~`."""
    head = argument.replace("\\*", "*").partition("*")[0].casefold().rstrip("/")  # `/x/**` is about /x itself, too
    return head if head[:1] in ("/", "~") and head[:2] != "//" and len(head.strip("/~")) >= SHORTEST else ""


def _programs(
    rows: "list[Rule]", index: "Index", own: "Collection[str]", *, with_files: bool
) -> "dict[str, list[str] | None]":
    programs: dict[str, list[str] | None] = dict.fromkeys(_followed(own, index, with_files=with_files))
    for first, second in _pairs(rows, index, with_files=with_files):
        known = programs.setdefault(first, [])
        vague = not second or "*" in second[:-1] or second == ANY
        programs[first] = None if known is None or vague else list(dict.fromkeys((*known, second)))
    return programs


def _by_letter(programs: "dict[str, list[str] | None]") -> dict[str, str]:
    """A word with a blank could pass for another line: a rule of an untrusted project must not hide a program."""
    shelves: dict[str, str] = {}
    for name, words in programs.items():
        if _is_word(name):  # no other name is ever quiet
            text = " ".join(words) if words is not None and all(map(_is_word, words)) else ANY
            shelves[name[:1]] = shelves.get(name[:1], "\n") + f"{name} {text}\n"
    return shelves


def _is_word(text: str) -> bool:
    return text.isprintable() and " " not in text


FILES = "files"
_words: "list[tuple[str, str, str]]" = []  # worked out once a process


def _pairs(rows: "list[Rule]", index: "Index", *, with_files: bool) -> "Iterator[tuple[str, str]]":
    """Programs with a word that asks for the engine: from rules, and from the records of programs."""
    from hookkit.shell.follow.carriers import MANAGERS
    from hookkit.shell.follow.git import WITH_FILES

    for row in rows:
        for stage in parse(row.get("match", ANY)).stages:
            yield stage.program, _second(stage)
    managers = [f"{name} pkg" for name in MANAGERS]  # `npm pkg set` writes a script
    settings = ["git -c*", "git --config-env*", "git --exec-path*"]
    for name in (*PAIRS, *managers, *settings, *(f"git {word}" for word in WITH_FILES)):
        first, _, second = name.partition(" ")
        yield first, second
    for name, kind, word in _shipped_words():
        if kind in index or not kind or (kind == FILES and with_files):
            yield name, word


def _shipped_words() -> "list[tuple[str, str, str]]":
    """Words of shipped programs that ask for the engine: always, for rules about an effect, or about files."""
    if not _words:
        for name in catalogue.names():
            record = SHIPPED.find(name) if " " not in name else None
            if record is None:
                continue
            _words.extend((name, kind, _second(stage)) for kind, stage in _stages(name, record))
            below = [word for word in record.words_of("below") if _is_followed_below(record, word)]
            _words.extend((name, "", word) for word in below)
            options = [*record.words_of("writes"), *record.words_of("reads")] if name not in READERS else []
            _words.extend((name, FILES, f"{option}*") for option in options)
    return _words


def _stages(name: str, record: Program) -> "Iterator[tuple[str, Stage]]":
    """The commands of a program with an effect beyond files, those of its sub-commands too."""
    for kind, _, patterns in record.verbs():
        yield from ((kind, Stage(f"{name} {text}")) for text in patterns)
    for word in record.words_of("below"):
        inner = SHIPPED.below(record, word)
        if inner is not None and inner.name.startswith(f"{record.name} "):
            yield from _stages(name, inner)


def _is_followed_below(record: Program, word: str) -> bool:
    """Whether a sub-command runs another program, sends data, or stands for another sub-command."""
    inner = SHIPPED.below(record, word)
    if inner is None:
        return False
    followed = is_wrapper(inner) or any(inner.has(column) for column in ("sends", "acts", "fetches"))
    return followed or any(_is_followed_below(inner, deeper) for deeper in inner.words_of("below"))


def _second(stage: Stage) -> str:
    """A word that every command of the stage has as written; `-c` of git has no other spelling."""
    word = required_word(stage) if stage.program != "kill" else ""  # `-1` reaches the rules under another name
    return "-c*" if not word and stage.program == "git" and stage.words[1:2] == ["-c"] else word


def _followed(own: "Collection[str]", index: "Index", *, with_files: bool) -> list[str]:
    """Programs that always need the engine, with any words."""
    from hookkit.shell.follow import GIT_FILES, KIND, RUNNING

    running = [name for name, kind in KIND.items() if kind not in ("builtins", "directories") and name not in BY_FILE]
    running += [*RUNNING, *(f"git-{name}" for name in GIT_FILES)]
    running += [name for name in catalogue.names() if " " not in name and _acts(name, index, with_files=with_files)]
    return [name for name in running if name not in READERS] + [name.partition(" ")[0] for name in own]


def _acts(name: str, index: "Index", *, with_files: bool) -> bool:
    record = SHIPPED.get(name)
    if (
        is_wrapper(record)
        or ("service" in record.row and "Destroy" in index)
        or any(kind in index and not patterns for kind, _, patterns in record.verbs())
    ):
        return True
    if not with_files:
        return False
    roles = {role.rstrip("*") for role in record.words_of("operands")}
    return not roles.isdisjoint(ROLES) or record.has("sends") or (name in ODD and record.name not in PAIRED)
