"""Budgets: the sums equal the transcript's own, line by line; limits warn once and then stop the session."""

import json
from pathlib import Path
from random import Random
from typing import Any

from hookkit.hooks import budget
from hookkit.model import Event
from hookkit.settings import compiling
from hookkit.settings.layers import Settings, load
from hookkit.verdicts import budgets
from tests.conftest import Run

MODEL = "claude-sonnet-4-5"
NAMES = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def line(id_: str, usage: list[int], model: str = MODEL) -> str:
    message = {"id": id_, "model": model, "usage": dict(zip(NAMES, usage, strict=True)), "content": []}
    return json.dumps({"type": "assistant", "message": message}) + "\n"


def settings(home: Path, **values: Any) -> Settings:
    environ = {"HOME": str(home)}
    compiled = compiling.compile_values({name.replace("_", "."): value for name, value in values.items()}, environ)
    return Settings(environ, {"untrusted": [], "broken": [], **compiled})


def event(name: str, transcript: Path | str, command: str = "make") -> Event:
    fields: dict[str, object] = {"session_id": "s", "transcript_path": str(transcript), "tool_name": "Bash"}
    return Event(name, {**fields, "tool_input": {"command": command}})


def test_the_sums_equal_those_of_the_transcript(tmp_path: Path, home: Path) -> None:
    """Read in pieces that end anywhere, with replies of several lines, and with sub-agents."""
    random = Random(7)
    main, inner = tmp_path / "s.jsonl", tmp_path / "s/subagents/agent-1.jsonl"
    inner.parent.mkdir(parents=True)
    expected = 0
    texts = {main: b"", inner: b""}
    for number in range(200):
        path = random.choice((main, inner))
        parts = random.randint(1, 4)
        usage = [random.randint(0, 9_999) for _ in NAMES]
        for part in range(parts):
            grown = usage if part == parts - 1 else [count * part // parts for count in usage]
            texts[path] += line(f"m{number}", grown).encode()
        texts[path] += b'{"type":"user","message":{"content":"\\"usage\\""}}\n'
        expected += sum(usage)
    environ = {"HOME": str(home)}
    for step in range(1, 41):
        for path, data in texts.items():
            path.write_bytes(data[: len(data) * step // 40])
        found = budgets.Spending(environ, "s")
        found.take(str(main))
        found.keep()
    assert found.tokens == expected


def test_a_limit_may_have_cents(tmp_path: Path, home: Path, hookkit: Run) -> None:
    """A limit of 2.5 dollars; the model costs 3 dollars for a million tokens."""
    transcript = tmp_path / "s.jsonl"
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[budget]\ndollars = 2.5\n")
    assert hookkit("validate", str(path)).returncode == 0
    own = load(str(tmp_path), {"HOME": str(home)})
    transcript.write_text(line("a", [700_000, 0, 0, 0]))
    warned = budget.run(event("PostToolUse", transcript), own)
    assert warned is not None
    assert warned.message == "hookkit: this session has used $2.10 of its budget of $2.50."
    transcript.write_text(transcript.read_text() + line("b", [200_000, 0, 0, 0]))
    stopped = budget.run(event("PostToolUse", transcript), own)
    assert stopped is not None
    assert str(stopped.stop).startswith(
        "hookkit: this session has used $2.70, and its budget is $2.50. To go on, raise"
    )
    path.write_text("[budget]\ndollars = -1\n")
    assert b"budget.dollars: expected a number from 0, not -1" in hookkit("validate", str(path)).stdout


def test_a_limit_warns_once_and_then_stops(tmp_path: Path, home: Path) -> None:
    transcript, own = tmp_path / "s.jsonl", settings(home, budget_tokens=1_000)
    transcript.write_text(line("a", [100, 0, 0, 100]))
    assert budget.run(event("PostToolUse", transcript), own) is None
    transcript.write_text(transcript.read_text() + line("b", [600, 0, 0, 10]))
    warned = budget.run(event("PostToolUse", transcript), own)
    assert warned is not None
    assert (warned.stop, warned.message) == (
        None,
        "hookkit: this session has used 810 tokens of its budget of 1,000 tokens.",
    )
    assert budget.run(event("PostToolUse", transcript), own) is None
    transcript.write_text(transcript.read_text() + line("c", [200, 0, 0, 0]))
    stopped = budget.run(event("PostToolUse", transcript), own)
    assert stopped is not None
    assert stopped.stop == (
        "hookkit: this session has used 1,010 tokens, and its budget is 1,000 tokens. "
        "To go on, raise budget.tokens in hookkit.toml, or start a new session."
    )


def test_a_cost_is_the_sum_of_its_parts(tmp_path: Path, home: Path) -> None:
    transcript = tmp_path / "s.jsonl"
    transcript.write_text(
        line("a", [1_000_000, 0, 1_000_000, 100_000]) + line("b", [1_000_000, 0, 0, 0], "claude-haiku-4")
    )
    found = budgets.Spending({"HOME": str(home)}, "s")
    found.take(str(transcript))
    assert round(found.dollars, 6) == 3.0 + 0.3 + 1.5 + 1.0


def test_an_unknown_model_is_dear() -> None:
    assert budgets.dollars("another", [1_000_000, 0, 0, 0]) == 15.0


def test_the_same_command_that_fails_five_times_is_told(home: Path) -> None:
    own = settings(home, budget_failures=5)
    said = [budget.run(event("PostToolUseFailure", ""), own) for _ in range(5)]
    assert [one is not None for one in said] == [False] * 4 + [True]
    budget.run(event("PostToolUse", ""), own)
    assert budget.run(event("PostToolUseFailure", ""), own) is None


def test_damaged_memory_is_forgotten(home: Path) -> None:
    path = home / ".local/state/hookkit/budgets/s"
    path.parent.mkdir(parents=True)
    for text in ('{"sums": {"x": [1]}, "places": 5, "told": {}, "failed": 3, "recent": []}', "[]", "{", ""):
        path.write_text(text)
        path.chmod(0o600)
        assert budgets.Spending({"HOME": str(home)}, "s").tokens == 0
