"""One event, made up on the command line: the answer of each hook, and the reply that the agent would get."""

import json
import os
import sys
from typing import Any

from rich.table import Table

from hookkit import cases, events
from hookkit.cli._console import NOTHING, Text, console, echo_json, first_lines, short, stop, table, verdict
from hookkit.cli._here import Here
from hookkit.errors import HookkitError
from hookkit.policy.match import NO, UNSURE, Result
from hookkit.settings import reading
from hookkit.system.error_log import describe
from hookkit.system.suggestions import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Rule


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
            fields["tool_input"] = cases.input_of(tool, value)
        elif "tool_input" not in fields and cases.has_subject(tool):
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


def play(fields: dict[str, Any], actor: str, *, programs: bool = True) -> cases.Played:
    row = {"id": "simulated", "event": fields, "options": ["--actor", actor] if actor else []}
    with cases.Scratch(row, programs=programs, any_machine=False) as scratch:
        return next(cases.play(row, scratch))


# -- for a person ----------------------------------------------------------------------------------------------------


def show(played: cases.Played, here: Here) -> None:
    out = console()
    event = played.event
    who = played.judge.actor(event) if played.judge else ""
    out.print(Text(f"{event.name}  {event.tool_name}".strip(), "bold"), Text(f" {who}" if who else "", "dim"))
    tool_input = json.dumps(event.tool_input, ensure_ascii=False) if event.tool_name else ""
    asked = event.command or event.prompt or tool_input
    if asked:
        out.print(Text(first_lines(asked)))
    out.print()
    out.print(_hooks(played, here) if played.ran else Text("No hook answers this event.", "dim"))
    if not any(ran.hook == "guard" for ran in played.ran):
        for rule, found in _about(played.trace):
            out.print(_rule(rule, found, here))
    here.warn(out)
    for problem in played.problems:
        out.print(Text(describe(problem), "red"))
    out.print()
    _reply(played)


def _about(trace: list[tuple["Rule", Result]]) -> list[tuple["Rule", Result]]:
    return [(rule, found) for rule, found in trace if found.yes != NO]


def _hooks(played: cases.Played, here: Here) -> Table:
    rows = table("hook", "verdict")
    rows.add_column("time", justify="right")
    rows.add_column("why", overflow="fold", ratio=1)
    for number, ran in enumerate(played.ran):
        is_again = any(before.hook == ran.hook for before in played.ran[:number])
        lines = [Text("judged as rewritten", "dim")] if is_again else []
        lines += reasons_of(ran)
        said = cases.trace(ran.event, played.judge) if ran.hook == "guard" and played.judge else []
        lines += [_rule(rule, found, here) for rule, found in _about(said)]
        rows.add_row(ran.hook, verdict(verdict_of(ran)), f"{ran.ms:.2f} ms", Text("\n").join(lines))
    return rows


def verdict_of(ran: cases.Ran) -> str:
    if ran.problem is not None:
        return "error"
    if ran.decision is None:
        return NOTHING
    return ran.decision.verdict or ("rewrite" if ran.decision.updated_input is not None else "says")


def reasons_of(ran: cases.Ran) -> list[Text]:
    """The hook's own words: its reason, its rewrite, its texts for the model and the person."""
    if ran.problem is not None:
        return [Text(describe(ran.problem), "red")]
    if ran.decision is None:
        return [Text("lets it pass", "dim")]
    said = ran.decision
    changed = said.updated_input or {}
    parts = [
        ("", said.reason),
        *((f"{name} becomes: ", value) for name, value in changed.items() if ran.event.tool_input.get(name) != value),
        ("to the model: ", said.context),
        ("to the person: ", said.message),
        ("if it is asked about: ", said.aside),
        ("ends the turn: ", said.stop),
    ]
    return [Text.assemble((name, "dim"), first_lines(str(value))) for name, value in parts if value]


def _rule(rule: "Rule", found: Result, here: Here) -> Text:
    doubt = f": cannot tell, {short(found.why)}" if found.yes == UNSURE else ""
    return Text.assemble(("↳ ", "dim"), verdict(rule["type"]), " ", here.rule(rule), (doubt, "yellow"))


def _reply(played: cases.Played) -> None:
    out = console()
    if played.raw is None:
        out.print(Text("The agent gets no reply, and goes on.", "dim"))
        return
    out.print(Text("The agent gets", "dim"))
    if isinstance(played.raw, str):
        out.print(played.raw, soft_wrap=True)
    else:
        out.print_json(data=played.raw, ensure_ascii=False)


# -- for programs ----------------------------------------------------------------------------------------------------


def show_json(played: cases.Played, here: Here) -> None:
    rules = [
        {**here.rule_row(rule), "result": "unsure" if found.yes == UNSURE else "match"}
        for rule, found in _about(played.trace)
    ]
    echo_json({"event": played.event.fields, "hooks": hooks_json(played), "rules": rules, "reply": played.raw})


def hooks_json(played: cases.Played) -> list[dict[str, Any]]:
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
