"""From an event to the policy's answer: the actor, changes by rules, the verdict before and after a change."""

from hookkit.model import VERDICTS, Decision, Event
from hookkit.policy.call import Call
from hookkit.policy.decide import Verdict, decide
from hookkit.policy.match import matches
from hookkit.policy.pattern import RENAMED, parse
from hookkit.policy.rules import moments, of_type
from hookkit.programs.catalogue import Catalogue
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Policy, Rule
    from hookkit.shell.commands import Command


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
            from hookkit.policy import modify  # late: most policies change nothing

            changed = modify.apply(self.policy, self.call(event), self.actor(event))
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
        from hookkit.policy import modify

        response = event.fields.get("tool_response")
        changed = modify.output(self.policy, self.call(event), self.actor(event), response)
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
