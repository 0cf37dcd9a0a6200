"""Showing suggested rules, and writing them: to hookkit.toml, or to the agent's own settings."""

import difflib
import json
import os
from typing import Any

from hookkit.cli._console import Text, console, echo_json, fail, say, short, stop, table
from hookkit.cli._ledger_filters import moment
from hookkit.errors import HookkitError
from hookkit.policy.rules import spread
from hookkit.replay import dialogs
from hookkit.replay.mining import Mine, Suggestion
from hookkit.settings import layers
from hookkit.system import agents, files

CLAUDE = "claude"
AGENT = "an agent runs this, and only a person can allow calls: run it in a terminal of your own"
UNSAID = "Nothing to write: Claude Code can express none of these rules. Without --agent, hookkit.toml gets them."
BACKUP = ".before-hookkit-suggest"


def suggest(since: str, least: int, to: str, agent: str, *, apply: bool, as_json: bool) -> None:
    if agent not in ("", CLAUDE):
        stop(f"--agent {agent}: only claude has rules of its own that hookkit writes")
    environ = dict(os.environ)
    try:
        mine = Mine(dialogs.read(environ, moment(since)), environ, least)
    except (HookkitError, OSError) as error:
        stop(error)
    every = mine.suggestions()
    known = set() if agent else _known(environ)
    found = [one for one in every if one.match not in known]
    native, unsaid = _native(found) if agent else ([], [])
    if as_json and not apply:
        rows = [one.as_dict() for one in found]
        more = {"native": native, "cannot_be_said": [one.match for one in unsaid]} if agent else {}
        echo_json({"prompts": mine.prompts, "saved": mine.covered([one.match for one in found]), "rules": rows, **more})
        return
    if every and not found:
        count = f"{len(every)} rule{'s' * (len(every) != 1)}"
        say(f"No rule to suggest: your settings have the {count} that your approvals give.")
        return
    _show(mine, found, unsaid)
    if not (apply and found):
        return
    if agents.agent(environ):
        fail(AGENT)
    if not agent:
        _write(found, to or _own(environ))
    elif native:
        _write_native(native, to)
    else:
        say(UNSAID)


def _known(environ: dict[str, str]) -> set[str]:
    """The patterns of the allow rules in force here: a prompt that they save comes no more."""
    rules = layers.load(os.getcwd(), environ).policy["rules"]
    return {rule["match"] for rule in rules if rule["type"] == "allow"}


def _show(mine: Mine, found: list[Suggestion], unsaid: list[Suggestion]) -> None:
    out = console()
    if not found:
        prompts = f"{mine.prompts} approved prompt{'s' * (mine.prompts != 1)}"
        needed = f"A rule needs {mine.least} approvals of the same call in a dialog"
        out.print(f"No rule to suggest. {needed}; the ledger has {prompts}.", soft_wrap=True)
        return
    rows = table("rule", "prompts saved", "examples")
    for one in found:
        rows.add_row(Text(f"allow {one.match}"), str(one.saved), Text("\n".join(short(text) for text in one.examples)))
    out.print(rows)
    saved = mine.covered([one.match for one in found])
    out.print(
        f"{len(found)} rule{'s' * (len(found) != 1)} would have saved {saved} of {mine.prompts} approved prompts.",
        soft_wrap=True,
    )
    for one in unsaid:
        out.print(Text(f"Claude Code has no rule that means exactly this: {one.match}", "yellow"), soft_wrap=True)


def _own(environ: dict[str, str]) -> str:
    own = [path for layer, path in layers.layers("", environ) if layer == "user" and path.endswith("hookkit.toml")]
    return own[0] if own else stop("there is no home directory to write to: give --to FILE")


def _write(found: list[Suggestion], path: str) -> None:
    """New rows at the end of the file; comments and order stay."""
    import tomlkit

    before = _text(path)
    try:
        document = tomlkit.parse(before)
        if "rules" not in document and before.strip():
            document.add(tomlkit.nl())
        rules = document.setdefault("rules", tomlkit.aot())
        known = {str(pattern.get("match")) for rule in rules for pattern in spread(rule)}
        for one in found:
            if one.match not in known:
                row = tomlkit.table()
                row.update({"type": "allow", "match": one.match, "reason": f"You approved this {one.saved} times."})
                rules.append(row)
        after = tomlkit.dumps(document)
    except (ValueError, TypeError, AttributeError) as error:
        stop(f"{path}: {error}")
    _replace(path, before, after)


def _native(found: list[Suggestion]) -> tuple[list[str], list[Suggestion]]:
    """Claude's own rules match text: the same is said only by a command without a pattern, or by a domain."""
    plain = [one for one in found if "*" not in one.match]
    return [one.match for one in plain], [one for one in found if one not in plain]


def _write_native(rules: list[str], to: str) -> None:
    path = to or os.path.join(files.repository(os.getcwd()), ".claude", "settings.local.json")
    before = _text(path)
    try:
        value: Any = json.loads(before or "{}")
        allow = value.setdefault("permissions", {}).setdefault("allow", [])
        allow += [rule for rule in rules if rule not in allow]
    except (ValueError, AttributeError, TypeError):
        stop(f"{path}: not a settings file of Claude Code")
    _replace(path, before, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        stop(f"{path}: {error}")


def _replace(path: str, before: str, after: str) -> None:
    """Show the diff, keep the old file beside the new one."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="")
    for line in lines:
        say(line, {"+": "green", "-": "red"}.get(line[:1], "dim"))
    if before == after:
        say("Nothing to write: the rules are there.")
        return
    path = os.path.realpath(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if before:
        files.keep(path + BACKUP, before.encode())
    files.keep(path, after.encode())
    say(f"Written: {path}", "green")
