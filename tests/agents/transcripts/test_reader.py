"""The reader of the client's transcript: what it finds, and what it survives."""

import gc
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookkit.agents.transcripts import Prompt, excerpt, flow, reader
from hookkit.agents.transcripts.reader import Transcript

AT = "2026-11-16T09:00:0{}.000Z"


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "timestamp": AT.format(1), "message": {"role": "user", "content": content}, **more}


def reply(*blocks: dict[str, Any], id_: str = "msg_1", **usage: Any) -> dict[str, Any]:
    message = {"id": id_, "role": "assistant", "model": "claude-x", "content": [*blocks], "usage": usage}
    return {"parentUuid": "u", "isSidechain": False, "message": message, "type": "assistant", "timestamp": AT.format(3)}


def use(id_: str, name: str = "Bash", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": fields}


def result(id_: str, content: Any = "ok", **more: Any) -> dict[str, Any]:
    return user([{"type": "tool_result", "tool_use_id": id_, "content": content, **more}])


def write(path: Path, *entries: Any, spaced: bool = False) -> str:
    separators = (", ", ": ") if spaced else (",", ":")
    path.write_text("".join(json.dumps(entry, separators=separators) + "\n" for entry in entries))
    return str(path)


def read(path: str, seconds: float = 10) -> Transcript:
    found = reader.read(path, seconds)
    assert found is not None
    return found


PROMPTS = [
    ("a typed prompt", user("fix it"), ["fix it"]),
    ("blocks of text", user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), ["a\nb"]),
    ("an image is no text", user([{"type": "image"}, {"type": "text", "text": "look"}]), ["look"]),
    ("meta", user("x", isMeta=True), []),
    ("a compaction's summary", user("x", isCompactSummary=True), []),
    ("a sub-agent's", user("x", isSidechain=True), []),
    ("a tool's result", result("t1"), []),
    ("output of a local command", user("<local-command-stdout>x</local-command-stdout>"), []),
    ("an interruption", user("[Request interrupted by user for tool use]"), []),
    ("a hook's output", user("<session-start-hook>x</session-start-hook>"), []),
    ("a tick", user("<tick>1</tick>"), []),
    ("a goal", user("<goal>1</goal>"), []),
    ("only an opened file", user("<ide_opened_file>a.py</ide_opened_file>"), []),
    ("an opened file and a prompt", user("<ide_opened_file>a.py</ide_opened_file>\nwhy?"), ["why?"]),
    ("a slash command", user("<command-message>ship</command-message>\n<command-name>/ship</command-name>\n"
                             "<command-args>now</command-args>"), ["/ship now"]),
    ("a slash command without a name", user("<command-message>ship</command-message>"), []),
    ("a shell line", user("<bash-input>ls</bash-input>"), ["! ls"]),
    ("typed while the agent worked", {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "b"}},
     ["b"]),
    ("another attachment", {"type": "attachment", "attachment": {"type": "file", "prompt": "x"}}, []),
    ("queued by the client", {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "x",
                                                                   "commandMode": "task-notification"}}, []),
    ("an unknown kind of line", {"type": "last-prompt", "lastPrompt": "x"}, []),
]  # fmt: skip


@pytest.mark.parametrize("spaced", [False, True])
@pytest.mark.parametrize(("entry", "texts"), [row[1:] for row in PROMPTS], ids=[row[0] for row in PROMPTS])
def test_a_prompt_is_what_the_person_typed(tmp_path: Path, entry: Any, texts: list[str], *, spaced: bool) -> None:
    path = write(tmp_path / "t", entry, spaced=spaced)
    assert [prompt.text for prompt in read(path).prompts] == texts


@pytest.mark.parametrize(("text", "command"), [("/ship now", "/ship"), ("/home/a is broken", ""), ("go", "")])
def test_a_path_is_no_slash_command(text: str, command: str) -> None:
    assert Prompt(text, "").command == command


@pytest.mark.parametrize("spaced", [False, True])
def test_calls_come_in_order_with_what_failed(tmp_path: Path, *, spaced: bool) -> None:
    path = write(
        tmp_path / "t",
        reply(use("t1", command="pytest -q"), use("t2", "Write", file_path="/a", content="x" * 9_000)),
        result("t2", is_error=False),
        result("t1", "Exit code 1\n1 failed", is_error=True),
        reply(use("t3", "Read", file_path="/b"), id_="msg_2"),
        result("t3", [{"type": "text", "text": "<tool_use_error>no such file</tool_use_error>"}], is_error=True),
        result("never called", "x", is_error=True),
        spaced=spaced,
    )
    calls = read(path).calls.values()
    assert [(call.name, call.command, call.file, call.edited, call.failed, call.error) for call in calls] == [
        ("Bash", "pytest -q", "", "", True, "Exit code 1\n1 failed"),
        ("Write", "", "/a", "/a", False, ""),
        ("Read", "", "/b", "", True, "no such file"),
    ]
    assert [call.input for call in calls] == [{"command": "pytest -q"}, {"file_path": "/a"}, {"file_path": "/b"}]


def test_of_a_line_with_two_results_the_failed_one_is_seen(tmp_path: Path) -> None:
    both = user([
        {"type": "tool_result", "tool_use_id": "t1", "content": "", "is_error": False},
        {"type": "tool_result", "tool_use_id": "t2", "content": "bad", "is_error": True},
    ])  # fmt: skip
    path = write(tmp_path / "t", reply(use("t1", command="a"), use("t2", command="b")), both)
    assert [call.failed for call in read(path).calls.values()] == [False, True]


def test_a_long_error_keeps_both_ends() -> None:
    text = "Exit code 1\n" + "noise\n" * 1_000 + "1 failed"
    found = excerpt(text)
    assert found.startswith("Exit code 1\nnoise\n")
    assert found.endswith("noise\n1 failed")
    assert "\n…\n" in found
    assert len(found) <= 1_010


def test_a_reply_spread_over_lines_is_counted_once_with_its_last_usage(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t",
        reply({"type": "text", "text": "hm"}, input_tokens=4, output_tokens=1),
        reply(use("t1", command="ls"), input_tokens=4, output_tokens=70, cache_read_input_tokens=9),
        reply(id_="msg_2", input_tokens=1, output_tokens=True, cache_creation_input_tokens=-5),
    )
    assert read(path).usage == {"msg_1": ("claude-x", [4, 0, 9, 70]), "msg_2": ("claude-x", [1, 0, 0, 0])}


def test_the_span_and_the_branch_are_known(tmp_path: Path) -> None:
    path = write(tmp_path / "t", user("a", gitBranch="main"), reply(), user("b", gitBranch="topic"))
    found = read(path)
    assert (found.start, found.end, found.branch) == (AT.format(1), AT.format(1), "topic")
    assert found.is_whole


def test_a_task_gets_the_number_that_its_result_tells(tmp_path: Path) -> None:
    made = {**result("t1"), "toolUseResult": {"task": {"id": "7", "subject": "A"}}}
    path = write(tmp_path / "t", reply(use("t1", "TaskCreate", subject="A")), made)
    assert [call.task for call in read(path).calls.values()] == ["7"]


def test_damaged_lines_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "t"
    good = json.dumps(user("good")).encode()
    path.write_bytes(b"\n".join([b"", b"{", b"\xff\xfe", b"[1]", b"null", good, b'{"type":"user"', good, good[:40]]))
    assert [prompt.text for prompt in read(str(path)).prompts] == ["good", "good"]


def test_a_last_line_without_a_newline_counts(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(json.dumps(user("a")) + "\n" + json.dumps(user("b")))
    assert [prompt.text for prompt in read(str(tmp_path / "t")).prompts] == ["a", "b"]


def test_only_a_regular_file_is_a_transcript(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in ("", "/nowhere/t", "a\0b", "\ud800", str(tmp_path), str(tmp_path / "fifo"), "/dev/zero"):
        assert reader.read(path, 1) is None


def test_past_the_deadline_the_end_is_read_and_the_rest_is_owned_up_to(tmp_path: Path, monkeypatch: Any) -> None:
    path = write(tmp_path / "t", *(user(f"prompt {number}") for number in range(100)))
    monkeypatch.setattr(reader, "TAIL", 500)
    found = read(path, seconds=0)
    assert [prompt.text for prompt in found.prompts] == ["prompt 96", "prompt 97", "prompt 98", "prompt 99"]
    assert (found.read, found.is_whole) == (500, False)
    assert found.size == os.path.getsize(path)


def test_a_line_that_is_too_long_is_passed_over_and_counted(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(reader, "BLOCK", 100)
    monkeypatch.setattr(reader, "LINE", 300)
    path = write(tmp_path / "t", user("a"), user("x" * 2_000), user("b"), user("y" * 2_000), user("c"))
    found = read(path)
    assert [prompt.text for prompt in found.prompts] == ["a", "b", "c"]
    assert (found.oversized, found.is_whole) == (2, False)


def test_no_search_for_garbage_runs_meanwhile_and_it_is_resumed_after() -> None:
    with reader.Uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
LINES = [
    user("hi", gitBranch="main"),
    user([{"type": "text", "text": "hi"}]),
    reply(use("t1", command="ls"), input_tokens=1),
    reply(use("t2", "TodoWrite", todos=[{"content": "a", "status": "pending"}])),
    reply(use("t3", "TaskCreate", subject="a"), use("t4", "TaskUpdate", taskId="1", status="completed")),
    result("t1", "bad", is_error=True),
    {**result("t3"), "toolUseResult": {"task": {"id": "1"}}},
    {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "x"}},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value, as the keys that lead to it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    line = draw(st.sampled_from(LINES))
    return put(line, draw(st.sampled_from(places(line))), draw(JSON))


def outcome(entries: list[Any], *, spaced: bool = False) -> Any:
    found = Transcript(0)
    separators = (", ", ": ") if spaced else (",", ":")
    found.add([json.dumps(entry, separators=separators).encode() for entry in entries])
    calls = list(found.calls.values())
    return (
        [(prompt.text, prompt.command) for prompt in found.prompts],
        [(call.name, call.input, call.failed, call.error, call.task) for call in calls],
        repr(found.usage), flow.todos(calls), flow.tasks(calls), flow.last_failure(calls) is None,
        flow.Flow(calls).tools, flow.tokens(found), flow.seconds(found.start, found.end),
    )  # fmt: skip


@given(entries=st.lists(damaged() | st.sampled_from(LINES), max_size=8), spaced=st.booleans())
def test_any_value_may_stand_in_any_place_of_a_line(entries: list[Any], *, spaced: bool) -> None:
    outcome(entries, spaced=spaced)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(damaged() | st.sampled_from(LINES), max_size=8))
def test_skipping_lines_by_their_bytes_changes_nothing(entries: list[Any]) -> None:
    quick = outcome(entries)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transcript, "_matters", lambda *_: True)
        # The bytes tell apart what counts, not when it was written: a passed result may carry the latest time.
        assert quick[:-1] == outcome(entries)[:-1]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.integers(1, 50))
def test_any_bytes_may_be_a_transcript(tmp_path: Path, data: bytes, block: int) -> None:
    path = tmp_path / "t"
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "BLOCK", block)
        patch.setattr(reader, "LINE", 100)
        assert read(str(path)).read == len(data)


def lines_of(path: Path, *lines: "dict[str, Any] | str") -> str:
    texts = [line if isinstance(line, str) else json.dumps(line, separators=(",", ":")) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts))
    return str(path)


def answer(count: int, number: int = 1, **more: Any) -> dict[str, Any]:
    """One line of an answer, with the count spread as a cache spreads it."""
    parts = {
        "input_tokens": 4,
        "cache_read_input_tokens": count - 1_004,
        "cache_creation_input_tokens": 900,
        "output_tokens": 100,
    }
    message = {"id": f"msg_{number}", "role": "assistant", "model": "claude-x", "content": [], "usage": parts}
    return {"type": "assistant", "uuid": f"a{number}", "isSidechain": False, "message": message, **more}


def claims(count: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"usage": {"input_tokens": count}}}


HALF = json.dumps(answer(50_000))[:-40]
SYNTHETIC = {"type": "assistant", "message": {"model": "<synthetic>", "usage": {"input_tokens": 0, "output_tokens": 0}}}
TOKENS: list[tuple[str, list[Any], int]] = [
    ("nothing is said yet", [user("fix the test")], 0),
    ("all four numbers count", [user("fix the test"), answer(21_974), user("fix the test")], 21_974),
    ("the last answer counts", [answer(10_000), user("fix the test"), answer(20_000, 2), user("fix the test")], 20_000),
    ("an answer in several lines is one", [answer(10_000), answer(10_050), answer(10_090)], 10_090),
    ("a sub-agent's answers are not the conversation's", [answer(9_000), answer(70_000, 2, isSidechain=True)], 9_000),
    ("an answer that the client made up has no tokens", [answer(9_000), SYNTHETIC], 9_000),
    ("half a line at the end is skipped", [answer(9_000), HALF], 9_000),
    ("what was before a compaction is gone", [answer(190_000), user("Summary", isCompactSummary=True)], 0),
    ("what comes after one counts", [answer(190_000), user("S", isCompactSummary=True), answer(20_000, 2)], 20_000),
    ("a text that speaks of usage is none", [answer(9_000), user('"usage" and "isCompactSummary"')], 9_000),
    ("300 KB in the last line hide nothing", [answer(9_000), user("x" * 300_000)], 9_000),
    ("nor does an answer of 300 KB", [user("fix the test"), answer(9_000, text="x" * 300_000)], 9_000),
    ("nor do 3 MB", [answer(9_000), user("x" * 3_000_000)], 9_000),
    ("numbers that are none", [answer(9_000), claims("9")], 9_000),
    ("numbers beyond all windows", [answer(9_000), claims(10**400)], 9_000),
    ("lines that are no entries", ['["usage"]', '"usage"', '{"usage": 1}', '{"type": "assistant", "usage": 5}'], 0),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "count"), [row[1:] for row in TOKENS], ids=[row[0] for row in TOKENS])
def test_the_tokens_of_a_transcript(tmp_path: Path, lines: list[Any], count: int) -> None:
    assert reader.context_tokens(lines_of(tmp_path / "t.jsonl", *lines)) == count


def test_the_tokens_of_lines_with_blanks_are_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(answer(9_000)))
    assert reader.context_tokens(str(path)) == 9_000


def test_beyond_16_megabytes_nobody_looks_for_tokens(tmp_path: Path) -> None:
    assert reader.context_tokens(lines_of(tmp_path / "t.jsonl", answer(9_000), user("x" * 17_000_000))) == 0
