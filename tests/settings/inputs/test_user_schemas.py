"""The `schemas` setting: read, merged over the layers, followed when a file changes, tamed where it is a stranger's."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from hookkit.pipeline import Invocation
from hookkit.settings import compiling
from hookkit.settings.checks.rules import review
from hookkit.settings.formats import hookkit_toml
from hookkit.settings.inputs import user_schemas
from hookkit.system import files
from tests.conftest import Run
from tests.settings.formats import mutations
from tests.settings.test_settings import load, toml, user_file

SEND = {"type": "object", "properties": {"to": {"type": "string", "minLength": 3}}, "required": ["to"]}
TABLE = "[schemas.mcp__s__send.properties.to]\ntype = 'string'\nminLength = 3\n"
WRONG = "The input of mcp__s__send is wrong:\n- to: expected at least 3 characters, found 1"


def said(directory: Path, tool_input: Any, tool: str = "mcp__s__send") -> Any:
    """What the guard answers a call of the tool, as text; nothing if it has no opinion."""
    event = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": tool_input, "cwd": str(directory)}
    reply = Invocation("guard", [], dict(os.environ)).answer(json.dumps({**event, "session_id": "s"}).encode())
    own = json.loads(reply or "{}").get("hookSpecificOutput", {})
    return own.get("permissionDecisionReason")


def problems(directory: Path, text: str) -> list[str]:
    path = directory / "hookkit.toml"
    found = review([hookkit_toml.examine(str(path), text)], together=False)
    return [str(each).removeprefix(f"{path}:") for each in found]


def test_a_schema_stands_in_the_settings_or_in_a_file_below_them(home: Path, project: Path) -> None:
    path = user_file(home, "[schemas]\nmcp__s__send = 'tools/send.json'\n[schemas.T]\nrequired = ['x']\n")
    file = path.parent / "tools" / "send.json"
    file.parent.mkdir()
    file.write_text(json.dumps(SEND))
    assert load(project)["schemas"] == {
        "T": [{"schema": {"required": ["x"], "type": "object"}}],
        "mcp__s__send": [{"schema": SEND, "file": str(file), "stamp": files.stamp(str(file))}],
    }
    assert said(project, {"to": "x"}) == f'{WRONG}\nAn input that would pass: {{"to":"text"}}'
    assert said(project, {"to": "xyz"}) is None


def test_a_change_of_the_file_counts_at_the_next_call(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = user_file(home, "[schemas]\nmcp__s__send = 'send.json'\n")
    (path.parent / "send.json").write_text(json.dumps(SEND))
    assert said(project, {}) is not None
    compiled = compiling.compile_layers
    monkeypatch.setattr(compiling, "compile_layers", lambda *_: pytest.fail("compiled again"))
    assert said(project, {}) is not None
    monkeypatch.setattr(compiling, "compile_layers", compiled)
    (path.parent / "send.json").write_text(json.dumps({**SEND, "required": []}))
    assert said(project, {}) is None


def test_a_mended_file_of_a_project_counts_at_the_next_call(project: Path) -> None:
    (project / "hookkit.toml").write_text("[schemas]\nmcp__s__send = 'send.json'\n")
    missing = "schemas: mcp__s__send: send.json: No such file or directory"
    assert load(project).broken == [f"{project}/hookkit.toml:2:1: {missing}; this schema is ignored"]
    (project / "send.json").write_text(json.dumps(SEND))
    assert load(project).broken == []
    assert said(project, {}) is not None
    (project / "send.json").write_text("{")
    assert len(load(project).broken) == 1


def test_all_layers_hold_and_a_project_does_not_replace_the_users(home: Path, project: Path) -> None:
    user_file(home, TABLE)
    (project / "hookkit.toml").write_text("[schemas.mcp__s__send.properties.to]\nmaxLength = 1\n")
    example = "An input that would pass"
    assert example not in said(project, {"to": "x"})
    assert said(project, {"to": "x"}) == WRONG
    assert said(project, {"to": "four"}) == (
        "The schemas of this project, which nobody has trusted, refuse the input of mcp__s__send:\n- to: maxLength"
    )


def test_a_schema_comes_on_top_of_what_ships(home: Path, project: Path) -> None:
    user_file(home, "[schemas.Write.properties.content]\nmaxLength = 5\n")
    assert said(project, {"file_path": "a", "content": "x" * 6}, "Write") == (
        "The input of Write is wrong:\n- content: expected at most 5 characters, found 6\n"
        'An input that would pass: {"content":"text","file_path":"/home/me/app/notes.txt"}'
    )
    assert said(project, {"file_path": "a", "content": "x" * 5}, "Write") is None
    assert "file_path: expected text, found a number" in said(project, {"file_path": 1, "content": ""}, "Write")


@pytest.mark.parametrize("trusted", [False, True])
def test_a_strangers_regular_expression_waits_for_trust(project: Path, hookkit: Run, trusted: bool) -> None:  # noqa: FBT001
    (project / "hookkit.toml").write_text(TABLE + "pattern = '^[a-z]+$'\n")
    if trusted:
        assert hookkit("trust", cwd=project).returncode == 0
    assert [*load(project).untrusted] == ([] if trusted else [str(project / "hookkit.toml")])
    assert (said(project, {"to": "ABC"}) is not None) == trusted
    assert said(project, {"to": "a"}) is not None


def test_trust_is_not_in_a_file_that_is_named(project: Path, hookkit: Run) -> None:
    """Its content is not pinned, so what it may ask for is bounded for ever."""
    (project / "hookkit.toml").write_text("[schemas]\nmcp__s__send = 'send.json'\n")
    (project / "send.json").write_text(
        json.dumps({**SEND, "properties": {"to": {"pattern": "(a+)+$", "minLength": 3}}})
    )
    assert [*load(project).untrusted] == []
    assert hookkit("trust", cwd=project).returncode == 0
    assert said(project, {"to": "a" * 40 + "!"}) is None
    assert said(project, {"to": "a"}) is not None


def test_a_stranger_cannot_switch_the_check_off(home: Path, project: Path) -> None:
    (project / "hookkit.toml").write_text("[guard]\nschemas = false\n")
    assert said(project, {"command": 5}, "Bash") is not None
    user_file(home, "[guard]\nschemas = false\n")
    assert said(project, {"command": 5}, "Bash") is None


def test_a_mistake_in_ones_own_schema_costs_this_schema_alone(home: Path, project: Path) -> None:
    path = user_file(home, "[schemas.T.properties.a]\ntype = 'strng'\n" + TABLE)
    (said_of_it,) = load(project).broken
    assert said_of_it.startswith(f"{path}:1:1: schemas: T: properties.a.type: expected one of null, boolean")
    assert said_of_it.endswith("did you mean string?; this schema is ignored")
    assert said(project, {"to": "x"}) is not None


FILES = {
    "list.json": "[1]", "text.json": '"x"', "half.json": '{"type":\n  }', "kind.json": '{"type": "strng"}',
    "binary.json": "\udcff", "deep.json": "[" * 100_000, "big.json": '{"title": "' + "x" * (1 << 18) + '"}',
}  # fmt: skip
KINDS = "null, boolean, string, integer, number, array, object"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("schemas = 5\n", "1:1: schemas: expected tools, each with a table or the name of a JSON file"),
        ("[schemas]\nT = 5\n", "2:1: schemas: T: expected tools, each with a table or the name of a JSON file"),
        ("[schemas]\nT = 'none.json'\n", "2:1: schemas: T: none.json: No such file or directory"),
        ("[schemas]\nT = ''\n", "2:1: schemas: T: : not a file"),
        ("[schemas]\nT = '.'\n", "2:1: schemas: T: .: not a file"),
        ('[schemas]\nT = "a\\u0000b"\n', "2:1: schemas: T: a\0b: not a file"),
        ("[schemas]\nT = '../x.json'\n", "2:1: schemas: T: ../x.json: leads out of {directory}"),
        ("[schemas]\nT = '/etc/passwd'\n", "2:1: schemas: T: /etc/passwd: leads out of {directory}"),
        ("[schemas]\nT = 'link.json'\n", "2:1: schemas: T: link.json: leads out of {directory}"),
        ("[schemas]\nT = 'pipe.json'\n", "2:1: schemas: T: pipe.json: not a file"),
        ("[schemas]\nT = 'list.json'\n", "2:1: schemas: T: list.json: expected an object, not a list"),
        ("[schemas]\nT = 'text.json'\n", "2:1: schemas: T: text.json: expected an object, not 'x'"),
        ("[schemas]\nT = 'half.json'\n",
         "2:1: schemas: T: half.json: not JSON: Expecting value at line 2, column 3"),
        ("[schemas]\nT = 'binary.json'\n", "2:1: schemas: T: binary.json: not JSON"),
        ("[schemas]\nT = 'deep.json'\n", "2:1: schemas: T: deep.json: not JSON"),
        ("[schemas]\nT = 'big.json'\n", "2:1: schemas: T: big.json: more than 262,144 bytes of schemas"),
        ("[schemas]\nT = 'kind.json'\n",
         f"2:1: schemas: T: kind.json: type: expected one of {KINDS}, not 'strng'; did you mean string?"),
        ("[schemas.T]\nrequird = ['a']\n", "1:1: schemas: T: requird: unknown keyword; did you mean required?"),
        ("[schemas.T.properties.a]\ndefault = 2026-01-31\n",
         "1:1: schemas: T: properties.a.default: expected a value, not datetime.date(2026, 1, 31)"),
        ("[schemas.T.properties.a]\nmaximum = inf\n",
         "1:1: schemas: T: properties.a.maximum: expected a number, not inf"),
        ("schemas = {" + ", ".join(f"t{number} = {{}}" for number in range(201)) + "}\n",
         "1:1: schemas: more than 200 tools"),
    ],
    ids=lambda value: value.rpartition("schemas: ")[2][:40],
)  # fmt: skip
def test_validate_names_what_is_wrong_with_a_schema(tmp_path: Path, text: str, expected: str) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    (tmp_path / "link.json").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe.json")
    assert problems(tmp_path, text) == [expected.replace("{directory}", str(tmp_path))]


def test_all_the_files_of_one_settings_file_share_the_room(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"title": "x" * (1 << 17)}))
    assert problems(tmp_path, "[schemas]\nA = 'a.json'\nB = 'b.json'\n") == [
        "3:1: schemas: B: b.json: more than 262,144 bytes of schemas"
    ]


def test_validate_finds_the_mistake_and_exits_with_1(project: Path, hookkit: Run) -> None:
    (project / "hookkit.toml").write_text("[schemas.T]\ntype = 'string'\n")
    done = hookkit("validate", "hookkit.toml", cwd=project)
    assert (done.returncode, done.stdout.decode()) == (
        1, "hookkit.toml:1:1 schemas: T: type: expected object: the input of a tool is one\n",
    )  # fmt: skip


DOCUMENT = {
    "schemas": {
        "T": {
            "properties": {
                "a": {"type": "string", "pattern": "x"},
                "b": {"anyOf": [{"$ref": "#/$defs/c"}, {"enum": [1]}]},
            },
            "required": ["a"],
            "$defs": {"c": {"items": {"minimum": 1}, "additionalProperties": False}},
        },
        "U": "none.json",
    },
    "guard": {"schemas": True},
}


@tuned(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_in_any_place_is_no_crash(data: st.DataObject) -> None:
    paths = [path for path in mutations.places(DOCUMENT) if path]
    value = data.draw(mutations.values)
    name = data.draw(st.none() | st.sampled_from(["proprties", "$ref", "oneOf", "not"]))
    changed = mutations.put(DOCUMENT, data.draw(st.sampled_from(paths)), value, name)
    text = "\n".join(f"{name} = {toml(item)}" for name, item in changed.items())
    report = hookkit_toml.examine("f", text)
    assert all(each.line >= 1 for each in review([report], together=True))
    kept = report.values.get("schemas", {})
    assert json.loads(json.dumps(kept)) == kept
    tame = user_schemas.read(changed.get("schemas"), "", tables=False, in_files=False)[0]
    assert not user_schemas.has_patterns([row["schema"] for rows in tame.values() for row in rows])
