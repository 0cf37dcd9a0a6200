"""A handler of the user's for one event, and one run of it."""

from hookkit.errors import HandlerError
from hookkit.events import EVENTS, PERMISSION, REQUEST, UNKNOWN
from hookkit.model import Decision, Event
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings

SUCCESS, BLOCKING, ERROR, CANCELLED = "success", "blocking", "non_blocking_error", "cancelled"
# The same for people.
OUTCOMES = {SUCCESS: "ran", BLOCKING: "stopped the call", ERROR: "failed", CANCELLED: "cancelled"}
WITHIN = "HOOKKIT_HANDLER"  # set for a handler's program
LONGEST = 300  # characters of a problem in the ledger


class Handler:
    """A row of `[[hooks]]` as `settings/hook_rows.py` normalises it."""

    __slots__ = ("body", "event", "id", "kind", "name", "row", "seconds")

    def __init__(self, row: "dict[str, Any]") -> None:
        self.row = row
        self.kind: str = row["kind"]
        self.body: dict[str, Any] = row["body"]
        self.name: str = row["name"]
        self.event: str = row["event"]
        self.id: str = row["id"]
        self.seconds: float = row["seconds"]

    @property
    def status(self) -> str:
        """The words for a person who waits: `status_message`, or the name."""
        return str(self.row.get("status_message") or self.body.get("status_message") or self.name)

    @property
    def is_policy(self) -> bool:
        return bool(self.row["scope"] == "policy")

    @property
    def is_parallel(self) -> bool:
        return bool(self.row["mode"] == "parallel")

    @property
    def on_failure(self) -> str:
        """`continue`, `ask` or `reject`; only an event before a call can ask."""
        wanted = str(self.row["on_failure"])
        can_ask = EVENTS.get(self.event, UNKNOWN).reply in (PERMISSION, REQUEST)
        return "continue" if wanted == "ask" and not can_ask else wanted


class HandlerCall:
    """One handler with the event as it stands now: with the input that handlers before it have rewritten."""

    __slots__ = ("event", "handler", "settings")

    def __init__(self, handler: Handler, event: Event, settings: "Settings") -> None:
        self.handler = handler
        self.event = event
        self.settings = settings

    def check_trust(self) -> None:
        """A project's handler runs its own files only as the person has trusted them. Raises HandlerError."""
        row, directory = self.handler.row, self.event.cwd
        if "root" not in row:
            return
        path = row.get("untrusted")
        if not path and directory != row.get("checked"):
            from hookkit.settings import hook_files  # late: most handlers run where their settings are

            path = hook_files.unpinned(row, directory, row["root"], self.settings.environ)
        if path:
            raise HandlerError(f"it did not run: {path} changed or is new. Read it, then run: hookkit trust")

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a handler's program."""
        event = self.event
        own = {
            WITHIN: "1",
            "HOOK_EVENT": event.name,
            "HOOK_TOOL_NAME": event.tool_name,
            "HOOK_SESSION_ID": event.session_id,
            "CLAUDE_PROJECT_DIR": event.project,
            **self.handler.row.get("environ", {}),
        }
        clean = {name: value.replace("\0", "").encode("utf-8", "replace").decode() for name, value in own.items()}
        return {**self.settings.environ, **{name: value for name, value in clean.items() if value}}

    def fields(self) -> "dict[str, Any]":
        """The event as its handler gets it. cocode's handlers also know three fields by other names."""
        event = self.event
        fields: dict[str, Any] = {**event.fields, "hook_event_name": event.name, "cwd": event.cwd}
        if event.tool_name:
            fields["tool_input"] = event.tool_input
        if self.handler.row["dialect"] == "cocode":
            names = {
                "event": event.name,
                "tool_output": fields.get("tool_response"),
                "user_prompt": fields.get("prompt"),
            }
            fields = {**{name: value for name, value in names.items() if value is not None}, **fields}
        return fields

    def json(self) -> bytes:
        return jsons.dumps(self.fields()).encode()


class HandlerRun:
    """The outcome of one run; `problem` says why there is no reply, or which part of the reply was not understood."""

    __slots__ = ("decision", "handler", "later", "ms", "outcome", "problem", "trace")

    def __init__(self, handler: Handler, outcome: str, decision: Decision | None = None, problem: str = "") -> None:
        self.handler = handler
        self.outcome = outcome
        self.decision = decision
        self.problem = problem
        self.trace = ""  # the traceback of a function that raised
        self.ms = 0.0
        self.later: float | None = None  # seconds, of a handler that asked to go on past the reply

    @property
    def is_failed(self) -> bool:
        return self.outcome in (ERROR, CANCELLED)

    def row(self) -> "dict[str, object]":
        """The run for the ledger."""
        row: dict[str, object] = {"name": self.handler.name[:100], "kind": self.handler.kind, "outcome": self.outcome}
        row["ms"] = round(self.ms, 1)
        if self.problem:
            row["problem"] = self.problem[:LONGEST]
        if self.trace:
            row["trace"] = self.trace
        if self.decision is not None and self.decision.evidence is not None:
            row["evidence"] = self.decision.evidence
        return row
