"""The people's commands: exact exit codes, messages with a place and a way out, never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookkit import __version__, registry
from hookkit.cli import _console, _main
from hookkit.settings import layers
from tests.cli.conftest import Command
from tests.conftest import HOOKKIT, PERSON, Run

ROOT = Path(__file__).parent.parent.parent
PLAIN = {"NO_COLOR": "1", "COLUMNS": "120", "TERM": "dumb"}


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PLAIN.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("word", ["--version", "-V", "version"])
def test_the_version(hookkit: Run, word: str) -> None:
    assert hookkit(word).stdout.decode() == f"hookkit {__version__}\n"


@pytest.mark.parametrize("words", [["ledger"], ["ledger", "list"], ["run"], ["test-pattern"], []])
def test_help_is_the_help_of_the_command(hookkit: Run, words: list[str]) -> None:
    done = hookkit("help", *words)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == hookkit(*words, "--help").stdout


def test_help_is_text_and_not_markup(hookkit: Run) -> None:
    """Brackets in a help text, such as the name of a TOML table, reach the screen."""
    assert "from [[hooks]]" in hookkit("custom", "--help").stdout.decode()


def test_help_of_no_command(hookkit: Run) -> None:
    done = hookkit("help", "ledgr")
    assert (done.returncode, done.stderr.decode()) == (1, "hookkit: no command 'ledgr'. Did you mean ledger?\n")


@pytest.mark.parametrize("name", ["run", *registry.names("hooks")])
def test_a_hooks_help_lists_its_options(hookkit: Run, name: str) -> None:
    out = hookkit(name, "--help").stdout.decode()
    assert "--on-error" in out
    assert "<open|ask|deny>" in out
    assert "--actor" in out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("hookkit led", ["ledger"]),
        ("hookkit ledger ex", ["export"]),
        ("hookkit test-", ["test-pattern"]),
        ("hookkit simulate --output j", ["json", "junit"]),
        ("hookkit gu", ["guard"]),
    ],
)
def test_a_shell_completes_commands_and_values(
    hookkit: Run, monkeypatch: pytest.MonkeyPatch, typed: str, offered: list[str]
) -> None:
    words = typed.split(" ")
    completing = {"_HOOKKIT_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    for name, value in completing.items():
        monkeypatch.setenv(name, value)
    assert hookkit().stdout.decode().split() == offered


def test_completion_can_be_shown_and_installed(hookkit: Run) -> None:
    out = hookkit("--help").stdout.decode()
    assert "--install-completion" in out
    assert "--show-completion" in out


# One meaning of each exit code: a finding or nothing found is 1, bad usage or an unreadable file is 2.
CODES = [
    (["ledger", "show", "99"], 1),
    (["effort", "show", "99"], 1),
    (["effort", "finish"], 1),
    (["task", "show", "nowhere"], 1),
    (["agents", "check", "nobody"], 1),
    (["approve", "0a1b2c3d"], 1),
    (["trust"], 1),
    (["test-pattern", "Bash(ls)", "Bash", "pwd"], 1),
    (["test-pattern", "Bash(ls", "Bash", "pwd"], 2),
    (["test-pattern", "", "Bash", "ls"], 0),
    (["test-pattern", " ", "Bash", "ls"], 0),
    (["ledger", "show", "x"], 2),
    (["ledger", "list", "--since", "never"], 2),
    (["effort", "start", "x", "--task", "nowhere"], 2),
    (["effort", "preload", "nowhere"], 2),
    (["toolchain", "nowhere"], 2),
    (["validate", "nowhere.toml"], 2),
    (["simulate", "nowhere.jsonl"], 2),
    (["simulate"], 2),
    (["simulate", "--tool", "Bash"], 2),
    (["simulate", "--tool", "TaskList"], 0),
    (["simulate", "--tool", "Bsh", "--args", "ls"], 2),
    (["test-pattern", "Bash(ls)", "bash", "ls"], 2),
    (["test-pattern", "Bsh(ls)", "Bash", "ls"], 2),
    (["test-pattern", "Delete(x)", "Bash", "rm x"], 0),
    (["why", "--tool", "Raed", "x"], 2),
    (["why", "--tool", "MyOwnTool", "x"], 0),
    (["why"], 2),
    (["why", "--bogus", "ls"], 2),
    (["policy", "show", "--bogus"], 2),
    (["policy", "shw"], 2),
    (["validate", "--output", "junit"], 2),
    (["schema", "-o", "json"], 0),
    (["errors"], 0),
    (["why", "rm", "-rf", "/"], 0),
]


@pytest.mark.parametrize(("words", "code"), CODES, ids=[" ".join(words) for words, _ in CODES])
def test_an_exit_code_has_one_meaning(hookkit: Run, home: Path, project: Path, words: list[str], code: int) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[sessions]\nenabled = true\n")
    if words == ["effort", "finish"]:
        hookkit("effort", "start", "fix", cwd=project)
        hookkit("effort", "finish", "1", cwd=project)
    done = hookkit(*words, cwd=project)
    assert done.returncode == code
    if code == 2 or (code == 1 and words[0] != "test-pattern"):
        assert done.stderr.decode().startswith("hookkit: ")


@pytest.mark.parametrize(
    ("name", "text", "code", "said"),
    [
        ("Makefile", "test:\n\ttrue\n", 2, "Makefile: neither hookkit.toml"),
        ("a.txt", "hello\n", 2, "a.txt: neither hookkit.toml"),
        ("a.json", '{"a": 1}', 1, "a.json: no hooks to convert"),
        ("SKILL.md", "---\nname: x\n---\n", 1, "SKILL.md: no hooks to convert"),
        ("hookkit.toml", '[[rules]]\ntype = "deny"\nmatch = "Bash(x)"\n', 1, "not carried over: the setting rules"),
    ],
)
@pytest.mark.parametrize("target", ["hookkit", "claude", "gemini", "new.toml"])
def test_only_hooks_are_converted(
    command: Command, project: Path, name: str, text: str, code: int, said: str, target: str
) -> None:
    """A file without hooks, or of an unknown format, gives an error and no empty result."""
    (project / name).write_text(text)
    done = command("convert", name, target)
    assert (done.code, done.out, said in done.err) == (code, "", True)
    assert not (project / "new.toml").exists()


def test_an_error_of_the_system_names_the_path(hookkit: Run, project: Path) -> None:
    (project / "Makefile").write_text("")
    done = hookkit("plugin", "Makefile", cwd=project)
    assert done.returncode == 2
    assert f"{project}/Makefile" in done.stderr.decode()


def test_an_anchor_needs_a_commit(command: Command, project: Path) -> None:
    subprocess.run(["git", "init", "-q", project], check=True)
    done = command("ledger", "anchor")
    assert (done.code, "HEAD" in done.err, ".." in done.err) == (2, True, False)
    assert ". Name a file instead: --file" in done.err


PLAIN = {
    "ledger list --limit x": "hookkit: Invalid value for '--limit' / '-n': expected a whole number",
    "simulate x --min-coverage x": "hookkit: Invalid value for '--min-coverage': expected a number",
    "ledger lst": "hookkit: no command 'lst'. Did you mean list?",
    "policy bogus": "hookkit: no command 'bogus'. There are base, show, actors, export, sign, verify",
    "simulate --tool Bash": "hookkit: --tool Bash needs --args: text, or the whole input as JSON",
}


@pytest.mark.parametrize("words", PLAIN)
def test_bad_usage_is_told_in_plain_words(hookkit: Run, words: str) -> None:
    done = hookkit(*words.split())
    assert (done.returncode, done.stderr.decode().splitlines()[0]) == (2, PLAIN[words])


def test_bad_usage_names_the_command_and_its_help(hookkit: Run) -> None:
    assert hookkit("ledger", "show", "--bogus").stderr.decode().splitlines()[::2] == [
        "hookkit: No such option: --bogus",
        "See: hookkit ledger show --help",
    ]


@pytest.mark.parametrize(
    ("words", "drawers"),
    [(["help", "all"], ["cli"]), (["help", "hooks"], ["hooks", "hooks/_screen"])],
    ids=["all", "hooks"],
)
def test_help_lists_every_command(hookkit: Run, words: list[str], drawers: list[str]) -> None:
    done = hookkit(*words)
    names = [name.replace("_", "-") for drawer in drawers for name in registry.names(drawer)]
    assert done.returncode == 0
    assert [name for name in names if f"  {name} " not in done.stdout.decode()] == []
    assert max(map(len, done.stdout.decode().splitlines())) <= 80


def test_the_first_page_has_six_commands_and_four_groups(hookkit: Run) -> None:
    """Commands that agents call, and commands of parts that are off, do not meet a new reader."""
    text = hookkit("--help").stdout.decode()
    assert text == hookkit("help").stdout.decode()
    first = [line.split()[0] for line in text.splitlines()[2:8]]
    assert first == ["init", "status", "why", "trust", "set", "undo"]
    titles = [line for line in text.splitlines() if line == line.strip() and 0 < len(line) < len("hookkit help")]
    assert titles == ["Start", "Understand", "Look back", "Decide"]
    assert len(text.splitlines()) <= 40
    assert [name for name in ("effort", "redirect", "allow-once") if f"  {name} " in text] == []


def test_efforts_are_shown_to_people_who_use_them(hookkit: Run, home: Path) -> None:
    (home / ".config" / "hookkit").mkdir(parents=True)
    (home / ".config" / "hookkit" / "hookkit.toml").write_text("[sessions]\nenabled = true\n")
    assert "  effort " in hookkit("--help").stdout.decode()


def test_hookkit_alone_is_its_status(hookkit: Run, project: Path) -> None:
    """Without a command it is not an error: wired by mistake, exit 2 would block every tool call."""
    environ = {**os.environ, "PATH": "/nowhere"}
    alone, status = hookkit(cwd=project, env=environ), hookkit("status", cwd=project, env=environ)
    assert (alone.returncode, alone.stdout) == (0, status.stdout)
    assert alone.stdout.startswith(b"hookkit is installed, and no agent calls it yet. Run: hookkit init")


@pytest.mark.parametrize("words", [["--version"], ["--help"]], ids=str)
def test_the_version_and_the_help_start_without_libraries(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-X", "importtime", HOOKKIT, *words], capture_output=True, check=True)
    loaded = {line.rpartition("|")[2].strip().split(".")[0] for line in done.stderr.decode().splitlines()}
    assert loaded.isdisjoint({"typer", "rich", "pydantic", "click"})


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


def test_toolchain_shows_the_commands_and_their_origin(hookkit: Run, project: Path) -> None:
    (project / "go.mod").write_text("module x\n")
    (project / "api").mkdir()
    (project / "api" / "Makefile").write_text("lint:\n\ttrue\n")
    lines = hookkit("toolchain", "api", cwd=project).stdout.decode().splitlines()
    assert [line.split() for line in lines][1:4] == [
        ["test", "every", "command", "go", "test", "./...", "../go.mod"],
        ["build", "every", "command", "go", "build", "./...", "../go.mod"],
        ["lint", "every", "command", "make", "lint", "Makefile:1"],
    ]
    rows = json.loads(hookkit("toolchain", "api", "-o", "json", cwd=project).stdout)
    lint = {"for": None, "command": "make lint", "from": "Makefile:1"}
    assert {row.pop("action"): row for row in rows}["lint"] == lint


def test_errors_shows_what_was_swallowed(hookkit: Run) -> None:
    assert hookkit("errors").stdout.decode() == "No errors.\n"
    hookkit("redirect", stdin=b"{")
    done = hookkit("errors")
    assert done.returncode == 1
    assert "redirect -: EventError: not JSON" in done.stdout.decode()
    told = json.loads(hookkit("errors", "-o", "json").stdout)
    assert (told["total"], [row["error"] for row in told["errors"]]) == (1, ["redirect -: EventError: not JSON"])
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
        "Trusted. If a file changes that these commands run, hookkit asks again.",
    ]
    value = {"redirect.arguments": "drop", "rules": [{"type": "command", "match": "Bash(git *)", "run": "./ask"}]}
    told = json.loads(hookkit("trust", "-o", "json", cwd=project).stdout)
    assert told == {
        "trusted": True,
        "files": [{"file": str(project / "hookkit.toml"), "settings": value}],
        "hooks": {},
        "commands": {},
    }
    said = [hookkit("trust", "--revoke", cwd=project).stdout.decode() for _ in range(2)]
    assert said == ["Trust taken back.\n", "Nothing here was trusted.\n"]


def test_trust_lists_the_files_of_checks_and_each_file_once(hookkit: Run, project: Path) -> None:
    (project / "hookkit.toml").write_text('[gate]\npromise = "make test"\nchecks = ["sh check.sh"]\n')
    (project / "check.sh").write_text("true\n")
    (project / "Makefile").write_text("test:\n")
    shown = hookkit("trust", cwd=project).stdout.decode().splitlines()
    assert shown[3:-1] == ["Makefile  for make test", "check.sh  for sh check.sh"]


def test_trust_of_a_directory_that_is_not_there_trusts_nothing(hookkit: Run, project: Path) -> None:
    """Not the project around it, either."""
    (project / "Makefile").write_text("test:\n\ttrue\n")
    done = hookkit("trust", "nowhere", cwd=project)
    assert (done.returncode, done.stderr) == (2, b"hookkit: no directory nowhere\n")
    assert json.loads(hookkit("status", "-o", "json", cwd=project).stdout)["trust"] == "no"


def test_trust_takes_effect_into_a_closed_pipe(project: Path, home: Path) -> None:
    """`hookkit trust | head -1`: whoever has read enough has trusted all the same."""
    (project / "hookkit.toml").write_text("[redirect]\narguments = 'drop'\n")
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen([sys.executable, "-c", f"import sys; sys.argv = ['hookkit', 'trust']\n{PERSON}"], cwd=project,
                          stdout=writing, stderr=subprocess.PIPE) as process:  # fmt: skip
        os.close(writing)
        _, said = process.communicate(timeout=60)
    assert b"Traceback" not in said
    assert layers.load(str(project), dict(os.environ))["redirect.arguments"] == "drop"


@pytest.mark.parametrize(("text", "code"), [(None, 1), ("[nudge\n", 1), ("[nudge]\nfuzzy = 3\n", 1)])
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


@pytest.mark.parametrize(
    ("words", "code", "lines"),
    [
        (["Bash(git push *)", "Bash", "git push --force"], 0, ["match"]),
        (["Bash(git push)", "Bash", "git push --force"], 0,
         ["match", "An allow rule with this pattern does not match: an allow has to name every word of the command."]),
        (["Bash(git push)", "Bash", "git pull"], 1, ["no match"]),
        (["Agent(Explore)", "Task", "Explore"], 0, ["match"]),
        (["Bash(rm *)", "Bash", "$X y"], 0, ["match", "cannot analyse: the name of the program is computed"]),
    ],
)  # fmt: skip
def test_a_pattern_is_tried(hookkit: Run, project: Path, words: list[str], code: int, lines: list[str]) -> None:
    done = hookkit("test-pattern", *words, cwd=project)
    assert (done.returncode, done.stdout.decode().splitlines()) == (code, lines)
    told = json.loads(hookkit("test-pattern", *words, "-o", "json", cwd=project).stdout)
    assert told["match"] is (code == 0)
    assert told["unsure"] is ("cannot analyse" in lines[-1])
    assert told["allows"] is (code == 0 and len(lines) == 1)


def test_the_first_page_of_the_help_fits_a_small_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The six first commands stay on the screen; a file or a pipe gets every line."""
    full = _main.overview([])
    monkeypatch.setattr(_console, "is_terminal", lambda: True)
    for rows, lines in ((50, full.splitlines()), (24, None)):
        monkeypatch.setattr(_console, "screen_size", lambda rows=rows: (80, rows))
        page = _main.overview([]).splitlines()
        assert lines is None or page == lines
        assert len(page) < rows
        assert max(map(len, page)) <= 80
        for name in [*_main.FIRST, *(name for group in _main.GROUPS.values() for name in group)]:
            assert name in " ".join(page)
