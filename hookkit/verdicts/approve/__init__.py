"""The answer of `policy.approve`: an allow with its reason, or the reason why there is none.

Approved without a question: calls that only read, and with `work` also writes git can undo. `lines` approves a command
line, `readers` a command by its record, `checks` the odd ones, `paths` knows the files a call may read and write. May
import policy, redirect, settings, system and rooms below.
"""

import os

from hookkit.errors import Changed, ShellError, Spoiled
from hookkit.model import Decision, Event
from hookkit.programs.options import Parsed, parse
from hookkit.redirect import sources
from hookkit.redirect.search import CommandSearch
from hookkit.redirect.targets import TaskFiles
from hookkit.redirect.tree import doubt
from hookkit.system import files
from hookkit.verdicts.approve.lines import Approvable
from hookkit.verdicts.approve.paths import Ground, is_private, lost_by
from hookkit.verdicts.approve.readers import known, program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.judge import Judge
    from hookkit.settings.layers import Settings
    from hookkit.shell.commands import Command


class Commands:
    """Finds commands defined by the project in trusted files."""

    def __init__(self, settings: "Settings") -> None:
        self.settings = settings

    def is_own(self, command: "Command", ground: Ground) -> bool:
        task = _task(command.words, ground)
        if task is None or command.directory is None or not ground.is_project:
            return False
        name, action, words, parsed = task
        known(name, words, parsed)
        operands = parsed.operands[len(parsed.records) :]
        _no_words_beyond(name, words, operands, parsed)
        for path in operands if parsed.record.text("operands") == "tracked*" else ():
            plain = path.partition("::")[0].removesuffix("/...")
            ground.read(plain or ".", command.directory)
            ground.write(plain, command.directory) if plain not in (".", "./", "") else None
        if not self._is_trusted(name, action, command.directory, ground):
            raise Spoiled(f"{name} is a command of the project, and the project is not trusted: hookkit trust")
        return True

    def _is_trusted(self, name: str, action: str, directory: str, ground: Ground) -> bool:
        """Whether the person trusts the present content of the nearest file with the command's definition.

        Raises where the definition is trusted, and a file that it runs has changed.
        """
        real = os.path.realpath(directory)
        if not f"{real}/".startswith(f"{ground.project}/"):
            return False
        tasks = TaskFiles()
        commands = CommandSearch(real, files.repository(real), tasks, self.settings.values.get("toolchains", ()))
        tool = name.split(maxsplit=1)[0]
        for _, defined in commands.commands(action):
            if defined.own and defined.toolchain != tool:
                continue
            if not defined.sources or not sources.are_trusted(defined.sources, self.settings.environ):
                return False
            reason = doubt(files.repository(real), self.settings.environ)
            if reason:
                raise Changed(f"{name} runs files of the project: {reason}")
            return True
        return False


def _no_words_beyond(name: str, words: list[str], operands: list[str], parsed: Parsed) -> None:
    """Words for a second program: behind `--` of cargo, or in a file `@file`, they could write any file."""
    behind = words[words.index("--") + 1 :] if "--" in words else []
    known_behind = parsed.record.words_of("behind")
    unknown = [word for word in behind if word[:1] == "-" and word.partition("=")[0] not in known_behind]
    if name == "cargo fmt":  # each of its operands is a file to write
        unknown += [word for word in operands if word not in known_behind]
    if unknown or any(word[:1] == "@" for word in operands):
        raise Spoiled(f"hookkit does not know what {(unknown or operands)[0]} does")


def _task(words: list[str], ground: Ground) -> tuple[str, str, list[str], Parsed] | None:
    """The name, the action, the words and the record of a project's own command; `python -m pytest` is pytest."""
    try:
        name = program(words[0])
    except Spoiled:
        return None
    catalogue = ground.call.catalogue
    if words[1:2] == ["-m"] and catalogue.get(name).text("language") == "python" and len(words) > 2:  # noqa: PLR2004
        words = words[2:]
    words = [words[0].rpartition("/")[2], *words[1:]]
    parsed = parse(words, catalogue)
    action = parsed.record.text("task")
    named = parsed.operands[: len(parsed.records)]
    return (" ".join(named), named[-1] if action == "*" else action, words, parsed) if action else None


OFF, READS, WORK = "none", "reads", "work"
# Fields without effect on the command line. Any other field may lift a sandbox or move the directory.
FIELDS = ("command", "description", "timeout", "run_in_background", "dangerouslyDisableSandbox")
READERS = {"Read": "file_path", "Grep": "path", "Glob": "path", "LS": "path", "NotebookRead": "notebook_path"}
EDITORS = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
SHELLS = ("Bash", "PowerShell")
RULE = "policy.approve"
MORE = ", or to change only what git can bring back"  # of a refusal at the level `work`
SHOWN = 3  # names in a reason
ASKING = ("default", "acceptEdits", "manual")  # permission modes in which the client asks a person


class Approval:
    """`reason` says why the call is approved, or, with `yes` false, why not."""

    __slots__ = ("is_changed", "reason", "yes")

    def __init__(self, reason: str, *, yes: bool, is_changed: bool = False) -> None:
        self.reason = reason
        self.yes = yes
        self.is_changed = is_changed  # a file that a trusted command runs


def decision(event: Event, judge: "Judge", settings: "Settings") -> Decision | None:
    """An allow for a call without a matching rule; a question if a trusted command runs a file that changed."""
    approved = approval(event, judge, settings)
    if approved.is_changed and _client_would_ask(event, settings):
        return Decision("ask", f"hookkit does not approve this: {approved.reason.removeprefix('not approved: ')}")
    if not approved.yes:
        return None
    decision = Decision("allow", approved.reason)
    decision.rule = RULE
    return decision


def approval(event: Event, judge: "Judge", settings: "Settings") -> Approval:
    level = str(settings.values.get(RULE, OFF))
    if level not in (READS, WORK):
        return Approval("policy.approve is off", yes=False)
    try:
        return Approval(f"approved: {_approved(event, judge, settings, work=level == WORK)}", yes=True)
    except Spoiled as spoiled:
        more = MORE if level == WORK and str(spoiled).endswith("is not known to only read") else ""
        return Approval(f"not approved: {spoiled}{more}", yes=False, is_changed=isinstance(spoiled, Changed))
    except (ShellError, OSError, ValueError) as error:  # a path the system refuses, a line beyond the budget
        return Approval(f"not approved: hookkit cannot tell what this would do: {error}", yes=False)


def _client_would_ask(event: Event, settings: "Settings") -> bool:
    """Whether the client asks a person about this command anyway: only the reason of a question reaches its dialog."""
    from hookkit.system import agents  # late: few approvals end here

    is_silent = event.text("permission_mode") not in ASKING or not event.is_attended(settings.environ)
    return not is_silent and not agents.client_allows(event.project, settings.environ, event.command)


def _approved(event: Event, judge: "Judge", settings: "Settings", *, work: bool) -> str:
    if event.text("permission_mode") == "plan":
        raise Spoiled("the session is in plan mode")
    call = judge.call(event)
    ground = Ground(judge, call, judge.actor(event))
    if call.shell is None:
        return _tool(event, ground, settings.environ, work=work)
    if event.tool_name not in SHELLS:
        raise Spoiled(f"{event.tool_name} is not a tool that hookkit approves")
    other = [name for name in event.tool_input if name not in FIELDS]
    if other or event.tool_input.get("dangerouslyDisableSandbox"):
        raise Spoiled("the call asks to run without the sandbox, or in another way than usual")
    line = Approvable(ground, work=work)
    if work:
        line.is_own = Commands(settings).is_own
    line.check(call.shell)
    _saved(line.changes, ground, settings.environ)
    return _reason(line)


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


def _reason(line: Approvable) -> str:
    if not line.changes and not line.written and not line.runs and not line.stages:
        return "it only reads" if line.read <= 1 else f"all {line.read} commands only read"
    parts = [f"{line.read} command{'s' * (line.read > 1)} only read{'s' * (line.read == 1)}"] if line.read else []
    parts += [f"it writes {_some_names(line.written)}, and git can bring it back"] if line.written else []
    parts += ["git add keeps a copy of the files"] if line.stages else []
    parts += [f"{_some_names(line.runs)} is a command of this trusted project"] if line.runs else []
    return "; ".join(parts)


def _some_names(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
