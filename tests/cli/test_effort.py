"""hookkit effort and hookkit task: what they show, change, refuse and warn of."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.work import sessions
from hookkit.work.store import Work
from tests.cli.conftest import Command
from tests.conftest import Run
from tests.work.conftest import EVERY_PART

SECRET = "sk-live-0123456789abcdef0123"


@pytest.fixture(autouse=True)
def _a_clock_that_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENT_ID", raising=False)
    monkeypatch.setattr(time, "time", lambda: 1_794_816_000.0)
    monkeypatch.setattr(time, "time_ns", lambda: 1_794_816_000 * 10**9)


@pytest.fixture
def on(home: Path) -> None:
    """Every part is on, so that no command has anything to warn of."""
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(EVERY_PART)


@pytest.fixture
def started(on: None, command: Command, project: Path) -> Path:
    assert command("effort", "start", "fix") == (0, f"Effort 1: fix on {project}\n", "")
    return project


def rows(query: str) -> list[dict[str, Any]]:
    work = Work(dict(os.environ))
    try:
        return work.rows(query)
    finally:
        work.close()


NEEDY = [
    ("show",), ("phase", "x"), ("log", "x"), ("inject", "x"), ("dehydrate", "x"), ("preload", "--clear"),
    ("guard", "deny", "Bash(ls)"), ("set", "a=1"), ("finish",), ("messages",),
]  # fmt: skip


@pytest.mark.parametrize("words", NEEDY, ids=lambda words: words[0])
def test_without_an_effort_it_says_how_to_start_one(command: Command, project: Path, words: tuple[str, ...]) -> None:
    said = f"hookkit: no active effort in {project}. Start one: hookkit effort start NAME\n"
    assert command("effort", *words) == (1, "", said)


def test_and_whose_there_is_none(command: Command, project: Path, started: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("AGENT_ID", "a1")
    said = f"hookkit: no active effort of agent a1 in {project}. Start one: hookkit effort start NAME\n"
    assert command("effort", "log", "x") == (1, "", said)


def test_an_effort_has_a_task_a_mode_and_an_agent(on: None, command: Command, project: Path) -> None:
    (project / "tickets" / "42").mkdir(parents=True)
    words = ("start", "fix", "--task", "tickets/42", "--mode", "careful", "--agent", "a1")
    assert command("effort", *words) == (0, f"Effort 1: fix on {project}/tickets/42\n", "")
    assert command("effort", *words)[1] == f"Effort 2: fix on {project}/tickets/42\n"
    [first, second] = rows("SELECT project, agent, skill, mode, ordinal, lifecycle FROM efforts")
    assert first == {**second, "ordinal": 1}
    assert tuple(second.values()) == (str(project), "a1", "fix", "careful", 2, "active")


def test_a_task_is_a_directory_and_a_typo_makes_none(command: Command, project: Path) -> None:
    (project / "file").touch()
    for name in ("tickets/42", "file"):
        said = f"hookkit: no directory {name}. Make it a task first: hookkit effort task new {name}\n"
        assert command("effort", "start", "fix", "--task", name) == (2, "", said)
    assert sorted(path.name for path in project.iterdir()) == [".git", "file"]
    command("task", "new", "tickets/42")
    assert command("effort", "start", "fix", "--task", "tickets/42").code == 0


# What a program reads of each command that changes an effort, a task or an agent.
CHANGES: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (("effort", "start", "fix", "--mode", "m"), {"effort": 2, "skill": "fix", "mode": "m", "task": "{project}"}),
    (("effort", "phase", "testing"), {"effort": 1, "phase": "testing"}),
    (("effort", "log", "One", "-o."), {"effort": 1, "logged": "One -o."}),
    (("effort", "inject", "Two."), {"effort": 1, "injected": "Two."}),
    (("effort", "dehydrate", "-done"), {"effort": 1, "dehydrated": "-done"}),
    (("effort", "preload", "a.md"), {"effort": 1, "preload": ["{project}/a.md"]}),
    (("effort", "guard", "ask", "Bash(ls)"), {"effort": 1, "rule": {"type": "ask", "match": "Bash(ls)"}}),
    (("effort", "set", "ticket=42"), {"effort": 1, "key": "ticket", "value": 42}),
    (("effort", "finish"), {"effort": 1}),
    (("task", "new", "t", "--title", "T"), {"task": "{project}/t", "title": "T"}),
]


@pytest.mark.parametrize(("words", "value"), CHANGES, ids=[" ".join(words[:2]) for words, _ in CHANGES])
def test_a_change_is_told_as_json(
    command: Command, started: Path, words: tuple[str, ...], value: dict[str, Any]
) -> None:
    (started / "a.md").touch()
    done = command(*words, "--output", "json")
    assert done.code == 0
    assert json.loads(done.out) == json.loads(json.dumps(value).replace("{project}", str(started)))


@pytest.mark.parametrize("name", ["", "x" * 101, " \n "])
def test_a_name_is_short(command: Command, name: str) -> None:
    assert command("effort", "start", "--", name) == (2, "", "hookkit: SKILL is a name of 1 to 100 characters\n")


def test_the_effort_of_a_directory_is_that_of_the_repository_around_it(
    command: Command, started: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = started / "vendor" / "lib"
    (inner / ".git").mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert command("effort", "log", "x") == (0, "Logged for effort 1\n", "")
    command("effort", "start", "other")
    assert command("effort", "log", "x") == (0, "Logged for effort 2\n", "")


def test_an_agent_finds_its_effort_from_anywhere(
    command: Command, on: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worktree beside the repository is another project."""
    monkeypatch.setenv("AGENT_ID", "a1")
    command("effort", "start", "fix")
    monkeypatch.chdir(tmp_path)
    assert command("effort", "log", "x") == (0, "Logged for effort 1\n", "")
    monkeypatch.delenv("AGENT_ID")
    assert command("effort", "log", "x").code == 1


def test_a_log_entry_lets_the_sessions_of_the_effort_go_on(command: Command, started: Path) -> None:
    work = Work(dict(os.environ))
    sessions.start(work, "c1", str(started), source="startup")
    sessions.start(work, "c1", str(started), source="part", part="p1")
    sessions.start(work, "c2", "/elsewhere", source="startup")
    work.write("UPDATE sessions SET heartbeat = 9, blocked = 2")
    work.close()
    assert command("effort", "log", "Quotes", "work.") == (0, "Logged for effort 1\n", "")
    counts = [(row["heartbeat"], row["blocked"]) for row in rows("SELECT * FROM sessions ORDER BY id")]
    assert counts == [(0, 0), (0, 0), (9, 2)]
    assert rows("SELECT effort, kind, body FROM messages") == [
        {"effort": 1, "kind": "log", "body": '{"text":"Quotes work."}'}
    ]


KEPT = {
    "log": "SELECT body AS text FROM messages",
    "inject": "SELECT text FROM injections",
    "dehydrate": "SELECT dehydrated AS text FROM efforts",
}


@pytest.mark.parametrize("name", KEPT)
class TestText:
    def kept(self, name: str) -> str:
        [row] = rows(KEPT[name])
        return str(json.loads(row["text"])["text"] if name == "log" else row["text"])

    def test_it_comes_in_on_standard_input_too(self, command: Command, started: Path, name: str) -> None:
        assert command("effort", name, stdin="One.\nTwo: über.\n").code == 0
        assert self.kept(name) == "One.\nTwo: über."

    @pytest.mark.parametrize("text", ["- the list\n- its end", "-e 5", "-help", "--- notes", "- --effort x"])
    def test_it_may_begin_with_a_dash(self, command: Command, started: Path, name: str, text: str) -> None:
        assert command("effort", name, text).code == 0
        assert self.kept(name) == text

    def test_what_is_no_text_at_all_is_kept_as_far_as_it_goes(self, hookkit: Run, started: Path, name: str) -> None:
        assert hookkit("effort", name, stdin=b"a\xffb", cwd=started).returncode == 0
        assert self.kept(name) == "a\ufffdb"

    def test_a_secret_is_masked_before_it_is_kept(self, command: Command, started: Path, name: str) -> None:
        assert command("effort", name, f"The key is {SECRET}.").code == 0
        assert self.kept(name) == "The key is [masked]."

    def test_what_is_too_long_is_refused_with_the_number(self, command: Command, started: Path, name: str) -> None:
        what = "the entry" if name == "log" else "the text"
        said = f"hookkit: {what} has 8,001 characters, and 8,000 is the most. Shorten it.\n"
        assert command("effort", name, stdin="x" * 8_001) == (2, "", said)
        assert command("effort", name, stdin="x" * 8_000).code == 0
        assert command("effort", name, stdin="𝄞" * 4_001).code == 2  # the client counts them twice

    def test_nothing_is_refused(self, command: Command, started: Path, name: str) -> None:
        what = "the entry" if name == "log" else "the text"
        assert command("effort", name, stdin=" \n") == (2, "", f"hookkit: {what} is empty\n")


def test_dehydrate_says_how_much_and_when(command: Command, started: Path) -> None:
    kept = "Kept 5 characters for effort 1; handed over when its next session starts\n"
    assert command("effort", "dehydrate", "Half.") == (0, kept, "")
    again = kept.replace(";", ", in place of what waited before;")
    assert command("effort", "dehydrate", "Done.") == (0, again, "")


class TestPreload:
    def test_files_are_added_shown_and_cleared(self, command: Command, started: Path) -> None:
        for name in ("a.md", "b.md"):
            (started / name).touch()
        assert command("effort", "preload", "a.md") == (0, f"{started}/a.md\n", "")
        assert command("effort", "preload", "b.md", "a.md") == (0, f"{started}/a.md\n{started}/b.md\n", "")
        assert command("effort", "preload") == (0, f"{started}/a.md\n{started}/b.md\n", "")
        assert command("effort", "preload", "--clear", "b.md") == (0, f"{started}/b.md\n", "")
        assert command("effort", "preload", "--clear") == (0, "Effort 1 preloads nothing\n", "")

    def test_what_is_no_file_is_named(self, command: Command, started: Path) -> None:
        assert command("effort", "preload", "gone.md") == (2, "", "hookkit: gone.md is not a file\n")

    def test_there_is_a_limit(self, command: Command, started: Path) -> None:
        names = [f"{number}.md" for number in range(51)]
        for name in names:
            (started / name).touch()
        said = "hookkit: 51 files, and 50 is the most. Start over with --clear.\n"
        assert command("effort", "preload", *names) == (2, "", said)
        assert rows("SELECT preload FROM efforts") == [{"preload": "[]"}]


class TestGuard:
    def metadata(self) -> Any:
        return json.loads(rows("SELECT metadata FROM efforts")[0]["metadata"])

    def test_rules_are_added_replaced_and_removed(self, command: Command, started: Path) -> None:
        done = command("effort", "guard", "deny", "Bash(git push *)", "--reason", "Not\nyet.")
        assert done == (0, "deny Bash(git push *), until effort 1 is finished\n", "")
        command("effort", "guard", "ask", "Write(docs/*)")
        command("effort", "guard", "ask", "Bash(git push *)")
        assert self.metadata() == {
            "guards": [{"type": "ask", "match": "Write(docs/*)"}, {"type": "ask", "match": "Bash(git push *)"}]
        }
        assert command("effort", "guard", "remove", "Write(docs/*)") == (0, "Removed Write(docs/*)\n", "")
        said = "hookkit: effort 1 has no rule Write(docs/*)\n"
        assert command("effort", "guard", "remove", "Write(docs/*)") == (1, "", said)
        assert self.metadata() == {"guards": [{"type": "ask", "match": "Bash(git push *)"}]}

    def test_a_reason_is_one_line(self, command: Command, started: Path) -> None:
        command("effort", "guard", "deny", "Bash(ls)", "--reason", f"Not\nyet: {SECRET}")
        assert self.metadata()["guards"][0]["reason"] == "Not yet: [masked]"

    def test_a_mistake_has_a_caret(self, command: Command, started: Path) -> None:
        said = "hookkit: expected ) at the end\n  Bash(git push *\n                 ^\n"
        assert command("effort", "guard", "deny", "Bash(git push *") == (2, "", said)
        assert self.metadata() == {}

    def test_it_cannot_allow(self, command: Command, started: Path) -> None:
        assert command("effort", "guard", "allow", "Bash(ls)").code == 2
        assert self.metadata() == {}


class TestSet:
    @pytest.mark.parametrize(
        ("given", "value", "said"),
        [
            ("ticket=42", 42, "ticket = 42"),
            ("owner=Ann Lee", "Ann Lee", 'owner = "Ann Lee"'),
            ("urgent=true", True, "urgent = true"),
            ('tags=["a", "b"]', ["a", "b"], 'tags = ["a", "b"]'),
            ("url=http://x/?a=b", "http://x/?a=b", 'url = "http://x/?a=b"'),
            ("empty=", "", 'empty = ""'),
            ("password=hunter2", "[masked]", 'password = "[masked]"'),
            (f"note={SECRET}", "[masked]", 'note = "[masked]"'),
        ],
    )
    def test_a_value_is_json_or_a_text(
        self, command: Command, started: Path, given: str, value: Any, said: str
    ) -> None:
        assert command("effort", "set", given) == (0, f"{said}\n", "")
        assert json.loads(rows("SELECT metadata FROM efforts")[0]["metadata"]) == {given.partition("=")[0]: value}

    def test_null_takes_it_away(self, command: Command, started: Path) -> None:
        command("effort", "set", "ticket=42")
        assert command("effort", "set", "ticket=null") == (0, "ticket is gone\n", "")
        assert rows("SELECT metadata FROM efforts") == [{"metadata": "{}"}]

    @pytest.mark.parametrize("given", ["ticket", "=5", "a b=5", "x" * 101 + "=5"])
    def test_what_is_no_pair_is_refused(self, command: Command, started: Path, given: str) -> None:
        done = command("effort", "set", given)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("hookkit: expected KEY=VALUE, with letters, digits, _, - and . in KEY, not ")

    def test_guards_are_no_fact(self, command: Command, started: Path) -> None:
        said = "hookkit: guards are rules. Add one: hookkit effort guard deny PATTERN\n"
        assert command("effort", "set", "guards=[]") == (2, "", said)


def test_finish_ends_it_once(command: Command, started: Path) -> None:
    assert command("effort", "finish") == (0, "Effort 1 is finished\n", "")
    assert command("effort", "finish").code == 1
    assert command("effort", "finish", "1") == (1, "", "hookkit: effort 1 was finished 0s ago\n")
    assert command("effort", "finish", "7") == (
        1, "", "hookkit: there is no effort 7. See: hookkit effort list --all\n",
    )  # fmt: skip


def test_list_has_the_active_ones_of_this_project_or_all(
    command: Command, started: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("effort", "start", "review", "--mode", "quick", "--agent", "a1")
    command("effort", "phase", "reading", "--effort", "2")
    command("effort", "finish", "1")
    monkeypatch.setenv("COLUMNS", "300")
    table = f"""\
ID  EFFORT          PHASE    AGENT  STATE   SINCE  TASK
2   review (quick)  reading  a1     active  0s     {started}
"""
    assert command("effort", "list") == (0, table, "")
    monkeypatch.chdir(started.parent)
    assert command("effort", "list").out == "No active efforts here. Start one: hookkit effort start NAME\n"
    listed = json.loads(command("effort", "list", "--all", "-o", "json").out)
    assert [(row["id"], row["lifecycle"], row["dir"]) for row in listed] == [
        (2, "active", str(started)),
        (1, "finished", str(started)),
    ]


def test_show_has_all_that_is_known(command: Command, started: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (started / "plan.md").touch()
    work = Work(dict(os.environ))
    session = sessions.start(work, "c1", str(started), source="startup")
    work.write("UPDATE sessions SET heartbeat = 4, usage = 0.45, status = 'working' WHERE id = ?", session)
    part = sessions.start(work, "c1", str(started), source="part", part="p1", kind="Explore")
    work.add("sessions", "loaded", part, ["/a", "/b"])
    sessions.end(work, part)
    work.add("efforts", "directives", 1, [f"{started}/AGENTS.md"])
    work.close()
    for words in (
        ("phase", "testing"), ("inject", "Look."), ("dehydrate", "Half."), ("preload", "plan.md"),
        ("guard", "deny", "Bash(git push *)", "-r", "Not yet."), ("set", "ticket=42"),
    ):  # fmt: skip
        assert command("effort", *words).code == 0
    work = Work(dict(os.environ))
    work.note(1, None, "log", {"text": "Quotes \x1b[31mwork."})
    work.close()
    assert (
        command("effort", "show").out
        == f"""\
effort      1 fix
state       active, 0s
task        {started} (its effort number 1)
project     {started}
phase       testing
sessions    1 working since 0s, 45% of the context, 4 calls since the last entry
            2 Explore ended 0s ago
last entry  0s ago: Quotes \\x1b[31mwork.
guards      deny Bash(git push *)  Not yet.
facts       ticket = 42
preload     {started}/plan.md
directives  {started}/AGENTS.md
loaded      2 files by sub-agents
dehydrated  5 characters wait for the next session
to be told  1 text
"""
    )
    shown = json.loads(command("effort", "show", "1", "--output", "json").out)
    assert shown["metadata"]["ticket"] == 42
    assert [row["id"] for row in shown["sessions"]] == [1, 2]


def test_messages_by_kind_and_number(command: Command, started: Path) -> None:
    work = Work(dict(os.environ))
    work.note(1, None, "failure", {"tool": "Bash", "error": "Exit code 1"})
    question = {"question": "Which one?", "header": "Which"}
    work.note(1, None, "dialogue", {"questions": [question], "answers": {"Which one?": "A"}})
    work.note(1, None, "dialogue", {"questions": [question], "answers": "The second"})
    work.note(1, None, "dialogue", {"questions": "spoilt", "answers": None})
    work.close()
    command("effort", "log", "One.")
    command("effort", "log", "Two.")
    assert command("effort", "messages") == (
        0,
        """\
AGO  KIND      WHAT
0s   failure   Bash: Exit code 1
0s   dialogue  Which one?
               → A
0s   dialogue  Which one?
               → The second
0s   dialogue  → None
0s   log       One.
0s   log       Two.
""",
        "",
    )
    assert command("effort", "messages", "--kind", "log", "-n", "1").out == "AGO  KIND  WHAT\n0s   log   Two.\n"
    assert (
        command("effort", "messages", "--kind", "injected").out == "No messages. Write one: hookkit effort log TEXT\n"
    )
    [row] = json.loads(command("effort", "messages", "1", "-k", "failure", "-o", "json").out)
    assert (row["kind"], row["body"]) == ("failure", {"tool": "Bash", "error": "Exit code 1"})


# What each command says of a part that is off: what was asked for is done, and comes to nothing.
OFF = [
    (
        ("start", "x"),
        "no session will belong to it: sessions.parts lacks track. Switch it on: hookkit set sessions.parts +track",
    ),
    (
        ("phase", "x"),
        "sessions are not told: sessions.parts lacks prompts. Switch it on: hookkit set sessions.parts +prompts",
    ),
    (
        ("inject", "x"),
        "nothing will be delivered: sessions.parts lacks messages. Switch it on: hookkit set sessions.parts +messages",
    ),
    (
        ("dehydrate", "x"),
        "nothing will be handed over: sessions.parts lacks notes. Switch it on: hookkit set sessions.parts +notes",
    ),
    (
        ("preload", "a.md"),
        "no file will be read: sessions.parts lacks files. Switch it on: hookkit set sessions.parts +files",
    ),
    (
        ("guard", "deny", "Bash(ls)"),
        "no call is held against it: sessions.parts lacks rules. Switch it on: hookkit set sessions.parts +rules",
    ),
]


@pytest.mark.parametrize(("words", "said"), OFF, ids=lambda value: value[0] if isinstance(value, tuple) else "")
def test_a_part_that_is_off_is_said(command: Command, project: Path, words: tuple[str, ...], said: str) -> None:
    (project / "a.md").touch()
    command("effort", "start", "fix")
    done = command("effort", *words)
    assert (done.code, done.err) == (0, f"hookkit: {said}\n")


def test_with_broken_settings_they_work_all_the_same(command: Command, home: Path, project: Path) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text("sessions = ")
    done = command("effort", "start", "fix")
    assert done.code == 0
    first, second = done.err.splitlines()
    assert first.startswith(f"hookkit: ignored {path}:1:")
    off = "hookkit: no session will belong to it: sessions.parts lacks track. "
    assert second == f"{off}Switch it on: hookkit set sessions.parts +track"


def test_a_database_that_cannot_be_had_is_said_in_one_line(command: Command, home: Path) -> None:
    path = home / ".local" / "state" / "hookkit" / "work.db"
    path.parent.mkdir(parents=True, mode=0o700)
    path.write_bytes(b"no database at all, " * 200)
    said = f"hookkit: {path}: damaged (file is not a database). Move it away, and a new one is made.\n"
    for name in ("effort", "task"):
        assert command(name, "list") == (2, "", said)


class TestTask:
    def test_a_task_is_active_while_one_of_its_efforts_is(self, on: None, command: Command, project: Path) -> None:
        assert command("task", "list") == (0, "No tasks. Make one: hookkit effort task new DIR\n", "")
        made = f"Task {project}/t/42. Begin: hookkit effort start NAME --task t/42\n"
        assert command("task", "new", "t/42", "--title", "Quotes", "--keywords", "parser") == (0, made, "")
        assert (project / "t" / "42").is_dir()
        states = []
        for words in ((), ("start", "fix", "--task", "t/42"), ("finish",)):
            if words:
                assert command("effort", *words).code == 0
            [row] = json.loads(command("task", "list", "-o", "json").out)
            states.append((row["state"], row["efforts"], row["title"], row["keywords"]))
        named = ("Quotes", "parser")
        assert states == [("dormant", 0, *named), ("active", 1, *named), ("dormant", 1, *named)]

    def test_new_again_changes_what_is_given(self, command: Command, project: Path) -> None:
        command("task", "new", "t", "--title", "One", "--keywords", "k")
        command("task", "new", "t", "--title", "Two")
        assert rows("SELECT id, title, keywords FROM tasks") == [{"id": 1, "title": "Two", "keywords": "k"}]

    def test_list_and_show(
        self, on: None, command: Command, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place = home / "w"
        place.mkdir()
        monkeypatch.chdir(place)
        command("task", "new", "old")
        command("task", "new", "t", "--title", "Quotes", "--keywords", "parser")
        command("effort", "start", "fix", "--task", "t", "--mode", "careful", "--agent", "a1")
        assert (
            command("task", "list").out
            == """\
TASK     TITLE   STATE    EFFORTS  KEYWORDS
~/w/t    Quotes  active   1        parser
~/w/old  old     dormant  0
"""
        )
        assert (
            command("task", "show", "t").out
            == """\
~/w/t  Quotes  active
keywords: parser
ID  EFFORT  MODE     PHASE  AGENT  STATE   SINCE
1   fix     careful         a1     active  0s
"""
        )
        shown = json.loads(command("task", "show", "t", "-o", "json").out)
        assert (shown["state"], [row["skill"] for row in shown["efforts"]]) == ("active", ["fix"])
        said = "hookkit: nowhere is not a task. Make it one: hookkit effort task new nowhere\n"
        assert command("task", "show", "nowhere") == (1, "", said)
