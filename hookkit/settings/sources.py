"""Does everything that is configured have a live source? Parts that are set up, accepted, and could never work here.

`lacks` names what fails to protect or to run; `idle` names settings that another setting keeps without effect. What
depends on an agent (events that it does not send to hookkit, answers that it does not read) is in `wiring.events`.
"""

import os
import re

from hookkit.policy.conditions import ROOTS, parse
from hookkit.settings import layers
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from hookkit.settings.documents.finding import Element, Finding, LineIndex
    from hookkit.settings.layers import Settings

    Lack = tuple[str, str]  # what has no source, and the way out

OF_SESSIONS = ("effort", "commitment")  # facts that come from the session's effort
SWITCH = "switch sessions on: hookkit set sessions.parts +track"
VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
GATES = layers.OPTIONAL["gate"]
# Settings with an effect only beside one of the others. All settings of a section need its `enabled` as well.
NEEDS = {
    "toolchains": ("redirect.enabled",),
    "schemas": ("guard.schemas",),
    "policy.off": ("policy.base",),
    "budget.warn": ("budget.tokens", "budget.dollars"),
    "gate.check_seconds": ("gate.checks", "gate.promise"),
    "gate.promise_budget": ("gate.promise",),
    "gate.blocks": GATES,
    "nudge.skill_characters": ("nudge.skills",),
    "sessions.directive_files": ("sessions.parts",),
    "skills": layers.OPTIONAL["track"],
    "fleet.policy": ("fleet.signers",),
    "fleet.signers": ("fleet.policy",),
}
ASKING = ("hooks", "nudge.keywords", "statusline.command", "suggest_files.command")  # these need something of an agent
# Settings that work through a part of an answer that not every agent reads.
THROUGH = (
    (("shield.enabled",), "PostToolUse", "output", "lets no hook change what a tool printed"),
    (("gate.commit", "gate.checks", "gate.promise"), "Stop", "deny", "cannot be held at the end of a turn"),
    (("gate.artefacts",), "SubagentStop", "deny", "cannot hold a sub-agent at its end"),
)
OFF = ("disable_all_hooks", "allow_managed_hooks_only")  # switches of all handlers but those of the managed file
# Numbers that can be reached; another one switches off what its section has switched on.
REACHED = {
    "heartbeat.limit": (1, 10_000), "overflow.percent": (1, 100), "budget.warn": (1, 100), "gate.blocks": (1, 8),
    "gate.promise_budget": (1, 10_000), "undo.megabytes": (1, 1_000_000),
}  # fmt: skip
# Settings of one provider of models alone.
SERVERS = ("anthropic", "openai")
OF_PROVIDER = {"llm.command": ("claude",), "llm.base_url": SERVERS, "llm.key_env": SERVERS}


def lacks(settings: "Settings") -> "Iterator[Lack]":
    """What has no source, each with the way out."""
    for rule in _gates(settings):
        condition = (rule.get("config") or {}).get("condition", "")
        for root in parse(condition).roots if condition else ():
            problem = unsupplied(root, has_sessions=not settings.is_idle("track"))
            if problem:
                fix = SWITCH if root in OF_SESSIONS else "correct the name"
                yield f"approval_gate {condition!r}: {problem}", fix
    for row in settings.values.get("hooks", ()):
        names = unlisted(row["body"].get("headers"), row["body"].get("allowed_env"))
        if row["kind"] == "webhook" and names:
            yield f"webhook {row['name']!r}: {says_unlisted(names)}", how_to_list(names)
        asked = {"matcher": row["matcher"], "if": row["if"]}
        if row["kind"] != "webhook" and not row["dialect"]:  # the others reject by default
            asked |= {"on_failure": row["on_failure"], "async": row["async"]}
        for field, why, fix in of_handler(row["event"], asked):
            yield f"handler {row['name']!r}: {field} {asked[field]!r}: {why}", fix


def ask_agents(settings: "Settings") -> bool:
    """Whether a handler or a setting asks more of an agent than `init` can count on."""
    return any(settings.values.get(name) for name in (*ASKING, *(name for row in THROUGH for name in row[0])))


def idle(settings: "Settings", names: "Iterable[str]") -> "Iterator[tuple[str, str, str]]":
    """Settings among the names that have no effect: the name, why, and the way out."""
    from hookkit.settings.keys import BY_NAME  # late: gates ask for `unsupplied` alone

    for name in names:
        section = f"{name.partition('.')[0]}.enabled"
        is_part = section in BY_NAME and name != section and not name.startswith("sessions.")
        switches = NEEDS.get(name) or ((section,) if is_part else ())
        off = next((switch for switch in OFF if settings.values.get(switch)), "") if name == "hooks" else ""
        strange = _unknown_rules(settings) if name == "policy.off" else []
        least, most = REACHED.get(name, (0, 0))
        if off:
            yield name, f"{off} is true", f"set {off} = false"
        elif strange:
            yield name, f"there is no rule {', '.join(strange)}", similar_rule(strange[0])
        elif least and not least <= settings[name] <= most:
            yield name, f"{settings[name]} is never reached", f"write {least} to {most}"
        elif name in OF_PROVIDER and settings["llm.provider"] not in OF_PROVIDER[name]:
            yield name, f"llm.provider is {settings['llm.provider']}", f"set it to {' or '.join(OF_PROVIDER[name])}"
        elif name == "gate.blocks" and (settings.has("approval_gate") or settings.has("command")):
            continue
        elif switches and not any(settings.value(switch, in_run=True) for switch in switches):
            value = " = true" if BY_NAME[switches[0]].kind == "flag" else ""
            why = f"{switches[0]} is {'false' if value else 'not set'}"
            yield name, why if len(switches) == 1 else "nothing here uses it", f"set {switches[0]}{value}"


def _unknown_rules(settings: "Settings") -> list[str]:
    from hookkit.policy.rules import unknown_names  # late: it loads the shipped policy

    return unknown_names(settings["policy.off"])


def similar_rule(name: str) -> str:
    from hookkit.policy.base import RULES  # late: it loads the shipped policy

    return did_you_mean(name, [*{row["name"] for row in RULES}]) or "see: hookkit policy base"


def says_idle(name: str, why: str) -> str:
    return f"{name} has no effect: {why}"


def _gates(settings: "Settings") -> "list[Any]":
    if not settings.has("approval_gate"):
        return []  # without loading the rules
    policy = settings.policy
    return [policy["rules"][numbers[0]] for numbers in policy["extra"].get("approval_gate", ())]


def unsupplied(root: str, *, has_sessions: bool) -> str:
    """Why nothing supplies a fact of a condition, or an empty text."""
    if root not in ROOTS:
        return f"there is no fact {root!r}"
    if root in OF_SESSIONS and not has_sessions:
        return f"sessions are off, so nothing supplies {root}"
    return ""


def of_condition(path: str, element: "Element", lines: "LineIndex") -> "Iterator[Finding]":
    """Facts in the condition of an approval gate that nothing supplies: it asks for its approval every time."""
    from hookkit.settings.documents.finding import Finding  # late: gates ask for `unsupplied` alone

    for root, at in parse(str(element.value)).roots.items():
        message = unsupplied(root, has_sessions=root not in OF_SESSIONS or _has_sessions(path))
        if message:
            known = did_you_mean(root, ROOTS) or f"there are facts about {', '.join(ROOTS)}"
            fix = known if root not in ROOTS else SWITCH
            yield Finding(path, lines.inside(element, at), f"condition: {message}", fix, caret=True)


def _has_sessions(path: str) -> bool:
    """Whether sessions are on where the file counts, or in the file itself, which may not be in its place yet."""
    directory = os.path.dirname(os.path.abspath(path))
    return not layers.load(directory, dict(os.environ)).is_idle("track")


def of_handler(event: str, asked: "dict[str, Any]") -> "Iterator[tuple[str, str, str]]":
    """Fields of a handler that keep it from running, or that have no effect: the field, why, and the way out."""
    for field in ("matcher", "tool_matcher"):
        for why, fix in never_matched(event, asked.get(field) or ""):
            yield field, why, fix
    if asked.get("if"):
        from hookkit.settings.rule_rows import tool_mistake

        problem, _, fix = tool_mistake(*asked["if"].partition("(")[0].split("|")).partition(": ")
        if problem:
            yield "if", f"{problem}, so the handler never runs", fix
    if asked.get("on_failure", "continue") != "continue":
        from hookkit.events import EVENTS, PERMISSION, REQUEST, UNKNOWN

        row = EVENTS.get(event, UNKNOWN)
        if asked.get("async"):
            yield "on_failure", "an async handler answers too late to hold anything", "remove async"
        elif event in EVENTS and "deny" not in row.answers:
            yield "on_failure", f"{event} is only told: nothing can be held", "use an event before the act"
        elif event in EVENTS and asked["on_failure"] == "ask" and row.reply not in (PERMISSION, REQUEST):
            yield "on_failure", f"{event} cannot ask, so the handler's failure is passed over", 'write "reject"'


def never_matched(event: str, matcher: str) -> "Iterator[Lack]":
    """Names in a handler's matcher that its event never has."""
    from hookkit.events import EVENTS  # late: few handlers have a matcher
    from hookkit.settings.checks import client
    from hookkit.settings.documents.finding import ERROR

    if not matcher or event not in EVENTS or matcher.endswith("*") or matcher.startswith("^") or ".*" in matcher:
        return  # the start of a name, or a regular expression
    if not EVENTS[event].matcher:
        yield f"{event} has nothing to match, so the handler never runs", "remove the matcher"
    elif "," in matcher and "|" not in matcher:
        yield "a comma separates no names, so the handler never runs", f"write {re.sub(r' *, *', '|', matcher)}"
    else:
        names = "|".join(name.strip() for name in matcher.split("|"))
        yield from ((why, fix) for severity, why, fix in client.matcher_remarks(event, names) if severity == ERROR)


def unlisted(headers: object, allowed: object) -> list[str]:
    """Variables in the headers of a webhook that `allowed_env` does not list: they stay empty."""
    listed = allowed if isinstance(allowed, list) else ()
    texts: Iterable[object] = headers.values() if isinstance(headers, dict) else ()
    names = [name[1] or name[2] for text in texts for name in VARIABLE.finditer(str(text))]
    return [name for name in dict.fromkeys(names) if name not in listed]


def says_unlisted(names: list[str]) -> str:
    return f"allowed_env does not list {', '.join(names)}, so the header is sent without the value"


def how_to_list(names: list[str]) -> str:
    listed = ", ".join(f'"{name}"' for name in names)
    return f"add allowed_env = [{listed}]"
