"""A signed policy is taken if all of it is right; otherwise the last good one holds, and the reason is told."""

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation
from hookkit.server.fleet import membership, policy, sync
from hookkit.settings import layers, signed
from hookkit.settings.signed import POLICY_NAMESPACE, SignedPolicy
from hookkit.system import signatures
from tests.conftest import Run

RULE = '[[rules]]\ntype = "deny"\nmatch = "Bash(make deploy*)"\nreason = "Not on Fridays."\n'
MACHINE = "0123456789abcdef"


class Company:
    """Somebody who signs policies, and a machine that takes them from a file."""

    def __init__(self, directory: Path, home: Path) -> None:
        self.directory = directory
        self.environ = {**os.environ, "HOME": str(home)}
        for name in ("boss", "heir", "eve"):
            signatures.make_key(str(directory / name), name, self.environ)
        self.address = directory / "policy.signed.toml"
        self.signers = directory / "signers"
        self.allow("boss")
        config = home / ".config" / "hookkit" / "hookkit.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'[fleet]\npolicy = "file://{self.address}"\nsigners = "{self.signers}"\n')

    def allow(self, *names: str, options: str = "") -> None:
        keys = [" ".join((self.directory / f"{name}.pub").read_text().split()[:2]) for name in names]
        self.signers.write_text("".join(f"{name} {options}{key}\n" for name, key in zip(names, keys, strict=True)))

    def signed(self, version: int, text: str = RULE, *, key: str = "boss", use: str = POLICY_NAMESPACE, days: int = 9,
               stages: str = "0:100") -> str:  # fmt: skip
        now = time.time()
        body = f"{signed.policy_line(version, now, now + days * 86_400, stages)}\n{text}"
        return body + signatures.sign(body.encode(), str(self.directory / key), use, self.environ)

    def publish(self, content: str) -> dict[str, Any]:
        self.address.write_text(content)
        return policy.refresh(self.environ, layers.load("/", self.environ), MACHINE, "web")

    def denies(self) -> bool:
        event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "make deploy"},
                 "cwd": "/", "session_id": "s"}  # fmt: skip
        reply = Invocation("guard", [], self.environ).answer(json.dumps(event).encode())
        return "Not on Fridays" in str(reply)


@pytest.fixture
def company(tmp_path: Path, home: Path) -> Company:
    return Company(tmp_path, home)


def test_a_signed_policy_holds_and_a_new_version_replaces_it(company: Company) -> None:
    assert not company.denies()
    assert company.publish(company.signed(1))["active"]["version"] == 1
    assert company.denies()
    company.publish(company.signed(2, "[nudge]\nenabled = true\n"))
    assert not company.denies()


REFUSED: dict[str, tuple[Callable[[Company], str], str]] = {
    "unsigned": (lambda company: RULE, "not a signed policy"),
    "signature taken away": (lambda company: SignedPolicy(company.signed(6)).text, "not signed"),
    "another key": (lambda company: company.signed(6, key="eve"), "not among the signers"),
    "another use": (lambda company: company.signed(6, use="git"), "another use"),
    "older": (lambda company: company.signed(4), "older than version 5"),
    "the same number again": (
        lambda company: company.signed(5, "[nudge]\nenabled = false\n"),
        "another file was signed",
    ),
    "half a file": (lambda company: company.signed(6)[:-40], "half of the signature"),
    "changed": (lambda company: company.signed(6).replace("deny", "ask "), "does not fit"),
    "another version in the first line": (lambda company: company.signed(6).replace("=6", "=7", 1), "does not fit"),
    "expired": (lambda company: company.signed(6, days=-1), "had expired"),
    "mistakes": (lambda company: company.signed(6, "[nothing]\nx = 1\n"), "mistakes"),
    "empty": (lambda company: "", "not a signed policy"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_everything_else_is_refused_and_the_last_good_one_holds(company: Company, case: str) -> None:
    company.publish(company.signed(5))
    make, reason = REFUSED[case]
    known = company.publish(make(company))
    assert reason in known["problem"]
    assert policy.problems(known)
    assert known["active"]["version"] == 5
    assert company.denies()


def test_a_leaked_keys_huge_number_does_not_lock_its_successor_out(company: Company) -> None:
    company.allow("boss", "heir")
    company.publish(company.signed(999_999_999))
    company.allow("heir")
    assert company.publish(company.signed(8, key="heir"))["active"]["version"] == 8


def test_a_policy_in_force_is_checked_again_when_it_is_compiled(company: Company, home: Path) -> None:
    company.publish(company.signed(1))
    path = home / ".local/state/hookkit" / layers.FLEET_POLICY
    path.write_text(path.read_text().replace("make deploy", "make nothing"))
    settings = layers.load("/", company.environ)
    assert any("does not fit" in said for said in settings.broken)
    company.publish(company.signed(2))
    assert company.denies()
    company.allow("eve")  # the signers are part of what is checked
    assert not company.denies()


def test_no_signers_means_no_policy(company: Company, home: Path) -> None:
    company.publish(company.signed(1))
    config = home / ".config" / "hookkit" / "hookkit.toml"
    config.write_text(f'[fleet]\npolicy = "file://{company.address}"\n')
    assert not company.denies()
    assert "nobody is allowed to sign" in company.publish(company.signed(2))["problem"]


def test_a_policy_cannot_change_what_leaves_or_who_signs(company: Company) -> None:
    company.publish(company.signed(1, '[fleet]\nsend = "all"\nsigners = "/x"\n'))
    assert layers.load("/", company.environ)["fleet.send"] == "calls"


def test_a_project_cannot_set_the_fleet(company: Company, project: Path) -> None:
    (project / "hookkit.toml").write_text('[fleet]\nsend = "all"\nto = "https://eve.example.com"\n')
    settings = layers.load(str(project), company.environ)
    assert (settings["fleet.send"], settings["fleet.to"]) == ("calls", "")


@pytest.mark.parametrize(("percent", "least", "most"), [(10, 10, 30), (50, 80, 120), (100, 200, 200), (0, 0, 0)])
def test_a_stage_takes_its_part_of_200_machines(percent: int, least: int, most: int) -> None:
    now = time.time()
    for version in (1, 2, 3):
        found = SignedPolicy(signed.policy_line(version, now - 60, now + 60, f"0:{percent},24:100"))
        taken = sum(found.is_for(f"{number:016x}", now) for number in range(200))
        assert least <= taken <= most
        assert found.is_for("0" * 16, now + 25 * 3_600)


def test_another_version_has_other_machines_first() -> None:
    now = time.time()
    policies = [SignedPolicy(signed.policy_line(version, now, now, "0:10")) for version in (1, 2)]
    first, second = ({number for number in range(200) if found.is_for(f"{number:016x}", now)} for found in policies)
    assert first != second


def test_a_machine_outside_of_the_stage_waits_with_the_policy_before(company: Company) -> None:
    company.publish(company.signed(1))
    known = company.publish(company.signed(2, "[nudge]\nenabled = true\n", stages="0:0,1:100"))
    assert (known["active"]["version"], known["waiting"]) == (1, 2)
    assert company.denies()
    assert "older" in company.publish(company.signed(1))["problem"]


def test_a_policy_comes_from_git(company: Company, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "rules"
    repository.mkdir()
    (repository / "web.toml").write_text(company.signed(3))
    words = (("init", "-q"), ("add", "."), ("-c", "user.name=a", "-c", "user.email=a@x", "commit", "-qm", "x"))
    for word in words:
        subprocess.run(["git", *word], cwd=repository, check=True)
    settings = layers.load("/", company.environ)
    settings.values["fleet.policy"] = f"git+file://{repository}#{{team}}.toml"
    assert policy.refresh(company.environ, settings, MACHINE, "web")["active"]["version"] == 3
    with monkeypatch.context() as patch:
        patch.setattr(policy, "_decoded", lambda *_: pytest.fail("the same commit was fetched again"))
        assert policy.refresh(company.environ, settings, MACHINE, "web")["problem"] == ""
    settings.values["fleet.policy"] = f"git+file://{repository}#missing.toml"
    assert "git" in policy.refresh(company.environ, settings, MACHINE, "web")["problem"]


def test_a_machine_without_a_hub_takes_a_policy_too(company: Company, hookkit: Run) -> None:
    company.address.write_text(company.signed(1))
    assert sync.run(company.environ) is not None
    assert company.denies()
    status = json.loads(hookkit("fleet", "status", "--output", "json").stdout)
    assert (status["policy"], status["problems"]) == ("version 1, signed by boss", [])
    names = [company.publish(company.signed(2))["machine"], company.publish(company.signed(3))["machine"]]
    assert names[0] == names[1]


@pytest.mark.parametrize("address", ["policy.toml", "http://example.com/x", "git+--upload-pack=x#y"])
def test_a_wrong_address_is_named(company: Company, address: str) -> None:
    settings = layers.load("/", company.environ)
    settings.values["fleet.policy"] = address
    assert policy.refresh(company.environ, settings, MACHINE, "web")["problem"]


def test_sign_and_verify_by_command(company: Company, hookkit: Run, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(RULE)
    for version in (1, 2):
        done = hookkit("policy", "sign", str(rules), "--key", str(tmp_path / "boss"), "--stages", "0:10,24:100")
        assert f"version {version}".encode() in done.stdout, done.stderr
    signed = str(tmp_path / "rules.signed.toml")
    good = hookkit("policy", "verify", signed, "--output", "json")
    assert (good.returncode, json.loads(good.stdout)["signer"], json.loads(good.stdout)["percent"]) == (0, "boss", 10)
    company.allow("eve")
    bad = hookkit("policy", "verify", signed)
    assert (bad.returncode, b"not among the signers" in bad.stderr) == (1, True)
    rules.write_text("[[rules]]\nmatch = 1\n")
    assert hookkit("policy", "sign", str(rules), "--key", str(tmp_path / "boss")).returncode == 2


def test_a_dry_run_shows_the_difference_and_last_weeks_calls(company: Company, hookkit: Run) -> None:
    company.publish(company.signed(1))
    company.address.write_text(company.signed(2, RULE.replace("Fridays", "Mondays")))
    done = hookkit("policy", "verify", str(company.address), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert b'+reason = "Not on Mondays."' in done.stdout


def test_what_is_kept_is_for_this_user_alone(company: Company, home: Path) -> None:
    company.publish(company.signed(1))
    modes = {path.stat().st_mode & 0o777 for path in Path(membership.directory(company.environ)).iterdir()}
    assert modes == {0o600}
