"""`doctor --live`: run every wired command as the agent would, with an event of hookkit's own, and read the reply."""

import json
import os
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple

from hookkit.agents.doctor import NOTE, SERIOUS, WARNING, Problem, SettingsFile, Setup
from hookkit.agents.wiring import launcher
from hookkit.agents.wiring.json_forms import ON_FAILURE
from hookkit.agents.wiring.launcher import Wired
from hookkit.agents.wiring.settings_files import CLAUDE
from hookkit.model import Decision
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SECONDS = 60
SESSION = "hookkit-doctor"
SLOW = 1_000  # milliseconds
ROUNDS = 9
COMMAND = "rm -rf ~"
QUIET = "ls"
CUT = 3  # bytes
DELAY = 0.5  # seconds
LONGEST = 4096  # bytes with the ids of child processes
REFUSED = 2  # the exit code of a refusal


class Probe(NamedTuple):
    code: int
    out: str
    error: str = ""
    ms: float = 0


def check(setup: Setup) -> "Iterator[Problem]":
    """The commands run with a home of their own, and the person's settings: a test leaves no rows and no reports."""
    with tempfile.TemporaryDirectory(prefix="hookkit-doctor-") as scratch:
        for file in setup.files:
            mine = file.ours() if file.place.form != "plugin" else []
            for entry in mine:
                yield from _try(setup, file, entry, scratch)
            guards = [entry for entry in mine if file.place.agent.is_guard(entry.event)]
            if guards:
                yield from _speed(setup, file, guards[0], scratch)


def _try(setup: Setup, file: SettingsFile, entry: Wired, scratch: str) -> "Iterator[Problem]":
    agent = file.place.agent
    reply = run(setup, entry, event(setup, agent.module, entry.event, COMMAND), scratch)

    def problem(id_: str, mistake: str) -> Problem:
        fix = "run the command by hand, and see: hookkit errors"
        return file.remark(f"live.{id_}", SERIOUS, f"{agent.title}, {entry.event}: {mistake}", fix, entry.place)

    by_code = hasattr(agent.module, "exit_code") and reply.code == REFUSED  # an agent that obeys exit codes
    if reply.code and not by_code:
        yield problem("exit", f"the command ends with {reply.code}: {reply.error[:200] or 'no message'}")
        return
    mistake = wrong(reply.out, agent.meaning(entry.event))
    if mistake:
        yield problem("reply", mistake)
    elif not agent.is_guard(entry.event):
        return
    elif not by_code and not denies(agent.module, reply.out, entry.event, setup):
        yield problem("unguarded", f"{COMMAND!r} is not denied: the reply is {reply.out[:120] or 'empty'!r}")
    elif any(map(launcher.is_closed, entry.calls)):
        for mistake in _let_through(setup, file, entry, scratch):
            yield problem("open", f"--fail-closed, but {mistake}")
        if not _refuses_late(entry):
            mistake = f"{agent.title}, {entry.event}: a hook that is killed or late lets the call pass"
            fix = "run: hookkit init --fail-closed" if agent.name == CLAUDE else f"{agent.title} has no setting for it"
            yield file.remark("live.late", NOTE if agent.name != CLAUDE else SERIOUS, mistake, fix)


def _let_through(setup: Setup, file: SettingsFile, entry: Wired, scratch: str) -> "Iterator[str]":
    """Ways in which a failed hook would let a call through, although the line refuses such calls: each is tried."""
    module = file.place.agent.module
    value = event(setup, module, entry.event, COMMAND)
    cut = run(setup, entry, value, scratch, cut=True)
    if cut.code != REFUSED and not denies(module, cut.out, entry.event, setup):
        yield f"a call cut short is not denied: {cut.out[:120] or 'empty'!r}"
    late = killed(setup, entry, value, scratch)
    if late.code == 0:
        yield f"a hook that is killed, or ended because it is late, ends with 0: {late.out[:120] or 'empty'!r}"


def _refuses_late(entry: Wired) -> bool:
    """Whether the agent itself refuses the call of a hook that was killed: by Claude Code's or Vibe's setting."""
    return entry.fields.get(ON_FAILURE) == "block" or entry.fields.get("strict") is True


def killed(setup: Setup, entry: Wired, value: "dict[str, Any]", scratch: str) -> Probe:
    """Delay the command: the end of the event never comes. Then end it, as an agent ends a hook that is late."""
    words, environ = _start(setup, entry, scratch)
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=setup.project, env=environ,
        start_new_session=True,
    ) as process:  # fmt: skip
        if process.stdin is None or process.stdout is None:
            return Probe(1, "")
        try:
            process.stdin.write(json.dumps(value).encode()[:-CUT])
            process.stdin.flush()
            process.wait(DELAY)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            _kill(process.pid)
        code = _end(process)
        out = process.stdout.read().decode("utf-8", "replace").strip()
        return Probe(code, out)


def _end(process: "subprocess.Popen[bytes]") -> int:
    """The exit code; a shell that goes on by itself is ended too."""
    try:
        return process.wait(DELAY)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.wait()


def _kill(pid: int) -> None:
    """End what the shell has started, as the system does when memory runs out; a shell that became the hook itself."""
    children = f"/proc/{pid}/task/{pid}/children"
    started = files.read(children, LONGEST).split() if os.path.exists(children) else []
    for child in started:
        os.kill(int(child), signal.SIGKILL)
    if not started:
        os.killpg(pid, signal.SIGKILL)


def _start(setup: Setup, entry: Wired, scratch: str) -> "tuple[list[str], dict[str, str]]":
    """The words and the environment of the command, as an agent starts it."""
    home = files.home(setup.environ)
    environ = {
        **setup.environ, "HOME": scratch, "XDG_STATE_HOME": os.path.join(scratch, "state"),
        "XDG_CONFIG_HOME": setup.environ.get("XDG_CONFIG_HOME", os.path.join(home, ".config")),
        "PYTHONUSERBASE": setup.environ.get("PYTHONUSERBASE", os.path.join(home, ".local")),
        "HOOKKIT_SESSION_DIR": os.path.join(scratch, "session"), "CLAUDE_CONFIG_DIR": scratch,
        "CLAUDE_PROJECT_DIR": setup.project,
    }  # fmt: skip
    command = _rehearsed(setup.script, entry.command, environ)
    words = [command, *entry.arguments] if entry.arguments is not None else ["/bin/sh", "-c", command]
    return words, environ


def run(setup: Setup, entry: Wired, value: "dict[str, Any]", scratch: str, *, cut: bool = False) -> Probe:
    """Run the command in /bin/sh, like agents do; `cut` leaves the end of the event out."""
    words, environ = _start(setup, entry, scratch)
    raw = json.dumps(value).encode()
    start = time.perf_counter()
    try:
        done = subprocess.run(
            words, input=raw[:-CUT] if cut else raw, capture_output=True, timeout=SECONDS, check=False,
            cwd=setup.project, env=environ,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as failure:
        return Probe(1, "", type(failure).__name__)
    took = (time.perf_counter() - start) * 1000
    out, error = (text.decode("utf-8", "replace").strip() for text in (done.stdout, done.stderr))
    return Probe(done.returncode, out, error, took)


def _rehearsed(script: str, command: str, environ: dict[str, str]) -> str:
    """The command with a copy of the launcher script that leads to the scratch directories."""
    if script not in command or launcher.read(script) is None:
        return command
    copy = os.path.join(environ["HOME"], launcher.NAME)
    text = launcher.elsewhere(script, launcher.places(environ), environ["HOOKKIT_SESSION_DIR"])
    launcher.write(copy, text)
    return command.replace(script, copy)


def event(setup: Setup, module: "Any", name: str, command: str) -> "dict[str, Any]":
    """An event in the agent's form: by its `probe`, or with Claude Code's names of fields."""
    if hasattr(module, "probe"):
        return {**module.probe(name, command, setup.project)}
    tool = next((own for own, (ours, _) in module.TOOLS.items() if ours == "Bash"), "Bash")
    call = {"command": command}
    return {
        "session_id": SESSION, "hook_event_name": name, "cwd": setup.project, "tool_name": tool, "tool_input": call,
        "tool_use_id": SESSION, "prompt": "hello", "source": "startup", "reason": "other", "trigger": "manual",
    }  # fmt: skip


def wrong(out: str, event_name: str) -> str:
    """Why the agent would not understand the reply; an empty text for a good reply."""
    if not out.startswith("{"):
        return "" if not out or event_name == "PreCompact" else f"the reply is not JSON: {out[:80]!r}"
    try:
        value = json.loads(out)
    except (ValueError, RecursionError):
        return f"the reply is not JSON: {out[:80]!r}"
    own = value.get("hookSpecificOutput")
    if isinstance(own, dict) and "hookEventName" in own and own["hookEventName"] != event_name:
        return f"the reply is about {own['hookEventName']}"
    return ""


def denies(module: "Any", out: str, name: str, setup: Setup) -> bool:
    """Whether the reply is a deny in the agent's own form: the same fields as its module writes."""
    parsed = module.parse(event(setup, module, name, COMMAND), setup.environ, "", setup.project)
    refusal = module.render(parsed, Decision("deny", "no"))
    try:
        given, expected = json.loads(out or "{}"), json.loads(refusal)
    except ValueError:
        return False
    return _shape(expected) <= _shape(given)


def _shape(value: "Any", path: str = "") -> set[str]:
    """The fields of a reply, with the values defined by the protocol."""
    if isinstance(value, dict):
        return {name for key, item in value.items() for name in _shape(item, f"{path}/{key}")}
    is_word = isinstance(value, bool) or value in ("deny", "block")
    return {f"{path}={value}" if is_word else path}


def _speed(setup: Setup, file: SettingsFile, entry: Wired, scratch: str) -> "Iterator[Problem]":
    value = event(setup, file.place.agent.module, entry.event, QUIET)
    times = sorted(run(setup, entry, value, scratch).ms for _ in range(ROUNDS))
    half, most = times[len(times) // 2], times[-1]
    title = file.place.agent.title
    message = f"{title}: a quiet call takes {half:.0f} ms (p50) to {most:.0f} ms (the slowest of {ROUNDS})"
    severity, fix = (WARNING, "see docs/warm.md: the warm server") if half > SLOW else (NOTE, "")
    yield file.remark("live.speed", severity, message, fix)
