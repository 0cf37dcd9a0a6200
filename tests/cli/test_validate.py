"""`hookkit validate`: exact rows, carets, exit codes, and the three ways to print."""

import json
import shutil
from pathlib import Path

import pytest

from hookkit.agents.wiring.settings_files import AGENTS, place
from hookkit.cli.validate import NOTHING
from tests.cli.conftest import Command
from tests.conftest import Run

ROOT = Path(__file__).parent.parent.parent
POLICY = """\
[[rules]]
type = "deny"
match = "Bash(rm -rf *"

[[rules]]
type = "allow"
match = "Bash(python *)"
"""
WIRED = """\
{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "hookkit gaurd"}]}]}}
"""
ERROR = "hookkit.toml:3:23 rules: match: expected ) at the end: Bash(rm -rf *; did you mean Bash(rm -rf *)?\n"
NEVER, WINS = "has no effect: deny Bash(git *) at", "covers it, and the stricter rule wins; remove one of them"
GAURD = "hooks.PreToolUse[0].hooks[0]: there is no hookkit gaurd; did you mean hookkit guard?"
WARNING = (
    "allow Bash(python *): python can run anything: hookkit does not look into a script; "
    "name the programs that it may run"
)


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"NO_COLOR": "1", "COLUMNS": "80", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)


def test_a_pattern_is_shown_with_a_caret(hookkit: Run, project: Path) -> None:
    (project / "hookkit.toml").write_text(POLICY)
    done = hookkit("validate", "hookkit.toml", cwd=project)
    expected = (
        ERROR + '    match = "Bash(rm -rf *"\n'
        "                          ^\n"
        f"hookkit.toml:7:15 warning: {WARNING}\n"
        '    match = "Bash(python *)"\n'
        "                  ^\n"
        "1 error and 1 warning in 1 file\n"
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.decode() == expected


def test_github_gets_annotations(hookkit: Run, project: Path) -> None:
    (project / "a,b.hookkit.toml").write_text(POLICY.replace("rm -rf *", "rm -rf 50%\\n"))
    done = hookkit("validate", "a,b.hookkit.toml", "--output", "github", cwd=project)
    assert done.stdout.decode() == (
        "::error file=a%2Cb.hookkit.toml,line=3,col=9::rules: match: expected ) at the end: Bash(rm -rf 50%25%0A"
        "; did you mean Bash(rm -rf 50%25)?\n"
        f"::warning file=a%2Cb.hookkit.toml,line=7,col=15::{WARNING}\n"
    )


def test_json_has_every_field(hookkit: Run, project: Path) -> None:
    (project / "settings.json").write_text(WIRED)
    done = hookkit("validate", "settings.json", "-o", "json", cwd=project)
    assert (done.returncode, json.loads(done.stdout)) == (
        1,
        [
            {
                "file": "settings.json",
                "line": 1,
                "column": 69,
                "severity": "error",
                "message": "hooks.PreToolUse[0].hooks[0]: there is no hookkit gaurd",
                "fix": "did you mean hookkit guard?",
            }
        ],
    )


@pytest.mark.parametrize(("words", "code"), [([], 0), (["--strict"], 1)])
def test_a_warning_fails_only_if_strict(hookkit: Run, project: Path, words: list[str], code: int) -> None:
    (project / "hookkit.toml").write_text('[actors.a]\nallow = ["Bash(sudo *)"]\n')
    assert hookkit("validate", *words, cwd=project).returncode == code


def test_without_files_it_checks_every_one_that_has_a_say(hookkit: Run, project: Path, home: Path) -> None:
    own = home / ".config" / "hookkit" / "hookkit.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[[rules]]\ntype = "deny"\nmatch = "Bash(git *)"\n')
    for name, text in {
        ".mentu/genesis.key": 'version: "2.0"\npermissions:\n  actors:\n    a: {allow: ["Bash(git log)"]}\n',
        "hookkit.toml": "[nudge]\nfuzy = true\n",
        "hookkit.local.toml": "[nudge]\nfuzzy = 1\n",
        ".claude/settings.json": WIRED,
        ".claude/settings.local.json": "{",
    }.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    done = hookkit("validate", cwd=project)
    lines = [line for line in done.stdout.decode().splitlines() if not line.startswith("    ")]
    assert done.returncode == 1
    assert lines == [
        f"{project}/.mentu/genesis.key:4:17 warning: allow Bash(git log) {NEVER} {own}:3 {WINS}",
        f"{project}/hookkit.toml:2:1 unknown setting nudge.fuzy; did you mean nudge.fuzzy?",
        f"{project}/hookkit.local.toml:2:1 nudge.fuzzy: expected true or false, not 1",
        f"{project}/.claude/settings.json:1:69 {GAURD}",
        f"{project}/.claude/settings.local.json:1:2 not JSON: the text ends too early",
        "4 errors and 1 warning in 5 files",
    ]


def test_in_a_bare_project_there_is_nothing_to_check(hookkit: Run, project: Path) -> None:
    done = hookkit("validate", cwd=project)
    assert (done.returncode, done.stdout.decode()) == (0, f"{NOTHING}\n")


def test_files_given_by_name_are_not_held_against_each_other(hookkit: Run, project: Path) -> None:
    (project / "a.hookkit.toml").write_text('[[rules]]\ntype = "deny"\nmatch = "Bash(git *)"\n')
    (project / "b.hookkit.toml").write_text('[[rules]]\ntype = "allow"\nmatch = "Bash(git log)"\n')
    assert hookkit("validate", "a.hookkit.toml", "b.hookkit.toml", cwd=project).returncode == 0


def test_an_unreadable_file_does_not_hide_the_mistakes_of_others(hookkit: Run, project: Path) -> None:
    (project / "hookkit.toml").write_text("[nudge]\nfuzy = true\n")
    (project / "README.md").write_text("# Title\n")
    done = hookkit("validate", "hookkit.toml", "gone.toml", "README.md", cwd=project)
    assert done.returncode == 2
    assert done.stdout.decode() == "hookkit.toml:2:1 unknown setting nudge.fuzy; did you mean nudge.fuzzy?\n"
    assert done.stderr.decode() == (
        "hookkit: gone.toml: No such file or directory\n"
        "hookkit: README.md: neither hookkit.toml, genesis.key, hooks.toml nor settings.json\n"
    )


def test_a_link_out_of_the_project_is_not_read(hookkit: Run, project: Path, home: Path) -> None:
    (home / "secret").write_text("correct horse battery staple")
    for name in ("hookkit.toml", ".mentu/genesis.key"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).symlink_to(home / "secret")
    done = hookkit("validate", cwd=project)
    assert done.returncode == 2
    assert done.stderr.count(b"leads out of the project") == 2
    assert b"horse" not in done.stdout + done.stderr


def test_the_same_file_twice_is_checked_once(hookkit: Run, project: Path) -> None:
    (project / "hookkit.toml").write_text("[nudge]\nfuzzy = true\n")
    done = hookkit("validate", "hookkit.toml", "hookkit.toml", cwd=project)
    assert (done.returncode, done.stdout.decode()) == (0, "No mistakes in hookkit.toml.\n")


def test_what_a_terminal_would_obey_is_only_shown(hookkit: Run, project: Path) -> None:
    (project / "settings.json").write_text('{"hooks": {"\\u001b[31mStop\\ud800": []}}')
    done = hookkit("validate", "settings.json", cwd=project)
    assert done.stdout.decode() == (
        "settings.json:1:12 hooks: unknown event \\x1b[31mStop\\ud800: the client ignores it\n"
    )


def test_a_long_line_is_shown_around_the_caret(hookkit: Run, project: Path) -> None:
    rules = ", ".join(['"Read(x)"'] * 40 + ['"Bash(ls"'] + ['"Read(x)"'] * 40)
    (project / "settings.json").write_text(f'{{"permissions": {{"ask": [{rules}]}}}}')
    row, line, caret = hookkit("validate", "settings.json", cwd=project).stdout.decode().splitlines()
    assert row == "settings.json:1:474 Bash(ls: expected ) at the end; did you mean Bash(ls)?"
    assert line[caret.index("^") - 9 : caret.index("^") + 1] == ', "Bash(ls'[1:] + '"'
    assert len(line) <= 104


@pytest.mark.parametrize("name", ["genesis.key", "hookkit.toml", "hooks.toml"])
def test_the_examples_have_no_mistake(hookkit: Run, project: Path, name: str) -> None:
    shutil.copy(ROOT / "examples" / "policies" / name, project / name)
    done = hookkit("validate", name, "--strict", cwd=project)
    assert (done.returncode, done.stdout.decode()) == (0, f"No mistakes in {name}.\n")


def test_the_shipped_policy_as_a_file_has_no_mistake(hookkit: Run, home: Path, project: Path) -> None:
    """In the person's own settings: a project's file cannot switch the shipped policy off."""
    own = home / ".config" / "hookkit" / "hookkit.toml"
    own.parent.mkdir(parents=True)
    own.write_bytes(hookkit("policy", "base").stdout)
    done = hookkit("validate", "--strict", cwd=project)
    assert (done.returncode, done.stdout.decode()) == (0, f"No mistakes in {own}.\n")


def test_below_the_root_the_files_there_are_checked_and_said_to_be_out_of_force(hookkit: Run) -> None:
    done = hookkit("validate", "--strict", cwd=ROOT / "examples" / "policies")
    assert (done.returncode, done.stdout.decode()) == (0, "No mistakes in hookkit.toml, genesis.key, hooks.toml.\n")
    assert done.stderr.decode() == (
        "Checked, but not in force here: hookkit.toml, genesis.key, hooks.toml."
        f" hookkit reads the settings of {ROOT}.\n"
    )


def test_a_mistake_below_the_root_is_found(hookkit: Run, project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "hookkit.toml").write_text("[nudge]\nfuzy = true\n")
    done = hookkit("validate", cwd=project / "sub")
    assert done.returncode == 1
    assert done.stdout.decode().startswith("hookkit.toml:2:1 unknown setting nudge.fuzy")


@pytest.mark.parametrize("scope", ["user", "project", "local"])
def test_what_init_writes_for_every_agent_has_no_mistake(
    command: Command, hookkit: Run, project: Path, home: Path, scope: str
) -> None:
    """Each settings file is read as the file of its own agent, given by name and found by itself."""
    agents = [agent.name for agent in AGENTS.values() if place(agent, scope, str(project), {"HOME": str(home)})]
    before = {*home.rglob("*"), *project.rglob("*")}
    for agent in agents:
        done = command("init", "--yes", "--scope", scope, "--agent", agent)
        assert done.code == 0, done.err
    state = home / ".local"
    written = sorted(
        str(path)
        for path in {*home.rglob("*"), *project.rglob("*")} - before
        if path.is_file() and state not in path.parents and "backup" not in path.name
    )
    assert len(written) >= len(agents)
    checked = hookkit("validate", "--strict", *written, cwd=project)
    assert (checked.returncode, checked.stderr) == (0, b""), checked.stdout.decode()
    assert hookkit("validate", "--strict", cwd=project).returncode == 0


def test_the_settings_of_an_agent_are_read_as_its_own(hookkit: Run, project: Path) -> None:
    path = project / ".gemini" / "settings.json"
    path.parent.mkdir()
    group = [{"hooks": [{"type": "command", "command": "true"}]}]
    path.write_text(json.dumps({"hooks": {"BeforeTool": group, "BeforTool": group, "Else": group}}))
    done = hookkit("validate", ".gemini/settings.json", cwd=project)
    said = done.stdout.decode()
    assert (done.returncode, said.count("warning")) == (0, 1)
    assert "hooks: Gemini CLI may not know the event BeforTool; did you mean BeforeTool?" in said
    path.write_text('{"hooks": {')
    done = hookkit("validate", ".gemini/settings.json", cwd=project)
    assert done.returncode == 1
    assert done.stdout.decode().startswith(".gemini/settings.json:1:")


def test_the_settings_of_an_editor_are_not_read(hookkit: Run, project: Path) -> None:
    path = project / ".vscode" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  // fits the team\n  "hooks": 5,\n}\n')
    done = hookkit("validate", ".vscode/settings.json", cwd=project)
    assert (done.returncode, done.stderr) == (0, b"")
