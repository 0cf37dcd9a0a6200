"""What Gemini CLI keeps on disk: its own rules, its transcripts."""

import json
import os

from hookkit.agents._disk import HEAD, Native
from hookkit.agents.transcripts import blocks, dict_in, text_in
from hookkit.agents.transcripts.past_calls import PastCall, translated
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = "policies/hookkit.toml"
CANNOT = "a rule of Gemini CLI is about a tool, or about the first words of a command"
DECISIONS = {"deny": ("deny", 900), "ask": ("ask_user", 800)}  # and the priority: the stricter rule wins
TOOLS = {"Bash": "run_shell_command", "WebFetch": "web_fetch", "WebSearch": "google_web_search"}
FOLDER = "tmp"
MARKS = (b"toolCalls", b'"projectHash"')
CHATS = "chats"  # the directory with transcripts of a project
LONGEST = 4096  # bytes of a path


def native_rules(rows: list[Native]) -> str:
    return HEAD.format(agent="gemini") + "".join(dict.fromkeys(map(_rule, rows)))


def is_native(row: Native) -> bool:
    return bool(row.words) or (row.argument is None and row.tool in TOOLS)


def _rule(row: Native) -> str:
    decision, priority = DECISIONS[row.type]
    prefix = f"commandPrefix = {json.dumps(' '.join(row.words), ensure_ascii=False)}\n" if row.words else ""
    return f'\n[[rule]]\ntoolName = "{TOOLS[row.tool]}"\n{prefix}decision = "{decision}"\npriority = {priority}\n'


def calls(entry: dict[str, object], state: dict[str, str]) -> "Iterator[PastCall]":
    """A transcript has lines with a message each, or in older releases is one document."""
    if "projectHash" in entry or "messages" in entry:
        state["session"] = text_in(entry, "sessionId") or state["session"]
    for message in (entry, *blocks(entry.get("messages"))):
        for used in blocks(message.get("toolCalls")):
            state["cwd"] = state["cwd"] or _project_of(state["path"])
            if text_in(used, "name"):
                yield translated(
                    "gemini", text_in(used, "name"), dict_in(used, "args"), cwd=state["cwd"], session=state["session"],
                    at=text_in(used, "timestamp") or text_in(message, "timestamp"), id_=text_in(used, "id"),
                )  # fmt: skip


def _project_of(path: str) -> str:
    """Gemini keeps the project's path in a file beside its chats."""
    chats = os.path.dirname(path)
    try:
        project = files.read(os.path.join(os.path.dirname(chats), ".project_root"), LONGEST)
    except OSError:
        return ""
    return project.decode("utf-8", "replace").strip() if os.path.basename(chats) == CHATS else ""
