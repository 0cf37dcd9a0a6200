"""What GitHub Copilot CLI keeps on disk: the trust of folders, its transcripts."""

import os

from hookkit.agents._disk import json_file
from hookkit.agents.transcripts import dict_in, text_in
from hookkit.agents.transcripts.past_calls import PastCall, translated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.agents._disk import Checked, Remarks

FOLDER = "session-state"
MARKS = (b'"tool.execution_start"', b'"session.start"')


def check(checked: "Checked") -> "Remarks":
    """Copilot runs hooks in a trusted folder only."""
    config = json_file(os.path.join(checked.home, "config.json"))
    trusted = config.get("trusted_folders", config.get("trustedFolders", []))
    folders = [name for name in trusted if isinstance(name, str)] if isinstance(trusted, list) else []
    project = checked.project
    if not any(f"{project}/".startswith(f"{folder.rstrip('/')}/") for folder in folders):
        message = f"GitHub Copilot CLI has no saved trust for {project}: it runs no hook there, and says nothing"
        fix = "start copilot there and trust the folder, or add --trust-folder"
        yield "trust.copilot", "warning", message, fix, checked.files[0]


def calls(entry: dict[str, object], state: dict[str, str]) -> "Iterator[PastCall]":
    data = dict_in(entry, "data")
    if entry.get("type") == "session.start":
        state["cwd"] = text_in(dict_in(data, "context"), "cwd")
        state["session"] = text_in(data, "sessionId") or state["session"]
    elif entry.get("type") == "tool.execution_start" and text_in(data, "toolName"):
        yield translated(
            "copilot", text_in(data, "toolName"), dict_in(data, "arguments"), cwd=state["cwd"],
            session=state["session"], at=text_in(entry, "timestamp"), id_=text_in(data, "toolCallId"),
        )  # fmt: skip
