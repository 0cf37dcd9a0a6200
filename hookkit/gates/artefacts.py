"""Files that a sub-agent has to leave behind: it is sent back for missing ones, twice at most."""

from hookkit.gates import file_search
from hookkit.model import Decision, Event
from hookkit.programs.words import glob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.gates.state import GateState
    from hookkit.settings.layers import Settings

RETRIES = 2


def run(event: Event, settings: "Settings", state: "GateState") -> Decision | None:
    """A stop without agent_type is not a sub-agent's: a compaction sends SubagentStop, too."""
    kind = event.text("agent_type")
    rows = [row for row in settings.values.get("gate.artefacts", ()) if kind and glob(row["agent"], kind)]
    if not rows:
        return None
    wanted = list(dict.fromkeys(name for row in rows for name in row["files"]))
    search = file_search.FileSearch(event.project)
    missing = [name for name in wanted if not search.has(name)]
    if not missing:
        return Decision(message=f"hookkit: {kind}: found {_listed(wanted)}.")
    if search.is_spent:
        return Decision(message=f"hookkit: {kind}: too many files to look for {_listed(missing)}, so it may stop.")
    notes = dict.fromkeys(row["message"] for row in rows if row.get("message"))
    retry = "\n".join([f"Retry: {_listed(missing)} is missing.", *notes])
    return _retried(kind, missing, retry, state)


def _retried(kind: str, missing: list[str], retry: str, state: "GateState") -> Decision:
    """The second request uses other words: the first ones did not help."""
    again = f"{retry}\nThis is the last time that you are asked: if it cannot be made, say why."
    gone = f"hookkit: {kind}: {_listed(missing)} is still missing after {RETRIES} retries."
    first = state.hold("artefacts", RETRIES, retry, "")
    return first if first.verdict else state.hold("artefacts", RETRIES, again, gone)


def _listed(names: "list[Any]") -> str:
    return ", ".join(names)
