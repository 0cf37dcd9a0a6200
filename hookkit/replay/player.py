"""The verdict of the live hooks on a past call, without evidence, marks, or programs of the user's own."""

from itertools import takewhile

from hookkit.approve import answer
from hookkit.errors import ConfigError, HookkitError
from hookkit.hooks import guard, redirect
from hookkit.model import Decision, Event, combine
from hookkit.policy.judge import Judge
from hookkit.replay.history import project_of
from hookkit.settings import compiling, layers
from hookkit.settings.layers import Settings
from hookkit.system import files, jsons
from hookkit.transcripts.past_calls import PastCall

MOST = 100_000  # cached verdicts for repeated calls
SHELL_TOOL, DESCRIPTION = "Bash", "description"  # the agent words each description anew
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
        self._judges: dict[tuple[str, str], tuple[Settings, Judge, tuple[str, ...]]] = {}
        self._known: dict[tuple[str, str, str, str], Outcome] = {}
        self._roots: dict[str, str] = {}  # directories with their repositories

    def outcome(self, call: PastCall, project: str = "") -> Outcome:
        settings, judge, ignored = self._settled(call.cwd, project or call.cwd)
        given = call.input
        if ignored and call.tool == SHELL_TOOL:
            given = {field: value for field, value in given.items() if field not in ignored or type(value) is not str}
        command = given.get("command") if len(given) == 1 else None
        text = f"={command}" if type(command) is str else jsons.dumps(given)  # JSON begins with a brace
        key = (call.client, call.tool, text, call.cwd)
        found = self._known.get(key)
        if found is None:
            found = Outcome(_decision(call, project or call.cwd, settings, judge))
            if len(self._known) < MOST:
                self._known[key] = found
        return found

    def _settled(self, cwd: str, project: str) -> tuple[Settings, Judge, tuple[str, ...]]:
        """The settings, their judge, and the fields of a shell call that have no part in the verdict."""
        place = ("", "") if self._fixed else (project_of(cwd, self._roots), project_of(project, self._roots))
        found = self._judges.get(place)
        if found is None:
            settings = self._fixed or layers.load(cwd, self.environ, project)
            ignored = () if _is_about_descriptions(settings) else (DESCRIPTION,)
            found = self._judges[place] = (settings, Judge(settings.policy, settings.environ), ignored)
        return found


def _is_about_descriptions(settings: Settings) -> bool:
    """Whether settings of the person may look at the description of a call; the shipped rules, the last, do not."""
    if settings.values.get("schemas") or settings.policy["tools"]:
        return True
    own = takewhile(lambda rule: rule.get("source") != "base", settings.policy["rules"])
    return any(DESCRIPTION in jsons.dumps(rule) for rule in own)


def _decision(call: PastCall, project: str, settings: Settings, judge: Judge) -> Decision:
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
