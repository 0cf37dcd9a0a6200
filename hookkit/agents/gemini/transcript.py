"""The tool calls in a transcript of Gemini CLI: lines with a message each, or in older releases one document."""

import os

from hookkit.agents.transcripts.entries import blocks, dict_in, text_in
from hookkit.agents.transcripts.past_calls import PastCall, translated
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "tmp"
MARKS = (b"toolCalls", b'"projectHash"')
CHATS = "chats"  # the directory with transcripts of a project
LONGEST = 4096  # bytes of a path


def calls(entry: dict[str, object], state: dict[str, str]) -> "Iterator[PastCall]":
    if "projectHash" in entry or "messages" in entry:
        state["session"] = text_in(entry, "sessionId") or state["session"]
    for message in (entry, *blocks(entry.get("messages"))):
        for used in blocks(message.get("toolCalls")):
            state["cwd"] = state["cwd"] or _project_of(state["path"])
            if text_in(used, "name"):
                call = translated("gemini", text_in(used, "name"), dict_in(used, "args"), state["cwd"])
                call.session = state["session"]
                call.at = (text_in(used, "timestamp") or text_in(message, "timestamp"))[:40]
                call.id = text_in(used, "id")
                yield call


def _project_of(path: str) -> str:
    """Gemini keeps the project's path in a file beside its chats."""
    chats = os.path.dirname(path)
    try:
        project = files.read(os.path.join(os.path.dirname(chats), ".project_root"), LONGEST)
    except OSError:
        return ""
    return project.decode("utf-8", "replace").strip() if os.path.basename(chats) == CHATS else ""
