"""Hooks of one format written in another. Parts without an equal are listed in `lost`."""

import os
import re
from typing import Any

from hookkit import registry
from hookkit.errors import ConfigError
from hookkit.handlers.answer import matches
from hookkit.settings import hook_files, hook_rows
from hookkit.settings.documents import yaml_text
from hookkit.settings.documents.json_text import JsonEditor
from hookkit.settings.documents.toml_text import TomlDocument, written
from hookkit.settings.hook_files import Hooks
from hookkit.settings.mistakes import SettingsCheck

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Row = dict[str, Any]


TARGETS = ("hookkit", "claude", "codex", "gemini")
SEQUENCE = "the order: this agent runs all hooks of an event at the same time"


def read(path: str, text: str) -> Hooks:
    """The hooks of any file that hookkit knows, by its name."""
    if path.endswith(".toml"):
        return _toml(path, text)
    if path.endswith(".json"):
        return hook_files.of_client(_json(path, text))
    if path.endswith(".key"):
        return _genesis(path, text)
    head = hook_files.frontmatter(text)
    tree, wrong = yaml_text.read(path, head)
    if wrong:
        raise ConfigError(str(wrong[0]))
    data = tree.plain() if tree is not None else {}
    return hook_files.of_client(data if isinstance(data, dict) else {})


def _toml(path: str, text: str) -> Hooks:
    document = TomlDocument(path, text)
    if document.problem is not None:
        raise ConfigError(str(document.problem))
    hooks = hook_files.of_cocode(document.data)
    hooks.lost = [item.replace("unknown field", "the setting") for item in hooks.lost]
    return hooks


def _json(path: str, text: str) -> "Row":
    import json

    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not JSON: {error}") from None
    return data if isinstance(data, dict) else {}


def _genesis(path: str, text: str) -> Hooks:
    """Rules of type command; the other rules are no hooks."""
    from hookkit.settings.formats.genesis import GenesisFile

    file, hooks = GenesisFile(path, text), Hooks()
    if file.findings:
        raise ConfigError(str(file.findings[0]))
    for rule in file.rules:
        label = f"{rule['type']} {rule.get('match', '*')}"
        if rule["type"] != "command":
            hooks.lost.append(f"{label}: a rule, which hookkit reads from genesis.key itself")
            continue
        config = rule.get("config")
        event = config.get("event", "PreToolUse") if isinstance(config, dict) else "PreToolUse"
        row: Row = {"event": event, "command": {"command": rule["run"]}}
        if event != "Stop" and rule.get("match", "*") != "*":
            row["if"] = rule["match"]
        row |= {"timeout_sec": rule["timeout"]} if rule.get("timeout") else {}
        hooks.rows.append(row)
    return hooks


def write(hooks: Hooks, target: str) -> tuple[str, list[str]]:
    """The text of the new file, and the parts that are lost."""
    lost = list(hooks.lost)
    if target == "hookkit":
        hooks.rows = named([row for row in hooks.rows if not is_hookkit(row)])
        return written(hooks.data), lost
    import json

    data = _client(hooks, target, lost)
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n", lost


def _client(hooks: Hooks, target: str, lost: list[str]) -> "Row":
    agent = registry.find("agents", target)
    names = {ours: theirs for theirs, ours in agent.EVENTS.items()} if target != "claude" else {}
    groups: dict[str, list[Row]] = {}
    for table, row in hook_files.handlers(hooks.rows):
        label = f"{row['event']} {row.get('name') or row.get('matcher') or table}".strip()
        event = names.get(row["event"], "" if names else row["event"])
        if not event:
            lost.append(f"{label}: {agent.TITLE} has no event like {row['event']}")
            continue
        parts: list[str] = []
        handler = _handler(table, row, target, parts.append)
        lost += [f"{label}: {part}" for part in parts]
        if handler is None:
            continue
        group: Row = {"matcher": _matcher(row, agent, target)} if row.get("matcher", row.get("tool_matcher")) else {}
        if target == "gemini" and row.get("mode", "sequence") == "sequence":
            group["sequential"] = True
        groups.setdefault(event, []).append({**group, "hooks": [handler]})
    events = [row["event"] for row in hooks.rows if row.get("mode", "sequence") == "sequence"]
    if target != "gemini" and len(events) > len(set(events)):
        lost.append(SEQUENCE)
    switches = {"disableAllHooks": True} if hooks.switches.get("disable_all_hooks") and target == "claude" else {}
    return {**switches, "hooks": groups}


def _matcher(row: "Row", agent: "Any", target: str) -> str:
    """The matcher with the agent's own names of tools; `Prefix*` becomes a regular expression."""
    source = str(row.get("matcher", row.get("tool_matcher", "")))
    parts = []
    for part in source.split("|") if not source.startswith("^") else [source]:
        tools = {} if target == "claude" else agent.TOOLS
        own = [name for name, (tool, _) in tools.items() if matches(part, tool)]
        parts += own or [f"{part[:-1]}.*" if part.endswith("*") and not part.endswith(".*") and len(part) > 1 else part]
    return "|".join(parts)


def _handler(table: str, row: "Row", target: str, lose: "Callable[[str], None]") -> "Row | None":
    kind, body = ("command" if table == "shell" else table), row[table]
    if kind == "inline" or (kind != "command" and target != "claude"):
        lose(f"a handler of kind {kind} has no equal here")
        return None
    made = _body(kind, body, lose)
    limit = row.get("timeout_sec", body.get("timeout"))
    if limit is not None:
        made["timeout"] = limit * registry.find("agents", target).TIMEOUT[1] if target != "claude" else limit
    if target == "gemini" and row.get("name"):
        made["name"] = row["name"]
    _options(row, target, made, lose)
    return made


def _body(kind: str, body: "Row", lose: "Callable[[str], None]") -> "Row":
    if kind == "command":
        words = body["command"]
        for name in ("pass_context", "parse_result"):
            if body.get(name) is False:
                lose(f"{name} = false")
        text = words if isinstance(words, str) else " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
        return {"type": "command", "command": text}
    if kind == "webhook":
        if str(body.get("method", "post")).lower() != "post":
            lose("method = Put")
        extra = {"headers": body["headers"]} if "headers" in body else {}
        extra |= {"allowedEnvVars": body["allowed_env"]} if "allowed_env" in body else {}
        return {"type": "http", "url": body["url"], **extra}
    return {"type": kind, "prompt": body["prompt"], **({"model": body["model"]} if "model" in body else {})}


def _options(row: "Row", target: str, made: "Row", lose: "Callable[[str], None]") -> None:
    """The fields beside the handler: carried over where the agent has them, else listed."""
    is_claude = target == "claude"
    if row.get("on_failure") == "reject":
        if is_claude:
            made["onFailure"] = "block"
        else:
            lose("on_failure = reject")
    for name, is_carried in (
        ("if", is_claude),
        ("async", target in ("claude", "codex")),
        ("once", False),
        ("batch", False),
    ):
        if row.get(name) and is_carried:
            made[name] = row[name]
        elif row.get(name):
            lose(name)


MovedRow = dict[str, Any]

SCRIPTS = (".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php")
WORDS = 3  # of a command without a script, for its name
LONGEST = 40


class Moved:
    """The texts of both files afterwards; `rows` were moved, `present` names those that the target had already.

    `left` says why others stay.
    """

    def __init__(self, path: str, text: str, target: str, target_text: str) -> None:
        hooks = hook_files.of_client(JsonEditor(path, text).plain())
        self.left = hooks.lost
        whole = [
            (row, place)
            for row, (label, place) in zip(hooks.rows, hooks.places, strict=True)
            if not is_hookkit(row) and not any(item.startswith(f"{label}:") for item in hooks.lost)
        ]
        there = _rows(target, target_text)
        # The same handler, whatever its name.
        alike = [next((one for one in there if {**one, "name": ""} == {**row, "name": ""}), None) for row, _ in whole]
        self.present = [str(one.get("name", one["event"])) for one in alike if one is not None]
        fresh = [row for (row, _), one in zip(whole, alike, strict=True) if one is None]
        self.rows = named(fresh, {str(row.get("name")) for row in there})
        self.source = _without(path, text, [place for _, place in whole])
        self.target = _with(target, target_text, self.rows) if self.rows else target_text


def is_hookkit(row: MovedRow) -> bool:
    """Whether the row of a client's file calls hookkit: that stays where it is."""
    return "command" in row and hook_rows.is_hookkit({"body": {"command": _text(row["command"]["command"])}})


def named(rows: list[MovedRow], taken: "set[str] | None" = None) -> list[MovedRow]:
    """The rows, each with a name of its own: that of its script, such as `no-main`."""
    names = {*(taken or ()), *(row["name"] for row in rows if row.get("name"))}
    result = []
    for row in rows:
        name = row.get("name") or _free(_name(row), names)
        names.add(name)
        result.append({"event": row["event"], "name": name, **{key: row[key] for key in row if key != "event"}})
    return result


def _free(name: str, taken: set[str]) -> str:
    return next(free for n in range(1, 10_000) if (free := f"{name}-{n}" if n > 1 else name) not in taken)


def _name(row: MovedRow) -> str:
    kind, table = next(hook_files.handlers([row]), ("", {}))
    if kind == "inline":
        return str(table[kind]["function"]).rpartition(":")[2]
    if kind == "webhook":
        return re.sub(r"^\w+://([^/?#]*).*", r"\1", str(table[kind]["url"]), flags=re.DOTALL)[:LONGEST] or kind
    if kind not in ("command", "shell"):
        return kind or "handler"
    words = [word for word in re.split(r"[\s;|&()<>'\"`]+", _text(table[kind]["command"])) if word]
    script = next((word for word in words if word.endswith(SCRIPTS)), "")
    text = os.path.splitext(os.path.basename(script))[0] or "-".join(word for word in words[:WORDS] if word[:1] != "-")
    return re.sub(r"[^\w.-]+", "-", text).strip("-.")[:LONGEST] or kind


def _text(command: object) -> str:
    return " ".join(map(str, command)) if isinstance(command, list) else str(command)


def _rows(path: str, text: str) -> "list[dict[str, Any]]":
    data = TomlDocument(path, text)
    if data.problem is not None:
        raise ConfigError(str(data.problem))
    rows = data.data.get("hooks")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _without(path: str, text: str, places: "list[tuple[str | int, ...]]") -> str:
    """The old file without these handlers, and without the groups and events left empty."""
    editor = JsonEditor(path, text)
    for place in reversed(places):
        editor.remove(place)
        group, event = place[:3], place[:2]
        if editor.has((*group, "hooks")) and not editor.root.find((*group, "hooks")).value:
            editor.remove(group)
        for above in (event, ("hooks",)):
            if not editor.root.find(above).value:
                editor.remove(above)
    return editor.text


def _with(path: str, text: str, rows: list[MovedRow]) -> str:
    """The new file; its other lines stay as they are."""
    whole = f"{text.rstrip()}\n\n{written({'hooks': rows})}".lstrip()
    document = TomlDocument(path, whole)
    if document.problem is not None:
        raise ConfigError(f"{path}: hookkit cannot add rows to this file: {document.problem.message}")
    mistakes = SettingsCheck({"hooks": rows}, os.path.dirname(path)).defects
    if mistakes:
        raise ConfigError(f"{path}: {mistakes[0].message}")
    return whole
