"""The nouns: an agent's event and our decision. No I/O, no imports."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# From no answer to the strictest; a verdict's place here is its strength.
VERDICTS = (None, "allow", "ask", "defer", "deny")


class Event:
    """One hook event; `agents` has checked the type of every field."""

    __slots__ = (
        "agent",
        "answers",
        "at",
        "call",
        "cwd",
        "effort",
        "fields",
        "handled",
        "name",
        "notes",
        "origin",
        "project",
        "prompt",
        "session_id",
        "tool_input",
        "tool_name",
        "transcript",
    )

    def __init__(self, name: str, fields: dict[str, object]) -> None:
        self.name = name
        self.fields = fields
        self.agent = "claude"  # the agent whose module read the event
        self.origin: Any = None  # the agent's own names and input, which its module needs for the reply
        self.session_id = self.text("session_id")
        self.cwd = self.text("cwd")
        self.project = self.cwd  # where the session was started, if the agent tells
        self.tool_name = self.text("tool_name")
        self.prompt = self.text("prompt")
        tool_input = fields.get("tool_input")
        self.tool_input: dict[str, object] = tool_input if isinstance(tool_input, dict) else {}
        self.answers: list[Answer] | None = None  # answers of the hooks before this hook, in `hookkit run`
        self.at = 0  # milliseconds; not 0: the event was stored at that time, and nobody reads its answer
        self.call: Any = None  # the analysed call, shared by guard, redirect and ledger
        self.effort = ""  # the effort of the session, if efforts are tracked
        self.handled: list[dict[str, object]] = []  # the runs of the user's own handlers, for the ledger
        self.transcript: Any = None  # the transcript once read, shared by restore and learn
        self.notes: list[tuple[str, str]] = []  # to tell the person, and to log if a problem: a short name and the text

    def text(self, field: str) -> str:
        """The field as text; empty if the agent sent another type."""
        value = self.fields.get(field)
        return value if isinstance(value, str) else ""

    def with_input(self, tool_input: dict[str, object]) -> "Event":
        """The same event about another input."""
        other = Event(self.name, {**self.fields, "tool_input": tool_input})
        other.handled, other.notes = self.handled, self.notes
        other.cwd, other.project, other.agent = self.cwd, self.project, self.agent
        return other

    @property
    def earlier(self) -> "list[Decision]":
        """The decisions of the hooks before this one."""
        return [answer.decision for answer in self.answers or () if answer.decision is not None]

    @property
    def is_denied(self) -> bool:
        """Whether a hook before this one denied the call."""
        return any(decision.verdict == "deny" for decision in self.earlier)

    def rewritten(self) -> "list[Event]":
        """The event as rewritten by the hooks before this one, for each rewrite."""
        return [self.with_input(given) for decision in self.earlier if (given := decision.updated_input) is not None]

    def is_attended(self, environ: dict[str, str]) -> bool:
        """Whether a person sits at the agent and can answer a question."""
        return environ.get("CLAUDE_CODE_SESSION_ATTENDED") != "0"

    @property
    def look(self) -> "Any":
        """The resolved command line, if the policy has looked at it already."""
        return self.call.shell if self.call is not None else None

    def actor(self, environ: dict[str, str], usual: str) -> str:
        """Who is asking: by the command line or environment, the event, the sub-agent's type, or a setting."""
        kind = self.text("agent_type")
        return environ.get("HOOKKIT_ACTOR") or self.text("actor") or (f"agent:{kind}" if kind else "") or usual

    @property
    def command(self) -> str:
        """The shell command line of the call; empty for other tools."""
        value = self.tool_input.get("command")
        return value if isinstance(value, str) and self.tool_name == "Bash" else ""


class Decision:
    """The answer of a hook. Every part is optional; a Decision without any part leaves the call to the client."""

    __slots__ = (
        "aside",
        "context",
        "evidence",
        "judged",
        "message",
        "more",
        "onto",
        "permit",
        "policy_rule",
        "reason",
        "rule",
        "stop",
        "suppress",
        "updated_input",
        "updated_output",
        "verdict",
    )

    def __init__(
        self,
        verdict: str | None = None,
        reason: str = "",
        *,
        updated_input: dict[str, object] | None = None,
        context: str = "",
        message: str = "",
    ) -> None:
        self.verdict = verdict
        self.reason = reason
        self.updated_input = updated_input
        self.updated_output: object = None  # replaces the tool's output, in the tool's own shape
        self.judged: dict[str, object] | None = None  # the rewritten input, if the decision is about a rewrite
        self.onto: object = None  # the earlier rewrite of input or output that this rewrite was made from
        self.stop: str | None = None  # ends the agent's turn, with this reason
        self.suppress = False  # keeps the output of the hook off the screen
        self.evidence: object = None  # for the ledger alone
        self.more: dict[str, object] = {}  # other fields of a reply, by the names of Claude Code
        self.rule = ""  # the rule that gave the verdict
        self.policy_rule: Mapping[str, object] | None = None  # of the policy, about the call as the agent made it
        self.permit = ""  # the id for `hookkit allow-once`
        self.aside = ""  # added to the reason of a question: the dialog shows the reason, and messages come after it
        self.context = context  # for the model
        self.message = message  # for the person

    def __repr__(self) -> str:
        """As its author would write it: a test of a handler shows it where it fails."""
        parts = {"updated_input": self.updated_input, "context": self.context, "message": self.message}
        more = "".join(f", {name}={value!r}" for name, value in parts.items() if value)
        return f"Decision({self.verdict!r}, {self.reason!r}{more})"


class Answer:
    """A hook's part in a reply: its decision or its error, and its time."""

    __slots__ = ("decision", "hook", "ms", "problem")

    def __init__(self, hook: str, decision: Decision | None, problem: Exception | None, ms: float) -> None:
        self.hook = hook
        self.decision = decision
        self.problem = problem
        self.ms = ms


def combine(decisions: list[Decision]) -> Decision:
    """The most severe verdict wins, so adding a hook can never loosen a stricter one.

    A deny takes rewrites with it; of two rewrites the first stands, as hooks run in the order of their row, unless the
    second was made from the first. An allow is about the input that it was given for: another hook's rewrite does not
    get it along.
    """
    result = Decision()
    chain = _chain(decisions, "updated_input")
    outputs = _chain(decisions, "updated_output")
    result.updated_input = chain[-1] if chain else None
    result.updated_output = outputs[-1] if outputs else None
    for decision in decisions:
        about = decision.updated_input if decision.updated_input is not None else decision.judged
        if decision.verdict == "allow" and about is not result.updated_input:
            continue
        if VERDICTS.index(decision.verdict) > VERDICTS.index(result.verdict):
            result.verdict, result.reason, result.rule = decision.verdict, decision.reason, decision.rule
    if result.verdict is None:
        result.reason = next((decision.reason for decision in decisions if decision.reason), "")
    if result.verdict == "deny":
        result.updated_input = None
    # A rewrite that is dropped takes its texts with it: they would report a command that never ran.
    chain = [] if result.verdict == "deny" else chain
    applied = [one for one in decisions if one.verdict == "deny" or one.updated_input in (None, *chain)]
    result.context = "\n\n".join(decision.context for decision in applied if decision.context)
    result.message = "\n".join(decision.message for decision in applied if decision.message)
    if result.verdict == "ask" and any(decision.aside for decision in decisions):
        stop = "." if result.reason[-1:].isalnum() else ""  # a rule's own words may end without one
        asides = (decision.aside for decision in decisions if decision.aside)
        result.reason = " ".join(filter(None, (f"{result.reason}{stop}", *asides)))
    result.policy_rule = next((one.policy_rule for one in decisions if one.policy_rule), None)
    result.permit = next((one.permit for one in decisions if one.permit), "")
    result.stop = next((one.stop for one in decisions if one.stop is not None), None)
    result.suppress = any(one.suppress for one in decisions)
    for decision in decisions:
        if decision.more:
            result.more = {**decision.more, **result.more}
    return result


def _chain(decisions: list[Decision], field: str) -> "list[Any]":
    """The first rewrite, and every later rewrite that was made from the one before."""
    chain: list[Any] = []
    for decision in decisions:
        new = getattr(decision, field)
        if new is not None and (not chain or decision.onto is chain[-1]):
            chain.append(new)
    return chain
