"""Links an outcome to the earlier rows of its call, found at the end of the session's journals."""

from hookkit.ledger import evidence, journal, places
from hookkit.ledger.evidence import Allowance
from hookkit.model import Event
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


INPUT = 10_000  # bytes of an input beside the other texts of a row
STOPPED = ("deny", "ask", "defer")


def links_of(row: "dict[str, Any]", event: Event, environ: dict[str, str]) -> "dict[str, Any]":
    """Who approved this call, from the rows of its request and of the dialog; and the time since the request."""
    session = event.session_id or journal.NOBODY
    call = row.get("call", "")
    paths = places.likely(environ, session)  # nearly always all rows of the call are in the same file
    request, at = _last(paths, call, "PreToolUse", lambda earlier: earlier.get("call") == call)
    if request is None:
        others = [path for path in places.paths(environ, session) if path not in paths]
        request, at = _last(others, call, "PreToolUse", lambda earlier: earlier.get("call") == call)
        paths = [*paths, *others]
    # The dialog shows a call before or after its rewrite.
    sums = {row.get("same"), (request or {}).get("same")} - {None}
    after = at if len(paths) == 1 else 0  # in one file the dialog comes after the request
    dialog, _ = _last(paths, "PermissionRequest", "PermissionRequest", lambda links: links.get("same") in sums, after)
    asked = _at(request)
    if request is not None and _at(dialog) < asked:
        dialog = None
    approved = approval(request, dialog, event.text("permission_mode")[:100])
    waited = row["at"] - asked if asked else None
    links = {name: value for name, value in (("approved", approved), ("waited", waited)) if value not in ("", None)}
    if request is None:  # hookkit did not hear of the request: then the outcome alone can tell what ran
        links["input"] = Allowance(INPUT).value(evidence.hidden(event.tool_input))
    return links


def _last(
    paths: list[str], needle: str, name: str, is_it: "Callable[[dict[str, Any]], bool]", after: int = 0
) -> "tuple[dict[str, Any] | None, int]":
    """The latest matching row of an event, and its place in its file."""
    for path in paths if needle else ():
        for at, row in journal.back(path, needle.encode(), after):
            if row.get("event") == name and is_it(row):
                return row, at
    return None, 0


def _at(row: "dict[str, Any] | None") -> int:
    at = row.get("at") if row is not None else 0
    return at if isinstance(at, int) else 0


def approval(request: "dict[str, Any] | None", dialog: "dict[str, Any] | None", mode: str) -> str:
    """Who approved an executed call: a rule, a hook, the person at the dialog, or the client's mode."""
    for question in (request, dialog):
        if question is not None and question.get("verdict") == "allow":
            return f"rule {question['rule']}" if question.get("rule") else f"hook {question.get('hook', '')}".strip()
    if dialog is not None:
        return "person"
    return f"mode {mode}" if mode else ""


def repeated(row: "dict[str, Any]", environ: dict[str, str]) -> "dict[str, Any]":
    """The number of an earlier row of the session with the same side effect, unless the earlier call was stopped."""
    paths = places.likely(environ, row.get("session") or journal.NOBODY)
    for effect in row["effects"]:
        needle = jsons.dumps(effect).encode()
        for path in paths:
            for _, earlier in journal.back(path, needle):
                if earlier.get("event") == "PreToolUse" and earlier.get("verdict") not in STOPPED:
                    return {"repeats": earlier["n"]}
    return {}
