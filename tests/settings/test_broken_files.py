"""A mistake in a settings file costs the wrong part alone: the rest of the file and all other layers count."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from hookkit.pipeline import Invocation
from hookkit.policy.rules import compile_rules
from hookkit.programs.sending import WAYS
from hookkit.settings import compiling, layers
from tests.settings.formats import mutations
from tests.settings.test_settings import load, toml, user_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Policy

CHOICES = ", ".join(WAYS)
RULE = "[[rules]]\ntype = 'deny'\nmatch = 'Bash(foo *)'\n"


def verdict(project: Path, command: str) -> str:
    event = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(project), "tool_use_id": "t"}
    reply = json.loads(Invocation("guard", [], dict(os.environ)).answer(json.dumps(event).encode()) or "{}")
    return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", ""))


@pytest.fixture
def managed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "managed.toml"
    path.write_text("[[rules]]\ntype = 'deny'\nmatch = 'Bash(bar *)'\n")
    monkeypatch.setattr(layers, "MANAGED", str(path))
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nonsense = true\n",
         "1:1: unknown setting nonsense (hookkit set --all lists all settings); this setting is ignored"),
        ("[redirect]\nallow = 3\n",
         '2:1: redirect.allow: expected "always", "trusted" or "never", not 3; this setting is ignored'),
        ("[[rules]]\ntype = 'deny'\nmatch = 'Bash(x'\n",
         "3:16: rules: match: expected ) at the end: Bash(x (did you mean Bash(x)?); this rule is ignored"),
        ("[[rules]]\ntype = 'deny'\nmatch = ['Bash(x)', 'Bash(y']\n",
         "3:28: rules: match: expected ) at the end: Bash(y (did you mean Bash(y)?); this pattern is ignored"),
        ("[[rules]]\ntype = 'deny'\nmatch = ['Bash(y']\n",
         "3:17: rules: match: expected ) at the end: Bash(y (did you mean Bash(y)?); this rule is ignored"),
        ("[[rules]]\ntype = 'deny'\nmatch = ['Bash(y)', '']\n",
         "3:1: rules: match: expected a pattern, or a list of patterns, not ['Bash(y)', '']; this rule is ignored"),
        ("[[rules]]\ntype = 'deny'\nmatch = []\n",
         "3:1: rules: match: expected a pattern, or a list of patterns, not []; this rule is ignored"),
        ("[[rules]]\ntype = 'deny'\nmatch = 'Bash(x)'\nreson = 'y'\n",
         "4:1: rules: unknown field reson (did you mean reason?); this field is ignored"),
        ("[[rules]]\ntype = 'allow'\nmatch = 'Bash(x)'\nreson = 'y'\n",
         "4:1: rules: unknown field reson (did you mean reason?); this rule is ignored"),
        ("[[toolchains]]\nname = 'x'\n", "1:1: toolchains: missing marker; this row is ignored"),
        ("[[programs]]\nname = 'x'\nsends = 'crul'\n",
         f"3:1: programs: sends: expected one of {CHOICES}, not 'crul' (did you mean curl?); this row is ignored"),
        ("[[programs]]\nname = 'x'\nsame = '-f'\n",
         "3:1: programs: same: expected pairs such as -f=--force, not '-f'; this row is ignored"),
        ("[actors.a]\ndeny = ['Bash(x', 'Bash(y)']\n",
         "2:16: actors: a.deny: expected ) at the end: Bash(x (did you mean Bash(x)?); this pattern is ignored"),
        ("[actors.a]\ndney = []\n",
         "2:1: actors: a: expected allow, ask, deny or reason, not dney (did you mean deny?); this list is ignored"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("layer", ["user", "managed", "project"])
def test_only_the_wrong_part_is_ignored(
    home: Path, project: Path, managed: Path, layer: str, text: str, expected: str
) -> None:
    if layer == "managed":
        managed.write_text(text + managed.read_text())
    path = {"user": home / ".config/hookkit/hookkit.toml", "managed": managed, "project": project / "hookkit.toml"}
    user_file(home, "")
    if layer != "managed":
        path[layer].write_text(text + RULE)
    said = load(project).broken
    is_skipped = layer == "project" and ("allow'" in text or "toolchains" in text)  # waits for trust: not even checked
    assert said == ([] if is_skipped else [f"{path[layer]}:{expected}"])
    assert [verdict(project, line) for line in ("rm -rf /", "bar x")] == ["deny", "deny"]
    assert (verdict(project, "foo x") == "deny") == (layer != "managed")


UNREADABLE = {
    "not TOML": b"[policy\n",
    "not UTF-8": b"\xff = 1\n",
    "too long": b"#" * ((8 << 20) + 1),
    "deep": b"x = " + b"[" * 90_000,
}


@pytest.mark.parametrize("name", [*UNREADABLE, "FIFO", "directory", "permission", "loop"])
@pytest.mark.parametrize("layer", ["user", "managed", "project"])
def test_an_unreadable_file_is_ignored_and_the_others_count(
    home: Path, project: Path, managed: Path, layer: str, name: str
) -> None:
    own = user_file(home, RULE)
    path = {"user": own, "managed": managed, "project": project / "hookkit.toml"}[layer]
    path.unlink(missing_ok=True)
    if name == "FIFO":
        os.mkfifo(path)
    elif name == "directory":
        path.mkdir()
    elif name == "loop":
        path.symlink_to(path)
    else:
        path.write_bytes(UNREADABLE.get(name, RULE.encode()))
    if name == "permission":
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("root reads every file")
    said = load(project).broken
    assert [text.startswith(f"{path}:") for text in said] == [True]
    assert all(text.endswith("; this file is ignored") for text in said)
    assert verdict(project, "rm -rf /") == "deny"
    assert (verdict(project, "foo x") == "deny") == (layer != "user")
    assert (verdict(project, "bar x") == "deny") == (layer != "managed")


def test_a_deny_rule_only_gets_stricter_by_a_mistake(home: Path, project: Path) -> None:
    text = "[[rules]]\ntype = 'deny'\nmatch = 'Bash(foo *)'\nunless = ['Bash(foo a)', 'Bash(foo b']\nactors = 5\n"
    user_file(home, text)
    assert [verdict(project, f"foo {word}") for word in "abc"] == ["", "deny", "deny"]
    assert len(load(project).broken) == 2


@pytest.mark.parametrize("kind", ["deny", "ask", "allow"])
def test_a_wrong_pattern_of_a_list_costs_this_pattern_alone(home: Path, project: Path, kind: str) -> None:
    user_file(home, f"[[rules]]\ntype = '{kind}'\nmatch = ['Bash(foo a)', 'Bash(foo b', 'Bash(foo c)']\n")
    assert [verdict(project, f"foo {word}") for word in "abc"] == [kind, "", kind]
    assert len(load(project).broken) == 1


def test_of_many_mistakes_the_first_are_told(home: Path, project: Path) -> None:
    path = user_file(home, "".join(f"x{number} = 1\n" for number in range(30)) + RULE)
    said = load(project).broken
    assert len(said) == 6
    assert said[-1] == f"{path}: 25 more mistakes, see: hookkit validate"
    assert verdict(project, "foo x") == "deny"


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("text", ["[policy]\nbase = false\n", "[policy]\noff = ['no-rm']\n"])
def test_a_project_never_switches_shipped_rules_off(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    trusted: bool,  # noqa: FBT001 - a case
) -> None:
    monkeypatch.setattr(compiling, "is_trusted", lambda *_: trusted)
    path = project / "hookkit.toml"
    path.write_text(text)
    settings = load(project)
    name = text.split()[1]
    rest = "only your own or the managed settings can switch shipped rules off; this setting is ignored"
    assert settings.broken == [f"{path}:2:1: policy.{name}: {rest}"]
    assert (settings["policy.base"], settings["policy.off"], settings.untrusted) == (True, (), {})
    assert verdict(project, "rm -rf /") == "deny"


def test_the_person_switches_shipped_rules_off(home: Path, project: Path, managed: Path) -> None:
    user_file(home, "[policy]\noff = ['a']\nbase = false\n")
    managed.write_text("[policy]\noff = ['b']\n")
    (project / "hookkit.toml").write_text("[policy]\noff = ['c']\n")
    assert (load(project)["policy.off"], load(project)["policy.base"]) == (["b", "a"], False)


def test_layers_that_do_not_work_together_leave_the_managed_and_the_shipped_policy(
    home: Path, project: Path, managed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A last resort: no content of files is known to get here."""
    user_file(home, RULE)

    def fragile(values: dict[str, Any], protected: Any = (), **more: Any) -> "Policy":
        if len(values.get("rules", [])) > 1:
            raise ValueError
        return compile_rules(values, protected, **more)

    monkeypatch.setattr("hookkit.settings.compiling.compile_rules", fragile)
    assert managed.exists()
    assert load(project).broken == [compiling.APART]
    assert [verdict(project, line) for line in ("rm -rf /", "bar x", "foo x")] == ["deny", "deny", ""]


DOCUMENT = {
    "rules": [
        {"type": "deny", "match": "Bash(rm *)", "unless": ["Bash(rm x)"], "actors": ["a"], "config": {"x": 1}},
        {"type": "ask", "match": ["Bash(a)", "Write(b)"]},
        {"type": "modify", "match": "Bash", "field": "command", "regex": "x", "with": "y"},
        {"type": "approval_gate", "config": {"condition": "git.dirty", "approvers": ["a"]}},
    ],
    "actors": {"a": {"allow": ["Bash(ls)"], "deny": ["Write(x)"]}},
    "wrappers": [{"name": "x", "operands": 1}],
    "approvals": [{"program": "x", "command": "show", "operands": "text"}],
    "toolchains": [{"name": "x", "marker": "y", "test": "z"}],
    "policy": {"base": True, "off": ["x"], "default": "none", "approve": "reads"},
    "gate": {"artefacts": [{"agent": "a", "files": ["x"]}], "checks": ["true"]},
    "nudge": {"keywords": {"a": "/b"}},
    "schemas": {"T": {"properties": {"a": {"type": "string", "pattern": "x"}}}, "U": "none.json"},
}


@tuned(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_in_any_place_of_any_layer_leaves_the_shipped_policy(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Compiled, and read from the snapshot. Only the person's own base = false switches the shipped policy off."""
    directory = tmp_path_factory.mktemp("any")
    project, home, managed = directory / "project", directory / "home", directory / "managed.toml"
    (project / ".git").mkdir(parents=True)
    layer = data.draw(st.sampled_from(["user", "managed", "project", "local"]))
    paths = [path for path in mutations.places(DOCUMENT) if path]
    value = data.draw(mutations.values)
    changed = mutations.put(DOCUMENT, data.draw(st.sampled_from(paths)), value, data.draw(st.none() | st.just("tpye")))
    text = "\n".join(f"{name} = {toml(item)}" for name, item in changed.items())
    names = {"user": home / ".config/hookkit/hookkit.toml", "managed": managed}
    path = names.get(layer) or project / {"project": "hookkit.toml", "local": "hookkit.local.toml"}[layer]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", "surrogateescape")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "MANAGED", str(managed))
        patch.setenv("HOME", str(home))
        for _ in range(2):
            settings = load(project)
            is_off = settings["policy.base"] is False and layer in ("user", "managed")
            assert verdict(project, "rm -rf /") == ("" if is_off else "deny")
