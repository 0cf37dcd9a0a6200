"""Adding hookkit to the settings of agents: a summary first, then a question, then the change.

`uninit` takes the same flags and asks the same question; `doctor` names agents in the same way.
"""

import os
import sys
from typing import Annotated, Any, NamedTuple

from hookkit import registry
from hookkit.agents.wiring import backups, change, events, launcher, settings_files
from hookkit.agents.wiring.change import Change
from hookkit.agents.wiring.events import hookkit_entries
from hookkit.agents.wiring.settings_files import AGENTS, SCOPES, SettingsPlace
from hookkit.cli._command import Option
from hookkit.cli._console import Exit, Output, ask, draw, fail, note, only_a_person, stop, warn_each
from hookkit.cli._here import home_path
from hookkit.cli._view import Wide, diff_lines
from hookkit.hooks import learn
from hookkit.settings import answers, layers
from hookkit.settings.keys import BY_NAME
from hookkit.system import files
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NEXT = "Restart your agent, then prove it with: hookkit doctor --live"
DOES = {
    "guard": ("stop or ask about dangerous commands", "hookkit why 'rm -rf ~'"),
    "redirect": ("use the project's own test command", "hookkit why pytest"),
    "snapshot": ("keep files that a command deletes", "hookkit undo"),
    "record": ("log each call, with secrets hidden", "hookkit ledger list"),
    "learn": ("write a report on each session", "{reports}"),
}
LAST = "It approves nothing unless you say so, and sends nothing anywhere."
KEY = "policy.approve"
CHOICES = """
Which calls may run without a question?
  none   hookkit approves nothing
  reads  commands that only read: git log | head
         (Claude Code itself asks about few of these)
  work   also changes in the project that git can bring back, and the
         tests of a trusted project: fewer questions
"""
QUESTION = "Approve which calls?"

Names = Annotated[
    str, Option(metavar="NAMES", help=f"{', '.join(AGENTS)} or all; by default the agents that are here.")
]
Scope = Annotated[
    str, Option(metavar=f"<{'|'.join(SCOPES)}>", help="user: everywhere. project: this project. local: mine.")
]
DryRun = Annotated[bool, Option("--dry-run", "-n", help="Show the change and write nothing.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask.")]


# -- flags and question, for uninit too ------------------------------------------------------------------------------


class Flags:
    """The flags that init and uninit share."""

    def __init__(self, agent: str, scope: str, *, dry_run: bool, yes: bool) -> None:
        self.project = files.repository(os.getcwd())
        self.environ = layers.load(self.project, dict(os.environ)).environ  # without a directory inside the project
        self.scopes = _scopes(scope)
        if self.environ.get("HOME") != os.environ.get("HOME"):
            self._leave_project()
        self.agents = settings_files.named(agent) or settings_files.here(self.environ)
        self.dry_run = dry_run
        self.yes = yes

    def _leave_project(self) -> None:
        """The home directory is no project: only the person's own settings are looked at."""
        if "user" not in self.scopes:
            stop(f"{self.project} holds your home directory: it is no project. Go to a project, or use --scope user")
        self.scopes, self.project, self.environ = ["user"], "", dict(os.environ)

    def places(self) -> list[SettingsPlace]:
        scopes = (
            settings_files.place(agent, scope, self.project, self.environ)
            for agent in self.agents
            for scope in self.scopes
        )
        return [place for place in scopes if place is not None]


def _scopes(scope: str) -> list[str]:
    if scope not in (*SCOPES, settings_files.ALL):
        stop(f"--scope takes {', '.join(SCOPES)}, not {scope!r}")
    return [*SCOPES] if scope == settings_files.ALL else [scope]


class Done(NamedTuple):
    """The changes that were planned, and the backups of those that were written."""

    planned: list[Change]
    backups: dict[str, str]
    is_written: bool

    def rows(self) -> list[dict[str, Any]]:
        return [_row(change, self.backups) for change in self.planned]

    def lines(self, flags: Flags, *, wires: bool) -> list[Wide]:
        if not self.planned:
            return [Wide("hookkit is in no settings file here.", "green")]
        return [
            Wide(
                _summary(flags, change, self.backups, wires=wires),
                "green" if change.is_empty or self.is_written else "",
            )
            for change in self.planned
        ]


def carry_out(flags: Flags, planned: list[Change], *, wires: bool, first: "Callable[[], None] | None" = None) -> Done:
    """Ask and write, after the step `first`."""
    due = [change for change in planned if not change.is_empty]
    is_wanted = bool(due) and not flags.dry_run and _agreed(flags, due)
    if first is not None and not flags.dry_run and (is_wanted or not due):
        first()
    backups = {change.path: _write(flags, change, wires=wires) for change in due} if is_wanted else {}
    return Done(planned, backups, is_wanted)


def _write(flags: Flags, planned: Change, *, wires: bool) -> str:
    return change.apply(planned, flags.environ) if wires else change.revert(planned, flags.environ)


def _agreed(flags: Flags, due: list[Change]) -> bool:
    if flags.yes:
        return True
    if not sys.stdin.isatty():
        stop("nothing was written: there is no terminal to ask at. Add --yes, or --dry-run")
    files_ = "this file" if len(due) == 1 else f"these {len(due)} files"
    while True:
        answer = ask(f"Change {files_}? [Y/n, d shows the diff]", "y", is_shown=False).lower()
        if answer in ("y", "yes"):
            return True
        if answer not in ("d", "diff"):
            note("Nothing was written.")
            raise Exit(1)
        draw(differences(due), sys.stderr)


def differences(changes: list[Change]) -> list[Wide]:
    return diff_lines(line for change in changes for line in change.diff().splitlines())


def _row(change: Change, backups: dict[str, str]) -> dict[str, Any]:
    return {
        "agent": change.place.agent.name, "scope": change.place.scope, "file": change.path,
        "changes": not change.is_empty, "written": change.path in backups, "backup": backups.get(change.path, ""),
        "diff": change.diff(),
    }  # fmt: skip


def _summary(flags: Flags, change: Change, backups: dict[str, str], *, wires: bool) -> str:
    name, path = change.place.agent.title, home_path(change.path, flags.environ)
    if change.is_empty:
        return f"{name}: hookkit is already in {path}"
    if change.path not in backups:
        return f"{name}: {path} would change; nothing was written"
    done = "hookkit is in" if wires else ("hookkit is out of" if change.after is not None else "removed")
    return f"{name}: {done} {path}"


# -- init ------------------------------------------------------------------------------------------------------------


def command(  # noqa: PLR0913 - one flag each
    *,
    agent: Names = "",
    scope: Scope = "user",
    hooks: Annotated[str, Option(metavar="NAMES", help="Only these hooks, such as guard,redirect.")] = "",
    fail_closed: Annotated[
        bool | None,
        Option(
            "--fail-closed/--fail-open", help="Refuse, or let pass (usual), tool calls if hookkit fails or is gone."
        ),
    ] = None,
    warm: Annotated[
        bool | None,
        Option("--warm/--cold", help="With (usual) or without a background server, which ends when idle."),
    ] = None,
    approve: Annotated[
        str, Option(metavar="<none|reads|work>", help="Approve calls without a question; the first init asks.")
    ] = "",
    dry_run: DryRun = False,
    yes: Yes = False,
) -> Output:
    """Add hookkit to the settings of your agents: shows a summary, asks, keeps a backup.

    Answer d to see the diff. Running it again changes nothing, or brings an older entry up to date. `hookkit uninit`
    takes it back.

    Exits 1 if no agent is here, or if an agent runs this and hookkit is wired already; 2 if a settings file cannot be
    read.

    Example: hookkit init --scope project --dry-run
    """
    _check_choice(approve)
    flags = Flags(agent, scope, dry_run=dry_run, yes=yes)
    options = _options(flags, hooks, fail_closed=fail_closed, warm=warm)
    planned = [step for place in flags.places() for step in change.to_wire(place, options)]
    if not planned:
        stop(f"none of {', '.join(agent.name for agent in flags.agents)} has a file of the scope {flags.scopes[0]}")
    if not dry_run and (hooks or approve or any(map(_replaces, planned))):
        only_a_person("change what hookkit does", at_terminal=False)
    is_new = not all(step.is_empty for step in planned)
    plan = [Wide(_plan(planned, options, flags.environ))] if is_new else []
    is_asked = is_new and not flags.yes and not flags.dry_run
    if is_asked and sys.stdin.isatty():
        draw(plan, sys.stderr)
        plan = []
    done = carry_out(flags, planned, wires=True, first=lambda: _install(flags, options))
    if not flags.dry_run:
        warn_each(events.lacks(layers.load(flags.project, flags.environ), flags.project))
    shown = done.lines(flags, wires=True)
    view = [*shown, *plan] if flags.yes else [*plan, *(differences(planned) if flags.dry_run else []), *shown]
    if is_asked:
        draw(view, sys.stderr)
        view = []
    view += [*_choose(flags, approve), *([Wide(NEXT)] if done.is_written else [])]
    return Output(done.rows(), view)


def _options(flags: Flags, hooks: str, *, fail_closed: bool | None, warm: bool | None) -> change.Options:
    if not flags.agents:
        fail(f"no agent was found here. Name one: --agent {'|'.join(AGENTS)}")
    if warm is None:  # an earlier choice holds
        wired = launcher.read(launcher.path(flags.environ))
        warm = wired is None or wired.is_warm
    closed = _is_closed(flags) if fail_closed is None else fail_closed
    options = change.Options(launcher.find(), launcher.path(flags.environ), _hooks(hooks), closed=closed, warm=warm)
    options.needs = answers.wired(layers.load(flags.project, flags.environ))
    if not options.launcher.is_there:
        fail(f"{options.launcher.program} cannot be run; install hookkit with pipx, uv or pip")
    return options


def _is_closed(flags: Flags) -> bool:
    """Whether an earlier init wired one of these files with --fail-closed."""
    entries = (entry for place in flags.places() for entry in hookkit_entries(place))
    return any(launcher.is_closed(words) for entry in entries for words in entry.calls)


def _replaces(planned: Change) -> bool:
    """Whether handlers of hookkit are in the file, and would change: with fewer hooks, or with --fail-open."""
    if planned.is_empty or planned.before is None:
        return False
    text = planned.before.decode("utf-8", "replace")
    return any(entry.is_ours for entry in planned.place.agent.entries(planned.path, text))


def _plan(planned: list[Change], options: change.Options, environ: dict[str, str]) -> str:
    lines = ["Your agents will call hookkit:"]
    places = {step.place.path: step.place for step in planned if not step.is_empty}
    width = max(len(place.agent.title) for place in places.values())
    for place in places.values():
        count = len(change.wanted(place, options))
        lines.append(f"  {place.agent.title:{width}}  {count:2} hooks in {home_path(place.path, environ)}")
    if not all(place.is_shared for place in places.values()):
        lines.append(f"through {home_path(options.script, environ)}. hookkit keeps a backup of each file.")
    else:
        lines += ["by its name, so that the file works on every machine.", "hookkit keeps a backup of each file."]
    rows = [row for hook, row in DOES.items() if not options.hooks or hook in options.hooks]
    width = max((len(what) for what, _ in rows), default=0)
    reports = home_path(learn.directory(environ), environ)
    lines += ["", *(["Then it will"] if rows else [])]
    lines += [*(f"  {what:{width}}  {how.format(reports=reports)}" for what, how in rows), LAST]
    return "\n".join(lines)


def _install(flags: Flags, options: change.Options) -> None:
    """Write the launcher script before a settings file names it; a shared file does not name it."""
    if any(not place.is_shared for place in flags.places()):
        from hookkit.server import (
            process,  # late: only a written file needs them
            spool,
        )

        launcher.write(options.script, change.launcher_text(options.launcher, flags.environ))
        spool.make(flags.environ)
        process.set_on_demand(flags.environ, process.ON if options.launcher.is_warm else process.OFF)
        if not options.launcher.is_warm:
            process.stop(flags.environ)


def _hooks(names: str) -> list[str]:
    known = registry.names("hooks")
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in known:
            stop(f"no hook {name!r}: {did_you_mean(name, known) or 'known are ' + ', '.join(known)}")
    return wanted


# -- approvals without a question ------------------------------------------------------------------------------------


def _check_choice(wanted: str) -> None:
    """Refuse a wrong choice before anything is written."""
    options = BY_NAME[KEY].options
    if wanted and wanted not in options:
        stop(f"--approve takes {', '.join(options)}, not {wanted!r}")


def _choose(flags: Flags, wanted: str) -> list[Wide]:
    """Write the person's choice. They are asked until they have answered once, and only at a terminal."""
    if flags.dry_run:
        return []
    is_set = KEY in layers.load(flags.project, flags.environ).values
    if not wanted and not is_set and sys.stdin.isatty() and not flags.yes:
        wanted = _choice(BY_NAME[KEY].options)
    if not wanted:
        return []
    written = backups.approve(flags.environ, wanted)
    return [Wide(f'{KEY} = "{wanted}" in {home_path(written, flags.environ)}', "green")] if written else []


def _choice(options: "tuple[str, ...]") -> str:
    note(CHOICES)
    while True:
        wanted = ask(QUESTION, "none")
        if wanted in options:
            return wanted
        note(f"{wanted}: {did_you_mean(wanted, [*options]) or 'choose one of ' + ', '.join(options)}")
