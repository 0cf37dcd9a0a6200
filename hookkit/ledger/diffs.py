"""The change of a file by a tool, from the client's event."""

from hookkit.model import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def of(event: Event) -> str:
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
    said = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
    return "\n".join([f"@@ -{before} +{after} @@", *said])


def _edit(edit: "dict[str, Any]") -> str:
    return "\n".join(part for part in (_lines("-", edit.get("old_string")), _lines("+", edit["new_string"])) if part)


def _lines(sign: str, text: object) -> str:
    return "\n".join(f"{sign}{line}" for line in text.splitlines()) if isinstance(text, str) else ""
