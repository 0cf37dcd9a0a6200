"""A machine's place in a fleet, and the invitations of a hub."""

import json
import os
import platform
import time
from contextlib import closing
from hashlib import sha256
from typing import Annotated, Any

from hookkit import __version__
from hookkit.cli._command import Argument, Option, Subcommands
from hookkit.cli._console import Output, ask, facts_table, fail, note, plural, stop, warn
from hookkit.cli._here import when
from hookkit.cli._view import Wide
from hookkit.server.fleet import batch, membership, policy, telemetry
from hookkit.server.fleet.membership import BEFORE, MACHINE, PERSON, SENT, STATUS, Hub, LaterError
from hookkit.settings import layers
from hookkit.system import files, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.server.fleet.hub.postgres import Store

command = Subcommands(
    """Send this machine's evidence to your company's hub, and see what leaves and when.

    Example: hookkit fleet join https://hub.example.com CODE
    """
)

CODE = "HOOKKIT_FLEET_CODE"  # the code in the environment, for CI
DSN = "HOOKKIT_HUB"
# What leaves, in words, by the setting fleet.send.
LEAST = "tool, verdict, rule and times of each call; session, project (git remote), your name and address in git"
LEAVES = {
    "verdicts": LEAST,
    "calls": f"{LEAST}; commands, paths and reasons, with secrets masked",
    "all": f"{LEAST}; commands, paths, reasons, prompts, outputs and the content of files, with secrets masked",
}
LATE = 2 * 86_400  # seconds without contact before `status` calls it a problem
SKEW = 300_000  # ms
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask.")]


@command.command()
def join(
    url: Annotated[str, Argument(metavar="URL", help="The hub, such as https://hub.example.com.")],
    code: Annotated[str, Argument(metavar="CODE", help=f"Of an invitation; by default ${CODE}.")] = "",
    *,
    ephemeral: Annotated[bool, Option("--ephemeral", help="A machine that ends soon, as in CI: asks nothing.")] = False,
    yes: Yes = False,
) -> Output:
    """Join a fleet: show its team, its key and what will leave this machine, and ask.

    Rows from before joining stay here. A code for a person signs you in, to read with --fleet.

    Example: hookkit fleet join https://hub.example.com abcd1234 --yes
    """
    environ, code = dict(os.environ), code or os.environ.get(CODE, "")
    if not code:
        stop(f"give the code of an invitation, or set {CODE}")
    with closing(Hub(membership.checked(url))) as hub:
        offer = hub.post("/fleet/hello", {"code": code})
        if offer.get("role"):
            return _sign_in(hub, code, environ)
        if membership.read(environ, MACHINE) is not None:
            stop("this machine is in a fleet already. Leave it first: hookkit fleet leave")
        _tell(offer, url, environ)
        if not (yes or ephemeral or _agrees("Join?")):
            fail("not joined; nothing was sent")
        team = _join(hub, code, environ, key=str(offer.get("key", "")), ephemeral=ephemeral)
    message = f"Joined team {team}. Rows go at every `hookkit fleet sync`."
    return Output({"joined": True, "team": team}, message, style="green")


def _agrees(question: str) -> bool:
    return ask(f"{question} [y/N]", "n", is_shown=False).lower() in ("y", "yes")


def _tell(offer: dict[str, Any], url: str, environ: dict[str, str]) -> None:
    settings = layers.load("/", environ)
    note(f"Hub       {url}\nTeam      {offer.get('team')}\nHub's key {offer.get('key')}", "")
    note(f"Leaves    {LEAVES[settings['fleet.send']]}; this machine's host name, clock and state", "")
    note(f"Projects  {', '.join(settings['fleet.projects'])}\nRows from before joining stay on this machine.", "")


def _join(hub: Hub, code: str, environ: dict[str, str], *, key: str, ephemeral: bool) -> str:
    """What was written before joining is noted first: if this stops half-way, nothing leaves."""
    from hookkit.server.fleet.batch import all_ends

    machine, secret = os.urandom(8).hex(), os.urandom(32).hex()
    membership.remove(environ, SENT, STATUS)
    membership.keep(environ, BEFORE, dict(all_ends(environ)))
    owner = git.identity(files.home(environ) or "/", environ).get("user.email", "")
    given = {"code": code, "machine": machine, "secret": secret, "owner": owner, "host": platform.node(),
             "version": __version__, "ephemeral": ephemeral}  # fmt: skip
    team = str(hub.post("/fleet/join", given).get("team", ""))
    facts = {"url": hub.url, "machine": machine, "secret": secret, "team": team, "key": key, "joined": int(time.time())}
    membership.keep(environ, MACHINE, facts)
    return team


def _sign_in(hub: Hub, code: str, environ: dict[str, str]) -> Output:
    given = hub.post("/fleet/join", {"code": code})
    membership.keep(environ, PERSON, {"url": hub.url, "token": given["token"], "person": given["person"]})
    message = f"Signed in as {given['person']} ({given['role']}). Try: hookkit ledger list --fleet"
    return Output({"person": given["person"], "role": given["role"]}, message, style="green")


@command.command()
def sync() -> Output:
    """Send waiting rows now, and say how this machine is. The server does this every minute, a session's end too.

    Exits 1 if the hub could not take everything: rows wait, and nothing is lost.

    Example: hookkit fleet sync
    """
    from hookkit.server.fleet import sync as syncing

    try:
        done = syncing.run(dict(os.environ))
    except LaterError as error:
        fail(f"{error}. Rows wait here; the next sync sends them")
    if done is None:
        fail("another process is sending rows at the moment")
    for problem in done.problems:
        warn(problem)
    value = {"sent": done.sent, "problems": done.problems}
    return Output(value, f"Sent {plural(done.sent, 'row')}.", 1 if done.problems else 0)


@command.command()
def status(
    *,
    witness: Annotated[
        bool, Option("--witness", help="Print settings with which Claude Code itself tells the hub of its calls.")
    ] = False,
) -> Output:
    """Show what was sent, what waits, the last contact, and what leaves this machine.

    Exits 1 if something is wrong.

    Example: hookkit fleet status
    """
    environ = dict(os.environ)
    if witness:
        variables = {"env": _witness(environ)}
        return Output(variables, json.dumps(variables, indent=2))
    facts = _facts(environ)
    texts = {name: ", ".join(value) if isinstance(value, list) else str(value) for name, value in facts.items()}
    table = facts_table((name.replace("_", " "), text) for name, text in texts.items())
    return Output(facts, table, 1 if facts["problems"] else 0)


def _witness(environ: dict[str, str]) -> dict[str, str]:
    """Variables of Claude Code's settings. The token can tell of calls, and nothing else."""
    machine = membership.machine(environ)
    token = membership.witness_token(sha256(machine["secret"].encode()).digest())
    return {
        "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
        "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": f"{membership.address(machine, layers.load('/', environ))}/v1/logs",
        "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer {machine['machine']}:{token}",
    }


def _facts(environ: dict[str, str]) -> dict[str, Any]:
    settings = layers.load("/", environ)
    otlp, rules = telemetry.endpoint(settings), membership.read(environ, policy.STATE) or {}
    facts: dict[str, Any] = {}
    problems: list[str] = []
    if membership.read(environ, MACHINE) is not None or not (otlp or settings["fleet.policy"]):
        contact = membership.read(environ, STATUS) or {}
        facts, problems = _hub_facts(environ, settings, contact), _problems(contact)
    facts |= {"projects": list(settings["fleet.projects"]), "policy": policy.summary(rules)}
    facts["problems"] = [*problems, *policy.problems(rules)]
    if otlp:
        export = membership.read(environ, telemetry.STATE) or {}
        facts |= {
            "opentelemetry": otlp,
            "exported": export.get("sent", 0),
            "last_export": _clock(export.get("done", 0)),
        }
        facts["problems"] += [str(export["problem"])] if export.get("problem") else []
    return facts


def _clock(at: float) -> str:
    return when(at * 1000, "%Y-%m-%d %H:%M:%S") if at else "never"


def _hub_facts(environ: dict[str, str], settings: layers.Settings, contact: dict[str, Any]) -> dict[str, Any]:
    machine = membership.machine(environ)
    return {
        "hub": membership.address(machine, settings),
        "team": machine.get("team", ""),
        "machine": machine["machine"],
        "sent": contact.get("sent", 0),
        "waiting": _waiting(environ),
        "last_contact": _clock(contact.get("done", 0)),
        "leaves": f"{settings['fleet.send']}: {LEAVES[settings['fleet.send']]}",
    }


def _waiting(environ: dict[str, str]) -> int:
    """Rows in files that the hub lacks."""
    from hookkit.server.fleet.batch import Unsent

    sent = membership.read(environ, SENT) or {}
    heads = {writer: (head[0], head[1]) for writer, head in sent.get("heads", {}).items()}
    unsent = Unsent(environ, heads, membership.read(environ, BEFORE) or {})
    unsent.projects = tuple(layers.load("/", environ)["fleet.projects"])
    count = 0
    for file in unsent.sources(sent.get("segments", ())):
        for writer, run in file.runs.items():
            section = unsent.section(writer, run, batch.LARGEST)
            count += len(section.rows) if section is not None else 0
    return count


def _problems(contact: dict[str, Any]) -> list[str]:
    done, health = contact.get("done", 0), contact.get("health") or {}
    problems = [str(contact["problem"])] if contact.get("problem") else []
    problems += [str(problem) for problem in contact.get("problems", ())]
    if not contact:
        problems.append("nothing was sent yet: hookkit fleet sync")
    elif time.time() - done > LATE:
        problems.append("no contact for more than two days")
    if abs(contact.get("skew", 0)) > SKEW:
        problems.append(f"this machine's clock is {contact['skew'] // 1000} s away from the hub's")
    if health.get("silent"):
        problems.append(f"{health['silent']} sessions without a row: hooks do not fire. See: hookkit doctor")
    return problems


@command.command()
def leave(*, yes: Yes = False) -> Output:
    """Leave the fleet: tell the hub, and forget the machine's id and secret. Rows at the hub stay there.

    Example: hookkit fleet leave --yes
    """
    environ = dict(os.environ)
    machine = membership.machine(environ)
    if not (yes or _agrees(f"Leave team {machine.get('team')}?")):
        fail("still in the fleet")
    is_told = True
    with closing(membership.own_hub(machine, layers.load("/", environ))) as hub:
        try:
            hub.post("/fleet/leave", {})
        except membership.FleetError as error:
            is_told = False
            warn(f"the hub was not told: {error}")
    membership.forget(environ)
    return Output({"left": True, "told": is_told}, "Left the fleet.")


@command.command()
def invite(
    *,
    team: Annotated[str, Option(metavar="NAME", help="The team that machines or the person belong to.")],
    person: Annotated[str, Option(metavar="NAME", help="A person, by their address in git.")] = "",
    role: Annotated[str, Option(metavar="ROLE", help="member, lead, security, approver or admin.")] = "",
    uses: Annotated[int, Option(least=1, most=100_000, help="How many machines may use the code.")] = 1,
    days: Annotated[int, Option(least=1, most=3_650, help="For how long the code is good.")] = 7,
    hub: Annotated[str, Option(metavar="URL", help=f"The hub's database; by default ${DSN}.")] = "",
) -> Output:
    """Make a code for a team's machines, or, with a role, for a person. Runs on the hub, beside its database.

    Example: hookkit fleet invite --team web --uses 50 --hub postgresql:///hookkit

    Example: hookkit fleet invite --team web --person ann@example.com --role security
    """
    with closing(_store(hub)) as store:
        from hookkit.server.fleet.hub import people

        code = people.invite(store, team_name=team, person=person, role=role, days=days, uses=1 if role else uses)
    return Output({"code": code, "team": team, "person": person, "role": role}, lambda: _invitation(code, role))


@command.command()
def erase(
    *,
    person: Annotated[str, Option(metavar="NAME", help="The rows of this person: their address or name in git.")] = "",
    session: Annotated[str, Option(metavar="ID", help="The rows of this session.")] = "",
    hub: Annotated[str, Option(metavar="URL", help=f"The hub's database; by default ${DSN}.")] = "",
    yes: Yes = False,
) -> Output:
    """Erase commands, paths, prompts, outputs and names from rows at the hub. The rows stay, and still verify.

    Runs on the hub, beside its database. Rows on the machine: hookkit ledger erase.

    Example: hookkit fleet erase --person ann@example.com
    """
    if bool(person) == bool(session):
        stop("give --person or --session")
    with closing(_store(hub)) as store:
        if not (yes or _agrees(f"Erase the content of all rows of {person or session}?")):
            fail("nothing was erased")
        from hookkit.server.fleet.hub import contents

        count = contents.erase(store, person=person, session=session)
    return Output({"erased": count}, f"Erased the content of {plural(count, 'row')}.", 0 if count else 1)


def _store(hub: str) -> "Store":
    dsn = hub or os.environ.get(DSN, "")
    if not dsn:
        stop(f"give --hub postgresql://…, or set {DSN}")
    from hookkit.server.fleet.hub.postgres import Store

    store = Store(dsn)
    store.migrate()
    return store


def _invitation(code: str, role: str) -> Wide:
    note(f"On the machine:  hookkit fleet join URL {code}" + (f"\nIn a browser:    URL/in?code={code}" if role else ""))
    return Wide(code)
