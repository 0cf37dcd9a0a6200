"""How full the context is, from the client's transcript."""

import json
from pathlib import Path
from typing import Any

import pytest

from hookkit.agents.transcripts import reader


def transcript(path: Path, *lines: "dict[str, Any] | str") -> str:
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


def user(text: str = "fix the test", **more: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": "u", "message": {"role": "user", "content": text}, **more}


def claims(count: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"usage": {"input_tokens": count}}}


HALF = json.dumps(answer(50_000))[:-40]
SYNTHETIC = {"type": "assistant", "message": {"model": "<synthetic>", "usage": {"input_tokens": 0, "output_tokens": 0}}}
ROWS: list[tuple[str, list[Any], int]] = [
    ("nothing is said yet", [user()], 0),
    ("all four numbers count", [user(), answer(21_974), user()], 21_974),
    ("the last answer counts", [answer(10_000), user(), answer(20_000, 2), user()], 20_000),
    ("an answer in several lines is one", [answer(10_000), answer(10_050), answer(10_090)], 10_090),
    ("a sub-agent's answers are not the conversation's", [answer(9_000), answer(70_000, 2, isSidechain=True)], 9_000),
    ("an answer that the client made up has no tokens", [answer(9_000), SYNTHETIC], 9_000),
    ("half a line at the end is skipped", [answer(9_000), HALF], 9_000),
    ("what was before a compaction is gone", [answer(190_000), user("Summary", isCompactSummary=True)], 0),
    ("what comes after one counts", [answer(190_000), user("S", isCompactSummary=True), answer(20_000, 2)], 20_000),
    ("a text that speaks of usage is none", [answer(9_000), user('"usage" and "isCompactSummary"')], 9_000),
    ("300 KB in the last line hide nothing", [answer(9_000), user("x" * 300_000)], 9_000),
    ("nor does an answer of 300 KB", [user(), answer(9_000, text="x" * 300_000)], 9_000),
    ("nor do 3 MB", [answer(9_000), user("x" * 3_000_000)], 9_000),
    ("numbers that are none", [answer(9_000), claims("9")], 9_000),
    ("numbers beyond all windows", [answer(9_000), claims(10**400)], 9_000),
    ("lines that are no entries", ['["usage"]', '"usage"', '{"usage": 1}', '{"type": "assistant", "usage": 5}'], 0),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "count"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_tokens_of_a_transcript(tmp_path: Path, lines: list[Any], count: int) -> None:
    assert reader.context_tokens(transcript(tmp_path / "t.jsonl", *lines)) == count


def test_lines_with_blanks_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(answer(9_000)))
    assert reader.context_tokens(str(path)) == 9_000


def test_beyond_16_megabytes_nobody_looks(tmp_path: Path) -> None:
    assert reader.context_tokens(transcript(tmp_path / "t.jsonl", answer(9_000), user("x" * 17_000_000))) == 0
