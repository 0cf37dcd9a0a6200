"""Showing the policy: the shipped rules, the rules in force, the rules of each actor."""

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rich.table import Table

from hookkit import __version__
from hookkit.cli._console import Console, Text, console, echo, echo_json, verdict
from hookkit.cli._here import Here, here
from hookkit.policy.rules import TYPES, compile_rules

EVERYONE = "everyone"


def print_base(*, as_json: bool) -> None:
    rules = [{key: value for key, value in rule.items() if key != "source"} for rule in compile_rules({})["rules"]]
    if as_json:
        echo_json(rules)
        return
    echo(f"# The policy that ships with hookkit {__version__}, to change as you like.\n[policy]\nbase = false")
    for rule in rules:
        echo("\n[[rules]]\n" + "\n".join(f"{key} = {_toml(value)}" for key, value in rule.items()))


def _toml(text: str) -> str:
    """A literal string for a text with backslashes; JSON's way of quoting is valid TOML for the rest."""
    return f"'{text}'" if "\\" in text and "'" not in text else json.dumps(text, ensure_ascii=False)


def show(*, as_json: bool) -> None:
    place = here()
    policy = place.settings.policy
    settings = {name: policy[name] for name in ("default", "unattended", "actor")}
    if as_json:
        echo_json({**settings, "rules": [place.rule_row(rule) for rule in policy["rules"]]})
        return
    out = console()
    place.warn(out)
    for layer, rules in groupby(policy["rules"], place.layer):
        _layer(out, layer, list(rules), place)
    said = [f"{name} = {json.dumps(value)}" for name, value in settings.items() if value]
    out.print(Text(f"{len(policy['rules'])} rules; {', '.join(said)}.", "dim"))


def _layer(out: Console, layer: str, rules: list[dict[str, Any]], place: Here) -> None:
    source = place.path(str(rules[0].get("source", "")))
    out.print(Text(layer, "bold"), Text(source if layer in place.layers.values() else "", "dim"), soft_wrap=True)
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_column(style="dim", ratio=1)
    before = ""
    for rule in rules:
        note = _note(rule)
        said = note if note != before or rule.get("actors") else ""  # only once for rules with the same note
        grid.add_row(Text("  ") + verdict(rule["type"]), Text(rule.get("match", "*")), Text(said))
        before = note
    out.print(grid)
    out.print()


def _note(rule: dict[str, Any]) -> str:
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
