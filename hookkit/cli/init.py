"""Adding hookkit to the settings of agents: a summary first, then a question, then the change."""

import sys
from typing import Annotated

from hookkit import registry
from hookkit.agents.wiring import change, launcher, person_settings
from hookkit.agents.wiring.change import Change
from hookkit.agents.wiring.events import hookkit_entries
from hookkit.agents.wiring.places import AGENTS
from hookkit.cli._command import Option
from hookkit.cli._console import Output, ask, draw, fail, note, stop
from hookkit.cli._view import Wide
from hookkit.cli._wiring import DryRun, Flags, Names, Scope, Yes, carry_out, diff_lines, home_path, tell_lacks
from hookkit.errors import HookkitError
from hookkit.hooks import learn
from hookkit.settings import answers, layers
from hookkit.settings.keys import BY_NAME
from hookkit.system import agents
from hookkit.system.suggestions import did_you_mean

NEXT = "Restart your agent, then prove it with: hookkit doctor --live"
DOES = {
    "guard": ("stop or ask about dangerous commands", "hookkit why 'rm -rf ~'"),
    "redirect": ("use the project's own test command", "hookkit why pytest"),
    "snapshot": ("keep files that a command deletes", "hookkit undo"),
    "record": ("log each call, with secrets hidden", "hookkit ledger list"),
    "learn": ("write a report on each session", "{reports}"),
}
LAST = "It approves nothing unless you say so, and sends nothing anywhere."
AGENT = "an agent runs this, and only a person can change what hookkit does: run it in a terminal of your own"
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
    if not dry_run and (hooks or approve or any(map(_replaces, planned))) and agents.agent(flags.environ):
        fail(AGENT)
    is_new = not all(step.is_empty for step in planned)
    plan = [Wide(_plan(planned, options, flags.environ))] if is_new else []
    is_asked = is_new and not flags.yes and not flags.dry_run
    if is_asked and sys.stdin.isatty():
        draw(plan, sys.stderr)
        plan = []
    done = carry_out(flags, planned, wires=True, first=lambda: _install(flags, options))
    if not flags.dry_run:
        tell_lacks(layers.load(flags.project, flags.environ), flags.project)
    shown = done.lines(flags, wires=True)
    view = [*shown, *plan] if flags.yes else [*plan, *(diff_lines(planned) if flags.dry_run else []), *shown]
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
    return any(
        launcher.is_closed(words) for entry in entries for words in launcher.calls(entry.command, entry.arguments)
    )


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
    try:
        written = person_settings.approve(flags.environ, wanted)
    except HookkitError as error:
        stop(error)
    return [Wide(f'{KEY} = "{wanted}" in {home_path(written, flags.environ)}', "green")] if written else []


def _choice(options: "tuple[str, ...]") -> str:
    note(CHOICES)
    while True:
        wanted = ask(QUESTION, "none")
        if wanted in options:
            return wanted
        note(f"{wanted}: {did_you_mean(wanted, [*options]) or 'choose one of ' + ', '.join(options)}")
