"""What an effort remembers: notes about tool calls, texts for the next call, and requests to write something down."""

import os

from hookkit.agents.transcripts import reader
from hookkit.ledger.evidence import Allowance
from hookkit.model import Decision
from hookkit.system import clipping, files
from hookkit.work import efforts, sessions
from hookkit.work.sessions import TrackedEvent
from hookkit.work.store import now

PATHS = ("file_path", "notebook_path")
DIRECTIVE = 2_000  # characters of a directive
DEEP = 40  # directories to search above a file
MOST = 50  # files of a call


def inject(tracked: TrackedEvent) -> Decision | None:
    """Texts left for this effort, injected once, at the next event of the main conversation."""
    if tracked.effort is None or tracked.is_part or tracked.event.is_denied or not tracked.wants("messages"):
        return None
    texts = efforts.take_injections(tracked.work, tracked.effort["id"])
    text = clipping.clip("\n\n".join(texts))
    return Decision(context=text, reason="what was left for this effort") if texts else None


def loaded(tracked: TrackedEvent) -> None:
    """Notes a file that was read: it is in the context now."""
    path = _path(tracked)
    if tracked.session is not None and path and tracked.event.tool_name == "Read":
        tracked.work.add("sessions", "loaded", tracked.session["id"], [path])


def dialogue(tracked: TrackedEvent) -> None:
    """Questions to the person, with the answers."""
    event, session = tracked.event, tracked.session
    if event.tool_name != "AskUserQuestion" or session is None or not tracked.wants("questions"):
        return
    allowance, response = Allowance(), event.fields.get("tool_response")
    answers = response.get("answers") if isinstance(response, dict) else response
    body = {
        "questions": allowance.value(event.tool_input.get("questions")),
        "answers": allowance.value(event.tool_input.get("answers") if answers is None else answers),
    }
    tracked.work.note(session["effort"], session["id"], "dialogue", body)


def failure(tracked: TrackedEvent) -> None:
    """Keeps the error of a failed call with the effort."""
    event, session = tracked.event, tracked.session
    if session is not None and tracked.wants("status"):
        error = Allowance(4_000).text(event.text("error"), 1_000)
        body = {"tool": event.tool_name[:200], "error": error}
        tracked.work.note(session["effort"], session["id"], "failure", body)


def directives(tracked: TrackedEvent) -> Decision | None:
    """Documents about how to work in a directory, shown once an effort when a file below it is used."""
    if tracked.effort is None or not tracked.wants("documents"):
        return None
    places = dict.fromkeys(path if os.path.isdir(path) else os.path.dirname(path) for path in _paths(tracked))
    files = [*dict.fromkeys(name for folder in places for name in _above(folder, tracked))]
    fresh = tracked.work.add("efforts", "directives", tracked.effort["id"], files) if files else []
    if not fresh:
        return None
    texts = [f"# {files} holds here\n\n{_text(files)}" for files in fresh]
    return Decision(context=clipping.clip("\n\n".join(texts)), reason=f"found {', '.join(fresh)}")


def _path(tracked: TrackedEvent) -> str:
    values = (tracked.event.tool_input.get(name) for name in PATHS)
    path = next((value for value in values if isinstance(value, str) and value), "")
    return _real(tracked.event.cwd, path) if path else ""


def _paths(tracked: TrackedEvent) -> list[str]:
    """Files and directories of a call: its own fields, the files of a command line, the files that a search found."""
    event = tracked.event
    response = event.fields.get("tool_response")
    names = response.get("filenames") if isinstance(response, dict) else None
    given = [event.tool_input.get(name) for name in (*PATHS, "path")]
    given += names[:MOST] if isinstance(names, list) else []
    paths = [_real(event.cwd, value) for value in given if isinstance(value, str) and value]
    if event.command:
        from hookkit.policy.judge import Judge

        call = Judge(tracked.settings.policy, tracked.settings.environ).call(event)
        paths += [_real(command.directory, "") for command in call.commands if command.directory]
        for _, path, command in call.touched():
            paths.append(_real((command and command.directory) or event.cwd, path))
    return [*dict.fromkeys(path for path in paths if path)][:MOST]


def _real(directory: str, path: str) -> str:
    """The path without links; empty for a text that no file can have as its name."""
    try:
        return os.path.realpath(os.path.join(directory, path))
    except ValueError:
        return ""


def _above(folder: str, tracked: TrackedEvent) -> list[str]:
    """Directives from a directory up to the project's root, never outside of it."""
    paths = []
    for _ in range(DEEP):
        if not files.inside(folder, tracked.project):
            break
        for name in tracked.settings["sessions.directive_files"]:
            candidate = os.path.join(folder, name)
            if os.path.isfile(candidate) and files.inside(candidate, tracked.project):
                paths.append(candidate)
        if folder == tracked.project:
            break
        folder = os.path.dirname(folder)
    return paths


def _text(path: str) -> str:
    try:
        return clipping.clip(files.read(path, DIRECTIVE * 4).decode("utf-8", "replace"), DIRECTIVE, path)
    except OSError:
        return "(could not be read)"


# -- requests: for a log entry (heartbeat), and for a note before the context is full (overflow) -----------------------


PATIENCE = 3  # holds in a row: an agent that cannot write a log entry must not be trapped
AT_ONCE = 1_000  # milliseconds: parallel calls of an answer count as a single hold
# Commands allowed in a line that writes a log entry: change the directory, and produce the text.
OWN = ("cd", "echo", "printf", "cat", "date", "true", "uv run")
KEEPERS = ("effort", "task")


def beat(tracked: TrackedEvent) -> Decision | None:
    """Counts calls that are not denied; from the limit on, denies them until a log entry is written."""
    session, is_on = tracked.session, tracked.settings["heartbeat.enabled"]
    if session is None or tracked.effort is None or not is_on or tracked.event.is_denied:
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
    # A client may not tell the size of its window: a usage above the usual window means a large one.
    window = tracked.settings["overflow.window"] or session["window"] or (USUAL if tokens <= USUAL else LARGE)
    share = round(tokens / window, 4) if tokens else 0
    if share and share != session["usage"]:
        tracked.work.write("UPDATE sessions SET usage = ? WHERE id = ?", share, session["id"])
    if not tokens or tokens * 100 < percent * window or session["warned"] or tracked.event.is_denied:
        return None
    tracked.work.write("UPDATE sessions SET warned = 1 WHERE id = ?", session["id"])
    first = "" if tracked.effort is not None else "run `hookkit effort start NAME`, then "
    return Decision(
        context=f"{share:.0%} of the context is used. Before it is full, write down for the next session what is done, "
        f"what is left and what was decided: {first}run `hookkit effort dehydrate` with that text on its standard "
        "input.",
        message=f"hookkit: {share:.0%} of the context is used. To go on in a new session, run: hookkit resume",
    )
