"""The flow report as Markdown: counts of the session, then questions about them.

All texts come from a transcript: each is masked, on a single line, and in a code span that the text cannot close.
"""

import time

from hookkit.agents.transcripts import flow
from hookkit.system.masking import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.agents.transcripts.reader import Transcript
    from hookkit.model import Event


LIMIT = 64 * 1024
CUT = "\n\n(cut here: the report was too long)\n"
PROMPTS = 30
ROWS = 12
TIMES = 3  # runs from which a command counts as repeated
OFTEN = 5  # calls or edits from which a question is asked
HIGH = 0.25  # rate of failures from which a question is asked
CORRECTIONS = ("no", "not", "nope", "don't", "dont", "stop", "wrong", "instead", "actually", "undo", "revert", "still")
GENERAL = (
    "What did the person have to say more than once, and where should it stand so that nobody has to say it again?",
    "Which steps came in the same order more than once? They are candidates for a command, a skill or a hook.",
    "What was found out the hard way that belongs into CLAUDE.md or LOCAL.md?",
)


def render(event: "Event", transcript: "Transcript | None", now: time.struct_time) -> str:
    parts = [f"# Flow report: {line(event.name, 40)}", _facts(event, transcript, now)]
    questions: list[str] = []
    if transcript is not None:
        seen = flow.Flow(transcript.calls.values())
        sections = (
            (f"Prompts ({len(transcript.prompts)})", _prompts(transcript)),
            ("Tools", _tools(seen)),
            (f"Commands run {TIMES} times or more", _repeated(seen)),
            ("Failures that were retried", _retried(seen, event.cwd)),
            ("Files edited most", _edited(seen, event.cwd)),
            ("Tokens by model", _tokens(transcript)),
        )
        parts += [f"## {title}\n\n{body}" for title, body in sections if body]
        questions = [*_about_prompts(transcript), *_about_calls(seen, event.cwd)]
    numbered = [f"{number}. {question}" for number, question in enumerate([*questions, *GENERAL], 1)]
    parts += ["## Questions for pattern extraction\n\n" + "\n".join(numbered)]
    parts += ["## Next\n\nGive this file to @learn: it turns the answers into rules, commands or skills.\n"]
    text = "\n\n".join(parts)
    return text if len(text.encode()) <= LIMIT else text.encode()[: LIMIT - len(CUT)].decode(errors="ignore") + CUT


def code(text: str, limit: int) -> str:
    """A code span whose fence is longer than any run of backticks in the text."""
    text = line(text, limit)
    fence = "`"
    while fence in text:
        fence += "`"
    return f"`{text}`" if fence == "`" and text else f"{fence} {text} {fence}" if text else ""


def _facts(event: "Event", transcript: "Transcript | None", now: time.struct_time) -> str:
    cause = line(event.text("reason") or event.text("trigger"), 40)
    facts = {
        "Event": line(event.name, 40) + (f" ({cause})" if cause else ""),
        "Time": time.strftime("%Y-%m-%d %H:%M:%S UTC", now),
        "Session": code(event.session_id, 100),
        "Directory": code(event.cwd, 300),
    }
    if transcript is not None:
        facts["Branch"] = code(transcript.branch, 100)
        facts["Duration"] = _duration(flow.seconds(transcript.start, transcript.end))
        facts["Transcript"] = _extent(transcript)
    return "\n".join(f"- **{name}**: {value}" for name, value in facts.items() if value)


def _extent(transcript: "Transcript") -> str:
    """Says if only a part of the transcript was read."""
    lines = []
    if transcript.read < transcript.size:
        megabytes = f"{transcript.read / 1e6:.1f} of {transcript.size / 1e6:.1f} MB"
        lines.append(f"{megabytes} were read in the time there was, from both ends")
    if transcript.oversized:
        lines.append(f"{_times(transcript.oversized, 'line was', 'lines were')} too long to read")
    return "; ".join([*lines, "so the counts below are the least that they can be"]) if lines else ""


def _duration(seconds: int) -> str:
    units = (("d", seconds // 86_400), ("h", seconds // 3_600 % 24), ("min", seconds // 60 % 60), ("s", seconds % 60))
    return " ".join([f"{count} {unit}" for unit, count in units if count][:2])


def _times(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _listed(rows: list[str], total: int) -> str:
    """The rows shown, and the number of rows left out."""
    return "\n".join([*rows, f"- and {total - len(rows)} more"] if total > len(rows) else rows)


def _prompts(transcript: "Transcript") -> str:
    """The first prompts tell the goal, the last ones the end: prompts in the middle are left out."""
    numbered = list(enumerate(transcript.prompts, 1))
    gap = len(numbered) - PROMPTS
    if gap > 0:
        del numbered[PROMPTS // 3 : PROMPTS // 3 + gap]
    rows = [f"{number}. {code(prompt.text, 300)}" for number, prompt in numbered]
    if gap > 0:
        rows.insert(PROMPTS // 3, f"\n{gap} more, then:\n")
    return "\n".join(rows)


def _tools(seen: flow.Flow) -> str:
    """In a table a bar would end a code span, so bars in names are replaced."""
    rows = [
        f"| {code(name.replace('|', '/'), 60)} | {called} | {failed} | {failed / called:.0%} |"
        for name, called, failed in seen.tools[: ROWS * 2]
    ]
    return "\n".join(["| Tool | Calls | Failed | Rate |", "|---|---:|---:|---:|", *rows]) if rows else ""


def _repeated(seen: flow.Flow) -> str:
    rows = [(what, count) for what, count in seen.commands if count >= TIMES]
    return _listed([f"- {count} times: {code(what, 200)}" for what, count in rows[:ROWS]], len(rows))


def _retried(seen: flow.Flow, directory: str) -> str:
    rows = []
    for retry in seen.retries[:ROWS]:
        end = "passed in the end" if retry.passed else "**did not pass in the end**"
        rows.append(f"- {_retry_text(retry, directory)}: failed {retry.failures} of {len(retry.calls)} times, {end}")
        rows[-1] += f"\n  - first error: {code(retry.error, 300)}" if retry.error else ""
    return _listed(rows, len(seen.retries))


def _edited(seen: flow.Flow, directory: str) -> str:
    edits = [(_times(count, "edit", "edits"), _short(file, directory)) for file, count in seen.edits[:ROWS]]
    rows = [f"- {count}: {code(file, 200)}" for count, file in edits]
    return _listed(rows, len(seen.edits))


def _retry_text(retry: flow.Retry, directory: str, limit: int = 200) -> str:
    return f"{line(retry.tool, 40)} {code(_short(retry.what, directory), limit)}".lstrip()


def _short(file: str, directory: str) -> str:
    return file.removeprefix(directory.rstrip("/") + "/")


def _tokens(transcript: "Transcript") -> str:
    rows = [
        f"| {code(model.replace('|', '/'), 60)} | " + " | ".join(f"{count:,}" for count in counts) + " |"
        for model, counts in flow.tokens(transcript)[:ROWS]
    ]
    head = ["| Model | Replies | Input | Cache written | Cache read | Output |", "|---|---:|---:|---:|---:|---:|"]
    return "\n".join([*head, *rows]) if rows else ""


def _about_prompts(transcript: "Transcript") -> list[str]:
    asked = []
    prompts = transcript.prompts
    corrections = [prompt for prompt in prompts if prompt.text.split(None, 1)[0].strip(",.!:;").lower() in CORRECTIONS]
    if corrections:
        sentence = f"{_times(len(corrections), 'prompt', 'prompts')} corrected the work, the last one being"
        asked.append(f"{sentence} {code(corrections[-1].text, 120)}: what should have been known or asked before?")
    for text, count in flow.counted(prompt.text for prompt in transcript.prompts)[:1]:
        if count >= TIMES:
            asked.append(f"The prompt {code(text, 120)} was given {count} times: should it be a command, or a hook?")
    return asked


def _about_calls(seen: flow.Flow, directory: str) -> list[str]:
    asked = []
    for retry in seen.retries[:3]:
        what = f"{_retry_text(retry, directory, 120)} failed {_times(retry.failures, 'time', 'times')}"
        if not retry.passed:
            asked.append(f"{what} and did not pass in the end: what is still wrong?")
        elif retry.failures > 1:
            asked.append(f"{what} before it passed: what was missing at first, and which rule would have said so?")
    for what, count in seen.commands[:2]:
        if count >= TIMES:
            asked.append(f"{code(what, 120)} was run {count} times: what for, and what could run it unasked?")
    for name, called, failed in seen.tools:
        if called >= OFTEN and failed / called >= HIGH:
            what = f"{code(name, 60)} failed in {failed} of {called} calls"
            asked.append(f"{what}: which mistake is behind most of them?")
    for file, count in seen.edits[:2]:
        if count >= OFTEN:
            short = code(_short(file, directory), 120)
            asked.append(f"{short} was edited {count} times: was the task unclear, or does the file do too much?")
    return asked[:8]
