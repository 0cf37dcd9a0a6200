"""scripts/newest-agents and scripts/install-agents: what is pinned is what docs/agents.md calls tried."""

import importlib.machinery
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from hookkit import registry
from tests.realagents.agents import AGENTS

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("newest_agents", str(SCRIPTS / "newest-agents"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_pinned_release_of_every_agent_is_the_tried_one(script: ModuleType) -> None:
    pinned = {pin.name: pin.version for pin in script.pins()}
    tried = {name: registry.find("agents", name).TRIED for name in registry.names("agents")}
    assert pinned == {name: version for name, version in tried.items() if version}


def test_every_agent_of_the_scenarios_is_installed_by_default() -> None:
    text = (SCRIPTS / "install-agents").read_text()
    [names] = re.findall(r'^all="(.*)"', text, re.MULTILINE)
    assert sorted(names.split()) == sorted(agent.name for agent in AGENTS)


def test_a_new_field_and_a_lost_event_are_printed(script: ModuleType) -> None:
    seen = '{"event": "{\\"hookName\\": \\"tool_call\\", \\"taskId\\": 1}"}\nnot JSON\n'
    assert script.shapes(seen) == {"tool_call": {"hookName", "taskId"}}
    assert script.differences({"Stop": {"a"}, "Start": {"b"}}, {"Stop": {"a", "c"}, "reply schema": {"d"}}) == [
        "- event Start", "+ event reply schema", "+ Stop.c",
    ]  # fmt: skip
    assert script.differences({"Stop": {"a"}}, {"Stop": {"a"}}) == []


def test_a_raised_pin_changes_the_script_and_the_agents_module(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("install-agents", "install-client"):
        (tmp_path / "scripts").mkdir(exist_ok=True)
        (tmp_path / "scripts" / name).write_text((SCRIPTS / name).read_text())
    for name in ("claude", "codex"):
        (tmp_path / "hookkit" / "agents" / name).mkdir(parents=True)
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "AGENTS", tmp_path / "scripts" / "install-agents")
    monkeypatch.setattr(script, "CLIENT", tmp_path / "scripts" / "install-client")
    for pin in script.pins():
        if pin.name in ("claude", "codex"):
            module = tmp_path / "hookkit" / "agents" / pin.name / "__init__.py"
            module.write_text(f'TRIED = "{pin.version}"\n')
            pin.raise_to("9.9.9")
            assert module.read_text() == 'TRIED = "9.9.9"\n'
    assert {pin.version for pin in script.pins() if pin.name in ("claude", "codex")} == {"9.9.9"}
