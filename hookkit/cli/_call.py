"""A tool call or an event as a person types it, and the answer of hookkit to it.

`why rm -rf x`, `why 'rm -rf x'`, `why Read .env`, `why --tool Read .env`, `simulate --tool Bash --args ls`.
"""

import json
import os
import sys
from shlex import quote
from typing import Annotated, Any

from hookkit import events, play
from hookkit.cli._command import CommandSpec, Option
from hookkit.cli._console import NOTHING, first_lines, short, stop, verdict
from hookkit.cli._here import Here
from hookkit.cli._view import Table, Text, Wide
from hookkit.errors import HookkitError
from hookkit.policy.match import NO, UNSURE, Result
from hookkit.policy.pattern import RENAMED, SHELL, SUBJECTS
from hookkit.settings import reading, tool_names
from hookkit.settings.inputs import tool_schemas
from hookkit.system import files
from hookkit.system.error_log import describe
from hookkit.system.suggestions import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.cli._view import View
    from hookkit.policy.types import Rule


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
    mistake = tool_names.mistake(*names)
    if mistake:
        stop(mistake)


def _is_tool(name: str) -> bool:
    return name in (*SUBJECTS, *RENAMED) or name.startswith("mcp__") or tool_schemas.schema(name) is not None


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


# -- events ----------------------------------------------------------------------------------------------------------


def typed(text: str) -> Any:
    """The input of a tool as a person types it: a JSON object is the whole input, other text the tool's subject."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def fields_of(event: str, tool: str, args: str | None) -> dict[str, Any]:
    """The event as an agent would send it, from a name or a file, with the tool and its input put in."""
    fields: dict[str, Any] = {"hook_event_name": event} if event in events.EVENTS else _read(event)
    tool = tool or str(fields.get("tool_name", ""))
    value = typed(args) if args is not None else {}
    if not tool:
        fields.update(value if isinstance(value, dict) else {"prompt": value})
    else:
        fields["tool_name"] = tool
        if args is not None:
            fields["tool_input"] = play.input_of(tool, value)
        elif "tool_input" not in fields and play.has_subject(tool):
            stop(f"--tool {tool} needs --args: text, or the whole input as JSON")
    if events.EVENTS.get(str(fields.get("hook_event_name")), events.UNKNOWN).matcher == "tool_name" and not tool:
        stop("this event is about a tool: give --tool and --args")
    if not os.path.isdir(str(fields.get("cwd", "."))):
        del fields["cwd"]  # recorded on another machine: play the event in the working directory
    return fields


def _read(path: str) -> dict[str, Any]:
    try:
        text = sys.stdin.read() if path == "-" else reading.text_of(path)
        value = json.loads(text)
    except HookkitError as error:
        close = closest(path, [*events.EVENTS], 0.6)
        stop(f"{error}. Did you mean {close}?" if close else error)
    except (ValueError, RecursionError) as error:
        stop(f"{path}: not JSON: {error}")
    if not isinstance(value, dict):
        stop(f"{path}: an event is a JSON object")
    return value


def play_call(fields: dict[str, Any], actor: str, *, programs: bool = True, trusted: bool = False) -> play.Played:
    """The answer to one event; settings in the cache need no compiling, and nothing is written to it."""
    row = {"id": "simulated", "event": fields, "options": ["--actor", actor] if actor else []}
    borrows = has_snapshots()
    with play.Scratch(row, programs=programs, any_machine=False, borrows=borrows, trusted=trusted) as scratch:
        return next(play.play(row, scratch))


def has_snapshots() -> bool:
    """Whether a hook has run here before. A simulation reads the cache, and writes nothing to it."""
    state = files.state_dir(dict(os.environ))
    return bool(state) and os.path.isdir(os.path.join(state, "settings"))


# -- for a person ----------------------------------------------------------------------------------------------------


def view(played: play.Played, here: Here) -> "list[View]":
    event = played.event
    who = played.judge.actor(event) if played.judge else ""
    head = Text.assemble((f"{event.name}  {event.tool_name}".strip(), "bold"), (f"  {who}" if who else "", "dim"))
    tool_input = json.dumps(event.tool_input, ensure_ascii=False) if event.tool_name else ""
    asked = event.command or event.prompt or tool_input
    parts: list[View] = [head, *([Text(first_lines(asked))] if asked else []), ""]
    parts.append(_hooks(played, here) if played.ran else Text("No hook answers this event.", "dim"))
    if not any(ran.hook == "guard" for ran in played.ran):
        parts += [_rule(rule, result, here) for rule, result in _about(played.trace)]
    parts += here.warnings()
    parts += [Text(describe(problem), "red") for problem in played.problems]
    return [*parts, "", *_reply(played)]


def _about(trace: list[tuple["Rule", Result]]) -> list[tuple["Rule", Result]]:
    return [(rule, result) for rule, result in trace if result.yes != NO]


def _hooks(played: play.Played, here: Here) -> Table:
    rows = Table("hook", "verdict", "time", "why", right=("time",), whole=("hook", "verdict", "time"))
    for number, ran in enumerate(played.ran):
        is_again = any(before.hook == ran.hook for before in played.ran[:number])
        lines = [Text("judged as rewritten", "dim")] if is_again else []
        lines += reasons_of(ran)
        trace = play.trace(ran.event, played.judge) if ran.hook == "guard" and played.judge else []
        lines += [_rule(rule, result, here) for rule, result in _about(trace)]
        rows.add(ran.hook, verdict(verdict_of(ran)), f"{ran.ms:.2f} ms", Text("\n").join(lines))
    return rows


def verdict_of(ran: play.Ran) -> str:
    if ran.problem is not None:
        return "error"
    if ran.decision is None:
        return NOTHING
    return ran.decision.verdict or ("rewrite" if ran.decision.updated_input is not None else "says")


def reasons_of(ran: play.Ran) -> list[Text]:
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


def _rule(rule: "Rule", result: Result, here: Here) -> Text:
    doubt = f": cannot tell, {short(result.why)}" if result.yes == UNSURE else ""
    return Text.assemble(("↳ ", "dim"), verdict(rule["type"]), " ", here.rule(rule), (doubt, "yellow"))


def _reply(played: play.Played) -> "list[View]":
    if played.raw is None:
        return [Text("The agent gets no reply, and continues.", "dim")]
    text = played.raw if isinstance(played.raw, str) else json.dumps(played.raw, indent=2, ensure_ascii=False)
    return [Text("The agent gets", "dim"), Wide(text)]


# -- for programs ----------------------------------------------------------------------------------------------------


def as_json(played: play.Played, here: Here) -> dict[str, Any]:
    rules = [
        {**here.rule_row(rule), "result": "unsure" if result.yes == UNSURE else "match"}
        for rule, result in _about(played.trace)
    ]
    return {"event": played.event.fields, "hooks": hooks_json(played), "rules": rules, "reply": played.raw}


def hooks_json(played: play.Played) -> list[dict[str, Any]]:
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
