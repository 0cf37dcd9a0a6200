"""hookkit why: what would run, what the rules say of it, which one decides."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.cli._why import Why, line_of
from hookkit.model import Event
from hookkit.policy.judge import Judge
from hookkit.policy.rules import compile_rules
from hookkit.settings import pause
from tests.cli.conftest import Command

Write = Callable[..., None]
RULES = """
[[rules]]
type = "deny"
match = "Bash(rm -rf *)"
reason = "Not here."

[[rules]]
type = "ask"
match = "Bash(sudo *)"

[[rules]]
type = "deny"
match = "Write(.env*)"
"""


def test_the_tree_shows_what_each_command_was_unwrapped_from(command: Command, policy: Write, project: Path) -> None:
    policy(RULES)
    assert command("why", "cd x && sudo sh -c 'rm -fr \"a b\"; ls' | tee .env") == (
        0,
        """\
Bash cd x && sudo sh -c 'rm -fr "a b"; ls' | tee .env
├── cd x
├── sudo sh -c 'rm -fr "a b"; ls'  in x
│   matches ask Bash(sudo *)  user
│   └── sh -c 'rm -fr "a b"; ls'
│       ├── rm -fr 'a b'
│       │   deletes x/a b
│       │   decides deny Bash(rm -rf *)  user
│       └── ls
└── | tee .env
    writes x/.env
    matches deny Write(.env*)  user

Checked 3 of 3 rules, all from user.
╭─ deny ───────────────────────────────────────────────────────────────────────────────────────────╮
│ hookkit: rm -fr a b: Not here.                                                                   │
│ rule  Bash(rm -rf *)  user                                                                       │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
""",
        "",
    )


def test_no_rule_no_opinion(command: Command, policy: Write) -> None:
    policy("")
    assert command("why", "ls").out == (
        """\
Bash ls
└── ls

Checked none of 0 rules: no rule matches such a call.
╭─ lets it pass ───────────────────────────────────────────────────────────────────────────────────╮
│ No rule decides: the client follows its own rules.                                               │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
"""
    )


LINE = 'git push origin main --tags && for f in *.txt; do sudo env A=1 rm -r "$f" | tee log; done; $CMD x; foo rm -rf y'


@pytest.mark.parametrize("columns", [80, 120])
def test_it_fits_the_terminal(command: Command, columns: int, monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = command("why", LINE, "--all")
    assert max(len(line) for line in done.out.split("\n")) <= columns
    assert "cannot analyse: the name of the program is computed" in done.out


@pytest.mark.parametrize(
    ("match", "line", "expected"),
    [
        ("Bash(git push --force *)", "git push origin", "it has no --force"),
        ("Bash(rm -rf *)", "rm -r x", "it has no -f"),
        ("Bash(rm -rf *)", "rm x", "it has no -rf"),
        ("Bash(git push --force *)", "git pull --force", "it says pull, not push"),
        ("Bash(git push --force *)", "git pull", None),
        ("Bash(npm run deploy)", "npm run deploy now", "it says more, and the pattern does not end in ' *'"),
        ("Bash(npm run deploy)", "npm run", "it has no deploy"),
        ("Bash(npm run:*)", "npm test", "it says test, not run"),
        ("Bash(aws * delete-* *)", "aws s3 list", "no word of it matches delete-*"),
        ("Bash(curl * | sh)", "curl x | cat", "no sh in its pipeline"),
        ("Bash(* --force)", "git push", None),
        ("Bash(gitk *)", "git status", None),
        ("Write(.env*)", "cat .env", "it is about Write, and this reads the file"),
        ("Read(.env*)", "echo x > .env", "it is about Read, and this writes the file"),
        ("Write(.env*)", "cat other", None),
    ],
)
def test_a_rule_that_nearly_matched_says_what_is_missing(
    command: Command, policy: Write, match: str, line: str, expected: str | None
) -> None:
    policy(f"[[rules]]\ntype = 'deny'\nmatch = '{match}'\n")
    said = json.loads(command("why", "-o", "json", line).out)
    notes = [rule["note"] for node in said["calls"][0]["commands"] for rule in node["rules"] if rule["how"] == "nearly"]
    assert (said["verdict"], notes[:1]) == (None, [expected] if expected else [])


def test_few_near_misses_are_shown_unless_all_are_wanted(command: Command, policy: Write) -> None:
    options = ("--force", "--mirror", "--delete", "--prune", "--tags")
    policy("".join(f"[[rules]]\ntype = 'ask'\nmatch = 'Bash(git push {option} *)'\n" for option in options))
    assert command("why", "git push").out.split("\n\n")[0] == (
        """\
Bash git push
└── git push
    almost ask Bash(git push --force *)  user: it has no --force
    almost ask Bash(git push --mirror *)  user: it has no --mirror
    almost ask Bash(git push --delete *)  user: it has no --delete
    almost     2 more (--all shows them)"""
    )
    assert command("why", "--all", "git push").out.count("almost") == 5


def test_an_exception_that_spares_a_call_is_named(command: Command, policy: Write) -> None:
    policy("[[rules]]\ntype = 'deny'\nmatch = 'Bash(deploy *)'\nunless = ['Bash(* --now *)', 'Bash(* --dry-run *)']\n")
    assert "    almost deny Bash(deploy *)  user: its exception Bash(* --dry-run *) applies\n" in (
        command("why", "deploy --dry-run").out
    )
    assert "    decides deny Bash(deploy *)  user\n" in command("why", "deploy").out
    policy("[[rules]]\ntype = 'ask'\nmatch = 'Delete(*)'\nunless = ['Delete(/var/tmp/*)', 'Delete(./out/*)']\n")
    assert "user: its exception Delete(/var/tmp/*) applies" in command("why", "rm -rf /var/tmp/x").out
    either = "its exception Delete(/var/tmp/*) or Delete(./out/*) applies"
    assert either in " ".join(command("why", "rm -rf /var/tmp/x out/y").out.split())
    assert "decides ask Delete(*)  user\n" in command("why", "rm -rf /var/tmp/x src/y").out
    policy("[[rules]]\ntype = 'deny'\nmatch = 'Read(*.pem)'\nunless = ['Read(public*)']\n")
    assert "\nalmost deny Read(*.pem)  user: its exception Read(public*) applies\n" in (
        command("why", "Read", "public.pem").out
    )


def test_a_pause_is_told_beside_the_answer(command: Command) -> None:
    pause.begin(dict(os.environ), 60)
    shown = command("why", "rm -rf ~").out
    assert "hookkit is paused until " in shown
    assert "[delete.home]" in shown, "the answer without the pause"


def test_who_asks_counts_and_others_rules_are_near(command: Command, policy: Write) -> None:
    policy('[actors."agent:executor"]\nallow = ["Bash(git *)"]\n')
    assert "    almost allow Bash(git *)  actors for agent:executor: another actor's\n" in command("why", "git log").out
    done = command("why", "git log && git status", "--actor", "agent:executor")
    assert done.out.split("\n\n")[0] == (
        """\
Bash git log && git status  agent:executor
├── git log
│   decides allow Bash(git *)  actors for agent:executor
└── git status
    decides allow Bash(git *)  actors for agent:executor"""
    )
    done = command("why", "git log && ls", "--actor", "agent:executor")
    assert done.out.split("\n\n")[0].endswith("└── ls\n    no rule allows it")


def test_what_cannot_be_told_is_said(command: Command, policy: Write) -> None:
    policy(RULES)
    assert command("why", "foo rm -rf x; $Y").out.split("\n\n")[0] == (
        """\
Bash foo rm -rf x; $Y
├── foo rm -rf x
└── …
    cannot analyse: the name of the program is computed"""
    )
    assert "unsure deny Bash(rm -rf *)  user: foo is not known, and may run the" in command("why", "foo rm -rf x").out
    done = command("why", 'rm "')
    assert done.out.startswith('Bash rm "\ncannot analyse: unclosed " at character')


def test_what_a_rule_changes_is_judged_again(command: Command, policy: Write) -> None:
    policy(
        '[[rules]]\ntype = "modify"\nmatch = "Bash(npm *)"\nfield = "command"\nregex = "^npm "\nwith = "pnpm "\n'
        '[[rules]]\ntype = "ask"\nmatch = "Bash(pnpm *)"\n'
    )
    assert command("why", "npm test").out == (
        """\
Bash npm test
└── npm test

Changed by a rule of type modify, and judged again:
Bash pnpm test
└── pnpm test
    decides ask Bash(pnpm *)  user

Checked 1 of 2 rules, all from user.
╭─ ask ────────────────────────────────────────────────────────────────────────────────────────────╮
│ hookkit: pnpm test: Bash(pnpm *) is set to ask.                                                  │
│ runs  pnpm test                                                                                  │
│ rule  Bash(pnpm *)  user                                                                         │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
"""
    )


def test_a_program_of_the_users_own_is_named_and_not_run(command: Command, policy: Write, project: Path) -> None:
    policy('[[rules]]\ntype = "command"\nmatch = "Bash"\nrun = "touch ran"\n')
    assert "Asked next, and not run here: touch ran  Bash  user\n" in command("why", "ls").out
    assert not (project / "ran").exists()


def test_another_tool_has_no_tree(command: Command, policy: Write) -> None:
    policy(RULES)
    assert command("why", "--tool", "Write", ".env").out.startswith("Write .env\ndecides deny Write(.env*)  user\n\n")
    done = command("why", "--tool", "Edit", ".env")
    assert done.out.startswith("Edit .env\ndecides deny Write(.env*)  user\n\n")


def test_layers_are_named_and_what_is_not_in_force_is_said(command: Command, policy: Write, project: Path) -> None:
    policy(RULES)
    rules = '[[rules]]\ntype = "ask"\nmatch = "Bash(rm *)"\n[[rules]]\ntype = "allow"\nmatch = "Bash"\n'
    (project / "hookkit.toml").write_text(rules)
    (project / "hookkit.local.toml").write_text("[rules\n")
    out = command("why", "rm -rf x").out
    assert "    matches ask  Bash(rm *)  project\n    decides deny Bash(rm -rf *)  user\n" in out
    assert "Checked 2 of 4 rules, 1 from project, 1 from user.\n" in out
    assert "hookkit.toml is not trusted: its deny and ask rules, approval gates and limits apply, but not allow" in out
    assert "ignored " in out


def test_it_speaks_json(command: Command, policy: Write, home: Path, project: Path) -> None:
    policy(RULES)
    said = json.loads(command("why", "sudo rm -rf x", "--output", "json").out)
    source = {"source": str(home / ".config" / "hookkit" / "hookkit.toml"), "layer": "user"}
    denied = {"type": "deny", "match": "Bash(rm -rf *)", "reason": "Not here.", **source}
    asked = {"type": "ask", "match": "Bash(sudo *)", **source}
    node: dict[str, Any] = {"directory": str(project), "doubt": None}
    inner = {
        **node,
        "command": "rm -rf x",
        "via": ["sudo"],
        "files": [{"effect": "Delete", "path": str(project / "x")}],
        "rules": [{"how": "decides", "note": None, **denied}],
        "commands": [],
    }
    outer = {
        **node,
        "command": "sudo rm -rf x",
        "via": [],
        "files": [],
        "rules": [{"how": "matches", "note": None, **asked}],
        "commands": [inner],
    }
    answer = {"verdict": "deny", "reason": "hookkit: rm -rf x: Not here."}
    call = {
        "tool": "Bash",
        "input": {"command": "sudo rm -rf x"},
        "actor": "",
        **answer,
        "unsure": None,
        "rule": denied,
        "command": "rm -rf x",
        "doubts": [],
        "rules": [],
        "commands": [outer],
    }
    hooks = [{name: hook[name] for name in ("hook", "verdict", "reason")} for hook in said.pop("hooks")]
    assert hooks == [{"hook": "guard", **answer}, {"hook": "redirect", "verdict": None, "reason": ""}]
    assert said == {**answer, "runs": None, "stopped": [], "mode": "default", "calls": [call]}


def test_settings_with_a_mistake_are_named_beside_the_answer(command: Command, home: Path) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[policy\n")
    done = command("why", "ls")
    assert done.code == 0
    assert f"ignored {path}:1:" in done.out


SHIPPED = [
    "rm -rf /", "sudo rm -rf ~", "git push --force", "curl x | sh", "cat ~/.ssh/id_rsa", "echo x > /etc/passwd", "ls",
    "git reset --hard && npm publish", "cd / && rm -rf *", "find / -delete",
]  # fmt: skip


@pytest.mark.parametrize("line", SHIPPED)
def test_what_it_says_is_what_the_engine_says(line: str, tmp_path: Path) -> None:
    """One rule decides, at the command that the engine itself blames; without a verdict none does."""
    judge = Judge(compile_rules({}), {"HOME": str(tmp_path)})
    event = Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": line}, "cwd": str(tmp_path)})
    why = Why(judge, event)
    verdict = judge.verdict(event)
    nodes = list(why.nodes)
    for node in nodes:
        nodes += node.nodes
    decides = [(line_of(node.command), said.rule) for node in nodes for said in node.notes if said.how == "decides"]
    assert why.decision.verdict == verdict.verdict
    assert decides == ([(line_of(verdict.command), verdict.rule)] if verdict.command and not verdict.unsure else [])


def test_a_long_line_is_cut_but_not_the_command_that_decides(command: Command, policy: Write) -> None:
    policy(RULES)
    out = command("why", ";".join(["ls x"] * 900) + "; rm -rf z").out
    assert out.count("ls x") < 500
    assert "└── … 701 more commands\n" in out
    assert "└── … 701" in out.split("decides deny Bash(rm -rf *)  user")[1]


def test_a_redirect_is_part_of_the_answer(command: Command, project: Path) -> None:
    """The same as hookkit run: the new line is judged too, and approved only if the Makefile is trusted."""
    (project / "Makefile").write_text("test:\n\ttrue\n")
    why = ("why", "pytest -q", "-o", "json")
    answer = json.loads(command(*why).out)
    assert (answer["verdict"], answer["runs"], len(answer["calls"])) == ("ask", "make test", 2)
    shown = " ".join(command("why", "pytest -q").out.split())
    assert "hookkit does not approve it: Makefile is not trusted." in shown
    assert "command becomes: make test to the model: hookkit changed" in shown
    assert command("trust").code == 0
    answer = json.loads(command(*why).out)
    assert (answer["verdict"], answer["reason"]) == ("allow", "Redirected: test")
    assert "Changed by redirect, and judged again:\nBash make test" in command("why", "pytest -q").out


def test_the_answer_is_that_of_the_mode_that_applies(command: Command, project: Path, home: Path) -> None:
    """In auto mode the client asks nobody, so an untrusted Makefile does not run."""
    (project / "Makefile").write_text("test:\n\ttrue\n")
    left = 'hookkit left "pytest -q" as it is.'
    assert f"in auto mode {left}" in " ".join(command("why", "pytest -q").out.replace("│", "").split())
    assert json.loads(command("why", "--mode", "auto", "-o", "json", "pytest -q").out)["runs"] is None
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"permissions": {"defaultMode": "auto"}}')
    answer = json.loads(command("why", "-o", "json", "pytest -q").out)
    assert (answer["mode"], answer["runs"]) == ("auto", None)
    assert command("why", "--mode", "often", "ls").code == 2


@pytest.mark.parametrize("line", ["mkdir x", "curl -T a https://example.org", "touch a; rm a; cat a"])
def test_every_effect_has_a_word(command: Command, line: str) -> None:
    assert command("why", line).code == 0
