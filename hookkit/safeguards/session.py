"""The guard's last look at a call: a permit of the person, and the taint of the session."""

from hookkit.model import Decision, Event
from hookkit.safeguards import permits, taint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.judge import Judge
    from hookkit.policy.types import Rule
    from hookkit.settings.layers import Settings

STOPPED = ("ask", "deny")
SHORT = 60  # characters of a command in the message
MANAGED = "/etc/hookkit/"


def look(event: Event, decision: Decision | None, judge: "Judge", settings: "Settings") -> Decision | None:
    """The verdict of the rules, stricter in a tainted session, and lifted by a permit."""
    environ = settings.environ
    if (decision is None or decision.verdict != "deny") and taint.is_tainted(event, environ):
        mode = str(settings[taint.RULE])
        said = taint.decision(event, judge.call(event), environ, mode) if mode != "off" else None
        decision = said if said is not None and _is_stricter(said, decision) else decision
    if decision is None or decision.verdict not in STOPPED:
        return decision
    rule = judge.verdict(event).rule
    name = (rule.get("name", "") if rule else "") or decision.rule
    if name.startswith(taint.GROUP) and settings[taint.RULE] != "off":
        _expect(event, environ, name)
    if rule and rule.get("source", "").startswith(MANAGED):
        return decision  # the machine's owner decided this: no permit
    if permits.use(event, environ):
        said = Decision("allow", "allowed once by a person")
        said.rule = "allow-once"
        return said
    try:
        id_ = permits.note(event, decision, environ, name)
    except OSError:
        id_ = ""  # a full disk: no place for a note is no reason to lose the verdict
    decision.permit = id_
    if id_ and event.answers is not None and not _has_dialog(event, decision, settings):
        decision.message = _way_out(event, decision, rule, name, id_)
    return decision


def _way_out(event: Event, decision: Decision, rule: "Rule | None", name: str, id_: str) -> str:
    """What happened, and how to allow the call once, how for good, and how to learn why."""
    by = f" (rule {name})" if name else ""
    ways = [f"To allow it once: hookkit allow {id_}"]
    source = str(rule.get("source", "")) if rule else ""
    if source == "base" and name and not name.startswith("guard."):
        ways.append(f"For good: hookkit set policy.off +{name}")
    elif source.startswith("/"):
        ways.append(f"For good: change the rule in {source}")
    return f"hookkit {_verb(decision)} this call{by}. {'. '.join(ways)}. Why: hookkit why {_quoted(event)}"


def _quoted(event: Event) -> str:
    """The call for a command line, if it is short enough to be typed and holds no secret."""
    from shlex import quote

    text = event.command
    return quote(text) if text and len(text) <= SHORT and permits.about(event) == text else "COMMAND"


def _expect(event: Event, environ: dict[str, str], rule: str) -> None:
    """The call may still run: a person says yes, a denial comes too late, or an agent does not obey the denial."""
    try:
        taint.wait_for(event, environ, rule)
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
