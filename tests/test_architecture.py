"""The laws that no type checker holds: who may import whom, what a hook may load, what a drawer's file must have."""

import ast
import doctest
import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hookkit
import hookkit.shell
from hookkit import registry
from hookkit.events import EVENTS
from hookkit.redirect import detectors
from hookkit.settings import hook_rows, layers
from tests.conftest import HOOKKIT

ROOT = Path(hookkit.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
# From the bottom up, as docs/map.md lists the rooms: a room imports only from its own row or the rows before it.
MAP = (ROOT.parent / "docs" / "map.md").read_text()
ROWS = [
    line.split("|")[2].replace("`", "").split()
    for line in MAP.splitlines()
    if line.startswith("| ") and line[2].isdigit()
]
# Packages without code of their own.
ROOMS = {"", ".shell"} | {
    f".{'.'.join(path.parent.relative_to(ROOT).parts)}"
    for path in ROOT.rglob("*/__init__.py")
    if len(ast.parse(path.read_text()).body) <= 1
}
RANK = {name: rank for rank, row in enumerate(ROWS) for name in row}


def layer(dotted: str) -> str:
    """The room of a module, or the module itself where it stands in none."""
    return dotted.split(".")[1] if "." in dotted else "hookkit"


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text())))


def imports(path: Path) -> list[str]:
    """What a module imports of hookkit, for its types too."""
    found = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "hookkit":
            found += [f"hookkit.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append(node.module or "")
    return found


def test_a_module_imports_only_from_the_rows_below_it() -> None:
    wrong = []
    for path in MODULES:
        own = layer("hookkit." + ".".join(path.relative_to(ROOT).with_suffix("").parts))
        names = [name for name in imports(path) if name.startswith("hookkit.") and layer(name) != "__version__"]
        above = [name for name in names if own != "__init__" and RANK[layer(name)] > RANK[own]]
        wrong += [f"{path.relative_to(ROOT)} may not import {name}" for name in above]
    assert wrong == []


@pytest.mark.parametrize("path", sorted((ROOT / "shell").rglob("*.py")), ids=lambda path: path.name)
def test_the_shell_is_a_library_of_its_own(path: Path) -> None:
    """It imports the errors, the catalogue of programs and itself: nothing of rules, settings or masking."""
    mine = {name.split(".")[1] for name in imports(path) if name.startswith("hookkit.")}
    assert mine <= {"errors", "programs", "shell"}


@pytest.mark.parametrize("path", sorted((ROOT / "programs").glob("*.py")), ids=lambda path: path.name)
def test_the_catalogue_of_programs_stands_on_nothing_but_the_errors(path: Path) -> None:
    assert {name.split(".")[1] for name in imports(path) if name.startswith("hookkit.")} <= {"errors", "programs"}


# Modules beside the catalogue and the shell that read the words of a command as they are, and why.
RAW_WORDS = {
    "verdicts.approve.__init__": "hands the words of a project's own command to the parser",
    "policy.call": "hands the words to the parser; paths among the words of a program without a record",
    "policy.match": "names the program in a reason; an exception is not about the options of an interpreter's script",
    "policy.line_effects": "variables, pipes and redirections of a whole line: no record of one program tells them",
    "verdicts.undo.__init__": "files among the words of an editor, kept in case that it changes them",
    "policy.index": "any word may be a program that an unknown program runs",
    "verdicts.approve.lines": "hands the words to the parser; takes the command behind -exec out of find's words",
    "verdicts.approve.tree": "walks the syntax tree, whose words are not yet those of a program",
    "verdicts.outgoing": "finds the script that a line starts",
    "ledger.side_effects": "finds the code of a one-liner",
    "play.mining": "writes a rule with the words of a command",
    "cli._why": "shows the words",
    "redirect.line": "rewrites the words",
    "settings.hook_files": "finds the script in the command line of a handler",
    "work.memory": "looks for a call of hookkit itself",
}


def test_only_the_catalogue_and_the_shell_look_at_the_words_of_a_program() -> None:
    """Everything else reads effects or parsed options: a second look at the words is the beginning of a hole."""
    looks = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in MODULES
        if path.relative_to(ROOT).parts[0] not in ("programs", "shell")
        and ".".join(path.relative_to(ROOT).with_suffix("").parts) not in RAW_WORDS
        for node in nodes(path)
        if isinstance(node, ast.Attribute)
        and node.attr == "words"
        and isinstance(node.value, ast.Name)
        and node.value.id in ("command", "coded", "other")
    ]
    assert looks == []


def test_the_example_of_the_shell_holds() -> None:
    assert doctest.testmod(hookkit.shell).failed == 0


def test_every_room_says_what_belongs_there() -> None:
    rooms = list(ROOT.glob("*/__init__.py"))
    assert [path.parent.name for path in rooms if len(ast.get_docstring(ast.parse(path.read_text())) or "") < 60] == []


@pytest.mark.parametrize("room", [name for name in RANK if (ROOT / name).is_dir()])
def test_a_room_says_that_it_imports_rooms_that_exist(room: str) -> None:
    """`May import a, b and c.`: a room that has moved away is found here; longer words than a name are prose."""
    doc = " ".join((ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text())) or "").split())
    lists = re.findall(r"May import:? ([^.;]+)", doc)
    names = {name for text in lists for name in re.split(r", (?:and )?| and ", text) if name.isidentifier()}
    assert names <= set(RANK)


PACKAGES = sorted(path.parent for path in ROOT.rglob("*/__init__.py"))


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_name_of_a_package_is_the_name_of_a_module_in_it(folder: Path) -> None:
    """To load the module would replace the name: `tree` of another room would become `tree` of this one."""
    dotted = "hookkit." + ".".join(folder.relative_to(ROOT).parts)
    names = set()
    for node in ast.parse((folder / "__init__.py").read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.module != dotted:
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    modules = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    assert names & modules <= ({"resolve"} if dotted == "hookkit.shell" else set())  # the function is the entry


def test_few_modules_stand_in_no_room() -> None:
    assert len([path for path in ROOT.glob("*.py") if path.name != "__init__.py"]) <= 8


def test_typer_and_rich_stay_in_cli() -> None:
    others = [path for path in MODULES if "cli" not in path.parts]
    assert [path for path in others if {name.split(".")[0] for name in imports(path)} & {"typer", "rich"}] == []


def test_broad_excepts_stay_in_the_pipeline() -> None:
    others = [path for path in MODULES if path.name != "pipeline.py"]
    bare = [path for path in others for node in nodes(path) if isinstance(node, ast.ExceptHandler) and not node.type]
    broad = ("except Exception", "except BaseException")
    assert bare + [path for path in others for words in broad if words in path.read_text()] == []


def test_one_name_is_one_command() -> None:
    """`hookkit NAME` runs the hook: a people's command of the same name would never run."""
    names = [name for drawer in ("cli", "hooks", "hooks/_screen") for name in registry.names(drawer)]
    assert [name for name in sorted(set(names)) if names.count(name) > 1] == []


@pytest.mark.parametrize("name", registry.names("hooks"))
def test_a_hook_has_events_and_run(name: str) -> None:
    module = registry.find("hooks", name)
    assert module.EVENTS
    assert set(module.EVENTS) <= set(EVENTS)
    assert callable(module.run)
    assert module.__doc__


# Hooks whose replies hold the id of a snapshot, or the cost of a session: no row can say them.
TESTED_BY = {"snapshot": "verdicts/undo/test_undo.py", "budget": "verdicts/test_budgets.py"}


@pytest.mark.parametrize("name", registry.names("hooks"))
def test_a_hook_has_an_expected_answer(name: str) -> None:
    """A row in tests/cases with a reply, or a module of tests: an empty hook would pass every other test."""
    tests = Path(__file__).parent
    rows = [json.loads(line) for path in (tests / "cases").glob("*.jsonl") for line in path.read_text().splitlines()]
    has_row = any(row.get("hook") == name and row.get("reply") for row in rows)
    own = [*(tests / "hooks").glob(f"test_{name}*.py"), *(tests.glob(TESTED_BY[name]) if name in TESTED_BY else ())]
    assert has_row or own, f"{name} needs rows in tests/cases"


@pytest.mark.parametrize("name", registry.names("hooks"))
def test_a_hook_has_a_page(name: str) -> None:
    docs = ROOT.parent / "docs"
    assert (docs / "hooks" / f"{name}.md").exists(), f"write docs/hooks/{name}.md"
    assert f"| [{name}](hooks/{name}.md) |" in (docs / "hooks.md").read_text(), f"{name} needs a row in docs/hooks.md"
    assert re.search(rf"`(?:hookkit )?{name}`", (docs / "commands.md").read_text()), f"{name}: docs/commands.md"


def test_the_page_of_hooks_names_those_that_are_off() -> None:
    line = re.findall(r"^Off until you switch them on: (.*)\.$", (ROOT.parent / "docs" / "hooks.md").read_text(), re.M)
    assert [set(names.split(", ")) for names in line] == [set(layers.OPTIONAL)], "docs/hooks.md"


@pytest.mark.parametrize("name", registry.names("agents"))
def test_an_agent_has_parse_and_render(name: str) -> None:
    module = registry.find("agents", name)
    assert callable(module.parse)
    assert callable(module.render)


@pytest.mark.parametrize("name", registry.names("handlers/kinds"))
def test_a_handler_runs_or_is_a_program_and_has_fields(name: str) -> None:
    module = registry.find("handlers/kinds", name)
    assert callable(getattr(module, "run", None)) or (callable(module.program) and callable(module.finish))
    assert name in hook_rows.KINDS


@pytest.mark.parametrize("name", registry.names("cli"))
def test_a_peoples_command_has_a_help_with_an_example(name: str) -> None:
    assert "Example:" in (registry.find("cli", name).command.__doc__ or "")


def test_the_rows_name_hooks_that_exist_and_every_hook_is_named() -> None:
    named = {hook for row in EVENTS.values() for hook in row.hooks}
    assert named == set(registry.names("hooks")), "the column `hooks` of hookkit/events.py names each hook"
    for row in EVENTS.values():
        assert all(row.name in registry.find("hooks", hook).EVENTS for hook in row.hooks)


@pytest.mark.parametrize("row", detectors.ROWS, ids=lambda row: " ".join(row.words))
def test_every_detector_passes_the_quick_check(row: detectors.Detector) -> None:
    """A detector whose words are not among WORDS would be dead without a sign."""
    assert any(word in " ".join(row.words) for word in detectors.WORDS), "add its first word to WORDS"


# What each command may load beyond bare python, in the cases that every user pays for on every call.
PIPELINE = {".__main__", ".agents", ".agents.claude", ".errors", ".events", ".registry", ".system.files",
            ".system.jsons", ".model", ".pipeline", ".settings.layers"}  # fmt: skip
REDIRECT = {".hooks.redirect", ".redirect.detectors"}
SCANNER = {".shell.syntax", ".shell.scan"} | {
    f".shell.scan.{name}" for name in "reader words expansions parameters compounds".split()
}
RESOLVER = SCANNER | {
    f".shell.{name}" for name in ("commands", "expand", "follow", "follow.wrappers", "resolve", "state")
} | {f".programs.{name}" for name in ("catalogue", "options", "words")}  # fmt: skip
REWRITE = RESOLVER | {".redirect.targets", ".redirect.line", ".settings.keys",
                      ".redirect.toolchains", ".redirect.decision",
                      ".redirect.search"}  # fmt: skip
QUIET = {".hooks.guard", ".hooks.snapshot", ".policy.quick", ".settings.inputs"}
ENGINE = RESOLVER | {
    ".policy.call", ".policy.index", ".policy.judge", ".policy.match", ".policy.paths",
    ".policy.pattern", ".policy.rules", ".policy.tools", ".programs.effects",
    ".shell.follow.writers", ".settings.keys",
}  # fmt: skip
SCHEMAS = {".settings.inputs.explain", ".settings.inputs.check", ".system.masking",
           ".settings.inputs.keywords"}  # fmt: skip
HINT = {
    ".system.clipping",
    ".system.marks",
    ".hooks.hint",
    ".prompts.hint_causes",
    ".settings.keys",
    ".prompts.hint_advice",
}
NUDGE = {".hooks.nudge", ".prompts.keywords", ".prompts.nudges", ".prompts.prose", ".settings.keys"}
RECORD = {".hooks.record", ".system.masking", *(f".ledger.{name}" for name in
          "evidence journal lines places".split())}  # fmt: skip
JOURNAL = {"fcntl", "_sha256", "_sha2", "errno"}  # a lock, a sum, and no database
PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s"}
BASH = {"hook_event_name": "PreToolUse", "tool_name": "Bash"}
FAILED = {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash"}
DONE = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}}
ALLOWED = [
    ("redirect", {**BASH, "tool_input": {"command": "git status"}}, REDIRECT, set()),
    ("redirect", {**BASH, "tool_input": {"command": "pytest -q"}}, REDIRECT | REWRITE, set()),
    ("nudge", {**PROMPT, "prompt": "improve the parser"}, NUDGE, set()),
    ("nudge", {**PROMPT, "prompt": "hello there"}, NUDGE, set()),
    ("local", {**PROMPT, "prompt": "hello there"}, {".hooks.local"}, set()),
    ("restore", {"hook_event_name": "SessionStart", "source": "compact"},
     {".hooks.restore"}, {"binascii"}),
    ("guard", {**BASH, "tool_input": {"command": "git status"}}, QUIET, set()),
    ("guard", {**BASH, "tool_input": {"command": "cd x && rm -rf build"}}, QUIET | ENGINE, set()),
    ("guard", {**BASH, "tool_input": {"command": 5}}, QUIET | SCHEMAS, {"itertools"}),
    ("hint", {**DONE, "tool_response": {"stdout": "ok"}}, {".hooks.hint", ".prompts.hint_causes"}, set()),
    ("hint", {**FAILED, "error": "Exit code 1\n1 failed"}, {".hooks.hint", ".prompts.hint_causes"}, set()),
    ("hint", {**FAILED, "error": "Exit code 127"}, HINT, set()),
    ("gate", {"hook_event_name": "Stop", "session_id": "s"}, {".hooks.gate"}, set()),
    ("gate", {"hook_event_name": "SubagentStop", "agent_type": "x"}, {".hooks.gate"}, set()),
    ("gate", {"hook_event_name": "TaskCompleted", "task_id": "1"}, {".hooks.gate"}, set()),
    ("track", {**BASH, "tool_input": {"command": "git status"}}, {".hooks.track"}, set()),
    ("record", {**BASH, "tool_input": {"command": "git status"}}, RECORD | {".policy.quick"}, JOURNAL),
    ("record", {**BASH, "tool_input": {"command": "cd x && rm -rf build"}},
     RECORD | QUIET | ENGINE | {".ledger.side_effects", ".ledger.links"}, JOURNAL),
    ("record", {**DONE, "tool_response": {"stdout": "ok"}}, RECORD | {".ledger.links"}, JOURNAL),
    ("record", {**PROMPT, "prompt": "hello there"}, RECORD, JOURNAL),
    ("run", {**BASH, "tool_input": {"command": "git status"}}, REDIRECT | QUIET | RECORD, JOURNAL),
]  # fmt: skip


@pytest.mark.parametrize(
    ("hook", "event", "ours", "others"), ALLOWED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_hot_command_loads_only_what_it_needs(
    hook: str, event: dict[str, object], ours: set[str], others: set[str], project: Path
) -> None:
    (project / "Makefile").write_text("test:\n\ttrue\n")
    state = project / ".claude" / "tmp" / "local-s"
    state.parent.mkdir(parents=True)
    state.touch()
    raw = json.dumps({**event, "cwd": str(project)}).encode()
    subprocess.run([HOOKKIT, "guard"], input=raw, check=True)  # the very first call compiles the policy that ships
    command = [sys.executable, "-X", "importtime", HOOKKIT, hook]
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # in a fresh clone hookkit would write its bundle now
    done = subprocess.run(command, input=raw, capture_output=True, check=True, cwd=project, env=environ)
    bare = subprocess.run([sys.executable, "-X", "importtime", "-c", "pass"], capture_output=True, check=True)
    loaded = names(done.stderr) - names(bare.stderr)
    mine = {name.removeprefix("hookkit") for name in loaded if name.split(".")[0] == "hookkit"} - ROOMS
    assert mine <= PIPELINE | ours
    assert {name for name in loaded if name.split(".")[0] != "hookkit"} <= {"_json", "gc"} | others


def names(importtime: bytes) -> set[str]:
    return {line.rpartition("|")[2].strip() for line in importtime.decode().splitlines() if "|" in line}


def test_one_name_of_a_class_means_one_thing() -> None:
    """A reader who looks a name up must not find two classes."""
    names = [
        node.name
        for path in MODULES
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert [name for name in sorted(set(names)) if names.count(name) > 1] == []
