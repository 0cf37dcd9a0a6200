"""Tells the agent about uncommitted changes, in git's words, once for each diff."""

from hookkit.model import Decision
from hookkit.system import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.work.gates.answer import GateState

DIFFS = 1_000  # different diffs of a session
NAMES = 10
CLEAN = ("!!", "##")
NUDGE = "There are changes that are not committed:\n{stat}\nCommit them if they are done, or say why not."


def run(state: "GateState") -> Decision | None:
    event, settings = state.event, state.settings
    if settings.values.get("gate.commit") is not True:
        return None
    status, _ = git.full_status(event.cwd, settings.environ)
    changed = [entry for entry in status if entry[:2] not in CLEAN]
    if not changed:
        return None
    new = [entry[3:] for entry in changed if entry[:2] == "??"]
    stat = git.diff_stat(event.cwd, settings.environ) or "\n".join(f" {entry}" for entry in changed[:NAMES])
    if new and not all(entry.startswith("??") for entry in changed):
        stat += f"\n new: {', '.join(new[:NAMES])}" + (f" and {len(new) - NAMES} more" if len(new) > NAMES else "")
    decision = state.hold("commit", DIFFS, NUDGE.format(stat=stat), "")
    return decision if decision.verdict else None
