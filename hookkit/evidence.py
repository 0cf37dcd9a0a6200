"""An event as a row of the ledger: what was asked and what came of it, without its secrets and within bounds."""

import os
import time

from hookkit import jsons
from hookkit.masking import MASK, mask
from hookkit.model import Event, combine
from hookkit.state.journal import chained

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings import Settings

DEFAULTS = {"enabled": True, "content": True, "output": 0, "days": 30, "megabytes": 200}
FORMAT = 1  # of a row: readers tell by it what to expect
ROOM = 40_000  # bytes of a row's texts together
LONGEST = 4_000  # characters of one text
DIFF = 8_000
PATH = 1_000
ITEMS = 50  # of a list
DEEP = 6
SMALL = 24  # bytes that a number costs, with what is around it
BIGGEST = 1e18
# Fields that every event has, or that stand in the row under another name.
COMMON = frozenset(
    "session_id transcript_path cwd hook_event_name prompt_id permission_mode effort tool_name tool_input tool_use_id"
    " tool_response duration_ms error agent_type agent_id tool_calls permission_suggestions".split()
)
PATHS = ("file_path", "notebook_path", "path")
FAILED = "PostToolUseFailure"


class Room:
    """What is left of a row's size: the first texts get theirs, the last are cut."""

    def __init__(self, size: int = ROOM) -> None:
        self.left = size

    def text(self, text: str, limit: int = LONGEST) -> str:
        """Masked, then cut: half a secret no longer looks like one."""
        kept = mask(text[: limit * 4])
        cut = kept[:limit]
        cost = len(jsons.dumps(cut))
        if cost > self.left:
            cut = cut[: max(0, self.left // 12)]
            cost = len(jsons.dumps(cut))
        self.left -= cost
        return cut if cut == text or cut == kept == mask(text) else f"{cut}…"

    def value(self, value: "Any", key: str = "", depth: int = 0) -> "Any":
        """The same for whatever JSON holds; a text under a telling name is a secret whatever it looks like."""
        self.left -= SMALL
        if self.left <= 0:
            return "…"
        if isinstance(value, str):
            return MASK if _is_secret(key, value) else self.text(value)
        if isinstance(value, dict) and depth < DEEP:
            some = list(value.items())[:ITEMS]
            return {self.text(name, 100): self.value(item, name, depth + 1) for name, item in some if self.left > 0}
        if isinstance(value, list) and depth < DEEP:
            return [self.value(item, key, depth + 1) for item in value[:ITEMS] if self.left > 0]
        if isinstance(value, (int, float)) and not -BIGGEST < value < BIGGEST:
            return None  # no number that JSON could hold, or that fits in here
        return value if value is None or isinstance(value, (bool, int, float)) else "…"


def _is_secret(key: str, value: str) -> bool:
    """A text that its name gives away; what looks like a secret by itself is masked as any text is."""
    return bool(key and value) and "\n" not in value and _is_masked(key[-100:], value[:LONGEST])


def _is_masked(key: str, value: str) -> bool:
    said = f'{key}="{value}"'
    return mask(said) != said and mask(value) == value


def row(event: Event, settings: "Settings") -> "dict[str, Any]":
    """What is always there, then what this kind of event has to tell."""
    room = Room()
    found: dict[str, Any] = {
        "v": FORMAT,
        "at": time.time_ns() // 1_000_000,
        "event": event.name,
        "session": event.session_id[:200],
        "call": event.text("tool_use_id")[:200],
        "tool": event.tool_name[:200],
        "actor": event.actor(settings.environ, settings.values.get("policy.actor", ""))[:200],
        "agent": event.text("agent_id")[:200],
        "effort": event.effort[:200],
        "project": room.text(event.project, PATH),
        "cwd": room.text(event.cwd, PATH),
        "mode": event.text("permission_mode")[:100],
        **_answered(event, settings, room),
    }
    if event.tool_name:
        found |= _tool(event, settings, room)
    found |= {"more": more} if (more := _rest(event, room)) else {}
    return {name: value for name, value in found.items() if value not in ("", None, [], {})}


def _answered(event: Event, settings: "Settings", room: Room) -> "dict[str, Any]":
    """What hookkit said, by which hook and rule, and how long each took. Alone, the rules are asked once more."""
    if event.answers is None:
        decision = _judged(event, settings)
        return {"verdict": decision.verdict, "rule": decision.rule[:200], "reason": room.text(decision.reason)}
    said = [answer for answer in event.answers if answer.decision is not None]
    final = combine([answer.decision for answer in said if answer.decision is not None])
    by = next((answer.hook for answer in said if answer.decision and answer.decision.verdict == final.verdict), "")
    return {
        "verdict": final.verdict,
        "hook": by if final.verdict else "",
        "rule": final.rule[:200],
        "reason": room.text(final.reason) if final.verdict else "",
        "changed": room.value(final.updated_input) if final.updated_input is not None else None,
        "took": {answer.hook: round(answer.ms, 2) for answer in event.answers},
        "failed": [answer.hook for answer in event.answers if answer.problem is not None],
    }


def _judged(event: Event, settings: "Settings") -> "Any":
    from hookkit.model import Decision

    if event.name not in ("PreToolUse", "PermissionRequest") or not event.tool_name:
        return Decision()
    from hookkit.policy import quick

    if event.command and quick.is_quiet(event.command, settings.watch):
        return Decision()
    from hookkit.policy.judge import Judge

    return Judge(settings.policy, settings.environ).answer(event) or Decision()


def _tool(event: Event, settings: "Settings", room: Room) -> "dict[str, Any]":
    """The request with what it would do to files, or the outcome with what it did."""
    path = next((str(event.tool_input[name]) for name in PATHS if isinstance(event.tool_input.get(name), str)), "")
    found: dict[str, Any] = {"path": room.text(path, PATH), "same": _sum(event)}
    if event.name in ("PreToolUse", "PermissionRequest", "PermissionDenied"):
        found["input"] = room.value(_hidden(event.tool_input, path))
        if event.command and event.name == "PreToolUse":
            found["effects"] = room.value(_effects(event, settings))
        return found
    found["ms"] = room.value(event.fields.get("duration_ms"))
    found["outcome"] = "failed" if event.name == FAILED else "done"
    found["error"] = room.text(event.text("error"))
    if setting(settings, "content"):
        from hookkit import diffs

        found["diff"] = room.text(_hidden_lines(diffs.of(event), path), DIFF)
    kept = setting(settings, "output")
    if kept:
        found["output"] = room.text(_output(event.fields.get("tool_response")), kept)
    return found


def _sum(event: Event) -> str:
    """Tells whether two events are about the same call: a permission dialog has no id of one."""
    return chained("", repr((event.tool_name, event.tool_input)).encode("utf-8", "surrogatepass"))[:16]


def _is_environment(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith(".env") or name.endswith(".env")


def _hidden(tool_input: "dict[str, Any]", path: str) -> "dict[str, Any]":
    if not _is_environment(path):
        return tool_input
    return {key: _hidden_lines(item, path) if isinstance(item, str) else item for key, item in tool_input.items()}


def _hidden_lines(text: str, path: str) -> str:
    """Every value of an environment file is a secret, whatever its name."""
    if not _is_environment(path):
        return text
    lines = (line.partition("=") for line in text.split("\n"))
    return "\n".join(f"{name}={MASK}" if equals and value else name + equals for name, equals, value in lines)


def _effects(event: Event, settings: "Settings") -> list[list[str]]:
    """What a command line would do to files, if it says so: nothing is parsed for one that plainly touches none."""
    from hookkit.policy import quick

    if quick.is_quiet(event.command, settings.watch):
        return []
    from hookkit.policy import judge, traces

    return traces.of(judge.Judge(settings.policy, settings.environ).call(event))[:ITEMS]


def _output(response: "Any") -> str:
    if isinstance(response, dict) and isinstance(response.get("stdout"), str):
        return str(response["stdout"])
    try:
        return response if isinstance(response, str) else jsons.dumps(response)
    except (ValueError, RecursionError):  # a NaN, or as deep as the interpreter goes
        return ""


def _rest(event: Event, room: Room) -> "dict[str, Any]":
    """What else the event says of itself: a prompt, a reason, a task's name."""
    some = [(name, value) for name, value in event.fields.items() if name not in COMMON][:ITEMS]
    return {room.text(name, 100): room.value(value, name) for name, value in some}


def approval(request: "dict[str, Any] | None", dialog: "dict[str, Any] | None", mode: str) -> str:
    """Who let a call pass that has run: a rule, a hook, the person at the dialog, or the mode that the client is in."""
    for said in (request, dialog):
        if said is not None and said.get("verdict") == "allow":
            return f"rule {said['rule']}" if said.get("rule") else f"hook {said.get('hook', '')}".strip()
    if dialog is not None:
        return "person"
    return f"mode {mode}" if mode else ""


def setting(settings: "Settings", name: str) -> "Any":
    """A setting of the ledger's. The table of all settings is not loaded for it: this is asked on every call."""
    return settings.values.get(f"ledger.{name}", DEFAULTS[name])
