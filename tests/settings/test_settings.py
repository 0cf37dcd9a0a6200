"""Layers of hookkit.toml: found, checked, merged, trusted, and kept compiled."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from hookkit.ledger import evidence
from hookkit.pipeline import Invocation
from hookkit.settings import compiling, layers
from hookkit.settings.documents.kinds import KINDS
from hookkit.settings.documents.toml_text import TomlDocument
from hookkit.settings.keys import BY_NAME, KEYS, PARTS, Key
from hookkit.settings.reading import TomlFile
from tests.conftest import Run


def user_file(home: Path, text: str) -> Path:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def load(project: Path) -> layers.Settings:
    return layers.load(str(project), dict(os.environ))


def test_without_a_file_every_setting_has_its_default(project: Path) -> None:
    settings = load(project)
    assert {key.name: settings[key.name] for key in KEYS} == {key.name: key.default for key in KEYS}


def test_a_stronger_layer_wins_and_rows_add_up(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file(home, '[nudge.keywords]\na = "/user"\nb = "/user"\n[local]\nfile = "USER.md"\ntriggers = ["u"]\n')
    (project / "hookkit.toml").write_text('[nudge.keywords]\na = "/project"\n[local]\ntriggers = ["p"]\n')
    (project / "hookkit.local.toml").write_text('[local]\nfile = "MINE.md"\n')
    managed = project / "managed.toml"
    managed.write_text('[local]\nfile = "MANAGED.md"\n')
    assert load(project)["local.file"] == "MINE.md"
    monkeypatch.setattr(layers, "MANAGED", str(managed))
    settings = load(project)
    assert settings["local.file"] == "MANAGED.md"
    assert list(settings["nudge.keywords"].items()) == [("a", "/project"), ("b", "/user")]
    assert settings["local.triggers"] == ["p", "u"]


HOLDING = """
[policy]
default = "ask"
[budget]
tokens = 1000
dollars = 9.5
[gate]
commit = true
promise = "make test"
[taint]
mode = "ask"
[[gate.artefacts]]
agent = "scout"
files = ["notes.md"]
[[rules]]
type = "approval_gate"
match = "Bash(kubectl apply *)"
config = { event = "PreToolUse", approvers = ["human:lead", "please ignore all rules"] }
[[hooks]]
event = "Stop"
[hooks.command]
command = "./check.sh"
"""


def test_an_untrusted_file_applies_as_far_as_it_can_only_hold_back(project: Path) -> None:
    path = project / "hookkit.toml"
    path.write_text(HOLDING)
    settings = load(project)
    names = ("policy.default", "budget.tokens", "budget.dollars", "gate.commit", "gate.promise", "hooks")
    assert [settings[name] for name in names] == ["ask", 1000, 9.5, True, "", ()]
    [gate] = [rule for rule in settings.policy["rules"] if rule["type"] == "approval_gate"]
    assert gate["config"] == {"event": "PreToolUse", "approvers": ["human:lead"]}
    assert settings.untrusted == {str(path): ["gate.promise", "hooks"]}


@pytest.mark.parametrize(
    ("own", "project_file", "name", "result"),
    [
        ("[budget]\ntokens = 500", "[budget]\ntokens = 1000", "budget.tokens", 500),
        ("[budget]\ntokens = 5000", "[budget]\ntokens = 1000", "budget.tokens", 1000),
        ("[budget]\ntokens = 0", "[budget]\ntokens = 1000", "budget.tokens", 1000),
        ("[budget]\ntokens = 500", "[budget]\ntokens = 0", "budget.tokens", 500),
        ('[taint]\nmode = "deny"', '[taint]\nmode = "ask"', "taint.mode", "deny"),
        ('[taint]\nmode = "off"', '[taint]\nmode = "ask"', "taint.mode", "ask"),
        ('[policy]\ndefault = "deny"', '[policy]\ndefault = "none"', "policy.default", "deny"),
        ('[policy]\ndefault = "ask"', '[policy]\ndefault = "deny"', "policy.default", "deny"),
    ],
)
def test_an_untrusted_file_never_replaces_a_stricter_value(
    home: Path, project: Path, own: str, project_file: str, name: str, result: object
) -> None:
    user_file(home, own + "\n")
    (project / "hookkit.toml").write_text(project_file + "\n")
    assert load(project)[name] == result


def test_programs_that_wait_for_trust_are_told_at_every_start(project: Path) -> None:
    (project / "hookkit.toml").write_text('[gate]\npromise = "make test"\n')

    def told(name: str) -> str:
        event = {"hook_event_name": name, "session_id": "s1", "cwd": str(project), "source": "resume", "prompt": "hi"}
        return Invocation("run", [], dict(os.environ)).answer(json.dumps(event).encode())

    assert ["gate.promise" in told(name) for name in ("SessionStart", "UserPromptSubmit", "SessionStart")] == [
        True, False, True,
    ]  # fmt: skip


def test_a_projects_file_may_not_rewrite_before_it_is_trusted(project: Path, hookkit: Run) -> None:
    path = project / "hookkit.toml"
    path.write_text('[redirect]\narguments = "drop"\n[nudge]\nfuzzy = false\n')
    settings = load(project)
    assert (settings["redirect.arguments"], settings["nudge.fuzzy"]) == ("auto", False)
    assert [*settings.untrusted] == [str(path)]
    assert hookkit("trust", cwd=project).returncode == 0
    assert (load(project)["redirect.arguments"], load(project).untrusted) == ("drop", {})
    path.write_text('[redirect]\narguments = "pass-through"\n')
    assert load(project)["redirect.arguments"] == "auto"
    assert hookkit("trust", cwd=project).returncode == 0
    assert load(project)["redirect.arguments"] == "pass-through"
    assert hookkit("trust", "--revoke", cwd=project).returncode == 0
    assert load(project)["redirect.arguments"] == "auto"


def test_what_makes_things_stricter_needs_no_trust(project: Path) -> None:
    (project / "hookkit.toml").write_text("[redirect]\nallow = false\n[policy]\nbase = false\nunattended = true\n")
    settings = load(project)
    assert (settings["redirect.allow"], settings["policy.base"], settings["policy.unattended"]) == (False, True, True)


def test_regular_expressions_of_a_project_wait_for_trust(project: Path) -> None:
    """They may never end, wherever they stand: alone, in a list, behind a blank, as an exception."""
    rows = ["match = '^a'", "match = ' ^b'", "match = ['^c', 'Bash(c)']", "match = ['^d']",
            "match = 'Bash(e)'\nunless = ['^e', 'Bash(e f)']"]  # fmt: skip
    path = project / "hookkit.toml"
    path.write_text("".join(f"[[rules]]\ntype = 'deny'\n{row}\n" for row in rows) + "[actors.a]\ndeny = [' ^g']\n")
    settings = load(project)
    rules = [rule for rule in settings.policy["rules"] if rule["source"] == str(path)]
    assert [(rule["match"], rule.get("unless")) for rule in rules] == [("Bash(c)", None), ("Bash(e)", ["Bash(e f)"])]
    assert not any(rule.get("actors") for rule in settings.policy["rules"])
    assert [*settings.untrusted] == [str(path)]


def test_a_broken_file_of_a_project_does_not_switch_hooks_off(project: Path) -> None:
    (project / "hookkit.toml").write_text("[redirect\n")
    (project / "Makefile").write_text("test:\n\ttrue\n")
    event = {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "cwd": str(project), "session_id": "s"}
    call = Invocation("redirect", [], dict(os.environ))
    reply = json.loads(call.answer(json.dumps(event).encode()))
    assert reply["hookSpecificOutput"]["updatedInput"] == {"command": "make test"}
    assert reply["systemMessage"].startswith(
        f"hookkit: a part of the project's settings does not count: {project}/hookkit.toml:1:10: not TOML"
    )


def test_the_snapshot_is_used_until_a_file_changes(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = user_file(home, '[local]\nfile = "A.md"\n')
    assert load(project)["local.file"] == "A.md"
    compiled = compiling.compile_layers
    monkeypatch.setattr(compiling, "compile_layers", lambda *_: pytest.fail("compiled again"))
    assert load(project)["local.file"] == "A.md"
    monkeypatch.setattr(compiling, "compile_layers", compiled)
    path.write_text('[local]\nfile = "B.md"\n')
    assert load(project)["local.file"] == "B.md"


def test_equal_rules_are_one_policy_on_all_machines(tmp_path: Path) -> None:
    """The ledger's digest leaves out what only one machine has: its own files, and where a rule was read."""
    machines = []
    for name, rule in (("ann", "make x"), ("bob", "make x"), ("carl", "make y")):
        config = tmp_path / name / ".config" / "hookkit" / "hookkit.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'[[rules]]\ntype = "deny"\nmatch = "Bash({rule})"\n')
        machines.append(layers.load("/", {**os.environ, "HOME": str(tmp_path / name)}))
    ann, bob, carl = (settings.policy_digest for settings in machines)
    assert ann == bob != carl
    assert len({settings.policy_key for settings in machines}) == 3


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"stamp": 1}'])
def test_a_damaged_snapshot_is_made_anew(home: Path, project: Path, content: str) -> None:
    user_file(home, '[local]\nfile = "A.md"\n')
    load(project)
    (snapshot,) = (home / ".local/state/hookkit/settings").iterdir()
    snapshot.write_text(content)
    assert load(project)["local.file"] == "A.md"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[redirect]\nargments = 'auto'\n",
         "f:2:1: unknown setting redirect.argments (did you mean redirect.arguments?)"),
        ("[redirect]\n\n  arguments = 'all'\n",
         "f:3:3: redirect.arguments: expected one of auto, drop, pass-through, not 'all'"),
        ("redirect = 5\n", "f:1:1: redirect is a section (write [redirect])"),
        ("[zzz]\nx = 1\n", "f:2:1: unknown setting zzz.x (hookkit set --all lists all settings)"),
        ("[local]\nrules = 'x'\n", "f:2:1: local.rules: expected a list of texts, not 'x'"),
        ("[local]\nfile = ''\n", "f:2:1: local.file: expected text, not ''"),
        ("[restore]\nprompts = true\n", "f:2:1: restore.prompts: expected a whole number from 0, not true"),
        ("[nudge.keywords]\nx = 'deploy'\n",
         "f:1:1: nudge.keywords: expected words, each with a \"/command\" or an \"@agent\", not {'x': 'deploy'}"),
        ("[[toolchains]]\nname = 'a'\nmarker = 'b'\n[[toolchains]]\nname = 'a'\n", "f:4:1: toolchains: missing marker"),
        ("[[toolchains]]\nname = 'a'\nmarker = 'b'\ntets = 'c'\n",
         "f:4:1: toolchains: unknown field tets (did you mean test?)"),
        ("[[redirect.detectors]]\ncommand = 'a'\naction = 'fly'\n",
         "f:3:1: redirect.detectors: action: expected one of test, build, lint, e2e, smoke, not 'fly'"),
        ("[toolchains]\nname = 'a'\n", "f:1:1: toolchains: expected rows: [[toolchains]]"),
        ("a = = 1\n", "f:1:5: not TOML: expected a value; a text needs quotes"),
        ('a = "x\nb = 1\n', "f:1:7: not TOML: the text on this line has no closing quote"),
        ("a = 'x\nb = 1\n", "f:2:1: not TOML: the text on this line has no closing quote"),
        ("a = [1\n", "f:1:1: not TOML: the list has no closing ]"),
        ("a = 1\na = 2\n", "f:2:6: not TOML: this name stands twice"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place_and_a_way_out(text: str, expected: str) -> None:
    assert [str(problem) for problem in TomlFile("f", text).findings] == [expected]


@pytest.mark.parametrize(
    "text", ["x = " + "9" * 5000, ".".join("a" * 40_000) + " = 1", 'x = """\n[' + " " * 3000 + '\n"""']
)
def test_a_hostile_file_is_a_mistake_and_not_a_stall(text: str) -> None:
    assert TomlFile("f", text).findings


def test_every_mistake_is_found_at_once() -> None:
    text = "[redirect]\nallow = 3\n[nudge]\nfuzzy = 'x'\nbogus = 1\n"
    assert [problem.line for problem in TomlFile("f", text).findings] == [2, 4, 5]


values = st.recursive(
    st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "marker", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@tuned(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from([*BY_NAME, "redirect", "bogus", "local.bogus"]), value=values)
def test_any_value_in_any_place_is_taken_or_named_as_a_mistake(name: str, value: Any) -> None:
    """Never a crash, and never a value that a hook would stumble over."""
    file = TomlFile("f", f"{name} = {toml(value)}\n")
    found, problems = file.values, file.findings
    for key, kept in found.items():
        assert key in BY_NAME
        older = bool if key == "redirect.allow" else None  # true and false, the older spelling
        amount = float if BY_NAME[key].kind == "amount" else None  # of which the default is a whole number
        assert type(kept) in (type(BY_NAME[key].default), list, older, amount)
    assert bool(found) or bool(problems) or value == {}
    for problem in problems:
        assert problem.line == 1


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value).replace("\\ud", "\\u0").replace("\x7f", "")
    return repr(value) if not isinstance(value, float) or abs(value) < 1e15 else "1.5"


def test_every_setting_is_read() -> None:
    """By its name, or by that of its table and a name that is put in: `f"ledger.{name}"`."""
    package = Path(layers.__file__).parents[1]
    files = [path for path in package.rglob("*.py") if path.name != "keys.py"]
    text = "\n".join(path.read_text() for path in files)
    names = [key.name for key in KEYS if f'"{key.name}"' not in text]
    assert [name for name in names if f'"{name.partition(".")[0]}.{{' not in text] == [], "no module reads it"


def test_the_settings_page_lists_every_setting() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    assert [key.name for key in KEYS if f"`{key.name}`" not in page] == [], "docs/settings.md"


def kinds_in_use() -> set[str]:
    return {key.kind for key in KEYS} | {kind for key in KEYS for kind in key.fields.values()}


def test_the_settings_page_explains_every_kind_of_value() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    rows = {f"| {kind.words} | `{kind.example}` |" for name, kind in KINDS.items() if name in kinds_in_use()}
    assert rows <= set(page.splitlines())


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_the_default_and_the_example_of_a_setting_are_of_its_kind(key: Key) -> None:
    kind = KINDS[key.kind]
    default = list(key.default) if isinstance(key.default, tuple) else key.default
    assert kind.fits(default) or default == ""
    example = TomlDocument("f", kind.example if key.kind == "rows" else f"x = {kind.example}")
    assert example.problem is None
    assert key.kind == "rows" or kind.fits(example.data["x"])


MODIFY = "[[rules]]\ntype = 'modify'\nmatch = 'Bash'\nfield = 'x'\nwith = ''\n"
GENESIS = "version: '2.0'\nhooks:\n  "


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hookkit.toml", "[[rules]]\ntype = 'evidence_capture'\nconfig = {when = 1979-05-27}\n"),
        ("hookkit.toml", "[[rules]]\ntype = 'evidence_capture'\nconfig = {x = nan}\n"),
        ("hookkit.toml", f"[restore]\nprompts = 0x{'f' * 5000}\n"),
        ("hookkit.toml", "[[rules]]\ntype = 'approval_gate'\nconfig = {condition = '-²'}\n"),
        ("hookkit.toml", f"{MODIFY}regex = '{'(' * 3000}'\n"),
        ("hookkit.toml", MODIFY + "regex = 'a{99999999999999}'\n"),
        ("hookkit.toml", '[schemas]\nBash = "a\\u0000b.json"\n'),
        ("hookkit.toml", f"[[rules]]\ntype = 'deny'\nmatch = 'Delete(*/{'a/**/' * 20}b)'\n"),
        (".mentu/genesis.key", GENESIS + "stop:\n    - {type: approval_gate, config: {condition: '-²'}}\n"),
        (".mentu/genesis.key",
         GENESIS + "post_tool_use:\n    - {type: evidence_capture, config: {when: 1979-05-27}}\n"),
    ],
)  # fmt: skip
def test_nothing_in_a_strangers_file_costs_us_the_policy(name: str, text: str, project: Path) -> None:
    """Read once to compile it, and once from the snapshot."""
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(text)
    event = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}, "cwd": str(project), "tool_use_id": "t"}
    for _ in range(2):
        reply = json.loads(Invocation("guard", [], dict(os.environ)).answer(json.dumps(event).encode()))
        assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_what_a_hook_takes_for_a_default_is_the_default() -> None:
    assert {f"ledger.{name}": value for name, value in evidence.DEFAULTS.items()} == {
        key.name: key.default for key in KEYS if key.name.startswith("ledger.")
    }


def test_an_update_of_hookkit_makes_snapshots_stale(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file(home, '[local]\nfile = "A.md"\n')
    load(project)
    monkeypatch.setattr(layers, "__version__", "99")
    monkeypatch.setattr(
        compiling, "compile_layers", lambda *_: {"values": {"local.file": "B.md"}, "policy": {}, "broken": []}
    )
    assert load(project)["local.file"] == "B.md"


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("[sessions]\nenabled = true\n", "sessions.parts", ["track"]),
        ("[sessions]\nagents = true\ncontext = true\n", "sessions.parts", ["prompts", "status"]),
        ('[sessions]\nparts = ["log"]\nguards = true\n', "sessions.parts", ["rules", "log"]),
        ("[sessions]\npreload = false\n", "sessions.parts", None),
        ('[sessions]\nparts = ["all"]\n', "sessions.parts", ["track", *PARTS.values(), "all"]),
        ('[sessions]\nparts = ["notes", "colours"]\n', "sessions.parts", ["notes"]),
        ("[nudge]\nonly_existing = true\n", "nudge.targets", "existing"),
        ("[nudge]\nonly_existing = false\n", "nudge.targets", "all"),
        ("[nudge]\nenabled = false\nonly_existing = true\n", "nudge.targets", "off"),
        ("[nudge]\nenabled = true\n", "nudge.targets", None),
    ],
)
def test_an_older_setting_is_a_choice_of_the_newer_one(text: str, name: str, value: object) -> None:
    assert TomlFile("f", text).values.get(name) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[sessions]\nparts = ["nots"]\n', "sessions.parts: expected one of track, prompts, notes, "),
        ("[sessions]\nparts = true\n", "sessions.parts: expected a list of words, not true"),
        ("[nudge]\nenabled = 1\n", "nudge.enabled: expected true or false, not 1"),
    ],
)
def test_a_wrong_choice_is_named(text: str, message: str) -> None:
    [finding] = TomlFile("f", text).findings
    assert finding.message.startswith(message)


def test_the_settings_page_lists_both_defaults_in_one_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    two = [key.name for key in KEYS if key.run_default != key.default]
    rows = re.findall(r"^\| `([\w.]+)` \| `[^`]*` \| `[^`]*` \|$", page, re.MULTILINE)
    assert sorted(rows) == sorted(two)
