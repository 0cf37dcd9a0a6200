"""Before a tool runs: is the log kept, is there room left in the context, does the effort have rules of its own."""

from hookkit.errors import PatternError
from hookkit.model import Decision, combine
from hookkit.transcripts import usage
from hookkit.work.store import facts, now
from hookkit.work.tracked import Tracked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.model import Event

PATIENCE = 3  # times in a row that the work is held for a log entry: an agent that cannot write one must not be trapped
AT_ONCE = 1_000  # milliseconds: several calls of one answer are held once
# What a line that keeps the log may consist of, beside hookkit itself: where to stand, and where the text comes from.
OWN = ("cd", "echo", "printf", "cat", "date", "true", "uv run")
KEEPERS = ("effort", "task")


def beat(tracked: Tracked) -> Decision | None:
    """Count the calls since the last log entry; at the limit, hold the work until one is written."""
    session = tracked.session
    if session is None or tracked.effort is None or not tracked.wants("heartbeat.enabled") or tracked.is_denied:
        return None
    limit = tracked.settings["heartbeat.limit"]
    if session["heartbeat"] + 1 >= limit > 0 and _keeps_log(tracked):
        return None
    count = tracked.work.beat(session["id"])
    if not limit or count < limit:
        return None
    if session["blocked"] >= PATIENCE and session["held"] <= now() - AT_ONCE:
        tracked.work.write("UPDATE sessions SET heartbeat = 0, blocked = 0 WHERE id = ?", session["id"])
        return Decision(message="hookkit: no log entry was written after three reminders; going on without one.")
    moment = now()
    tracked.work.write(
        "UPDATE sessions SET blocked = blocked + 1, held = ? WHERE id = ? AND held <= ?",
        moment, session["id"], moment - AT_ONCE,
    )  # fmt: skip
    return Decision("deny", tracked.settings["heartbeat.message"].replace("{count}", str(count)))


def _keeps_log(tracked: Tracked) -> bool:
    """Whether the line does nothing but run `hookkit effort`: that is how a log entry is written."""
    if "hookkit" not in tracked.event.command:
        return False
    from hookkit.policy.judge import Judge
    from hookkit.shell.effects import READ

    call = Judge(tracked.settings.policy, tracked.settings.environ).call(tracked.event)
    kept = [act for act in call.acts if is_keeper(act.words)]
    others = [act.words for act in call.acts if not is_keeper(act.words)]
    is_own = all(words[0] in OWN or " ".join(words[:2]) in OWN for words in others)
    return bool(kept) and is_own and not call.doubt().yes and all(kind == READ for kind, _, _ in call.touched())


def is_keeper(words: list[str]) -> bool:
    """`hookkit effort …`, by its name or its whole path; another file that is called so is not ours."""
    program = words[0]
    is_ours = program == "hookkit" or (program.startswith("/") and program.endswith("/hookkit"))
    return is_ours and len(words) > 1 and words[1] in KEEPERS


def overflow(tracked: Tracked) -> Decision | None:
    """Once a session, while there is still room to do it: have the state of the work written down."""
    session = tracked.session
    if session is None or tracked.is_part or not tracked.wants("overflow.enabled"):
        return None
    window, percent = tracked.settings["overflow.window"], tracked.settings["overflow.percent"]
    tokens = usage.tokens(tracked.event.text("transcript_path")) if window else 0
    share = round(tokens / window, 4) if tokens else 0
    if share and share != session["usage"]:
        tracked.work.write("UPDATE sessions SET usage = ? WHERE id = ?", share, session["id"])
    if not tokens or tokens * 100 < percent * window or session["warned"] or tracked.is_denied:
        return None
    tracked.work.write("UPDATE sessions SET warned = 1 WHERE id = ?", session["id"])
    first = "" if tracked.effort is not None else "run `hookkit effort start NAME`, then "
    return Decision(
        context=f"{share:.0%} of the context is used. Before it is full, write down for the next session what is done, "
        f"what is left and what was decided: {first}run `hookkit effort dehydrate` with that text on its standard "
        "input.",
        message=f"hookkit: {share:.0%} of the context is used.",
    )


def guards(tracked: Tracked) -> Decision | None:
    """Rules that hold for as long as the effort does; they can only deny or ask."""
    if tracked.effort is None or not tracked.wants("sessions.guards"):
        return None
    rules = strict_rules(facts(tracked.effort["metadata"]))
    if not rules:
        return None
    from hookkit.policy.judge import Judge
    from hookkit.policy.rules import compile_rules

    judge = Judge(compile_rules({"rules": rules, "policy.base": False}), tracked.settings.environ)
    said = [judge.answer(event) for event in (tracked.event, *_rewritten(tracked))]
    found = [decision for decision in said if decision is not None]
    return combine(found) if found else None


def _rewritten(tracked: Tracked) -> "list[Event]":
    """What another hook has made of the call: that is what would run."""
    said = [answer.decision for answer in tracked.event.answers or () if answer.decision is not None]
    return [tracked.event.with_input(given) for decision in said if (given := decision.updated_input) is not None]


def strict_rules(metadata: "dict[str, Any]") -> "list[dict[str, Any]]":
    """An effort's rules that are whole and that tighten; what is neither was never accepted by `hookkit effort`."""
    rows = metadata.get("guards")
    rules = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    rules = [
        {name: row.get(name) for name in ("type", "match", "reason") if row.get(name) is not None} for row in rules
    ]
    return [
        rule
        for rule in rules
        if all(isinstance(value, str) for value in rule.values())
        and rule.get("type") in ("deny", "ask")
        and _is_pattern(rule.get("match"))
    ]


def _is_pattern(source: str | None) -> bool:
    from hookkit.policy.pattern import parse

    try:
        return source is not None and bool(parse(source))
    except PatternError:
        return False
