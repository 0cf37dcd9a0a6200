"""hookkit.toml: what the schema says, with the place of each character of a pattern."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.policy.rules import TYPES
from hookkit.settings.checks.rules import review
from hookkit.settings.formats import hookkit_toml
from hookkit.settings.keys import BY_NAME
from tests.conftest import Run
from tests.settings.formats import mutations
from tests.settings.test_settings import toml

RULE = '[[rules]]\ntype = "deny"\n'


def said(text: str) -> list[str]:
    found = review([hookkit_toml.examine("f", text)], together=False)
    return [f"{each.severity} {each}" for each in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RULE + 'match = "Bash(rm -rf *"\n',
         ["error f:3:23: rules: match: expected ) at the end: Bash(rm -rf * (did you mean Bash(rm -rf *)?)"]),
        ('[actors.a]\ndeny = ["Bash(ls)",\n  "Write(x"]\n',
         ["error f:3:11: actors: a.deny: expected ) at the end: Write(x (did you mean Write(x)?)"]),
        (RULE + 'match = ["Bash(ls)",\n  "Write(x"]\n',
         ["error f:4:11: rules: match: expected ) at the end: Write(x (did you mean Write(x)?)"]),
        (RULE + 'match = ["Bash(ls)",\n  "Bsh(rm *)", "Bash(ls)"]\n',
         ["error f:4:4: there is no tool Bsh (did you mean Bash?)",
          "warning f:4:16: deny Bash(ls) is already written in line 3 (remove one of them)"]),
        (RULE + "match = 'Bsh(rm *)'\n", ["error f:3:10: there is no tool Bsh (did you mean Bash?)"]),
        (RULE + 'match = "Bash(rm)"\n' + RULE + 'match = "Bash(rm)"\n',
         ["warning f:6:9: deny Bash(rm) is already written in line 3 (remove one of them)"]),
        ('[[rules]]\ntype = "denny"\nmatch = "Bash"\n',
         [f"error f:2:1: rules: type: expected one of {', '.join(TYPES)}, not 'denny' (did you mean deny?)"]),
        (RULE + 'match = "Bash(x)"\nreson = "y"\n',
         ["error f:4:1: rules: unknown field reson (did you mean reason?)"]),
        ('[[rules]]\ntype = "modify"\nmatch = "Bash"\nfield = "command"\nregex = "*"\nwith = ""\n',
         ["error f:5:9: rules: regex: not a regular expression: nothing to repeat at position 0"]),
        (RULE + 'match = "Bash(x)"\nunless = ["Bash(x"]\n',
         ["error f:4:18: rules: unless: expected ) at the end: Bash(x (did you mean Bash(x)?)"]),
        ("[redirect]\nargments = 'auto'\n",
         ["error f:2:1: unknown setting redirect.argments (did you mean redirect.arguments?)"]),
        ("[rules\n", ["error f:1:7: not TOML: Expected ']' at the end of a table declaration"]),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(text: str, expected: list[str]) -> None:
    assert said(text) == expected


DOCUMENT = {
    "rules": [
        {"type": "deny", "match": "Bash(rm *)", "actors": ["a"]},
        {"type": "ask", "match": ["Bash(a)", "Write(b)"]},
        {"type": "modify", "match": "Bash", "field": "command", "regex": "x", "with": "y"},
    ],
    "actors": {"a": {"allow": ["Bash(ls)"], "deny": ["Write(x)"]}},
    "wrappers": [{"name": "x", "operands": 1}],
}


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_any_value_in_any_place_is_no_crash(data: st.DataObject) -> None:
    paths = [path for path in mutations.places(DOCUMENT) if path]
    value = data.draw(mutations.values)
    changed = mutations.put(DOCUMENT, data.draw(st.sampled_from(paths)), value, data.draw(st.none() | st.just("mtach")))
    report = hookkit_toml.examine("f", "\n".join(f"{name} = {toml(item)}" for name, item in changed.items()))
    assert set(report.values) <= set(BY_NAME)
    assert all(each.line >= 1 and each.column >= 1 for each in review([report], together=True))


def test_a_large_file_of_a_project_is_ignored_without_trust(project: Path, hookkit: Run) -> None:
    text = "".join(f"{RULE}match = 'Read(*{number})'\n" for number in range(501))
    path = project / "hookkit.toml"
    path.write_text(text)
    (found,) = hookkit_toml.examine(str(path), text).findings
    said = "more than 500 patterns, too many for a file without trust: hookkit ignores it"
    assert (found.severity, found.message, found.fix) == ("warning", said, "run hookkit trust")
    assert hookkit("trust", cwd=project).returncode == 0
    assert hookkit_toml.examine(str(path), text).findings == []
    assert hookkit_toml.examine("policy.toml", text).findings == []


@pytest.mark.parametrize("name", ["base = false", "off = ['delete.home']"])
def test_a_project_cannot_switch_shipped_rules_off(project: Path, home: Path, name: str) -> None:
    own = home / ".config" / "hookkit" / "hookkit.toml"
    text = f"[policy]\n{name}\n"
    assert hookkit_toml.examine(str(own), text).findings == []
    (found,) = hookkit_toml.examine(str(project / "hookkit.toml"), text).findings
    assert found.message.endswith("only your own or the managed settings can switch shipped rules off")
