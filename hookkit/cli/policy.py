import json
import sys
from collections.abc import Iterator
from enum import Enum
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hookkit import __version__
from hookkit.cli._output import Here, console, echo_json, rule_row, stop, verdict
from hookkit.errors import ConfigError
from hookkit.policy.rules import TYPES, compile_rules

EVERYONE = "everyone"
HELP = """Show the permission policy: what ships, what is in force here, who may do what.

Example: hookkit policy show
"""

command = typer.Typer(help=HELP, pretty_exceptions_enable=False)
command.__doc__ = HELP  # as every command has one


class Output(str, Enum):
    table = "table"
    json = "json"


class Listing(str, Enum):
    table = "table"
    json = "json"
    toml = "toml"


Shipped = Annotated[
    Listing | None,
    typer.Option("--output", "-o", help="How to print. Default: a table on a terminal, settings (toml) in a file."),
]
Printed = Annotated[Output, typer.Option("--output", "-o", help="How to print.")]


@command.callback(invoke_without_command=True)
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@command.command()
def base(output: Shipped = None) -> None:
    """List the shipped rules by name. policy.off = ["NAME"] in your own settings switches a rule off.

    Redirected into a file, the command prints settings: the start of a hookkit.toml of your own. These settings say
    base = false, so a rule that you delete from the file is off.

    Example: hookkit policy base > hookkit.toml
    """
    rows = compile_rules({})["rules"]
    if output is Listing.json:
        echo_json([{**_shared(rules[0]), "patterns": [_own(rule) for rule in rules]} for rules in _named(rows)])
    elif output is Listing.toml or (output is None and not sys.stdout.isatty()):
        _settings(rows)
    else:
        table = Table("name", "", "patterns", "reason", box=None, padding=(0, 2, 0, 0), header_style="dim")
        for rules in _named(rows):
            table.add_row(rules[0]["name"], verdict(rules[0]["type"]), str(len(rules)), rules[0]["reason"])
        console().print(table)


def _named(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Rules grouped by name."""
    for name in dict.fromkeys(row["name"] for row in rows):
        yield [row for row in rows if row["name"] == name]


def _shared(rule: dict[str, Any]) -> dict[str, Any]:
    return {key: rule[key] for key in ("name", "type", "reason")}


def _own(rule: dict[str, Any]) -> dict[str, Any]:
    return {key: rule[key] for key in ("match", "instead", "unless") if key in rule}


def _settings(rows: list[dict[str, Any]]) -> None:
    typer.echo(f"# The policy that ships with hookkit {__version__}, to change as you like.\n[policy]\nbase = false")
    for rule in rows:
        lines = [f"{key} = {_toml(value)}" for key, value in rule.items() if key != "source"]
        typer.echo("\n[[rules]]\n" + "\n".join(lines))


def _toml(text: str) -> str:
    """A literal string where a backslash would have to be doubled; JSON's way of quoting is TOML's, too."""
    return f"'{text}'" if "\\" in text and "'" not in text else json.dumps(text, ensure_ascii=False)


@command.command()
def show(output: Printed = Output.table) -> None:
    """Show every rule in force here, in the order in which they are asked, by the layer that it comes from.

    Example: hookkit policy show --output json
    """
    here = _here()
    policy = here.settings.policy
    settings = {name: policy[name] for name in ("default", "unattended", "actor")}
    if output is Output.json:
        echo_json({**settings, "rules": [rule_row(rule, here) for rule in policy["rules"]]})
        return
    out = console()
    here.warn(out)
    for layer, rules in groupby(policy["rules"], here.layer):
        _layer(out, layer, list(rules), here)
    said = [f"{name} = {json.dumps(value)}" for name, value in settings.items() if value]
    out.print(Text(f"{len(policy['rules'])} rules; {', '.join(said)}.", "dim"))


def _layer(out: Console, layer: str, rules: list[dict[str, Any]], here: Here) -> None:
    source = here.path(str(rules[0].get("source", "")))
    out.print(Text(layer, "bold"), Text(source if layer in here.layers.values() else "", "dim"), soft_wrap=True)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(style="dim", ratio=1)
    before = ""
    for rule in rules:
        note = _note(rule)
        said = note if note != before or rule.get("actors") else ""  # once, where it goes for the next rules, too
        table.add_row(Text("  ") + verdict(rule["type"]), Text(rule.get("match", "*")), Text(said))
        before = note
    out.print(table)
    out.print()


def _note(rule: dict[str, Any]) -> str:
    """Whom it is about, what it does, why, and what to do instead."""
    changed = f"{rule.get('field')}: {rule.get('replace', rule.get('regex'))} → {rule.get('with')}"
    parts = [
        f"for {', '.join(rule['actors'])}" if rule.get("actors") else "",
        changed if rule["type"] == "modify" else "",
        f"asks {rule['run']}" if "run" in rule else "",
        rule.get("reason", ""),
        f"Instead: {rule['instead']}" if "instead" in rule else "",
    ]
    return " ".join(part for part in parts if part)


@command.command()
def actors(output: Printed = Output.table) -> None:
    """Show who may do what: each actor's rules, and those that hold for everyone.

    Example: hookkit policy actors
    """
    here = _here()
    found = dict(_actors(here))
    if output is Output.json:
        echo_json(found)
        return
    out = console()
    here.warn(out)
    usual = here.settings.policy["actor"]
    for actor, lists in found.items():
        out.print(Text(actor, "bold"), Text("unless the call says otherwise" if actor == usual else "", "dim"))
        table = Table.grid(padding=(0, 2, 0, 0))
        for name, patterns in lists.items():
            table.add_row(Text("  ") + verdict(name), Text("\n".join(patterns)))
        out.print(table)
        out.print()
    shipped = sum(rule.get("source") == "base" for rule in here.settings.policy["rules"])
    out.print(Text(f"{shipped} rules that ship hold for everyone: hookkit policy show", "dim"))


def _actors(here: Here) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Each actor's patterns by verdict, the strictest first."""
    rules = [rule for rule in here.settings.policy["rules"] if rule.get("source") != "base"]
    names = dict.fromkeys(actor for rule in rules for actor in rule.get("actors") or [EVERYONE])
    for name in names:
        own = [rule for rule in rules if name in (rule.get("actors") or [EVERYONE])]
        kinds = [kind for kind in TYPES if any(rule["type"] == kind for rule in own)]
        yield name, {kind: [rule.get("match", "*") for rule in own if rule["type"] == kind] for kind in kinds}


def _here() -> Here:
    try:
        return Here()
    except ConfigError as error:
        stop(error)
