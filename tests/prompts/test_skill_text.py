"""Of a long SKILL.md the model gets how it begins and the sections that the prompt is about."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit.prompts import skill_text
from hookkit.prompts.skills import SkillMatch
from hookkit.system import clipping

LONG = "word " * 60
INTRO = "# PDF\n\nUse qpdf."
MERGE = f"## Merging\n\nqpdf --empty --pages a b {LONG.strip()}"
FORMS = f"## Forms\n\n```sh\n# merge here\nfill form\n```\n{LONG.strip()}"
SCANS = f"## Scans\n\nRun OCR first. {LONG.strip()}"
TEXT = f"{INTRO}\n\n{MERGE}\n\n{FORMS}\n\n{SCANS}"


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("a", ["a"]),
        ("a\n# b\nc", ["a", "# b\nc"]),
        ("# a\n## b\nc\n## d\ne", ["# a\n## b\nc", "## d\ne"]),
        ("# a\n\ntext\n\n## b\n", ["# a\n\ntext", "## b"]),
        ("a\n```\n# no\n```\n# b", ["a\n```\n# no\n```", "# b"]),
        ("a\n~~~\n```\n# no\n~~~\n# b", ["a\n~~~\n```\n# no\n~~~", "# b"]),
        ("a\n#no\n####### no\n###### b", ["a\n#no\n####### no", "###### b"]),
        (TEXT, [INTRO, MERGE, FORMS, SCANS]),
    ],
)
def test_a_text_is_split_at_its_headings(text: str, sections: list[str]) -> None:
    assert skill_text._sections(text) == sections


@pytest.mark.parametrize(
    ("prompt", "room", "expected"),
    [
        ("run ocr on the scans", 500, f"{INTRO}\n\n[…]\n\n{SCANS}"),
        ("merge them", 500, f"{INTRO}\n\n{MERGE}"),
        ("fill the form and merge the scans", 1_100, TEXT),
        ("fill the form after ocr", 900, f"{INTRO}\n\n[…]\n\n{FORMS}\n\n{SCANS}"),
        ("nothing of that", 500, f"{INTRO}\n\n{MERGE}"),
    ],
)
def test_the_sections_that_share_the_most_words_are_taken(prompt: str, room: int, expected: str) -> None:
    assert skill_text.part(TEXT, prompt, room) == expected


def test_what_does_not_fit_is_cut_with_a_mark() -> None:
    text = skill_text.part(TEXT, "merge", 300)
    assert 290 < clipping.length(text) <= 300
    assert text.startswith(f"{INTRO}\n\n## Merging\n\nqpdf --empty")
    assert text.endswith(" more characters in SKILL.md]")


def test_a_long_beginning_leaves_room_for_the_section() -> None:
    text = skill_text.part(f"{LONG * 10}\n\n{MERGE}", "merge", 1_000)
    assert clipping.length(text) <= 1_000
    assert text.endswith(MERGE)


@given(st.text(alphabet="ab# \n`~🎉", max_size=3_000), st.integers(skill_text.LEAST, 2_000))
def test_a_part_is_never_longer_than_its_room(text: str, room: int) -> None:
    assert clipping.length(skill_text.part(text, "a b", room)) <= room


@pytest.mark.parametrize("line", ["# a\n", "# a\nb\n", "```\n", "a b c d ", "\n"])
def test_a_hostile_file_is_read_in_bounded_time(line: str) -> None:
    start = time.process_time()
    skill_text.part(line * (skill_text.LIMIT // len(line)), "a b", 4_000)
    assert time.process_time() - start < 5


# --- What the model is told


def found(path: Path, *, is_own: bool = False) -> SkillMatch:
    root = str(path.parents[2])
    row = {"name": "pdf", "path": str(path), "root": root, "own": is_own, "sum": ""}
    return SkillMatch(row, 4.0, ["merge", "pdf"])


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    path = tmp_path / ".claude" / "skills" / "pdf" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: pdf\n---\n{TEXT}\n", encoding="utf-8")
    return path


def test_a_short_file_is_told_whole(skill: Path) -> None:
    assert skill_text.context(found(skill), "merge", 4_000) == (
        f'The prompt says "merge", "pdf", so this project\'s skill "pdf" may be what it needs. From {skill}:\n\n{TEXT}'
    )


def test_of_a_long_file_parts_are_told_within_the_limit(skill: Path) -> None:
    head = f'The prompt says "merge", "pdf", so the user\'s own skill "pdf" may be what it needs. Parts of {skill} '
    text = skill_text.context(found(skill, is_own=True), "merge", 900)
    assert text == f"{head}(read it for the rest):\n\n{INTRO}\n\n{MERGE}"
    assert clipping.length(text) <= 900


@pytest.mark.parametrize("limit", [0, 1, 199, 300])
def test_without_room_nothing_is_told(skill: Path, limit: int) -> None:
    assert skill_text.context(found(skill), "merge", limit) == ""


@pytest.mark.parametrize("content", ["", "---\nname: pdf\n---\n", "---\nname: pdf\n---", "\n \n"])
def test_of_an_empty_skill_nothing_is_told(skill: Path, content: str) -> None:
    skill.write_text(content)
    assert skill_text.context(found(skill), "merge", 4_000) == ""


def test_a_file_that_has_gone_says_nothing(skill: Path) -> None:
    skill.unlink()
    assert skill_text.context(found(skill), "merge", 4_000) == ""


# --- What may be read


def link_file(skill: Path, outside: Path) -> None:
    skill.unlink()
    skill.symlink_to(outside / "pdf" / "SKILL.md")


def link_skill(skill: Path, outside: Path) -> None:
    skill.unlink()
    skill.parent.rmdir()
    skill.parent.symlink_to(outside / "pdf")


def link_root(skill: Path, outside: Path) -> None:
    link_skill(skill, outside)
    skill.parent.unlink()
    skill.parents[1].rmdir()
    skill.parents[1].symlink_to(outside)


def link_claude(skill: Path, outside: Path) -> None:
    link_root(skill, outside)
    skill.parents[1].unlink()
    skill.parents[2].rmdir()
    skill.parents[2].symlink_to(outside)
    (outside / "skills").symlink_to(".")


@pytest.mark.parametrize("plant", [link_file, link_skill, link_root, link_claude])
def test_a_projects_link_out_of_it_is_not_followed(
    skill: Path, tmp_path_factory: pytest.TempPathFactory, plant: object
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "pdf").mkdir()
    (outside / "pdf" / "SKILL.md").write_text("SECRET")
    assert callable(plant)
    plant(skill, outside)
    assert skill.read_text() == "SECRET"
    assert skill_text.context(found(skill), "merge", 4_000) == ""
    assert skill_text.context(found(skill, is_own=True), "merge", 4_000).endswith("SECRET")  # whoever made that link


def test_a_link_within_the_skills_is_followed(skill: Path) -> None:
    other = skill.parents[1] / "other"
    other.symlink_to("pdf")
    assert skill_text.context(found(other / "SKILL.md"), "merge", 4_000).endswith(TEXT)


@pytest.mark.parametrize("kind", ["fifo", "directory"])
def test_what_is_no_file_does_not_hang(skill: Path, kind: str) -> None:
    skill.unlink()
    os.mkfifo(skill) if kind == "fifo" else skill.mkdir()
    assert skill_text.context(found(skill), "merge", 4_000) == ""


def test_a_file_that_anybody_may_write_to_is_not_read(skill: Path) -> None:
    skill.chmod(0o646)
    assert skill_text.context(found(skill), "merge", 4_000) == ""


def test_a_file_of_somebody_else_is_not_read(skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: skill.stat().st_uid + 1)
    if skill.stat().st_uid == 0:
        os.chown(skill, 12345, -1)
    assert skill_text.context(found(skill), "merge", 4_000) == ""


def test_a_huge_file_is_read_as_far_as_the_limit(skill: Path) -> None:
    skill.write_text("x" * (skill_text.LIMIT * 2))
    assert len(skill_text.read(str(skill), str(skill.parents[2]), is_own=False)) == skill_text.LIMIT


@pytest.mark.parametrize(
    ("text", "body"),
    [("x", "x"), ("---\na: b\n---\nx", "x"), ("---\n---\nx", "x"), ("---\na: b\n", "---\na: b\n"),
     ("--- \nx", "--- \nx"), ("---\na: b\n---", "")],
)  # fmt: skip
def test_the_head_is_no_part_of_the_text(text: str, body: str) -> None:
    assert text[skill_text.body(text) :] == body
