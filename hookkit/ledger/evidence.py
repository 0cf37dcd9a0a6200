"""An event as a row of the ledger: every text is masked first, then cut to the space left in the row."""

import time

from hookkit.ledger import places
from hookkit.model import Event, combine
from hookkit.system import jsons, masking
from hookkit.system.masking import MASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings


BYTES = 40_000  # of all texts of a row together
SEARCHED = 200_000  # characters of an event to search for secrets, including texts cut away later
LONGEST = 4_000  # characters of a text
ITEMS = 50  # of a list
DEEP = 6  # levels of nesting
SMALL = 24  # bytes charged for a number with its key
BIGGEST = 1e18
LABELS = ("name", "key", "field", "element", "label", "header", "type", "selector")  # keys whose value names a field
HOLDING = frozenset("value values text".split())  # keys with the value of a labelled field


class Allowance:
    """The space left in a row: the first texts are kept whole, later ones are cut."""

    def __init__(self, size: int = BYTES) -> None:
        self.left = size
        self.searched = 0

    def text(self, text: str, limit: int = LONGEST) -> str:
        """Masked before the cut: half a secret is not recognised."""
        if self.searched > SEARCHED:
            return "…"
        self.searched += min(len(text), limit + masking.WIDE)
        cut, whole = masking.cut(text, limit)
        cost = len(jsons.dumps(cut))
        if cost > self.left:
            cut, whole = cut[: max(0, self.left // 12)], False
            cost = len(jsons.dumps(cut))
        self.left -= cost
        return cut if whole else f"{cut}…"

    def value(self, value: "Any", key: str = "") -> "Any":
        """Any JSON value. Below a key like `password` every value is masked."""
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
            return None  # NaN, infinity, or too large for SQLite
        return value if value is None or isinstance(value, (bool, int, float)) else "…"

    def _list(self, value: "list[Any]", weight: str, depth: int) -> "list[Any]":
        """Items are also searched together: they may be lines of a text or words of a command."""
        secrets: list[str] = []
        if len(value) > 1 and all(isinstance(item, str) for item in value) and self.searched <= SEARCHED:
            lines = "\n".join(value)[: LONGEST + masking.WIDE]
            self.searched += 2 * len(lines)
            secrets = masking.secrets(lines) + masking.secrets(lines.replace("\n", " "))
        values = [self._value(item, weight, depth) for item in value if self.left > 0]
        return [without(secrets, item) for item in values] if secrets else values

    def _object(self, value: "dict[str, Any]", weight: str, depth: int) -> "dict[str, Any]":
        """A key like `password` hides all values below; a label as in {"name": "password"} hides its `value`."""
        is_labelled = not HOLDING.isdisjoint(value) and any(masking.is_label(value.get(name)) for name in LABELS)
        fields = {}
        for name, item in list(value.items())[:ITEMS]:
            if self.left <= 0:
                break
            under = "all" if weight == "all" or (is_labelled and name in HOLDING) else masking.weight(name) or weight
            fields[self.text(name, 100)] = self._value(item, under, depth)
        return fields


def without(secrets: list[str], text: str) -> str:
    for secret in secrets[:ITEMS]:
        text = text.replace(secret, MASK)
    return text


def _is_secret(weight: str, value: object) -> bool:
    from hookkit.system.masking import keys

    return not isinstance(value, (dict, list)) and keys.is_secret(weight, value)


# -- a row -------------------------------------------------------------------------------------------------------------


DEFAULTS = {"enabled": True, "content": True, "output": 2_000, "sync": True, "days": 30, "megabytes": 200}
FORMAT = 2  # version of the row's fields
# Fields of every event, and fields with another name in the row.
COMMON = frozenset(
    "session_id transcript_path cwd hook_event_name prompt_id permission_mode effort tool_name tool_input tool_use_id"
    " tool_response duration_ms error agent_type agent_id tool_calls permission_suggestions".split()
)


def row(event: Event, settings: "Settings") -> "dict[str, Any]":
    """Fields of every event, then the fields of this kind of event; empty fields are left out."""
    allowance = Allowance()
    facts: dict[str, Any] = {
        "v": FORMAT,
        "at": event.at or time.time_ns() // 1_000_000,
        "event": event.name,
        "session": event.session_id[:200],
        "call": event.text("tool_use_id")[:200],
        "tool": event.tool_name[:200],
        "actor": event.actor(settings.environ, settings.values.get("policy.actor", ""))[:200],
        "agent": event.text("agent_id")[:200],
        "client": event.agent if event.agent != "claude" else "",
        "effort": event.effort[:200],
        "project": allowance.text(event.project, PATH),
        "cwd": allowance.text(event.cwd, PATH),
        "mode": event.text("permission_mode")[:100],
        **_answered(event, settings, allowance),
    }
    if event.name == "PermissionRequest" and not event.is_attended(settings.environ):
        facts["unattended"] = True  # nobody saw the dialog
    if event.tool_name:
        facts |= _tool_call(event, settings, allowance)
    if event.handled:
        facts["handlers"] = allowance.value(event.handled)
    facts |= {"more": more} if (more := _rest(event, allowance)) else {}
    return {name: value for name, value in facts.items() if value not in ("", None, [], {})}


def _answered(event: Event, settings: "Settings", allowance: Allowance) -> "dict[str, Any]":
    """The verdict, its hook and rule, and the time of each hook. `hookkit record` alone asks the rules itself."""
    if event.answers is None:
        decision = _judged(event, settings)
        return {
            "verdict": decision.verdict,
            "rule": decision.rule[:200],
            "reason": allowance.text(without(command_secrets(event), decision.reason)),
        }
    answers = [answer for answer in event.answers if answer.decision is not None]
    final = combine([answer.decision for answer in answers if answer.decision is not None])
    by = next((answer.hook for answer in answers if answer.decision and answer.decision.verdict == final.verdict), "")
    return {
        "verdict": final.verdict,
        "hook": by if final.verdict else "",
        "rule": final.rule[:200],
        "reason": allowance.text(without(command_secrets(event), final.reason)) if final.verdict else "",
        "changed": allowance.value(hidden(final.updated_input)) if final.updated_input is not None else None,
        "stopped": final.permit if final.verdict in ("deny", "ask") else "",
        "took": {answer.hook: round(answer.ms, 2) for answer in event.answers},
        "failed": [answer.hook for answer in event.answers if answer.problem is not None],
    }


def _judged(event: Event, settings: "Settings") -> "Any":
    from hookkit.model import Decision

    if event.name not in ("PreToolUse", "PermissionRequest") or not event.tool_name:
        return Decision()
    if event.command and settings.is_quiet(event.command, event.cwd):
        return Decision()
    from hookkit.policy.judge import Judge

    return Judge(settings.policy, settings.environ).answer(event) or Decision()


def _rest(event: Event, allowance: Allowance) -> "dict[str, Any]":
    """The event's own fields: a prompt, a reason, a task's name."""
    some = [(name, value) for name, value in event.fields.items() if name not in COMMON][:ITEMS]
    return {allowance.text(name, 100): allowance.value(value, name) for name, value in some}


def setting(settings: "Settings", name: str) -> "Any":
    """A setting of the ledger, read without loading the table of all settings: every call needs it."""
    return settings.values.get(f"ledger.{name}", DEFAULTS[name])


# -- a tool call: input and side effects before, result and changes after ----------------------------------------------


def file_diff(event: Event) -> str:
    """The client's own patch, or the old and new text of the tool's input; empty for tools without file changes."""
    response = event.fields.get("tool_response")
    patch = response.get("structuredPatch") if isinstance(response, dict) else None
    if isinstance(patch, list) and patch:
        return "\n".join(_hunk(hunk) for hunk in patch if isinstance(hunk, dict))
    if isinstance(response, dict) and response.get("type") == "create":
        return _lines("+", event.tool_input.get("content"))
    edits = event.tool_input.get("edits")
    rows = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else [event.tool_input]
    return "\n".join(_edit(edit) for edit in rows if "new_string" in edit)


def _hunk(hunk: "dict[str, Any]") -> str:
    before, after = (f"{hunk.get(f'{side}Start')},{hunk.get(f'{side}Lines')}" for side in ("old", "new"))
    lines = hunk.get("lines")
    body = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
    return "\n".join([f"@@ -{before} +{after} @@", *body])


def _edit(edit: "dict[str, Any]") -> str:
    return "\n".join(part for part in (_lines("-", edit.get("old_string")), _lines("+", edit["new_string"])) if part)


def _lines(sign: str, text: object) -> str:
    return "\n".join(f"{sign}{line}" for line in text.splitlines()) if isinstance(text, str) else ""


DIFF = 8_000  # characters
# Words of command lines with file changes but without a rule.
LEAVING = ("unzip", "tar ", "truncate", "gunzip", "python -c", "python3 -c", "node -e", "ruby -e", "perl -e", "php -r")
OUTPUT = 2_000  # characters of stdout, and as many of stderr
PATH = 1_000  # characters
PATHS = ("file_path", "notebook_path", "path")
# Fields of file tools that never hold file content.
BESIDE = frozenset({*PATHS, *"pattern glob output_mode command description mode type cell_type edit_mode".split()})
FAILED = "PostToolUseFailure"


def _tool_call(event: Event, settings: "Settings", allowance: Allowance) -> "dict[str, Any]":
    """Input and side effects of a request; duration, result, diff and output of an outcome."""
    path = _path(event.tool_input)
    facts: dict[str, Any] = {"path": allowance.text(path, PATH), "same": _same(event, settings.environ)}
    if event.name in ("PreToolUse", "PermissionRequest", "PermissionDenied"):
        facts["input"] = allowance.value(hidden(event.tool_input))
        if event.command and event.name == "PreToolUse":
            facts["effects"] = allowance.value(_effects(event, settings))
        return facts
    facts["ms"] = allowance.value(event.fields.get("duration_ms"))
    facts["outcome"] = "failed" if event.name == FAILED else "done"
    facts["error"] = allowance.text(event.text("error"))
    if settings.values.get("ledger.content", True):
        facts["diff"] = allowance.text(_content(file_diff(event), path), DIFF)
    return facts | _outputs(event, settings, allowance, path)


def _outputs(event: Event, settings: "Settings", allowance: Allowance, path: str) -> "dict[str, Any]":
    """Stdout and stderr of a command. Other outputs, like a file's content, only if the setting asks for them."""
    response = event.fields.get("tool_response")
    wanted = settings.values.get("ledger.output")
    stderr = response.get("stderr") if isinstance(response, dict) else None
    if wanted == 0 or (wanted is None and not event.command and not _streams(response)):
        return {}
    limit = OUTPUT if wanted is None else wanted
    return {
        "output": allowance.text(_without_secret_files(event, path, _output(response)), limit),
        "stderr": allowance.text(_without_secret_files(event, path, stderr), limit) if isinstance(stderr, str) else "",
    }


def _same(event: Event, environ: dict[str, str]) -> str:
    """Identifies a call by its input: a PermissionRequest has no id of the call."""
    text = repr((event.tool_name, event.tool_input)).encode("utf-8", "surrogatepass")
    return places.keyed(environ, text)[:16]


def _path(tool_input: "dict[str, Any]") -> str:
    return next((str(tool_input[name]) for name in PATHS if isinstance(tool_input.get(name), str)), "")


def hidden(tool_input: "dict[str, Any]") -> "dict[str, Any]":
    """The input with the content of secret files masked: environment files, keys, credentials."""
    path = _path(tool_input)
    return {key: value if key in BESIDE else _content(value, path) for key, value in tool_input.items()}


def _content(value: "Any", path: str) -> "Any":
    if not path:
        return value
    from hookkit.system.masking import secret_files

    kind = secret_files.kind(path)
    return secret_files.content(value, kind) if kind else value


def _without_secret_files(event: Event, path: str, text: str) -> str:
    """The output without the content of secret files named in the command."""
    if path or not event.command:
        return str(_content(text, path))
    lower = event.command.lower()
    if not text or not any(name in lower for name in masking.WRITTEN):
        return text
    from hookkit.system.masking import secret_files

    return secret_files.shown(text, secret_files.read(event.command))


def _effects(event: Event, settings: "Settings") -> list[list[str]]:
    """Side effects of a command line on files; quiet command lines are not parsed."""
    if settings.is_quiet(event.command, event.cwd) and not any(word in event.command for word in LEAVING):
        return []
    from hookkit.ledger import side_effects
    from hookkit.policy import judge

    traces = side_effects.traces_of(judge.Judge(settings.policy, settings.environ).call(event))[:ITEMS]
    secrets = command_secrets(event)
    return [[without(secrets, word) for word in effect] for effect in traces] if secrets else traces


def _streams(response: "Any") -> list[str]:
    """The names of a command's streams in a result."""
    named = ("stdout", "stderr") if isinstance(response, dict) else ()
    return [name for name in named if isinstance(response.get(name), str)]


def _output(response: "Any") -> str:
    if streams := _streams(response):
        return str(response["stdout"]) if "stdout" in streams else ""
    if not response:
        return ""
    try:
        return response if isinstance(response, str) else jsons.dumps(Allowance().value(response))
    except (ValueError, RecursionError):  # NaN, or nested too deep
        return ""


def command_secrets(event: Event) -> list[str]:
    """Secrets of the command line: a reason may quote them without their identifying name."""
    return masking.secrets(event.command[: LONGEST + masking.WIDE]) if event.command else []
