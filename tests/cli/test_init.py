"""hookkit init and uninit, as a person calls them."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hookkit.agents.wiring import launcher
from tests.conftest import HOOKKIT, PERSON, Run
from tests.realclient.terminal import Terminal

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "settings.example.json"


@pytest.fixture
def claude(home: Path) -> Path:
    """The settings file of the person, in a home that has Claude Code."""
    (home / ".claude").mkdir()
    return home / ".claude" / "settings.json"


def test_a_new_file_is_the_example_with_the_pinned_command(hookkit: Run, claude: Path, project: Path) -> None:
    """settings.example.json is what init writes for Claude Code, with the bare command in place of the pinned one."""
    done = hookkit("init", "--yes", cwd=project)
    assert done.returncode == 0, done.stderr
    text = claude.read_text()
    script = claude.parents[1] / ".local" / "share" / "hookkit" / "hook"
    pinned = f'"command": "{script}", "args": ["run"'
    text = text.replace(f'{pinned}, "--later"]', f"{pinned}]")  # the launcher alone can store events
    assert text.replace(f"{pinned}]", '"command": "hookkit run"') == EXAMPLE.read_text()
    assert f"exec {sys.executable} -IS {HOOKKIT} " in script.read_text()
    assert stat.S_IMODE(claude.stat().st_mode) == 0o644


def test_a_shared_file_names_no_path_of_a_person(hookkit: Run, home: Path, project: Path) -> None:
    """A teammate who clones the project gets a file that works on every machine, or says what is missing."""
    assert hookkit("init", "--agent", "claude", "--scope", "project", "--yes", cwd=project).returncode == 0
    text = (project / ".claude" / "settings.json").read_text()
    assert str(home) not in text
    assert str(Path(sys.executable).parent) not in text
    assert not (home / ".local" / "share" / "hookkit").exists()
    longest = max(row[0]["hooks"][0]["command"] for row in json.loads(text)["hooks"].values())
    assert len(longest) < 180


def test_the_summary_fits_a_small_terminal(claude: Path, project: Path) -> None:
    """Files, hooks and what hookkit will do, on one screen; the diff on request."""
    code, screen = at_a_terminal(project, ["init"], ("shows the diff]", "\r"), ("Approve which calls?", "none\r"))
    assert code == 0
    assert "17 hooks in ~/.claude/settings.json" in screen
    assert "flow-reports" in screen
    assert "PreToolUse" not in screen
    assert claude.is_file()


def test_the_summary_names_what_really_happens(hookkit: Run, project: Path, tmp_path: Path) -> None:
    """The hooks that were chosen, and the folder of the reports that the variable of the client names."""
    one = hookkit("init", "--agent", "claude", "--hooks", "guard", "--dry-run", cwd=project).stdout.decode()
    assert "dangerous commands" in one
    assert "report" not in one
    config = str(tmp_path / "config")
    moved = hookkit(
        "init", "--agent", "claude", "--dry-run", cwd=project, env={**os.environ, "CLAUDE_CONFIG_DIR": config}
    )
    assert f"{config}/flow-reports" in moved.stdout.decode()


def test_the_diff_is_shown_on_request(claude: Path, project: Path) -> None:
    """The last line of the diff stays on the screen, and the first question has left it."""
    code, _ = at_a_terminal(project, ["init"], ("shows the diff]", "d\r"), ("+}", ""), ("shows the diff]", "n\r"))
    assert (code, claude.exists()) == (1, False)


def test_uninit_asks_after_a_short_summary_too(hookkit: Run, claude: Path, project: Path) -> None:
    hookkit("init", "--yes", cwd=project)
    code, screen = at_a_terminal(project, ["uninit"], ("shows the diff]", "n\r"))
    assert (code, claude.exists()) == (1, True)
    assert "hookkit will be taken out of:" in screen
    assert re.search(r"Claude Code +~/.claude/settings.json +\(init made this file: it is removed\)", screen)
    assert '"hooks"' not in screen


def test_init_works_in_the_home_directory(hookkit: Run, claude: Path, home: Path) -> None:
    assert hookkit("init", "--yes", cwd=home).returncode == 0
    assert claude.is_file()
    refused = hookkit("init", "--yes", "--scope", "project", "--agent", "claude", cwd=home)
    assert (refused.returncode, b"is no project" in refused.stderr) == (2, True)
    assert hookkit("uninit", "--yes", cwd=home).returncode == 0
    assert not claude.exists()


def test_uninit_removes_the_launcher_and_names_what_stays(
    hookkit: Run, claude: Path, home: Path, project: Path
) -> None:
    hookkit("init", "--yes", cwd=project)
    reports = home / ".claude" / "flow-reports"
    reports.mkdir()
    (reports / "a.md").touch()
    said = hookkit("uninit", "--yes", cwd=project).stdout.decode()
    assert "removed ~/.local/share/hookkit/hook" in said
    assert re.search(r"~/.local/state/hookkit +the log of calls", said)
    assert re.search(r"~/.claude/flow-reports +1 reports on sessions", said)
    assert not (home / ".local" / "share" / "hookkit").exists()


def test_the_launcher_stays_while_another_file_names_it(hookkit: Run, claude: Path, home: Path, project: Path) -> None:
    hookkit("init", "--yes", cwd=project)
    hookkit("init", "--yes", "--scope", "local", cwd=project)
    hookkit("uninit", "--yes", "--scope", "user", cwd=project)
    assert (home / ".local" / "share" / "hookkit" / "hook").is_file()
    assert not claude.exists()


def test_init_is_shown_before_it_is_written(hookkit: Run, claude: Path, project: Path) -> None:
    """A dry run shows the diff; without a terminal nothing is written unless --yes says so."""
    shown = hookkit("init", "--dry-run", cwd=project)
    assert f"+++ {claude}" in shown.stdout.decode()
    assert shown.returncode == 0
    refused = hookkit("init", cwd=project)
    assert refused.returncode == 2
    assert b"Add --yes, or --dry-run" in refused.stderr
    assert not claude.exists()


@pytest.mark.parametrize("scope", ["user", "project", "local"])
def test_uninit_leaves_no_file_where_there_was_none(hookkit: Run, home: Path, project: Path, scope: str) -> None:
    before = {path for place in (home, project) for path in place.rglob("*")}
    assert hookkit("init", "--agent", "claude", "--scope", scope, "--yes", cwd=project).returncode == 0
    done = hookkit("uninit", "--agent", "claude", "--yes", cwd=project)
    assert done.returncode == 0, done.stderr
    after = {path for place in (home, project) for path in place.rglob("*") if ".local" not in path.parts}
    assert after == before


def test_uninit_takes_out_just_ours_after_another_change(hookkit: Run, claude: Path, project: Path) -> None:
    """The person's own line, added after init, survives with its layout."""
    claude.write_text('{\n    "model": "opus"\n}\n')
    hookkit("init", "--yes", cwd=project)
    claude.write_text(claude.read_text().replace('"model": "opus"', '"model": "haiku"'))
    hookkit("uninit", "--yes", cwd=project)
    assert claude.read_text() == '{\n    "model": "haiku"\n}\n'


def test_a_link_to_a_dotfiles_directory_stays_a_link(hookkit: Run, claude: Path, home: Path, project: Path) -> None:
    real = home / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o600)
    claude.symlink_to(real)
    hookkit("init", "--yes", cwd=project)
    assert claude.is_symlink()
    assert "hooks" in json.loads(real.read_text())
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


@pytest.mark.parametrize(("kind", "said"), [("directory", "is a directory"), ("fifo", "is a FIFO")])
def test_another_kind_of_file_is_named(kind: str, said: str, hookkit: Run, claude: Path, project: Path) -> None:
    claude.mkdir() if kind == "directory" else os.mkfifo(claude)
    done = hookkit("init", "--yes", cwd=project)
    assert done.returncode == 2
    assert f"{claude}: {said}, not a file" in done.stderr.decode()


def test_a_hard_link_is_not_cut_off_without_a_word(hookkit: Run, claude: Path, project: Path, home: Path) -> None:
    claude.write_text("{}\n")
    os.link(claude, home / "second")
    done = hookkit("init", "--yes", cwd=project)
    assert done.returncode == 2
    assert f"{claude} has a second name (a hard link)" in done.stderr.decode()
    assert claude.read_text() == "{}\n"


def test_a_projects_link_out_of_the_project_is_refused(hookkit: Run, home: Path, project: Path) -> None:
    victim = home / "victim.json"
    victim.write_text("{}")
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").symlink_to(victim)
    done = hookkit("init", "--agent", "claude", "--scope", "project", "--yes", cwd=project)
    assert done.returncode == 2
    assert b"leads out of the project" in done.stderr
    assert victim.read_text() == "{}"


def test_a_broken_file_is_named_and_left_alone(hookkit: Run, claude: Path, project: Path) -> None:
    claude.write_text('{"model": "opus",}')
    done = hookkit("init", "--yes", cwd=project)
    assert done.returncode == 2
    assert f"{claude}:1:18: not JSON: a comma before the end" in done.stderr.decode()
    assert claude.read_text() == '{"model": "opus",}'


def test_some_hooks_only(hookkit: Run, claude: Path, project: Path) -> None:
    """Only the events that the named hooks answer are wired, and only these hooks answer."""
    hookkit("init", "--hooks", "guard,nudge", "--yes", cwd=project)
    wired = json.loads(claude.read_text())["hooks"]
    assert set(wired) == {
        "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "UserPromptSubmit",
    }  # fmt: skip
    handler = wired["PreToolUse"][0]["hooks"][0]
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(project), "tool_name": "Bash"}
    (project / "Makefile").write_text("test:\n\ttrue\n")
    words = launcher.calls(handler["command"], handler["args"])[0]
    denied = hookkit(*words, stdin={**event, "tool_input": {"command": "rm -rf ~"}}, cwd=project)
    rewritten = hookkit(*words, stdin={**event, "tool_input": {"command": "pytest -q"}}, cwd=project)
    assert (b'"deny"' in denied.stdout, rewritten.stdout) == (True, b"")


def failing(path: Path) -> dict[str, str]:
    """Claude Code's own answer to a failing hook, by event."""
    rows = {event: row[0]["hooks"][0] for event, row in json.loads(path.read_text())["hooks"].items()}
    return {event: row["onFailure"] for event, row in rows.items() if "onFailure" in row}


def test_closed_can_be_switched_on_and_off_later(hookkit: Run, claude: Path, project: Path) -> None:
    hookkit("init", "--yes", cwd=project)
    before = json.loads(claude.read_text())
    assert failing(claude) == {}
    hookkit("init", "--fail-closed", "--yes", cwd=project)
    assert failing(claude) == {"PreToolUse": "block"}
    assert b"already" in hookkit("init", "--yes", cwd=project).stdout, "an earlier choice holds"
    assert failing(claude) == {"PreToolUse": "block"}
    hookkit("init", "--fail-open", "--yes", cwd=project)
    assert json.loads(claude.read_text()) == before


def test_closed_refuses_calls_and_never_holds_a_stop(hookkit: Run, claude: Path, project: Path) -> None:
    hookkit("init", "--fail-closed", "--yes", cwd=project)
    wired = {event: row[0]["hooks"][0] for event, row in json.loads(claude.read_text())["hooks"].items()}
    assert [event for event, handler in wired.items() if "deny" in handler["args"]] == ["PreToolUse"]
    assert wired["PreToolUse"]["args"] == ["run", "--on-error", "deny"]
    assert [event for event, handler in wired.items() if "onFailure" in handler] == ["PreToolUse"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("init", "--agent", "claud"), 2, "did you mean claude?"),
        (("init", "--scope", "users"), 2, "--scope takes user, project, local"),
        (("init", "--hooks", "gaurd", "--agent", "claude"), 2, "did you mean guard?"),
        (("init",), 1, "no agent was found here"),
    ],
)
def test_a_slip_is_named(hookkit: Run, project: Path, words: tuple[str, ...], code: int, said: str) -> None:
    done = hookkit(*words, cwd=project, env={**os.environ, "PATH": "/nowhere"})
    assert (done.returncode, said in done.stderr.decode()) == (code, True)


def test_a_proof_without_an_agent_fails(hookkit: Run, project: Path) -> None:
    """With --live a person asks for a proof; without an agent there is none, and the way out is named."""
    environ = {**os.environ, "PATH": "/nowhere"}
    done = hookkit("doctor", "--live", cwd=project, env=environ)
    assert (done.returncode, b"hookkit init --agent NAME" in done.stdout.replace(b"\n", b" ")) == (1, True)
    assert json.loads(hookkit("doctor", "--live", "-o", "json", cwd=project, env=environ).stdout)["ok"] is False
    assert hookkit("doctor", cwd=project, env=environ).returncode == 0


def test_a_closed_pipe_does_not_keep_init_from_writing(claude: Path, project: Path) -> None:
    """`hookkit init --yes | head -3` writes the file: the change is printed after it is made."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [HOOKKIT, "init", "--agent", "claude", "--yes"], stdout=writer, stderr=subprocess.PIPE, cwd=project, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")
    assert "hookkit" in claude.read_text()


def test_an_agent_cannot_switch_hookkit_off(hookkit: Run, claude: Path, project: Path) -> None:
    hookkit("init", "--yes", cwd=project)
    before = claude.read_bytes()
    done = hookkit("uninit", "--yes", cwd=project, env={**os.environ, "CLAUDECODE": "1"})
    assert (done.returncode, claude.read_bytes()) == (1, before)


@pytest.mark.parametrize("words", [["--hooks", "redirect"], ["--approve", "work"], ["--fail-open"]])
def test_an_agent_cannot_change_what_is_wired(hookkit: Run, claude: Path, project: Path, words: list[str]) -> None:
    hookkit("init", "--yes", "--fail-closed", cwd=project)
    before = claude.read_bytes()
    done = hookkit("init", "--yes", *words, cwd=project, env={**os.environ, "CLAUDECODE": "1"})
    assert (done.returncode, claude.read_bytes()) == (1, before)
    assert hookkit("init", "--dry-run", *words, cwd=project, env={**os.environ, "CLAUDECODE": "1"}).returncode == 0


def test_an_agent_may_connect_hookkit(hookkit: Run, claude: Path, project: Path) -> None:
    done = hookkit("init", "--yes", cwd=project, env={**os.environ, "CLAUDECODE": "1"})
    assert done.returncode == 0
    assert "hookkit" in claude.read_text()


def test_the_json_says_the_same(hookkit: Run, claude: Path, project: Path) -> None:
    rows = json.loads(hookkit("init", "--yes", "-o", "json", cwd=project).stdout)
    assert [(row["agent"], row["file"], row["written"], row["backup"]) for row in rows] == [
        ("claude", str(claude), True, "")
    ]
    assert json.loads(hookkit("init", "--yes", "-o", "json", cwd=project).stdout)[0]["changes"] is False


def at_a_terminal(place: Path, words: list[str], *answers: tuple[str, str]) -> tuple[int, str]:
    """The command with a person at its terminal, who waits for each text and then types; its code and last screen."""
    terminal = Terminal()
    command, side = [sys.executable, "-c", PERSON, *words], terminal.theirs
    environ = {**os.environ, "TERM": "xterm-256color"}
    with subprocess.Popen(
        command, cwd=place, env=environ, stdin=side, stdout=side, stderr=side, start_new_session=True
    ) as process:
        os.close(side)
        try:
            for text, typed in answers:
                terminal.until(text)
                terminal.press(typed)
            terminal.until_end()
        except BaseException:
            process.kill()  # a text that never came must not leave the command at its question for ever
            raise
    os.close(terminal.ours)
    return process.returncode, str(terminal)


APPROVE = "Approve which calls? [none]:"
CHOICES = [
    "Which calls may run without a question?",
    "none   hookkit approves nothing",
    "reads  commands that only read: git log | head",
    "(Claude Code itself asks about few of these)",
    "work   also changes in the project that git can bring back, and the",
    "tests of a trusted project: fewer questions",
]


@pytest.mark.parametrize(("typed", "written"), [("reads", "reads"), ("work", "work"), ("", "none"), ("none", "none")])
def test_init_asks_which_calls_to_approve(claude: Path, home: Path, project: Path, typed: str, written: str) -> None:
    code, shown = at_a_terminal(project, ["init"], ("Change this file?", "y\r"), (APPROVE, f"{typed}\r"))
    assert (code, claude.exists()) == (0, True)
    assert [line for line in shown.splitlines() if line in CHOICES] == CHOICES
    path = home / ".config" / "hookkit" / "hookkit.toml"
    assert f'[policy]\napprove = "{written}"\n' in path.read_text()


def test_a_question_without_an_answer_is_asked_again(hookkit: Run, claude: Path, project: Path) -> None:
    """A terminal closed at the second question must not settle it."""
    hookkit("init", "--yes", cwd=project)
    assert claude.exists()
    code, shown = at_a_terminal(project, ["init"], (APPROVE, "work\r"))
    assert (code, 'policy.approve = "work"' in shown) == (0, True)


def test_a_typing_mistake_at_the_question_is_named_and_asked_again(claude: Path, home: Path, project: Path) -> None:
    code, shown = at_a_terminal(
        project, ["init"], ("Change this file?", "y\r"), (APPROVE, "raeds\r"), ("did you mean reads?", "reads\r")
    )
    assert (code, claude.exists()) == (0, True)
    assert 'policy.approve = "reads" in ~/.config/hookkit/hookkit.toml' in shown


def test_a_second_init_asks_nothing(claude: Path, project: Path) -> None:
    at_a_terminal(project, ["init"], ("Change this file?", "y\r"), (APPROVE, "\r"))
    code, shown = at_a_terminal(project, ["init"])
    assert (code, shown) == (0, "Claude Code: hookkit is already in ~/.claude/settings.json")


def test_a_file_that_the_client_skips_is_not_wired(hookkit: Run, claude: Path, project: Path) -> None:
    """One wrong value in a PreToolUse handler of the person's own: Claude Code would never call hookkit either."""
    text = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "timeout": 0}]}]}}'
    claude.write_text(text)
    done = hookkit("init", "--yes", cwd=project)
    assert done.returncode == 2
    assert b"Claude Code skips this whole file" in done.stderr
    assert claude.read_text() == text
