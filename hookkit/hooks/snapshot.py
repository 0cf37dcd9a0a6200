"""Before a call that deletes or overwrites files: a snapshot of just these files. On by default."""

from hookkit.model import Decision, Event
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings
    from hookkit.verdicts.undo import Scope
    from hookkit.verdicts.undo.snapshot import Snapshot


EVENTS = ("PreToolUse",)
MEGABYTE = 1 << 20
RULE = "undo.enabled"
# Tools that change no file, or, like Edit, name the text that they replace: a client can take an edit back.
TOOLS = frozenset(
    "Read Grep Glob LS NotebookRead WebFetch WebSearch TodoWrite Agent Task AskUserQuestion Skill Edit MultiEdit"
    " NotebookEdit".split()
)
BUILT = frozenset("build dist out target coverage htmlcov tmp logs".split())  # beyond the limit nobody is asked


def run(event: Event, settings: "Settings") -> Decision | None:
    """A question about the call says that the call can be undone; without a question, the person is told."""
    if event.tool_name in TOOLS or not event.tool_name or settings.values.get(RULE) is False:
        return None
    if event.command and event.call is None and settings.is_quiet(event.command, event.cwd) and _has_files(settings):
        return None  # no program of the line writes a file, or rules about files would have asked for a closer look
    if "deny" in _verdicts(event):
        return None
    from hookkit.policy.judge import Judge
    from hookkit.verdicts import undo  # late: most calls change no file

    root = files.repository(event.project or event.cwd)
    touched = undo.scope_of(Judge(settings.policy, settings.environ).call(event), root, settings.environ)
    return _snapshot(event, settings, root, touched) if touched is not None else None


def _verdicts(event: Event) -> list[str | None]:
    """What the hooks before this one have said."""
    return [answer.decision.verdict for answer in event.answers or () if answer.decision is not None]


def _has_files(settings: "Settings") -> bool:
    """Whether the quick look knows programs that write: it does if any rule is about files."""
    watch = settings.watch
    return watch is not None and bool(watch["goals"])


def _snapshot(event: Event, settings: "Settings", root: str, touched: "Scope") -> Decision | None:
    from hookkit.errors import HookkitError
    from hookkit.verdicts.undo.snapshot import MOST, Snapshot, named

    made = Snapshot(root, int(settings["undo.megabytes"]) * MEGABYTE)
    made.everything = touched.everything
    for path in [made.root, *touched.paths] if touched.everything else touched.paths:
        made.add(path)
    if not made.has_something and not made.left_out:
        return None  # only new files: nothing can be lost
    decision = Decision()
    try:
        id_ = made.keep(settings.environ, _about(event)) if made.has_something else ""
    except (HookkitError, OSError) as error:
        return _question(f"hookkit cannot keep the files that this deletes or overwrites: {error}.")
    if id_:
        decision.aside = f"It can be undone: hookkit undo {id_}."
        if touched.deletes and made.count and "ask" not in _verdicts(event):
            decision.message = f"hookkit kept {made.count} file{'s' * (made.count != 1)} (hookkit undo {id_})"
    lost = _lost(made, settings) if made.left_out and not touched.everything else []
    if lost:
        why = f"more than {MOST:,} files" if made.is_full else "larger than undo.megabytes"
        return _question(
            f"hookkit cannot keep {named(lost)} ({why}), and git cannot bring it back."
            f"{' Other files are kept: hookkit undo ' + id_ + '.' if id_ else ''}"
        )
    return decision if decision.aside else None


def _question(reason: str) -> Decision:
    decision = Decision("ask", f"{reason} To switch this off: hookkit set undo.enabled false")
    decision.rule = RULE
    return decision


def _lost(made: "Snapshot", settings: "Settings") -> list[str]:
    """Files beyond the limit that neither a build makes again nor git has a copy of."""
    from hookkit.system import git

    own = [path for path in made.left_out if BUILT.isdisjoint(path.split("/"))]
    inside = [path for path in own if path[:1] != "/"]
    if own and len(inside) == len(own) and not git.unsaved(made.root, settings.environ, own[:200]):
        return []
    return own


def _about(event: Event) -> str:
    """The call in few words, without its secrets."""
    from hookkit.system.masking import mask

    path = event.tool_input.get("file_path")
    return (
        mask(event.command) if event.command else f"{event.tool_name} {path if isinstance(path, str) else ''}".strip()
    )
