"""The part of a row about a tool call: input and side effects before the call, result and changes after the call."""

from hookkit.ledger import places
from hookkit.ledger.allowance import ITEMS, LONGEST, Allowance, without
from hookkit.model import Event
from hookkit.system import jsons, masking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings


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


def fields(event: Event, settings: "Settings", allowance: Allowance) -> "dict[str, Any]":
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
    from hookkit.system.masking import places as secret_files

    kind = secret_files.kind(path)
    return secret_files.content(value, kind) if kind else value


def _without_secret_files(event: Event, path: str, text: str) -> str:
    """The output without the content of secret files named in the command."""
    if path or not event.command:
        return str(_content(text, path))
    lower = event.command.lower()
    if not text or not any(name in lower for name in masking.WRITTEN):
        return text
    from hookkit.system.masking import places as secret_files

    return secret_files.shown(text, secret_files.read(event.command))


def _effects(event: Event, settings: "Settings") -> list[list[str]]:
    """Side effects of a command line on files; quiet command lines are not parsed."""
    if settings.is_quiet(event.command, event.cwd) and not any(word in event.command for word in LEAVING):
        return []
    from hookkit.ledger import side_effects
    from hookkit.policy.judge import Judge

    traces = side_effects.traces_of(Judge(settings.policy, settings.environ).call(event))[:ITEMS]
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
