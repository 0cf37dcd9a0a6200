"""Showing the policy: the shipped rules, the rules in force, the rules of each actor."""

import json
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rich.table import Table

from hookkit import __version__
from hookkit.cli._console import Console, Text, console, echo, echo_json, verdict
from hookkit.cli._here import Here, here
from hookkit.policy import base
from hookkit.policy.rules import TYPES, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Groups
    from hookkit.policy.types import Rule

    Patterns = list[str | None]

EVERYONE = "everyone"


def show_base(output: str | None) -> None:
    """The shipped rules by name; as settings where the output goes into a file."""
    if output == "json":
        echo_json([{**_shared(rules[0]), "patterns": [_own(rule) for rule in rules]} for rules in _named(base.RULES)])
    elif output == "toml" or (output is None and not sys.stdout.isatty()):
        _print_settings()
    else:
        table = Table("name", "", "patterns", "reason", box=None, padding=(0, 2, 0, 0), header_style="dim")
        for rules in _named(base.RULES):
            first = rules[0]
            table.add_row(Text(first["name"]), verdict(first["type"]), str(len(rules)), Text(first["reason"]))
        console().print(table)


def _named(rows: "list[Rule]") -> "Iterator[list[Rule]]":
    """Rules grouped by name."""
    for name in dict.fromkeys(row["name"] for row in rows):
        yield [row for row in rows if row["name"] == name]


def _shared(rule: "Rule") -> dict[str, Any]:
    return {key: rule[key] for key in ("name", "type", "reason")}


def _own(rule: "Rule") -> dict[str, Any]:
    return {key: rule[key] for key in ("match", "instead", "unless") if key in rule}


def _print_settings() -> None:
    """The files of the shipped policy as they are written, with their comments."""
    echo(f"# The policy that ships with hookkit {__version__}, to change as you like.\n[policy]\nbase = false")
    for name in base.FILES:
        echo("\n" + base.text(name).rstrip())


def show(*, as_json: bool) -> None:
    place = here()
    policy = place.settings.policy
    rows = pack(policy["rules"])
    settings = {name: policy[name] for name in ("default", "unattended", "actor")}
    if as_json:
        echo_json({**settings, "rules": [{**place.rule_row(rule), **_match(patterns)} for rule, patterns in rows]})
        return
    out = console()
    place.warn(out)
    for layer, layered in groupby(rows, lambda row: place.layer(row[0])):
        _layer(out, layer, list(layered), place)
    said = [f"{name} = {json.dumps(value)}" for name, value in settings.items() if value]
    out.print(Text(f"{len(rows)} rules with {len(policy['rules'])} patterns; {', '.join(said)}.", "dim"))


def _match(patterns: "Patterns") -> dict[str, Any]:
    """The field as people write it: a text, or a list of texts."""
    if patterns[0] is None:
        return {}
    return {"match": patterns if len(patterns) > 1 else patterns[0]}


def _layer(out: Console, layer: str, rows: "Groups", place: Here) -> None:
    source = place.path(str(rows[0][0].get("source", "")))
    out.print(Text(layer, "bold"), Text(source if layer in place.layers.values() else "", "dim"), soft_wrap=True)
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_column(style="dim", ratio=1)
    before = ""
    for rule, patterns in rows:
        note = _note(rule)
        said = note if note != before or rule.get("actors") else ""  # only once for rules with the same note
        grid.add_row(
            Text("  ") + verdict(rule["type"]), Text("\n".join(pattern or "*" for pattern in patterns)), Text(said)
        )
        before = note
    out.print(grid)
    out.print()


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


def show_actors(*, as_json: bool) -> None:
    place = here()
    found = dict(_actors(place))
    if as_json:
        echo_json(found)
        return
    out = console()
    place.warn(out)
    usual = place.settings.policy["actor"]
    for actor, lists in found.items():
        out.print(Text(actor, "bold"), Text("unless the call says otherwise" if actor == usual else "", "dim"))
        grid = Table.grid(padding=(0, 2, 0, 0))
        for name, patterns in lists.items():
            grid.add_row(Text("  ") + verdict(name), Text("\n".join(patterns)))
        out.print(grid)
        out.print()
    shipped = sum(rule.get("source") == "base" for rule in place.settings.policy["rules"])
    out.print(Text(f"{shipped} shipped rules hold for everyone: hookkit policy show", "dim"))


def _actors(place: Here) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Each actor's patterns by verdict, the strictest first."""
    rules = [rule for rule in place.settings.policy["rules"] if rule.get("source") != "base"]
    names = dict.fromkeys(actor for rule in rules for actor in rule.get("actors") or [EVERYONE])
    for name in names:
        own = [rule for rule in rules if name in (rule.get("actors") or [EVERYONE])]
        kinds = [kind for kind in TYPES if any(rule["type"] == kind for rule in own)]
        yield name, {kind: [rule.get("match", "*") for rule in own if rule["type"] == kind] for kind in kinds}
