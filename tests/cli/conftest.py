"""The people's commands, called in this process: a hundred of them must not take a minute."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from hookkit import registry
from hookkit.cli._options import App

Command = Callable[..., "Done"]


class Done(NamedTuple):
    """What a command printed, without the blanks that fill a table's last column."""

    code: int
    out: str
    err: str


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, project: Path) -> Command:
    """`command("why", "ls")` is `hookkit why ls` in the project, on a plain terminal of 100 columns."""
    for name, value in {"NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(project)

    def run(name: str, *words: str, stdin: str = "") -> Done:
        module = registry.find("cli", name)
        app = module.command
        if not isinstance(app, typer.Typer):
            app = App("")
            app.add(module, name)
        done = CliRunner().invoke(app, list(words), input=stdin, catch_exceptions=False)
        return Done(
            done.exit_code, *("\n".join(map(str.rstrip, text.split("\n"))) for text in (done.stdout, done.stderr))
        )

    return run


@pytest.fixture
def policy(home: Path) -> Callable[[str], None]:
    """The person's own rules, without those that ship: what is printed stays the same when these grow."""

    def write(text: str, settings: str = "base = false") -> None:
        path = home / ".config" / "hookkit" / "hookkit.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"[policy]\n{settings}\n{text}")

    return write
