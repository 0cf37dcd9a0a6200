"""What `quick` looks for, worked out when the policy is compiled: programs, and texts in the names of files."""

from hookkit.policy.index import ANY, BARE, has_files, required_word
from hookkit.policy.pattern import Pattern, Stage, parse
from hookkit.policy.rules import moments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookkit.policy.index import Index
    from hookkit.policy.types import Rule

ACTIVE = ("deny", "ask", "allow", "modify", "command")  # types that decide or change a call
BY_FILE = ("git", "make", "gmake", "go", "java", "swift", "dart", "v", "nim", "kotlin")  # they run files, or have pairs
TOUCHING = ("Read", "Write", "Edit")  # deleting and sending programs always need the engine
SHORTEST = 2  # characters of a text that tells files apart


def build(rows: "list[Rule]", index: "Index", values: "dict[str, Any]") -> "dict[str, Any] | None":
    """None if a rule is about every command. Otherwise:

    - `programs`: each program with rules, and the second words of these rules, or None for any words;
    - `goals`, `own`: rules about files below `/` and `~` are about names that begin with one of these;
    - `marks`: the other rules about files are about names that hold one of these; None if a rule is about every file.
    """
    active = [row["type"] in ACTIVE and "PreToolUse" in moments(row) for row in rows]
    general = [number for shelf in (ANY, "Bash", f"Bash:{ANY}") for number in index.get(shelf, {}).get(BARE, ())]
    if any(active[number] for number in general) or values.get("policy.default", "none") != "none":
        return None
    patterns = [parse(row.get("match", ANY)) for row, counts in zip(rows, active, strict=True) if counts]
    paths = [pattern for pattern in patterns if _is_about_files(pattern)]
    arguments = dict.fromkeys(pattern.argument or "" for pattern in paths)
    goals = {_goal(argument) for argument in arguments} - {""}
    marks = {_mark(argument) for argument in arguments if not _goal(argument)}
    return {
        "programs": _programs(rows, values, with_files=has_files(index)),
        "goals": sorted(goal for goal in goals if goal[0] == "/"),
        "own": sorted(goal[1:] for goal in goals if goal[0] == "~"),
        "marks": None if "" in marks else _shortest(marks),
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
    found: list[str] = []
    for mark in sorted(marks, key=len):
        if not any(other in mark for other in found):
            found.append(mark)
    return found


def _goal(argument: str) -> str:
    """The beginning of the rule's files, if the rule tells more of it than `/` or `~`."""
    head = argument.replace("\\*", "*").partition("*")[0].casefold().rstrip("/")  # `/x/**` is about /x itself, too
    return head if head[:1] in ("/", "~") and head[:2] != "//" and len(head.strip("/~")) >= SHORTEST else ""


def _programs(rows: "list[Rule]", values: "dict[str, Any]", *, with_files: bool) -> "dict[str, list[str] | None]":
    programs: dict[str, list[str] | None] = dict.fromkeys(_followed(values, with_files=with_files))
    for first, second in _pairs(rows):
        known = programs.setdefault(first, [])
        vague = not second or "*" in second[:-1] or second == ANY
        programs[first] = None if known is None or vague else list(dict.fromkeys((*known, second)))
    return programs


def _pairs(rows: "list[Rule]") -> "Iterator[tuple[str, str]]":
    """Programs with their required second word: from rules, and from wrappers of two words."""
    from hookkit.shell.effect_rows import PAIRS
    from hookkit.shell.git import WITH_FILES
    from hookkit.shell.program_rows import SAME_COMMANDS
    from hookkit.shell.sends import SENDERS
    from hookkit.shell.wrapper_rows import WRAPPERS

    for row in rows:
        for stage in parse(row.get("match", ANY)).stages:
            yield stage.program, _second(stage)
    git = (*(f"git {word}" for word in WITH_FILES), "git -c*", "git --config-env*", "git --exec-path*")
    for name in (*WRAPPERS, *SAME_COMMANDS, *SENDERS, *PAIRS, *git):
        first, _, second = name.partition(" ")
        if second:
            yield first, second


def _second(stage: Stage) -> str:
    """A word that every command of the stage has as written; `-c` of git has no other spelling."""
    word = required_word(stage) if stage.program != "kill" else ""  # `-1` reaches the rules under another name
    return "-c*" if not word and stage.program == "git" and stage.words[1:2] == ["-c"] else word


def _followed(values: "dict[str, Any]", *, with_files: bool) -> list[str]:
    """Programs that always need the engine, with any words."""
    from hookkit.policy.quick import READERS
    from hookkit.shell.effect_rows import EFFECTS, MORE, PAIRS
    from hookkit.shell.effects import OWN
    from hookkit.shell.kinds import KIND, RUNNING
    from hookkit.shell.runners import GIT_FILES
    from hookkit.shell.sends import SENDERS
    from hookkit.shell.wrapper_rows import WRAPPERS

    wrappers = [name for name in WRAPPERS if " " not in name and name not in READERS]
    wrappers += [row["name"] for row in values.get("wrappers", [])]
    running = [name for name, kind in KIND.items() if kind not in ("builtins", "directories") and name not in BY_FILE]
    senders = [name for name in SENDERS if " " not in name]
    paired = {pair.partition(" ")[0] for pair in PAIRS} | {"nerdctl", "oc"}
    own_ways = [name for name in MORE if name not in paired]
    touching = (*EFFECTS, *OWN, *senders, *own_ways) if with_files else ()
    running += [f"git-{name}" for name in GIT_FILES]
    return [name for name in (*running, *RUNNING, *touching) if name not in READERS] + wrappers
