"""A tool call as a person types it, and the answers of hookkit's hooks to it: for `why` and `simulate`.

`why rm -rf x`, `why 'rm -rf x'`, `why Read .env`, `why --tool Read .env`, `simulate --tool Bash --args ls`.
"""

import json
import os
from shlex import quote
from typing import Annotated, Any

from hookkit.cli._command import CommandSpec, Option
from hookkit.cli._console import NOTHING, first_lines, stop
from hookkit.cli._view import Text
from hookkit.play.player import Played, Ran, Scratch, play
from hookkit.policy.pattern import RENAMED, SHELL, SUBJECTS
from hookkit.settings import inputs
from hookkit.settings.rule_rows import tool_mistake
from hookkit.system import files
from hookkit.system.error_log import describe

Actor = Annotated[str, Option(metavar="NAME", help="Who makes the call, such as agent:executor.")]


def call_from(words: list[str], tool: str) -> tuple[str, str]:
    """The tool and its argument."""
    is_named = len(words) > 1 and _is_tool(words[0])
    if not tool and words and (is_named or words[0].startswith("mcp__")):
        tool, words = words[0], words[1:]
    tool = tool or "Bash"
    return tool, _line(words) if _is_shell(tool) else " ".join(words)


def check_tools(*names: str) -> None:
    """A misspelt tool would pass as a call that no rule is about."""
    mistake = tool_mistake(*names)
    if mistake:
        stop(mistake)


def _is_tool(name: str) -> bool:
    return name in (*SUBJECTS, *RENAMED) or name.startswith("mcp__") or inputs.schema(name) is not None


def _is_shell(tool: str) -> bool:
    return SUBJECTS.get(tool, ("", ""))[1] == SHELL


def _line(words: list[str]) -> str:
    """A single word is a whole line. Of several words the shell took the quotes off: blanks get them back."""
    if len(words) == 1:
        return words[0]
    return " ".join(quote(word) if not word or any(char.isspace() for char in word) else word for word in words)


def arrange(command: CommandSpec, words: list[str]) -> list[str]:
    """The words of a command that takes a call: its own options come first, and all later words are the line.

    After a line in quotes, and after the argument of another tool, a word with a dash is an option again.
    """
    start = _start(command, words)
    own, line = words[:start], words[start:]
    if line[:1] == ["--"]:
        line = line[1:]
    elif line and _is_whole(own, line):
        end = next((number for number, word in enumerate(line) if number and word.startswith("-")), len(line))
        own, line = [*own, *line[end:]], line[:end]
    return [*own, "--", *line] if line else own


def _start(command: CommandSpec, words: list[str]) -> int:
    """The index of the first word that is neither an option nor the value of an option."""
    flags = {name for param in command.params if param.kind is bool for name in param.names}
    known = {name for param in command.params for name in param.names}
    known |= set(command.output.names) if command.output else set()
    number = 0
    while number < len(words) and words[number].startswith("-") and words[number] not in ("-", "--"):
        number += 2 if words[number] in known - flags else 1
    return number


def _is_whole(own: list[str], line: list[str]) -> bool:
    """Whether later words with a dash cannot belong to the line."""
    words = [part for word in own for part in word.split("=", 1)]
    named = words[words.index("--tool") + 1] if "--tool" in words[:-1] else ""
    tool, _ = call_from(line, named)
    return " " in line[0] or not _is_shell(tool)


# -- its answer ------------------------------------------------------------------------------------------------------


def typed(text: str) -> Any:
    """The input of a tool as a person types it: a JSON object is the whole input, other text the tool's subject."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def play_call(fields: dict[str, Any], actor: str, *, programs: bool = True, trusted: bool = False) -> Played:
    """The answer to one event; settings in the cache need no compiling, and nothing is written to it."""
    row = {"id": "simulated", "event": fields, "options": ["--actor", actor] if actor else []}
    borrows = has_snapshots()
    with Scratch(row, programs=programs, any_machine=False, borrows=borrows, trusted=trusted) as scratch:
        return next(play(row, scratch))


def has_snapshots() -> bool:
    """Whether a hook has run here before. A simulation reads the cache, and writes nothing to it."""
    state = files.state_dir(dict(os.environ))
    return bool(state) and os.path.isdir(os.path.join(state, "settings"))


def verdict_of(ran: Ran) -> str:
    if ran.problem is not None:
        return "error"
    if ran.decision is None:
        return NOTHING
    return ran.decision.verdict or ("rewrite" if ran.decision.updated_input is not None else "says")


def reasons_of(ran: Ran) -> list[Text]:
    """The hook's own words: its reason, its rewrite, its texts for the model and the person."""
    if ran.problem is not None:
        return [Text(describe(ran.problem), "red")]
    if ran.decision is None:
        return [Text("lets it pass", "dim")]
    decision = ran.decision
    changed = decision.updated_input or {}
    parts = [
        ("", decision.reason),
        *((f"{name} becomes: ", value) for name, value in changed.items() if ran.event.tool_input.get(name) != value),
        ("to the model: ", decision.context),
        ("to the person: ", decision.message),
        ("if it is asked about: ", decision.aside),
        ("ends the turn: ", decision.stop),
    ]
    return [Text.assemble((name, "dim"), first_lines(str(value))) for name, value in parts if value]


def hooks_json(played: Played) -> list[dict[str, Any]]:
    return [
        {
            "hook": ran.hook,
            "verdict": ran.decision.verdict if ran.decision else None,
            "reason": ran.decision.reason if ran.decision else "",
            "problem": describe(ran.problem) if ran.problem else None,
            "ms": round(ran.ms, 3),
        }
        for ran in played.ran
    ]
