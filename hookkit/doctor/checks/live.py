"""`doctor --live`: run every wired command as the agent would, with an event of hookkit's own, and read the reply."""

import json
import os
import subprocess
import tempfile
import time

from hookkit.doctor.problem import NOTE, SERIOUS, WARNING, Problem
from hookkit.doctor.setup import SettingsFile, Setup
from hookkit.model import Decision
from hookkit.system import files
from hookkit.wiring.formats import Wired

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
REFUSED = 2  # the exit code of a refusal
CLINE = {"PreToolUse": "tool_call", "PostToolUse": "tool_result"}
FORMS = ("claude", "copilot", "cursor", "kimi", "vibe", "cocode", "cline")  # files with command lines


class Probe:
    __slots__ = ("code", "error", "ms", "out")

    def __init__(self, code: int, out: str, error: str, ms: float) -> None:
        self.code = code
        self.out = out
        self.error = error
        self.ms = ms


def check(setup: Setup) -> "Iterator[Problem]":
    """The commands run with a home of their own, and the person's settings: a test leaves no rows and no reports."""
    with tempfile.TemporaryDirectory(prefix="hookkit-doctor-") as scratch:
        for file in setup.files:
            mine = file.ours() if file.place.form in FORMS else []
            for each in mine:
                yield from _try(setup, file, each, scratch)
            guards = [each for each in mine if file.place.agent.is_guard(each.event)]
            if guards:
                yield from _speed(setup, file, guards[0], scratch)


def _try(setup: Setup, file: SettingsFile, each: Wired, scratch: str) -> "Iterator[Problem]":
    agent = file.place.agent
    reply = run(setup, each, event(setup, agent.module, each.event, COMMAND), scratch)

    def problem(id_: str, said: str) -> Problem:
        fix = "run the command by hand, and see: hookkit errors"
        return Problem(
            f"live.{id_}", SERIOUS, f"{agent.title}, {each.event}: {said}", fix, file=file.path, place=each.place
        )

    if reply.code:
        yield problem("exit", f"the command ends with {reply.code}: {reply.error[:200] or 'no message'}")
        return
    said = wrong(reply.out, agent.meaning(each.event))
    if said:
        yield problem("reply", said)
    elif agent.is_guard(each.event) and not denies(agent.module, reply.out, each.event, setup):
        yield problem("unguarded", f"{COMMAND!r} is not denied: the reply is {reply.out[:120] or 'empty'!r}")
    elif agent.is_guard(each.event) and "--on-error deny" in each.command:
        cut = run(setup, each, event(setup, agent.module, each.event, COMMAND), scratch, cut=True)
        if cut.code != REFUSED and not denies(agent.module, cut.out, each.event, setup):
            yield problem("open", f"--fail-closed, but a call cut short is not denied: {cut.out[:120] or 'empty'!r}")


def run(setup: Setup, each: Wired, value: "dict[str, Any]", scratch: str, *, cut: bool = False) -> Probe:
    """Run the command in /bin/sh, like agents do; `cut` leaves the end of the event out."""
    home = files.home(setup.environ)
    environ = {
        **setup.environ, "HOME": scratch, "XDG_STATE_HOME": os.path.join(scratch, "state"),
        "XDG_CONFIG_HOME": setup.environ.get("XDG_CONFIG_HOME", os.path.join(home, ".config")),
        "PYTHONUSERBASE": setup.environ.get("PYTHONUSERBASE", os.path.join(home, ".local")),
        "HOOKKIT_SESSION_DIR": os.path.join(scratch, "session"), "CLAUDE_CONFIG_DIR": scratch,
        "CLAUDE_PROJECT_DIR": setup.project,
    }  # fmt: skip
    words = [each.command, *each.arguments] if each.arguments is not None else ["/bin/sh", "-c", each.command]
    raw = json.dumps(value).encode()
    start = time.perf_counter()
    try:
        done = subprocess.run(
            words, input=raw[:-CUT] if cut else raw, capture_output=True, timeout=SECONDS, check=False,
            cwd=setup.project, env=environ,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as failure:
        return Probe(1, "", type(failure).__name__, 0)
    took = (time.perf_counter() - start) * 1000
    out, error = (text.decode("utf-8", "replace").strip() for text in (done.stdout, done.stderr))
    return Probe(done.returncode, out, error, took)


def event(setup: Setup, module: "Any", name: str, command: str) -> "dict[str, Any]":
    """An event in the agent's form, with fields for every dialect."""
    tool = next((own for own, (ours, _) in module.TOOLS.items() if ours == "Bash"), "Bash")
    call = {"command": command}
    if module.NAME == "cline":
        return {
            "hookName": CLINE.get(name, name), "taskId": SESSION, "workspaceRoots": [setup.project],
            "tool_call": {"id": SESSION, "name": tool, "input": {"commands": [command]}},
        }  # fmt: skip
    if module.NAME == "copilot":
        return {"sessionId": SESSION, "cwd": setup.project, "timestamp": 0, "toolName": tool, "toolArgs": call,
                "prompt": "hello", "source": "new", "hookName": name}  # fmt: skip
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
    """Whether the reply is a deny in the agent's own form: the same fields as its dialect writes."""
    said = module.render(
        module.parse(event(setup, module, name, COMMAND), setup.environ, "", setup.project), Decision("deny", "no")
    )
    try:
        given, expected = json.loads(out or "{}"), json.loads(said)
    except ValueError:
        return False
    return _shape(expected) <= _shape(given)


def _shape(value: "Any", path: str = "") -> set[str]:
    """The fields of a reply, with the values defined by the protocol."""
    if isinstance(value, dict):
        return {name for key, item in value.items() for name in _shape(item, f"{path}/{key}")}
    is_word = isinstance(value, bool) or value in ("deny", "block")
    return {f"{path}={value}" if is_word else path}


def _speed(setup: Setup, file: SettingsFile, each: Wired, scratch: str) -> "Iterator[Problem]":
    value = event(setup, file.place.agent.module, each.event, QUIET)
    times = sorted(run(setup, each, value, scratch).ms for _ in range(ROUNDS))
    half, most = times[len(times) // 2], times[-1]
    said = (
        f"{file.place.agent.title}: a quiet call takes {half:.0f} ms (p50) to {most:.0f} ms (the slowest of {ROUNDS})"
    )
    severity = WARNING if half > SLOW else NOTE
    yield Problem(
        "live.speed",
        severity,
        said,
        "see docs/warm.md: the warm server" if severity == WARNING else "",
        file=file.path,
    )
