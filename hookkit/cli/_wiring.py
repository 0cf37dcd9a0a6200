"""Shared by `init`, `uninit` and `doctor`: choose agents and files, show the change, ask, write."""

import os
import sys
from typing import Annotated, Any, NamedTuple

from hookkit.agents.wiring import change, events, places
from hookkit.agents.wiring.change import Change
from hookkit.agents.wiring.places import AGENTS, SCOPES, SettingsPlace
from hookkit.cli._command import Option
from hookkit.cli._console import Exit, ask, draw, note, stop, warn
from hookkit.cli._view import Wide
from hookkit.errors import HookkitError
from hookkit.settings import layers
from hookkit.system import files
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from hookkit.settings.sources import Lack

ALL = "all"
COLOURS = {"+": "green", "-": "red", "@": "cyan"}

Names = Annotated[
    str, Option(metavar="NAMES", help=f"{', '.join(AGENTS)} or all; by default the agents that are here.")
]
Scope = Annotated[
    str, Option(metavar=f"<{'|'.join(SCOPES)}>", help="user: everywhere. project: this project. local: mine.")
]
DryRun = Annotated[bool, Option("--dry-run", "-n", help="Show the change and write nothing.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask.")]


def tell_lacks(settings: layers.Settings, project: str, known: "Collection[Lack]" = ()) -> None:
    """Warn of what is configured and has no live source, apart from what was known before."""
    for lack in events.lacks(settings, project):
        if lack not in known:
            warn("; ".join(lack))


class Flags:
    """The flags that init and uninit share."""

    def __init__(self, agent: str, scope: str, *, dry_run: bool, yes: bool) -> None:
        self.project = files.repository(os.getcwd())
        self.environ = layers.load(self.project, dict(os.environ)).environ  # without a directory inside the project
        self.scopes = _scopes(scope)
        if self.environ.get("HOME") != os.environ.get("HOME"):
            self._leave_project()
        self.agents = chosen(agent) or places.here(self.environ)
        self.dry_run = dry_run
        self.yes = yes

    def _leave_project(self) -> None:
        """The home directory is no project: only the person's own settings are looked at."""
        if "user" not in self.scopes:
            stop(f"{self.project} holds your home directory: it is no project. Go to a project, or use --scope user")
        self.scopes, self.project, self.environ = ["user"], "", dict(os.environ)

    def places(self) -> list[SettingsPlace]:
        scopes = (
            places.place(agent, scope, self.project, self.environ) for agent in self.agents for scope in self.scopes
        )
        return [place for place in scopes if place is not None]


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
    try:
        return change.apply(planned, flags.environ) if wires else change.revert(planned, flags.environ)
    except HookkitError as error:
        stop(error)


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
        draw(diff_lines(due), sys.stderr)


def diff_lines(changes: list[Change]) -> list[Wide]:
    lines = (line for change in changes for line in change.diff().splitlines())
    return [Wide(line, COLOURS.get(line[:1], "")) for line in lines]


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


def home_path(path: str, environ: dict[str, str]) -> str:
    """The path as a person writes it."""
    home = files.home(environ)
    return f"~{path[len(home) :]}" if home and path.startswith(f"{home}/") else path
