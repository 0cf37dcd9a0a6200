"""The one way to the terminal: hostile data is text on the screen and nothing else, in every command."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit import registry
from hookkit.cli import _console, _main, _view
from hookkit.cli._command import Subcommands
from hookkit.system import error_log
from hookkit.work import efforts, sessions
from hookkit.work.gates import approvals
from hookkit.work.store import Work
from tests.cli.conftest import Command, Done
from tests.conftest import HOOKKIT
from tests.ledger.conftest import _every_database_is_closed  # noqa: F401 - a fixture
from tests.ledger.making import request, write

CLI = Path(_console.__file__).parent
# An escape sequence, the same as one C1 character, a bell, a bidi override, half a character, markup, emoji codes.
EVIL = "\x1b[31m\x9b2J\x07\u202e\ud800[/all][red]:smile:agent:x:"
TYPED = EVIL.replace("\ud800", "\udc80")  # half a character on a command line: a byte that is not UTF-8
SHOWN = "[/all][red]:smile:agent:x:"
IN_A_NAME = EVIL.replace("/", "").replace("\ud800", "")  # of a directory
NAME_SHOWN = SHOWN.replace("/", "")
ID = "0a1b2c3d"


def is_harmless(text: str) -> bool:
    return all(char == "\n" or char.isprintable() or category(char) == "Zs" for char in text)


@pytest.fixture(autouse=True)
def _own_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    """`hookkit help` hands its words on as arguments of the process."""
    monkeypatch.setattr(sys, "argv", ["hookkit"])
    monkeypatch.setattr(approvals, "login", lambda: "human:ann")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> Path:
    """A home and a project with hostile names, and hostile texts in every store that a command reads."""
    home, project = tmp_path / f"home{IN_A_NAME}", tmp_path / f"project{IN_A_NAME}"
    for directory in (home, project / ".git"):
        directory.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.delenv("AGENT_ID", raising=False)
    monkeypatch.chdir(project)
    environ = dict(os.environ)
    write(environ, request(1, tool=EVIL, verdict="deny", rule=EVIL, reason=EVIL, diff=f"-{EVIL}", input={"c": EVIL}))
    wanted = {"digest": f"{ID:0<64}", "project": EVIL, "about": EVIL, "call": EVIL, "subject": "s"}
    approvals.ask(environ, {**wanted, "approvers": ["human:ann", f"human:{EVIL}"]})
    error_log.record(environ, EVIL, ValueError())
    for directory in (home / ".config" / "hookkit", project):
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "hookkit.toml").write_text(settings(), encoding="utf-8")
    (project / "rows.jsonl").write_text(json.dumps({"id": EVIL, "class": EVIL, "command": EVIL, "expect": "allow"}))
    work = Work({**environ, "AGENT_ID": EVIL})
    effort = efforts.begin(work, str(project), str(project), EVIL, EVIL)
    work.note(effort, None, "log", {"text": EVIL})
    session = sessions.start(work, EVIL, EVIL, source="startup")
    work.write(
        "UPDATE sessions SET status = 'attention', note = ?, since = 0, seen = ? WHERE id = ?", EVIL, 2**61, session
    )
    work.close()
    return project


def settings() -> str:
    """TOML holds no half characters; a quoted string holds the rest."""
    evil = json.dumps(EVIL.replace("\ud800", ""))
    return f"""
[[toolchains]]
name = "x"
marker = "hookkit.toml"
test = {evil}
[[rules]]
type = "deny"
match = {json.dumps("Bash(" + EVIL.replace(chr(0xD800), "") + ")")}
reason = {evil}
[actors.{evil}]
allow = ["Bash(ls)"]
"""


# Every command that people call, with words that make it show the hostile data; `None`: it shows none.
CALLS: dict[str, list[tuple[tuple[str, ...], str | None]]] = {
    "dashboard": [],  # starts a server
    "serve": [(("--status",), None), (("--status", "-o", "json"), None), (("--idle", TYPED), SHOWN)],
    "allow": [((), SHOWN), (("-o", "json"), SHOWN), ((TYPED,), SHOWN)],
    "pause": [((), None), (("-o", "json"), None), ((TYPED,), SHOWN)],
    "set": [((), None), (("-o", "json"), None), ((TYPED,), SHOWN), (("undo.enabled", TYPED), SHOWN)],
    "status": [((), None), (("-o", "json"), None)],
    "top": [(("--once",), SHOWN), (("-o", "json"), SHOWN)],
    "allow_once": [((), None), (("-o", "json"), None), ((TYPED,), SHOWN)],
    "agents": [((), SHOWN), (("-o", "json"), SHOWN)],
    "agents check": [((TYPED,), SHOWN), (("nobody" + TYPED,), SHOWN)],
    "approve": [((), SHOWN), (("-o", "json"), SHOWN), ((ID, "--as", "ann"), SHOWN), ((TYPED,), SHOWN)],
    "convert": [((TYPED, "hookkit"), SHOWN), ((TYPED, "--move"), SHOWN), (("hookkit.toml", TYPED), SHOWN)],
    "doctor": [
        (("--agent", "claude"), None),
        (("--agent", "claude", "-o", "json"), None),
        (("--agent", TYPED), SHOWN),
    ],
    "effort dehydrate": [(("x", "--effort", "1"), None)],
    "effort file": [((TYPED, "--effort", "1"), None)],
    "effort finish": [(("1",), None)],
    "effort guard": [(("deny", TYPED, "--effort", "1"), SHOWN), (("deny", f"Bash({TYPED})", "--effort", "1"), SHOWN)],
    "effort inject": [(("x", "--effort", "1"), None)],
    "effort list": [(("--all",), SHOWN), (("--all", "-o", "json"), SHOWN)],
    "effort log": [(("x", "--effort", "1"), None)],
    "effort messages": [(("1",), SHOWN), (("1", "-o", "json"), SHOWN)],
    "effort resume": [(("1", "--program", TYPED), SHOWN), (("1", "-o", "json"), None)],
    "effort phase": [((TYPED, "--effort", "1"), SHOWN)],
    "effort preload": [((TYPED, "--effort", "1"), SHOWN)],
    "effort set": [((TYPED, "--effort", "1"), SHOWN), ((f"x={TYPED}", "--effort", "1"), SHOWN)],
    "effort show": [(("1",), SHOWN), (("1", "-o", "json"), SHOWN)],
    "effort start": [((TYPED,), SHOWN)],
    "errors": [((), SHOWN), (("-o", "json"), SHOWN)],
    "help": [((TYPED,), SHOWN)],
    "fleet erase": [(("--person", TYPED), None), (("--session", "x", "--hub", TYPED), None)],
    "fleet invite": [(("--team", TYPED), None), (("--team", "x", "--hub", TYPED), None)],
    "fleet join": [((TYPED, "x"), SHOWN), (("http://127.0.0.1:1", TYPED), None)],
    "fleet leave": [(("--yes",), None)],
    "fleet status": [((), None), (("--witness",), None)],
    "fleet sync": [((), None)],
    "hook add": [((TYPED, "--command", "x"), SHOWN), (("Stop", "--command", "x", "--name", TYPED), SHOWN)],
    "hook list": [((), None), (("-o", "json"), None)],
    "hook remove": [((TYPED,), SHOWN)],
    "hook wake": [((TYPED,), SHOWN)],
    "init": [
        (("--agent", TYPED), SHOWN),
        (("--agent", "claude", "--dry-run"), NAME_SHOWN),
        (("--agent", "claude", "--hooks", TYPED), SHOWN),
    ],
    "ledger anchor": [((), None), (("--file", f"/nonexistent/{TYPED.replace('/', '')}"), None)],
    "ledger export": [((), SHOWN), (("-f", "csv"), SHOWN), (("--to", TYPED), SHOWN)],
    "ledger list": [((), SHOWN), (("-o", "json"), SHOWN), (("--tool", TYPED), SHOWN), (("--event", TYPED), SHOWN)],
    "ledger erase": [(("--session", TYPED, "--yes"), None), (("--text", TYPED, "--yes"), None)],
    "ledger prune": [((), None)],
    "ledger repair": [(("--force",), NAME_SHOWN)],
    "ledger repeated": [((), None), (("-o", "json"), None)],
    "ledger show": [(("1",), SHOWN), (("1", "-o", "json"), SHOWN), ((TYPED,), None)],
    "ledger stats": [(("--since", "2020-01-01"), SHOWN), (("--since", TYPED), SHOWN)],
    "ledger status": [((), NAME_SHOWN), (("-o", "json"), NAME_SHOWN)],
    "ledger tail": [((), SHOWN), (("-o", "json"), SHOWN)],
    "ledger verify": [((), None)],
    "plugin": [((f"x/{TYPED.replace('/', '')}",), NAME_SHOWN)],
    "policy export": [(("--agent", "claude"), None), (("--agent", "codex", "-o", "json"), SHOWN)],
    "policy actors": [((), SHOWN), (("-o", "json"), SHOWN)],
    "policy base": [((), None)],
    "policy show": [((), SHOWN), (("-o", "json"), SHOWN)],
    "policy sign": [((TYPED, "--key", "k"), SHOWN), (("bad.hookkit.toml", "--key", "k"), None)],
    "policy verify": [((TYPED,), SHOWN), (("bad.hookkit.toml",), None)],
    "replay": [(("--since", TYPED), SHOWN), ((TYPED,), SHOWN), (("--policy", TYPED), SHOWN)],
    "schema": [((), None)],
    "simulate": [
        (("rows.jsonl",), SHOWN),
        (("rows.jsonl", "--explain", "--coverage"), SHOWN),
        *((("rows.jsonl", "-o", name), SHOWN) for name in ("json", "junit")),
        (("rows.jsonl", "-o", "github"), "[/all][red]:smile:agent:x:"),
        (("--tool", TYPED, "--args", TYPED), SHOWN),
        (("--tool", "Bash", "--args", TYPED, "-o", "json"), SHOWN),
        (("--event", TYPED), SHOWN),
    ],
    "suggest": [((), None), (("-o", "json"), None), (("--agent", TYPED), SHOWN)],
    "taint": [((), None), (("-o", "json"), None), (("--clear", TYPED), SHOWN)],
    "effort task list": [((), NAME_SHOWN)],
    "effort task new": [(("t", "--title", TYPED), NAME_SHOWN)],
    "effort task show": [((".",), NAME_SHOWN), ((TYPED,), SHOWN)],
    "test_pattern": [((TYPED, "Bash", "ls"), SHOWN), (("Bash(ls *)", "Bash", f"ls {TYPED}; $(x) y", "-v"), SHOWN)],
    "toolchain": [((), SHOWN), (("-o", "json"), SHOWN), ((TYPED,), SHOWN)],
    "trust": [((), SHOWN), (("-o", "json"), SHOWN)],
    "trial": [((TYPED,), SHOWN)],
    "undo": [((), None), (("-o", "json"), None), ((TYPED,), SHOWN)],
    "uninit": [(("--agent", TYPED), SHOWN), (("--scope", TYPED), SHOWN), (("--dry-run",), None)],
    "validate": [
        ((), None), (("-o", "json"), None), (("-o", "github"), None), ((TYPED,), SHOWN), (("bad.hookkit.toml",), SHOWN),
    ],
    "version": [((), None)],
    "why": [((TYPED,), SHOWN), (("--tool", TYPED, "--actor", TYPED, TYPED), SHOWN), (("-o", "json", TYPED), SHOWN)],
}  # fmt: skip


def leaves() -> set[str]:
    """Every command and sub-command that people call."""
    found = set()
    for name in registry.names("cli"):
        found |= below(name, registry.find("cli", name).command)
    return found


def below(name: str, command: object) -> set[str]:
    if not isinstance(command, Subcommands):
        return {name}
    inner = {leaf for own, function in command.functions.items() for leaf in below(f"{name} {own}", function)}
    return inner | ({name} if command.alone is not None else set())


def test_every_command_of_people_is_tried() -> None:
    tried = set(CALLS) - {name.replace("-", "_") for name in (*_main.OLDER, "help")}
    assert tried ^ leaves() == set(), "CALLS has one row for each command"


@pytest.mark.parametrize(
    ("name", "words", "shown"),
    [(name, *call) for name, calls in CALLS.items() for call in calls],
    ids=[f"{name}-{number}" for name, calls in CALLS.items() for number in range(len(calls))],
)
def test_hostile_data_is_shown_as_text(
    place: Path, command: Command, name: str, words: tuple[str, ...], shown: str | None
) -> None:
    (place / "bad.hookkit.toml").write_text(settings().replace('"deny"', json.dumps(EVIL.replace("\ud800", ""))))
    first, *rest = name.split()
    done: Done = command(first, *rest, *words)
    assert is_harmless(done.out)
    assert is_harmless(done.err)
    if shown is not None:
        assert shown in done.out + done.err


@pytest.mark.parametrize("name", sorted(leaves()))
def test_help_has_an_example_and_no_type_beside_a_flag(command: Command, name: str) -> None:
    first, *rest = name.split()
    done = command(first, *rest, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"Example: hookkit {name.replace('_', '-')}" in done.out
    assert "<bool>" not in done.out


@pytest.mark.parametrize("name", sorted(leaves() - {"ledger export", "trial"}))
def test_every_command_speaks_json_on_demand(command: Command, name: str) -> None:
    """The ledger's export has formats of its own, and trial is for people."""
    first, *rest = name.split()
    assert "--output" in command(first, *rest, "--help").out


@given(st.text())
def test_plain_text_is_harmless_and_plain_text_stays(text: str) -> None:
    assert is_harmless(_view.plain(text))
    assert "\n" not in _view.one_line(text)
    assert _view.plain(_view.plain(text)) == _view.plain(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a b\nc"),
        ("\x1b\x7f\x9b\r", "\\x1b\\x7f\\x9b\\r"),
        ("\u202e\u2066\ud800\U000e0001", "\\u202e\\u2066\\ud800\\U000e0001"),
        ("日本\u3000語 é 👍 \u00a0", "日本\u3000語 é 👍 \u00a0"),
    ],
)
def test_what_plain_makes_of_characters(text: str, shown: str) -> None:
    assert _view.plain(text) == shown


def test_an_escape_is_as_wide_as_it_looks(capsys: pytest.CaptureFixture[str]) -> None:
    """Texts are made harmless before they are measured, as strings and as styled texts."""
    rows = _view.Table("a", "b")
    for cell in ("\x1b", _view.Text("\x1b", "red"), _view.Text.assemble(("\x1b", "red"))):
        rows.add(cell, "x")
    _console.draw(rows)
    assert capsys.readouterr().out.splitlines() == ["a     b", *["\\x1b  x"] * 3]


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3))
def test_json_keeps_its_value(value: object) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    assert json.loads(_console.harmless_json(text)) == json.loads(text)
    assert is_harmless(_console.harmless_json(text))


@pytest.mark.parametrize("path", sorted(CLI.glob("*.py")), ids=lambda path: path.name)
def test_only_the_console_prints(path: Path) -> None:
    """No other module of cli writes to a stream, and only two modules load a library for the terminal."""
    if path.name in ("_console.py", "_main.py"):
        return  # the version and the pages of the help hold no data
    tree = ast.parse(path.read_text())
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    libraries = {name.split(".")[0] for name in modules} & {"rich", "typer", "click"}
    assert libraries == ({"typer"} if path.name == "_typer.py" else set())
    calls = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert [call for call in calls if call.startswith(("print(", "sys.stdout.write", "sys.stderr.write"))] == []


# -- pipes -----------------------------------------------------------------------------------------------------------


Fill = Callable[[int], None]


@pytest.mark.parametrize("words", ["ledger export", "ledger list -n 9999", "policy show -o json"])
def test_a_pipe_that_is_closed_early_ends_the_command_quietly(home: Path, project: Path, words: str) -> None:
    write(dict(os.environ), *(request(number, input={"command": "x" * 200}) for number in range(2_000)))
    script = f'set -o pipefail; "$0" {words} | head -1 >/dev/null; echo "$?"'
    done = subprocess.run(["bash", "-c", script, HOOKKIT], cwd=project, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("141\n", "")


@pytest.mark.parametrize(("target", "code"), [(">&-", 0), ("> /dev/full", 2)])
def test_an_output_that_cannot_be_written_is_no_crash(project: Path, target: str, code: int) -> None:
    done = subprocess.run(
        ["bash", "-c", f'"$0" policy base {target}', HOOKKIT], cwd=project, capture_output=True, text=True, check=False
    )
    said = "" if code == 0 else "hookkit: No space left on device\n"
    assert (done.returncode, done.stderr) == (code, said)
