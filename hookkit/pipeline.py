"""One event, from stdin to stdout. The only place that swallows an error: a hook must never break the agent."""

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at start-up
import os
from time import perf_counter

from hookkit import dialects, events, registry
from hookkit.dialects import claude
from hookkit.errors import WARM, ColdError, HandlerError, HookkitError, NestingError
from hookkit.model import Answer, Decision, Event, combine
from hookkit.settings import layers
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

CHUNK = 1 << 20
LONGEST_NOTE = 600  # characters of a message to the person: it may quote a stranger's file
AFTERWARDS = 5.0  # seconds for the other hooks after a deny: far below the limit of any agent
ROOMY = 4_000  # characters of context that need no clipping
CHECKS = ("guard", "custom")  # hooks whose failure leaves a call unchecked
NOTICES = ("foreign-untrusted",)  # notes of hooks that tell of no error
LAST = "record"  # writes down the answers of the other hooks
UNJUDGED = (
    "hookkit could not judge this call because of an error of its own. Look at the call yourself; "
    "`hookkit errors` has the details."
)


def serve(hook: str, words: list[str]) -> None:
    """Answer the event on stdin. The exit code is always 0, so nothing is returned."""
    environ = dict(os.environ)
    try:
        call = Invocation(hook, words, environ)
        call.on_stop = lambda: _limit(call, AFTERWARDS)
        _write(reply(call, _read()))
    except Exception as error:  # noqa: BLE001 - law: never break the agent
        _log(environ, hook, error)


def show(name: str) -> None:
    """Answer a client that asks for its screen: the status line, or files to offer. Silent if anything goes wrong."""
    environ = dict(os.environ)
    try:
        raw = _read()
        if not raw.strip():
            return  # no question
        fields = jsons.loads(raw)
        _write(encoded(_screen(name, fields if isinstance(fields, dict) else {}, environ)))
    except Exception as error:  # noqa: BLE001 - law: never break the agent
        _log(environ, name, error)


def _screen(name: str, fields: "dict[str, object]", environ: dict[str, str]) -> str:
    """The user's own command where there is one, else hookkit's answer."""
    directory = fields.get("cwd")
    settings = layers.load(directory if isinstance(directory, str) and os.path.isabs(directory) else _here(), environ)
    if settings.values.get("disable_all_hooks"):
        return ""
    module = registry.find("screen", name)
    own = settings.values.get(module.SETTING)
    if not own:
        return str(module.answer(fields, settings))
    from hookkit.system.programs import UserProgram

    result = UserProgram(own, _here(), settings.environ, module.SECONDS).run(jsons.dumps(fields).encode())
    if result.problem or result.code:
        raise HookkitError(f"{module.SETTING} {result.problem or f'exited with {result.code}'}")
    return result.stdout.decode("utf-8", "replace").rstrip("\n")


def reply(call: "Invocation", raw: bytes) -> bytes:
    """The bytes for stdout. Both ways to hookkit, a process of its own and the warm server, answer through this."""
    try:
        return encoded(call.answer(raw))
    except Exception as error:  # noqa: BLE001 - law: never break the agent
        _log(call.environ, call.hook, error)
        return b""


def encoded(text: str) -> bytes:
    return (text + "\n").encode("utf-8", "backslashreplace") if text else b""


class Invocation:
    """One call of `hookkit HOOK`, with its errors; `run` means every hook in the row of the event."""

    def __init__(self, hook: str, words: list[str], environ: dict[str, str], here: str | None = None) -> None:
        self.hook = hook
        self.environ = environ
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
        if words:
            self._options(words)

    def answer(self, raw: bytes) -> str:
        """The reply as text, or none."""
        try:
            self._decide(raw)
        except Exception as error:  # noqa: BLE001 - law: never break the agent
            self.problems.append(error)
            self._unjudged(raw, error)
        for slip in self.slips:
            self._note("options", f"{self.hook}: {slip}")
        if self.problems:
            self._own_up()
        return self.reply()

    def reply(self) -> str:
        """The merged reply of all hooks so far."""
        if self.dialect is not claude:
            self._exchange()
        if not self.decisions:
            return ""
        decisions = [decision for _, decision in self.decisions]
        _fit(decisions)
        return str(self.dialect.render(self.event, combine(decisions)))

    def _decide(self, raw: bytes) -> None:
        value = jsons.loads(raw)
        other = "" if self.agent else dialects.foreign(value, self.environ)
        self.dialect = registry.find("dialects", other) if other else self.dialect
        self.event = event = self.dialect.parse(value, self.environ, self._usual(), self._place())
        event.answers = self.answers if self.hook == "run" else None
        row = events.EVENTS.get(event.name, events.UNKNOWN)
        settings = layers.load(event.cwd, self.environ, event.project)
        if event.origin is not None:
            event.origin.unattended = bool(settings.values.get("policy.unattended"))
        names = [self.hook]
        if self.hook == "run":
            names = [name for name in row.hooks if not settings.is_idle(name, event.name) or _is_foreign(name, event)]
        names = [name for name in names if name in self.only] if self.only else names
        if WARM in self.environ and any(_is_cold(name, event, settings) for name in names):
            raise ColdError  # before any hook has left a mark
        for name in names:
            if name != LAST:
                self._run(name, event, settings)
        rewritten = combine([decision for _, decision in self.decisions]).updated_input
        if rewritten is not None and "guard" in names:
            self._run("guard", event.with_input(rewritten), settings, judged=rewritten)  # as written, and as rewritten
        self._withhold()
        if LAST in names:
            self._run(LAST, event, settings)
        for matter, text in event.notes:
            self._note(matter, text, log=matter not in NOTICES)
        for said in settings.broken:
            self._note(
                f"broken-{files.checksum(said.encode())}",
                f"{_whose(said, event)} does not count: {said}",
                always=event.name == "SessionStart",
            )
        for path in settings.untrusted:
            self._note(
                "untrusted",
                f"{path} is not trusted yet: it can only make things stricter. Read it, then run: hookkit trust",
                log=False,
            )

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
            decision = (
                error.decision if isinstance(error, HandlerError) else self._could_not_tell(name, event, settings)
            )
        self.answers.append(Answer(name, decision, problem, (perf_counter() - start) * 1000))
        if decision is not None:
            decision.judged = judged if judged is not None else decision.judged
            self.decisions.append((name, decision))
            if decision.verdict == "deny" and self.on_stop is not None:
                self.on_stop()

    def _withhold(self) -> None:
        """No call is approved while a check of it failed: the client asks the person, as it would without hookkit."""
        if any(answer.problem is not None and answer.hook in CHECKS for answer in self.answers):
            for _, decision in self.decisions:
                decision.verdict = None if decision.verdict == "allow" else decision.verdict

    def _could_not_tell(self, name: str, event: Event, settings: layers.Settings | None) -> Decision | None:
        """A call that the guard failed to judge is asked about, every time: an error must never let a call pass."""
        row = events.EVENTS.get(event.name, events.UNKNOWN)
        if name != "guard" or row.reply not in (events.PERMISSION, events.REQUEST):
            return None
        unattended = settings is not None and settings.values.get("policy.unattended")
        return Decision("deny" if unattended else "ask", UNJUDGED)

    def _unjudged(self, raw: bytes, error: Exception) -> None:
        """The same for an event that failed before the guard was asked: no settings, or JSON nested too deep."""
        if self.hook not in ("run", "guard") or any(answer.hook == "guard" for answer in self.answers):
            return
        if not self.event.name and isinstance(error, NestingError):
            self._nested(raw)
        decision = self._could_not_tell("guard", self.event, None)
        if decision is not None:
            self.decisions.append(("guard", decision))

    def _nested(self, raw: bytes) -> None:
        """An event nested too deep to be read: its text still tells a tool call."""
        before = [native for native, name in self.dialect.EVENTS.items() if name == "PreToolUse"]
        if any(f'"{native}"'.encode() in raw for native in (*before, "toolName", "tool_call")):
            self.event = self._blank("PreToolUse")

    def _blank(self, name: str) -> Event:
        """An event without fields, that the dialect can answer."""
        event: Event = self.dialect.parse({}, self.environ, name, self._place())
        return event

    def _place(self) -> str:
        return _here() if self.here is None else self.here

    def _usual(self) -> str:
        return "" if self.hook == "run" else str(registry.find("hooks", self.hook).EVENTS[0])

    def _options(self, words: list[str]) -> None:
        """--on-error is here, not in a file, because the file may be what is broken; a slip in it counts as `ask`."""
        rest = iter(words)
        for word in rest:
            name, _, value = word.partition("=")
            if name == "--actor":
                self.environ["HOOKKIT_ACTOR"] = value or next(rest, "")
                continue
            if name == "--agent":
                self._speak(value or next(rest, ""))
                continue
            if name == "--hooks" and self.hook == "run":
                self._choose(value or next(rest, ""))
                continue
            if name != "--on-error":
                self.slips.append(f"unknown option {word}")
                continue
            value = value or next(rest, "")
            self.on_error = {"open": None, "deny": "deny"}.get(value, "ask")
            if value not in ("open", "ask", "deny"):
                self.slips.append(f"--on-error takes open, ask or deny, not {value!r}")

    def _speak(self, agent: str) -> None:
        """An agent that hookkit does not know is told to the person; the event itself then tells the agent."""
        if registry.exists("dialects", agent):
            self.agent, self.dialect = agent, registry.find("dialects", agent)
        else:
            self.slips.append(f"--agent takes {', '.join(registry.names('dialects'))}, not {agent!r}")

    def _choose(self, names: str) -> None:
        """A name that is no hook counts as a mistake, and then every hook runs."""
        wanted = names.split(",")
        strange = [name for name in wanted if not registry.exists("hooks", name)]
        self.only = [] if strange else wanted
        if strange:
            self.slips.append(f"--hooks: there is no hook {strange[0]!r}, so every hook runs")

    def _own_up(self) -> None:
        """Log every swallowed error, tell the person once a session, and answer as --on-error says."""
        for error in self.problems:
            _log(self.environ, f"{self.hook} {self.event.name or '-'}", error)
        said = _said(self.problems[0])
        self._note("failed", f"{self.hook} failed and gave no answer: {said}. Details: hookkit errors", log=False)
        if self.on_error and self._is_unchecked():
            self.decisions.append((self.hook, Decision(self.on_error, f"hookkit could not check this: {said}")))

    def _is_unchecked(self) -> bool:
        """Whether a permission was left unjudged. A Stop does not count: the agent could never stop."""
        self.event = self.event if self.event.name else self._blank(self._usual() or "PreToolUse")
        row = events.EVENTS.get(self.event.name, events.UNKNOWN)
        aside = [answer.problem for answer in self.answers if answer.hook != "guard" and self.hook == "run"]
        return row.reply in (events.PERMISSION, events.REQUEST) and any(error not in aside for error in self.problems)

    def _exchange(self) -> None:
        """Text that the agent takes only after the tool waits for the event after the tool."""
        from hookkit.dialects import _later

        try:
            text = _later.exchange(
                self.event, combine([decision for _, decision in self.decisions]), self.dialect.CAN, self.environ
            )
        except OSError as error:
            _log(self.environ, self.hook, error)
            return
        if text:
            self.decisions.append((self.hook, Decision(context=text)))

    def _note(self, matter: str, text: str, *, log: bool = True, always: bool = False) -> None:
        """Tell the person once a session, on an event whose reply the person sees; the log gets every message."""
        from hookkit.system import marks

        if log:
            _log(self.environ, f"{self.hook} {self.event.name or '-'}", HookkitError(text))
        row = events.EVENTS.get(self.event.name, events.UNKNOWN)
        try:
            if row.message and (marks.first_time(self.environ, self.event.session_id, matter) or always):
                shown = "".join(char if char.isprintable() else " " for char in text[:LONGEST_NOTE])
                self.decisions.append((self.hook, Decision(message=f"hookkit: {shown}")))
        except OSError as error:
            _log(self.environ, self.hook, error)


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


def _log(environ: dict[str, str], where: str, error: Exception) -> None:
    from hookkit.system import error_log

    try:
        error_log.record(environ, where, error)
    except OSError:
        return  # a full or read-only disk: no place is left for the error


def _said(error: Exception) -> str:
    """An error in a message to the person; the details of a defect of hookkit are in the log."""
    if isinstance(error, HookkitError):
        return str(error)
    if isinstance(error, OSError) and error.strerror and isinstance(error.filename, str):
        return f"{error.filename}: {error.strerror}"
    return "an error of its own"


def _whose(said: str, event: Event) -> str:
    """A mistake in the person's own file reduces protection; a project's file can only add to it."""
    is_project = event.project and said.startswith(f"{event.project}/")
    return "a part of the project's settings" if is_project else "protection is reduced: a part of your settings"


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
        _write(encoded(call.reply()))
        os._exit(0)

    _signal.signal(_signal.SIGALRM, late)
    _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]
