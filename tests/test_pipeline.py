"""Whatever comes in, the agent goes on: exit 0, a valid reply or nothing, and a line in the error log."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookkit import registry
from hookkit.events import EVENTS, FIELD, REQUEST, TEXT, UNKNOWN
from hookkit.model import Decision, Event
from hookkit.pipeline import Invocation
from hookkit.system import error_log
from tests.conftest import HOOKKIT, Run, slow

HOOKS = ["run", *registry.names("hooks")]
BASH = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "pytest"}}


def log(home: Path) -> str:
    path = home / ".local/state/hookkit/errors.log"
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize(
    "stdin",
    [
        b"",
        b"\n",
        b"{",
        b"nonsense",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe{}",
        b'{"prompt": "\xff"}',
        b"{}",
        b'{"hook_event_name": 5}',
        b'{"hook_event_name": "NoSuchEvent", "cwd": []}',
        b'{"hook_event_name": "\\ud800"}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"n": ' + b"9" * 5000 + b"}",
        b'{"n": NaN}',
        b"{} {}",
        b"\xef\xbb\xbf{}",
    ],
    ids=lambda raw: repr(raw[:24]),
)
def test_bad_input_is_answered_with_nothing(hook: str, stdin: bytes, hookkit: Run, project: Path) -> None:
    done = hookkit(hook, stdin=stdin, cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("hook", ["run", *slow(*HOOKS[1:])])
def test_fifty_megabytes_are_read_and_answered(hook: str, hookkit: Run, project: Path) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"content": "x" * 50_000_000}}
    done = hookkit(hook, stdin=event, cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_closed_stdout_is_no_error(project: Path) -> None:
    (project / "Makefile").write_text("test:\n\ttrue\n")
    reader, writer = os.pipe()
    os.close(reader)
    raw = json.dumps({**BASH, "cwd": str(project)}).encode()
    done = subprocess.run([HOOKKIT, "redirect"], input=raw, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_are_no_error(closed: str, project: Path) -> None:
    done = subprocess.run(["sh", "-c", f'"$0" redirect {closed}', HOOKKIT], cwd=project, check=False)
    assert done.returncode == 0


def test_a_missing_home_is_no_error(hookkit: Run, project: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "HOME"}
    (project / "Makefile").write_text("test:\n\ttrue\n")
    done = hookkit("redirect", stdin={**BASH, "cwd": str(project)}, env=environ)
    assert json.loads(done.stdout)["hookSpecificOutput"]["updatedInput"] == {"command": "make test"}
    assert hookkit("redirect", stdin=b"{", env={"PATH": os.environ["PATH"], "HOME": "/dev/null/home"}).returncode == 0


def test_a_deleted_cwd_is_no_error(hookkit: Run, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && exec "$2" redirect'
    raw = json.dumps(BASH).encode()
    done = subprocess.run(["sh", "-c", script, "-", gone, HOOKKIT], input=raw, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere: a read-only directory does not stop it")
def test_a_read_only_project_is_no_error(hookkit: Run, project: Path, home: Path) -> None:
    (project / "LOCAL.md").write_text("note")
    project.chmod(0o500)
    home.chmod(0o500)
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "hi", "session_id": "s", "cwd": str(project)}
    done = hookkit("local", stdin=event)
    project.chmod(0o700)
    home.chmod(0o700)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_read_only_disk_breaks_nothing_and_is_told(hookkit: Run, project: Path, home: Path) -> None:
    """Stands in for a read-only file system where root runs the tests: nothing can be made below a file."""
    (project / "LOCAL.md").write_text("note")
    (project / ".claude").write_text("a file where a directory should be")
    (home / ".local").write_text("a file where a directory should be")
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "hi", "session_id": "s", "cwd": str(project)}
    done = hookkit("local", stdin=event)
    assert (done.returncode, done.stderr) == (0, b"")
    said = "hookkit: local failed and gave no answer: "
    assert json.loads(done.stdout)["systemMessage"].startswith(said)
    assert json.loads(done.stdout)["systemMessage"].endswith(": Not a directory. Details: hookkit errors")


@pytest.mark.parametrize("name", ["json.py", "os.py", "re.py", "_json.py", "hookkit/__init__.py", "sitecustomize.py"])
@pytest.mark.parametrize("path", [None, *slow(".", "")])
def test_what_lies_in_the_cwd_is_never_imported(
    name: str, path: str | None, hookkit: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if path == "." and name in ("os.py", "sitecustomize.py"):
        pytest.skip("PYTHONPATH=. hands these to the interpreter itself, before any program of ours runs")
    planted = project / name
    planted.parent.mkdir(exist_ok=True)
    planted.write_text("import sys\nopen('/dev/stderr', 'w').write('PLANTED')\nraise SystemExit(3)\n")
    (project / "Makefile").write_text("test:\n\ttrue\n")
    if path is not None:
        monkeypatch.setenv("PYTHONPATH", path)
    for hook in HOOKS:
        done = hookkit(hook, stdin={**BASH, "cwd": str(project)}, cwd=project)
        assert (done.returncode, done.stderr) == (0, b"")
    assert hookkit("--version", cwd=project).stdout.startswith(b"hookkit ")


def test_errors_are_logged_with_their_event_and_without_the_input(hookkit: Run, home: Path) -> None:
    hookkit("redirect", stdin=b'{"tool_input": "SECRET')
    line = log(home)
    assert line.endswith(" redirect -: EventError: not JSON\n")
    assert "SECRET" not in line
    mode = stat.S_IMODE((home / ".local/state/hookkit/errors.log").stat().st_mode)
    assert mode == 0o600


def test_the_log_never_fills_the_disk(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_log, "LIMIT", 2_000)
    for _ in range(200):
        error_log.record(dict(os.environ), "redirect PreToolUse", ValueError("x" * 10_000))
    files = sorted((home / ".local/state/hookkit").iterdir())
    assert [file.name for file in files] == ["errors.log", "errors.log.1"]
    assert sum(file.stat().st_size for file in files) < 2 * (2_000 + error_log.ENTRY)


def test_a_planted_symlink_is_not_written_through(home: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    state = home / ".local/state/hookkit"
    state.mkdir(parents=True)
    (state / "errors.log").symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"):
        error_log.record(dict(os.environ), "redirect", ValueError())
    assert victim.read_text() == "precious"


def boom(event: Event, layers: object) -> Decision:
    raise KeyError("a secret from the input")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.find("hooks", "redirect"), "run", boom)


def answer(hook: str, event: dict[str, Any], *words: str) -> Any:
    text = Invocation(hook, list(words), dict(os.environ)).answer(json.dumps(event).encode())
    return json.loads(text) if text else None


@pytest.mark.usefixtures("broken")
def test_a_failing_hook_is_told_once_a_session(home: Path) -> None:
    event = {**BASH, "session_id": "s1"}
    said = "hookkit: redirect failed and gave no answer: an error of its own. Details: hookkit errors"
    assert answer("redirect", event) == {"systemMessage": said}
    assert answer("redirect", event) is None
    assert answer("redirect", {**event, "session_id": "s2"}) == {"systemMessage": said}
    assert "secret" not in log(home)
    assert log(home).count("KeyError at test_pipeline.py") == 3


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(("words", "verdict"), [(["--on-error", "ask"], "ask"), (["--on-error=deny"], "deny")])
def test_on_error_decides_what_a_failure_answers(words: list[str], verdict: str) -> None:
    own = answer("redirect", BASH, *words)["hookSpecificOutput"]
    assert own["permissionDecision"] == verdict
    assert own["permissionDecisionReason"] == "hookkit could not check this: an error of its own"


@pytest.mark.parametrize(
    ("hook", "name", "verdict"),
    [("guard", "PreToolUse", "deny"), ("record", "PreToolUse", None), ("guard", "Stop", None), ("gate", "Stop", None)],
)
def test_on_error_is_about_permission_alone(
    hook: str, name: str, verdict: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that cannot be written stops nobody, and a Stop that is held could never end."""
    monkeypatch.setattr(registry.find("hooks", hook), "EVENTS", (name,))
    monkeypatch.setattr(registry.find("hooks", hook), "run", lambda *_: 1 / 0)
    event = {**BASH, "hook_event_name": name, "tool_input": {"command": "ls"}}
    reply = answer("run", event, "--on-error", "deny") or {}
    assert "decision" not in reply
    assert reply.get("hookSpecificOutput", {}).get("permissionDecision") == verdict


@pytest.mark.usefixtures("broken")
def test_on_error_open_is_the_default() -> None:
    assert "hookSpecificOutput" not in answer("redirect", BASH, "--on-error", "open")
    assert "hookSpecificOutput" not in answer("redirect", {**BASH, "session_id": "2"})


@pytest.mark.usefixtures("broken")
def test_a_slip_in_on_error_counts_as_ask() -> None:
    """Whoever wrote the option wanted more than `open`."""
    reply = answer("redirect", BASH, "--on-error", "block")
    assert reply["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert "hookkit: redirect: --on-error takes open, ask or deny, not 'block'" in reply["systemMessage"]


def test_an_ask_outlives_a_state_that_cannot_be_written(project: Path) -> None:
    event = {**BASH, "tool_input": {"command": "git reset --hard"}, "cwd": str(project), "session_id": "s"}
    call = Invocation("guard", [], {"HOME": "/proc/1/nohome", "PATH": os.defpath})
    reply = json.loads(call.answer(json.dumps(event).encode()))
    assert reply["hookSpecificOutput"]["permissionDecision"] == "ask"


@pytest.mark.parametrize("field", ["cwd", "command"])
def test_half_a_character_does_not_lose_a_verdict(field: str, project: Path) -> None:
    event: dict[str, Any] = {**BASH, "cwd": str(project), "tool_input": {"command": "rm -rf /"}}
    if field == "cwd":
        event["cwd"] += "/\ud800"
    else:
        event["tool_input"]["command"] += " \ud800"
    reply = answer("run", event)
    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "systemMessage" not in reply


def test_an_unknown_option_does_not_stop_the_hook(project: Path) -> None:
    (project / "Makefile").write_text("test:\n\ttrue\n")
    reply = answer("redirect", {**BASH, "cwd": str(project)}, "--bogus")
    assert reply["hookSpecificOutput"]["updatedInput"] == {"command": "make test"}
    assert reply["systemMessage"] == "hookkit: redirect: unknown option --bogus"


def test_one_failing_hook_leaves_the_others_answers(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    monkeypatch.setattr(registry.find("hooks", "nudge"), "run", boom)
    (project / "LOCAL.md").write_text("note")
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "hi", "session_id": "s", "cwd": str(project)}
    reply = answer("run", event)
    assert reply["hookSpecificOutput"]["additionalContext"].startswith("# LOCAL.md\n\nnote")
    assert "failed and gave no answer" in reply["systemMessage"]


HANGING = """
import sys, time
from hookkit import pipeline
from hookkit.hooks import record
record.run = lambda *_: time.sleep(600)
pipeline.AFTERWARDS = 0.1
pipeline.serve("run", [])
"""


def test_a_deny_is_answered_although_a_later_hook_hangs(project: Path) -> None:
    """The client waits for the process, and lets the call pass if that takes too long."""
    event = {**BASH, "tool_input": {"command": "rm -rf /"}, "cwd": str(project), "session_id": "s"}
    done = subprocess.run(
        [sys.executable, "-c", HANGING], input=json.dumps(event).encode(), capture_output=True, timeout=60, check=True
    )
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize("name", [*EVENTS, "", "Unknown"])
@pytest.mark.parametrize("verdict", [None, "allow", "ask", "defer", "deny"])
def test_every_verdict_on_every_event_is_a_reply_that_the_client_takes(
    name: str, verdict: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is said on every event. What the event can express is said; a deny is never lost to silence."""
    said = Decision(verdict, "why", updated_input={"command": "x"}, context="for the model", message="for the person")
    hook = SimpleNamespace(EVENTS=("PreToolUse", name), run=lambda event, layers: said)
    monkeypatch.setattr(registry, "find", lambda drawer, name: hook)
    call = Invocation("redirect", [], dict(os.environ))
    reply = call.answer(json.dumps({"hook_event_name": name}).encode())
    assert call.problems == []
    row = EVENTS.get(name or "PreToolUse", UNKNOWN)
    is_told = verdict in row.answers
    assert any(word in reply for word in SPELT.get(verdict or "", ())) == is_told
    assert ("for the person" in reply) == row.message
    assert ("for the model" in reply) == (row.context == FIELD or (row.context == TEXT and not is_told))
    may_rewrite = verdict == "allow" if row.reply == REQUEST else verdict != "deny"
    assert ("updatedInput" in reply) == (row.rewrites and may_rewrite)


# How the client spells a verdict, in the replies of all events.
SPELT = {
    "allow": ['"permissionDecision":"allow"', '"behavior":"allow"'],
    "ask": ['"permissionDecision":"ask"'],
    "defer": ['"permissionDecision":"defer"'],
    "deny": ['"permissionDecision":"deny"', '"behavior":"deny"', '"decision":"block"', '"action":"decline"',
             '"continue":false'],
}  # fmt: skip


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
FIELDS = ["session_id", "cwd", "tool_name", "tool_input", "prompt", "source", "transcript_path", "permission_mode",
          "trigger", "reason"]  # fmt: skip
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(
    hook=st.sampled_from(HOOKS),
    name=st.sampled_from([*EVENTS]) | st.text(),
    fields=st.dictionaries(st.sampled_from(FIELDS), json_values | st.just("/nonexistent"), max_size=8),
)
def test_any_event_is_answered_without_a_problem(hook: str, name: str, fields: dict[str, Any]) -> None:
    call = Invocation(hook, [], {**os.environ, "HOOKKIT_SESSION_DIR": os.environ["HOME"] + "/sessions"})
    call.answer(json.dumps({"cwd": "/nonexistent", **fields, "hook_event_name": name}).encode())
    assert [problem for problem in call.problems if not isinstance(problem, OSError)] == []


@quick
@given(hook=st.sampled_from(HOOKS), raw=st.binary(max_size=300))
def test_any_bytes_are_answered(hook: str, raw: bytes) -> None:
    Invocation(hook, [], dict(os.environ)).answer(raw)


def test_the_launcher_does_not_depend_on_the_installer() -> None:
    """What an old pip writes imports `re` on every call; ours is installed as it stands."""
    text = Path(HOOKKIT).read_text()
    assert "import re" not in text
    assert text.partition("\n")[2] == (Path(__file__).parent.parent / "scripts/hookkit").read_text().partition("\n")[2]
    assert shutil.which("hookkit", path=str(Path(sys.executable).parent)) == HOOKKIT


@pytest.mark.parametrize("place", ["beside the package", "elsewhere"])
def test_the_launcher_finds_the_package_without_the_site_module(place: str, tmp_path: Path) -> None:
    """`python -ES hookkit`, as `hookkit init` wires it; a launcher that lies elsewhere asks the site module."""
    launcher = Path(HOOKKIT)
    if place == "elsewhere":
        launcher = tmp_path / "hookkit"
        launcher.write_text(Path(HOOKKIT).read_text())
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "sudo rm -rf /"}}
    done = subprocess.run(
        [sys.executable, "-ES", str(launcher), "guard"],
        input=json.dumps({**event, "cwd": str(tmp_path)}).encode(),
        capture_output=True,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        check=True,
    )
    assert b'"permissionDecision": "deny"' in done.stdout.replace(b'":"', b'": "')
    assert done.stderr == b""


@pytest.mark.parametrize("options", [[], ["-ES"]])
def test_the_interpreters_own_library_on_pythonpath_does_not_silence_the_guard(
    options: list[str], tmp_path: Path
) -> None:
    own = str(Path(os.__file__).parent)
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "sudo rm -rf /"}}
    done = subprocess.run(
        [sys.executable, *options, HOOKKIT, "run"],
        input=json.dumps({**event, "cwd": str(tmp_path)}).encode(),
        capture_output=True,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": f"{own}:{own}/lib-dynload"},
        check=True,
    )
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_verdict_stands_though_the_notes_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without its library hookkit can neither judge nor log: the call is still asked about."""
    monkeypatch.setattr("hookkit.trouble.own_up", lambda _: 1 / 0)
    monkeypatch.setattr("hookkit.hooks.guard.run", lambda *_: 1 / 0)
    event = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "cwd": str(tmp_path),
    }
    for words, verdict in (([], "ask"), (["--on-error", "deny"], "deny")):
        said = Invocation("guard", words, {"HOME": str(tmp_path), "PATH": os.defpath}).answer(
            json.dumps(event).encode()
        )
        assert json.loads(said)["hookSpecificOutput"]["permissionDecision"] == verdict


def test_a_state_directory_inside_the_project_is_neither_read_nor_written(tmp_path: Path) -> None:
    """A checkout could bring stored events, or the marks of messages that were told already."""
    project, home = tmp_path / "project", tmp_path / "home"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    link = tmp_path / "link"
    link.symlink_to(project)
    spool = project / "hookkit" / "spool"
    spool.mkdir(parents=True)
    stored = spool / "s1.1-1"
    stored.write_bytes(b"planted")
    event = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(project), "tool_name": "Bash",
             "tool_use_id": "t1", "tool_input": {"command": "rm -rf /"}}  # fmt: skip
    before = sorted(project.rglob("*"))
    done = subprocess.run(
        [HOOKKIT, "run"], input=json.dumps(event), capture_output=True, text=True, check=True, cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "XDG_STATE_HOME": str(link)},
    )  # fmt: skip
    assert "is inside the project, so hookkit ignores this variable" in json.loads(done.stdout)["systemMessage"]
    assert sorted(project.rglob("*")) == before
    assert stored.read_bytes() == b"planted"
