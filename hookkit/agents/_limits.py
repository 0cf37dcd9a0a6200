"""A decision, limited to the words that an agent understands: the strictest form available, never silence.

Text for the model that an agent takes only after the tool is kept from one event to the next, as a private file.
"""

import os
import time

from hookkit import events
from hookkit.agents._reading import restored
from hookkit.model import Decision, Event
from hookkit.system import files
from hookkit.system.jsons import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NO_REASON = "hookkit denied this call."
CANNOT_ASK = (
    "hookkit would ask a person about this call, but {title} cannot ask here. A person can run it in a terminal, "
    "or switch the rule off in the settings of hookkit."
)
FOR_THE_PERSON = "Tell the user: {message}"
REFUSED = 2  # the exit code of a deny
LONGEST = 300  # characters of a command in a suggestion
LATER = "later"  # the folder with texts for the event after the tool
LONGEST_LATER = 20_000  # bytes
RUNS = (None, "allow")  # verdicts after which the tool runs


def limited(event: Event, decision: Decision, can: "Mapping[str, str]", title: str) -> Decision:
    """The decision without the parts that the agent would ignore, each replaced by the strictest part it obeys."""
    words = [word for word in can.get(event.name, "").split() if word != "ask" or not event.origin.unattended]
    row = events.EVENTS.get(event.name, events.UNKNOWN)
    verdict = decision.verdict if decision.verdict in row.answers else None
    limited_to_it = Decision(verdict, decision.reason, context=decision.context, message=decision.message)
    _end(limited_to_it, decision, row)
    _replace(limited_to_it, decision, words)
    limited_to_it.updated_input = _rewrite(event, decision, row, words, limited_to_it)
    if limited_to_it.verdict in ("ask", "defer"):
        _ask(limited_to_it, words, title)
    if limited_to_it.verdict == "allow" and "allow" not in words:
        limited_to_it.verdict = None
    if limited_to_it.verdict == "deny":
        _deny(limited_to_it, words)
    return _texts(limited_to_it, words)


def _end(reply: Decision, decision: Decision, row: events.EventRow) -> None:
    """A handler's wish to end the turn: the call is denied, and an agent that wants to stop may stop."""
    if decision.stop is None or "deny" not in row.answers:
        return
    is_stop = row.name in ("Stop", "SubagentStop")
    reply.verdict, reply.reason = (None, "") if is_stop else ("deny", decision.stop or decision.reason)


def _replace(reply: Decision, decision: Decision, words: list[str]) -> None:
    """A new output of the tool. Where it has no field, a deny replaces the output by its reason."""
    if decision.updated_output is None or "output" in words:
        reply.updated_output = decision.updated_output
    elif reply.verdict is None and "deny" in words:
        reply.verdict, reply.reason = "deny", output_text(decision.updated_output)


def output_text(output: object) -> str:
    """The text for the model in a tool's output, whatever its shape."""
    if isinstance(output, dict):
        fields = ("llmContent", "textResultForLlm", "text_result_for_llm", "stdout", "output")
        text = next((output[name] for name in fields if isinstance(output.get(name), str)), None)
        return text if text is not None else dumps(output)
    return output if isinstance(output, str) else dumps(output)


def _rewrite(
    event: Event, decision: Decision, row: events.EventRow, words: list[str], reply: Decision
) -> "dict[str, object] | None":
    """The rewrite in the agent's own fields. Without one, the call is denied with the new command as a suggestion."""
    if decision.updated_input is None or not row.rewrites or reply.verdict == "deny":
        return None
    own = restored(event, decision.updated_input) if "rewrite" in words else None
    if own is not None:
        return own
    if row.reply == events.REQUEST:
        reply.verdict = None  # the dialog stays, and a person answers
        return None
    reply.verdict, reply.reason = "deny", f"{suggestion(decision.updated_input)} {decision.reason}".strip()
    reply.context = reply.message = ""  # both would report a command that did not run
    return None


def suggestion(new: "dict[str, object]") -> str:
    """`Run "make test" instead.`"""
    command = new.get("command")
    if not isinstance(command, str):
        return "Change the input of this call."
    text = "".join(char if char.isprintable() else " " for char in command)
    return f'Run "{text if len(text) <= LONGEST else text[:LONGEST] + "…"}" instead.'


def _ask(reply: Decision, words: list[str], title: str) -> None:
    reply.verdict = "ask" if "ask" in words else "deny"
    if reply.verdict == "ask":
        return
    if reply.updated_input is not None:
        reply.reason = f"{suggestion(reply.updated_input)} {reply.reason}"
        reply.updated_input = None
    reply.reason = f"{reply.reason} {CANNOT_ASK.format(title=title)}".strip()


def _deny(reply: Decision, words: list[str]) -> None:
    """A deny needs a reason; where the event cannot be stopped, the reason is told instead."""
    reply.reason = reply.reason or NO_REASON
    reply.updated_input = None
    if "deny" in words:
        return
    reply.verdict = None
    if "context" in words:
        reply.context = "\n\n".join(text for text in (reply.reason, reply.context) if text)
    elif "message" in words:
        reply.message = "\n".join(text for text in (reply.reason, reply.message) if text)


def parts(decision: Decision, **names: str) -> "dict[str, object]":
    """The parts that the decision has, under the agent's names for them: `context="additionalContext"`."""
    values = ((name, getattr(decision, part)) for part, name in names.items())
    return {name: value for name, value in values if value not in (None, "")}


def refusal(event: Event, decision: Decision, can: "Mapping[str, str]", title: str) -> tuple[int, str]:
    """The exit code for an agent that obeys exit codes, and the text for stderr."""
    answer = limited(event, decision, can, title)
    if answer.verdict != "deny":
        return 0, answer.message
    return REFUSED, "\n".join(filter(None, (answer.reason, answer.message)))


def _texts(reply: Decision, words: list[str]) -> Decision:
    """Text for the model goes into the reason of a deny where it has no place of its own; so does text for a person."""
    if reply.message and "message" not in words:
        if "context" in words and reply.message not in reply.context:
            reply.context = "\n\n".join(filter(None, (reply.context, FOR_THE_PERSON.format(message=reply.message))))
        reply.message = ""
    if reply.context and "context" not in words:
        if reply.verdict == "deny":
            reply.reason = f"{reply.reason}\n\n{reply.context}"
        reply.context = ""
    return reply


def exchange(event: Event, decision: Decision, can: "Mapping[str, str]", environ: dict[str, str]) -> str:
    """Before a tool: keep the text for the model. After it: the text that was kept for this call, once."""
    before, after = (can.get(name, "").split() for name in ("PreToolUse", "PostToolUse"))
    if "context" in before or "context" not in after:
        return ""
    if event.name == "PostToolUse":
        return _take(_later_path(event, environ))
    is_blocked = decision.verdict not in RUNS or (decision.updated_input is not None and "rewrite" not in before)
    if event.name == "PreToolUse" and decision.context and not is_blocked:
        _keep(_later_path(event.with_input(decision.updated_input or event.tool_input), environ), decision.context)
    return ""


def _take(path: str) -> str:
    if not path or not os.path.exists(path):
        return ""
    text = files.read_own(path, LONGEST_LATER).decode("utf-8", "replace")
    os.unlink(path)
    return text


def _keep(path: str, text: str) -> None:
    if path:
        files.prune(files.private_dir(os.path.dirname(path)), time.time())
        files.write(path, text.encode("utf-8", "replace")[:LONGEST_LATER])


def _later_path(event: Event, environ: dict[str, str]) -> str:
    """One file for a call of a session; not every agent sends an id of the call, so its input stands for it."""
    state = files.state_dir(environ)
    call = dumps([event.tool_name, event.command or event.tool_input]).encode("utf-8", "replace")
    name = f"{files.safe_name(event.session_id)}-{files.checksum(call)}"
    return os.path.join(files.private_dir(state), LATER, name) if state and event.session_id else ""
