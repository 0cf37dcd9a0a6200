"""A handler of the user's for one event, its limits over several calls, and one run of it."""

import os
import time

from hookkit.errors import HandlerError, HookkitError
from hookkit.events import EVENTS, PERMISSION, REQUEST, UNKNOWN
from hookkit.model import Decision, Event
from hookkit.settings.layers import trust_file
from hookkit.system import files, jsons, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings


SUCCESS, BLOCKING, ERROR, CANCELLED = "success", "blocking", "non_blocking_error", "cancelled"
# The same for people.
OUTCOMES = {SUCCESS: "ran", BLOCKING: "stopped the call", ERROR: "failed", CANCELLED: "cancelled"}
WITHIN = "HOOKKIT_HANDLER"  # set for a handler's program
LONGEST = 300  # characters of a problem in the ledger
FAILURES = 3  # in a row, before a handler rests
REST = 300  # seconds
LIMIT = 1_000  # bytes of a handler's record
NAME = 100  # characters of a handler's name in its record
INSIDE = "HOOKKIT_INSIDE"  # set for a model's own client: no prompt or agent handler runs inside of another
ASKING = ("prompt", "agent")
TERMINAL = "/dev/tty"


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

    # -- limits over several calls -------------------------------------------------------------------------------------

    def claim(self, environ: dict[str, str], session: str) -> bool:
        """Whether a `once` handler may run now: for one caller only, even when several ask at the same time."""
        if not session or not files.state_dir(environ):
            return True
        return marks.first_time(environ, session, f"once-{self.id}")

    def release(self, environ: dict[str, str], session: str) -> None:
        """A `once` handler that failed runs again."""
        if session and files.state_dir(environ):
            marks.unmark(environ, session, f"once-{self.id}")

    def resting(self, environ: dict[str, str]) -> float:
        """For how many more seconds the handler rests; 0 if it may run.

        A change of its settings, of its files or of the trust in them starts the count again: it may be mended.
        """
        path = self._record(environ)
        failures, since, state, _ = _read(path)
        if failures and state != self._state(environ):
            os.unlink(path)
            return 0.0
        return max(0.0, since + REST - time.time()) if failures >= FAILURES else 0.0

    def count(self, environ: dict[str, str], *, is_failed: bool) -> bool:
        """Count a run; True if the handler rests from now on."""
        path = self._record(environ)
        if not path or (not is_failed and not os.path.exists(path)):
            return False
        if not is_failed:
            os.unlink(path)
            return False
        failures = _read(path)[0] + 1
        state = self._state(environ)  # after the run, which may write to a file that its command names
        files.private_dir(os.path.dirname(os.path.dirname(path)))
        files.private_dir(os.path.dirname(path))
        files.write(path, jsons.dumps([failures, time.time(), state, self.name[:NAME]]).encode())
        return failures >= FAILURES

    def wake(self, environ: dict[str, str]) -> bool:
        """End the rest of a handler; whether there was one to end."""
        rests = self.resting(environ) > 0
        path = self._record(environ)
        if path and os.path.exists(path):
            os.unlink(path)
        return rests

    def _record(self, environ: dict[str, str]) -> str:
        state = files.state_dir(environ)
        return os.path.join(state, "handlers", f"{self.id}.json") if state else ""

    def _state(self, environ: dict[str, str]) -> str:
        """Changes with the handler's settings file, with the files that it runs, and with the trust in them."""
        from hookkit.settings import hook_files  # late: only for a handler that has failed

        source = self.row["source"]
        root = hook_files.root_of(source)
        paths = [source, trust_file(environ), *hook_files.named(self.row, root, root, anywhere=True)]
        return files.checksum(jsons.dumps([files.stamp(path) for path in paths]).encode())

    def refusal(self, environ: dict[str, str]) -> str:
        """Why the handler does not run here, or an empty text."""
        if self.kind not in ASKING:
            return ""
        if environ.get(INSIDE):
            return f"{self.kind} handlers do not run inside the model of another {self.kind} handler"
        if self.row["batch"] or not is_batch(environ):
            return ""
        return f"{self.kind} handlers need an interactive session: this one is a batch run. Set batch = true to run it"


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


def at_rest(environ: dict[str, str]) -> "list[dict[str, Any]]":
    """Every handler at rest, for people: by name, with its failures and the seconds left.

    The rest of a handler that was changed since ends with its next call.
    """
    state = files.state_dir(environ)
    folder = os.path.join(state, "handlers") if state else ""
    rows: list[dict[str, Any]] = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        failures, since, _, title = _read(os.path.join(folder, name))
        left = since + REST - time.time()
        if failures >= FAILURES and left > 0:
            rows.append({"handler": title or name.removesuffix(".json"), "failures": failures, "seconds": round(left)})
    return rows


def _read(path: str) -> tuple[int, float, str, str]:
    """The failures in a row, the time of the last of them, the state after it, and the handler's name."""
    try:
        failures, since, state, name = jsons.loads(files.read_own(path, LIMIT))
        return int(failures), min(float(since), time.time()), str(state), str(name)
    except (OSError, HookkitError, ValueError, TypeError):
        return 0, 0.0, "", ""


def is_batch(environ: dict[str, str]) -> bool:
    attended, entry = environ.get("CLAUDE_CODE_SESSION_ATTENDED", ""), environ.get("CLAUDE_CODE_ENTRYPOINT", "")
    if environ.get("CI") or attended == "0" or entry.startswith("sdk"):
        return True
    if attended or entry:
        return False
    try:
        os.close(os.open(TERMINAL, os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return True
    return False
