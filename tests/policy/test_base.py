"""The shipped policy: every rule has a name, a plain reason, a row it stops and a row it leaves alone."""

import json
from pathlib import Path

import pytest

from hookkit.policy import base
from hookkit.policy.base import RULES
from hookkit.policy.call import Call
from hookkit.policy.judge import Verdict, decide
from hookkit.policy.rules import compile_rules, dumps, loads, unknown_names
from hookkit.programs.words import EMPTY, TOP
from hookkit.settings.reading import TomlFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Policy

ROWS = [json.loads(line) for line in (Path(__file__).parents[1] / "cases/policy/base.jsonl").read_text().splitlines()]
NAMED = [row for row in ROWS if "." in row["class"]]
PROJECT = "/home/dev/work/app"
NAMES = list(dict.fromkeys(row["name"] for row in RULES))
POLICY = compile_rules({})
OF_TOOLS = ("secrets.send-token",)  # an effect of MCP and web tools: no command has it


def judge(command: str, policy: "Policy" = POLICY) -> Verdict:
    call = Call("Bash", {"command": command}, cwd=PROJECT, project=PROJECT, home="/home/dev")
    return decide(policy, call, "")


def test_the_rule_that_decides_is_the_one_that_the_row_names() -> None:
    wrong = []
    for row in NAMED:
        verdict = judge(row["command"])
        expected = ("quiet", "") if row["expect"] == "quiet" else (row["expect"], row["class"])
        said = (verdict.verdict or "quiet", verdict.rule.get("name", "") if verdict.rule else "")
        wrong += [(row["command"], said, expected)] if said != expected else []
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_a_command_that_it_stops_and_a_twin_that_it_leaves_alone(name: str) -> None:
    has_both = {row["expect"] == "quiet" for row in NAMED if row["class"] == name} == {True, False}
    assert has_both or name in OF_TOOLS, f"{name} needs a stopped and a quiet row in tests/cases/policy/base.jsonl"


@pytest.mark.parametrize("name", NAMES)
def test_one_name_has_one_verdict_and_one_plain_reason(name: str) -> None:
    said = {(row["type"], row["reason"]) for row in RULES if row["name"] == name}
    (_, reason) = said.pop()
    assert said == set()
    assert reason.startswith("This ")
    assert reason.endswith(".")


def test_names_are_a_group_and_what_happens() -> None:
    parts = [name.split(".") for name in NAMES]
    assert all(
        len(pair) == 2 and all(part.replace("-", "").isalnum() and part.islower() for part in pair) for pair in parts
    )


@pytest.mark.parametrize(
    ("off", "command", "verdict"),
    [
        (["git.clean"], "git clean -fd", None),
        (["git.clean"], "git reset --hard", "ask"),
        (["git.*"], "git reset --hard", None),
        (["git.*"], "sudo ls", "ask"),
        (["git"], "git clean -fd", "ask"),
        (["delete.*"], "rm -rf ~", None),
    ],
)
def test_a_name_or_a_group_is_switched_off(off: list[str], command: str, verdict: str | None) -> None:
    assert judge(command, policy=compile_rules({"policy.off": off})).verdict == verdict


def test_every_file_has_its_place_in_the_order() -> None:
    files = [path.stem for path in Path(base.__file__).parent.glob("*.toml")]
    assert sorted(base.FILES) == sorted(files)
    assert base.FILES[-1] == "general"


def test_words_of_the_shell_are_written_out_as_the_shell_has_them() -> None:
    patterns = {name: [row["match"] for row in RULES if row["name"] == name] for name in NAMES}
    assert patterns["delete.unset-variable"] == [f"Delete({EMPTY})"]
    assert patterns["delete.system"] == [f"Delete(/{name})" for name in TOP]


@pytest.mark.parametrize("name", base.FILES)
def test_a_file_is_a_hookkit_toml_without_a_mistake(name: str) -> None:
    file = TomlFile(f"{name}.toml", base.text(name))
    assert [str(finding) for finding in file.findings] == []
    assert [*file.values] == ["rules"]
    assert base.text(name).startswith("# ")


def test_only_shipped_rules_are_switched_off() -> None:
    own = {"type": "deny", "match": "Bash(git clean *)", "name": "git.clean"}
    assert judge("git clean -fd", policy=compile_rules({"rules": [own], "policy.off": ["git.clean"]})).verdict == "deny"


def test_a_name_that_no_rule_has_is_found() -> None:
    assert unknown_names(["git.clean", "git.*", "git.claen", "git", "nothing.*", "*"]) == [
        "git.claen", "git", "nothing.*", "*",
    ]  # fmt: skip


def test_rules_are_the_same_after_a_snapshot() -> None:
    rows = [{"type": "approval_gate", "config": {"event": "Stop"}}, *POLICY["rules"]]
    kept = loads(dumps({**POLICY, "rules": rows}).encode())["rules"]
    assert (len(kept), list(kept)) == (len(rows), rows)
    assert kept[5] is kept[5]


def test_other_tools_meet_the_same_rules() -> None:
    asked: dict[str, dict[str, object]] = {
        "WebFetch": {"url": "http://169.254.169.254/latest/"},
        "Read": {"file_path": f"{PROJECT}/.env"},
    }
    for tool, given in asked.items():
        call = Call(tool, given, cwd=PROJECT, project=PROJECT, home="/home/dev")
        assert decide(POLICY, call, "").verdict == "ask"
