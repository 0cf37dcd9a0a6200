"""A row of `[[hooks]]`: its fields, every mistake in it, and the form in which the engine reads it."""

import os

from hookkit.events import EVENTS
from hookkit.settings.documents.finding import VALUE, Defect
from hookkit.settings.documents.kinds import wrong_choice, wrong_fields, wrong_regex
from hookkit.settings.rule_rows import wrong_pattern
from hookkit.system import files, jsons
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookkit.settings.documents.kinds import Fields

    Row = dict[str, Any]

ASK: "Fields" = {"*prompt": "text", "model": "text", "timeout": "seconds"}
# The fields of each kind of handler; hookkit/handlers has a module for each.
KINDS: "dict[str, Fields]" = {
    "command": {
        "*command": "words", "pass_context": "flag", "parse_result": "flag", "timeout": "seconds",
        "status_message": "text",
    },
    "webhook": {
        "*url": "text", "method": "text", "headers": "text table", "allowed_env": "texts", "timeout": "seconds",
    },
    "prompt": ASK,
    "agent": ASK,
    "inline": {"*function": "text", "timeout": "seconds"},
}  # fmt: skip
# The field of each kind that says what a handler does.
MAIN = {"command": "command", "webhook": "url", "prompt": "prompt", "agent": "prompt", "inline": "function"}
SPELLED = {"shell": "command", **{name: name for name in KINDS}}  # the tables of a row, and their kinds
MODES = ("sequence", "parallel")
FAILURES = ("continue", "ask", "reject")
SCOPES = ("policy", "plugin", "session", "skill")  # the strongest first
METHODS = ("post", "put")
CHOICES = {"mode": MODES, "on_failure": FAILURES, "scope": SCOPES}
SECONDS = {"webhook": 30.0}  # the limit of a kind; LONG for the others
LONG, ASYNC = 600.0, 15.0
LONG_NAME, LONGEST_NAME = 60, 200  # characters of a name that the author did not give: to the end of a word, and at all
USUAL = {"prompt": 30.0, "agent": 60.0}  # seconds that a model usually needs at most
OURSELVES = ("hookkit run", "hookkit' run", "hookkit-hook run", "hookkit-hook' run", "hookkit/hook run",
             "hookkit/hook' run")  # fmt: skip
TOOL_EVENTS = [name for name, row in EVENTS.items() if row.matcher == "tool_name"]


def defects(row: "Row", written: "set[str]") -> "Iterator[Defect]":
    """The mistakes beyond the kinds of the fields, with paths from the row down."""
    event = row.get("event", "")
    if event and event not in EVENTS:
        yield Defect(
            ("event",), f"event: there is no event {event!r}", lambda: did_you_mean(event, [*EVENTS], 0.6), VALUE
        )
    for name, options in CHOICES.items():
        yield from wrong_choice(name, _lower(row.get(name)), options, VALUE)
    yield from _conditions(row)
    present = [name for name in SPELLED if name in written]
    if len(present) != 1:
        message = f"expected one handler, not {' and '.join(present) or 'none'}"
        yield Defect((), message, f"add one of [hooks.{'], [hooks.'.join(SPELLED)}]")
    for name in present:
        if name in row:
            yield from (defect.below((name,), name) for defect in _body(SPELLED[name], row[name]))


def _lower(value: object) -> str | None:
    return value.lower() if isinstance(value, str) else None


def _conditions(row: "Row") -> "Iterator[Defect]":
    for name in ("matcher", "tool_matcher"):
        problem = wrong_matcher(row.get(name, ""))
        if problem:
            yield Defect((name,), f"{name}: {problem}", at=VALUE)
    if "if" not in row:
        return
    if row.get("event") not in TOOL_EVENTS:
        yield Defect(("if",), "if: this event is not about a tool", f"if works on {', '.join(TOOL_EVENTS)}")
    mistake = wrong_pattern(row["if"])
    if mistake is not None:
        at, problem, fix = mistake
        yield Defect(("if",), f"if: {problem}", fix, at)


def wrong_matcher(source: str) -> str:
    """A message about a regular expression that matches nothing, or an empty text."""
    if "|" in source or not (source.startswith("^") or ".*" in source):
        return ""
    return wrong_regex(source)


def _body(kind: str, body: object) -> "Iterator[Defect]":
    """The mistakes in the table of a handler."""
    if not isinstance(body, dict):
        yield Defect((), "expected a table", f"write [hooks.{kind}]")
        return
    yield from wrong_fields(KINDS[kind], body, VALUE)
    if kind == "webhook":
        yield from _webhook(body)
    function = body.get("function")
    if kind == "inline" and isinstance(function, str) and not function.partition(":")[2].isidentifier():
        yield Defect(("function",), "function: expected file.py:name or package.module:name", at=VALUE)


def _webhook(body: "Row") -> "Iterator[Defect]":
    url = body.get("url")
    if isinstance(url, str) and not url.startswith(("http://", "https://")):
        yield Defect(("url",), "url: expected http:// or https://", at=VALUE)
    yield from wrong_choice("method", _lower(body.get("method")), METHODS, VALUE)


def normal(row: "Row", layer: str, path: str, *, cocode: bool = False) -> "Row":
    """The row as the engine reads it: one spelling, every default filled in, with the file that it stands in.

    Rows of cocode's own files keep cocode's defaults: no context on stdin, no reading of stdout, a failure rejects.
    """
    table = next(name for name in SPELLED if name in row)
    kind, body = SPELLED[table], {**row[table]}
    is_async = bool(row.get("async"))
    given = row.get("timeout_sec") or body.pop("timeout", None)
    seconds = given or (ASYNC if is_async else SECONDS.get(kind, LONG))
    scope = "policy" if layer == "managed" else str(row.get("scope", "session")).lower()
    if kind == "command":
        body = {"pass_context": not cocode, "parse_result": not cocode, **body}
    normalized: Row = {
        "event": row["event"],
        "kind": kind,
        "body": body,
        "name": row.get("name") or _title(kind, body),
        "matcher": row.get("matcher", row.get("tool_matcher", "")),
        "if": row.get("if", ""),
        "seconds": seconds,
        "needs": given or SECONDS.get(kind) or USUAL.get(kind, 0.0),
        "once": bool(row.get("once")),
        "async": is_async,
        "mode": row.get("mode", MODES[0]).lower(),
        "on_failure": row.get("on_failure", "reject" if cocode or kind == "webhook" else "continue").lower(),
        "scope": scope if scope != "policy" or layer == "managed" else "session",
        "batch": bool(row.get("batch")),
        "source": path,
        "dialect": "cocode" if cocode else "",
        **{name: row[name] for name in ("session", "project", "status_message") if name in row},
    }
    return {
        **normalized,
        "id": files.checksum(jsons.dumps([normalized["event"], normalized["matcher"], kind, body]).encode()),
    }


def is_hookkit(row: "Row") -> bool:
    """Whether the handler is hookkit, wired for cocode by `hookkit init`: hookkit is answering the event already."""
    command = row["body"].get("command")
    return isinstance(command, str) and any(call in command for call in OURSELVES)


def needs(rows: "list[Row]") -> dict[str, float]:
    """Seconds that the handlers of each event may take together. A default limit counts only if a model answers."""
    by_event: dict[str, float] = {row["event"]: 0.0 for row in rows}
    for row in rows:
        if not row["async"]:
            together = max if row["mode"] == "parallel" else float.__add__
            by_event[row["event"]] = together(by_event.get(row["event"], 0.0), float(row["needs"]))
    return by_event


def inline_file(row: "Row") -> str:
    """The file of a function beside the settings file; empty for other handlers and for installed packages."""
    place = row["body"]["function"].rpartition(":")[0] if row["kind"] == "inline" else ""
    return os.path.join(os.path.dirname(row["source"]), os.path.expanduser(place)) if place.endswith(".py") else ""


def _title(kind: str, body: "Row") -> str:
    """A name for a handler without a name: the start of its command, address, prompt or function, in whole words."""
    about = body.get(MAIN[kind], "")
    text = " ".join(about) if isinstance(about, list) else str(about)
    if kind == "webhook":
        text = text.partition("?")[0]  # a query may hold a secret
    text = " ".join(text.split())
    end = text.find(" ", LONG_NAME)
    return text[: end if end >= 0 else None][:LONGEST_NAME]


def switched(values: "Row", managed: "Row") -> "Row":
    """The settings with the rows that run, the strongest scope first. Only the managed file can stop its own rows."""
    rows = values.get("hooks")
    if not rows:
        return values
    if values.get("disable_all_hooks") or values.get("allow_managed_hooks_only"):
        rows = [row for row in rows if row["scope"] == "policy"]
    if managed.get("disable_all_hooks"):
        rows = []
    return {**values, "hooks": sorted(rows, key=lambda row: SCOPES.index(row["scope"]))}
