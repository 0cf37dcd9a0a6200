"""Adding hookkit to the settings of agents, and taking it out: choose files, show the change, ask, write."""

import os
import sys
from typing import Annotated, Any

import typer

from hookkit import registry
from hookkit.cli._console import Text, console, echo_json, fail, note, say, stop
from hookkit.errors import HookkitError
from hookkit.settings import hook_rows, layers
from hookkit.system import agents as parents
from hookkit.system import files
from hookkit.system.suggestions import did_you_mean
from hookkit.wiring import change, launcher, places
from hookkit.wiring.change import Change
from hookkit.wiring.places import AGENTS, SCOPES, SettingsPlace

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
        if self.environ.get("HOME") != os.environ.get("HOME"):
            stop(f"HOME={os.environ.get('HOME')} is inside the project {self.project}. Run this in another directory")
        self.agents = chosen(agent) or places.here(self.environ)
        self.scopes = _scopes(scope)
        self.dry_run = dry_run
        self.yes = yes
        self.as_json = as_json

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
    options = change.Options(launcher.find(), _hooks(hooks), closed=fail_closed, warm=warm)
    options.needs = hook_rows.needs(layers.load(flags.project, flags.environ).values.get("hooks", []))
    if not options.launcher.is_there:
        fail(f"{options.launcher.program} cannot be run; install hookkit with pipx, uv or pip")
    planned = [each for place in flags.places() for each in change.to_wire(place, options)]
    if not planned:
        stop(f"none of {', '.join(agent.name for agent in flags.agents)} has a file of the scope {flags.scopes[0]}")
    is_written = _carry_out(flags, planned, wires=True)
    if is_written and not flags.as_json:
        say(NEXT)
    return is_written


def uninit(flags: Flags) -> None:
    if parents.agent(flags.environ) and not flags.dry_run:
        fail(AGENT)
    planned = [each for place in flags.places() for each in change.to_unwire(place, flags.environ)]
    if _carry_out(flags, [each for each in reversed(planned) if not each.is_empty], wires=False) and not flags.as_json:
        say(f"The ledger and the backups stay in {files.state_dir(flags.environ)}, and your hookkit.toml where it is.")


def _hooks(names: str) -> list[str]:
    known = registry.names("hooks")
    found = [name.strip() for name in names.split(",") if name.strip()]
    for name in found:
        if name not in known:
            stop(f"no hook {name!r}: {did_you_mean(name, known) or 'known are ' + ', '.join(known)}")
    return found


def _carry_out(flags: Flags, planned: list[Change], *, wires: bool) -> bool:
    """Show, ask and write; with --yes write first, as `| head` may close the output. Whether anything was written."""
    due = [each for each in planned if not each.is_empty]
    shown = [] if flags.as_json else due
    if not flags.yes:
        _show(shown)
    is_wanted = bool(due) and not flags.dry_run and _agreed(flags, due)
    backups = {each.path: _write(flags, each, wires=wires) for each in due} if is_wanted else {}
    if flags.as_json:
        echo_json([_row(each, backups) for each in planned])
        return is_wanted
    if flags.yes:
        _show(shown)
    for each in planned:
        say(_summary(each, backups, wires=wires), "green" if each.is_empty or is_wanted else "")
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
    if typer.confirm(f"Change {files_}?", default=True, err=True):
        return True
    note("Nothing was written.")
    raise typer.Exit(1)


def _show(changes: list[Change]) -> None:
    out = console()
    for line in (line for each in changes for line in each.diff().splitlines()):
        out.print(Text(line, COLOURS.get(line[:1], "")), soft_wrap=True)


def _row(each: Change, backups: dict[str, str]) -> dict[str, Any]:
    return {
        "agent": each.place.agent.name, "scope": each.place.scope, "file": each.path, "changes": not each.is_empty,
        "written": each.path in backups, "backup": backups.get(each.path, ""), "diff": each.diff(),
    }  # fmt: skip


def _summary(each: Change, backups: dict[str, str], *, wires: bool) -> str:
    name = each.place.agent.name
    if each.is_empty:
        return f"{name}: hookkit is already in {each.path}"
    if each.path not in backups:
        return f"{name}: {each.path} would change; nothing was written"
    done = "hookkit is in" if wires else ("hookkit is out of" if each.after is not None else "removed")
    kept = f" (backup: {backups[each.path]})" if backups[each.path] else ""
    return f"{name}: {done} {each.path}{kept}"
