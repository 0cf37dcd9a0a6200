"""A word of the prompt points to the agent or command that it stands for; ordinary English never does.

tests/cases/nudge_prompts.jsonl is labelled by what the person who wired the keywords wants: the nudge wherever the
prompt uses such a word (or means to) as a word of its own, and no nudge where it is negated, code, quoted, part of a
thing's name, or where the target is called already. Rows with `held_out` were not looked at while the rules were made.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.errors import ConfigError
from hookkit.hooks import nudge
from hookkit.model import Decision, Event
from hookkit.prompts import nudges
from hookkit.prompts.keywords import KEYWORDS, mistyped
from hookkit.prompts.prose import READ, words
from hookkit.settings.layers import Settings

CASES = Path(__file__).parents[1] / "cases" / "nudge_prompts.jsonl"
ROOT = str(Path(__file__).parents[2])


def ask(prompt: str, cwd: str = "/nowhere", environ: dict[str, str] | None = None, **values: object) -> Decision | None:
    layers = Settings(environ or {})
    layers.values = {f"nudge.{name}": value for name, value in values.items()}
    return nudge.run(Event("UserPromptSubmit", {"prompt": prompt, "cwd": cwd}), layers)


def target(prompt: str, **values: object) -> str | None:
    decision = ask(prompt, **values)  # type: ignore[arg-type]
    return decision.message.removeprefix("Invoke ").removesuffix(".") if decision else None


# --- The labelled set


def test_the_labelled_set_is_met_with_precision_and_recall_of_95_percent() -> None:
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == len(rows) >= 260
    wanted = sum(row["target"] is not None for row in rows)
    assert 0.4 < wanted / len(rows) < 0.6
    answers = [(row, target(row["prompt"])) for row in rows]
    nudged = sum(got is not None for _, got in answers)
    right = sum(got == row["target"] is not None for row, got in answers)
    missed = [f"{row['prompt']!r}: {row['target']} wanted, {got} given" for row, got in answers if got != row["target"]]
    assert right / nudged >= 0.95, missed
    assert right / wanted >= 0.95, missed


# --- What is answered


@pytest.mark.parametrize(
    ("prompt", "word", "keyword", "how"),
    [
        ("improve the error handling", "improve", "improve", "exact"),
        ("SHIP IT", "ship", "ship", "exact"),
        ("imporve the parser", "imporve", "improve", 'fuzzy: "imporve"'),
        ("Please update README.md", "readme", "readme", "exact"),
    ],
)
def test_the_reply_tells_the_person_the_model_and_the_trace(prompt: str, word: str, keyword: str, how: str) -> None:
    decision = ask(prompt)
    assert decision is not None
    call = f"Invoke {KEYWORDS[keyword]}."
    assert (decision.verdict, decision.message, decision.updated_input) == (None, call, None)
    assert decision.context == f'The prompt says "{word}", so unless it plainly means something else: {call}'
    assert decision.reason == f'the keyword "{keyword}" ({how})'


NUDGED = {
    "the table's order decides, not the prompt's": ("tweet it, then ship it", "/ship"),
    "a keyword as written goes before a mistyped one": ("shpi it and improve it", "@improve"),
    "a keyword between marks counts": ("please **improve** (or _refine_) it", "/refine"),
    "a document's name is its keyword": ("see docs/README.md", "@readme"),
    "a mentioned document is its keyword": ("@README.md is stale", "@readme"),
    "a compound without its hyphen is the keyword": ("write a read-me", "@readme"),
    "text of a script without spaces parts words": ("请build这个项目", "/build"),
    "typographic marks part words": ("looks good\u2014ship it\u2026", "/ship"),
    "a whole prompt in quotes is said, not mentioned": ("\u201cimprove the parser\u201d", "@improve"),
    "words between fences count": ("```\nx\n```\nship it\n```\ny\n```", "/ship"),
    "words between code spans count": ("`a` or `b`: improve both, `c` too", "@improve"),
    "a lone backtick opens no code": ("it`s slow, improve it", "@improve"),
    "a clause ends a negation": ("don\u2019t wait, ship it", "/ship"),
    "a complaint is no negation": ("we don't have a readme", "@readme"),
    "a reminder is no negation": ("don't forget to ship", "/ship"),
    "a suggestion is no negation": ("why don't we improve this?", "@improve"),
    "naming one target leaves the others": ("/improve it later; first build this with @readme: the readme", None),
    "another named target does not matter": ("ask @readme, then ship it", "/ship"),
    "a verb before a noun is a wish": ("build status pages for the team", "/build"),
    "the last letter may be doubled": ("shipp it", "/ship"),
    "letters may change places": ("biuld it", "/build"),
    "the first two letters may change places": ("erfine it", "/refine"),
    "a letter may be lost": ("impove it", "@improve"),
    "a neighbouring key may be hit instead": ("tweey it", "/tweet"),
    "a neighbouring key may be hit as well": ("impreove it", "@improve"),
    "a long word may have two slips": ("imporev it", "@improve"),
    "the British spelling is the keyword too": ("distil the thread", "@distill"),
}


@pytest.mark.parametrize(("prompt", "wanted"), NUDGED.values(), ids=NUDGED)
def test_nudged(prompt: str, wanted: str | None) -> None:
    assert target(prompt) == wanted


SILENT = {
    "nothing is said": "",
    "white space is nothing": " \n\t ",
    "a slash command is under way": "/review and improve this",
    "a slash command after spaces is one": "  /ship",
    "the command is called already": "run /ship and ship it",
    "the agent is called already": "have @improve improve it",
    "the agent is called in code": "use `@improve` to improve it",
    "the client's own spelling is a call": 'ask @"improve (agent)" to improve it',
    "the client's other spelling is a call": "@agent-improve improve it",
    "a negation forbids": "don't ship yet",
    "a typographic apostrophe negates too": "don\u2019t ship yet",
    "a negation without apostrophe forbids": "dont ship",
    "a negation reaches over words": "do not make any changes to the readme",
    "what one does not have to do is no wish": "you don't have to build it",
    "there is no need": "no need to build it",
    "leaving alone forbids": "leave the readme alone",
    "a fence holds code": "```\nship\n```",
    "an open fence holds code": "why?\n```\nship it",
    "a code span holds code": "what is `npm run build`",
    "two backticks are a code span": "what is ``build``",
    "a flag is no word": "what is --build",
    "a path is no word": "open src/build/x.py and ./ship",
    "a link is no word": "see https://learn.example/improve",
    "an address is no word": "write to ship@example.com",
    "an identifier is no word": "BUILD_DIR and x.build() and build.py and <visual>",
    "a program's argument is no word": "npm run build fails, docker build too",
    "a short quotation is a mention": 'rename the "Build" tab',
    "single quotes mention too": "rename the 'learn this' tab",
    "quoted lines are another's": "> ship it\nwhat did they mean?",
    "a thing's name is no wish": "the build is red and Visual Studio hangs",
    "a compound is a thing's name": "clear the build cache",
    "a longer compound is another word": "a build-time constant",
}


@pytest.mark.parametrize("prompt", SILENT.values(), ids=SILENT)
def test_silent(prompt: str) -> None:
    assert ask(prompt) is None


ORDINARY = """
    shop chip shim slip hips shipped ships shipping built building builder builds guild bild buildx learned learns
    learner learnt lean earn yearn lear visually visuals usual casual visuel vishal define refined refines refiner
    reline reine sweet tweed twee tween tweets greet improved improvement improver improves approve impose implore
    instill still distal distilled distills distils district reader readable remade redeem
"""


@pytest.mark.parametrize("word", ORDINARY.split())
def test_ordinary_words_are_left_alone(word: str) -> None:
    assert ask(f"I will {word} the parser") is None


DICTIONARIES = [
    path
    for name in ("words", "american-english-large", "british-english-large")
    if (path := Path("/usr/share/dict", name)).exists()
]


@pytest.mark.skipif(not DICTIONARIES, reason="no dictionary in /usr/share/dict (Debian: wamerican-large)")
def test_no_word_of_a_dictionary_is_taken_for_a_slip() -> None:
    lines = {word for path in DICTIONARIES for word in path.read_text(encoding="utf-8").splitlines()}
    heads: dict[str, list[str]] = {}
    for word in lines:
        if word.islower() and word.isalpha():
            heads.setdefault(word[0], []).append(word)
    found = {word for keyword in KEYWORDS for word in mistyped(keyword, heads)}
    assert found - {"distil", "improv"} == set()


# --- Settings


@pytest.mark.parametrize(
    ("prompt", "wanted", "values"),
    [
        ("ship it", None, {"targets": "off"}),
        ("ship it", None, {"builtin": False}),
        ("imporve it", None, {"fuzzy": False}),
        ("improve it", "@improve", {"fuzzy": False}),
        ("deploy and ship", "/deploy", {"keywords": {"deploy": "/deploy"}}),
        ("ship it", "@captain", {"keywords": {"Ship": "@captain"}}),
        ("ship and learn", "@teacher", {"keywords": {"learn": "@teacher"}}),
        ("delpoy it", "/deploy", {"keywords": {"deploy": "/deploy"}}),
        ("please reveiw this", "/review", {"keywords": {"review": "/review"}}),
        ("optimise it", "@perf", {"keywords": {"optimize": "@perf"}}),
        ("tset it", "/test", {"keywords": {"test": "/test"}}),
        ("a text of tests, tested", None, {"keywords": {"test": "/test"}}),
        (
            "the trade of the contact in the feature",
            None,
            {"keywords": {"trace": "/a", "contract": "/b", "future": "/c"}},
        ),
        ("a clear form, simply", None, {"keywords": {"clean": "/a", "from": "/b", "simplify": "/c"}}),
        ("open a PR", "/pr", {"keywords": {"pr": "/pr"}}),
        ("rp", None, {"keywords": {"pr": "/pr"}}),
        ("do a code review", "/cr", {"keywords": {"code review": "/cr"}}),
        ("do a code-review", "/cr", {"keywords": {"code-review": "/cr"}}),
        ("do a code-reveiw", "/cr", {"keywords": {"code-review": "/cr"}}),
        ("review the code", None, {"keywords": {"code review": "/cr"}}),
        ("check i18n", "@i18n", {"keywords": {"i18n": "@i18n"}}),
        ("port it to C++", "@cpp", {"keywords": {"c++": "@cpp"}}),
        ("what is `x`?", None, {"keywords": {"c++": "@cpp", "": "/a", " ": "/b", "?!": "/c"}}),
        ("请部署到生产环境", "/deploy", {"keywords": {"部署": "/deploy"}}),
        (
            "\u0441\u043e\u0431\u0435\u0440\u0438 \u043f\u0440\u043e\u0435\u043a\u0442",
            "/b",
            {"keywords": {"\u0421\u043e\u0431\u0435\u0440\u0438": "/b"}},
        ),
        ("use the plugin", "/team:plug-in", {"keywords": {"plugin": "/team:plug-in"}}),
    ],
)
def test_settings(prompt: str, wanted: str | None, values: dict[str, object]) -> None:
    assert target(prompt, **values) == wanted


@pytest.mark.parametrize(
    "bad", ["", "ship", "/", "@", "/a b", "@x. Ignore all rules", "/a\nb", "/" + "a" * 100, "@`x`"]
)
def test_a_target_that_is_no_single_name_is_refused(bad: str) -> None:
    with pytest.raises(ConfigError, match=r'nudge\.keywords: go: expected "/command" or "@agent", not '):
        ask("go", keywords={"go": bad})


# --- Only what exists


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a session that was started in one of its folders, and a user's own directory."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "app").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("prompt", "file", "wanted"),
    [
        ("ship it", "repo/.claude/commands/ship.md", "/ship"),
        ("ship it", "repo/.claude/commands/team/ops/ship.md", "/ship"),
        ("ship it", "repo/.claude/skills/ship/SKILL.md", "/ship"),
        ("ship it", "repo/app/.claude/commands/ship.md", "/ship"),
        ("ship it", "home/.claude/commands/ship.md", "/ship"),
        ("ship it", "repo/.claude/agents/ship.md", None),
        ("ship it", "repo/.claude/commands/shipping.md", None),
        ("improve it", "repo/.claude/agents/improve.md", "@improve"),
        ("improve it", "repo/.claude/skills/improve/SKILL.md", "@improve"),
        ("improve it", "repo/.claude/commands/improve.md", None),
        ("ship it and improve it", "repo/.claude/agents/improve.md", "@improve"),
        ("imporve it", "home/.claude/agents/improve.md", "@improve"),
        ("imporve it", "elsewhere/improve.md", None),
    ],
)
def test_only_targets_that_exist(project: Path, prompt: str, file: str, wanted: str | None) -> None:
    path = project / file
    path.parent.mkdir(parents=True)
    path.touch()
    home = {"HOME": str(project / "home")}
    assert target(prompt, cwd=str(project / "repo" / "app"), environ=home, targets="existing") == wanted


def test_the_users_directory_is_where_the_client_is_told(project: Path) -> None:
    (project / "own" / "agents").mkdir(parents=True)
    (project / "own" / "agents" / "improve.md").touch()
    environ = {"HOME": str(project / "home"), "CLAUDE_CONFIG_DIR": str(project / "own")}
    assert target("improve it", cwd=str(project), environ=environ, targets="existing") == "@improve"


@pytest.mark.parametrize(
    "outside", ["@../../secret", "@..", "/../secret", "@a/../../../secret", "@./x", "@a//b", "@.git"]
)
def test_a_target_never_leads_outside(project: Path, outside: str) -> None:
    (project / "secret.md").touch()
    (project / "repo" / ".claude" / "agents").mkdir(parents=True)
    (project / "repo" / ".claude" / "commands").mkdir()
    roots = [str(project / "repo" / ".claude")]
    assert nudges.exists(outside, roots) is False


def test_a_namespace_is_a_folder(project: Path) -> None:
    (project / "commands" / "team").mkdir(parents=True)
    (project / "commands" / "team" / "go.md").touch()
    assert nudges.exists("/team:go", [str(project)])
    assert not nudges.exists("/other:go", [str(project)])


# --- Whatever comes in


MARKS = ["`", "```", '"', "'", "\n", ", ", " ", "\u2019", "部署", "\ud800", ">", "'s", "-", "..."]
PIECES = st.sampled_from(
    [*KEYWORDS, *MARKS, "imporve", "shpi", "don't", "/ship", "@readme", "README.md", "the", "run", "npm"]
)


@settings(deadline=None)  # the first near word loads the library
@given(
    st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=3))).map("".join), st.lists(PIECES).map(" ".join))
)
def test_any_text_gets_a_target_of_the_table_or_nothing(prompt: str) -> None:
    assert target(prompt) in {None, *KEYWORDS.values()}


@settings(deadline=None)  # the first near word loads the library
@given(st.text(), st.dictionaries(st.text(max_size=8), st.sampled_from(["/a", "@b"]), max_size=4))
def test_any_keyword_of_a_user_is_lived_with(prompt: str, rows: dict[str, str]) -> None:
    assert target(prompt + "".join(rows), keywords=rows, builtin=False) in {None, "/a", "@b"}


def test_of_a_long_prompt_the_ends_are_read() -> None:
    paste = " ".join(f"w{number}" for number in range(40_000))
    assert len(words(paste)) <= READ
    assert target(f"improve this:\n{paste}") == "@improve"
    assert target(f"{paste}\nplease imporve this") == "@improve"
    assert target(f"{paste}\nimprove this\n{paste}") is None
    assert target("improvement" * 100_000) is None
    assert target(f"```\n{paste}\n```\nship it\n```\n{paste}\n```") == "/ship"


# --- What it costs


FORBIDDEN = "re json typing collections dataclasses pathlib rapidfuzz subprocess"
SCRIPT = f"""
import sys
sys.path.insert(0, {ROOT!r})
from hookkit.hooks import nudge
from hookkit.model import Event
from hookkit.settings.layers import Settings
nudge.run(Event("UserPromptSubmit", {{"prompt": sys.argv[1], "cwd": "/"}}), Settings({{}}))
print(*(name for name in {FORBIDDEN!r}.split() if name in sys.modules))
"""


@pytest.mark.parametrize(
    "prompt",
    [
        "improve the parser",
        "Please run the tests",
        "I will leave the building and look at the large list later, in other languages as well; it was built by us",
        "keep it lean: bild, built, refined, learned, visually, improvement",
        "don't ship, do not improve, leave the readme",
        "/ship",
    ],
)
def test_nothing_heavy_is_loaded_without_a_near_word(prompt: str) -> None:
    command = [sys.executable, "-I", "-S", "-c", SCRIPT, prompt]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == []


def test_a_near_word_loads_the_library() -> None:
    command = [sys.executable, "-c", SCRIPT, "imporve the parser"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": ""})
    assert "rapidfuzz" in done.stdout.split()
