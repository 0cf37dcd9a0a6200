"""The people's commands, called in this process: a hundred of them must not take a minute."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from hookkit.cli._main import run as run_command

Command = Callable[..., "Done"]


class Done(NamedTuple):
    """What a command printed, without the blanks that fill a table's last column."""

    code: int
    out: str
    err: str


def call(monkeypatch: pytest.MonkeyPatch, *words: str, stdin: str = "") -> Done:
    """Run `hookkit WORDS` in this process."""
    streams = {name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for name in ("stdout", "stderr")}
    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    with monkeypatch.context() as patch:
        for name, stream in (*streams.items(), ("stdin", given)):
            patch.setattr(sys, name, stream)
        code = run_command(list(words))
        texts = []
        for stream in streams.values():
            stream.flush()
            texts.append(stream.buffer.getvalue().decode())
    return Done(code, *("\n".join(map(str.rstrip, text.split("\n"))) for text in texts))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, project: Path) -> Command:
    """`command("why", "ls")` is `hookkit why ls` in the project, on a plain terminal of 100 columns."""
    for name, value in {"NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(project)

    def run(name: str, *words: str, stdin: str = "") -> Done:
        return call(monkeypatch, name.replace("_", "-"), *words, stdin=stdin)

    return run


@pytest.fixture
def policy(home: Path) -> Callable[[str], None]:
    """The person's own rules, without those that ship: what is printed stays the same when these grow."""

    def write(text: str, settings: str = "base = false") -> None:
        path = home / ".config" / "hookkit" / "hookkit.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"[policy]\n{settings}\n{text}")

    return write
