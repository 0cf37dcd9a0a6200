"""cocode's hooks: every field, handler and matcher of its own document, and what its loader would skip."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.settings.documents.finding import Finding
from hookkit.settings.formats import cocode
from tests.settings.formats import mutations
from tests.settings.test_settings import toml

EXAMPLE = (Path(__file__).parents[3] / "examples" / "policies" / "hooks.toml").read_text()
ROW = '[[hooks]]\nevent = "PreToolUse"\n'
SHELL = '[hooks.shell]\ncommand = "x"\n'
NOTHING = "3:16 error: hooks[0]: tool_matcher: the matcher matches nothing"
LIST = "one of shell, command, prompt, agent, webhook, inline, as [hooks.shell]"


def said(text: str) -> list[str]:
    return [line(each) for each in cocode.examine("f", text).findings]


def line(each: Finding) -> str:
    return f"{each.line}:{each.column} {each.severity}: {each.message} ({each.fix})"


def test_the_example_is_right() -> None:
    assert said(EXAMPLE) == []


@pytest.mark.parametrize("matcher", ["", "*", "Bash", "Bash*", "Write|Edit", "^Bash.*", "mcp__.*", "mine"])
def test_every_kind_of_matcher_is_taken(matcher: str) -> None:
    assert said(f"{ROW}tool_matcher = {json.dumps(matcher)}\n{SHELL}") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("disable_all_hook = true\n",
         ["1:1 error: hooks.toml: unknown field disable_all_hook (did you mean disable_all_hooks?)"]),
        ("allow_managed_hooks_only = 1\n",
         ["1:28 error: hooks.toml: allow_managed_hooks_only: expected true or false, not 1 ()"]),
        ("[hooks]\n", ["1:1 error: hooks: expected a list, not a table ()"]),
        ("hooks = [5]\n", ["1:10 error: hooks[0]: expected a table, not 5 ()"]),
        ('[[hooks]]\nevent = "PreToolUs"\n' + SHELL,
         ["2:9 error: hooks[0]: event: unknown 'PreToolUs' (did you mean PreToolUse?)"]),
        ("[[hooks]]\n" + SHELL, ["1:1 error: hooks[0]: missing event ()"]),
        (ROW, [f"1:1 error: hooks[0]: expected one handler, not none: the hook is skipped ({LIST})"]),
        (ROW + SHELL + '[hooks.webhook]\nurl = "https://x"\n',
         [f"1:1 error: hooks[0]: expected one handler, not shell and webhook: the hook is skipped ({LIST})"]),
        (ROW + '[hooks.shell]\ncomand = "x"\n',
         ["4:1 error: hooks[0]: shell: unknown field comand (did you mean command?)",
          "3:1 error: hooks[0]: shell: missing command ()"]),
        (ROW + "[hooks.inline]\n",
         ["3:1 error: hooks[0]: inline is a function of a program and does not work in a file (use shell)"]),
        (ROW + '[hooks.webhook]\nurl = "x"\nmethod = "POST"\nheaders = {A = 1}\n',
         ["6:16 error: hooks[0]: webhook: headers: expected text, not 1 ()",
          "5:10 error: hooks[0]: webhook: method: unknown 'POST' (did you mean Post?)",
          "4:7 error: hooks[0]: webhook: url: expected http:// or https://, not x ()"]),
        (ROW + '[hooks.agent]\nprompt = ""\ntimeout = 0\n',
         ["4:10 error: hooks[0]: agent: prompt: expected text, not '' ()",
          "5:11 error: hooks[0]: agent: timeout: expected a whole number above 0, not 0 ()"]),
        (ROW + "timeout_sec = 60000\n" + SHELL,
         ["3:15 warning: hooks[0]: timeout_sec: 60000 seconds is over ten minutes (write seconds, not milliseconds)"]),
        (ROW + 'scope = "policy"\n' + SHELL,
         ["3:9 error: hooks[0]: scope: unknown 'policy' (did you mean Policy?)"]),
        (ROW + 'once = "yes"\n' + SHELL, ["3:8 error: hooks[0]: once: expected true or false, not 'yes' ()"]),
        (ROW + 'tool_matcher = "bash"\n' + SHELL,
         ["3:16 error: hooks[0]: tool_matcher: no tool has the name 'bash' (did you mean Bash?)"]),
        (ROW + 'tool_matcher = "Write | Edit"\n' + SHELL,
         ["3:16 error: hooks[0]: tool_matcher: no tool has the name 'Write ' (did you mean Write?)",
          "3:16 error: hooks[0]: tool_matcher: no tool has the name ' Edit' (did you mean Edit?)"]),
        (ROW + 'tool_matcher = "^*"\n' + SHELL,
         [f"{NOTHING}: not a regular expression: nothing to repeat at position 1 ()"]),
        (ROW + 'tool_matcher = "^(?!Bash)"\n' + SHELL,
         [f"{NOTHING}: Rust has no look-around and no back references: (?! ()"]),
        ('[[hooks]]\nevent = "SessionStart"\ntool_matcher = "Bash"\n' + SHELL,
         ["3:16 warning: hooks[0]: tool_matcher: SessionStart has no tool to match (remove the matcher)"]),
        ("a = = 1\n", ["1:5 error: not TOML: expected a value; a text needs quotes ()"]),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_a_matcher_that_is_taken_by_its_letters_is_explained() -> None:
    way = "begin a regular expression with ^ and use no |; put a star at the end"
    names = ["^Bash", "^Write"]
    assert said(f'{ROW}tool_matcher = "^Bash|^Write"\n{SHELL}') == [
        f"3:16 error: hooks[0]: tool_matcher: {name} counts as a plain name here, and no tool has this name ({way})"
        for name in names
    ]


@pytest.mark.parametrize(
    ("hooks", "expected"),
    [
        ({"PreToolUse": [{"matcher": "Bash", "command": "x"}]}, []),
        ({"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}, []),
        ({"PreTooluse": []}, ["1:12 error: hooks: unknown event PreTooluse (did you mean PreToolUse?)"]),
        ({"Stop": [{"matcher": ""}]}, ["1:21 error: hooks.Stop[0]: missing command ()"]),
        ({"Stop": [{"hooks": [{"type": "webhok", "url": "https://x"}]}]},
         ["1:41 error: hooks.Stop[0].hooks[0]: type: unknown 'webhok' (did you mean webhook?)"]),
        ({"Stop": 5}, ["1:20 error: hooks.Stop: expected a list, not 5 ()"]),
    ],
)  # fmt: skip
def test_the_same_as_json(hooks: dict[str, object], expected: list[str]) -> None:
    assert said(json.dumps({"hooks": hooks})) == expected


DOCUMENT = {
    "disable_all_hooks": False,
    "hooks": [
        {"event": "PreToolUse", "tool_matcher": "Bash*", "timeout_sec": 5, "shell": {"command": "x"}},
        {"event": "Stop", "webhook": {"url": "https://x", "method": "Put", "headers": {"a": "b"}}},
    ],
}


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_any_value_in_any_place_is_no_crash(data: st.DataObject) -> None:
    paths = [path for path in mutations.places(DOCUMENT) if path]
    value = data.draw(mutations.values)
    changed = mutations.put(DOCUMENT, data.draw(st.sampled_from(paths)), value, data.draw(st.none() | st.just("evnt")))
    is_json = data.draw(st.booleans())
    text = json.dumps(changed) if is_json else "\n".join(f"{name} = {toml(item)}" for name, item in changed.items())
    assert all(each.line >= 1 and each.column >= 1 for each in cocode.examine("f", text).findings)
