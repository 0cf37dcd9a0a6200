"""hookkit simulate: one event as the agent would see it, and rows that are held to what they expect."""

import itertools
import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import hookkit
from hookkit import pipeline
from hookkit.cli import _console
from hookkit.play import player
from hookkit.play.rows import conformance, misspelt
from hookkit.settings import trust
from tests.cli.conftest import Command
from tests.conftest import HOOKKIT, Run

Write = Callable[..., None]
RULES = """
[[rules]]
type = "deny"
match = "Bash(rm -rf *)"
reason = "Not here."
instead = "trash"

[[rules]]
type = "ask"
match = "Bash(git push *)"

[actors."agent:executor"]
allow = ["Bash(git *)"]
deny = ["Bash(git push *)"]
"""


@pytest.fixture(autouse=True)
def _steady_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    for module in (player, pipeline):
        monkeypatch.setattr(module, "perf_counter", lambda: next(ticks) / 2000)


@pytest.fixture
def rows(project: Path) -> Callable[..., str]:
    def write(*found: dict[str, Any]) -> str:
        (project / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))
        return "rows.jsonl"

    return write


# -- one event -------------------------------------------------------------------------------------------------------


def test_a_call_shows_every_hook_and_the_reply(command: Command, policy: Write, project: Path) -> None:
    policy(RULES)
    (project / "Makefile").write_text("test:\n\ttrue\n")
    done = command("simulate", "--tool", "Bash", "--args", "pytest && rm -fr out")
    assert done == (
        0,
        """\
PreToolUse  Bash
pytest && rm -fr out

hook      verdict     time  why
guard     deny     0.50 ms  hookkit: rm -fr out: Not here. Instead: trash
                            ↳ deny Bash(rm -rf *)  user
redirect  -        0.50 ms  lets it pass

The agent gets
{
  "hookSpecificOutput": {
    "hookEventName": "PreToolUse",
    "permissionDecision": "deny",
    "permissionDecisionReason": "hookkit: rm -fr out: Not here. Instead: trash"
  }
}
""",
        "",
    )


def test_a_call_that_no_hook_minds_gets_no_reply(command: Command) -> None:
    done = command("simulate", "--tool", "Bash", "--args", "ls")
    assert done.out.endswith("redirect  -        0.50 ms  lets it pass\n\nThe agent gets no reply, and continues.\n")


def test_a_rewrite_is_shown_to_be_judged_again(command: Command, policy: Write, project: Path) -> None:
    policy('[redirect]\ntell = false\n[[rules]]\ntype = "ask"\nmatch = "Bash(make *)"\n')
    (project / "Makefile").write_text("test:\n\ttrue\n")
    assert command("simulate", "--tool", "Bash", "--args", "pytest").out.split("\n\n")[1] == (
        """\
hook      verdict     time  why
guard     -        0.50 ms  lets it pass
redirect  rewrite  0.50 ms  Redirected: test
                            command becomes: make test
guard     ask      0.50 ms  judged as rewritten
                            hookkit: make test: Bash(make *) is set to ask.
                            ↳ ask Bash(make *)  user"""
    )


def test_the_actor_counts(command: Command, policy: Write) -> None:
    policy(RULES)
    words = ("simulate", "--tool", "Bash", "--args", "git status")
    assert "no reply" in command(*words).out
    done = command(*words, "--actor", "agent:executor")
    assert done.out.startswith("PreToolUse  Bash  agent:executor\ngit status\n")
    assert '"permissionDecision": "allow"' in done.out


@pytest.mark.parametrize(
    ("tool", "args", "expected"),
    [
        ("Read", ".env", {"file_path": ".env"}),
        ("WebFetch", "https://x.org", {"url": "https://x.org"}),
        ("Skill", "deploy", {"skill": "deploy"}),
        ("mcp__x__y", "z", {"argument": "z"}),
        ("Write", '{"file_path": "a", "content": "b"}', {"file_path": "a", "content": "b"}),
        ("Bash", "[1]", {"command": "[1]"}),
        ("Bash", "{ ls; }", {"command": "{ ls; }"}),
    ],
)
def test_args_are_the_tools_subject_or_its_whole_input(
    command: Command, tool: str, args: str, expected: dict[str, str]
) -> None:
    done = command("simulate", "--tool", tool, "--args", args, "--output", "json")
    assert json.loads(done.out)["event"]["tool_input"] == expected


def test_one_call_as_json(command: Command, policy: Write, home: Path) -> None:
    policy(RULES)
    said = json.loads(command("simulate", "--tool", "Bash", "--args", "git push", "-o", "json").out)
    reason = "hookkit: git push: Bash(git push *) is set to ask."
    assert said["hooks"] == [
        {"hook": "guard", "verdict": "ask", "reason": reason, "problem": None, "ms": 0.5},
        {"hook": "redirect", "verdict": None, "reason": "", "problem": None, "ms": 0.5},
    ]
    source = str(home / ".config" / "hookkit" / "hookkit.toml")
    rule = {"type": "ask", "match": "Bash(git push *)", "source": source, "layer": "user", "result": "match"}
    assert said["rules"] == [rule]
    assert said["reply"]["hookSpecificOutput"]["permissionDecisionReason"] == reason


def test_an_event_comes_by_name_from_a_file_or_from_stdin(command: Command, project: Path) -> None:
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "ship it", "cwd": "/no/such/place"}
    (project / "event.json").write_text(json.dumps(event))
    (project / ".claude" / "commands").mkdir(parents=True)
    (project / ".claude" / "commands" / "ship.md").touch()
    said = [
        command("simulate", "--event", "UserPromptSubmit", "--args", "ship it"),
        command("simulate", "--event", "event.json"),
        command("simulate", "--event", "-", stdin=json.dumps(event)),
    ]
    assert said[0] == said[1] == said[2]
    assert said[0].out.startswith("UserPromptSubmit\nship it\n\nhook   verdict")
    assert '"systemMessage": "hookkit: there is a command for \\"ship\\": /ship"' in said[0].out


def test_the_file_gives_the_event_and_the_options_the_call(command: Command, project: Path) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    (project / "event.json").write_text(json.dumps(event))
    done = command("simulate", "--event", "event.json", "--args", "rm -rf /", "-o", "json")
    assert json.loads(done.out)["event"]["tool_input"] == {"command": "rm -rf /"}


def test_rules_without_a_verdict_are_shown_at_their_moment(command: Command, policy: Write) -> None:
    policy('[[rules]]\ntype = "evidence_capture"\nmatch = "Write|Edit"\n')
    assert "evidence" not in command("simulate", "--tool", "Write", "--args", "a").out
    done = command("simulate", "--event", "PostToolUse", "--tool", "Write", "--args", "a")
    assert "↳ evidence_capture Write|Edit  user\n" in done.out


def test_a_hook_that_fails_is_a_finding(command: Command, policy: Write) -> None:
    policy('[[rules]]\ntype = "command"\nmatch = "Bash"\nrun = "exit 3"\n')
    done = command("simulate", "--tool", "Bash", "--args", "echo $(ls)")
    assert done.code == 1
    assert "guard     error    0.50 ms  HandlerError: exit 3: exited with 3\n" in done.out


def test_what_a_terminal_would_obey_is_only_shown(command: Command, policy: Write) -> None:
    policy(RULES)
    for words in (("simulate", "--tool", "Bash", "--args", "rm -rf \x1b[2J"), ("why", "rm -rf \x1b[2J")):
        done = command(*words)
        assert "\x1b" not in done.out
        assert "rm -rf \\x1b[2J" in done.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "give FILE…, or --tool with --args, or --conformance, or --incidents: one of them\n"),
        (
            ["x.jsonl", "--tool", "Bash"],
            "give FILE…, or --tool with --args, or --conformance, or --incidents: one of them\n",
        ),
        (
            ["--conformance", "--tool", "Bash"],
            "give FILE…, or --tool with --args, or --conformance, or --incidents: one of them\n",
        ),
        (["empty.jsonl"], "there are no rows to play\n"),
        (["empty.jsonl", "--actor", "x"], "--actor goes with --tool: a row names its own actor\n"),
        (["--event", "PreTolUse"], "PreTolUse: No such file or directory. Did you mean PreToolUse?\n"),
        (["--event", "list.json"], "list.json: an event is a JSON object\n"),
        (["--event", "PreToolUse"], "this event is about a tool: give --tool and --args\n"),
        (["--tool", "Bash", "--args", "ls", "--output", "junit"], "this is shown as table, json, not as junit\n"),
    ],
)
def test_bad_usage_is_exit_2(command: Command, project: Path, words: list[str], expected: str) -> None:
    (project / "list.json").write_text("[]")
    (project / "empty.jsonl").write_text("// nothing\n")
    assert command("simulate", *words) == (2, "", f"hookkit: {expected}")


# -- rows ------------------------------------------------------------------------------------------------------------


def test_rows_of_all_forms_are_checked(command: Command, policy: Write, rows: Callable[..., str]) -> None:
    policy(RULES)
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    path = rows(
        {"id": "a call", "tool": "Bash", "args": "rm -rf x", "expect": "deny"},
        {"id": "an input", "tool": "Bash", "args": {"command": "git push"}, "expect": "ask"},
        {"id": "a command", "command": "ls", "expect": "quiet"},
        {"id": "an actor", "command": "git status", "actor": "agent:executor", "expect": "allow"},
        {"id": "nobody in particular", "command": "git status", "expect": "none"},
        {"id": "nobody knows", "command": "$X -rf /", "expect": "unsure"},
        {"id": "nobody knows, so it asks", "command": "$X -rf /", "expect": "ask"},
        {"id": "only shown", "command": "ls"},
        {"id": "a pattern", "pattern": "Bash(rm *)", "tool": "Bash", "arg": "sudo rm x", "match": True},
        {"id": "not a pattern", "pattern": "Bash(rm *)", "tool": "Bash", "arg": "echo rm x", "match": False},
        {"id": "an event", "event": event, "reply": None},
    )
    assert command("simulate", path) == (0, "11 played, 10 checked, 0 failed\n", "")


def test_a_row_plays_where_you_are(hookkit: Run, project: Path, rows: Callable[..., str]) -> None:
    event = {"tool_name": "Bash", "tool_input": {"command": "pytest"}}
    path = rows({"id": "goes through make", "hook": "redirect", "event": event, "reply": None})
    done = hookkit("simulate", path, cwd=project)
    assert (done.returncode, done.stdout.decode()) == (0, "1 played, 1 checked, 0 failed\n")
    (project / "Makefile").write_text("test:\n\ttrue\n")
    done = hookkit("simulate", path, cwd=project)
    assert done.returncode == 1
    assert '"command": "make test"' in done.stdout.decode()


def test_a_mismatch_is_shown_with_its_place(command: Command, policy: Write, rows: Callable[..., str]) -> None:
    policy(RULES)
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}}
    wanted = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}
    path = rows(
        {"id": "passes", "class": "git", "command": "ls", "expect": "none"},
        {"id": "is asked", "class": "git", "command": "git push", "actor": "agent:tester", "expect": "deny"},
        {"id": "is no match", "class": "words", "pattern": "Bash(rm *)", "tool": "Bash", "arg": "ls", "match": True},
        {"id": "replies", "event": event, "reply": wanted},
    )
    assert command("simulate", path) == (
        1,
        """\
✗ is asked rows.jsonl:2
  command  git push
  actor    agent:tester
  - expected deny
  + got      ask
  hookkit: git push: Bash(git push *) is set to ask.
✗ is no match rows.jsonl:3
  pattern  Bash(rm *)
  tool     Bash
  arg      ls
  - expected match
  + got      no match
✗ replies rows.jsonl:4
    {
      "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
  -     "permissionDecision": "deny"
  +     "permissionDecision": "ask",
  +     "permissionDecisionReason": "hookkit: git push: Bash(git push *) is set to ask."
      }
    }
class  played  failed
-           1       1
git         2       1
words       1       1
4 played, 4 checked, 3 failed
""",
        "",
    )


def test_explain_tells_each_row_as_a_story(command: Command, policy: Write, rows: Callable[..., str]) -> None:
    policy(RULES)
    path = rows(
        {"id": "a call", "command": "git push", "expect": "ask"},
        {"id": "a pattern", "pattern": "Bash(rm *)", "tool": "Bash", "arg": "rm x", "match": True},
    )
    assert command("simulate", path, "--explain").out == (
        """\
✓ a call run on PreToolUse
  agent     git push
  verdict   ask
  why       guard: hookkit: git push: Bash(git push *) is set to ask.

✓ a pattern Bash(rm *)
  agent     rm x
  verdict   match

2 played, 2 checked, 0 failed
"""
    )


@pytest.mark.parametrize(
    ("row", "passes"),
    [
        ({"pattern": "Write(.env*)", "tool": "Write", "arg": "safe", "links": {"safe": ".env"}, "match": True}, True),
        ({"pattern": "Write(.env*)", "tool": "Write", "arg": "{project}/a/.env", "match": True}, True),
        ({"pattern": "Write(src/*)", "tool": "Write", "arg": "x.py", "cwd": "src", "match": True}, True),
        ({"pattern": "Write(src/*)", "tool": "Write", "arg": "x.py", "match": True}, False),
        ({"pattern": "Read(~/.ssh/*)", "tool": "Bash", "arg": "cat {home}/.ssh/id", "match": True}, True),
        ({"pattern": "Bash(rm *)", "tool": "Bash", "arg": "$X y", "match": True, "unsure": True}, True),
        ({"pattern": "Bash(rm *)", "tool": "Bash", "arg": "rm y", "match": True, "unsure": True}, True),
        ({"pattern": "Bash(rm *)", "tool": "Bash", "arg": "ls y", "match": True, "unsure": True}, False),
        ({"pattern": "Bash(rm *)", "tool": "Bash", "arg": "$X y", "match": True}, False),
        ({"pattern": "Bash(rm *)", "tool": "Bash", "arg": "$X y", "match": False}, False),
        ({"pattern": "Agent(model:opus)", "tool": "Task", "arg": {"model": "opus"}, "match": True}, True),
        ({"pattern": "Bash(echo {project})", "tool": "Bash", "arg": "echo ${project}", "match": True}, False),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
def test_a_pattern_is_played_in_a_project_of_its_own(row: dict[str, Any], passes: object) -> None:
    (outcome,) = player.play({"id": "x", **row})
    assert outcome.passed is passes


def test_a_row_with_files_brings_its_own_settings(rows: Callable[..., str], command: Command, policy: Write) -> None:
    policy(RULES)
    toml = '[[rules]]\ntype = "deny"\nmatch = "Bash(ls *)"\n'
    path = rows(
        {"id": "here", "command": "ls", "expect": "none"},
        {"id": "there", "command": "ls", "files": {"hookkit.toml": toml}, "expect": "deny"},
        {"id": "nowhere", "command": "git push", "files": {}, "expect": "none"},
    )
    assert command("simulate", path) == (0, "3 played, 3 checked, 0 failed\n", "")


def test_a_hook_that_broke_does_not_pass_for_no_opinion(
    command: Command, policy: Write, rows: Callable[..., str]
) -> None:
    policy('[[rules]]\ntype = "command"\nmatch = "Bash"\nrun = "exit 3"\n')
    done = command("simulate", rows({"id": "quiet", "command": "ls > x", "expect": "none"}))
    assert (done.code, done.out) == (
        1,
        """\
✗ quiet rows.jsonl:1
  command  ls > x
  HandlerError: exit 3: exited with 3
1 played, 1 checked, 1 failed
""",
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[]", "a row is an object"),
        ('{"evnt": {}}', "unknown key evnt: did you mean event?"),
        ('{"event": {}, "expect": "ask"}', "unknown key expect: known are class, cwd, environ, event, "),
        ('{"id": "x"}', "a row needs an event, steps with one each, a command, a tool, or a pattern"),
        ('{"tool": "Bash"}', "a row with tool needs args"),
        ('{"pattern": "Bash", "tool": "Bash"}', "a row with pattern needs arg"),
        ('{"event": 1}', "event is an object"),
        ('{"steps": [{}]}', "each of the steps needs an event"),
        (
            '{"command": "ls", "expect": "maybe"}',
            "expect is one of deny, ask, allow, none, quiet, unsure, stop, not maybe",
        ),
        ('{"command": "ls", "files": {"a": 1}}', "files has names and texts"),
        ('{"event": {}, "hook": "nope"}', "there is no hook nope; there are run, "),
        ('{"pattern": "Bash(", "tool": "Bash", "arg": ""}', "pattern: expected ) at the end: Bash("),
    ],
)
def test_a_bad_row_is_named_with_its_place(command: Command, project: Path, line: str, expected: str) -> None:
    (project / "rows.jsonl").write_text('// a remark\n{"event": {}}\n' + line)
    done = command("simulate", "rows.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"hookkit: rows.jsonl:3: {expected}")


def test_settings_that_cannot_be_read_do_not_let_rows_pass(
    command: Command, project: Path, rows: Callable[..., str]
) -> None:
    path = rows({"id": "x", "command": "ls", "expect": "none"})
    (project / "hookkit.toml").write_text("[policy\n")
    done = command("simulate", path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"hookkit: {project}/hookkit.toml:1:")


def test_trust_holds_in_a_simulation(command: Command, hookkit: Run, project: Path, rows: Callable[..., str]) -> None:
    path = rows({"id": "x", "command": "git status", "expect": "allow"})
    (project / "hookkit.toml").write_text('[[rules]]\ntype = "allow"\nmatch = "Bash(git *)"\n')
    done = command("simulate", path)
    assert done.code == 1
    said = f"hookkit.toml is {trust.untrusted(['allow rules'])}. Read it, then run: hookkit trust"
    assert done.err == f"{said}\n"
    assert hookkit("trust", cwd=project).returncode == 0
    assert command("simulate", path) == (0, "1 played, 1 checked, 0 failed\n", "")


def test_simulate_leaves_no_trace(hookkit: Run, project: Path, home: Path) -> None:
    (project / "LOCAL.md").write_text("note")
    row = {"event": {"hook_event_name": "UserPromptSubmit", "prompt": "hi"}}
    end = {"hook": "learn", "event": {"hook_event_name": "SessionEnd", "reason": "other"}}
    call = {"command": "ls", "expect": "none"}
    (project / "rows.jsonl").write_text("".join(json.dumps(part) + "\n" for part in (row, end, call)))
    before = sorted(path.name for path in project.iterdir())
    assert hookkit("simulate", "rows.jsonl", cwd=project).returncode == 0
    assert hookkit("simulate", "--tool", "Bash", "--args", "ls", cwd=project).returncode == 0
    assert sorted(path.name for path in project.iterdir()) == before
    assert list(home.iterdir()) == []


# -- coverage and reports --------------------------------------------------------------------------------------------


def test_coverage_names_the_rules_that_no_row_exercised(
    command: Command, policy: Write, rows: Callable[..., str]
) -> None:
    policy(RULES)
    path = rows(
        {"id": "a", "command": "git push", "expect": "ask"},
        {"id": "b", "command": "git status", "actor": "agent:executor", "expect": "allow"},
    )
    expected = """\
not exercised
deny           Bash(rm -rf *)  user
deny           Bash(git push *)  actors for agent:executor
2 of 4 rules exercised (50 %){wanted}
2 played, 2 checked, 0 failed
"""
    assert command("simulate", path, "--coverage") == (0, expected.format(wanted=""), "")
    assert command("simulate", path, "--min-coverage", "50").code == 0
    assert command("simulate", path, "--min-coverage", "50.1") == (1, expected.format(wanted=", 50.1 % wanted"), "")


def test_coverage_of_the_rules_that_ship_is_only_counted_if_wanted(command: Command, rows: Callable[..., str]) -> None:
    path = rows({"id": "a", "command": "ls", "expect": "none"})
    done = command("simulate", path, "--coverage")
    assert done == (0, "No rules of your own are in force here: nothing to cover.\n1 played, 1 checked, 0 failed\n", "")
    assert command("simulate", path, "--min-coverage", "1", "--all").code == 1


def test_coverage_sees_events_and_rules_that_change_things(
    command: Command, policy: Write, rows: Callable[..., str]
) -> None:
    policy(
        '[[rules]]\ntype = "modify"\nmatch = "Bash(npm *)"\nfield = "command"\nregex = "^npm "\nwith = "pnpm "\n'
        '[[rules]]\ntype = "deny"\nmatch = "Write(.env*)"\n[[rules]]\ntype = "evidence_capture"\nmatch = "Write"\n'
    )
    call = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": ".env"}}
    path = rows(
        {"id": "a", "command": "npm test", "expect": "none"},
        {"id": "b", "tool": "Write", "args": ".env", "expect": "deny"},
        {"id": "c", "event": {**call, "hook_event_name": "PostToolUse"}, "reply": None},
    )
    done = command("simulate", path, "--min-coverage", "100")
    assert done == (0, "3 of 3 rules exercised (100 %)\n3 played, 3 checked, 0 failed\n", "")


def test_coverage_counts_only_rows_that_pass(command: Command, policy: Write, rows: Callable[..., str]) -> None:
    """A row that expects another verdict, or none at all, proves nothing about a rule."""
    policy('[[rules]]\ntype = "ask"\nmatch = "Bash(git push *)"\n')
    shown = rows({"id": "only shown", "command": "git push x"})
    assert "0 of 1 rules exercised" in command("simulate", shown, "--coverage").out
    wrong = rows({"id": "wrong", "command": "git push x", "expect": "deny"})
    assert "0 of 1 rules exercised" in command("simulate", wrong, "--coverage").out


GATE = """[[rules]]
type = "approval_gate"
match = "Bash(kubectl apply *)"
config = { event = "PreToolUse" }
"""


def test_a_call_plays_every_hook_of_run(
    command: Command, project: Path, rows: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ATTENDED", "1")
    (project / "hookkit.toml").write_text(GATE)
    call = {"tool": "Bash", "args": "kubectl apply -f x.yml"}
    path = rows({"id": "run", **call, "expect": "ask"}, {"id": "guard", **call, "hook": "guard", "expect": "none"})
    assert command("simulate", path) == (0, "2 played, 2 checked, 0 failed\n", "")


def test_a_row_fails_with_a_handler_that_fails(command: Command, policy: Write, rows: Callable[..., str]) -> None:
    """The silence of a check that crashed must not pass for an expected "none"."""
    policy('[[hooks]]\nevent = "PreToolUse"\nname = "check"\n[hooks.command]\ncommand = "exit 3"\n')
    done = command("simulate", rows({"id": "x", "command": "make x", "expect": "none"}))
    assert (done.code, "exited with 3" in done.out) == (1, True)


def test_trusted_plays_as_if_the_project_were_trusted(
    command: Command, hookkit: Run, project: Path, home: Path, rows: Callable[..., str]
) -> None:
    """A runner of CI is nobody's machine: the same rows pass there, and no pin is left behind."""
    (project / "hookkit.toml").write_text(
        '[[rules]]\ntype = "allow"\nmatch = "Bash(git *)"\n'
        '[[hooks]]\nevent = "PreToolUse"\nmatcher = "Write"\n[hooks.command]\ncommand = "sh check.sh"\n'
    )
    (project / "check.sh").write_text("echo no >&2; exit 2\n")
    path = rows(
        {"id": "allowed", "command": "git status", "expect": "allow"},
        {"id": "handler", "tool": "Write", "args": "x.txt", "expect": "deny"},
    )
    assert command("simulate", path).code == 1
    assert command("simulate", path, "--trusted", "--min-coverage", "100") == (
        0, "1 of 1 rules exercised (100 %)\n2 played, 2 checked, 0 failed\n", "",
    )  # fmt: skip
    assert not (home / ".local" / "state" / "hookkit" / "trust.json").exists()
    one = hookkit("simulate", "--tool", "Bash", "--args", "git status", "--trusted", "-o", "json", cwd=project)
    assert json.loads(one.stdout)["reply"]["hookSpecificOutput"]["permissionDecision"] == "allow"


@pytest.fixture
def mixed(policy: Write, rows: Callable[..., str]) -> str:
    policy(RULES)
    return rows(
        {"id": "is asked", "class": "git", "command": "git push", "expect": "ask"},
        {"id": "50 %, or: less", "class": "git", "command": "git push", "expect": "deny"},
    )


def test_rows_as_json(command: Command, mixed: str) -> None:
    said = json.loads(command("simulate", mixed, "-o", "json", "--coverage").out)
    why = "hookkit: git push: Bash(git push *) is set to ask."
    row = {"class": "git", "got": "ask", "why": why, "problems": [], "ms": 2.5}
    assert said["rows"] == [
        {"id": "is asked", "place": "rows.jsonl:1", "passed": True, "expected": "ask", **row},
        {"id": "50 %, or: less", "place": "rows.jsonl:2", "passed": False, "expected": "deny", **row},
    ]
    assert {key: said[key] for key in ("played", "checked", "failed", "classes")} == {
        "played": 2, "checked": 2, "failed": 1, "classes": {"git": {"played": 2, "failed": 1}}}  # fmt: skip
    assert (said["coverage"]["rules"], said["coverage"]["percent"]) == (4, 25.0)
    assert [rule["match"] for rule in said["coverage"]["missing"]] == [
        "Bash(rm -rf *)",
        "Bash(git push *)",
        "Bash(git *)",
    ]


def test_rows_for_github(command: Command, mixed: str) -> None:
    done = command("simulate", mixed, "-o", "github", "--min-coverage", "90")
    said = "- expected deny%0A+ got      ask%0Ahookkit: git push: Bash(git push *) is set to ask."
    assert done.code == 1
    assert done.out.split("\n") == [
        f"::error file=rows.jsonl,line=2,title=50 %25%2C or%3A less::{said}",
        "::error title=coverage::1 of 4 rules exercised (25 %25), 90 %25 wanted",
        "",
    ]


def test_rows_as_junit(command: Command, mixed: str) -> None:
    done = command("simulate", mixed, "-o", "junit", "--min-coverage", "90")
    suites = ET.fromstring(done.out.encode())
    found = [
        (case.get("classname"), case.get("name"), [part.text for part in case]) for case in suites.iter("testcase")
    ]
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    assert found == [
        ("git", "is asked", []),
        ("git", "50 %, or: less", ["- expected deny\n+ got      ask"]),
        (None, "coverage", [None]),
    ]


def test_a_progress_bar_is_for_long_files_on_a_terminal(
    command: Command, mixed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = command("simulate", mixed)
    monkeypatch.setattr(_console, "PATIENCE", -1)
    assert command("simulate", mixed) == plain
    monkeypatch.setattr(_console, "is_terminal", lambda _=None: True)
    assert command("simulate", mixed) == plain
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "playing" in command("simulate", mixed).err


def test_the_conformance_rows_are_found_in_the_package_and_in_a_clone(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(conformance()) > 500
    package = tmp_path / "installed" / "hookkit"
    (package / "conformance").mkdir(parents=True)
    row = {"id": "the policy that ships", "command": "rm -rf /", "expect": "deny"}
    (package / "conformance" / "a.jsonl").write_text(json.dumps(row))
    monkeypatch.setattr(hookkit, "__file__", str(package / "__init__.py"))
    assert command("simulate", "--conformance") == (0, "1 played, 1 checked, 0 failed\n", "")
    monkeypatch.setattr(hookkit, "__file__", str(tmp_path / "elsewhere" / "__init__.py"))
    assert command("simulate", "--conformance") == (2, "", "hookkit: the conformance rows are not installed\n")


def test_the_example_project_answers_as_it_says(hookkit: Run) -> None:
    shop = Path(__file__).parents[2] / "examples" / "shop"
    done = hookkit("simulate", "events.jsonl", "--explain", cwd=shop)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().endswith(" 0 failed\n")


@pytest.mark.parametrize("name", ["/tmp/hookkit-escaped", "../../../../tmp/hookkit-escaped"])
def test_a_row_furnishes_nothing_outside_its_own_project(hookkit: Run, project: Path, name: str) -> None:
    (project / "rows.jsonl").write_text(json.dumps({"files": {name: "x"}, "event": {"prompt": "hi"}}))
    done = hookkit("simulate", "rows.jsonl", cwd=project)
    assert done.returncode == 2
    assert "is not in the row's own project" in done.stderr.decode()
    assert not Path("/tmp/hookkit-escaped").exists()


def test_above_the_temporary_directory_nothing_else_is_said(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """State inside the project would be refused, so the rows keep theirs elsewhere."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    done = command("simulate", "--tool", "Bash", "--args", "ls", "--output", "json")
    assert (done.code, "XDG_STATE_HOME" in done.out + done.err) == (0, False)
    assert list(tmp_path.glob("hookkit-*")) == []


def test_a_misspelt_tool_in_a_row_is_named(command: Command, rows: Callable[..., str]) -> None:
    """Such a row passes although nothing was tried: no rule is about such a tool."""
    call, pattern = (
        {"tool": "Bsh", "args": "rm -rf /", "expect": "none"},
        {"pattern": "Raed(x)", "tool": "Read", "arg": "x"},
    )
    done = command("simulate", rows(call, pattern, {"tool": "MyOwn", "args": "x", "expect": "none"}))
    assert done.code == 0
    assert done.err.splitlines() == [
        "hookkit: rows.jsonl:1: there is no tool Bsh: did you mean Bash?",
        "hookkit: rows.jsonl:2: there is no tool Raed: did you mean Read?",
    ]
    assert list(filter(None, map(misspelt, conformance()))) == []


def test_a_rule_that_is_stricter_than_the_shipped_ones_stops_an_incident_too(project: Path) -> None:
    """The book asks whether a call is stopped, not by which verdict."""
    (project / "hookkit.toml").write_text('[[rules]]\ntype = "deny"\nmatch = "Bash(git clean *)"\n')
    words = [HOOKKIT, "simulate", "--incidents", "--output", "json"]
    done = subprocess.run(words, cwd=project, capture_output=True, check=True)
    rows = json.loads(done.stdout)["rows"]
    cleaned = next(row for row in rows if "#45974" in row["id"])
    assert (cleaned["got"], cleaned["passed"]) == ("deny", True)
    assert all(row["passed"] for row in rows)
