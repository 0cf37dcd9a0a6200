"""Forms of settings files that other tools share with hookkit: what is theirs stays."""

import json
from pathlib import Path

import pytest

from hookkit.agents.wiring.settings_files import AGENTS
from hookkit.errors import ConfigError
from tests.agents.doctor.breaks import wire

THEIRS = {
    "agy": '{\n  "lint": {"PreToolUse": [{"matcher": "run_command", "hooks": [{"command": "lint.sh"}]}]}\n}\n',
    "hermes": "# mine\nmodel: x  # note\nplatforms:\n  - cli\n",
}


@pytest.mark.parametrize("name", THEIRS)
def test_settings_of_others_stay_and_come_back(name: str, home: Path, project: Path) -> None:
    agent = AGENTS[name]
    path = Path(agent.home({"HOME": str(home)})) / agent.module.CONFIG[0][1]
    path.parent.mkdir(parents=True)
    path.write_text(THEIRS[name])
    wire(project, "user", name)
    rows = agent.entries(str(path), path.read_text())
    assert {row.event for row in rows if row.is_ours} == set(agent.module.WIRED)
    assert [row.command for row in rows if not row.is_ours] == (["lint.sh"] if name == "agy" else [])
    assert agent.strip(str(path), path.read_text()).split() == THEIRS[name].split()


def test_antigravity_gets_the_keys_that_it_knows_and_no_other(home: Path, project: Path) -> None:
    """One unknown key, and agy ignores the whole file."""
    value = json.loads(Path(wire(project, "user", "agy")).read_text())
    [group], [handler] = value["hookkit"]["PreToolUse"], value["hookkit"]["Stop"]
    assert (value.keys(), value["hookkit"].keys()) == ({"hookkit"}, {"PreToolUse", "Stop"})
    assert (group.keys(), group["matcher"]) == ({"matcher", "hooks"}, ".*")
    assert handler.keys() == group["hooks"][0].keys() == {"type", "command", "timeout"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("hermes", "hooks:\n  pre_tool_call:\n    - command: mine.sh\n", "add these lines to it yourself"),
        ("hermes", "a: [\n", "not YAML"),
        ("hermes", "- a\n", "expected a table"),
        ("kiro", '{"version": "v1", "hooks": [{"trigger": "Stop", "action": {"command": "x"}}]}', "not from hookkit"),
        ("kiro", "[]", "expected a table with a list `hooks`"),
        ("agy", "[]", "expected a table"),
    ],
)
def test_a_file_that_hookkit_cannot_change_is_named(name: str, text: str, said: str, home: Path, project: Path) -> None:
    agent = AGENTS[name]
    path = Path(agent.home({"HOME": str(home)})) / agent.module.CONFIG[0][1]
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        wire(project, "user", name)
    assert path.read_text() == text
