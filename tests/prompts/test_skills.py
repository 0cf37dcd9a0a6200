"""Which skill a prompt is about.

tests/cases/nudge_skills.jsonl holds the heads of some skills, and prompts labelled by the skill that a person would
want for them, or none. Rows with `held_out` were only counted, never looked at, while the
rules were made."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.prompts import skill_index, skills
from hookkit.prompts.skills import SkillMatch
from hookkit.system import clipping, jsons

CASES = Path(__file__).parents[1] / "cases"
ROWS = [json.loads(line) for line in (CASES / "nudge_skills.jsonl").read_text(encoding="utf-8").splitlines()]
HEADS = {row["skill"]: row["frontmatter"] for row in ROWS if "skill" in row}
PROMPTS = [row for row in ROWS if "prompt" in row]
HALVES = {
    "tuned": [row for row in PROMPTS if not row.get("held_out")],
    "held out": [row for row in PROMPTS if row.get("held_out")],
}


def index_of(root: Path, heads: dict[str, str]) -> dict[str, Any]:
    for name, head in heads.items():
        folder = root / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\n{head}\n---\ntext\n", encoding="utf-8")
    return skill_index.build([str(root)], str(root))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return index_of(tmp_path_factory.mktemp("labelled"), HEADS)


def name_of(prompt: str, index: dict[str, Any]) -> str | None:
    found = skills.find(prompt, index, fuzzy=True)
    return found.name if found else None


# --- The labelled set


def test_the_set_is_large_and_mostly_ordinary_prompts() -> None:
    assert len({row["prompt"] for row in PROMPTS}) == len(PROMPTS) == 424
    assert len(HEADS) == 18
    for half in HALVES.values():
        assert len(half) == 212
        assert sum(row["wanted"] is None for row in half) / len(half) > 0.5
        assert {row["wanted"] for row in half} == {None, *HEADS} - {"deploy"}  # which only people may call


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_the_labelled_set_is_met_with_precision_97_and_recall_85_percent(
    half: list[dict[str, Any]], index: dict[str, Any]
) -> None:
    answers = [(row, name_of(row["prompt"], index)) for row in half]
    given_ = sum(got is not None for _, got in answers)
    wanted = sum(row["wanted"] is not None for row in half)
    right = sum(got == row["wanted"] is not None for row, got in answers)
    missed = [f"{row['prompt']!r}: {row['wanted']} wanted, {got} given" for row, got in answers if got != row["wanted"]]
    assert right / given_ >= 0.97, missed
    assert right / wanted >= 0.85, missed


def test_prompts_that_were_written_for_something_else_get_a_skill_only_where_they_name_it(
    index: dict[str, Any],
) -> None:
    """The prompts for keywords know nothing of these skills: what is given to them shows what people would see."""
    lines = (CASES / "nudge_prompts.jsonl").read_text(encoding="utf-8").splitlines()
    found = {prompt: name for line in lines if (name := name_of(prompt := json.loads(line)["prompt"], index))}
    assert found == {
        "we're ready to ship v2.4.0, make sure the changelog has the breaking changes": "release-notes",
        "turn the changelog entry into a tweet": "release-notes",
        "tweey the release notes": "release-notes",
        "hide the element visually but keep it for screen readers": "accessibility-audit",
    }


# --- What counts, and what does not


GIVEN = {
    "a name and a word of the description": ("rotate the PDF", "pdf", ["rotate", "pdf"]),
    "the kind of a file is a word": ("rotate `scan.pdf`", "pdf", ["rotate", "pdf"]),
    "a name as one word": ("write the releasenotes", "release-notes", ["releasenotes"]),
    "a name with its hyphen": ("write the release-notes", "release-notes", ["releasenotes"]),
    "a name in another form": ("do a load test", "load-testing", ["load test"]),
    "a keyword of several words": ("plan the schema migration", "database-migrations", ["schema migration"]),
    "words of the description that tell": (
        "speaker notes for all slides",
        "slide-decks",
        ["speaker notes", "slides"],
    ),
    "a name that is to be made": ("make a pdf", "pdf", ["pdf"]),
    "a slip in a name": ("pin the terrafrom provider", "terraform-modules", ["pin", "terrafrom", "provider"]),
    "the best of several": (
        "put the tables of the PDF into an Excel workbook with formulas and charts",
        "xlsx",
        ["tables", "excel workbook", "formulas", "charts"],
    ),
}


@pytest.mark.parametrize(("prompt", "name", "words"), GIVEN.values(), ids=GIVEN)
def test_given(prompt: str, name: str, words: list[str], index: dict[str, Any]) -> None:
    found = skills.find(prompt, index, fuzzy=True)
    assert found is not None
    assert (found.name, found.words) == (name, words)


SILENT = {
    "a name alone": "what is a pdf?",
    "a name that describes another thing": "the pdf icon should be red",
    "a name among others": "we use kubernetes and terraform at work",
    "words that everybody says": "create a new file, add the data and run the tests",
    "another word with the same stem": "my local branch is behind",
    "what is forbidden": "don't write release notes",
    "what nobody minds": "never mind the release notes",
    "a command line": "what does `terraform state mv` do?",
    "a quotation": 'rename the "release notes" tab',
    "what is called already": "run /pdf and merge the two pdf files",
    "what only people may call": "deploy the service to staging and production",
    "nothing": "",
}


@pytest.mark.parametrize("prompt", SILENT.values(), ids=SILENT)
def test_silent(prompt: str, index: dict[str, Any]) -> None:
    assert name_of(prompt, index) is None


def test_words_must_stand_near_each_other(index: dict[str, Any]) -> None:
    """A long paste has every word somewhere."""
    far = " ".join(["and"] * skills.WINDOW)
    assert name_of(f"rotate it {far} the PDF", index) is None
    assert name_of(f"{far} rotate the PDF {far}", index) == "pdf"


def test_a_word_that_many_skills_say_counts_less(tmp_path: Path) -> None:
    head = "description: Rotate PDF files."
    one = index_of(tmp_path / "one", {"pdf": head})
    many = index_of(tmp_path / "many", {f"pdf-{letter}": head for letter in "bcdefgh"})
    assert name_of("rotate the pdf files", one) == "pdf"
    assert name_of("rotate the pdf files", many) is None


# --- Whatever comes in


PIECES = [*"`'\".,/#-\n", "pdf", "merge", "don't", "x.pdf", "部署", "\ud800"]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map(" ".join))


@settings(deadline=None)
@given(TEXTS)
def test_any_prompt_gets_a_skill_or_none(index: dict[str, Any], prompt: str) -> None:
    assert name_of(prompt, index) in {None, *HEADS}


@settings(deadline=None, max_examples=50)
@given(st.text(), st.lists(st.text(max_size=20), max_size=4), TEXTS)
def test_any_head_is_lived_with(
    tmp_path_factory: pytest.TempPathFactory, description: str, keywords: list[str], prompt: str
) -> None:
    head = json.dumps({"description": description, "keywords": keywords})
    index = index_of(tmp_path_factory.mktemp("any"), {"one": head, "two": "description: merge pdf files"})
    assert jsons.loads(jsons.dumps(index).encode()) == index
    assert name_of(prompt + " ".join(keywords), index) in {None, "one", "two"}


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
    assert skills._sections(text) == sections


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
    assert skills.part(TEXT, prompt, room) == expected


def test_what_does_not_fit_is_cut_with_a_mark() -> None:
    text = skills.part(TEXT, "merge", 300)
    assert 290 < clipping.length(text) <= 300
    assert text.startswith(f"{INTRO}\n\n## Merging\n\nqpdf --empty")
    assert text.endswith(" more characters in SKILL.md]")


def test_a_long_beginning_leaves_room_for_the_section() -> None:
    text = skills.part(f"{LONG * 10}\n\n{MERGE}", "merge", 1_000)
    assert clipping.length(text) <= 1_000
    assert text.endswith(MERGE)


@given(st.text(alphabet="ab# \n`~🎉", max_size=3_000), st.integers(skills.LEAST, 2_000))
def test_a_part_is_never_longer_than_its_room(text: str, room: int) -> None:
    assert clipping.length(skills.part(text, "a b", room)) <= room


@pytest.mark.parametrize("line", ["# a\n", "# a\nb\n", "```\n", "a b c d ", "\n"])
def test_a_hostile_file_is_read_in_bounded_time(line: str) -> None:
    start = time.process_time()
    skills.part(line * (skills.LIMIT // len(line)), "a b", 4_000)
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
    assert skills.context(found(skill), "merge", 4_000) == (
        f'The prompt says "merge", "pdf", so this project\'s skill "pdf" may be what it needs. From {skill}:\n\n{TEXT}'
    )


def test_of_a_long_file_parts_are_told_within_the_limit(skill: Path) -> None:
    head = f'The prompt says "merge", "pdf", so the user\'s own skill "pdf" may be what it needs. Parts of {skill} '
    text = skills.context(found(skill, is_own=True), "merge", 900)
    assert text == f"{head}(read it for the rest):\n\n{INTRO}\n\n{MERGE}"
    assert clipping.length(text) <= 900


@pytest.mark.parametrize("limit", [0, 1, 199, 300])
def test_without_room_nothing_is_told(skill: Path, limit: int) -> None:
    assert skills.context(found(skill), "merge", limit) == ""


@pytest.mark.parametrize("content", ["", "---\nname: pdf\n---\n", "---\nname: pdf\n---", "\n \n"])
def test_of_an_empty_skill_nothing_is_told(skill: Path, content: str) -> None:
    skill.write_text(content)
    assert skills.context(found(skill), "merge", 4_000) == ""


def test_a_file_that_has_gone_says_nothing(skill: Path) -> None:
    skill.unlink()
    assert skills.context(found(skill), "merge", 4_000) == ""


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
    assert skills.context(found(skill), "merge", 4_000) == ""
    assert skills.context(found(skill, is_own=True), "merge", 4_000).endswith("SECRET")  # whoever made that link


def test_a_link_within_the_skills_is_followed(skill: Path) -> None:
    other = skill.parents[1] / "other"
    other.symlink_to("pdf")
    assert skills.context(found(other / "SKILL.md"), "merge", 4_000).endswith(TEXT)


@pytest.mark.parametrize("kind", ["fifo", "directory"])
def test_what_is_no_file_does_not_hang(skill: Path, kind: str) -> None:
    skill.unlink()
    os.mkfifo(skill) if kind == "fifo" else skill.mkdir()
    assert skills.context(found(skill), "merge", 4_000) == ""


def test_a_file_that_anybody_may_write_to_is_not_read(skill: Path) -> None:
    skill.chmod(0o646)
    assert skills.context(found(skill), "merge", 4_000) == ""


def test_a_file_of_somebody_else_is_not_read(skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: skill.stat().st_uid + 1)
    if skill.stat().st_uid == 0:
        os.chown(skill, 12345, -1)
    assert skills.context(found(skill), "merge", 4_000) == ""


def test_a_huge_file_is_read_as_far_as_the_limit(skill: Path) -> None:
    skill.write_text("x" * (skills.LIMIT * 2))
    assert len(skills.read_skill(str(skill), str(skill.parents[2]), is_own=False)) == skills.LIMIT


@pytest.mark.parametrize(
    ("text", "body"),
    [("x", "x"), ("---\na: b\n---\nx", "x"), ("---\n---\nx", "x"), ("---\na: b\n", "---\na: b\n"),
     ("--- \nx", "--- \nx"), ("---\na: b\n---", "")],
)  # fmt: skip
def test_the_head_is_no_part_of_the_text(text: str, body: str) -> None:
    assert text[skills.body(text) :] == body
