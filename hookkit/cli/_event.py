"""One event, made up on the command line: what each hook says to it, and what the agent would get."""

import json
import os
import sys
from typing import Any

from rich.table import Table
from rich.text import Text

from hookkit import cases, events
from hookkit.cli._output import NOTHING, Here, console, echo_json, given, head, rule_row, short, stop, verdict
from hookkit.errors import HookkitError
from hookkit.policy.match import NO, UNSURE, Result
from hookkit.settings import reading
from hookkit.system.error_log import describe
from hookkit.system.suggestions import closest

LIMIT = 1 << 24


def fields_of(event: str, tool: str, args: str | None) -> dict[str, Any]:
    """The event as an agent would send it, from a name or a file, with the tool and its input put in."""
    fields: dict[str, Any] = {"hook_event_name": event} if event in events.EVENTS else _read(event)
    tool = tool or str(fields.get("tool_name", ""))
    value = given(args) if args is not None else {}
    if tool:
        fields["tool_name"] = tool
        if args is not None:
            fields["tool_input"] = cases.input_of(tool, value)
    else:
        fields.update(value if isinstance(value, dict) else {"prompt": value})
    if events.EVENTS.get(str(fields.get("hook_event_name")), events.UNKNOWN).matcher == "tool_name" and not tool:
        stop("this event is about a tool: give --tool and --args")
    if not os.path.isdir(str(fields.get("cwd", "."))):
        del fields["cwd"]  # recorded elsewhere: it plays where you are
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


def play(fields: dict[str, Any], actor: str) -> cases.Outcome:
    options = ["--actor", actor] if actor else []
    return next(cases.play({"id": "simulated", "event": fields, "options": options}))


# -- for a person ----------------------------------------------------------------------------------------------------


def show(outcome: cases.Outcome, here: Here) -> None:
    out = console()
    event = outcome.event
    who = outcome.judge.actor(event) if outcome.judge else ""
    out.print(Text(f"{event.name}  {event.tool_name}".strip(), "bold"), Text(f" {who}" if who else "", "dim"))
    tool_input = json.dumps(event.tool_input, ensure_ascii=False) if event.tool_name else ""
    asked = event.command or event.prompt or tool_input
    if asked:
        out.print(Text(head(asked)))
    out.print()
    out.print(_hooks(outcome, here) if outcome.ran else Text("No hook answers this event.", "dim"))
    rest = [(rule, found) for rule, found in outcome.trace if found.yes != NO] if not _has_guard(outcome) else []
    for rule, found in rest:
        out.print(_rule(rule, found, here))
    here.warn(out)
    for problem in outcome.problems:
        out.print(Text(describe(problem), "red"))
    out.print()
    _reply(outcome)


def _has_guard(outcome: cases.Outcome) -> bool:
    return any(ran.hook == "guard" for ran in outcome.ran)


def _hooks(outcome: cases.Outcome, here: Here) -> Table:
    table = Table("hook", "verdict", box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("time", justify="right")
    table.add_column("why", overflow="fold", ratio=1)
    for number, ran in enumerate(outcome.ran):
        is_again = any(before.hook == ran.hook for before in outcome.ran[:number])
        why = _why(ran)
        if is_again:
            why = Text("judged as rewritten", "dim") + (Text("\n") + why if why else Text())
        said = cases.trace(ran.event, outcome.judge) if ran.hook == "guard" and outcome.judge else []
        for rule, found in said:
            if found.yes != NO:
                why = (why + Text("\n") if why else why) + _rule(rule, found, here)
        table.add_row(ran.hook, verdict(_verdict(ran)), f"{ran.ms:.2f} ms", why)
    return table


def _verdict(ran: cases.Ran) -> str:
    if ran.problem is not None:
        return "error"
    if ran.decision is None:
        return NOTHING
    return ran.decision.verdict or ("rewrite" if ran.decision.updated_input is not None else "says")


def _why(ran: cases.Ran) -> Text:
    """What the hook itself says: its reason, its rewrite, what it tells whom."""
    if ran.problem is not None:
        return Text(describe(ran.problem), "red")
    if ran.decision is None:
        return Text("no opinion", "dim")
    said = ran.decision
    changed = said.updated_input or {}
    parts = [
        ("", said.reason),
        *((f"{name} becomes: ", value) for name, value in changed.items() if ran.event.tool_input.get(name) != value),
        ("to the model: ", said.context),
        ("to the person: ", said.message),
    ]
    lines = [Text.assemble((name, "dim"), head(str(value))) for name, value in parts if value]
    return Text("\n").join(lines)


def _rule(rule: dict[str, Any], found: Result, here: Here) -> Text:
    doubt = f": cannot tell, {short(found.why)}" if found.yes == UNSURE else ""
    return Text.assemble(("↳ ", "dim"), verdict(rule["type"]), " ", here.rule(rule), (doubt, "yellow"))


def _reply(outcome: cases.Outcome) -> None:
    out = console()
    if outcome.raw is None:
        out.print(Text("The agent gets no reply, and goes on.", "dim"))
        return
    out.print(Text("The agent gets", "dim"))
    if isinstance(outcome.raw, str):
        out.print(outcome.raw, markup=False, soft_wrap=True)
    else:
        out.print_json(data=outcome.raw, ensure_ascii=False)


# -- for programs ----------------------------------------------------------------------------------------------------


def show_json(outcome: cases.Outcome, here: Here) -> None:
    hooks = [
        {
            "hook": ran.hook,
            "verdict": ran.decision.verdict if ran.decision else None,
            "reason": ran.decision.reason if ran.decision else "",
            "problem": describe(ran.problem) if ran.problem else None,
            "ms": round(ran.ms, 3),
        }
        for ran in outcome.ran
    ]
    rules = [
        {**rule_row(rule, here), "result": "unsure" if found.yes == UNSURE else "match"}
        for rule, found in outcome.trace
        if found.yes != NO
    ]
    echo_json({"event": outcome.event.fields, "hooks": hooks, "rules": rules, "reply": outcome.raw})
