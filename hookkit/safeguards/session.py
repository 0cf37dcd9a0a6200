"""The guard's last look at a call: a permit of the person, and the taint of the session."""

from hookkit.model import Decision, Event
from hookkit.safeguards import permits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookkit.policy.judge import Judge
    from hookkit.settings.layers import Settings

STOPPED = ("ask", "deny")
SHORT = 60  # characters of a command in the message
MANAGED = "/etc/hookkit/"
SECRETS = "secrets."  # names of the shipped rules about secrets


def look(event: Event, decision: Decision | None, judge: "Judge", settings: "Settings") -> Decision | None:
    """The verdict of the rules, stricter in a tainted session, and lifted by a permit."""
    environ = settings.environ
    rule = decision.policy_rule if decision is not None else None
    if decision is None or decision.verdict != "deny":
        decision = _tightened(event, decision, judge, settings)
    if decision is None or decision.verdict not in STOPPED:
        return decision
    name = str(rule.get("name", "") if rule else "") or decision.rule
    if name.startswith(SECRETS):
        _expect(event, settings, name)
    if rule and str(rule.get("source", "")).startswith(MANAGED):
        return decision  # the machine's owner decided this: no permit
    stopped = permits.StoppedCall(event, environ)
    if stopped.use():
        said = Decision("allow", "allowed once by a person")
        said.rule = "allow-once"
        return said
    try:
        id_ = stopped.note(decision, name)
    except OSError:
        id_ = ""  # a full disk: no place for a note is no reason to lose the verdict
    decision.permit = id_
    if id_ and event.answers is not None and not _has_dialog(event, decision, settings):
        decision.message = _way_out(stopped, decision, rule, name)
    return decision


def _way_out(stopped: permits.StoppedCall, decision: Decision, rule: "Mapping[str, object] | None", name: str) -> str:
    """What happened, and how to allow the call once, how for good, and how to learn why."""
    by = f" (rule {name})" if name else ""
    ways = [f"To allow it once: hookkit allow {decision.permit}"]
    source = str(rule.get("source", "")) if rule else ""
    if source == "base" and name and not name.startswith("guard."):
        ways.append(f"For good: hookkit set policy.off +{name}")
    elif source.startswith("/"):
        ways.append(f"For good: change the rule in {source}")
    return f"hookkit {_verb(decision)} this call{by}. {'. '.join(ways)}. Why: hookkit why {_quoted(stopped)}"


def _quoted(stopped: permits.StoppedCall) -> str:
    """The call for a command line, if it is short enough to be typed and holds no secret."""
    text = stopped.event.command
    is_plain = bool(text) and len(text) <= SHORT and stopped.row.get("about") == text
    return "'" + text.replace("'", "'\\''") + "'" if is_plain else "COMMAND"


def _tightened(event: Event, decision: Decision | None, judge: "Judge", settings: "Settings") -> Decision | None:
    """In a tainted session, a call that sends data out is asked about or denied."""
    from hookkit.safeguards import taint  # late: a deny needs no closer look

    environ, mode = settings.environ, "off"
    if taint.is_tainted(event, environ):
        mode = str(settings[taint.RULE])
    said = taint.decision(event, judge.call(event), environ, mode) if mode != "off" else None
    return said if said is not None and _is_stricter(said, decision) else decision


def _expect(event: Event, settings: "Settings", rule: str) -> None:
    """The call may still run: a person says yes, a denial comes too late, or an agent does not obey the denial."""
    from hookkit.safeguards import taint  # late: most rules are not about secrets

    if settings[taint.RULE] == "off":
        return
    try:
        taint.wait_for(event, settings.environ, rule)
    except OSError:
        return  # a full disk: no place for a note is no reason to lose the verdict


def _is_stricter(said: Decision, other: Decision | None) -> bool:
    return other is None or other.verdict != "ask" or said.verdict == "deny"


def _has_dialog(event: Event, decision: Decision, settings: "Settings") -> bool:
    """Claude Code asks the person, and shows a message only after the answer: too late to be of use."""
    is_asked = decision.verdict == "ask" and not settings["policy.unattended"]
    return is_asked and event.agent == "claude" and event.is_attended(settings.environ)


def _verb(decision: Decision) -> str:
    return "stopped" if decision.verdict == "deny" else "asks about"
