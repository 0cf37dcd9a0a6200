"""Before a call that deletes or overwrites files of the project: a snapshot of just these files."""

from hookkit.model import Decision, Event
from hookkit.policy import quick
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("PreToolUse",)
MEGABYTE = 1 << 20
# Tools and programs that change no file, whatever their options: the line need not be analysed.
TOOLS = frozenset(
    "Read Grep Glob LS NotebookRead WebFetch WebSearch TodoWrite Agent Task AskUserQuestion Skill".split()
)
PROGRAMS = frozenset("ls cat head tail wc grep rg pwd cd echo stat du df which whoami id uname nl cut cmp true".split())

UNDONE, KEPT = "It can be undone", "The files of the project are kept"
LOST = "It cannot be undone: the snapshots of hookkit are in the repository, which it deletes."


def run(event: Event, settings: "Settings") -> Decision | None:
    """A question about the call says that the call can be undone."""
    if settings.values.get("undo.enabled") is not True or not event.tool_name or _only_reads(event):
        return None
    said = [answer.decision.verdict for answer in event.answers or () if answer.decision is not None]
    root = files.repository(event.project or event.cwd)
    from hookkit.undo import scope, snapshot, store  # late: off by default

    if "deny" in said or not store.has_repository(root):
        return None
    from hookkit.policy.judge import Judge

    found = scope.of(Judge(settings.policy, settings.environ).call(event), root, settings.environ)
    if found is None:
        return None
    made = snapshot.Snapshot(root, int(settings["undo.megabytes"]) * MEGABYTE)
    for path in [root] if found.everything else found.paths:
        made.add(path)
    decision = Decision()
    if made.has_something:  # with only new files, nothing can be lost
        id_ = made.keep(settings.environ, _about(event))
        decision.aside = f"{KEPT if found.everything else UNDONE}: hookkit undo {id_}."
    if made.left_out:
        left = f"Not kept for undo, too large for undo.megabytes: {snapshot.named(made.left_out)}."
        decision.aside, decision.message = f"{decision.aside} {left}".strip(), f"hookkit: {left}"
    if found.loses:
        decision.aside = LOST
    return decision if decision.aside else None


def _about(event: Event) -> str:
    """The call in few words; the repository is no place for the secrets of a command."""
    from hookkit.masking import mask

    path = event.tool_input.get("file_path")
    return (
        mask(event.command) if event.command else f"{event.tool_name} {path if isinstance(path, str) else ''}".strip()
    )


def _only_reads(event: Event) -> bool:
    command = event.command
    program = command.split(maxsplit=1)[:1]
    return event.tool_name in TOOLS or (
        bool(program) and program[0] in PROGRAMS and quick.PLAIN.issuperset(command.replace(" ", ""))
    )
