"""The tutorial and the recipes: every command of the pages runs, and prints the output on the page.

In a `console` block, `$` starts a command, `>` goes on with it, and the other lines are its output, with … for any
text. `# exit 1` after a command names its exit code. A `toml` block becomes the person's settings. The test of the
packages installs hookkit with pipx.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hookkit import registry
from hookkit.events import EVENTS
from tests.conftest import HOOKKIT, PERSON

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(console|toml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXIT = re.compile(r"  # exit (\d+)$")
ELSEWHERE = ("pipx install .", "uv tool install")


class Reader:
    """A person who follows a page, in a home and a directory of their own."""

    def __init__(self, place: Path) -> None:
        self.home = place / "home"
        self.here = place / "work"
        programs = place / "bin"
        for directory in (self.home, self.here, programs):
            directory.mkdir(parents=True)
        # The person's own command: an agent that runs the tests may not trust or switch off.
        own = programs / "hookkit"
        own.write_text(f"#!{sys.executable}\nimport sys\nsys.argv[0] = {HOOKKIT!r}\n{PERSON}")
        own.chmod(0o755)
        keep = {name: value for name, value in os.environ.items() if name in ("LANG", "TMPDIR")}
        path = os.pathsep.join((str(programs), os.defpath))
        self.environ = {**keep, "HOME": str(self.home), "PATH": path, "NO_COLOR": "1", "COLUMNS": "120"}

    def follow(self, section: str) -> None:
        for kind, text in BLOCK.findall(section):
            if kind == "toml":
                self.settings(text)
            else:
                for command, expected in commands(text):
                    self.run(command, expected)

    def settings(self, text: str) -> None:
        path = self.home / ".config" / "hookkit" / "hookkit.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, command: str, expected: str) -> None:
        if command.startswith(ELSEWHERE):
            return
        code = EXIT.search(command)
        line = f"{EXIT.sub('', command)}\ncode=$?; pwd > {self.home}/where; exit $code"
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.here,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == int(code.group(1) if code else 0), f"{command}\n{done.stdout}{done.stderr}"
        self.here = Path((self.home / "where").read_text().strip())
        pattern = ".*".join(map(re.escape, expected.split("…")))
        assert re.fullmatch(pattern, done.stdout.strip(), re.DOTALL), f"{command}\n{done.stdout}{done.stderr}"


def commands(block: str) -> list[tuple[str, str]]:
    """Each command with the output that the page shows for it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> "):
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
        else:
            found[-1][1].append(line)
    return [(command, "\n".join(lines).strip()) for command, lines in found]


def sections(page: str) -> list[tuple[str, str]]:
    parts = re.split(r"^## (.*)$", (DOCS / page).read_text(), flags=re.MULTILINE)
    return [*zip(parts[1::2], parts[2::2], strict=True)]


def test_the_tutorial_works_from_top_to_bottom(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for _, text in sections("tutorial.md"):
        reader.follow(text)


@pytest.mark.parametrize(("title", "text"), sections("recipes.md"), ids=lambda value: value if len(value) < 60 else "")
def test_a_recipe_works(title: str, text: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    (reader.here / ".git").mkdir()
    reader.follow(text)


HOOKS = registry.names("hooks")
# "what", "that" and their kind point at a thing instead of naming it.
POINTING = frozenset("what that it one ones nobody somebody something nothing anything everything those which".split())
MOST = 4  # pointing words of 100
NEARLY_ALL = 30  # events


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_has_its_page(name: str, tmp_path: Path) -> None:
    """The page names the hook's events, the index leads to the page, and the commands and settings of the page work."""
    text = (DOCS / "hooks" / f"{name}.md").read_text()
    events = registry.find("hooks", name).EVENTS
    said = "every event" if len(events) > NEARLY_ALL else ", ".join(events)
    assert text.startswith(f"# {name}\n\nEvents: {said}\n")
    assert f"| [{name}](hooks/{name}.md) | {said} |" in (DOCS / "hooks.md").read_text()
    reader = Reader(tmp_path)
    reader.follow(text)
    if "```toml" in text:
        reader.run("hookkit validate ~/.config/hookkit/hookkit.toml", "…")


def test_the_index_lists_every_event() -> None:
    _, listed = sections("hooks.md")[0]
    assert listed.split("\n\n")[2].rstrip(".\n").replace("\n", " ").split(", ") == [*EVENTS]


def test_every_page_of_a_hook_has_a_hook() -> None:
    assert sorted(path.stem for path in (DOCS / "hooks").iterdir()) == sorted(HOOKS)


@pytest.mark.parametrize("page", ["hooks.md", "adding.md", *(f"hooks/{name}.md" for name in HOOKS)])
def test_a_page_names_things_instead_of_pointing_at_them(page: str) -> None:
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", "", (DOCS / page).read_text(), flags=re.DOTALL)
    words = re.findall(r"[a-z']+", prose.lower())
    assert 100 * sum(word in POINTING for word in words) / len(words) < MOST
