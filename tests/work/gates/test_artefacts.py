"""Files that should be there, by name and by pattern."""

from pathlib import Path

import pytest

from hookkit.work.gates import artefacts


@pytest.fixture
def tree(project: Path, tmp_path: Path) -> Path:
    for name in ("report.md", "out/a.json", "out/deep/er/b.json", ".hidden/c.txt"):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (project / "empty").mkdir()
    (tmp_path / "outside.txt").write_text("x")
    (project / "link.txt").symlink_to(tmp_path / "outside.txt")
    (project / "inner.md").symlink_to("report.md")
    (project / "up").symlink_to(tmp_path)
    (project / "out" / "round").symlink_to("..")
    return project


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("report.md", True),
        ("./report.md", True),
        ("reports.md", False),
        ("*.md", True),
        ("out/*.json", True),
        ("out/*.md", False),
        ("*/a.json", True),
        ("**/b.json", True),
        ("out/**/b.json", True),
        ("out/**/a.json", True),
        ("**/**/**/b.json", True),
        ("out/**", True),
        ("**/x.json", False),
        (".hidden/*", True),
        ("empty", False),
        ("empty/*", False),
        ("out", False),
        ("link.txt", False),
        ("up/outside.txt", False),
        ("up/*", False),
        ("inner.md", True),
        ("", False),
    ],
)
def test_what_is_there(tree: Path, name: str, *, expected: bool) -> None:
    search = artefacts.FileSearch(str(tree))
    assert (search.has(name), search.is_spent) == (expected, False)


def test_there_is_an_end_to_looking(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artefacts, "MOST", 5)
    search = artefacts.FileSearch(str(tree))
    assert (search.has("**/x.json"), search.is_spent) == (False, True)
