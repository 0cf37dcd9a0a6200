"""Handlers in files of other formats, and the files of a project that handlers and checks run or read.

`hookkit trust` pins these files together with the settings.

A command is resolved as the shell would run it (`cd scripts && ./check.sh`), and every file of the project among its
words counts, with modules of `python -m` and the task file of `make build`. Files that these files load do not.
"""

import os
import re

from hookkit.errors import HookkitError
from hookkit.settings import hook_rows, trust
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    HookRow = dict[str, Any]
    Row = dict[str, Any]


KINDS = {"command": "command", "shell": "command", "http": "webhook", "webhook": "webhook", "prompt": "prompt",
         "agent": "agent"}  # fmt: skip
COPIED = {"headers": "headers", "allowedEnvVars": "allowed_env", "method": "method", "model": "model"}
FAILURES = {"block": "reject", "continue": "continue"}
# Fields that only change how a client shows a hook.
QUIET = ("type", "statusMessage", "description", "rewakeMessage", "rewakeSummary", "name")
TAKEN = ("args", "if", "once", "async", "timeout", "asyncTimeout", "onFailure", "matcher")


class Hooks:
    """The rows of one file, its switches, and the parts that cannot be carried over."""

    def __init__(self) -> None:
        self.rows: list[HookRow] = []
        self.lost: list[str] = []
        self.switches: dict[str, bool] = {}
        self.places: list[tuple[str, tuple[str | int, ...]]] = []  # of rows of a client: the label, the keys to it

    @property
    def data(self) -> "HookRow":
        """The same as the content of a hookkit.toml."""
        return {**self.switches, **({"hooks": self.rows} if self.rows else {})}


def of_cocode(data: "HookRow") -> Hooks:
    """Cocode's hooks.toml: the rows are hookkit's own, with a few more names."""
    hooks = Hooks()
    hooks.switches = {name: data[name] for name in ("disable_all_hooks", "allow_managed_hooks_only") if name in data}
    rows = data.get("hooks")
    for row in rows if isinstance(rows, list) else ():
        hooks.rows.append(_cocode_row(row) if isinstance(row, dict) else {})
    for name in data:
        if name not in ("hooks", *hooks.switches):
            hooks.lost.append(f"unknown field {name}")
    return hooks


def _cocode_row(row: "HookRow") -> "HookRow":
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


def of_client(data: "HookRow", plugin: str = "") -> Hooks:
    """Claude Code's `hooks` object, as in settings.json, a plugin's hooks.json or a skill's frontmatter; or cocode's
    JSON, where a group may be a handler itself.
    """
    result = Hooks()
    names = {"disableAllHooks": "disable_all_hooks", "allowManagedHooksOnly": "allow_managed_hooks_only"}
    result.switches = {names[name]: data[name] for name in names if isinstance(data.get(name), bool)}
    hooks = data.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            _group(result, (str(event), number), group, plugin)
    return result


def _group(hooks: Hooks, place: tuple[str, int], group: "Any", plugin: str) -> None:
    event, at = place
    label = f"hooks.{event}[{at}]"
    if not isinstance(group, dict):
        hooks.lost.append(f"{label}: not a table")
        return
    handlers = group.get("hooks")
    is_grouped = isinstance(handlers, list)
    handlers = handlers if isinstance(handlers, list) else [group]
    for number, handler in enumerate(handlers):
        where = f"{label}.hooks[{number}]"
        if not isinstance(handler, dict):
            hooks.lost.append(f"{where}: not a table")
            continue
        row = _row(handler, where, hooks.lost)
        if row is not None:
            top: HookRow = {"event": event}
            if isinstance(group.get("matcher"), str) and group["matcher"]:
                top["matcher"] = group["matcher"]
            more = {"scope": "plugin", "plugin": plugin} if plugin else {}
            hooks.rows.append({**top, **more, **row})
            keys: tuple[str | int, ...] = ("hooks", event, at)
            hooks.places.append((where, (*keys, "hooks", number) if is_grouped else keys))


def _row(handler: "HookRow", where: str, lost: list[str]) -> "HookRow | None":
    kind = KINDS.get(str(handler.get("type", "command")))
    if kind is None or hook_rows.MAIN[kind] not in handler:
        lost.append(f"{where}: {handler.get('type', 'a handler')} has no equal in hookkit")
        return None
    body: HookRow = {hook_rows.MAIN[kind]: handler[hook_rows.MAIN[kind]]}
    if kind == "command" and isinstance(handler.get("args"), list):
        body["command"] = [handler["command"], *handler["args"]]
    body |= {new: handler[old] for old, new in COPIED.items() if old in handler}
    row: HookRow = {name: handler[name] for name in ("if", "once", "async") if name in handler}
    if "timeout" in handler:
        row["timeout_sec"] = handler["timeout"]
    if row.get("async") and isinstance(handler.get("asyncTimeout"), (int, float)):
        row["timeout_sec"] = handler["asyncTimeout"] / 1000
    if handler.get("onFailure") in FAILURES:
        row["on_failure"] = FAILURES[handler["onFailure"]]
    elif kind == "webhook":
        row["on_failure"] = "continue"  # the client's own default
    known = {*QUIET, *COPIED, *(hook_rows.MAIN[kind] for kind in KINDS.values()), *TAKEN}
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


def handlers(rows: "list[HookRow]") -> "Iterator[tuple[str, HookRow]]":
    """Each row with the name of its handler table."""
    for row in rows:
        for name in hook_rows.SPELLED:
            if name in row:
                yield name, row
                break


FOLDERS = (".cocode", ".claude", ".mentu")  # of settings files inside a project
CHECKS, COMMANDS = "gate.checks", ("gate.promise", "statusline.command", "suggest_files.command")  # settings
MOST = 50  # files of one handler
LONGEST = 20_000  # characters of a command that are looked at
MAKE = ("GNUmakefile", "makefile", "Makefile")
JUST, RAKE = ("justfile", "Justfile", ".justfile"), ("Rakefile", "rakefile")
TASKS = ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml")
# Programs that run what a file in the directory, or above it, says.
RUNNERS = {"make": MAKE, "gmake": MAKE, "just": JUST, "task": TASKS, "rake": RAKE,
           **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), (trust.PACKAGE,))}  # fmt: skip
STARTS = ("__main__.py", "index.js")  # the program in a directory


def root_of(source: str) -> str:
    """The project of a settings file."""
    directory = os.path.dirname(source)
    while os.path.basename(directory) in FOLDERS:
        directory = os.path.dirname(directory)
    return directory


def named(row: "Row", directory: str, root: str, *, anywhere: bool = False) -> list[str]:
    """Paths inside the project that a handler names when it runs in the directory, also of files that are not there.

    `anywhere` adds the files outside of the project.
    """
    if row["kind"] == "inline":
        path = hook_rows.inline_file(row)
        return [path] if path else []
    if row["kind"] != "command":
        return []
    command = row["body"]["command"]
    text = command if isinstance(command, str) else " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
    names: dict[str, None] = {}
    for word, place in _words(text[:LONGEST], directory, root):
        for part in (word, word.partition("=")[2]):
            path = os.path.join(place, part.removeprefix("./")) if part and "\0" not in part else ""
            if path and (anywhere or _is_inside(path, root)):
                names |= dict.fromkeys(_files(path))
    return [*names][:MOST]


def _is_inside(path: str, root: str) -> bool:
    """By its name or in truth: a directory that became a link out of the project would bring in an untrusted file."""
    by_name = f"{os.path.normpath(path)}/".startswith(f"{os.path.normpath(root).rstrip('/')}/")
    return by_name or files.inside(os.path.dirname(path), root)


def _files(path: str) -> "Iterator[str]":
    """The path, or the programs in a directory; a plain word that is no file is no name of a file."""
    if os.path.isdir(path):
        yield from (os.path.join(path, name) for name in STARTS)
    elif "." in os.path.basename(path) or os.path.basename(path) in (*MAKE, *JUST, *RAKE) or os.path.exists(path):
        yield path


def _words(text: str, directory: str, root: str) -> "Iterator[tuple[str, str]]":
    """Every word of every command in the text, with the directory in which the command runs."""
    from hookkit.shell import resolve

    known = text.replace("${CLAUDE_PROJECT_DIR}", root).replace("$CLAUDE_PROJECT_DIR", root)
    for word in re.split(r"[\s;|&()<>'\"`]+", known):
        yield word, directory
    try:
        commands = resolve(known, directory=directory, project=root).commands
    except (HookkitError, RecursionError):
        return
    for command in commands:
        place = command.directory or directory
        yield from ((word, place) for word in command.words)
        if "-m" in command.words[:-1]:
            module = command.words[command.words.index("-m") + 1].replace(".", "/")
            yield from ((name, place) for name in (f"{module}.py", f"{module}/__main__.py"))
        yield from _task_files(command.words, place, root)


def _task_files(words: "Sequence[str]", place: str, root: str) -> "Iterator[tuple[str, str]]":
    """The files that a task runner of these words may read: of the nearest directory, also of one that it is given."""
    names = next((RUNNERS[name] for name in map(os.path.basename, words) if name in RUNNERS), ())
    for start in [place, *(os.path.join(place, word) for word in words)] if names else ():
        folder = start
        while os.path.isdir(folder) and _is_inside(f"{folder}/", root):
            yield from ((name, folder) for name in names)  # a new GNUmakefile would come before the Makefile
            if any(os.path.exists(os.path.join(folder, name)) for name in names):
                break
            folder = os.path.dirname(folder)


def unpinned(row: "Row", directory: str, root: str, environ: dict[str, str]) -> str:
    """The first file of a handler that changed since it was trusted, or was never trusted; else an empty text."""
    for path in named(row, directory, root):
        if os.path.exists(path) and not _is_pinned(path, environ):
            return path
    return ""


def _is_pinned(path: str, environ: dict[str, str]) -> bool:
    text = trust.content(path)
    return text is not None and trust.is_trusted(path, text, environ)


# -- commands beside the handlers ------------------------------------------------------------------


def checks(values: "Row", path: str) -> "list[Row]":
    """The commands of gates, rules and the status line in a settings file, as rows."""
    texts = [values[name] for name in COMMANDS if values.get(name)] + [*values.get(CHECKS, ())]
    texts += [rule["run"] for rule in values.get("rules", ()) if rule["type"] == "command"]
    return [hook_rows.normal({"event": "Stop", "command": {"command": text}}, "project", path) for text in texts]


def without(values: "Row", texts: list[str]) -> "Row":
    """The settings without these commands."""
    rest = {name: value for name, value in values.items() if name not in COMMANDS or value not in texts}
    if CHECKS in rest:
        rest[CHECKS] = [text for text in rest[CHECKS] if text not in texts]
    if "rules" in rest:
        rest["rules"] = [rule for rule in rest["rules"] if rule["type"] != "command" or rule["run"] not in texts]
    return rest
