"""The flow report: what it says, where it lies, and that nothing in a transcript can break it."""

import json
import os
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit.agents.transcripts import reader, report
from hookkit.agents.transcripts.reader import Transcript
from hookkit.hooks import learn
from hookkit.model import Event
from hookkit.pipeline import Invocation
from tests.agents.transcripts.test_reader import reply, result, use, user, write
from tests.conftest import HOOKKIT, Run

NOW = time.struct_time((2026, 11, 16, 7, 30, 0, 0, 320, 0))
QUESTIONS = """\
## Questions for pattern extraction

1. What did the person have to say more than once, and where should it stand so that nobody has to say it again?
2. Which steps came in the same order more than once? They are candidates for a command, a skill or a hook.
3. What was found out the hard way that belongs into CLAUDE.md or LOCAL.md?

## Next

Give this file to @learn: it turns the answers into rules, commands or skills.
"""
FAILED = {"is_error": True, "content": "Exit code 1\n1 failed"}


def event(name: str = "SessionEnd", **more: Any) -> Event:
    fields = {"session_id": "s1", "cwd": "/app", **more}
    return Event(name, fields)


def session() -> list[dict[str, Any]]:
    """A morning's work: a test that passes at the third run, a correction, an edit that did not apply."""
    runs = [("t1", FAILED), ("t2", FAILED), ("t3", {})]
    lines = [user("fix the `parser` | please", gitBranch="topic")]
    for number, (id_, outcome) in enumerate(runs):
        lines += [reply(use(id_, command="pytest -q 2>&1 | tail -5"), id_=f"m{number}", output_tokens=1_000)]
        lines += [result(id_, **outcome)]
    lines += [
        user("no, leave the lexer alone, TOKEN=abc"),
        reply(use("t4", "Edit", file_path="/app/src/a.py"), use("t5", "Edit", file_path="/app/src/a.py"), id_="m9"),
        result("t4", "<tool_use_error>String not found</tool_use_error>", is_error=True),
        {**user("done?"), "timestamp": "2026-11-16T10:30:01.000Z"},
    ]
    return lines


def render(lines: list[dict[str, Any]], **more: Any) -> str:
    found = Transcript(0)
    found.add([json.dumps(line).encode() for line in lines])
    return report.render(event(**more), found, NOW)


def test_the_report_says_what_happened_and_asks_about_it() -> None:
    assert render(session(), reason="other") == (
        """\
# Flow report: SessionEnd

- **Event**: SessionEnd (other)
- **Time**: 2026-11-16 07:30:00 UTC
- **Session**: `s1`
- **Directory**: `/app`
- **Branch**: `topic`
- **Duration**: 1 h 30 min

## Prompts (3)

1. `` fix the `parser` | please ``
2. `no, leave the lexer alone, TOKEN=[masked]`
3. `done?`

## Tools

| Tool | Calls | Failed | Rate |
|---|---:|---:|---:|
| `Bash` | 3 | 2 | 67% |
| `Edit` | 2 | 1 | 50% |

## Commands run 3 times or more

- 3 times: `pytest -q`

## Failures that were retried

- `pytest -q`: failed 2 of 3 times, passed in the end
  - first error: `Exit code 1 1 failed`
- Edit `src/a.py`: failed 1 of 2 times, passed in the end
  - first error: `String not found`

## Files edited most

- 1 edit: `src/a.py`

## Tokens by model

| Model | Replies | Input | Cache written | Cache read | Output |
|---|---:|---:|---:|---:|---:|
| `claude-x` | 3 | 0 | 0 | 0 | 3,000 |

## Questions for pattern extraction

1. 1 prompt corrected the work, the last one being `no, leave the lexer alone, TOKEN=[masked]`: """
        """what should have been known or asked before?
2. `pytest -q` failed 2 times before it passed: what was missing at first, and which rule would have said so?
3. `pytest -q` was run 3 times: what for, and what could run it unasked?
4. What did the person have to say more than once, and where should it stand so that nobody has to say it again?
5. Which steps came in the same order more than once? They are candidates for a command, a skill or a hook.
6. What was found out the hard way that belongs into CLAUDE.md or LOCAL.md?

## Next

Give this file to @learn: it turns the answers into rules, commands or skills.
"""
    )


@pytest.mark.parametrize("found", [None, Transcript(0)])
def test_without_a_transcript_the_event_and_the_general_questions_remain(found: Transcript | None) -> None:
    assert report.render(event("PreCompact", trigger="auto"), found, NOW) == (
        "# Flow report: PreCompact\n\n- **Event**: PreCompact (auto)\n- **Time**: 2026-11-16 07:30:00 UTC\n"
        f"- **Session**: `s1`\n- **Directory**: `/app`\n\n{QUESTIONS}"
    )


def test_a_part_does_not_pass_for_the_whole() -> None:
    found = Transcript(200_000_000)
    found.read, found.oversized = 61_500_000, 1
    assert (
        "- **Transcript**: 61.5 of 200.0 MB were read in the time there was, from both ends; 1 line was too long to "
        "read; so the counts below are the least that they can be\n"
    ) in report.render(event(), found, NOW)


def test_of_many_prompts_the_first_and_the_last_are_shown() -> None:
    text = render([user(f"prompt {number}") for number in range(1, 101)])
    shown = text.partition("## Prompts (100)\n\n")[2].partition("\n\n## ")[0]
    first = [f"{number}. `prompt {number}`" for number in range(1, 11)]
    last = [f"{number}. `prompt {number}`" for number in range(81, 101)]
    assert shown == "\n".join([*first, "\n70 more, then:\n", *last])


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("ls", "`ls`"),
        ("a `b` c", "`` a `b` c ``"),
        ("``", "``` `` ```"),
        ("a\n| b |\n\n# c", "`a | b | # c`"),
        ("\x1b[31mred\x00", "`[31mred`"),
        (" \n ", ""),
    ],
)
def test_a_text_cannot_leave_its_code_span(text: str, span: str) -> None:
    assert report.code(text, 100) == span


def test_no_name_of_a_tool_breaks_the_table() -> None:
    text = render([reply(use("t1", "evil | `x`\n| name"))])
    assert "| `` evil / `x` / name `` | 1 | 0 | 0% |\n" in text


HOSTILE = "".join(chr(code) for code in range(0x1F600, 0x1F640)) * 40


def test_the_report_is_bounded() -> None:
    lines = [user(f"{number} {HOSTILE}") for number in range(200)]
    for number in range(200):
        fields = {"command": f"{number % 20} {HOSTILE}"}
        lines += [reply(use(f"t{number}", f"{number % 50} {HOSTILE}"), use(f"c{number}", **fields), id_=f"m{number}")]
        lines += [result(f"c{number}", HOSTILE, is_error=number < 150)]
    text = render(lines)
    assert len(text.encode()) <= report.LIMIT
    assert text.endswith("(cut here: the report was too long)\n")


@given(st.lists(st.text(max_size=40), max_size=5), st.text(max_size=20))
def test_any_text_makes_a_report_with_the_sections_in_their_places(texts: list[str], name: str) -> None:
    lines = [user(text) for text in texts] + [reply(use(text, name, command=text)) for text in texts]
    lines += [result(text, text, is_error=True) for text in texts]
    text = render(lines, session_id=name, reason=name)
    headings = [line for line in text.split("\n") if line.startswith("#")]
    assert headings[-2:] == ["## Questions for pattern extraction", "## Next"]
    assert len(headings) == len(set(headings))
    text.encode()


def end(directory: Path, name: str = "SessionEnd", **more: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "s1", "cwd": str(directory), **more}


def learned(event: dict[str, Any]) -> None:
    call = Invocation("learn", [], dict(os.environ))
    assert call.answer(json.dumps(event).encode()) == ""
    assert call.problems == []


def test_the_report_lies_in_the_clients_directory_and_is_private(home: Path, project: Path, tmp_path: Path) -> None:
    transcript = write(tmp_path / "t.jsonl", *session())
    learned(end(project, transcript_path=transcript))
    folder = home / ".claude" / "flow-reports"
    (path,) = folder.iterdir()
    assert time.strptime(path.name, "%Y%m%dT%H%M%SZ-SessionEnd.md")
    assert [stat.S_IMODE(item.stat().st_mode) for item in (folder, path)] == [0o700, 0o600]
    assert path.read_text().startswith("# Flow report: SessionEnd\n")


def test_the_clients_directory_may_be_named(
    tmp_path: Path, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    learned(end(project))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "not/absolute")
    learned(end(project))
    assert len(list((tmp_path / "config" / "flow-reports").iterdir())) == 1
    assert len(list((home / ".claude" / "flow-reports").iterdir())) == 1


def test_no_report_overwrites_another(home: Path, project: Path) -> None:
    raw = json.dumps(end(project, "PreCompact")).encode()
    calls = [subprocess.Popen([HOOKKIT, "learn"], stdin=subprocess.PIPE, cwd=project) for _ in range(10)]
    for call in calls:
        call.communicate(raw)
    names = sorted(path.name for path in (home / ".claude" / "flow-reports").iterdir())
    assert len(names) == 10
    assert all("-PreCompact" in name and name.endswith(".md") for name in names)


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    base = str(tmp_path / "r")
    for text in ("one", "two", "three"):
        learn._write(base, text)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "r.md": "one", "r-2.md": "two", "r-3.md": "three"
    }  # fmt: skip


def test_a_folder_that_is_a_link_is_not_written_through(home: Path, project: Path, tmp_path: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "flow-reports").symlink_to(tmp_path, target_is_directory=True)
    call = Invocation("learn", [], dict(os.environ))
    assert call.answer(json.dumps(end(project)).encode()) == ""
    assert len(call.problems) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["project"]


def test_switched_off_it_writes_nothing(home: Path, project: Path) -> None:
    (home / ".config" / "hookkit").mkdir(parents=True)
    (home / ".config" / "hookkit" / "hookkit.toml").write_text("[learn]\nenabled = false\n")
    learned(end(project))
    assert not (home / ".claude").exists()


def test_the_command_is_silent_whatever_the_transcript_is(hookkit: Run, project: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in ("", "/dev/zero", str(tmp_path), str(tmp_path / "fifo"), 7):
        done = hookkit("learn", stdin=end(project, transcript_path=path))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_large_transcript_is_read_up_to_the_deadline(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole of a session's end has to fit into its second, however much there is to read."""
    monkeypatch.setitem(reader.SECONDS, "SessionEnd", 0.0)
    monkeypatch.setattr(reader, "TAIL", 1 << 19)
    path = tmp_path / "t.jsonl"
    line = json.dumps(reply(use("t1", command="ls"))) + "\n"
    path.write_text(line * 20_000 + json.dumps(user("the newest prompt")) + "\n")
    learned(end(project, transcript_path=str(path)))
    (written,) = (home / ".claude" / "flow-reports").iterdir()
    text = written.read_text()
    assert "1. `the newest prompt`" in text
    assert "were read in the time there was, from both ends" in text


def test_a_compaction_reads_the_transcript_once_for_all_its_hooks(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person waits: two hooks with a deadline of their own would take twice as long."""
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(user("the newest prompt")) + "\n")
    taken: list[float] = []
    read = reader.read

    def counted(path: str, seconds: float) -> Any:
        taken.append(seconds)
        return read(path, seconds)

    monkeypatch.setattr(reader, "read", counted)
    event = {**end(project, transcript_path=str(path)), "hook_event_name": "PreCompact", "trigger": "auto"}
    call = Invocation("run", [], dict(os.environ))
    call.answer(json.dumps(event).encode())
    assert call.problems == []
    assert taken == [1.0]
    assert len(list((home / ".claude" / "flow-reports").iterdir())) == 1
    assert [file.name for file in (project / ".claude" / "tmp").iterdir() if "restore" in file.name] == ["restore-s1"]
