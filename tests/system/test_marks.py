"""A message is marked as given once a session; a session forgets only its own marks."""

from pathlib import Path

import pytest

from hookkit.system import marks

ENVIRON = {"XDG_STATE_HOME": "/nonexistent"}


def told(session: str, project: Path) -> bool:
    return marks.was_told(ENVIRON, session, "aa", str(project))


def test_the_first_claim_counts(project: Path) -> None:
    assert not told("s", project)
    assert [marks.first_time(ENVIRON, "s", sum_, str(project)) for sum_ in ("aa", "aa", "bb")] == [True, False, True]
    assert told("s", project)
    assert not told("t", project)
    assert sorted(path.name for path in (project / ".claude" / "tmp").glob("skill-*")) == ["skill-s-aa", "skill-s-bb"]


@pytest.mark.parametrize("session", ["s", "s-", "s-t", "../x", "s.t", "ü", "x" * 300])
def test_a_session_forgets_its_own_markers_alone(project: Path, session: str) -> None:
    others = ["s-u", "s-t-u", "t"]
    for name in (session, *others):
        marks.first_time(ENVIRON, name, "aa", str(project))
    (project / ".claude" / "tmp" / "local-s").touch()
    marks.forget(ENVIRON, session, str(project))
    assert not told(session, project)
    assert [told(name, project) for name in others] == [True] * 3
    assert (project / ".claude" / "tmp" / "local-s").exists()


def test_forgetting_nothing_makes_nothing(project: Path) -> None:
    marks.forget(ENVIRON, "s", str(project))
    assert [path.name for path in project.iterdir()] == [".git"]


def test_a_planted_link_is_not_followed(project: Path, tmp_path: Path, home: Path) -> None:
    """The project's own folder leads elsewhere: nothing is made or removed there."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "skill-s-bb").touch()
    (project / ".claude").mkdir()
    (project / ".claude" / "tmp").symlink_to(tmp_path / "elsewhere")
    environ = {"HOME": str(home)}
    assert marks.first_time(environ, "s", "aa", str(project))
    marks.forget(environ, "s", str(project))
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["skill-s-bb"]
    assert list((home / ".local/state/hookkit/sessions").iterdir()) == []


def test_the_person_is_told_once_a_session(home: Path) -> None:
    environ = {"HOME": str(home)}
    asked = [("s", "failed"), ("s", "failed"), ("s", "broken"), ("t", "failed")]
    assert not marks.was_told(environ, "s", "failed")
    assert [marks.first_time(environ, *mark) for mark in asked] == [True, False, True, True]
    assert marks.was_told(environ, "s", "failed")
    assert sorted(path.name for path in (home / ".local/state/hookkit/told").iterdir()) == [
        "s-broken",
        "s-failed",
        "t-failed",
    ]


def test_without_a_state_the_person_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mark that cannot be kept would bring the same message at every call."""
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert not marks.first_time({}, "s", "failed")
    assert not marks.was_told({}, "s", "failed")
