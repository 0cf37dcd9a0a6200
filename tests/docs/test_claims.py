"""Claims of the README and the pages that a program can check: numbers, commands, answers, figures, links, ids."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from hookkit import judge, registry
from hookkit.events import EVENTS
from tests.conftest import HOOKKIT

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "hooks").glob("*.md"))]
WORDS = "twenty twenty-one twenty-two twenty-three twenty-four twenty-five twenty-six".split()
NUMBERS = dict(enumerate(WORDS, 20))
# Pages about the code, which name files of hookkit as their readers do: `handlers/replies.py`.
INSIDE = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "adding.md", *sorted((ROOT / "docs" / "adr").glob("*.md"))]
INVENTED = {"tests/test_x.py"}
ids = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def test_the_number_of_agents_is_right() -> None:
    agents = len(registry.names("agents"))
    title = (ROOT / "README.md").read_text().splitlines()[0]
    assert f"Claude Code and {NUMBERS[agents - 1]} other coding agents" in title
    assert f"the hooks of {agents} coding agents" in (ROOT / "docs" / "agents.md").read_text()


@ids
def test_the_number_of_events_is_right(page: Path) -> None:
    """A page that counts the client's events counts them all, or those that `init` connects."""
    numbers = {int(number) for number in re.findall(r"(?:any|each|all) of the (\d+) events", page.read_text())}
    assert numbers <= {len(EVENTS)}


# What the table of the README says of an answer, and the verdict that it means.
SAYS = {"denied": "deny", "allowed": None}


def rows() -> list[tuple[str, str]]:
    table = re.findall(r"^\| (`.*`)[^|]* \| (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    return [(command.strip("`"), word) for command, word in table if word in SAYS]


@pytest.mark.parametrize(("command", "word"), rows())
def test_an_example_of_the_readme_is_answered_as_it_says(command: str, word: str, project: Path) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    raw = json.dumps({**event, "cwd": str(project)}).encode()
    done = subprocess.run([HOOKKIT, "run"], input=raw, capture_output=True, check=True)
    reply = json.loads(done.stdout or b"{}").get("hookSpecificOutput", {})
    assert reply.get("permissionDecision") == SAYS[word]


def test_the_readme_has_examples() -> None:
    assert len(rows()) > 2


@ids
def test_every_command_on_a_page_exists(page: Path) -> None:
    """Lines that a person types: `$ hookkit COMMAND …`."""
    rooms = ("cli", "hooks", "hooks/_screen")
    names = {"run", *(name.replace("_", "-") for room in rooms for name in registry.names(room))}
    typed = re.findall(r"^\$ hookkit ([a-z][\w-]*)", page.read_text(), re.MULTILINE)
    assert set(typed) <= names


@pytest.mark.parametrize("name", registry.names("cli"))
def test_the_page_of_commands_has_every_command(name: str) -> None:
    word = name.replace("_", "-")
    page = (ROOT / "docs" / "commands.md").read_text()
    assert re.search(rf"`[^`\n]*(?<![\w-]){word}(?![\w-])", page), f"{word} needs a row in docs/commands.md"


@ids
def test_every_file_that_a_page_links_to_exists(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+?)(?:#[^)]*)?\)", page.read_text())
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []


@ids
def test_every_file_of_the_repository_that_a_page_names_exists(page: Path) -> None:
    named = re.findall(r"`((?:hookkit|tests|scripts|benchmarks|examples)/[\w./-]+)`", page.read_text())
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", INSIDE, ids=lambda page: page.name)
def test_every_module_that_a_page_about_the_code_names_exists(page: Path) -> None:
    files = [
        f"/{path.relative_to(ROOT)}"
        for name in ("hookkit", "tests", "benchmarks")
        for path in ROOT.glob(f"{name}/**/*.py")
    ]
    named = set(re.findall(r"`([\w./-]+/\w+\.py)`", page.read_text())) - INVENTED
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []


def test_the_table_of_doctor_has_every_id() -> None:
    """An id in a script must be found in the table; `ledger.*` and `state.*` stand for their groups."""
    page = (ROOT / "docs" / "install.md").read_text()
    agents = ROOT / "hookkit" / "agents"
    sources = [*agents.glob("*.py"), *agents.glob("*/disk.py"), *(agents / "doctor").glob("*.py")]
    sources += (ROOT / "hookkit").rglob("doctor.py")
    text = "\n".join(path.read_text() for path in sources)
    groups = "wiring settings launcher trust policy live errors server".split()
    used = set(re.findall(rf'(?:(?:Problem|remark)\(\s*|yield )"((?:{"|".join(groups)})\.[a-z-]+)"', text))
    used |= {
        f"launcher.{name}" for name in re.findall(r'(?:problem\(|yield \(?\s*)"([a-z-]+)", (?:SERIOUS|WARNING)', text)
    }
    assert len(used) > 25
    assert {name for name in used if f"`{name}`" not in page} == set()


CORPUS = ROOT / "benchmarks" / "peers" / "commands.jsonl"


@pytest.mark.parametrize(("page", "row"), [("speed.md", r"\| hookkit \| [\d.]+"), ("compare.md", r"\| hookkit")])
def test_the_figures_about_our_own_commands_are_those_of_the_policy(
    page: str, row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dangerous commands stopped and ordinary ones disturbed, in the project of benchmarks/policy.py."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from peers.adapters import Contestant

    contestant = Contestant("hookkit", "1", ["true"])
    contestant.move_in(tmp_path / "contest")
    place, environ = str(contestant.home / "shop"), contestant.environ()
    counts = {"dangerous": [0, 0], "ordinary": [0, 0]}
    for line in CORPUS.read_text().splitlines():
        command = json.loads(line)
        count = counts[command["kind"]]
        count[0] += 1
        count[1] += judge(command["command"], cwd=place, environ=environ).verdict in ("ask", "deny")
    text = (ROOT / "docs" / page).read_text()
    [(stopped, disturbed)] = re.findall(rf"^{row} \| (\d+) \| (\d+) \|", text, re.MULTILINE)
    assert [counts["dangerous"][1], counts["ordinary"][1]] == [int(stopped), int(disturbed)]
    assert f"{counts['dangerous'][0]} dangerous" in text
    assert f"{counts['ordinary'][0]} ordinary" in text


@ids
def test_every_benchmark_of_a_page_has_the_options_that_the_page_gives_it(page: Path) -> None:
    for name, words in re.findall(r"benchmarks/(\w+\.py)((?: +[-\w.\"]+)*)", page.read_text()):
        script = ROOT / "benchmarks" / name
        assert script.exists(), name
        source = script.read_text() + "".join(path.read_text() for path in script.parent.glob("*/__init__.py"))
        assert [word for word in words.split() if word.startswith("--") and word not in source] == [], name
