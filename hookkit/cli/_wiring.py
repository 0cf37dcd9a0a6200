"""Adding hookkit to the settings of agents, and taking it out: choose files, show the change, ask, write."""

import os
import sys
from typing import Annotated, Any

import typer

from hookkit import registry
from hookkit.cli import _plan
from hookkit.cli._console import Text, console, echo_json, fail, note, say, stop
from hookkit.errors import HookkitError
from hookkit.settings import hook_rows, layers
from hookkit.system import agents as parents
from hookkit.system import files
from hookkit.system.suggestions import did_you_mean
from hookkit.wiring import change, launcher, places
from hookkit.wiring.change import Change
from hookkit.wiring.places import AGENTS, SCOPES, SettingsPlace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ALL = "all"
AGENT = "an agent runs this, and only a person can switch hookkit off: run it in a terminal of your own"
COLOURS = {"+": "green", "-": "red", "@": "cyan"}
NEXT = "Restart your agent, then prove it with: hookkit doctor --live"

Names = Annotated[
    str, typer.Option(metavar="NAMES", help=f"{', '.join(AGENTS)} or all; by default the agents that are here.")
]
Scope = Annotated[
    str, typer.Option(metavar=f"<{'|'.join(SCOPES)}>", help="user: everywhere. project: this project. local: mine.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show the change and write nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


class Flags:
    """The flags that init and uninit share."""

    def __init__(self, agent: str, scope: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
        self.project = files.repository(os.getcwd())
        self.environ = layers.load(self.project, dict(os.environ)).environ  # without a directory inside the project
        self.scopes = _scopes(scope)
        if self.environ.get("HOME") != os.environ.get("HOME"):
            self._leave_project()
        self.agents = chosen(agent) or places.here(self.environ)
        self.dry_run = dry_run
        self.yes = yes
        self.as_json = as_json

    def _leave_project(self) -> None:
        """The home directory is no project: only the person's own settings are looked at."""
        if "user" not in self.scopes:
            stop(f"{self.project} holds your home directory: it is no project. Go to a project, or use --scope user")
        self.scopes, self.project, self.environ = ["user"], "", dict(os.environ)

    def places(self) -> list[SettingsPlace]:
        found = (
            places.place(agent, scope, self.project, self.environ) for agent in self.agents for scope in self.scopes
        )
        return [place for place in found if place is not None]


def chosen(names: str) -> list[places.Agent]:
    """The agents of --agent; none for an empty text."""
    if not names:
        return []
    wanted = [*AGENTS] if names == ALL else [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in AGENTS:
            fix = did_you_mean(name, [*AGENTS]) or f"known are {', '.join(AGENTS)}"
            stop(f"no agent {name!r}: {fix}")
    return [AGENTS[name] for name in wanted]


def _scopes(scope: str) -> list[str]:
    if scope not in (*SCOPES, ALL):
        stop(f"--scope takes {', '.join(SCOPES)}, not {scope!r}")
    return [*SCOPES] if scope == ALL else [scope]


def init(flags: Flags, hooks: str, *, fail_closed: bool, warm: bool) -> bool:
    """Whether a file was written."""
    if not flags.agents:
        fail(f"no agent was found here. Name one: --agent {'|'.join(AGENTS)}")
    options = change.Options(
        launcher.find(), launcher.path(flags.environ), _hooks(hooks), closed=fail_closed, warm=warm
    )
    options.needs = hook_rows.needs(layers.load(flags.project, flags.environ).values.get("hooks", []))
    if not options.launcher.is_there:
        fail(f"{options.launcher.program} cannot be run; install hookkit with pipx, uv or pip")
    planned = [each for place in flags.places() for each in change.to_wire(place, options)]
    if not planned:
        stop(f"none of {', '.join(agent.name for agent in flags.agents)} has a file of the scope {flags.scopes[0]}")
    is_shown = not flags.as_json and not all(each.is_empty for each in planned)
    if is_shown and not flags.yes:
        say(_plan.text(planned, options, flags.environ))
    is_written = _carry_out(flags, planned, wires=True, first=lambda: _install(flags, options))
    if is_shown and flags.yes:  # after the change, as `| head` may close the output
        say(_plan.text(planned, options, flags.environ))
    if warm and not flags.dry_run:
        _start_server(flags)
    if is_written and not flags.as_json:
        say(NEXT)
    return is_written


def _start_server(flags: Flags) -> None:
    from hookkit.daemon import process  # late: only --warm needs the server

    process.set_on_demand(flags.environ, process.ON)
    process.start(flags.environ, [])
    if not flags.as_json:
        say("The background server runs, and starts by itself when an agent needs it.", "green")


def _install(flags: Flags, options: change.Options) -> None:
    """Write the launcher script before a settings file names it; a shared file does not name it."""
    if any(not place.is_shared for place in flags.places()):
        launcher.write(options.script, change.launcher_text(options.launcher))


def uninit(flags: Flags) -> None:
    if parents.agent(flags.environ) and not flags.dry_run:
        fail(AGENT)
    planned = [each for place in flags.places() for each in change.to_unwire(place, flags.environ)]
    due = [each for each in reversed(planned) if not each.is_empty]
    if not flags.as_json:
        _show([] if flags.yes else due)
    is_written = _carry_out(flags, due, wires=False)
    from hookkit.cli import _leavings  # late: `init` needs no server

    gone = _leavings.clear(flags.environ) if is_written else []
    if is_written and not flags.as_json:
        for said in gone:
            say(said, "green")
        say(_leavings.text(flags.environ))


def _hooks(names: str) -> list[str]:
    known = registry.names("hooks")
    found = [name.strip() for name in names.split(",") if name.strip()]
    for name in found:
        if name not in known:
            stop(f"no hook {name!r}: {did_you_mean(name, known) or 'known are ' + ', '.join(known)}")
    return found


def _carry_out(flags: Flags, planned: list[Change], *, wires: bool, first: "Callable[[], None] | None" = None) -> bool:
    """Ask and write, after the step `first`. Whether anything was written."""
    due = [each for each in planned if not each.is_empty]
    if flags.dry_run and not flags.as_json and wires:
        _show(due)
    is_wanted = bool(due) and not flags.dry_run and _agreed(flags, due)
    if first is not None and not flags.dry_run and (is_wanted or not due):
        first()
    backups = {each.path: _write(flags, each, wires=wires) for each in due} if is_wanted else {}
    if flags.as_json:
        echo_json([_row(each, backups) for each in planned])
        return is_wanted
    for each in planned:
        say(_summary(flags, each, backups, wires=wires), "green" if each.is_empty or is_wanted else "")
    if not planned:
        say("hookkit is in no settings file here.", "green")
    return is_wanted


def _write(flags: Flags, each: Change, *, wires: bool) -> str:
    try:
        return change.apply(each, flags.environ) if wires else change.revert(each, flags.environ)
    except HookkitError as error:
        stop(error)


def _agreed(flags: Flags, due: list[Change]) -> bool:
    if flags.yes:
        return True
    if not sys.stdin.isatty() or flags.as_json:
        stop("nothing was written: there is no terminal to ask at. Add --yes, or --dry-run")
    files_ = "this file" if len(due) == 1 else f"these {len(due)} files"
    while True:
        answer = typer.prompt(f"Change {files_}? [Y/n, d shows the diff]", default="y", show_default=False, err=True)
        if answer.strip().lower() in ("y", "yes"):
            return True
        if answer.strip().lower() not in ("d", "diff"):
            note("Nothing was written.")
            raise typer.Exit(1)
        _show(due)


def _show(changes: list[Change]) -> None:
    out = console()
    for line in (line for each in changes for line in each.diff().splitlines()):
        out.print(Text(line, COLOURS.get(line[:1], "")), soft_wrap=True)


def _row(each: Change, backups: dict[str, str]) -> dict[str, Any]:
    return {
        "agent": each.place.agent.name, "scope": each.place.scope, "file": each.path, "changes": not each.is_empty,
        "written": each.path in backups, "backup": backups.get(each.path, ""), "diff": each.diff(),
    }  # fmt: skip


def _summary(flags: Flags, each: Change, backups: dict[str, str], *, wires: bool) -> str:
    name, path = each.place.agent.title, _plan.short(each.path, flags.environ)
    if each.is_empty:
        return f"{name}: hookkit is already in {path}"
    if each.path not in backups:
        return f"{name}: {path} would change; nothing was written"
    done = "hookkit is in" if wires else ("hookkit is out of" if each.after is not None else "removed")
    return f"{name}: {done} {path}"
