"""The effects of tools: shipped rows, names of fields, and the person's own rows."""

from hookkit.policy.call import Call
from hookkit.policy.judge import decide
from hookkit.policy.rules import compile_rules
from hookkit.policy.tools import effects

ROWS = [
    {"name": "mcp__deploy__*", "runs": ["steps.do"], "writes": ["to"], "sends": ["file"], "ignores": ["path"]},
    {"name": "Read", "deletes": ["also"]},
]


def test_a_persons_row_says_what_a_tool_does() -> None:
    given: dict[str, object] = {"steps": [{"do": "ls"}, {"do": ["rm", "x"]}], "to": "a", "file": "b", "path": "c"}
    found = effects("mcp__deploy__go", given, ROWS)
    assert found == [("Either", "b"), ("Run", "ls"), ("Run", "'rm' 'x'"), ("Write", "a"), ("Send", "b")]


def test_a_persons_row_adds_to_a_shipped_row() -> None:
    assert effects("Read", {"file_path": "a", "also": "b"}, ROWS) == [("Read", "a"), ("Delete", "b")]


def test_a_tool_without_a_row_is_read_by_the_names_of_its_fields() -> None:
    assert effects("mcp__x__go", {"command": "ls", "path": "c"}) == [("Run", "ls"), ("Either", "c")]


def test_rules_bind_to_a_persons_row() -> None:
    policy = compile_rules({"tools": ROWS})
    call = Call(
        "mcp__deploy__go",
        {"steps": [{"do": "rm -rf ~"}]},
        cwd="/p",
        project="/p",
        home="/home/u",
        tools=policy["tools"],
    )
    assert decide(policy, call, "").verdict == "deny"
