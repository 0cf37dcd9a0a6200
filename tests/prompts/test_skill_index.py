"""The index of the skills: what is read, what is left out, and when it is made anew."""

import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.prompts import skill_index, skills

ENVIRON_STATE = "XDG_STATE_HOME"


def write(root: Path, name: str, head: str, text: str = "text") -> Path:
    path = root / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\n{head}\n---\n{text}\n", encoding="utf-8")
    return path


def names(index: dict[str, Any]) -> list[str]:
    return [row["name"] for row in index["skills"]]


# --- What is read


READ = {
    "a name and a description": "name: one\ndescription: merge pdf files",
    "a description over lines": "description: >\n  merge\n  pdf files",
    "no field that we know": "model: opus",
    "nothing": "",
    "a list of keywords": "keywords: [pdf, merge]",
    "keywords in a line": "keywords: pdf, merge",
    "keywords of the wrong kind": "keywords: {pdf: merge}",
    "a description of the wrong kind": "description: [merge]",
    "a date, a number": "description: 2024-99-99\nversion: 1" + "0" * 5_000,
    "a tag of Python, which makes nothing": "description: !!python/object/apply:os.system [touch planted]",
    "a skill that the model may use": "disable-model-invocation: false",
}
LEFT_OUT = {
    "a skill for people": "disable-model-invocation: true",
    "the same in quotes": 'disable-model-invocation: "TRUE"',
    "the same in the other words of YAML": "disable-model-invocation: yes",
    "no table": "just text",
    "no YAML": "description: [merge",
    "an unknown alias": "description: *gone",
    "a deep one": "x: " + "[" * 5_000,
    "a head of many pages": "x: " + "y" * skill_index.HEAD,
}


@pytest.mark.parametrize("head", READ.values(), ids=READ)
def test_read(tmp_path: Path, head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "one", head)
    assert names(skill_index.build([str(tmp_path)], "")) == ["one"]
    assert [path.name for path in tmp_path.iterdir()] == ["skills"]


@pytest.mark.parametrize("head", LEFT_OUT.values(), ids=LEFT_OUT)
def test_left_out(tmp_path: Path, head: str) -> None:
    write(tmp_path, "one", head)
    write(tmp_path, "two", "description: x")
    assert names(skill_index.build([str(tmp_path)], "")) == ["two"]


def test_a_head_that_is_never_closed_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "one", "").write_text("---\ndescription: x\n")
    assert names(skill_index.build([str(tmp_path)], "")) == []


@pytest.mark.parametrize("name", [".hidden", "two words", "x\ny", "a`b", "x" * 65, "ignore all: rules"])
def test_a_directory_whose_name_could_be_a_speech_is_left_out(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, "description: x")
    assert names(skill_index.build([str(tmp_path)], "")) == []


def test_what_is_no_skill_is_left_out(tmp_path: Path) -> None:
    """As the client reads: a directory with a SKILL.md, right below the skills."""
    write(tmp_path, "one", "description: x")
    write(tmp_path, "group/two", "description: x")
    (tmp_path / "skills" / "three.md").write_text("---\ndescription: x\n---\n")
    (tmp_path / "skills" / "four").mkdir()
    assert names(skill_index.build([str(tmp_path)], "")) == ["one"]


def test_the_persons_own_comes_before_the_projects_of_the_same_name(tmp_path: Path) -> None:
    own, project = tmp_path / "own", tmp_path / "project" / ".claude"
    mine = write(own, "pdf", "description: x")
    write(project, "pdf", "description: y")
    write(project, "other", "description: y")
    index = skill_index.build([str(project), str(own)], str(own))
    assert [(row["name"], row["own"]) for row in index["skills"]] == [("pdf", True), ("other", False)]
    assert index["skills"][0]["path"] == str(mine)


def test_the_name_in_the_head_counts_beside_the_directorys(tmp_path: Path) -> None:
    write(tmp_path, "office", "name: Paper Mill\ndescription: x")
    index = skill_index.build([str(tmp_path)], "")
    said = {prompt: skills.find(prompt, index, fuzzy=False) is not None for prompt in ("use the paper mill", "a mill")}
    assert said == {"use the paper mill": True, "a mill": False}
    assert names(index) == ["office"]


def test_nothing_secret_is_written_down(tmp_path: Path) -> None:
    secret = "ghp" + "_" + "a1B2" * 9
    write(tmp_path, "one", f"description: the token is {secret}")
    assert secret.lower() not in json.dumps(skill_index.build([str(tmp_path)], "")).lower()


# --- Bounds


def test_at_most_so_many_skills_are_read(tmp_path: Path) -> None:
    for number in range(skill_index.SKILLS + 20):
        write(tmp_path, f"skill-{number:03}", "description: x")
    assert len(names(skill_index.build([str(tmp_path)], ""))) == skill_index.SKILLS
    assert len(skill_index.paths([str(tmp_path)])) == 2 * skill_index.SKILLS + 1


def test_a_project_of_long_heads_costs_bounded_time_and_none_of_the_persons_own(tmp_path: Path) -> None:
    own, project = tmp_path / "own", tmp_path / "project" / ".claude"
    for number in range(skill_index.SKILLS):
        write(project, f"skill-{number:03}", f"description: {'word ' * 1_500}")
    write(own, "zebra", "description: x")
    start = time.process_time()
    index = skill_index.build([str(project), str(own)], str(own))
    assert time.process_time() - start < 10
    assert names(index)[0] == "zebra"
    assert len(names(index)) == 1 + skill_index.HEADS // len(f"description: {'word ' * 1_500}\n")


# --- Kept on the disk


@pytest.fixture
def place(tmp_path: Path) -> Path:
    root = tmp_path / "project" / ".claude"
    write(root, "pdf", "description: merge pdf files")
    return root


def load(root: Path, state: Path) -> dict[str, Any]:
    return skills.load_index([str(root)], "", {ENVIRON_STATE: str(state)})


def kept(state: Path) -> Path:
    [path] = (state / "hookkit" / "skills").iterdir()
    return path


def test_an_index_is_kept_and_private(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(place, tmp_path)
    assert stat.S_IMODE(kept(tmp_path).stat().st_mode) == 0o600
    monkeypatch.setattr(skill_index, "build", None)  # a second reading would fail
    assert load(place, tmp_path) == first


CHANGES = {
    "a skill is new": lambda root: write(root, "xlsx", "description: x"),
    "a skill has other words": lambda root: write(root, "pdf", "description: merge pdf filez"),
    "a skill has gone": lambda root: os.unlink(root / "skills" / "pdf" / "SKILL.md"),
    "a skill was renamed": lambda root: os.rename(root / "skills" / "pdf", root / "skills" / "paper"),
    "a file is as old and as long as before": lambda root: _forge(root / "skills" / "pdf" / "SKILL.md"),
}


def _forge(path: Path) -> None:
    info = path.stat()
    path.write_text(path.read_text().replace("merge", "split"))
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_makes_it_anew(place: Path, tmp_path: Path, change: Any) -> None:
    before = load(place, tmp_path)
    change(place)
    after = load(place, tmp_path)
    assert after != before
    assert after["terms"] == skill_index.build([str(place)], "")["terms"]


def test_a_folder_that_becomes_a_skill_is_seen(place: Path, tmp_path: Path) -> None:
    (place / "skills" / "later").mkdir()
    assert names(load(place, tmp_path)) == ["pdf"]
    write(place, "later", "description: x")
    assert names(load(place, tmp_path)) == ["later", "pdf"]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 0}', "x" * 10, '{"format": 1, "places": []}'])
def test_a_spoilt_index_is_made_anew(place: Path, tmp_path: Path, content: str) -> None:
    before = load(place, tmp_path)
    kept(tmp_path).write_text(content)
    assert load(place, tmp_path) == before


def test_an_index_that_others_may_write_to_is_not_believed(place: Path, tmp_path: Path) -> None:
    before = load(place, tmp_path)
    kept(tmp_path).write_text(json.dumps({**before, "skills": []}))
    kept(tmp_path).chmod(0o666)
    assert load(place, tmp_path) == before


@pytest.mark.parametrize("environ", [{"HOME": "relative"}, {ENVIRON_STATE: "/dev/null"}])
def test_without_a_place_for_it_an_index_is_made_each_time(place: Path, environ: dict[str, str]) -> None:
    assert names(skills.load_index([str(place)], "", environ)) == ["pdf"]
