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

from hookkit import jsons
from hookkit.errors import HookkitError
from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECONDS = 10
DENIED = 2
READ = 64 * 1024


def run(rule: "dict[str, Any]", event: Event, environ: dict[str, str], actor: str) -> Decision | None:
    """The rule's text is the user's own and is handed to the shell as it stands: nothing of the event goes into it."""
    raw = jsons.dumps({**event.fields, "tool_input": event.tool_input, "actor": actor}).encode()
    process = subprocess.Popen(
        ["/bin/sh", "-c", rule["run"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=event.cwd or None,
        env=environ,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(raw, timeout=rule.get("timeout") or SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise HookkitError(f"{rule['run']} took longer than {rule.get('timeout') or SECONDS} s") from None
    if process.returncode == DENIED:
        return Decision("deny", err[:READ].decode("utf-8", "replace").strip() or f"{rule['run']} says no")
    if process.returncode:
        raise HookkitError(f"{rule['run']} exited with {process.returncode}")
    return _answer(rule["run"], out[:READ])


def _answer(name: str, out: bytes) -> Decision | None:
    if not out.strip():
        return None
    said = jsons.loads(out)
    if not isinstance(said, dict):
        raise HookkitError(f"{name} did not print an object")
    own = said.get("hookSpecificOutput")
    own = own if isinstance(own, dict) else {}
    verdict = said.get("decision", own.get("permissionDecision"))
    reason = said.get("reason", own.get("permissionDecisionReason", ""))
    changed = said.get("modified_input", own.get("updatedInput"))
    if verdict not in (None, "allow", "ask", "deny"):
        raise HookkitError(f"{name} decided {verdict!r}; expected allow, ask or deny")
    return Decision(
        verdict,
        reason if isinstance(reason, str) else "",
        updated_input=changed if isinstance(changed, dict) and verdict != "deny" else None,
    )
