"""Which skill a prompt is about.

tests/cases/nudge_skills.jsonl holds the heads of some skills, and prompts labelled by the skill that a person would
want for them, or none. Rows with `held_out` were only counted, never looked at, while the
rules were made.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.prompts import skill_index, skills
from hookkit.system import jsons

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
