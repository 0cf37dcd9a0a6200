"""The people's commands: exact exit codes, messages with a place and a way out, never a traceback."""

import json
from pathlib import Path

import pytest

from hookkit import __version__, registry
from tests.conftest import Run

ROOT = Path(__file__).parent.parent.parent
PLAIN = {"NO_COLOR": "1", "COLUMNS": "120", "TERM": "dumb"}


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PLAIN.items():
        monkeypatch.setenv(name, value)


def test_the_version(hookkit: Run) -> None:
    assert hookkit("--version").stdout.decode() == f"hookkit {__version__}\n"


@pytest.mark.parametrize("words", [["--help"], []])
def test_help_lists_every_command(hookkit: Run, words: list[str]) -> None:
    """Without a command it is not an error: wired by mistake, exit 2 would block every tool call."""
    done = hookkit(*words)
    names = ["run", *registry.names("hooks"), *(name.replace("_", "-") for name in registry.names("cli"))]
    assert done.returncode == 0
    assert [name for name in names if f" {name} " not in done.stdout.decode()] == []


@pytest.mark.parametrize("name", ["run", *registry.names("hooks"), *registry.names("cli")], ids=str)
def test_every_command_has_help_with_an_example(hookkit: Run, name: str) -> None:
    done = hookkit(name.replace("_", "-"), "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Example: hookkit" in done.stdout.decode()


@pytest.mark.parametrize(
    ("name", "hint"),
    [("redirct", "Did you mean redirect?"), ("zzz", "See: hookkit --help"), ("../x", "See: hookkit --help")],
)
def test_a_wrong_name_gets_a_hint_and_does_not_block(hookkit: Run, name: str, hint: str) -> None:
    done = hookkit(name, stdin=b"{}")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"hookkit: no command {name!r}. {hint}\n"


def test_validate_finds_nothing_in_a_good_file(hookkit: Run, project: Path) -> None:
    (project / "hookkit.toml").write_text("[nudge]\nfuzzy = false\n")
    done = hookkit("validate", "hookkit.toml", cwd=project)
    assert (done.returncode, done.stdout.decode()) == (0, "No mistakes in hookkit.toml.\n")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("table", "hookkit.toml:2:1 unknown setting nudge.fuzy; did you mean nudge.fuzzy?\n"),
        ("github", "::error file=hookkit.toml,line=2,col=1::unknown setting nudge.fuzy; did you mean nudge.fuzzy?\n"),
    ],
)
def test_validate_names_the_place_and_the_way_out(hookkit: Run, project: Path, output: str, expected: str) -> None:
    (project / "hookkit.toml").write_text("[nudge]\nfuzy = false\n")
    done = hookkit("validate", "hookkit.toml", "--output", output, cwd=project)
    assert (done.returncode, done.stdout.decode()) == (1, expected)


def test_validate_speaks_json(hookkit: Run, project: Path) -> None:
    (project / "hookkit.toml").write_text("[nudge\n")
    done = hookkit("validate", "--output", "json", cwd=project)
    (problem,) = json.loads(done.stdout)
    assert (done.returncode, problem["line"], problem["file"]) == (1, 1, str(project / "hookkit.toml"))


@pytest.mark.parametrize("make", ["missing", "directory", "binary"])
def test_a_file_that_cannot_be_read_is_exit_2(hookkit: Run, project: Path, make: str) -> None:
    path = project / "hookkit.toml"
    if make == "directory":
        path.mkdir()
    elif make == "binary":
        path.write_bytes(b"\xff\xfe")
    for command in ("validate", "simulate"):
        done = hookkit(command, "hookkit.toml", cwd=project)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode().startswith("hookkit: hookkit.toml: ")


def test_toolchain_shows_what_would_run(hookkit: Run, project: Path) -> None:
    (project / "go.mod").write_text("module x\n")
    out = hookkit("toolchain", cwd=project).stdout.decode()
    assert "go test ./..." in out
    assert hookkit("toolchain", "nope", cwd=project).returncode == 2


def test_errors_shows_what_was_swallowed(hookkit: Run) -> None:
    assert hookkit("errors").stdout.decode() == "No errors.\n"
    hookkit("redirect", stdin=b"{")
    done = hookkit("errors")
    assert done.returncode == 1
    assert "redirect -: EventError: not JSON" in done.stdout.decode()
    assert hookkit("errors", "--clear").stdout.decode() == "Forgotten.\n"
    assert hookkit("errors").stdout.decode() == "No errors.\n"


def test_trust_shows_what_would_run_and_says_what_was_taken_back(hookkit: Run, project: Path) -> None:
    rule = "[[rules]]\ntype = 'command'\nmatch = 'Bash(git *)'\nrun = './ask'\n"
    (project / "hookkit.toml").write_text(f"[redirect]\narguments = 'drop'\n{rule}")
    shown = hookkit("trust", cwd=project).stdout.decode()
    assert shown.splitlines()[1:] == [
        '  redirect.arguments = "drop"',
        "  rules:",
        "    command Bash(git *), runs: ./ask",
        "Trusted. After any change, hookkit asks you to trust it again.",
    ]
    said = [hookkit("trust", "--revoke", cwd=project).stdout.decode() for _ in range(2)]
    assert said == ["Trust taken back.\n", "Nothing here was trusted.\n"]


@pytest.mark.parametrize(("text", "code"), [(None, 2), ("[nudge\n", 1), ("[nudge]\nfuzzy = 3\n", 1)])
def test_trust_refuses_what_does_not_hold_together(hookkit: Run, project: Path, text: str | None, code: int) -> None:
    if text is not None:
        (project / "hookkit.toml").write_text(text)
    done = hookkit("trust", cwd=project)
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.decode().startswith("hookkit: ")


def test_the_example_settings_wire_commands_that_exist() -> None:
    settings = json.loads((ROOT / "settings.example.json").read_text())
    for groups in settings["hooks"].values():
        for group in groups:
            assert [hook["command"] for hook in group["hooks"]] == ["hookkit run"]
