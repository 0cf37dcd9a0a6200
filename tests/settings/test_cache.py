"""A damaged file of the cache is made anew: never a crash, never a call without the policy."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from hookkit.policy.rules import Rules
from hookkit.settings import compiling, judging, layers
from tests.settings.test_broken_files import RULE, verdict
from tests.settings.test_settings import load, user_file

LINES = 4  # the seal, the settings, the rules of files, the shipped rules


def of(home: Path) -> Path:
    (path,) = (home / ".local/state/hookkit/settings").iterdir()
    return path


def cut(path: Path, line: int) -> None:
    lines = path.read_bytes().split(b"\n")
    lines[line] = lines[line][: len(lines[line]) // 2]
    path.write_bytes(b"\n".join(lines))


@pytest.mark.parametrize("line", range(LINES))
@pytest.mark.parametrize("own", [False, True])
def test_a_snapshot_that_was_cut_is_made_anew(home: Path, project: Path, line: int, own: bool) -> None:  # noqa: FBT001
    """Without a settings file the snapshot is that of the shipped policy."""
    if own:
        user_file(home, RULE)
    assert verdict(project, "sudo rm -rf /") == "deny"
    whole = of(home).read_bytes()
    cut(of(home), line)
    assert verdict(project, "sudo rm -rf /") == "deny"
    assert of(home).read_bytes() == whole


@tuned(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_byte_anywhere_is_noticed(home: Path, project: Path, data: st.DataObject) -> None:
    user_file(home, RULE)
    load(project)
    whole = of(home).read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    of(home).write_bytes(whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :])
    assert [verdict(project, line) for line in ("rm -rf /", "foo x")] == ["deny", "deny"]
    assert of(home).read_bytes().partition(b"\n")[2] == whole.partition(b"\n")[2]


@pytest.mark.parametrize(
    "head", ["[]", "null", "{}", '{"stamp": 1}', "STAMP", 'STAMP, "values": []', 'STAMP, "values": {}, "reads": 5']
)
def test_a_snapshot_of_another_shape_is_made_anew(home: Path, project: Path, head: str) -> None:
    """Even with a right seal."""
    user_file(home, RULE)
    load(project)
    stamp = json.loads(of(home).read_bytes().split(b"\n")[1])["stamp"]
    head = f'{{"stamp": {json.dumps(stamp)}{head[5:]}}}' if head.startswith("STAMP") else head
    body = f'{head}\n{{"rules": []}}'.encode()
    of(home).write_bytes(compiling._seal(body) + b"\n" + body)
    assert [verdict(project, line) for line in ("rm -rf /", "foo x")] == ["deny", "deny"]


def test_another_version_of_python_can_use_the_snapshot(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_file(home, RULE)
    load(project)
    seal, _, body = of(home).read_bytes().partition(b"\n")
    _, quick, slow = seal.split(b" ")
    of(home).write_bytes(b"cpython-39 " + quick[::-1] + b" " + slow + b"\n" + body)
    monkeypatch.setattr(compiling, "compile_layers", lambda *_: pytest.fail("compiled again"))
    assert verdict(project, "foo x") == "deny"


def test_a_read_only_state_costs_time_alone(home: Path, project: Path) -> None:
    user_file(home, RULE)
    (home / ".local").mkdir()
    (home / ".local" / "state").write_text("no directory\n")
    assert [verdict(project, line) for line in ("rm -rf /", "foo x")] == ["deny", "deny"]


def test_a_fifo_in_the_place_of_the_snapshot_or_the_log_hangs_nothing(home: Path, project: Path) -> None:
    (project / "hookkit.toml").write_text("nonsense = true\n")
    state = home / ".local/state/hookkit"
    (state / "settings").mkdir(parents=True, mode=0o700)
    os.mkfifo(state / "settings" / "defaults.json")
    os.mkfifo(state / "errors.log")
    assert verdict(project, "rm -rf /") == "deny"


def test_the_usual_directory_named_or_not_is_the_same(home: Path) -> None:
    """The launcher names it, a bare `hookkit run` does not: both share one file of the cache."""
    bare = {"HOME": str(home)}
    assert layers.shipped(bare) == layers.shipped({**bare, "XDG_CONFIG_HOME": f"{home}/.config"})
    assert layers.shipped(bare) != layers.shipped({**bare, "XDG_CONFIG_HOME": "/elsewhere"})


class TestHeld:
    """Compiled settings in the memory of the server."""

    @pytest.fixture(autouse=True)
    def held(self, monkeypatch: pytest.MonkeyPatch) -> judging.Memory:
        held = judging.Memory()
        monkeypatch.setattr(layers, "memory", held)
        return held

    def test_the_project_that_was_not_used_for_longest_goes_first(
        self, held: judging.Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(judging, "MOST_IN_MEMORY", 100)
        for name in ("a", "b", "a", "c"):
            if held.get(name) is None:
                held.put(name, 40, {})
        assert [name for name in "abc" if held.get(name) is not None] == ["a", "c"]

    def test_memory_is_bounded_in_bytes(self, held: judging.Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(judging, "MOST_IN_MEMORY", 1_000)
        for number in range(500):
            held.put(f"p{number}", number, {})
            held.put(f"p{number}", number, {})  # compiled again after a change of its file
        rows = [number for number in range(500) if held.get(f"p{number}") is not None]
        assert rows == [498, 499]

    def test_projects_share_the_shipped_rules(self, home: Path, project: Path) -> None:
        user_file(home, RULE)
        tails = []
        for name in ("a", "b"):
            (project / name / ".git").mkdir(parents=True)
            (project / name / "hookkit.toml").write_text(f'[[rules]]\ntype = "deny"\nmatch = "Bash(tool{name} *)"\n')
            load(project / name)  # compiled; the next one is held
            rules = load(project / name).policy["rules"]
            assert isinstance(rules, Rules)
            assert rules[0]["match"] == f"Bash(tool{name} *)"
            tails.append(rules._lines[-1])
        assert tails[0] is tails[1]
