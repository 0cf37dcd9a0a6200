"""A decision, limited to the words that an agent understands: the strictest form available, never silence."""

from hookkit import events
from hookkit.agents._reading import restored
from hookkit.model import Decision, Event
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


def _end(said: Decision, decision: Decision, row: events.EventRow) -> None:
    """A handler's wish to end the turn: the call is denied, and an agent that wants to stop may stop."""
    if decision.stop is None or "deny" not in row.answers:
        return
    is_stop = row.name in ("Stop", "SubagentStop")
    said.verdict, said.reason = (None, "") if is_stop else ("deny", decision.stop or decision.reason)


def _replace(said: Decision, decision: Decision, words: list[str]) -> None:
    """A new output of the tool. Where it has no field, a deny replaces the output by its reason."""
    if decision.updated_output is None or "output" in words:
        said.updated_output = decision.updated_output
    elif said.verdict is None and "deny" in words:
        said.verdict, said.reason = "deny", output_text(decision.updated_output)


def output_text(output: object) -> str:
    """The text for the model in a tool's output, whatever its shape."""
    if isinstance(output, dict):
        fields = ("llmContent", "textResultForLlm", "text_result_for_llm", "stdout", "output")
        text = next((output[name] for name in fields if isinstance(output.get(name), str)), None)
        return text if text is not None else dumps(output)
    return output if isinstance(output, str) else dumps(output)


def _rewrite(
    event: Event, decision: Decision, row: events.EventRow, words: list[str], said: Decision
) -> "dict[str, object] | None":
    """The rewrite in the agent's own fields. Without one, the call is denied with the new command as a suggestion."""
    if decision.updated_input is None or not row.rewrites or said.verdict == "deny":
        return None
    own = restored(event, decision.updated_input) if "rewrite" in words else None
    if own is not None:
        return own
    if row.reply == events.REQUEST:
        said.verdict = None  # the dialog stays, and a person answers
        return None
    said.verdict, said.reason = "deny", f"{suggestion(decision.updated_input)} {decision.reason}".strip()
    said.context = said.message = ""  # both would report a command that did not run
    return None


def suggestion(new: "dict[str, object]") -> str:
    """`Run "make test" instead.`"""
    command = new.get("command")
    if not isinstance(command, str):
        return "Change the input of this call."
    text = "".join(char if char.isprintable() else " " for char in command)
    return f'Run "{text if len(text) <= LONGEST else text[:LONGEST] + "…"}" instead.'


def _ask(said: Decision, words: list[str], title: str) -> None:
    said.verdict = "ask" if "ask" in words else "deny"
    if said.verdict == "ask":
        return
    if said.updated_input is not None:
        said.reason = f"{suggestion(said.updated_input)} {said.reason}"
        said.updated_input = None
    said.reason = f"{said.reason} {CANNOT_ASK.format(title=title)}".strip()


def _deny(said: Decision, words: list[str]) -> None:
    """A deny needs a reason; where the event cannot be stopped, the reason is told instead."""
    said.reason = said.reason or NO_REASON
    said.updated_input = None
    if "deny" in words:
        return
    said.verdict = None
    if "context" in words:
        said.context = "\n\n".join(text for text in (said.reason, said.context) if text)
    elif "message" in words:
        said.message = "\n".join(text for text in (said.reason, said.message) if text)


def refusal(event: Event, decision: Decision, can: "Mapping[str, str]", title: str) -> tuple[int, str]:
    """The exit code for an agent that obeys exit codes, and the text for stderr."""
    answer = limited(event, decision, can, title)
    if answer.verdict != "deny":
        return 0, answer.message
    return REFUSED, "\n".join(filter(None, (answer.reason, answer.message)))


def _texts(said: Decision, words: list[str]) -> Decision:
    """Text for the model goes into the reason of a deny where it has no place of its own; so does text for a person."""
    if said.message and "message" not in words:
        if "context" in words and said.message not in said.context:
            said.context = "\n\n".join(filter(None, (said.context, FOR_THE_PERSON.format(message=said.message))))
        said.message = ""
    if said.context and "context" not in words:
        if said.verdict == "deny":
            said.reason = f"{said.reason}\n\n{said.context}"
        said.context = ""
    return said
