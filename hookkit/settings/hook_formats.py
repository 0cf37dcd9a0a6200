"""Hooks of other programs as rows of `[[hooks]]`: cocode's TOML and JSON, Claude Code's settings, plugins and skills.

A part that has no equal in a row is listed in `lost`, never dropped in silence.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Row = dict[str, Any]

KINDS = {"command": "command", "shell": "command", "http": "webhook", "webhook": "webhook", "prompt": "prompt",
         "agent": "agent"}  # fmt: skip
NEEDS = {"command": "command", "webhook": "url", "prompt": "prompt", "agent": "prompt"}
COPIED = {"headers": "headers", "allowedEnvVars": "allowed_env", "method": "method", "model": "model"}
FAILURES = {"block": "reject", "continue": "continue"}
# Fields that only change how a client shows a hook.
QUIET = ("type", "statusMessage", "description", "rewakeMessage", "rewakeSummary", "name")


class Hooks:
    """The rows of one file, its switches, and the parts that cannot be carried over."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.lost: list[str] = []
        self.switches: dict[str, bool] = {}

    @property
    def data(self) -> "Row":
        """The same as the content of a hookkit.toml."""
        return {**self.switches, **({"hooks": self.rows} if self.rows else {})}


def of_cocode(data: "Row") -> Hooks:
    """Cocode's hooks.toml: the rows are hookkit's own, with a few more names."""
    found = Hooks()
    found.switches = {name: data[name] for name in ("disable_all_hooks", "allow_managed_hooks_only") if name in data}
    rows = data.get("hooks")
    for row in rows if isinstance(rows, list) else ():
        found.rows.append(_cocode_row(row) if isinstance(row, dict) else {})
    for name in data:
        if name not in ("hooks", *found.switches):
            found.lost.append(f"unknown field {name}")
    return found


def _cocode_row(row: "Row") -> "Row":
    row = {("async" if name == "async_mode" else name): value for name, value in row.items()}
    limit = row.pop("async_timeout", None)
    if limit is not None and row.get("async"):
        row.setdefault("timeout_sec", limit)
    for name in ("shell", "command"):
        if isinstance(row.get(name), dict):
            body = dict(row[name])
            for inner in ("once", "async"):
                if inner in body:
                    row.setdefault(inner, body.pop(inner))
            body.pop("async_timeout", None)
            row[name] = body
    return row


def of_client(data: "Row", plugin: str = "") -> Hooks:
    """Claude Code's `hooks` object, as in settings.json, a plugin's hooks.json or a skill's frontmatter; or cocode's
    JSON, where a group may be a handler itself.
    """
    found = Hooks()
    names = {"disableAllHooks": "disable_all_hooks", "allowManagedHooksOnly": "allow_managed_hooks_only"}
    found.switches = {names[name]: data[name] for name in names if isinstance(data.get(name), bool)}
    hooks = data.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            _group(found, str(event), group, f"hooks.{event}[{number}]", plugin)
    return found


def _group(found: Hooks, event: str, group: "Any", label: str, plugin: str) -> None:
    if not isinstance(group, dict):
        found.lost.append(f"{label}: not a table")
        return
    handlers = group.get("hooks")
    handlers = handlers if isinstance(handlers, list) else [group]
    for number, handler in enumerate(handlers):
        where = f"{label}.hooks[{number}]"
        if not isinstance(handler, dict):
            found.lost.append(f"{where}: not a table")
            continue
        row = _row(handler, where, found.lost)
        if row is not None:
            top: Row = {"event": event}
            if isinstance(group.get("matcher"), str) and group["matcher"]:
                top["matcher"] = group["matcher"]
            more = {"scope": "plugin", "plugin": plugin} if plugin else {}
            found.rows.append({**top, **more, **row})


def _row(handler: "Row", where: str, lost: list[str]) -> "Row | None":
    kind = KINDS.get(str(handler.get("type", "command")))
    if kind is None or NEEDS[kind] not in handler:
        lost.append(f"{where}: {handler.get('type', 'a handler')} has no equal in hookkit")
        return None
    body: Row = {NEEDS[kind]: handler[NEEDS[kind]]}
    if kind == "command" and isinstance(handler.get("args"), list):
        body["command"] = [handler["command"], *handler["args"]]
    body |= {new: handler[old] for old, new in COPIED.items() if old in handler}
    row: Row = {name: handler[name] for name in ("if", "once", "async") if name in handler}
    if "timeout" in handler:
        row["timeout_sec"] = handler["timeout"]
    if row.get("async") and isinstance(handler.get("asyncTimeout"), (int, float)):
        row["timeout_sec"] = handler["asyncTimeout"] / 1000
    if handler.get("onFailure") in FAILURES:
        row["on_failure"] = FAILURES[handler["onFailure"]]
    elif kind == "webhook":
        row["on_failure"] = "continue"  # the client's own default
    known = {*QUIET, *COPIED, *NEEDS.values(), "args", "if", "once", "async", "timeout", "asyncTimeout", "onFailure",
             "matcher"}  # fmt: skip
    lost += [f"{where}: {name}" for name in handler if name not in known]
    return {**row, kind: body}


def frontmatter(text: str) -> str:
    """The YAML between the first two lines of dashes, with blank lines before it so that line numbers stay right."""
    lines = text.removeprefix("\ufeff").split("\n")
    if not lines or lines[0].rstrip() != "---":
        return ""
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "\n".join(["", *lines[1:number]])
    return ""


def handlers(rows: "list[Row]") -> "Iterator[tuple[str, Row]]":
    """Each row with the name of its handler table."""
    for row in rows:
        for name in ("shell", "command", "webhook", "prompt", "agent", "inline"):
            if name in row:
                yield name, row
                break
