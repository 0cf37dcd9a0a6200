"""One event, from stdin to stdout. The only place that swallows an error: a hook must never break the agent."""

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at start-up
import os
from time import perf_counter

from hookkit import agents, events, registry
from hookkit.agents import claude
from hookkit.errors import WARM, ColdError, EventError, HandlerError
from hookkit.model import Answer, Decision, Event, combine
from hookkit.settings import layers
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

CHUNK = 1 << 20
AFTERWARDS = 5.0  # seconds for the other hooks after a deny: far below the limit of any agent
ROOMY = 4_000  # characters of context that need no clipping
CHECKS = ("guard", "custom")  # hooks whose failure leaves a call unchecked
UNJUDGED = (
    "hookkit could not judge this call because of an error of its own. Look at the call yourself; "
    "`hookkit errors` has the details."
)
PAUSED = "paused"  # a file in hookkit's own state
QUIET = "QUIET"  # the reply of hookkit without a word to say, for an agent that takes silence for a deny
EXITS = "exit_code"  # a function of agents that obey exit codes
UNREAD = (
    "hookkit could not read this call, so it is not checked ({error}). Look at the call yourself; `hookkit errors` has "
    "the details."
)
LAST = "record"  # writes down the answers of the other hooks
LATE = ("guard", "custom", "track", LAST)  # hooks for a stored event: the others would only speak


def serve(hook: str, words: list[str], on_event: "Callable[[Event, dict[str, str]], object] | None" = None) -> int:
    """Answer the event on stdin and return the exit code: 0, but for a deny to an agent that obeys exit codes only."""
    environ = dict(os.environ)
    try:
        call = Invocation(hook, words, environ)
        call.on_stop = lambda: _limit(call, AFTERWARDS)
        call.on_event = on_event
        return _finish(call, reply(call, _read()))
    except Exception as error:  # noqa: BLE001 - law: never break the agent
        _trouble().log(environ, hook, error)
        return 0


def show(name: str) -> int:
    """Answer a client that asks for its screen: the status line, or files to offer. Silent if anything goes wrong."""
    environ = dict(os.environ)
    try:
        from hookkit.hooks import _screen

        _write(encoded(_screen.answer(name, _read(), environ, _here())))
    except Exception as error:  # noqa: BLE001 - law: never break the agent
        _trouble().log(environ, name, error)
    return 0


def reply(call: "Invocation", raw: bytes) -> bytes:
    """The bytes for stdout. Both ways to hookkit, a process of its own and the warm server, answer through this."""
    try:
        return encoded(call.answer(raw))
    except Exception as error:  # noqa: BLE001 - law: never break the agent
        _trouble().log(call.environ, call.hook, error)
        return b""


def encoded(text: str) -> bytes:
    return (text + "\n").encode("utf-8", "backslashreplace") if text else b""


class Invocation:
    """One call of `hookkit HOOK`, with its errors; `run` means every hook in the row of the event."""

    def __init__(self, hook: str, words: list[str], environ: dict[str, str], here: str | None = None) -> None:
        self.hook = hook
        self.environ = environ
        self.trusted = environ  # once the settings are there: without directories of the project's own
        self.here = here  # the caller's directory; None: the directory of this process
        self.event = Event("", {})
        self.dialect: ModuleType = claude
        self.agent = ""  # the word of --agent; "": the event tells
        self.decisions: list[tuple[str, Decision]] = []
        self.problems: list[Exception] = []
        self.answers: list[Answer] = []
        self.on_error: str | None = None
        self.only: list[str] = []  # with `run`: the hooks that are wanted; none means all
        self.slips: list[str] = []  # mistakes on the command line
        self.on_stop: Callable[[], object] | None = None  # called when a hook denies
        self.on_event: Callable[[Event, dict[str, str]], object] | None = None  # called before any hook
        self.is_remote = False  # over HTTP: whoever has the token may be another user
        self.at = 0  # milliseconds at which the launcher stored the event; 0: the agent waits
        self.exit_code, self.stderr = 0, ""  # set with the reply, for agents that obey exit codes
        if words:
            from hookkit import options  # late: most command lines have none

            self.slips = options.read(self, words)

    def answer(self, raw: bytes) -> str:
        """The reply as text, or none."""
        try:
            self._decide(raw)
        except Exception as error:  # noqa: BLE001 - law: never break the agent
            self.problems.append(error)
            self._unjudged(raw, error)
        if self.slips or self.problems:
            try:
                _trouble().own_up(self)
            except Exception:  # noqa: BLE001 - notes and the log come second: the verdicts stand, even without a library
                doubt = self._could_not_tell("guard", None)
                if doubt is not None:
                    doubt.verdict = self.on_error or doubt.verdict
                    self.decisions.append(("guard", doubt))
        return self.reply()

    def reply(self) -> str:
        """The merged reply of all hooks so far."""
        if self.dialect is not claude:
            self._exchange()
        if not self.decisions:
            return getattr(self.dialect, QUIET, "")
        decisions = [decision for _, decision in self.decisions]
        _fit(decisions)
        decision = combine(decisions)
        if hasattr(self.dialect, EXITS):
            self.exit_code, self.stderr = self.dialect.exit_code(self.event, decision)
        return str(self.dialect.render(self.event, decision))

    def load(self, event: Event) -> layers.Settings:
        """The settings for an event; a simulation has its own."""
        return layers.load(event.cwd, self.environ, event.project)

    def _decide(self, raw: bytes) -> None:
        value = jsons.loads(raw)
        other = "" if self.agent else agents.foreign(value, self.environ)
        self.speak(agents.load(other) if other else self.dialect)
        self.event = event = self.dialect.parse(value, self.environ, self.usual(), self.place())
        event.answers, event.at = self.answers if self.hook == "run" else None, self.at
        if self.is_remote and not all(map(files.is_ours, (event.cwd, event.project))):
            raise EventError("its directory belongs to another user")
        settings = self.load(event)
        self.trusted = settings.environ
        if self.on_event is not None:
            self._prepare(event)
        if event.origin is not None:
            event.origin.unattended = bool(settings.values.get("policy.unattended"))
        names = self._names(event, settings)
        if self.hook == "run" and (settings.values or settings.has_extra) and not self.at:
            _wait_for(event, settings)
        if _is_paused(settings):
            names = [name for name in names if name == LAST]
            _trouble().tell_pause(self, settings)
        if WARM in self.environ and any(_is_cold(name, event, settings) for name in names):
            raise ColdError  # before any hook has left a mark
        for name in names:
            if name != LAST:
                self._run(name, event, settings)
        rewritten = combine([decision for _, decision in self.decisions]).updated_input
        if rewritten is not None and "guard" in names:
            self._run("guard", event.with_input(rewritten), settings, judged=rewritten)  # as written, and as rewritten
        self._settle_question(rewritten)
        self._withhold()
        if LAST in names:
            self._run(LAST, event, settings)
        is_start = event.name == "SessionStart" and self.hook == "run"
        if event.notes or settings.broken or settings.untrusted or is_start:
            _trouble().tell(self, settings)

    def _names(self, event: Event, settings: layers.Settings) -> list[str]:
        """The hooks of this call, in their order."""
        if self.hook != "run":
            return [self.hook]
        hooks = events.EVENTS.get(event.name, events.UNKNOWN).hooks
        names = [name for name in hooks if not settings.is_idle(name, event.name) or _is_foreign(name, event)]
        names = [name for name in names if name in self.only] if self.only else names
        return [name for name in names if name in LATE] if self.at else names

    def _prepare(self, event: Event) -> None:
        """Stored events come first. They must not cost the answer."""
        try:
            self.on_event(event, self.trusted)  # type: ignore[misc]  # called only where there is one
        except Exception as error:  # noqa: BLE001 - law: never break the agent
            _trouble().log(self.environ, self.hook, error)

    def _run(self, name: str, event: Event, settings: layers.Settings, judged: dict[str, object] | None = None) -> None:
        """One hook that fails does not take the others' answers along."""
        decision = problem = None
        start = perf_counter()
        try:
            hook = registry.find("hooks", name)
            decision = hook.run(event, settings) if event.name in hook.EVENTS else None
        except Exception as error:  # noqa: BLE001 - law: never break the agent
            self.problems.append(error)
            problem = error
            decision = error.decision if isinstance(error, HandlerError) else self._could_not_tell(name, settings)
        self.answers.append(Answer(name, decision, problem, (perf_counter() - start) * 1000))
        if decision is not None:
            decision.judged = judged if judged is not None else decision.judged
            self.decisions.append((name, decision))
            if decision.verdict == "deny" and self.on_stop is not None:
                self.on_stop()

    def _could_not_tell(self, hook: str, settings: layers.Settings | None) -> Decision | None:
        """A call that the guard failed to judge is asked about, every time: an error must never let a call pass."""
        row = events.EVENTS.get(self.event.name, events.UNKNOWN)
        if hook != "guard" or row.reply not in (events.PERMISSION, events.REQUEST):
            return None
        unattended = settings is not None and settings.values.get("policy.unattended")
        return Decision("deny" if unattended else "ask", UNJUDGED)

    def _unjudged(self, raw: bytes, error: Exception) -> None:
        """The same for an event that failed before the guard was asked: no settings, or no event that can be read."""
        if self.hook not in ("run", "guard") or any(answer.hook == "guard" for answer in self.answers):
            return
        if isinstance(error, EventError):
            _trouble().salvage(self, raw)
        decision = self._could_not_tell("guard", None)
        if decision is not None:
            decision.reason = UNREAD.format(error=error) if isinstance(error, EventError) else decision.reason
            self.decisions.append(("guard", decision))

    def _settle_question(self, rewritten: dict[str, object] | None) -> None:
        """Redirect asks about its own rewrite only, and only if no rule has an answer for the rewritten call."""
        is_judged = any(decision.judged is rewritten and decision.verdict for _, decision in self.decisions)
        for name, decision in self.decisions if rewritten is not None else ():
            if name == "redirect" and decision.verdict == "ask" and self.hook == "run":
                decision.verdict = None if is_judged or decision.updated_input != rewritten else "ask"

    def _withhold(self) -> None:
        """No call is approved while a check of it failed: the client asks the person, as it would without hookkit."""
        if any(answer.problem is not None and answer.hook in CHECKS for answer in self.answers):
            for _, decision in self.decisions:
                decision.verdict = None if decision.verdict == "allow" else decision.verdict

    def speak(self, dialect: "ModuleType") -> None:
        """Answer in this dialect. The server's reply is stdout alone, so it leaves exit codes to the cold command."""
        self.dialect = dialect
        if WARM in self.environ and hasattr(dialect, EXITS):
            raise ColdError

    def place(self) -> str:
        return _here() if self.here is None else self.here

    def usual(self) -> str:
        return "" if self.hook == "run" else str(registry.find("hooks", self.hook).EVENTS[0])

    def _exchange(self) -> None:
        """Text that the agent takes only after the tool waits for the event after the tool."""
        from hookkit.agents import _limits

        try:
            text = _limits.exchange(
                self.event, combine([decision for _, decision in self.decisions]), self.dialect.CAN, self.environ
            )
        except OSError as error:
            _trouble().log(self.environ, self.hook, error)
            return
        if text:
            self.decisions.append((self.hook, Decision(context=text)))


def _wait_for(event: Event, settings: layers.Settings) -> None:
    """Features of this session that speak after a call: from now on the launcher waits for their answers."""
    from hookkit.settings import answers  # late: with default settings there are none
    from hookkit.system import spooled

    if events_needed := answers.needed(settings):
        try:
            spooled.wait_for(settings.environ, event.session_id, events_needed)
        except OSError as error:
            _trouble().log(settings.environ, "spool", error)


def _is_paused(settings: layers.Settings) -> bool:
    """A look at one file; whether its pause is still on is checked only where there is one."""
    state = files.state_dir(settings.environ)
    if not state or not os.path.lexists(f"{state}/{PAUSED}"):
        return False
    from time import time

    from hookkit.settings import pause

    return pause.until(settings.environ, time()) > 0


def _is_foreign(name: str, event: Event) -> bool:
    """Another agent than Claude Code: the handlers may come from Claude Code's own files."""
    return name == events.CUSTOM and event.agent != "claude"


def _is_cold(name: str, event: Event, settings: layers.Settings) -> bool:
    """Whether the hook would run programs of the user: they need the caller's whole environment."""
    hook = registry.find("hooks", name)
    return hasattr(hook, "is_cold") and bool(hook.is_cold(event, settings))


def _fit(decisions: list[Decision]) -> None:
    """Share the budget of context: two hooks within the budget may exceed the budget together."""
    speaking = [decision for decision in decisions if decision.context]
    if sum(len(decision.context) for decision in speaking) > ROOMY:
        from hookkit.system import clipping

        for decision, text in zip(speaking, clipping.share([decision.context for decision in speaking]), strict=True):
            decision.context = text


def _trouble() -> "ModuleType":
    from hookkit import trouble  # late: most calls have none

    return trouble


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


def _read() -> bytes:
    chunks = []
    while chunk := os.read(0, CHUNK):
        chunks.append(chunk)
    return b"".join(chunks)


def _limit(call: Invocation, seconds: float) -> None:
    """Reply within these seconds, even if a later hook hangs: an agent lets a call pass when its hook is late."""

    def late(*_: object) -> None:
        os._exit(_finish(call, encoded(call.reply())))

    _signal.signal(_signal.SIGALRM, late)
    _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _finish(call: Invocation, data: bytes) -> int:
    """Write the reply; return the exit code."""
    _write(data)
    if call.stderr:
        _write(encoded(call.stderr.replace("\n", " ")), 2)  # some agents read the first line only
    return call.exit_code


def _write(data: bytes, file: int = 1) -> None:
    while data:
        data = data[os.write(file, data) :]
