"""init and uninit on settings files of many shapes: equal but for our entries, and byte for byte back again."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookkit.agents import claude
from hookkit.agents.wiring import change, json_forms, settings_files
from hookkit.agents.wiring.launcher import Launcher, Wanted
from hookkit.errors import ConfigError
from hookkit.settings.documents.json_text import JsonEditor
from tests.settings.documents.test_json_text import BLANK, COMMENT

LAUNCHER = Launcher("/opt/hookkit", "/opt/python")
EVENTS = ["PreToolUse", "Stop", "SessionEnd"]
SCRIPT = "/opt/hookkit/hook"
WANTED = [Wanted(event, SCRIPT, 30, ["run"], shell=False) for event in EVENTS]
THEIRS = st.sampled_from(["lint.sh", "echo hookkit run", "prettier --write", "hookkit-like run"])
handlers = st.fixed_dictionaries(
    {"type": st.just("command"), "command": THEIRS}, optional={"timeout": st.integers(1, 9)}
)
rows = st.fixed_dictionaries(
    {"hooks": st.lists(handlers, max_size=2)}, optional={"matcher": st.sampled_from(["", "Bash"])}
)
hooks = st.dictionaries(st.sampled_from([*EVENTS, "Notification"]), st.lists(rows, max_size=2), max_size=3)
others: st.SearchStrategy[Any] = st.dictionaries(
    st.sampled_from(["model", "permissions", "env", "é"]), st.text(max_size=3) | st.just({}), max_size=3
)
wholes = st.builds(
    lambda other, ours: {**other, **({"hooks": ours} if ours is not None else {})}, others, st.none() | hooks
)


@st.composite
def files(draw: st.DrawFn) -> tuple[str, Any]:
    """A settings file in some layout: as tools write it, as people write it, with comments."""
    value = draw(wholes)
    style = draw(st.sampled_from(["2", "4", "tab", "compact", "gaps"]))
    if style == "gaps":
        text = "".join(f"{line}{draw(BLANK | COMMENT)}\n" for line in json.dumps(value, indent=1).splitlines())
    else:
        indent: Any = {"2": 2, "4": 4, "tab": "\t", "compact": None}[style]
        text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text + draw(st.sampled_from(["", "\n"])), value


@settings(max_examples=150, deadline=None)
@given(files())
def test_only_our_entries_are_added(file: tuple[str, Any]) -> None:
    """Every other value stays, in its order; a second run changes nothing; strip takes out just ours."""
    text, old = file
    new = json_forms.wire_groups(claude, "s.json", text, WANTED)
    value = JsonEditor("s.json", new, comments=True).plain()
    for wanted in WANTED:
        assert value["hooks"][wanted.event][-1] == {"hooks": [json_forms.handler(wanted)]}
        before = old.get("hooks", {}).get(wanted.event, [])
        assert value["hooks"][wanted.event][:-1] == before
    assert {**value, "hooks": None} == {**old, "hooks": None}
    assert [name for name in value if name in old] == [*old]
    assert json_forms.wire_groups(claude, "s.json", new, WANTED) == new
    back = JsonEditor("s.json", json_forms.strip_groups(claude, "s.json", new, text), comments=True).plain()
    assert back == old


def wire(place: settings_files.SettingsPlace, options: change.Options, environ: dict[str, str]) -> None:
    [one] = change.to_wire(place, options)
    change.apply(one, environ)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=files())
def test_uninit_gives_back_the_very_bytes(file: tuple[str, Any], tmp_path: Path) -> None:
    data = file[0].replace("\n", "\r\n").encode() if len(file[0]) % 2 else file[0].encode()
    environ = {"HOME": str(tmp_path / "home")}
    place = settings_files.place(settings_files.AGENTS["claude"], "user", "", environ)
    assert place
    path = Path(place.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    options = change.Options(LAUNCHER, SCRIPT)
    try:
        wire(place, options, environ)
    except ConfigError:  # comments: Claude Code would not read this file
        assert path.read_bytes() == data
        return
    wire(place, change.Options(LAUNCHER, "/new/hookkit/hook"), environ)
    assert b"/opt/hookkit" not in path.read_bytes()
    [back] = change.to_unwire(place, environ)
    change.revert(back, environ)
    assert path.read_bytes() == data


def test_an_older_entry_is_brought_up_to_date_where_it_stands() -> None:
    old = {"type": "command", "command": "hookkit run", "timeout": 7}
    text = json.dumps({"hooks": {"Stop": [{"matcher": "x", "hooks": [old]}]}})
    new = json.loads(json_forms.wire_groups(claude, "s", text, WANTED[1:2]))
    [row] = new["hooks"]["Stop"]
    assert row == {
        "matcher": "x",
        "hooks": [{"type": "command", "command": SCRIPT, "args": ["run"], "timeout": 7}],
    }


def test_a_line_of_an_older_version_becomes_the_short_one_and_keeps_the_persons_own_fields() -> None:
    line = "[ -x /v/python ] && [ -x /v/hookkit ] && exec /v/python -ES /v/hookkit run; exit 0"
    old = {"type": "command", "command": line, "timeout": 7, "statusMessage": "checking"}
    new = json.loads(
        json_forms.wire_groups(claude, "s", json.dumps({"hooks": {"Stop": [{"hooks": [old]}]}}), WANTED[1:2])
    )
    [row] = new["hooks"]["Stop"][0]["hooks"]
    assert row == {"type": "command", "command": SCRIPT, "args": ["run"], "timeout": 7, "statusMessage": "checking"}


def test_a_closed_call_is_blocked_even_without_the_launcher() -> None:
    """Claude Code lets a call pass if the program of a hook is missing, unless onFailure says otherwise."""
    wanted = Wanted("PreToolUse", SCRIPT, 30, ["run", "--on-error", "deny"], shell=False, blocks=True)
    assert json_forms.handler(wanted)["onFailure"] == "block"


def test_a_second_entry_of_ours_is_removed() -> None:
    two = [{"hooks": [{"type": "command", "command": f"hookkit {name}"}]} for name in ("guard", "run")]
    new = json.loads(json_forms.wire_groups(claude, "s", json.dumps({"hooks": {"PreToolUse": two}}), WANTED[:1]))
    assert [row["hooks"][0]["command"] for row in new["hooks"]["PreToolUse"]] == [WANTED[0].command]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "s:1:1: expected a table"),
        ('{"hooks": []}', "s:1:11: hooks: expected a table"),
        ('{"hooks": {"Stop": {}}}', "s:1:20: hooks.Stop: expected a list"),
        ('{"a": 1, "a": 2}', "s:1:10: 'a' stands here twice (keep one)"),
        ("{", "s:1:2: not JSON: the text ends too early"),
    ],
)
def test_a_file_that_cannot_take_hooks_is_refused_with_the_place(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        json_forms.wire_groups(claude, "s", text, WANTED)
    assert str(error.value) == said


def test_an_empty_file_counts_as_no_content() -> None:
    assert json.loads(json_forms.wire_groups(claude, "s", " \n", WANTED)) == json_forms.fresh(WANTED)


@st.composite
def other_files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A settings file of another agent, with hooks of others and settings of its own."""
    agent = draw(st.sampled_from(["codex", "gemini", "qwen", "droid", "copilot", "cursor", "kimi", "vibe", "cocode"]))
    if agent in ("kimi", "vibe", "cocode"):
        names = st.text("abc_", min_size=1, max_size=3)
        keys = draw(st.dictionaries(names, st.integers() | st.booleans() | st.text("é#[]", max_size=3), max_size=3))
        text = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}  # {key}\n" for key, value in keys.items())
        theirs = draw(st.integers(0, 2))
        text += '\n[[hooks]]\nevent = "Stop"\ntype = "post_agent"\ncommand = "beep"\n' * theirs
        text += draw(st.sampled_from(["", "\n", "\n[z_later]\nx = [1,\n 2]\n", "# end"]))
    elif agent in ("copilot", "cursor"):
        flat = draw(
            st.dictionaries(st.sampled_from(["stop", "preToolUse", "x"]), st.lists(handlers, max_size=2), max_size=3)
        )
        text = json.dumps({"version": 1, **draw(others), "hooks": flat}, indent=draw(st.sampled_from([None, 2, 4])))
    else:
        text = draw(files())[0]
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return agent, text.replace("\n", newline).encode()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=other_files())
def test_uninit_of_every_agent_gives_back_the_very_bytes(file: tuple[str, bytes], tmp_path: Path) -> None:
    """A second init changes nothing; uninit gives back the file as it was."""
    agent, data = file
    environ = {"HOME": str(tmp_path / "home")}
    place = settings_files.place(settings_files.AGENTS[agent], "user", "", environ)
    assert place
    path = Path(place.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    wire(place, change.Options(LAUNCHER, SCRIPT), environ)
    wired = path.read_bytes()
    wire(place, change.Options(LAUNCHER, SCRIPT), environ)
    assert path.read_bytes() == wired
    [back] = change.to_unwire(place, environ)
    change.revert(back, environ)
    assert path.read_bytes() == data
