"""The answer of `policy.approve`: an allow with its reason, or the reason why there is none."""

from hookkit.approve.lines import Approvable
from hookkit.approve.paths import Ground, lost_by
from hookkit.approve.private import is_private
from hookkit.approve.spoiled import Spoiled
from hookkit.errors import ShellError
from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.judge import Judge
    from hookkit.settings.layers import Settings

OFF, READS, WORK = "none", "reads", "work"
# Fields without effect on the command line. Any other field may lift a sandbox or move the directory.
FIELDS = ("command", "description", "timeout", "run_in_background", "dangerouslyDisableSandbox")
READERS = {"Read": "file_path", "Grep": "path", "Glob": "path", "LS": "path", "NotebookRead": "notebook_path"}
EDITORS = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
RULE = "policy.approve"
SHOWN = 3  # names in a reason


class Approval:
    """`reason` says why the call is approved, or, with `yes` false, why not."""

    __slots__ = ("reason", "yes")

    def __init__(self, reason: str, *, yes: bool) -> None:
        self.reason = reason
        self.yes = yes


def decision(event: Event, judge: "Judge", settings: "Settings") -> Decision | None:
    """An allow for a call without a matching rule."""
    found = approval(event, judge, settings)
    if not found.yes:
        return None
    said = Decision("allow", found.reason)
    said.rule = RULE
    return said


def approval(event: Event, judge: "Judge", settings: "Settings") -> Approval:
    level = str(settings.values.get(RULE, OFF))
    if level not in (READS, WORK):
        return Approval("policy.approve is off", yes=False)
    try:
        return Approval(f"approved: {_approved(event, judge, settings, work=level == WORK)}", yes=True)
    except Spoiled as spoiled:
        return Approval(f"not approved: {spoiled}", yes=False)
    except (ShellError, OSError, ValueError) as error:  # a path the system refuses, a line beyond the budget
        return Approval(f"not approved: hookkit cannot tell what this would do: {error}", yes=False)


def _approved(event: Event, judge: "Judge", settings: "Settings", *, work: bool) -> str:
    if event.text("permission_mode") == "plan":
        raise Spoiled("the session is in plan mode")
    call = judge.call(event)
    ground = Ground(judge, call, judge.actor(event))
    if call.shell is None:
        return _tool(event, ground, settings.environ, work=work)
    if event.tool_name != "Bash":
        raise Spoiled(f"{event.tool_name} is not a tool that hookkit approves")
    other = [name for name in event.tool_input if name not in FIELDS]
    if other or event.tool_input.get("dangerouslyDisableSandbox"):
        raise Spoiled("the call asks to run without the sandbox, or in another way than usual")
    line = Approvable(ground, work=work)
    if work:
        from hookkit.approve import project  # late: only `work` runs commands of the project

        line.is_own = project.Commands(settings).is_own
    line.check(call.shell)
    _saved(line.changes, ground, settings.environ)
    return _said(line)


def _tool(event: Event, ground: Ground, environ: dict[str, str], *, work: bool) -> str:
    """Approve a tool for reading or writing a file by its name."""
    name = event.tool_name
    path = event.tool_input.get(READERS.get(name) or EDITORS.get(name, ""))
    if name in READERS and (path is None or isinstance(path, str)):
        if is_private(str(event.tool_input.get("glob") or "")):
            raise Spoiled(f"{event.tool_input['glob']} may be a secret")
        ground.read(ground.call.place.expand(path) if path else ".", event.cwd, below=name == "Grep")
        return "it only reads"
    if name in EDITORS and work and isinstance(path, str) and path:
        _saved([ground.write(ground.call.place.expand(path), event.cwd)], ground, environ)
        return f"it writes {path}, and git can bring it back"
    raise Spoiled(f"{name} is not a tool that hookkit approves")


def _saved(paths: list[str], ground: Ground, environ: dict[str, str]) -> None:
    lost = lost_by(paths, ground, environ)
    if lost:
        raise Spoiled(f"git could not bring back {lost}: it has changes that are not committed")


def _said(line: Approvable) -> str:
    if not line.changes and not line.written and not line.runs and not line.stages:
        return "it only reads" if line.read <= 1 else f"all {line.read} commands only read"
    parts = [f"{line.read} command{'s' * (line.read > 1)} only read{'s' * (line.read == 1)}"] if line.read else []
    parts += [f"it writes {_named(line.written)}, and git can bring it back"] if line.written else []
    parts += ["git add keeps a copy of the files"] if line.stages else []
    parts += [f"{_named(line.runs)} is a command of this trusted project"] if line.runs else []
    return "; ".join(parts)


def _named(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
