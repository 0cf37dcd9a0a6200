"""A program of the user's own that judges a call: the event on its stdin, its answer on stdout or as its exit code.

    exit 0                 what it prints decides, or nothing does
    exit 2                 deny, with what it wrote to stderr as the reason
    anything else          an error: logged, told, and answered as --on-error says

It prints {"decision": "allow" | "ask" | "deny", "reason": "…", "modified_input": {…}}, or a reply of the client's own
shape.
"""

import os
import signal
import subprocess
import tempfile
from contextlib import suppress

from hookkit.errors import HandlerError
from hookkit.model import Decision, Event
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

SECONDS = 10
DENIED = 2
READ = 64 * 1024


def run(rule: "dict[str, Any]", event: Event, environ: dict[str, str], actor: str) -> Decision | None:
    """The rule's text is the user's own and is handed to the shell as it stands: nothing of the event goes into it."""
    raw = jsons.dumps({**event.fields, "tool_input": event.tool_input, "actor": actor}).encode()
    seconds = rule.get("timeout") or SECONDS
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(raw)
        given.seek(0)
        code = _run(rule["run"], event, environ, seconds, (given, out, err))
        said, complained = (_start(file) for file in (out, err))
    if code is None:
        raise HandlerError(f"{rule['run']} took longer than {seconds} s")
    if code == DENIED:
        return Decision("deny", complained.decode("utf-8", "replace").strip() or f"{rule['run']} says no")
    if code:
        raise HandlerError(f"{rule['run']} exited with {code}")
    return _answer(rule["run"], said)


def _run(
    text: str, event: Event, environ: dict[str, str], seconds: int, talk: "tuple[IO[bytes], IO[bytes], IO[bytes]]"
) -> int | None:
    """Its exit code, or None where time ran out.

    It talks through files: a child that it leaves behind would keep a pipe open, and us waiting.
    """
    given, out, err = talk
    process = subprocess.Popen(
        ["/bin/sh", "-c", text],
        stdin=given,
        stdout=out,
        stderr=err,
        cwd=event.cwd or None,
        env=environ,
        start_new_session=True,
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):  # nobody is left of it
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _start(file: "IO[bytes]") -> bytes:
    file.seek(0)
    return file.read(READ)


def _answer(name: str, out: bytes) -> Decision | None:
    if not out.strip():
        return None
    said = jsons.loads(out)
    if not isinstance(said, dict):
        raise HandlerError(f"{name} did not print an object")
    own = said.get("hookSpecificOutput")
    own = own if isinstance(own, dict) else {}
    verdict = said.get("decision", own.get("permissionDecision"))
    reason = said.get("reason", own.get("permissionDecisionReason", ""))
    changed = said.get("modified_input", own.get("updatedInput"))
    if verdict not in (None, "allow", "ask", "deny"):
        raise HandlerError(f"{name} decided {verdict!r}; expected allow, ask or deny")
    return Decision(
        verdict,
        reason if isinstance(reason, str) else "",
        updated_input=changed if isinstance(changed, dict) and verdict != "deny" else None,
    )
