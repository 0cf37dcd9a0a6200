"""The one engine: rules and a call in, a verdict out; from an event to the policy's answer.

Explanations come from the same run, as a trace. A call that a rule changes is judged before and after the change; a
changed output keeps the shape of the tool's own output.
"""

from hookkit.errors import ShellError
from hookkit.model import VERDICTS, Decision, Event
from hookkit.policy import index
from hookkit.policy.call import Call, is_device
from hookkit.policy.match import NO, UNSURE, YES, Result, is_spared, matches
from hookkit.policy.pattern import RENAMED, Pattern, parse
from hookkit.policy.rules import is_for, moments, of_type
from hookkit.programs.catalogue import Catalogue
from hookkit.programs.options import matches_words
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.policy.rules import Policy, Rule
    from hookkit.shell.commands import Command


class Verdict:
    """`rule` decided; `unsure` is the reason why hookkit cannot tell which commands would run."""

    __slots__ = ("command", "reason", "rule", "trace", "unsure", "verdict")

    def __init__(
        self, verdict: str | None = None, rule: "Rule | None" = None, command: "Command | None" = None
    ) -> None:
        self.verdict = verdict
        self.rule = rule
        self.command = command
        self.reason = rule.get("reason", "") if rule else ""
        self.unsure = ""
        self.trace: list[tuple[Rule, Result]] = []


def decide(policy: "Policy", call: Call, actor: str) -> Verdict:
    """The verdict of the rules; a call over the budget of work counts as "could not tell"."""
    try:
        return _decided(policy, call, actor)
    except ShellError as error:
        return _unsure(policy, Result(UNSURE, None, str(error)), None)


def _decided(policy: "Policy", call: Call, actor: str) -> Verdict:
    """Deny stops at once; then ask, or "could not tell"; then allow, if allow rules cover every command of the line."""
    asked: Verdict | None = None
    unsure: Verdict | None = None
    allows: list[tuple[Rule, Pattern]] = []
    trace: list[tuple[Rule, Result]] = []
    for rule in candidates(policy, call, actor):
        pattern = parse(rule["match"])
        if rule["type"] == "allow":
            allows.append((rule, pattern))
            continue
        result = matches(pattern, call, unless=rule.get("unless"))
        if (
            result.yes == YES
            and result.command is None
            and rule.get("unless")
            and is_spared(rule["unless"], call, None)
        ):
            result = Result(NO, None, "unless")
        trace.append((rule, result))
        if result.yes == YES and rule["type"] == "deny":
            return _traced(Verdict("deny", rule, result.command), trace)
        if result.yes == YES:
            asked = asked or Verdict("ask", rule, result.command)
        elif result.yes == UNSURE:
            unsure = unsure or _unsure(policy, result, rule)
    unsure = unsure or _doubt(policy, call)
    if unsure is not None and (asked is None or unsure.verdict == "deny"):
        return _traced(unsure, trace)
    if asked is not None:
        return _traced(asked, trace)
    later = _later(policy, call, actor)
    return _traced(later or _allowed(allows, call, trace) or _default(policy), trace)


def _later(policy: "Policy", call: Call, actor: str) -> Verdict | None:
    """A file with commands that the policy denies: nobody would be asked when a test or a build runs them."""
    if call.is_inner or not call.writes_text():
        return None
    from hookkit.policy import written  # late: most calls write no text

    for path, text in written.files(call):
        line = written.command_line(path, text)
        inner = _judged(policy, call.inside(line), actor) if line else Verdict()
        name = str(inner.rule.get("name", "")) if inner.rule else ""
        downloads = name in written.DOWNLOADS and written.runs_by_itself(path)
        if inner.rule is not None and not inner.unsure and (inner.verdict == "deny" or downloads):
            verdict = Verdict("ask", inner.rule)
            verdict.reason = f"{path.rpartition('/')[2]} would run this later: {inner.command}. {inner.reason}"
            return verdict
    return None


def _judged(policy: "Policy", call: Call, actor: str) -> Verdict:
    """The verdict on the content of a file; a text that cannot be read as commands has none."""
    try:
        return _decided(policy, call, actor)
    except ShellError:
        return Verdict()


def _traced(verdict: Verdict, trace: "list[tuple[Rule, Result]]") -> Verdict:
    verdict.trace = trace
    return verdict


def candidates(policy: "Policy", call: Call, actor: str) -> "Iterator[Rule]":
    """The rules that may be about this call, in their written order; each is read when it is looked at."""
    for number in index.find(policy["index"], call):
        rule = policy["rules"][number]
        if rule["type"] in ("deny", "ask", "allow") and is_for(rule, actor):
            yield rule


def _unsure(policy: "Policy", result: Result, rule: "Rule | None") -> Verdict:
    verdict = Verdict("deny" if policy["unattended"] else "ask", rule, result.command)
    verdict.unsure = result.why
    verdict.reason = f"hookkit cannot tell what this would run: {result.why}"
    return verdict


def _doubt(policy: "Policy", call: Call) -> Verdict | None:
    """With rules about commands, a command of an unknown name may match any of them."""
    if call.shell is None or not any(key.startswith(("Bash:", f"{call.tool}:")) for key in policy["index"]):
        return None
    command, why = call.doubt()
    return _unsure(policy, Result(UNSURE, command, why), None) if why else None


def _allowed(allows: "list[tuple[Rule, Pattern]]", call: Call, trace: "list[tuple[Rule, Result]]") -> Verdict | None:
    """Every command of a line must be allowed, and every file that it writes; for other tools one rule is enough."""
    if call.shell is None:
        for rule, pattern in allows:
            result = matches(pattern, call, wide=False)
            trace.append((rule, result))
            if result.yes == YES:
                return Verdict("allow", rule)
        return None
    if not allows or not call.commands or call.doubt()[1] or _sets_path(call.shell.line):
        return None
    rules = [
        next((rule for rule, pattern in allows if _covers(pattern, call, command)), None) for command in call.commands
    ]
    needed = [rule for rule, command in zip(rules, call.commands, strict=True) if not command.transparent]
    trace += [
        (rule, Result(YES, command)) for rule, command in zip(rules, call.commands, strict=True) if rule is not None
    ]
    if not needed or any(rule is None for rule in needed) or not _writes_allowed(allows, call):
        return None
    return Verdict("allow", needed[0])


def _sets_path(line: str) -> bool:
    """With another PATH, a command of the same words may be another program."""
    return any(not (part[-1:] == "_" or part[-1:].isalnum()) for part in line.split("PATH=")[:-1])


def _covers(pattern: Pattern, call: Call, command: "Command") -> bool:
    if not pattern.has_tool(call.tool):
        return False
    if pattern.argument is None and not pattern.field:
        return True
    return len(pattern.stages) == 1 and matches_words(pattern.stages[0], call.parsed(command), wide=False)


def _writes_allowed(allows: "list[tuple[Rule, Pattern]]", call: Call) -> bool:
    """A redirection writes a file, so allow rules must cover the file too."""
    for command in call.commands:
        for operator, path in command.files:
            if operator == "<" or is_device(path):
                continue
            writers = [pattern.argument or "*" for _, pattern in allows if {"Write", "Edit"} & set(pattern.tools)]
            if not any(call.place.matches(writer, path, command.directory, wide=False) for writer in writers):
                return False
    return True


def _default(policy: "Policy") -> Verdict:
    verdict = Verdict(policy["default"] if policy["default"] in ("ask", "deny") else None)
    verdict.reason = "no rule allows this" if verdict.verdict else ""
    return verdict


# -- rules of type modify --------------------------------------------------------------------------


EVERY_TEXT = "*"  # the field that means every text of an output


def changed_input(policy: "Policy", call: Call, actor: str) -> dict[str, object] | None:
    """The input after all matching rules, in their order; None without a change."""
    changed = dict(call.tool_input)
    for rule in _modifying(policy, call, actor, "PreToolUse"):
        value = changed.get(rule["field"])
        if isinstance(value, str):
            changed[rule["field"]] = _changed(rule, value)
    return changed if changed != call.tool_input else None


def changed_output(policy: "Policy", call: Call, actor: str, response: object) -> object:
    """The tool's output after every rule for PostToolUse; None where nothing changes."""
    changed = response
    for rule in _modifying(policy, call, actor, "PostToolUse"):
        path = [] if rule["field"] == EVERY_TEXT else rule["field"].split(".")
        changed = _within(changed, path, rule)
    return changed if changed != response else None


def _modifying(policy: "Policy", call: Call, actor: str, event: str) -> "Iterator[Rule]":
    for rules in of_type(policy, "modify", actor):
        if event in moments(rules[0]) and any(matches(parse(rule["match"]), call).yes == YES for rule in rules):
            yield rules[0]


def _within(value: object, path: list[str], rule: "Rule") -> object:
    """The value with every text changed at the path; all items of a list are at the same path."""
    if isinstance(value, list):
        return [_within(item, path, rule) for item in value]
    if isinstance(value, dict):
        names = [path[0]] if path else list(value)
        return {**value, **{name: _within(value[name], path[1:], rule) for name in names if name in value}}
    return _changed(rule, value) if isinstance(value, str) and not path else value


def _changed(rule: "Rule", value: str) -> str:
    if "replace" in rule:
        return value.replace(rule["replace"], rule["with"])
    import re

    return re.sub(rule["regex"], rule["with"], value)


# -- events ----------------------------------------------------------------------------------------


LONGEST = 80  # characters of a command in a message


class Judge:
    def __init__(self, policy: "Policy", environ: dict[str, str]) -> None:
        self.policy = policy
        self.environ = environ
        self.catalogue = Catalogue(policy["programs"])

    def answer(self, event: Event) -> Decision | None:
        """A call changed by a rule is judged before and after the change; the stricter verdict holds."""
        first = self.verdict(event)
        changed = None
        if first.verdict != "deny" and self.policy["extra"]["modify"]:
            changed = changed_input(self.policy, self.call(event), self.actor(event))
        if changed is None:
            return self.reply(first, event)
        second = self.verdict(event.with_input(changed))
        stricter = max(first, second, key=lambda verdict: VERDICTS.index(verdict.verdict))
        decision = self.reply(stricter, event) or Decision(reason="changed by a rule")
        decision.policy_rule = first.rule or second.rule
        decision.updated_input = None if stricter.verdict == "deny" else changed
        return decision

    def output(self, event: Event) -> Decision | None:
        """The tool's output as changed by rules of type modify."""
        response = event.fields.get("tool_response")
        changed = changed_output(self.policy, self.call(event), self.actor(event), response)
        if changed is None:
            return None
        decision = Decision(reason="output changed by a rule")
        decision.updated_output = changed
        return decision

    def due(self, kind: str, event: Event) -> "list[Rule]":
        """Rules of a type without a verdict (command, evidence_capture, …) that match this call on this event."""
        rows = [rules for rules in of_type(self.policy, kind, self.actor(event)) if event.name in moments(rules[0])]
        if not rows:
            return []
        call = self.call(event)
        matching = ([rule for rule in rules if matches(parse(rule.get("match", "*")), call).yes] for rules in rows)
        return [rules[0] for rules in matching if rules]

    def actor(self, event: Event) -> str:
        return event.actor(self.environ, str(self.policy["actor"]))

    def call(self, event: Event) -> Call:
        """The call as analysed once for all hooks of the event."""
        if event.call is None:
            event.call = Call(
                RENAMED.get(event.tool_name, event.tool_name),
                event.tool_input,
                cwd=event.cwd,
                project=files.repository(event.project),
                home=files.home(self.environ),
                catalogue=self.catalogue,
                tools=self.policy["tools"],
            )
        call: Call = event.call
        return call

    def verdict(self, event: Event) -> Verdict:
        return decide(self.policy, self.call(event), self.actor(event))

    def reply(self, verdict: Verdict, event: Event) -> Decision | None:
        """The reason names hookkit, the rule and the command, and a way out that the policy itself would not deny."""
        if verdict.verdict is None:
            return None
        rule: Rule | dict[str, str] = verdict.rule or {}
        reason = verdict.reason or f"{rule.get('match', 'the policy').strip() or '*'} is set to {verdict.verdict}."
        if verdict.command is not None and not verdict.unsure:
            reason = f"{shown(verdict.command)}: {reason}"
        if not verdict.unsure:
            reason = f"hookkit [{rule['name']}]: {reason}" if rule.get("name") else f"hookkit: {reason}"
        instead = rule.get("instead")
        if instead and verdict.verdict != "allow" and not verdict.unsure:
            other = self.verdict(event.with_input({**event.tool_input, "command": instead}))
            reason += f" Instead: {instead}" if other.verdict != "deny" else ""
        decision = Decision(verdict.verdict, reason)
        decision.rule = f"{rule['type']} {rule['match']}" if rule else ""
        decision.policy_rule = verdict.rule
        return decision


def shown(command: "Command") -> str:
    """A command in a message: on one line, not too long, without a secret cut in half."""
    text = str(command)
    if len(text) <= LONGEST:
        return text
    from hookkit.system.masking import mask  # late: few commands are so long

    return mask(text[: LONGEST * 4])[: LONGEST - 1] + "…"
