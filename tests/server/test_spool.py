"""Events that nobody waits for are stored by the launcher, and stand in the ledger once, in their order."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.ledger import journal, lines
from hookkit.server import spool
from hookkit.system import spooled
from hookkit.verdicts import taint
from tests.conftest import HOOKKIT
from tests.server.conftest import Server

SESSION = "5e55-1"


class Person:
    """A person whose Claude Code calls hookkit through the launcher script."""

    def __init__(self, root: Path, *words: str) -> None:
        self.home, self.project = root / "home", root / "project"
        (self.home / ".claude").mkdir(parents=True)
        (self.project / ".git").mkdir(parents=True)
        self.environ = {"HOME": str(self.home), "PATH": os.defpath}
        self.hookkit("init", "--yes", "--agent", "claude", *words)
        settings = json.loads((self.home / ".claude/settings.json").read_text())
        self.lines = {event: groups[0]["hooks"][0] for event, groups in settings["hooks"].items()}

    def hookkit(self, *words: str) -> str:
        done = subprocess.run([HOOKKIT, *words], env=self.environ, cwd=self.project, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.decode()

    def call(self, event: str, number: int = 1, session: str = SESSION, **fields: Any) -> bytes:
        """What the launcher answers to an event, called as it is wired."""
        raw = self.raw(event, number, session, **fields)
        wired = self.lines[event]
        done = subprocess.run([wired["command"], *wired["args"]], input=raw, env=self.environ, cwd=self.project,
                              capture_output=True, timeout=60, check=False)  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    def raw(self, event: str, number: int = 1, session: str = SESSION, **fields: Any) -> bytes:
        command = {"command": f"echo {number}"}
        said = {"session_id": session, "cwd": str(self.project), "hook_event_name": event, "tool_name": "Bash",
                "tool_input": command, "tool_use_id": f"t{number}", "tool_response": {"stdout": "x"},
                **fields}  # fmt: skip
        return json.dumps(said, separators=(",", ":")).encode() + b"\n"

    def rows(self) -> list[tuple[str, str]]:
        place = self.home / ".local/state/hookkit/ledger/open"
        rows = [
            lines.row(line) or {} for path in sorted(place.glob("*.log")) for line in path.read_bytes().splitlines()
        ]
        return [(row["event"], row.get("call", "")) for row in rows]

    def waiting(self) -> int:
        return spool.counts(self.environ)[0]


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path, "--cold")


def test_an_outcome_is_stored_and_counts_before_the_next_call(person: Person) -> None:
    person.call("PreToolUse", 1)
    assert (person.call("PostToolUse", 1), person.waiting(), len(person.rows())) == (b"", 1, 1)
    person.call("PreToolUse", 2)
    assert (person.waiting(), person.rows()) == (
        0, [("PreToolUse", "t1"), ("PostToolUse", "t1"), ("PreToolUse", "t2")]
    )  # fmt: skip


def test_the_row_has_the_time_of_the_event(person: Person) -> None:
    person.call("PostToolUse", 1)
    [(path, at)] = spooled.in_order(spooled.directory(person.environ), SESSION)
    os.utime(path, (1_790_000_000, 1_790_000_000))
    person.call("Stop")
    assert '"at":1790000000000' in next((person.home / ".local/state/hookkit/ledger/open").glob("*.log")).read_text()
    assert at > 1_790_000_000


def test_the_end_of_a_turn_plays_every_session(person: Person) -> None:
    for number in range(3):
        person.call("PostToolUse", number, session=f"other-{number}")
    for _ in range(3):  # on a busy machine, a reader's time ends with the first event
        person.call("Stop")
    assert person.waiting() == 0
    assert sorted(person.rows())[:3] == [("PostToolUse", f"t{number}") for number in range(3)]


def test_a_decision_waits_for_the_taint_of_the_call_before(person: Person) -> None:
    """A call that was stopped because of a secret ran after all: the next call is judged with that."""
    from hookkit.agents import claude

    before = claude.parse(json.loads(person.raw("PreToolUse", 1)), person.environ, "", "/")
    taint.wait_for(before, person.environ, "secrets.read")
    person.call("PostToolUse", 1)
    assert not taint.is_tainted(before, person.environ)
    person.call("PreToolUse", 2)
    assert taint.is_tainted(before, person.environ)


HANDLER = """[[hooks]]
event = "PostToolUse"
command = { command = "printf '{%ssystemMessage%s: %stold%s}' '\\"' '\\"' '\\"' '\\"'" }
"""
SPEAKING = [
    ("[shield]\nenabled = true\n", {"tool_response": {"stdout": "AKIAIOSFODNN7EXAMPLE", "stderr": ""}}),
    (
        "[hint]\nenabled = true\n",
        {"tool_response": {"stdout": "bash: line 1: nosuch: command not found", "stderr": ""}},
    ),
    (HANDLER, {}),
]


@pytest.mark.parametrize(("settings", "fields"), SPEAKING, ids=["shield", "hint", "handler"])
def test_a_feature_that_speaks_after_a_call_is_waited_for(
    person: Person, settings: str, fields: dict[str, Any]
) -> None:
    """The answer is that of the command itself, byte for byte."""
    config = person.home / ".config/hookkit/hookkit.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(settings)
    person.call("PreToolUse", 1)
    answer = person.call("PostToolUse", 1, **fields)
    raw = person.raw("PostToolUse", 1, "another-session", **fields)
    plain = subprocess.run([HOOKKIT, "run"], input=raw, env=person.environ, cwd=person.project, capture_output=True,
                           check=False)  # fmt: skip
    assert answer == plain.stdout
    assert answer
    assert person.waiting() == 0


def test_with_default_settings_only_these_events_are_stored(person: Person) -> None:
    stored = {event for event, wired in person.lines.items() if wired["args"][-1] == "--later"}
    assert stored == {"PostToolUse", "UserPromptExpansion", "SubagentStart", "TeammateIdle", "Notification",
                      "ConfigChange"}  # fmt: skip
    assert "PostToolBatch" not in person.lines


@pytest.mark.parametrize(
    "fields",
    [{"session_id": "../../x"}, {"session_id": ""}, {"session_id": "x" * 101}, {"tool_response": "x" * 300_000}],
)
def test_what_cannot_be_stored_is_answered_now(person: Person, fields: dict[str, Any]) -> None:
    person.call("PostToolUse", 1, **fields)
    assert (person.waiting(), person.rows()) == (0, [("PostToolUse", "t1")])


def test_a_cut_event_is_kept_aside(person: Person) -> None:
    person.call("PostToolUse", 1)
    [(path, _)] = spooled.in_order(spooled.directory(person.environ), SESSION)
    os.truncate(path, 200)
    person.call("PreToolUse", 2)
    assert spool.counts(person.environ) == (1, 0)  # its launcher may still write
    os.utime(path, (1, 1))
    person.call("PreToolUse", 3)
    assert spool.counts(person.environ) == (0, 1)
    assert [call for _, call in person.rows()] == ["t2", "t3"]


def test_a_launcher_that_is_killed_leaves_the_event_whole_or_cut(person: Person) -> None:
    """After 0 to 30 ms. An event that the launcher has acknowledged (exit 0) is in the ledger, once."""
    wired = person.lines["PostToolUse"]
    acknowledged = set()
    for number in range(60):
        raw = person.raw("PostToolUse", number, tool_response={"stdout": "x\n" * 20_000})
        with subprocess.Popen([wired["command"], *wired["args"]], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              env=person.environ, cwd=person.project) as launcher:  # fmt: skip
            end = threading.Timer(number / 2_000, launcher.kill)
            end.start()
            with contextlib.suppress(BrokenPipeError):
                launcher.communicate(raw)
            end.cancel()
        acknowledged |= {f"t{number}"} if launcher.returncode == 0 else set()
    for path, _ in spooled.in_order(spooled.directory(person.environ), SESSION):
        os.utime(path, (1, 1))
    while person.waiting():
        spool.play(person.environ)
    calls = [call for _, call in person.rows()]
    assert len(calls) == len(set(calls))
    assert acknowledged <= set(calls)


def test_an_event_whose_row_cannot_be_written_is_kept(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    person.call("PostToolUse", 1)

    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("hookkit.ledger.journal.append", full)
        spool.play(person.environ)
    assert person.waiting() == 1
    spool.play(person.environ)
    assert (person.waiting(), person.rows()) == (0, [("PostToolUse", "t1")])


def test_an_event_without_a_row_keeps_no_other_waiting(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of hookkit would come again each time; the event itself is kept."""
    for number in (1, 2):
        person.call("PostToolUse", number)
    write = journal.append

    def fail(environ: dict[str, str], session: str, row: dict[str, Any], **more: Any) -> str:
        if row["call"] == "t1":
            raise ValueError("a mistake in hookkit")
        return write(environ, session, row, **more)

    monkeypatch.setattr(journal, "append", fail)
    spool.play(person.environ)
    assert (spool.counts(person.environ), person.rows()) == ((0, 1), [("PostToolUse", "t2")])


def test_an_event_is_kept_while_the_settings_cannot_be_read(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault comes before any hook, so no hook can tell that its row is missing."""
    person.call("PostToolUse", 1)

    def exhausted(*_: object) -> None:
        raise OSError(24, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr("hookkit.settings.layers.load", exhausted)
        spool.play(person.environ)
    assert spool.counts(person.environ) == (1, 0)
    spool.play(person.environ)
    assert (spool.counts(person.environ), person.rows()) == ((0, 0), [("PostToolUse", "t1")])


def test_a_stored_event_does_not_choose_the_ledger(person: Person, tmp_path: Path) -> None:
    person.call("PostToolUse", 1)
    [(path, _)] = spooled.in_order(spooled.directory(person.environ), SESSION)
    text = Path(path).read_text().replace(f"XDG_STATE_HOME={person.home}/.local/state", f"XDG_STATE_HOME={tmp_path}/x")
    Path(path).write_text(text)
    spool.play(person.environ)
    assert person.rows() == [("PostToolUse", "t1")]
    assert not (tmp_path / "x").exists()


def test_many_writers_and_readers_leave_every_event_once(person: Person) -> None:
    """Thirty agents at once, and a reader that is killed in the middle of its work again and again."""
    is_over = threading.Event()

    def read() -> None:
        while not is_over.is_set():
            reader = subprocess.Popen([HOOKKIT, "ledger", "list"], env=person.environ, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)  # fmt: skip
            time.sleep(0.15)
            reader.send_signal(signal.SIGKILL)
            reader.wait()

    def write(agent: int) -> None:
        for number in range(4):
            person.call("PostToolUse", agent * 100 + number, session=f"agent-{agent}")

    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=write, args=(agent,)) for agent in range(1, 16)]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    is_over.set()
    reader.join()
    person.hookkit("ledger", "list")
    wanted = [("PostToolUse", f"t{agent * 100 + number}") for agent in range(1, 16) for number in range(4)]
    assert sorted(person.rows()) == sorted(wanted)
    assert person.waiting() == 0
    assert "nothing was changed" in person.hookkit("ledger", "verify")


def test_the_server_plays_what_is_stored(tmp_path: Path) -> None:
    person = Person(tmp_path, "--cold")
    server = Server(person.home).start()
    try:
        person.call("PostToolUse", 1)
        end = time.monotonic() + 30
        while person.waiting() and time.monotonic() < end:
            time.sleep(0.05)
        assert person.rows() == [("PostToolUse", "t1")]
    finally:
        server.stop()


def test_a_planted_file_keeps_no_event_from_the_server(tmp_path: Path) -> None:
    person = Person(tmp_path, "--cold")
    place = Path(spooled.directory(person.environ))
    (place / f"{SESSION}.1-1-1").mkdir()
    os.mkfifo(place / f"{SESSION}.2-2-2")
    (place / f"{SESSION}.3-3-3").symlink_to("/dev/zero")
    server = Server(person.home).start()
    try:
        for number in (1, 2):
            person.call("PostToolUse", number)
            end = time.monotonic() + 30
            while person.waiting() > 3 and time.monotonic() < end:
                time.sleep(0.05)
        assert person.rows() == [("PostToolUse", "t1"), ("PostToolUse", "t2")]
    finally:
        server.stop()


def test_uninit_plays_and_removes_the_spool(person: Person) -> None:
    person.call("PostToolUse", 1)
    person.hookkit("uninit", "--yes")
    assert person.rows() == [("PostToolUse", "t1")]
    assert not os.path.exists(spooled.directory(person.environ))


def test_setting_hints_wires_the_batch(person: Person) -> None:
    said = person.hookkit("set", "hint.enabled", "true")
    settings = json.loads((person.home / ".claude/settings.json").read_text())
    assert settings["hooks"]["PostToolBatch"][0]["hooks"][0]["args"] == ["run"]
    assert "hint.enabled = true" in said
    assert "wiring.unneeded" not in person.hookkit("doctor")


def test_setting_hints_off_unwires_the_batch(person: Person) -> None:
    file = person.home / ".claude/settings.json"
    before = file.read_text()
    person.hookkit("set", "hint.enabled", "true")
    person.hookkit("set", "--project", "hint.enabled", "false")  # other projects still need it
    assert "PostToolBatch" in file.read_text()
    person.hookkit("set", "hint.enabled", "false")
    assert file.read_text() == before


def test_marks_of_old_sessions_are_deleted(person: Person) -> None:
    person.hookkit("set", "shield.enabled", "true")
    person.call("PreToolUse", 1, session="long-ago")
    waits = Path(spooled.directory(person.environ), spooled.WAITS)
    assert [mark.name for mark in waits.iterdir()] == ["PostToolUse-long-ago"]
    os.utime(waits / "PostToolUse-long-ago", (1, 1))
    person.call("PreToolUse", 1)
    assert [mark.name for mark in waits.iterdir()] == [f"PostToolUse-{SESSION}"]
