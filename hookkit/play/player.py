"""The player of rows: the same pipeline, policy and patterns as for an agent's call, with the time of each hook.

Each row plays in a scratch place: no row sees the files of another, and no row leaves a file in your project.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

from hookkit import registry
from hookkit.errors import ConfigError, HandlerError
from hookkit.handlers import project_trust
from hookkit.hooks import guard
from hookkit.model import Decision, Event, combine
from hookkit.pipeline import LAST, Invocation
from hookkit.play.rows import MISSING, input_of
from hookkit.policy import match, pattern, protected
from hookkit.policy.call import Call
from hookkit.policy.judge import Judge, Verdict
from hookkit.policy.rules import VERDICTS, is_for, moments
from hookkit.redirect import toolchains, tree
from hookkit.settings import layers
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Policy, Rule

    Trace = list[tuple[Rule, match.Result]]


NAMES = re.compile(r"(?<!\$)\{(project|home)\}")
STAND_IN = "#!/bin/sh\nexit 127\n"
PLACES = ("HOME", "XDG_CONFIG_HOME")  # of the person, without those that lead into the project


def _outside() -> str | None:
    """A place for scratch directories outside of the project: hookkit keeps no state inside. None: the usual place."""
    if not layers.is_inside(tempfile.gettempdir(), {files.repository(os.getcwd())}):
        return None
    state = files.state_dir(dict(os.environ))
    return files.private_dir(state) if state else None


class Scratch:
    """A project of the row's own, or the working directory, with a state directory that is deleted afterwards.

    Without `programs`, rules of type command are left out: then no program of the user's own runs. With `any_machine`,
    the programs of every toolchain count as installed. With `borrows`, a row in the working directory reads the
    person's own cache of the settings, which saves compiling every rule. With `trusted`, the project's settings
    apply as if a person had trusted them, so that rows mean the same on every machine; nothing is borrowed then.
    """

    def __init__(
        self,
        row: dict[str, Any],
        *,
        programs: bool = True,
        any_machine: bool = True,
        borrows: bool = False,
        trusted: bool = False,
    ) -> None:
        self.programs = programs
        self.borrows = borrows and not trusted
        self.is_own = any(key in row for key in ("files", "links", "pattern"))
        self.directory = os.path.realpath(tempfile.mkdtemp(prefix="hookkit-", dir=_outside()))
        self.project = os.path.join(self.directory, "project") if self.is_own else os.getcwd()
        self.environ = {
            **os.environ,
            "XDG_STATE_HOME": os.path.join(self.directory, "state"),
            "HOOKKIT_SESSION_DIR": os.path.join(self.directory, "sessions"),
            "CLAUDE_CONFIG_DIR": os.path.join(self.directory, "claude"),
        }
        if self.is_own:
            self._move_home()
            self._make_files(row)
        elif not trusted:
            self._copy_trust()
        if trusted:
            project_trust.pin(files.repository(self.project), self.environ)
        if any_machine:
            self.environ["PATH"] = os.pathsep.join([self.environ.get("PATH", os.defpath), self._stand_ins()])
        self.environ.update(self.fill(row.get("environ", {})))
        self.cwd = os.path.normpath(os.path.join(self.project, self.fill(row.get("cwd", ""))))

    def __enter__(self) -> "Scratch":  # noqa: PYI034 - Self is younger than 3.10
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)

    def fill(self, value: Any) -> Any:
        """The value with the real paths in place of {project} and {home}."""
        places = {"project": self.project, "home": files.home(self.environ)}
        return json.loads(NAMES.sub(lambda name: json.dumps(places[name[1]])[1:-1], json.dumps(value)))

    def unfill(self, value: Any) -> Any:
        """The value with {project} in place of the real path, so that replies compare equal."""
        return json.loads(json.dumps(value).replace(json.dumps(self.project)[1:-1], "{project}"))

    def _move_home(self) -> None:
        for name in ("HOOKKIT_SESSION_DIR", "HOOKKIT_ACTOR"):
            self.environ.pop(name, None)
        config = os.path.join(self.directory, "config")
        self.environ.update(HOME=self.directory, CLAUDE_PROJECT_DIR=self.project, XDG_CONFIG_HOME=config)

    def _stand_ins(self) -> str:
        """A directory with every toolchain's programs: a row means the same on a machine that lacks some of them.

        It stands last in PATH, so that the row's own programs find the real ones. To play a machine without a program,
        set PATH in the row's `environ`.
        """
        directory = os.path.join(self.directory, "stand-ins")
        os.mkdir(directory)
        first = os.path.join(directory, "make")
        with open(first, "w", encoding="utf-8") as file:
            file.write(STAND_IN)
        os.chmod(first, 0o700)
        for name in sorted((toolchains.PROGRAMS | toolchains.BY_TOOL.keys()) - {"make"}):
            os.link(first, os.path.join(directory, name))
        return directory

    def _make_files(self, row: dict[str, Any]) -> None:
        os.makedirs(os.path.join(self.project, ".git"))
        for name, text in row.get("files", {}).items():
            with open(self._new_path(name), "w", encoding="utf-8") as file:
                file.write(text)
        for name, target in row.get("links", {}).items():
            os.symlink(self.fill(target), self._new_path(name))

    def _new_path(self, name: str) -> str:
        """A row may only make files below its own directory: an untrusted row is data, not a program."""
        path = os.path.normpath(os.path.join(self.project, self.fill(name)))
        if not files.inside(os.path.dirname(path), self.directory):
            raise ConfigError(f"{name} is not in the row's own project")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def _copy_trust(self) -> None:
        """The trust that the person has given holds in a simulation as well.

        So do the protected set and the noted files of trusted projects, as for a live hook.
        """
        pins = layers.trust_file(dict(os.environ))
        if os.path.isfile(pins):
            copy = layers.trust_file(self.environ)
            os.makedirs(os.path.dirname(copy), mode=0o700, exist_ok=True)
            shutil.copyfile(pins, copy)
        mine, theirs = files.state_dir(dict(os.environ)), files.state_dir(self.environ)
        if mine:
            os.makedirs(theirs, mode=0o700, exist_ok=True)
            for name in (protected.RECORDS, tree.FOLDER):
                os.symlink(os.path.join(mine, name), os.path.join(theirs, name))


class Ran(NamedTuple):
    """One hook of a call: its decision or its error, and its time."""

    hook: str
    event: Event
    decision: Decision | None
    problem: Exception | None
    ms: float


class Traced(Invocation):
    """An agent's call that keeps the decision of each hook.

    The time of a hook leaves out loading and compiling: a daemon does both once, a cold start reads the cache.
    """

    def __init__(self, hook: str, words: list[str], scratch: Scratch) -> None:
        self.ran: list[Ran] = []
        self.scratch = scratch
        super().__init__(hook, words, dict(scratch.environ))

    def load(self, event: Event) -> layers.Settings:
        """Where it borrows, the person's own cache of the settings, over the scratch state: nothing is compiled."""
        if not self.scratch.borrows:
            return super().load(event)
        own = layers.load(event.cwd, dict(os.environ), event.project)
        return own.elsewhere({**self.environ, **{name: own.environ[name] for name in PLACES if name in own.environ}})

    def _run(self, name: str, event: Event, settings: layers.Settings, judged: dict[str, object] | None = None) -> None:
        if name in (LAST, "snapshot"):
            return  # a simulation leaves no evidence, and no files in the repository
        registry.find("hooks", name)
        _ = settings.policy if name == "guard" else None
        super()._run(name, event, settings if self.scratch.programs else WithoutPrograms(settings), judged)
        answer = self.answers[-1]
        self.ran.append(Ran(name, event, answer.decision, answer.problem, answer.ms))


class WithoutPrograms(layers.Settings):
    """The same settings without rules that run a program of the user's own."""

    def __init__(self, settings: layers.Settings) -> None:
        super().__init__(settings.environ)
        self.settings = settings
        self.values = settings.values

    def __getitem__(self, name: str) -> Any:
        return self.settings[name]

    @property
    def policy(self) -> "Policy":
        policy = self.settings.policy
        return {**policy, "extra": {**policy["extra"], "command": []}}

    @property
    def watch(self) -> dict[str, Any] | None:
        return self.settings.watch

    def is_due(self, kind: str, event: str) -> bool:
        return kind != "command" and self.settings.is_due(kind, event)


class Played:
    """The answer to one event of a row, beside the expected answer; `trace` has the result of each rule."""

    def __init__(self, row: dict[str, Any], reply: Any, expected: Any, call: Traced | None = None) -> None:
        self.row = row
        self.id = str(row["id"])
        self.reply = reply
        self.raw: Any = reply  # as the agent would get it, with real paths in place of {project}
        self.expected = expected
        self.hook = call.hook if call else ""
        self.event = call.event if call else Event("", {})
        self.decisions = call.decisions if call else []
        self.problems = call.problems if call else []
        self.ran = call.ran if call else []
        self.judge: Judge | None = None  # only where rules were asked
        self.trace: list[tuple[Rule, match.Result]] = []
        self.why = ""
        self.ms = 0.0

    @property
    def is_checked(self) -> bool:
        return self.expected is not MISSING

    @property
    def passed(self) -> bool:
        """The silence of a hook that failed must not pass for an expected empty answer."""
        if self.problems and "--on-error" not in str(self.row.get("options", "")):
            return False
        return not self.is_checked or bool(self.reply == self.expected)


def play(row: dict[str, Any], scratch: Scratch | None = None, *, trusted: bool = False) -> Iterator[Played]:
    """Run the row's events one after the other; `trusted` is for a scratch place made here."""
    if scratch is None:
        with Scratch(row, trusted=trusted) as own:
            yield from play(row, own)
        return
    form = next((name for name in _PLAYERS if name in row), "")
    for step in row.get("steps", [row]):
        start = perf_counter()
        played = _PLAYERS[form](row, step, scratch)
        played.ms = (perf_counter() - start) * 1000
        yield played


def play_all(rows: Iterable[dict[str, Any]], *, borrows: bool = False, trusted: bool = False) -> Iterator[Played]:
    """Play many rows; calls and patterns without files of their own share a scratch place, which saves most time."""
    with Scratch({"files": {}}) as empty, Scratch({}, borrows=borrows, trusted=trusted) as here:
        for row in rows:
            brings = row.get("files") or row.get("links") or "environ" in row or "cwd" in row
            if brings or not ("tool" in row or "command" in row):
                yield from play(row, trusted=trusted)
            else:
                yield from play(row, empty if "files" in row or "pattern" in row else here)


def call_of(row: dict[str, Any], scratch: Scratch) -> Call:
    """The call of a row with a pattern."""
    tool = pattern.RENAMED.get(row["tool"], row["tool"])
    given = input_of(tool, scratch.fill(row["arg"]))
    return Call(tool, given, cwd=scratch.cwd, project=scratch.project, home=scratch.environ["HOME"])


def trace(event: Event, judge: Judge) -> "Trace":
    """The result of each rule for the event: first the rules with a verdict, then the others."""
    verdict = judge.verdict(event) if event.name in guard.BEFORE and event.tool_name else Verdict()
    steps: Trace = verdict.trace
    if verdict.verdict == "deny":
        return steps  # a deny ends the search
    actor, call = judge.actor(event), judge.call(event)
    for rule in judge.policy["rules"]:
        if rule.get("source") == "base":
            break  # the shipped rules stand last, and each has a verdict
        if rule["type"] not in VERDICTS and is_for(rule, actor) and event.name in moments(rule):
            steps.append((rule, match.matches(pattern.parse(rule.get("match", "*")), call)))
    return steps


def _answered(row: dict[str, Any], step: dict[str, Any], scratch: Scratch) -> Played:
    """An event, and the whole reply."""
    event = {"session_id": "simulated", "cwd": scratch.cwd, **scratch.fill(step["event"])}
    call = Traced(row.get("hook", "run"), list(row.get("options", [])), scratch)
    text = call.answer(jsons.dumps(event).encode())
    reply: Any = json.loads(text) if text.startswith("{") else text or None
    played = Played(row, scratch.unfill(reply), step.get("reply", MISSING), call)
    played.raw = reply
    if call.hook in ("run", "guard") and not call.problems:
        settings = call.load(call.event)
        events = [ran.event for ran in call.ran if ran.hook == "guard"] or [call.event]
        played.judge = Judge(settings.policy, settings.environ)
        played.trace = [part for event in events for part in trace(event, played.judge)]
    return played


def _judged(row: dict[str, Any], _: dict[str, Any], scratch: Scratch) -> Played:
    """A tool call, and the verdict of `run`, or of the one hook that the row names.

    "unsure" is an ask or a deny because hookkit cannot tell. Each call is a session of its own, with a person at it.
    """
    tool = row.get("tool", "Bash")
    given = input_of(tool, row.get("args", row.get("command")))
    event = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
    event["session_id"] = f"simulated-{row['id']}"
    options = ["--actor", row["actor"]] if "actor" in row else []
    scratch.environ.setdefault(ATTENDED, "1")
    played = _answered({**row, "options": options}, {"event": event}, scratch)
    failed = [text for matter, text in played.event.notes if matter.startswith("handler-")]
    played.problems = [*played.problems, *map(HandlerError, failed)]
    played.row, played.expected = row, _QUIET.get(row.get("expect", ""), row.get("expect", MISSING))
    decision = combine([ran.decision for ran in played.ran if ran.decision])
    played.why, played.reply = decision.reason, decision.verdict or "none"
    if played.expected == "stop" and played.reply in ("deny", "ask"):
        played.expected = played.reply
    if played.expected == "unsure" and played.judge is not None:
        is_unsure = any(played.judge.verdict(ran.event).unsure for ran in played.ran if ran.hook == "guard")
        played.reply = "unsure" if is_unsure else played.reply
    return played


def _matched(row: dict[str, Any], _: dict[str, Any], scratch: Scratch) -> Played:
    """A pattern and a call. A row with `unsure` passes with "cannot tell" as well as with a plain match."""
    result = match.matches(pattern.parse(scratch.fill(row["pattern"])), call_of(row, scratch))
    reply = {match.YES: "match", match.NO: "no match", match.UNSURE: "unsure"}[result.yes]
    expected = MISSING if "match" not in row else "match" if row["match"] else "no match"
    if row.get("unsure") and result.yes:
        expected = reply
    played = Played(row, reply, expected)
    played.why = result.why
    return played


ATTENDED = "CLAUDE_CODE_SESSION_ATTENDED"
_QUIET = {"quiet": "none"}  # another word for the same in the shipped corpus
_PLAYERS = {"pattern": _matched, "tool": _judged, "command": _judged, "event": _answered, "steps": _answered}
