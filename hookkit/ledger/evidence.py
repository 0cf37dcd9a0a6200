"""An event as a row of the ledger: what was asked and what came of it, without its secrets and within bounds."""

import time

from hookkit import masking
from hookkit.ledger.journal import chained
from hookkit.masking import MASK
from hookkit.model import Event, combine
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings

DEFAULTS = {"enabled": True, "content": True, "output": 0, "days": 30, "megabytes": 200}
FORMAT = 1  # of a row: readers tell by it what to expect
ROOM = 40_000  # bytes of a row's texts together
LOOKED = 200_000  # characters of an event that are searched for secrets, of texts that leave little in the row too
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
# Of a tool that works on a file, what is none of its content.
BESIDE = frozenset({*PATHS, *"pattern glob output_mode command description mode type cell_type edit_mode".split()})
# What a field is called, and what stands in it.
CALLED = ("name", "key", "field", "element", "label", "header", "type", "selector")
HOLDING = frozenset("value values text".split())
FAILED = "PostToolUseFailure"


class Room:
    """What is left of a row's size: the first texts get theirs, the last are cut."""

    def __init__(self, size: int = ROOM) -> None:
        self.left = size
        self.looked = 0

    def text(self, text: str, limit: int = LONGEST) -> str:
        """Masked, then cut: half a secret no longer looks like one."""
        if self.looked > LOOKED:
            return "…"
        self.looked += min(len(text), limit + masking.WIDE)
        cut, whole = masking.cut(text, limit)
        cost = len(jsons.dumps(cut))
        if cost > self.left:
            cut, whole = cut[: max(0, self.left // 12)], False
            cost = len(jsons.dumps(cut))
        self.left -= cost
        return cut if whole else f"{cut}…"

    def value(self, value: "Any", key: str = "") -> "Any":
        """The same for whatever JSON holds; under a telling name it is a secret whatever it looks like."""
        return self._value(value, masking.weight(key), 0)

    def _value(self, value: "Any", weight: str, depth: int) -> "Any":
        self.left -= SMALL
        if self.left <= 0:
            return "…"
        if isinstance(value, dict) and depth < DEEP:
            return self._object(value, weight, depth + 1)
        if isinstance(value, list) and depth < DEEP:
            return self._list(value[:ITEMS], weight, depth + 1)
        if weight and _is_secret(weight, value):
            return MASK
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (int, float)) and not -BIGGEST < value < BIGGEST:
            return None  # no number that JSON could hold, or that fits in here
        return value if value is None or isinstance(value, (bool, int, float)) else "…"

    def _list(self, value: "list[Any]", weight: str, depth: int) -> "list[Any]":
        """Its items may be the lines of one text or the words of one command: a name is one item, its value another."""
        known: list[str] = []
        if len(value) > 1 and all(isinstance(item, str) for item in value) and self.looked <= LOOKED:
            lines = "\n".join(value)[: LONGEST + masking.WIDE]
            self.looked += 2 * len(lines)
            known = masking.secrets(lines) + masking.secrets(lines.replace("\n", " "))
        found = [self._value(item, weight, depth) for item in value if self.left > 0]
        return [_without(known, item) for item in found] if known else found

    def _object(self, value: "dict[str, Any]", weight: str, depth: int) -> "dict[str, Any]":
        """A name gives away what is below it, and what a field is called what stands beside: name, value."""
        called = not HOLDING.isdisjoint(value) and any(masking.is_label(value.get(name)) for name in CALLED)
        found = {}
        for name, item in list(value.items())[:ITEMS]:
            if self.left <= 0:
                break
            under = "all" if weight == "all" or (called and name in HOLDING) else masking.weight(name) or weight
            found[self.text(name, 100)] = self._value(item, under, depth)
        return found


def _without(secrets: list[str], text: str) -> str:
    for secret in secrets[:ITEMS]:
        text = text.replace(secret, MASK)
    return text


def _told(event: Event) -> list[str]:
    """The secrets of a command: what is said of it may quote them without what gave them away."""
    return masking.secrets(event.command[: LONGEST + masking.WIDE]) if event.command else []


def _is_secret(weight: str, value: object) -> bool:
    from hookkit.masking import keys

    return not isinstance(value, (dict, list)) and keys.is_secret(weight, value)


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
        return {
            "verdict": decision.verdict,
            "rule": decision.rule[:200],
            "reason": room.text(_without(_told(event), decision.reason)),
        }
    said = [answer for answer in event.answers if answer.decision is not None]
    final = combine([answer.decision for answer in said if answer.decision is not None])
    by = next((answer.hook for answer in said if answer.decision and answer.decision.verdict == final.verdict), "")
    return {
        "verdict": final.verdict,
        "hook": by if final.verdict else "",
        "rule": final.rule[:200],
        "reason": room.text(_without(_told(event), final.reason)) if final.verdict else "",
        "changed": room.value(_hidden(final.updated_input)) if final.updated_input is not None else None,
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
    path = _path(event.tool_input)
    found: dict[str, Any] = {"path": room.text(path, PATH), "same": _sum(event)}
    if event.name in ("PreToolUse", "PermissionRequest", "PermissionDenied"):
        found["input"] = room.value(_hidden(event.tool_input))
        if event.command and event.name == "PreToolUse":
            found["effects"] = room.value(_effects(event, settings))
        return found
    found["ms"] = room.value(event.fields.get("duration_ms"))
    found["outcome"] = "failed" if event.name == FAILED else "done"
    found["error"] = room.text(event.text("error"))
    if setting(settings, "content"):
        from hookkit.ledger import diffs

        found["diff"] = room.text(_content(diffs.of(event), path), DIFF)
    kept = setting(settings, "output")
    if kept:
        found["output"] = room.text(_shown(event, path), kept)
    return found


def _sum(event: Event) -> str:
    """Tells whether two events are about the same call: a permission dialog has no id of one."""
    return chained("", repr((event.tool_name, event.tool_input)).encode("utf-8", "surrogatepass"))[:16]


def _path(tool_input: "dict[str, Any]") -> str:
    return next((str(tool_input[name]) for name in PATHS if isinstance(tool_input.get(name), str)), "")


def _hidden(tool_input: "dict[str, Any]") -> "dict[str, Any]":
    """The content of an environment file, of a key or of whatever else holds secrets goes, whatever it looks like."""
    path = _path(tool_input)
    return {key: value if key in BESIDE else _content(value, path) for key, value in tool_input.items()}


def _content(value: "Any", path: str) -> "Any":
    if not path:
        return value
    from hookkit.masking import places

    kind = places.kind(path)
    return places.content(value, kind) if kind else value


def _shown(event: Event, path: str) -> str:
    said = _output(event.fields.get("tool_response"))
    if path or not event.command:
        return str(_content(said, path))
    from hookkit.masking import places

    return places.shown(said, places.read(event.command))


def _effects(event: Event, settings: "Settings") -> list[list[str]]:
    """What a command line would do to files, if it says so: nothing is parsed for one that plainly touches none."""
    from hookkit.policy import quick

    if quick.is_quiet(event.command, settings.watch):
        return []
    from hookkit.ledger import side_effects
    from hookkit.policy import judge

    found, told = side_effects.of(judge.Judge(settings.policy, settings.environ).call(event))[:ITEMS], _told(event)
    return [[_without(told, word) for word in trace] for trace in found] if told else found


def _output(response: "Any") -> str:
    if isinstance(response, dict) and isinstance(response.get("stdout"), str):
        return str(response["stdout"])
    try:
        return response if isinstance(response, str) else jsons.dumps(Room().value(response))
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
