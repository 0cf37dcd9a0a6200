"""A lead's signature is trust in every clone; anything else is not."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from hookkit.settings import compiling, layers, signed
from hookkit.system import jsons, signatures
from tests.conftest import Run

RULES = """[[rules]]
type = "allow"
match = "Bash(git status)"
[[hooks]]
event = "PreToolUse"
name = "check"
[hooks.command]
command = "sh check.sh"
"""


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    for name in ("lead", "eve"):
        signatures.make_key(str(tmp_path / name), name, dict(os.environ))
    return tmp_path


@pytest.fixture
def team(project: Path) -> Path:
    (project / "hookkit.toml").write_text(RULES)
    (project / "check.sh").write_text("true\n")
    (project / "hookkit.local.toml").write_text("[nudge]\nfuzzy = false\n")
    return project


def sign(hookkit: Run, project: Path, key: Path) -> None:
    done = hookkit("trust", "--sign", "--key", str(key), cwd=project)
    assert done.returncode == 0, done.stderr.decode()


def waiting(project: Path) -> list[str]:
    """The names of the project's files that are not trusted."""
    return sorted(os.path.basename(path) for path in layers.load(str(project), dict(os.environ)).untrusted)


def test_a_signature_is_trust_once_its_signer_is_known(hookkit: Run, team: Path, keys: Path) -> None:
    sign(hookkit, team, keys / "lead")
    assert waiting(team) == ["hookkit.toml"], "the lead has no trust by signing, and nobody knows the key"
    start = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(team), "source": "startup"}
    assert b"hookkit trust --signer NAME" in hookkit("run", stdin=start, cwd=team).stdout, "the way out for good"
    done = hookkit("trust", "--signer", "human:lead", cwd=team)
    assert done.stdout.decode().startswith("Added human:lead with the key SHA256:")
    assert waiting(team) == []
    settings = layers.load(str(team), dict(os.environ))
    assert [row["untrusted"] for row in settings.values["hooks"]] == [""]
    assert not (Path(os.environ["HOME"]) / ".local/state/hookkit/trust.json").exists()


def test_a_change_is_untrusted_until_it_is_signed(hookkit: Run, team: Path, keys: Path) -> None:
    sign(hookkit, team, keys / "lead")
    hookkit("trust", "--signer", "human:lead", cwd=team)
    (team / "check.sh").write_text("false\n")
    assert waiting(team) == ["check.sh"]
    words = " ".join(hookkit("doctor", cwd=team).stdout.decode().split())
    assert "the signature of hookkit.trust does not cover it as it is now" in words
    sign(hookkit, team, keys / "lead")
    assert waiting(team) == []
    (team / "hookkit.toml").write_text(RULES + "# more\n")
    assert waiting(team) == ["hookkit.toml"]
    sign(hookkit, team, keys / "lead")
    assert waiting(team) == []
    (Path(os.environ["HOME"]) / ".config/hookkit/allowed_signers").unlink()
    assert waiting(team) == ["hookkit.toml"], "a signer who is taken off the list signs nothing"


def test_nobody_elses_signature_counts(hookkit: Run, team: Path, keys: Path) -> None:
    hookkit("trust", "--signer", "human:lead", "--key", str(keys / "lead.pub"), cwd=team)
    sign(hookkit, team, keys / "eve")
    assert waiting(team) == ["hookkit.toml"]
    said = hookkit("doctor", cwd=team).stdout.decode()
    assert "hookkit.trust: it is signed by a key that is not among the signers" in " ".join(said.split())


@pytest.mark.parametrize("edit", ["line", "body", "half", "use", "other project"])
def test_a_signature_covers_every_byte_of_the_list(
    hookkit: Run, team: Path, keys: Path, tmp_path: Path, edit: str
) -> None:
    hookkit("trust", "--signer", "human:lead", "--key", str(keys / "lead.pub"), cwd=team)
    sign(hookkit, team, keys / "lead")
    path = team / signed.NAME
    text = path.read_text()
    body, begin, rest = text.partition(signed.BEGIN)
    if edit == "line":
        (team / "hookkit.toml").write_text(RULES + "# evil\n")
        evil = signed.HEAD + body.replace(body.splitlines()[-1], "")
        path.write_text(evil + begin + rest)
    elif edit == "body":
        path.write_text(body + "\n" + begin + rest)
    elif edit == "half":
        path.write_text(body + begin + rest[:60])
    elif edit == "use":
        other = signatures.sign(body.encode(), str(keys / "lead"), "git", dict(os.environ))
        path.write_text(body + other)
    else:
        (team / "hookkit.toml").write_text(RULES + "# other\n")
    assert waiting(team) == ["hookkit.toml"]


def test_a_list_names_no_local_file_and_no_link_is_followed_to_write_it(
    hookkit: Run, team: Path, keys: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").write_text("mine")
    (team / signed.NAME).symlink_to(tmp_path / "outside")
    sign(hookkit, team, keys / "lead")
    assert (tmp_path / "outside").read_text() == "mine"
    names = [line.split("  ")[1] for line in (team / signed.NAME).read_text().splitlines() if "  " in line]
    assert names == ["check.sh", "hookkit.toml"]


def test_signers_that_others_may_write_name_nobody(hookkit: Run, team: Path, keys: Path) -> None:
    sign(hookkit, team, keys / "lead")
    hookkit("trust", "--signer", "human:lead", cwd=team)
    path = Path(os.environ["HOME"]) / ".config/hookkit/allowed_signers"
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o666)
    assert waiting(team) == ["hookkit.toml"]


def test_managed_signers_count_for_everybody_on_the_machine(
    hookkit: Run, team: Path, keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    managed = tmp_path / "etc" / "hookkit.toml"
    managed.parent.mkdir()
    key = " ".join((keys / "lead.pub").read_text().split()[:2])
    (managed.parent / signed.SIGNERS).write_text(f"lead@example.com {key}\n")
    (managed.parent / signed.SIGNERS).chmod(0o644)
    sign(hookkit, team, keys / "lead")
    monkeypatch.setattr(layers, "MANAGED", str(managed))
    assert waiting(team) == []


def test_the_signature_is_checked_once(hookkit: Run, team: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook cannot start ssh-keygen at every call, whether the signature fits or not."""
    for key in ("lead", "eve"):
        sign(hookkit, team, keys / key)
        hookkit("trust", "--signer", "human:lead", "--key", str(keys / "lead.pub"), cwd=team)
        waiting(team)
        text = (team / signed.NAME).read_text()
        known = signed.signer(text, dict(os.environ))
        assert (known is not None) == (key == "lead")
        monkeypatch.setattr(signed, "check", lambda *_: pytest.fail("checked again"))
        assert (signed.signer(text, dict(os.environ)) is not None) == (key == "lead")
        monkeypatch.undo()


def test_a_name_that_is_known_takes_no_second_key_from_a_clone(hookkit: Run, team: Path, keys: Path) -> None:
    """As SSH refuses a host whose key changed. A key in a file, which the person chose, is added."""
    hookkit("trust", "--signer", "human:lead", "--key", str(keys / "lead.pub"), cwd=team)
    sign(hookkit, team, keys / "eve")
    done = hookkit("trust", "--signer", "human:lead", cwd=team)
    assert (done.returncode, waiting(team)) == (1, ["hookkit.toml"])
    assert "you know human:lead by another one" in done.stderr.decode()
    assert hookkit("trust", "--signer", "human:lead", "--key", str(keys / "eve.pub"), cwd=team).returncode == 0
    assert waiting(team) == []
    assert hookkit("trust", "--signer", "human:lead", cwd=team).returncode == 0, "both keys are known now"


def test_an_agent_neither_signs_nor_learns(
    hookkit: Run, team: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    assert hookkit("trust", "--sign", "--key", str(keys / "lead"), cwd=team).returncode == 1
    assert hookkit("trust", "--signer", "human:lead", "--key", str(keys / "lead.pub"), cwd=team).returncode == 1
    assert not (team / signed.NAME).exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--signer", "human:lead"), 2),
        (("--signer", "*", "--key", "lead.pub"), 1),
        (("--signer", "human:lead", "--key", "lead"), 1),
        (("--signer", "human:lead", "--key", "missing.pub"), 1),
        (("--sign", "--key", "missing"), 1),
        (("--sign", "--revoke"), 2),
        (("--key", "lead"), 2),
    ],
)
def test_mistakes_are_named(hookkit: Run, team: Path, keys: Path, words: tuple[str, ...], code: int) -> None:
    given = [str(keys / word) if word.startswith(("lead", "missing")) else word for word in words]
    done = hookkit("trust", *given, cwd=team)
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.decode().startswith("hookkit: ")


def test_a_clone_elsewhere_is_trusted_by_the_same_signature(
    hookkit: Run, team: Path, keys: Path, tmp_path: Path
) -> None:
    sign(hookkit, team, keys / "lead")
    hookkit("trust", "--signer", "human:lead", cwd=team)
    clone = tmp_path / "a clone"
    shutil.copytree(team, clone)
    subprocess.run(["git", "init", "-q", clone], check=True)
    assert waiting(clone) == []


def test_the_files_of_checks_and_task_runners_are_signed_and_checked(hookkit: Run, team: Path, keys: Path) -> None:
    """A signed policy runs nothing that changed since: no script of a gate, no Makefile of a handler."""
    checks = '[gate]\nchecks = ["sh gate.sh"]\npromise = "make test"\n'
    (team / "hookkit.toml").write_text(checks + RULES.replace("sh check.sh", "make lint"))
    (team / "gate.sh").write_text("true\n")
    (team / "Makefile").write_text("test:\nlint:\n")
    sign(hookkit, team, keys / "lead")
    hookkit("trust", "--signer", "human:lead", cwd=team)
    assert waiting(team) == []
    (team / "gate.sh").write_text("touch stolen\n")
    settings = layers.load(str(team), dict(os.environ))
    assert (waiting(team), settings["gate.checks"], settings["gate.promise"]) == (["gate.sh"], [], "make test")
    (team / "GNUmakefile").write_text("test:\n\ttouch stolen\nlint:\n\ttouch stolen\n")
    settings = layers.load(str(team), dict(os.environ))
    assert (waiting(team), settings["gate.promise"]) == (["GNUmakefile", "gate.sh"], "")
    assert [os.path.basename(row["untrusted"]) for row in settings.values["hooks"]] == ["GNUmakefile"]


def test_a_directory_that_became_a_link_is_not_signed(hookkit: Run, team: Path, keys: Path, tmp_path: Path) -> None:
    """The name is as before; the file behind it is somebody else's."""
    (team / "checks").mkdir()
    (team / "check.sh").rename(team / "checks" / "check.sh")
    (team / "hookkit.toml").write_text(RULES.replace("check.sh", "checks/check.sh"))
    sign(hookkit, team, keys / "lead")
    hookkit("trust", "--signer", "human:lead", cwd=team)
    assert waiting(team) == []
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "check.sh").write_text("touch stolen\n")
    shutil.rmtree(team / "checks")
    (team / "checks").symlink_to(tmp_path / "outside")
    assert waiting(team) == ["check.sh"]


def test_a_signature_approves_the_projects_own_commands(hookkit: Run, team: Path, keys: Path) -> None:
    (team / "Makefile").write_text("test:\n\tpython -m pytest\n")
    sign(hookkit, team, keys / "lead")
    hookkit("trust", "--signer", "human:lead", cwd=team)
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(team), "tool_name": "Bash"}
    raw = jsons.dumps({**event, "tool_input": {"command": "pytest -q"}}).encode()
    own = jsons.loads(hookkit("run", stdin=raw, cwd=team).stdout)["hookSpecificOutput"]
    assert (own["updatedInput"]["command"], own["permissionDecision"]) == ("make test", "allow")
    (team / "Makefile").write_text("test:\n\ttouch stolen\n")
    own = jsons.loads(hookkit("run", stdin=raw, cwd=team).stdout)["hookSpecificOutput"]
    assert own["permissionDecision"] == "ask"


def test_a_signature_after_a_persons_own_trust_counts_and_ends(hookkit: Run, team: Path, keys: Path) -> None:
    """The settings are pinned by hand, a later script is signed: the list and the signers are still watched."""
    hookkit("trust", cwd=team)
    hookkit("trust", "--signer", "human:lead", "--key", str(keys / "lead.pub"), cwd=team)
    (team / "check.sh").write_text("false\n")
    assert waiting(team) == ["check.sh"]
    sign(hookkit, team, keys / "lead")
    assert waiting(team) == []
    (Path(os.environ["HOME"]) / ".config/hookkit/allowed_signers").unlink()
    assert waiting(team) == ["check.sh"]


def test_a_key_that_expires_signs_no_more(
    hookkit: Run, team: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file changes on that day: the signature is checked again after a while."""
    sign(hookkit, team, keys / "lead")
    hookkit("trust", "--signer", "human:lead", cwd=team)
    assert waiting(team) == []
    monkeypatch.setattr(signed, "check", lambda *_: (_ for _ in ()).throw(signatures.SignatureError("expired")))
    assert waiting(team) == [], "the result is kept"
    later = time.time() + signed.KEPT + 1
    for module in (signed, layers, compiling):
        clock = lambda: later  # noqa: E731
        name = "time" if module is layers else "time.time"
        monkeypatch.setattr(f"{module.__name__}.{name}", clock)
    assert waiting(team) == ["hookkit.toml"]


@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", "HOME"])
def test_no_signer_stands_in_the_project(
    hookkit: Run, team: Path, keys: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    folder = team / ("hookkit" if variable == "XDG_CONFIG_HOME" else ".config/hookkit")
    folder.mkdir(parents=True)
    key = " ".join((keys / "eve.pub").read_text().split()[:2])
    (folder / signed.SIGNERS).write_text(f"human:lead {key}\n")
    (folder / signed.SIGNERS).chmod(0o600)
    sign(hookkit, team, keys / "eve")
    (team / "hookkit.local.toml").write_text(f'[fleet]\nsigners = "{folder / signed.SIGNERS}"\n')
    monkeypatch.setenv(variable, str(team))
    assert "hookkit.toml" in waiting(team)
