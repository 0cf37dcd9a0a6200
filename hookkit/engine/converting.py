"""Hooks of one format written in another. Parts without an equal are listed in `lost`."""

from hookkit import registry
from hookkit.documents import yaml_text
from hookkit.documents.toml_text import TomlDocument
from hookkit.engine.matching import matches
from hookkit.errors import ConfigError
from hookkit.settings import hook_formats
from hookkit.settings.hook_formats import Hooks
from hookkit.settings.toml_writer import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Row = dict[str, Any]

TARGETS = ("hookkit", "claude", "codex", "gemini")
SEQUENCE = "the order: this agent runs all hooks of an event at the same time"


def read(path: str, text: str) -> Hooks:
    """The hooks of any file that hookkit knows, by its name."""
    if path.endswith(".toml"):
        return _toml(path, text)
    if path.endswith(".json"):
        return hook_formats.of_client(_json(path, text))
    if path.endswith(".key"):
        return _genesis(path, text)
    head = hook_formats.frontmatter(text)
    tree, wrong = yaml_text.read(path, head)
    if wrong:
        raise ConfigError(str(wrong[0]))
    data = tree.plain() if tree is not None else {}
    return hook_formats.of_client(data if isinstance(data, dict) else {})


def _toml(path: str, text: str) -> Hooks:
    document = TomlDocument(path, text)
    if document.problem is not None:
        raise ConfigError(str(document.problem))
    found = hook_formats.of_cocode(document.data)
    found.lost = [said.replace("unknown field", "the setting") for said in found.lost]
    return found


def _json(path: str, text: str) -> "Row":
    import json

    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not JSON: {error}") from None
    return data if isinstance(data, dict) else {}


def _genesis(path: str, text: str) -> Hooks:
    """Rules of type command; the other rules are no hooks."""
    from hookkit.settings.genesis import GenesisFile

    file, found = GenesisFile(path, text), Hooks()
    if file.findings:
        raise ConfigError(str(file.findings[0]))
    for rule in file.rules:
        label = f"{rule['type']} {rule.get('match', '*')}"
        if rule["type"] != "command":
            found.lost.append(f"{label}: a rule, which hookkit reads from genesis.key itself")
            continue
        config = rule.get("config")
        event = config.get("event", "PreToolUse") if isinstance(config, dict) else "PreToolUse"
        row: Row = {"event": event, "command": {"command": rule["run"]}}
        if event != "Stop" and rule.get("match", "*") != "*":
            row["if"] = rule["match"]
        row |= {"timeout_sec": rule["timeout"]} if rule.get("timeout") else {}
        found.rows.append(row)
    return found


def write(hooks: Hooks, target: str) -> tuple[str, list[str]]:
    """The text of the new file, and the parts that are lost."""
    lost = list(hooks.lost)
    if target == "hookkit":
        return written(hooks.data), lost
    import json

    data = _client(hooks, target, lost)
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n", lost


def _client(hooks: Hooks, target: str, lost: list[str]) -> "Row":
    agent = registry.find("dialects", target)
    names = {ours: theirs for theirs, ours in agent.EVENTS.items()} if target != "claude" else {}
    found: dict[str, list[Row]] = {}
    for table, row in hook_formats.handlers(hooks.rows):
        label = f"{row['event']} {row.get('name') or row.get('matcher') or table}".strip()
        event = names.get(row["event"], "" if names else row["event"])
        if not event:
            lost.append(f"{label}: {agent.TITLE} has no event like {row['event']}")
            continue
        handler = _handler(table, row, target, _loser(lost, label))
        if handler is None:
            continue
        group: Row = {"matcher": _matcher(row, agent, target)} if row.get("matcher", row.get("tool_matcher")) else {}
        if target == "gemini" and row.get("mode", "sequence") == "sequence":
            group["sequential"] = True
        found.setdefault(event, []).append({**group, "hooks": [handler]})
    _order(hooks, target, lost)
    switches = {"disableAllHooks": True} if hooks.switches.get("disable_all_hooks") and target == "claude" else {}
    return {**switches, "hooks": found}


def _loser(lost: list[str], label: str) -> "Callable[[str], None]":
    return lambda said: lost.append(f"{label}: {said}")


def _order(hooks: Hooks, target: str, lost: list[str]) -> None:
    events = [row["event"] for row in hooks.rows if row.get("mode", "sequence") == "sequence"]
    if target != "gemini" and len(events) > len(set(events)):
        lost.append(SEQUENCE)


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
        made["timeout"] = limit * registry.find("dialects", target).TIMEOUT[1] if target != "claude" else limit
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
