"""docs/team.md: the lead, ten people and CI follow the page, each with a home and a clone of their own."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from hookkit.system import signatures
from tests.docs.test_pages import Reader, sections

PEOPLE = 10
WHO = ("-c", "user.name=x", "-c", "user.email=x@example.com")
LOCK: dict[str, object] = {"tool_name": "Write", "tool_input": {"file_path": "main.lock", "content": ""}}


class Person(Reader):
    """Somebody of the team, with a clone of the repository."""

    def __init__(self, place: Path, origin: Path | None = None) -> None:
        super().__init__(place)
        self.environ |= {
            f"GIT_{role}_{part}": "x@example.com" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
        }
        self.clone = self.here
        if origin is None:
            self.run("git init -q", "")
        else:
            self.clone = self.here = place / "clone"
            subprocess.run(["git", "clone", "-q", origin, self.here], check=True, env=self.environ)

    def pull(self) -> None:
        subprocess.run(["git", "pull", "-q"], cwd=self.clone, check=True, env=self.environ)

    def verdict(self, call: dict[str, object]) -> str | None:
        """The answer of `hookkit run` to a call in the clone."""
        event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(self.clone), **call}
        done = subprocess.run(
            ["hookkit", "run"], input=json.dumps(event), env=self.environ, cwd=self.clone, text=True, check=True,
            capture_output=True,
        )  # fmt: skip
        own = json.loads(done.stdout).get("hookSpecificOutput", {}) if done.stdout else {}
        verdict: str | None = own.get("permissionDecision")
        return verdict

    def verdicts(self) -> list[str | None]:
        lines = ("make deploy", "make release", "make test", "kubectl apply -f x.yml")
        return [
            *(self.verdict({"tool_name": "Bash", "tool_input": {"command": line}}) for line in lines),
            self.verdict(LOCK),
        ]

    def start(self) -> str:
        """The message at the start of a session."""
        event = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(self.clone), "source": "startup"}
        done = subprocess.run(
            ["hookkit", "run"], input=json.dumps(event), env=self.environ, cwd=self.clone, text=True, check=True,
            capture_output=True,
        )  # fmt: skip
        return str(json.loads(done.stdout).get("systemMessage", "")) if done.stdout else ""


@pytest.fixture
def pages() -> dict[str, str]:
    return dict(sections("team.md"))


@pytest.fixture
def lead(tmp_path: Path, pages: dict[str, str]) -> Person:
    person = Person(tmp_path / "lead")
    (person.home / ".ssh").mkdir(mode=0o700)
    signatures.make_key(str(person.home / ".ssh" / "id_ed25519"), "lead", {**person.environ})
    person.follow(pages["What the lead does once"])
    return person


def test_ten_people_follow_the_page(lead: Person, pages: dict[str, str], tmp_path: Path) -> None:
    people = [Person(tmp_path / f"person-{number}", lead.clone) for number in range(PEOPLE)]
    stranger = people[0]
    held = ["deny", None, None, "ask", None]
    assert stranger.verdicts() == held, "before trust, whatever holds back applies"
    assert all("hooks" in stranger.start() for _ in range(2)), "told at every start"
    for person in people:
        person.follow(pages["What each person does"])
    first = ["deny", None, "allow", "ask", "deny"]
    assert [person.verdicts() for person in people] == [first] * PEOPLE
    lead.follow(pages["When the policy changes"])
    for person in people:
        person.pull()
    second = [None, "deny", "allow", "ask", "deny"]
    assert [person.verdicts() for person in people] == [second] * PEOPLE, "a pull is all"
    assert {person.start() for person in people} == {""}


def test_an_unsigned_change_is_untrusted_again(lead: Person, pages: dict[str, str], tmp_path: Path) -> None:
    person = Person(tmp_path / "person", lead.clone)
    person.follow(pages["What each person does"])
    script = lead.clone / "checks" / "no-main.sh"
    script.write_text("touch stolen\n")
    lead.run("git commit -qam 'not signed'", "")
    person.pull()
    assert person.verdict(LOCK) == "ask", "a check that did not run asks, as its row says"
    assert not (person.clone / "stolen").exists()
    assert "no-main.sh is not trusted" in person.start()
    doctor = subprocess.run(
        ["hookkit", "doctor"], cwd=person.clone, env=person.environ, capture_output=True, check=False
    )
    assert doctor.returncode == 1


def test_ci_follows_the_page_in_a_clean_clone_with_an_empty_home(
    lead: Person, pages: dict[str, str], tmp_path: Path
) -> None:
    runner = Person(tmp_path / "runner", lead.clone)
    runner.follow(pages["What CI does"])
    assert not list(runner.home.rglob("trust.json"))
    status = subprocess.run(["git", "status", "--porcelain"], cwd=runner.clone, capture_output=True, check=True)
    assert status.stdout == b"", "nothing is left in the checkout"


@pytest.fixture(autouse=True)
def _needs_ssh_keygen() -> None:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed: nobody can sign")
