"""The policy: the shipped rules, the rules in force, the rules of each actor; signing one for a fleet."""

import json
import os
import time
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any

from hookkit import __version__
from hookkit.agents import _disk
from hookkit.agents.wiring import backups
from hookkit.cli._command import Argument, Option, Subcommands, formats
from hookkit.cli._console import Output, fail, note, stop, verdict, warn
from hookkit.cli._here import BUILT_IN, Workspace, seconds
from hookkit.cli._view import Table, Text, View, Wide, diff_lines
from hookkit.errors import HookkitError
from hookkit.policy import base
from hookkit.policy.rules import TYPES, pack
from hookkit.system import agents, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Groups, Rule

    Patterns = list[str | None]


EVERYONE = "everyone"

command = Subcommands(
    """Show the permission policy: the shipped rules, the rules in force here, the rules of each actor.

    Example: hookkit policy show
    """
)


@command.command("base")
@formats("table", "json", "toml")
def base_() -> Output:
    """List the built-in rules by name. `hookkit set policy.off +NAME` switches a rule off.

    Redirected into a file, the command prints settings: the start of a hookkit.toml of your own. These settings say
    base = false, so a rule that you delete from the file is off.

    Example: hookkit policy base > ~/.config/hookkit/hookkit.toml
    """
    value = [{**_shared(rules[0]), "patterns": [_rule_row(rule) for rule in rules]} for rules in _groups(base.RULES)]
    return Output(value, _base_table, forms={"toml": _base_settings}, piped="toml")


@command.command()
def show() -> Output:
    """Show every rule in force here, in the order of checking, by layer.

    Example: hookkit policy show --output json
    """
    workspace = Workspace()
    policy = workspace.settings.policy
    rows = pack(policy["rules"])
    settings = {name: policy[name] for name in ("default", "unattended", "actor")}
    value = {**settings, "rules": [{**workspace.rule_row(rule), **_match(patterns)} for rule, patterns in rows]}

    def view() -> list[View]:
        groups = groupby(rows, lambda row: workspace.layer(row[0]))
        parts = [part for layer, layered in groups for part in _layer(layer, list(layered), workspace)]
        chosen = [f"{name} = {json.dumps(value)}" for name, value in settings.items() if value]
        total = f"{len(rows)} rules with {len(policy['rules'])} patterns; {', '.join(chosen)}."
        return [*workspace.warnings(), *parts, Text(total, "dim")]

    return Output(value, view)


@command.command()
def actors() -> Output:
    """Show the rules of each actor, and the rules that apply to everyone.

    Example: hookkit policy actors
    """
    workspace = Workspace()
    lists = dict(_actors(workspace))
    parts: list[View] = [*workspace.warnings()]
    usual = workspace.settings.policy["actor"]
    for actor, patterns in lists.items():
        parts.append(
            Text.assemble((actor, "bold"), (" unless the call names another" if actor == usual else "", "dim"))
        )
        grid = Table("", " ")
        for name, texts in patterns.items():
            grid.add(Text("  ") + verdict(name), "\n".join(texts))
        parts += [grid, ""]
    shipped = sum(rule.get("source") == "base" for rule in workspace.settings.policy["rules"])
    return Output(lists, [*parts, Text(f"{shipped} built-in rules apply to everyone: hookkit policy show", "dim")])


@command.command()
def export(
    *,
    agent: Annotated[str, Option("--agent", metavar="NAME", help="claude, codex, gemini or opencode.")] = "",
    write: Annotated[bool, Option("--write", help="Write the agent's own file instead of printing.")] = False,
) -> Output:
    """Print the policy as the agent's own rules: a second line of defence where hooks are off.

    Only denials and questions that the agent can say exactly; the others are counted on stderr, and listed with
    `-o json`. `hookkit validate` tells when a written file no longer says the same as the policy.

    Example: hookkit policy export --agent codex --write
    """
    if agent not in _disk.parts("native_rules"):
        stop(f"--agent takes {', '.join(_disk.parts('native_rules'))}, not {agent!r}")
    workspace = Workspace()
    text, lost = _disk.export(agent, workspace.settings.policy["rules"])
    file = _disk.rules_file(agent, workspace.settings.environ)
    if write:
        _write(agent, file, text, workspace.settings.environ)
    value = {"rules": text, "file": file, "lost": [{"match": match, "why": why} for match, why in lost]}

    def view() -> View:
        note(f"{agent} cannot say {len(lost)} patterns exactly: -o json lists them")
        return Wide(f"Wrote {file}. Restart {agent}.", "green") if write else Wide(text.rstrip())

    return Output(value, view)


def _write(agent: str, file: str, text: str, environ: dict[str, str]) -> None:
    if agents.agent(environ):
        fail("an agent runs this, and only a person can change the rules of an agent")
    if not file:
        stop(f"{agent} has no file for such rules alone: print them, and add them to its settings")
    before = backups.read(file)
    backups.make_parents(file)
    backups.Record(environ, file).back_up(before)
    backups.write(file, before, text.encode())


@command.command()
def sign(
    file: Annotated[str, Argument(metavar="FILE", help="A hookkit.toml.")],
    *,
    key: Annotated[str, Option(metavar="FILE", help="Your SSH key; a public key if an SSH agent has the other.")],
    version: Annotated[int, Option(least=0, help="By default one more than the last.")] = 0,
    expires: Annotated[str, Option(metavar="TIME", help="Machines refuse it afterwards: 48h, 90d, 12w.")] = "90d",
    stages: Annotated[str, Option(metavar="LIST", help="Hours and percent of machines: 0:10,24:50,72:100.")] = "",
    to: Annotated[str, Option(metavar="FILE", help="By default FILE with .signed.toml.")] = "",
) -> Output:
    """Sign a policy for the machines of a fleet. To go back, sign the old rules as a new version.

    Example: hookkit policy sign company.toml --key ~/.ssh/id_ed25519 --stages 0:10,24:100
    """
    from hookkit.settings import reading, signed  # late: only a fleet signs
    from hookkit.system import signatures

    text = reading.text_of(file)
    if signed.FIRST.match(text):
        text = signed.SignedPolicy(text, file).text.partition("\n")[2]
    settings = reading.TomlFile(file, text)
    if settings.errors:
        stop(f"not signed: {settings.findings[0]}")
    to = to or f"{file.removesuffix('.toml')}.signed.toml"
    now = time.time()
    span = seconds(expires, "hdw")
    if span is None:
        stop(f"--expires {expires}: write 48h, 90d or 12w")
    end, number = now + span, version or _next_version(to)
    line = signed.policy_line(number, now, end, stages or signed.ALL_MACHINES)
    body = f"{line}\n{text.rstrip()}\n"
    signature = signatures.sign(body.encode(), os.path.expanduser(key), signed.POLICY_NAMESPACE, dict(os.environ))
    with open(to, "w", encoding="utf-8") as out:
        out.write(body + signature)
    value = {"file": to, "version": number, "expires": signed.time_text(end)}
    return Output(value, f"Signed {to}: version {number}, until {value['expires']}.", style="green")


def _next_version(to: str) -> int:
    from hookkit.settings import reading, signed

    return signed.SignedPolicy(reading.text_of(to), to).version + 1 if os.path.lexists(to) else 1


@command.command()
def verify(
    file: Annotated[str, Argument(metavar="FILE", help="A signed policy.")],
    *,
    signers: Annotated[str, Option(metavar="FILE", help="The allowed signers, if not those of fleet.signers.")] = "",
    dry_run: Annotated[
        bool, Option("--dry-run", help="Also show what it would change, and what it would have done last week.")
    ] = False,
) -> Output:
    """Check a signed policy as a machine would: signature, expiry, mistakes. Exits 1 if machines refuse it.

    Example: hookkit policy verify company.signed.toml --dry-run
    """
    from hookkit.server.fleet import policy as fleet_policy  # late: only a fleet has a signed one
    from hookkit.settings import layers, reading, signed

    environ = dict(os.environ)
    settings = layers.load("/", environ)
    if signers:
        settings.values["fleet.signers"] = os.path.abspath(signers)
    content = reading.text_of(file)
    try:
        policy, signer = fleet_policy.check(content, environ, settings)
    except HookkitError as error:
        fail(f"{file}: {error}")
    now = time.time()
    value: dict[str, Any] = {
        "version": policy.version, "signer": signer.name, "key": signer.key,
        "expires": signed.time_text(policy.expires),
        "percent": policy.percent(now), "expired": policy.expires <= now,
    }  # fmt: skip
    parts: list[View] = [
        Wide(f"{file}: version {policy.version}, signed by {signer.name} ({signer.key}), until {value['expires']}, now"
             f" for {value['percent']} % of the machines.")
    ]  # fmt: skip
    if dry_run:
        changes, more = _compare(policy.text, environ)
        value, parts = {**value, **changes}, [*parts, *more]
    if value["expired"]:
        warn("it has expired: machines that do not have it yet will refuse it", "red")
    return Output(value, parts, 1 if value["expired"] else 0)


def _compare(text: str, environ: dict[str, str]) -> tuple[dict[str, Any], list[View]]:
    """The difference to the policy that holds here, and what it would have changed last week."""
    import difflib  # late, as all that only a dry run needs
    import tempfile

    from hookkit.cli import replay
    from hookkit.settings import layers, reading, signed

    path = os.path.join(files.state_dir(environ), layers.FLEET_POLICY)
    old = signed.SignedPolicy(reading.text_of(path), path).text if os.path.lexists(path) else ""
    diff = list(difflib.unified_diff(old.splitlines(), text.splitlines(), "in force", "new", lineterm=""))
    with tempfile.TemporaryDirectory(prefix="hookkit-") as directory:
        names = [os.path.join(directory, name) for name in ("new.toml", "old.toml")]
        for name, content in zip(names, (text, old), strict=True):
            with open(name, "w", encoding="utf-8") as file:
                file.write(content)
        past = replay.command(since="7d", policy=names[0], against=names[1])
    head = Text("Calls of the last week that it would change:", "dim")
    calls = past.view() if callable(past.view) else past.view
    return {"diff": diff, "replay": past.value}, [*diff_lines(diff), "", head, calls]


def _base_table() -> Table:
    table = Table("name", "", "patterns", "reason", whole=("name",))
    for rules in _groups(base.RULES):
        first = rules[0]
        table.add(first["name"], verdict(first["type"]), len(rules), first["reason"])
    return table


def _groups(rows: "list[Rule]") -> "Iterator[list[Rule]]":
    """Rules grouped by name."""
    for name in dict.fromkeys(row["name"] for row in rows):
        yield [row for row in rows if row["name"] == name]


def _shared(rule: "Rule") -> dict[str, Any]:
    return {key: rule[key] for key in ("name", "type", "reason")}


def _rule_row(rule: "Rule") -> dict[str, Any]:
    return {key: rule[key] for key in ("match", "instead", "unless") if key in rule}


def _base_settings() -> str:
    """The files of the shipped policy as they are written, with their comments."""
    head = f"# The policy that ships with hookkit {__version__}, to change as you like.\n[policy]\nbase = false"
    return "\n\n".join([head, *(base.text(name).rstrip() for name in base.FILES)])


def _match(patterns: "Patterns") -> dict[str, Any]:
    """The field as people write it: a text, or a list of texts."""
    if patterns[0] is None:
        return {}
    return {"match": patterns if len(patterns) > 1 else patterns[0]}


def _layer(layer: str, rows: "Groups", workspace: Workspace) -> list[View]:
    source = workspace.path(str(rows[0][0].get("source", "")))
    name = BUILT_IN if layer == "base" else layer
    grid = Table("", " ", "  ", whole=("",))
    before = ""
    for rule, patterns in rows:
        note = _note(rule)
        shown = note if note != before or rule.get("actors") else ""  # only once for rules with the same note
        grid.add(
            Text("  ") + verdict(rule["type"]), "\n".join(pattern or "*" for pattern in patterns), Text(shown, "dim")
        )
        before = note
    head = Text.assemble((name, "bold"), (f" {source}" if layer in workspace.layers.values() else "", "dim"))
    return [Wide(head), grid, ""]


def _note(rule: "Rule") -> str:
    """The actors of a rule, its effect, its reason, and the way out."""
    changed = f"{rule.get('field')}: {rule.get('replace', rule.get('regex'))} → {rule.get('with')}"
    parts = [
        f"for {', '.join(rule['actors'])}" if rule.get("actors") else "",
        changed if rule["type"] == "modify" else "",
        f"asks {rule['run']}" if "run" in rule else "",
        rule.get("reason", ""),
        f"Instead: {rule['instead']}" if "instead" in rule else "",
    ]
    return " ".join(part for part in parts if part)


def _actors(workspace: Workspace) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Each actor's patterns by verdict, the strictest first."""
    rules = [rule for rule in workspace.settings.policy["rules"] if rule.get("source") != "base"]
    names = dict.fromkeys(actor for rule in rules for actor in rule.get("actors") or [EVERYONE])
    for name in names:
        own = [rule for rule in rules if name in (rule.get("actors") or [EVERYONE])]
        kinds = [kind for kind in TYPES if any(rule["type"] == kind for rule in own)]
        yield name, {kind: [rule.get("match", "*") for rule in own if rule["type"] == kind] for kind in kinds}
