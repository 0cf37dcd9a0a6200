"""The verdict of the live hooks on a past call, without evidence, marks, or programs of the user's own."""

from hookkit.approve import answer
from hookkit.errors import ConfigError, HookkitError
from hookkit.hooks import guard, redirect
from hookkit.model import Decision, Event, combine
from hookkit.policy.judge import Judge
from hookkit.settings import compiling, layers
from hookkit.settings.layers import Settings
from hookkit.system import files, jsons
from hookkit.transcripts.past_calls import PastCall

MOST = 100_000  # cached verdicts for repeated calls
NONE = "none"
UNJUDGED = "hookkit could not judge this call"


class Outcome:
    """`rule` names the rule, or the reason where no rule has a name; `rewritten` is the new command."""

    __slots__ = ("reason", "rewritten", "rule", "verdict")

    def __init__(self, decision: Decision) -> None:
        self.verdict = decision.verdict or NONE
        self.reason = decision.reason
        self.rule = decision.rule
        changed = decision.updated_input
        command = changed.get("command") if changed else None
        self.rewritten = command if isinstance(command, str) else "changed" if changed else ""

    @property
    def kind(self) -> str:
        return "rewrite" if self.rewritten and self.verdict in (NONE, "allow") else self.verdict


class Player:
    """A policy. Without a file, the policy in force in the directory of each call."""

    def __init__(self, environ: dict[str, str], path: str = "") -> None:
        self.environ = environ
        self._fixed = _settings(path, environ) if path else None
        self._judges: dict[tuple[str, str], tuple[Settings, Judge]] = {}
        self._known: dict[tuple[str, str, str, str], Outcome] = {}

    def outcome(self, call: PastCall, project: str = "") -> Outcome:
        key = (call.client, call.tool, jsons.dumps(call.input), call.cwd)
        found = self._known.get(key)
        if found is None:
            found = Outcome(self._decision(call, project or call.cwd))
            if len(self._known) < MOST:
                self._known[key] = found
        return found

    def _decision(self, call: PastCall, project: str) -> Decision:
        fields: dict[str, object] = {
            "tool_name": call.tool,
            "tool_input": call.input,
            "cwd": call.cwd,
            "tool_use_id": call.id or "past",
        }
        event = Event("PreToolUse", fields)
        event.project = project
        event.agent = call.client  # the tools of other agents have inputs of their own
        event.answers = []
        settings, judge = self._settled(call.cwd, project)
        decisions = [opinion(event, settings, judge)]
        try:
            decisions.append(redirect.run(event, settings) if getattr(decisions[0], "verdict", "") != "deny" else None)
        except (HookkitError, OSError):
            decisions.append(None)
        first = [decision for decision in decisions if decision is not None]
        if not first:
            return Decision()
        changed = combine(first).updated_input
        if changed is not None:
            again = opinion(event.with_input(changed), settings, judge)
            if again is not None:
                again.judged = changed
                first.append(again)
        return combine(first)

    def _settled(self, cwd: str, project: str) -> tuple[Settings, Judge]:
        if (cwd, project) not in self._judges:
            settings = self._fixed or layers.load(cwd, self.environ, project)
            self._judges[cwd, project] = (settings, Judge(settings.policy, settings.environ))
        return self._judges[cwd, project]


def opinion(event: Event, settings: Settings, judge: Judge) -> Decision | None:
    """The guard's answer before a call, as in `hooks.guard`."""
    wrong = guard.misshapen(event, settings)
    if wrong:
        return Decision("deny", wrong)
    is_quiet = event.command and settings.is_quiet(event.command, event.cwd)
    said = None if is_quiet else judge.answer(event)
    if said is None and settings.values.get("policy.approve", "none") != "none":
        return answer.decision(event, judge, settings)
    return said


def _settings(path: str, environ: dict[str, str]) -> Settings:
    """The settings of a file, read like the person's own settings; a mistake in the file is an error."""
    try:
        files.read(path, 1)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    compiled = compiling.compile_layers([("user", path)], environ)
    if compiled["broken"]:
        raise ConfigError(compiled["broken"][0])
    return Settings(environ, compiled)
