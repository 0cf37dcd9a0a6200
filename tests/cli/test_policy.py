"""hookkit policy: what ships, what is in force, who may do what."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hookkit.policy import base
from hookkit.policy.judge import Verdict
from hookkit.policy.rules import spread
from hookkit.settings.reading import TomlFile
from tests.cli.conftest import Command
from tests.policy.test_base import ROWS, judge
from tests.settings.test_settings import load

Write = Callable[..., None]
RULES = """
[[rules]]
type = "ask"
match = ["Bash(git push *)", "Bash(git tag *)"]
reason = "Others see it."
instead = "git push --dry-run"

[[rules]]
type = "modify"
match = "Bash(npm *)"
field = "command"
regex = "^npm "
with = "pnpm "

[actors."agent:executor"]
allow = ["Bash(git *)", "Write(src/*)"]
deny = ["Write(.env*)"]
"""

UNLESS = ["Bash(git * -h *)", "Bash(git * --version *)", "Bash(* -n *)", "Bash(* --help *)", "Bash(* --dry-run *)"]


def test_base_is_a_settings_file_that_means_the_same(command: Command) -> None:
    done = command("policy", "base")
    file = TomlFile("hookkit.toml", done.out)
    values, problems = file.values, file.findings
    assert (done.code, problems, values["policy.base"]) == (0, [], False)
    assert [rule for row in values["rules"] for rule in spread(row)] == base.RULES


def test_a_copy_of_base_gives_the_same_verdicts(command: Command, home: Path, project: Path) -> None:
    own = home / ".config" / "hookkit" / "hookkit.toml"
    own.parent.mkdir(parents=True)
    own.write_text(command("policy", "base").out)
    policy = load(project).policy
    assert {rule["source"] for rule in policy["rules"]} == {str(own)}
    copied = [judge(row["command"], policy=policy) for row in ROWS]
    shipped = [judge(row["command"]) for row in ROWS]
    assert [_told(verdict) for verdict in copied] == [_told(verdict) for verdict in shipped]


def _told(verdict: Verdict) -> tuple[str | None, str, str]:
    return verdict.verdict, verdict.rule.get("name", "") if verdict.rule else "", verdict.reason


def test_base_is_listed_by_name(command: Command) -> None:
    rows = command("policy", "base", "-o", "table").out.splitlines()
    assert rows[0].split() == ["name", "patterns", "reason"]
    assert "git.clean                        ask   1         This deletes files that git does not track and" in rows
    said = json.loads(command("policy", "base", "-o", "json").out)
    names = [each["name"] for each in said]
    assert len(names) == len(set(names))
    assert said[names.index("git.clean")] == {
        "name": "git.clean",
        "type": "ask",
        "reason": "This deletes files that git does not track and cannot bring back.",
        "patterns": [{"match": "Bash(git clean -f *)", "instead": "git clean -n", "unless": UNLESS}],
    }


def test_show_has_every_rule_by_layer(command: Command, policy: Write, project: Path) -> None:
    policy(RULES)
    (project / "hookkit.toml").write_text('[[rules]]\ntype = "deny"\nmatch = "Bash(rm *)"\n')
    assert command("policy", "show") == (
        0,
        """\
project hookkit.toml
  deny  Bash(rm *)

user ~/.config/hookkit/hookkit.toml
  ask     Bash(git push *)  Others see it. Instead: git push --dry-run
          Bash(git tag *)
  modify  Bash(npm *)       command: ^npm  → pnpm

actors
  deny   Write(.env*)  for agent:executor
  allow  Bash(git *)   for agent:executor
         Write(src/*)

5 rules with 7 patterns; default = "none".
""",
        "",
    )
    said = json.loads(command("policy", "show", "-o", "json").out)
    assert [rule["layer"] for rule in said["rules"]] == ["project", *["user"] * 2, *["actors"] * 2]
    assert [rule["match"] for rule in said["rules"]] == [
        "Bash(rm *)",
        ["Bash(git push *)", "Bash(git tag *)"],
        "Bash(npm *)",
        "Write(.env*)",
        ["Bash(git *)", "Write(src/*)"],
    ]


def test_actors_shows_who_may_do_what(command: Command, policy: Write) -> None:
    policy(RULES, 'base = false\nactor = "agent:executor"')
    assert command("policy", "actors") == (
        0,
        """\
everyone
  ask     Bash(git push *)
          Bash(git tag *)
  modify  Bash(npm *)

agent:executor unless the call names another
  deny   Write(.env*)
  allow  Bash(git *)
         Write(src/*)

0 built-in rules apply to everyone: hookkit policy show
""",
        "",
    )
    said = json.loads(command("policy", "actors", "-o", "json").out)
    assert said["agent:executor"] == {"deny": ["Write(.env*)"], "allow": ["Bash(git *)", "Write(src/*)"]}


@pytest.mark.parametrize("name", ["show", "actors"])
def test_settings_with_a_mistake_are_named_above_the_policy_in_force(command: Command, home: Path, name: str) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[policy\n")
    done = command("policy", name)
    assert done.code == 0
    assert done.out.startswith(f"ignored {path}:1:")


@pytest.mark.parametrize("name", ["base", "show", "actors"])
def test_each_has_help_with_an_example(command: Command, name: str) -> None:
    assert f"Example: hookkit policy {name}" in command("policy", name, "--help").out


def test_alone_it_says_what_there_is(command: Command) -> None:
    done = command("policy")
    assert done.code == 0
    assert "Example: hookkit policy show" in done.out
