"""What a session has been told is marked, and only its own markers are forgotten."""

from pathlib import Path

import pytest

from hookkit.system import marks

ENVIRON = {"XDG_STATE_HOME": "/nonexistent"}


def told(session: str, project: Path) -> bool:
    return marks.is_told(session, "aa", str(project), ENVIRON)


def test_the_first_claim_counts(project: Path) -> None:
    assert not told("s", project)
    assert [marks.claim("s", sum_, str(project), ENVIRON) for sum_ in ("aa", "aa", "bb")] == [True, False, True]
    assert told("s", project)
    assert not told("t", project)
    assert sorted(path.name for path in (project / ".claude" / "tmp").glob("skill-*")) == ["skill-s-aa", "skill-s-bb"]


@pytest.mark.parametrize("session", ["s", "s-", "s-t", "../x", "s.t", "ü", "x" * 300])
def test_a_session_forgets_its_own_markers_alone(project: Path, session: str) -> None:
    others = ["s-u", "s-t-u", "t"]
    for name in (session, *others):
        marks.claim(name, "aa", str(project), ENVIRON)
    (project / ".claude" / "tmp" / "local-s").touch()
    marks.forget(session, str(project), ENVIRON)
    assert not told(session, project)
    assert [told(name, project) for name in others] == [True] * 3
    assert (project / ".claude" / "tmp" / "local-s").exists()


def test_forgetting_nothing_makes_nothing(project: Path) -> None:
    marks.forget("s", str(project), ENVIRON)
    assert [path.name for path in project.iterdir()] == [".git"]


def test_a_planted_link_is_not_followed(project: Path, tmp_path: Path, home: Path) -> None:
    """The project's own folder leads elsewhere: nothing is made or removed there."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "skill-s-bb").touch()
    (project / ".claude").mkdir()
    (project / ".claude" / "tmp").symlink_to(tmp_path / "elsewhere")
    environ = {"HOME": str(home)}
    assert marks.claim("s", "aa", str(project), environ)
    marks.forget("s", str(project), environ)
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["skill-s-bb"]
    assert list((home / ".local/state/hookkit/sessions").iterdir()) == []
