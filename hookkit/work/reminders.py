"""Requests before a tool call: for a log entry (heartbeat), and for a note before the context is full (overflow)."""

from hookkit.agents.transcripts import reader
from hookkit.model import Decision
from hookkit.work import sessions
from hookkit.work.store import now
from hookkit.work.tracked_event import TrackedEvent

PATIENCE = 3  # holds in a row: an agent that cannot write a log entry must not be trapped
AT_ONCE = 1_000  # milliseconds: parallel calls of an answer count as a single hold
# Commands allowed in a line that writes a log entry: change the directory, and produce the text.
OWN = ("cd", "echo", "printf", "cat", "date", "true", "uv run")
KEEPERS = ("effort", "task")


def beat(tracked: TrackedEvent) -> Decision | None:
    """Counts calls; from the limit on, denies them until a log entry is written."""
    session = tracked.session
    if session is None or tracked.effort is None or not tracked.settings["heartbeat.enabled"] or tracked.is_denied:
        return None
    limit = tracked.settings["heartbeat.limit"]
    if session["heartbeat"] + 1 >= limit > 0 and _keeps_log(tracked):
        return None
    count = sessions.beat(tracked.work, session["id"])
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


def _keeps_log(tracked: TrackedEvent) -> bool:
    """Whether the line only runs `hookkit effort` or `hookkit task`, which write log entries."""
    if "hookkit" not in tracked.event.command:
        return False
    from hookkit.policy.judge import Judge
    from hookkit.programs.effects import READ

    call = Judge(tracked.settings.policy, tracked.settings.environ).call(tracked.event)
    keepers = [command for command in call.commands if is_keeper(command.words)]
    others = [command.words for command in call.commands if not is_keeper(command.words)]
    is_own = all(words[0] in OWN or " ".join(words[:2]) in OWN for words in others)
    return bool(keepers) and is_own and not call.doubt()[1] and all(kind == READ for kind, _, _ in call.touched())


def is_keeper(words: list[str]) -> bool:
    """`hookkit effort …` or `hookkit task …`, by name or absolute path; `./hookkit` is another program."""
    program = words[0]
    is_ours = program == "hookkit" or (program.startswith("/") and program.endswith("/hookkit"))
    return is_ours and len(words) > 1 and words[1] in KEEPERS


USUAL, LARGE = 200_000, 1_000_000  # tokens


def overflow(tracked: TrackedEvent) -> Decision | None:
    """Asks once a session, while the context still has space."""
    session = tracked.session
    if session is None or tracked.is_part or not tracked.settings["overflow.enabled"]:
        return None
    percent = tracked.settings["overflow.percent"]
    tokens = reader.context_tokens(tracked.event.text("transcript_path"))
    window = tracked.settings["overflow.window"] or session["window"] or _likely(tokens)
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
        message=f"hookkit: {share:.0%} of the context is used. To go on in a new session, run: hookkit resume",
    )


def _likely(tokens: int) -> int:
    """The window of a client that does not tell its size: a usage above the usual window means a large window."""
    return USUAL if tokens <= USUAL else LARGE
