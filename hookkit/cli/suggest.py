"""Showing suggested rules, and writing them: to hookkit.toml, or to the agent's own settings."""

import difflib
import json
import os
from typing import Annotated, Any

from hookkit.cli._command import Option
from hookkit.cli._console import Output, only_a_person, plural, sentence, short, stop
from hookkit.cli._here import moment
from hookkit.cli._view import Table, View, Wide
from hookkit.play.mining import LEAST, Mine, Suggestion, read
from hookkit.policy.rules import spread
from hookkit.settings import layers
from hookkit.system import files

CLAUDE = "claude"
UNSAID = "Nothing to write: Claude Code can express none of these rules. Without --agent, hookkit.toml gets them."
BACKUP = ".before-hookkit-suggest"


def command(
    *,
    since: Annotated[str, Option(metavar="TIME", help="Only after this: 12h, 30d, or a date.")] = "30d",
    least: Annotated[int, Option(least=1, metavar="N", help="Approvals that a rule needs.")] = LEAST,
    apply: Annotated[bool, Option("--apply", help="Show the diff, then write the rules.")] = False,
    to: Annotated[str, Option(metavar="FILE", help="Where to write; by default your own hookkit.toml.")] = "",
    agent: Annotated[str, Option(metavar="NAME", help="Write the agent's own rules: claude.")] = "",
) -> Output:
    """Suggest rules from the permission dialogs that you answered with yes.

    Each rule has the exact words of commands that you approved; only a path of
    a program that reads or tests may become a pattern. No rule covers a call
    that you refused, or that the shipped policy stops.

    Example: hookkit suggest --since 7d

    Example: hookkit suggest --apply

    Example: hookkit suggest --agent claude --apply
    """
    if agent not in ("", CLAUDE):
        stop(f"--agent {agent}: only claude has rules of its own that hookkit writes")
    environ = dict(os.environ)
    mine = Mine(read(environ, moment(since)), environ, least)
    every = mine.suggestions()
    known = set() if agent else _known(environ)
    rules = [one for one in every if one.match not in known]
    native, unsaid = _native(rules) if agent else ([], [])
    more = {"native": native, "cannot_be_said": [one.match for one in unsaid]} if agent else {}
    saved = mine.covered([one.match for one in rules])
    value = {"prompts": mine.prompts, "saved": saved, "rules": [one.as_dict() for one in rules], **more}
    if every and not rules:
        return Output(
            value, f"No rule to suggest: your settings have the {plural(len(every), 'rule')} that your approvals give."
        )
    view = _view(mine, rules, unsaid)
    if apply and rules:
        only_a_person("allow calls", at_terminal=False)
        view += (
            _write(rules, to or _own_settings_path(environ))
            if not agent
            else _write_native(native, to)
            if native
            else [Wide(UNSAID)]
        )
    return Output(value, view)


def _known(environ: dict[str, str]) -> set[str]:
    """The patterns of the allow rules in force here: a prompt that they save comes no more."""
    rules = layers.load(os.getcwd(), environ).policy["rules"]
    return {rule["match"] for rule in rules if rule["type"] == "allow"}


def _view(mine: Mine, rules: list[Suggestion], unsaid: list[Suggestion]) -> list[View]:
    if not rules:
        needed = f"A rule needs {mine.least} approvals of the same call in a dialog"
        return [sentence(f"No rule to suggest. {needed}; the log has {plural(mine.prompts, 'approved prompt')}.")]
    rows = Table("rule", "saves", "examples", right=("saves",))
    for one in rules:
        rows.add(f"allow {one.match}", one.saved, "\n".join(short(text) for text in one.examples))
    saved = mine.covered([one.match for one in rules])
    total = f"{plural(len(rules), 'rule')} would have saved {saved} of {mine.prompts} approved prompts."
    lost = [Wide(f"Claude Code has no rule that means exactly this: {one.match}", "yellow") for one in unsaid]
    return [rows, Wide(total), *lost]


def _own_settings_path(environ: dict[str, str]) -> str:
    own = [path for layer, path in layers.layers("", environ) if layer == "user" and path.endswith("hookkit.toml")]
    return own[0] if own else stop("there is no home directory to write to: give --to FILE")


def _write(rules: list[Suggestion], path: str) -> list[Wide]:
    """New rows at the end of the file; comments and order stay."""
    import tomlkit

    before = _text(path)
    try:
        document = tomlkit.parse(before)
        if "rules" not in document and before.strip():
            document.add(tomlkit.nl())
        present = document.setdefault("rules", tomlkit.aot())
        known = {str(pattern.get("match")) for rule in present for pattern in spread(rule)}
        for one in rules:
            if one.match not in known:
                row = tomlkit.table()
                row.update({"type": "allow", "match": one.match, "reason": f"You approved this {one.saved} times."})
                present.append(row)
        after = tomlkit.dumps(document)
    except (ValueError, TypeError, AttributeError) as error:
        stop(f"{path}: {error}")
    return _replace(path, before, after)


def _native(rules: list[Suggestion]) -> tuple[list[str], list[Suggestion]]:
    """Claude's own rules match text: the same is said only by a command without a pattern, or by a domain."""
    plain = [one for one in rules if "*" not in one.match]
    return [one.match for one in plain], [one for one in rules if one not in plain]


def _write_native(rules: list[str], to: str) -> list[Wide]:
    path = to or os.path.join(files.repository(os.getcwd()), ".claude", "settings.local.json")
    before = _text(path)
    try:
        value: Any = json.loads(before or "{}")
        allow = value.setdefault("permissions", {}).setdefault("allow", [])
        allow += [rule for rule in rules if rule not in allow]
    except (ValueError, AttributeError, TypeError):
        stop(f"{path}: not a settings file of Claude Code")
    return _replace(path, before, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        stop(f"{path}: {error}")


def _replace(path: str, before: str, after: str) -> list[Wide]:
    """Write the new file and keep the old one beside it; the difference is shown."""
    diff = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="")
    lines = [Wide(line, {"+": "green", "-": "red"}.get(line[:1], "dim")) for line in diff]
    if before == after:
        return [*lines, Wide("Nothing to write: the rules are there.")]
    path = os.path.realpath(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if before:
        files.keep(path + BACKUP, before.encode())
    files.keep(path, after.encode())
    return [*lines, Wide(f"Written: {path}", "green")]
