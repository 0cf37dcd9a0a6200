"""An approval that is asked for at the fleet's hub, too: a person there answers, and the hub signs the answer.

The file of the approval stays the truth on this machine. A process in the background asks the hub and writes the
signed answer into the file; the hook waits for the file. A yes counts only with a signature of the hub's key that
names this machine, this request and this input, and only until it expires. Silence is a no.
"""

import calendar
import os
import time

from hookkit.errors import HookkitError
from hookkit.model import Decision, Event
from hookkit.system import files, git, jsons, running
from hookkit.system.signatures import SignatureError
from hookkit.work.gates import approval, approvals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings
    from hookkit.system.user_programs import Deadline
    from hookkit.work.gates.approvals import Approval

NAMESPACE = "hookkit-answer"
MACHINE = "fleet/machine.json"  # below the state: written by `hookkit fleet join`
LIMIT = 1 << 16
LASTS = 900  # seconds for which a request stays open, and an answer counts
LOOK = 0.1  # seconds between two looks at the file
HUB = "hub "  # before the fingerprint, in the proof of an answer
AWAY = "away"
SILENCE = "silence"
STAMP = "%Y-%m-%dT%H:%M:%SZ"
UNREACHABLE = "This call needs an approval at your company's hub{by}, and the hub cannot be reached: {about}"
UNANSWERED = (
    "Nobody answered at your company's hub within {seconds:g} s, and silence is a no: {about}\n"
    "The question stays open there until {until}. After a yes, the same call passes."
)


def answer(
    event: Event, settings: "Settings", wanted: "Approval", config: "dict[str, Any]", deadline: "Deadline"
) -> Decision | None:
    """The decision about a call; None where the question to the person at the agent stands, as without a hub."""
    environ = settings.environ
    is_attended = event.is_attended(environ) and not settings["policy.unattended"]
    seconds = min(_seconds(config.get("wait")), max(0.0, deadline.left()))
    if is_attended and not seconds:
        return None
    asked = ask(environ, {**wanted, **request(event, environ)})
    if asked["state"] == approvals.OPEN:
        running.start_background(
            "hookkit.server.fleet.membership", "ask_until_answered", [asked["id"], str(seconds)], environ
        )
        asked = _wait(environ, asked, seconds)
    if asked["state"] == approvals.OPEN and asked["contact"] == AWAY:
        return _without_hub(asked, config, is_attended=is_attended)
    if asked["state"] == approvals.OPEN and seconds:
        event.handled.append({**approvals.evidence(asked), "outcome": SILENCE})
        until = asked["expires"]
        return Decision("deny", UNANSWERED.format(seconds=seconds, about=asked["about"], until=until))
    return approval.settled(event, asked)


def open_(event: Event, environ: dict[str, str], wanted: "Approval") -> "Approval":
    """For a stop: the hub is asked, and the hook does not wait."""
    asked = ask(environ, {**wanted, **request(event, environ)})
    if asked["state"] == approvals.OPEN:
        running.start_background("hookkit.server.fleet.membership", "ask_until_answered", [asked["id"], "0"], environ)
    return asked


def _without_hub(asked: "Approval", config: "dict[str, Any]", *, is_attended: bool) -> Decision | None:
    if config.get("offline") == "ask":
        return None if is_attended else Decision("deny", approval.waiting(asked), message=approval.needed(asked))
    return Decision("deny", UNREACHABLE.format(by=approval.by(asked), about=asked["about"]))


def request(event: Event, environ: dict[str, str]) -> "Approval":
    """Fields of a new request: a random number, the person at the agent, the project, and until when it is open."""
    identity = git.identity(event.cwd, environ) if event.cwd else {}
    return {
        **dict.fromkeys(approvals.REMOTE, ""),
        "request": os.urandom(16).hex(),
        "person": identity.get("user.email", ""),
        "session": event.session_id[:200],
        "expires": time.strftime(STAMP, time.gmtime(time.time() + LASTS)),
    }


def ask(environ: dict[str, str], wanted: "Approval") -> "Approval":
    """The approval as stored. One that has expired, or has a yes that nothing proves, is asked for again."""
    asked = approvals.ask(environ, wanted)
    if (
        not asked.get("request")
        or is_over(asked)
        or (asked["state"] == approvals.APPROVED and not is_proven(asked, environ))
    ):
        approvals.drop(environ, asked["id"])
        asked = approvals.ask(environ, wanted)
    return asked


def _wait(environ: dict[str, str], asked: "Approval", seconds: float) -> "Approval":
    """The approval after its answer, or as it is when the time is over. A yes that nothing proves is no answer."""
    path, end = os.path.join(approvals.directory(environ), asked["id"]), time.monotonic() + seconds
    current = asked
    while current["state"] == approvals.OPEN and current["contact"] != AWAY and time.monotonic() < end:
        time.sleep(LOOK)
        current = approvals.read(path) or asked
    is_answered = current["state"] == approvals.DENIED or is_proven(current, environ)
    return current if is_answered else {**current, "state": approvals.OPEN}


def is_over(asked: "Approval") -> bool:
    return bool(asked["expires"]) and stamp_seconds(asked["expires"]) <= time.time()


def stamp_seconds(stamp: str) -> float:
    try:
        return float(calendar.timegm(time.strptime(stamp, STAMP)))
    except ValueError:
        return 0.0


def _seconds(wait: object) -> float:
    return float(wait) if isinstance(wait, (int, float)) and not isinstance(wait, bool) and wait > 0 else 0.0


# -- the proof of an answer --------------------------------------------------------------------------------------------


def is_proven(asked: "Approval", environ: dict[str, str]) -> bool:
    """Whether the hub signed this answer, or a listed approver with a key of their own. A login proves nothing here."""
    try:
        if asked["proof"].startswith(HUB):
            return bool(verified(asked["answer"], asked["signature"], asked, environ)["state"] == asked["state"])
        if asked["state"] != approvals.APPROVED or not asked["signature"]:
            return False
        signer = approvals.check(approvals.text_of(asked, asked["state"]), asked["signature"], environ)
        return bool({approvals.named(name) for name in asked["approvers"]} & {*approvals.names_of(signer)})
    except HookkitError:
        return False


def verified(text: str, signature: str, asked: "Approval", environ: dict[str, str]) -> "dict[str, Any]":
    """The hub's answer; SignatureError unless the hub signed it, for this machine, request and input, and in time."""
    from hookkit.system import signatures

    machine = _machine(environ)
    signer = signatures.verify(text.encode(), signature, f"hub {machine['key']}", NAMESPACE, environ)
    given = jsons.loads(text.encode())
    bound = {"machine": machine["machine"], "request": asked["request"], "digest": asked["digest"]}
    if not isinstance(given, dict) or any(given.get(name) != value for name, value in bound.items()):
        raise SignatureError("the answer belongs to another machine, request or input")
    if given.get("state") not in (approvals.APPROVED, approvals.DENIED):
        raise SignatureError("the answer is neither a yes nor a no")
    if stamp_seconds(str(given.get("expires", ""))) <= time.time():
        raise SignatureError("the answer has expired")
    return {**given, "key": signer.key}


def settle(environ: dict[str, str], asked: "Approval", text: str, signature: str) -> "Approval":
    """Note an answer of the hub; SignatureError for any other text."""
    given = verified(text, signature, asked, environ)
    noted = {**asked, "answer": text, "expires": str(given["expires"])}
    proof = approvals.Proof(approvals.named(str(given.get("by", ""))[:200]), HUB + given["key"], signature)
    return approvals.settle(environ, noted, given["state"], proof)


def note_contact(environ: dict[str, str], id_: str, contact: str) -> None:
    """Whether the hub was reached, for the hook that waits."""
    path = os.path.join(approvals.directory(environ), id_)
    asked = approvals.read(path)
    if asked is not None and asked["state"] == approvals.OPEN and asked["contact"] != contact:
        files.keep(path, jsons.dumps({**asked, "contact": contact}).encode("utf-8", "backslashreplace"))


def _machine(environ: dict[str, str]) -> "dict[str, str]":
    machine = jsons.read_own(os.path.join(files.state_dir(environ), MACHINE), LIMIT) or {}
    if not all(isinstance(machine.get(name), str) for name in ("machine", "key")):
        raise SignatureError("this machine is in no fleet")
    return machine
