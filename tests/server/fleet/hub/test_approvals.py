"""A call waits for a yes at the hub: signed, bound, expiring; silence and everything unproven is a no."""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hookkit.pipeline import Invocation
from hookkit.server.fleet import membership
from hookkit.server.fleet.hub import people
from hookkit.settings import layers
from hookkit.system import jsons, signatures
from hookkit.system.signatures import SignatureError
from hookkit.work.gates import approvals, remote
from tests.conftest import Run
from tests.server.fleet.hub.conftest import Fleet, Reader

RULE = """
[policy]
unattended = {unattended}
[[rules]]
type = "approval_gate"
match = "Bash(kubectl apply *)"
reason = "The cluster changes"
config = {{ event = "PreToolUse", remote = true, wait = {wait}{more} }}
"""
CALL = "kubectl apply -f prod.yaml --token=ghp_0123456789012345678901234567890123Ab"


class Laptop:
    """A machine of the fleet with a rule that asks at the hub."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.environ = fleet.machine(owner="dev@x", host="laptop-7")
        self.config = Path(self.environ["HOME"]) / ".config" / "hookkit" / "hookkit.toml"
        self.config.parent.mkdir(parents=True)

    def configure(self, wait: int, *, more: str = "", unattended: bool = True) -> None:
        self.config.write_text(RULE.format(wait=wait, more=more, unattended=str(unattended).lower()))

    def call(self, command: str = CALL) -> dict[str, str]:
        event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
                 "cwd": "/", "session_id": "s1", "tool_use_id": "t1"}  # fmt: skip
        reply = Invocation("gate", [], self.environ).answer(json.dumps(event).encode())
        said: dict[str, str] = json.loads(reply)["hookSpecificOutput"] if reply else {}
        return said

    def approval(self) -> dict[str, Any]:
        (row,) = approvals.every(self.environ)
        return row

    def rewrite(self, **fields: str) -> None:
        row = {**self.approval(), **fields}
        Path(approvals.directory(self.environ), row["id"]).write_text(jsons.dumps(row))


@pytest.fixture
def laptop(fleet: Fleet) -> Laptop:
    return Laptop(fleet)


@pytest.fixture
def boss(fleet: Fleet) -> Reader:
    return fleet.person("boss@x", "approver")


def one(reader: Reader) -> dict[str, Any]:
    """The only open request, once it is there."""
    end = time.monotonic() + 30
    while not (rows := reader.get("approvals")["approvals"]):
        assert time.monotonic() < end
        time.sleep(0.05)
    (row,) = rows
    return dict(row)


def settled(reader: Reader, state: str) -> None:
    answer = reader.answer(one(reader)["id"], state)
    assert answer.status_code == 200, answer.text


@pytest.fixture
def later() -> Iterator[Callable[..., None]]:
    """Starts something that happens while the hook waits."""
    threads: list[threading.Thread] = []

    def start(work: Callable[..., None], *words: Any) -> None:
        threads.append(threading.Thread(target=work, args=words))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join()


def test_a_call_waits_for_a_yes_and_runs(laptop: Laptop, boss: Reader, later: Callable[..., None]) -> None:
    laptop.configure(20)
    later(settled, boss, "approved")
    assert laptop.call() == {}
    row = laptop.approval()
    assert (row["state"], row["by"], row["proof"].startswith("hub SHA256:")) == ("approved", "human:boss@x", True)
    (listed,) = boss.get("approvals", all="1")["approvals"]
    assert (listed["state"], listed["by"], listed["host"], listed["yours"]) == ("approved", "boss@x", "laptop-7", False)
    assert "ghp_" not in json.dumps(listed)
    assert "kubectl apply" in listed["call"]
    (told,) = laptop.fleet.served.told
    message = people.request_message(told, "https://hub.example.com")
    assert message["text"].endswith(f" https://hub.example.com/#approval-{listed['id']}")
    assert laptop.call() == {}  # the answer holds for this very call
    laptop.configure(1)
    assert laptop.call("kubectl apply -f other.yaml")["permissionDecision"] == "deny"


def test_a_no_denies(laptop: Laptop, boss: Reader, later: Callable[..., None]) -> None:
    laptop.configure(20)
    later(settled, boss, "denied")
    said = laptop.call()
    assert (said["permissionDecision"], "was denied by human:boss@x" in said["permissionDecisionReason"]) == (
        "deny",
        True,
    )


def test_silence_is_a_no_and_recorded_as_silence(laptop: Laptop, boss: Reader) -> None:
    laptop.configure(1)
    assert "silence is a no" in laptop.call()["permissionDecisionReason"]
    assert one(boss)["state"] == "open"
    with laptop.fleet.store.owner() as connection:
        connection.execute("UPDATE approvals SET expires = now() - interval '1 second'")
    late = boss.answer(one_of_all(boss)["id"], "approved")
    assert (late.status_code, "too long" in late.text) == (403, True)
    people.end_silent(laptop.fleet.store)
    assert (one_of_all(boss)["state"], one_of_all(boss)["by"]) == ("silence", "")


def one_of_all(reader: Reader) -> dict[str, Any]:
    (row,) = reader.get("approvals", all="1")["approvals"]
    return dict(row)


def test_a_yes_after_the_wait_lets_the_same_call_pass(laptop: Laptop, boss: Reader) -> None:
    laptop.configure(1)
    laptop.call()
    settled(boss, "approved")
    laptop.fleet.sync(laptop.environ)
    assert laptop.call() == {}


def test_without_a_wait_all_is_as_before_and_a_sync_brings_the_answer(laptop: Laptop, boss: Reader) -> None:
    laptop.configure(0, unattended=False)
    assert laptop.call()["permissionDecision"] == "ask"  # a person sits there
    laptop.configure(0)
    assert "hookkit approve --fleet" in laptop.call()["permissionDecisionReason"]
    settled(boss, "approved")
    laptop.fleet.sync(laptop.environ)
    assert laptop.call() == {}


@pytest.mark.parametrize(
    ("more", "unattended", "verdict", "reason"),
    [
        ("", True, "deny", "cannot be reached"),
        (', offline = "deny"', False, "deny", "cannot be reached"),
        (', offline = "ask"', False, "ask", "needs an approval"),
        (', offline = "ask"', True, "deny", "Waiting for approval"),
    ],
)
def test_a_hub_that_is_away(laptop: Laptop, more: str, unattended: bool, verdict: str, reason: str) -> None:  # noqa: FBT001
    laptop.configure(20, more=more, unattended=unattended)
    known = membership.machine(laptop.environ)
    membership.keep(laptop.environ, membership.MACHINE, {**known, "url": "http://127.0.0.1:9"})
    said = laptop.call()
    assert (said["permissionDecision"], reason in said["permissionDecisionReason"]) == (verdict, True), said


def test_without_a_fleet_the_hub_is_away(laptop: Laptop) -> None:
    laptop.configure(20)
    membership.forget(laptop.environ)
    assert "cannot be reached" in laptop.call()["permissionDecisionReason"]


def test_nobody_answers_for_themselves_and_only_approvers_answer(laptop: Laptop, boss: Reader) -> None:
    laptop.configure(1, more=', approvers = ["human:boss@x", "human:dev@x"]')
    laptop.call()
    id_ = one(boss)["id"]
    for name, role, reason in (
        ("dev@x", "approver", "their own request"),
        ("sec@x", "security", "role approver"),
        ("lea@x", "lead", "role approver"),
        ("app@x", "approver", "is for human:boss@x"),
    ):
        refused = laptop.fleet.person(name, role).answer(id_, "approved")
        assert (refused.status_code, reason in refused.text) == (403, True), refused.text
    assert one(boss)["yours"] is True
    assert boss.answer(id_, "approved", **{"x-hookkit-fleet": ""}).status_code == 403  # a form of another site
    assert boss.answer(id_, "maybe").status_code == 403
    assert boss.answer(id_ + 99, "approved").status_code == 403
    assert boss.answer(id_, "denied").status_code == 200
    assert boss.answer(id_, "approved").status_code == 403  # once


def test_a_request_is_seen_by_approvers_and_by_those_who_see_the_machine(laptop: Laptop, boss: Reader) -> None:
    laptop.configure(1)
    laptop.call()
    one(boss)
    for name, role, team, count in (
        ("dev@x", "member", "web", 1),
        ("carl@x", "member", "web", 0),
        ("lea@x", "lead", "web", 1),
        ("leo@x", "lead", "ops", 0),
        ("sec@x", "security", "ops", 1),
    ):
        assert len(laptop.fleet.person(name, role, team).get("approvals")["approvals"]) == count, name


FORGED = {
    "no signature": lambda row: {**row, "signature": "", "answer": ""},
    "a login": lambda row: {**row, "proof": "login", "signature": ""},
    "the answer to another request": lambda row: {**row, "request": "0" * 32},
    "the answer about another input": lambda row: {**row, "digest": row["digest"][::-1]},
    "a no as a yes": lambda row: {**row, "answer": row["answer"].replace("approved", "denied")},
    "a later end": lambda row: {**row, "answer": row["answer"].replace('"expires": "20', '"expires": "21')},
}


@pytest.mark.parametrize("case", FORGED)
def test_a_yes_that_the_hub_did_not_sign_counts_for_nothing(laptop: Laptop, boss: Reader, case: str) -> None:
    laptop.configure(1)
    laptop.call()
    settled(boss, "approved")
    laptop.fleet.sync(laptop.environ)
    row = laptop.approval()
    assert remote.is_proven(row, laptop.environ)
    assert not remote.is_proven(FORGED[case](row), laptop.environ)


def test_a_file_that_says_yes_without_a_proof_is_asked_about_again(laptop: Laptop, boss: Reader) -> None:
    laptop.configure(1)
    laptop.call()
    before = laptop.approval()
    laptop.rewrite(state="approved", by="human:boss@x", proof="hub SHA256:x")
    assert laptop.call()["permissionDecision"] == "deny"
    assert laptop.approval()["request"] != before["request"]
    laptop.fleet.sync(laptop.environ)  # the process in the background may be slower than the hook's wait
    assert {row["state"] for row in boss.get("approvals")["approvals"]} == {"open"}


def test_a_yes_expires(laptop: Laptop, boss: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    laptop.configure(1)
    laptop.call()
    settled(boss, "approved")
    laptop.fleet.sync(laptop.environ)
    assert laptop.call() == {}
    clock = time.time() + people.LASTS + 1
    monkeypatch.setattr(time, "time", lambda: clock)
    assert not remote.is_proven(laptop.approval(), laptop.environ)
    assert laptop.call()["permissionDecision"] == "deny"


def test_another_key_signs_no_answer(laptop: Laptop, boss: Reader, tmp_path: Path) -> None:
    laptop.configure(1)
    laptop.call()
    row = laptop.approval()
    key = str(tmp_path / "eve")
    signatures.make_key(key, "eve", dict(os.environ))
    machine = membership.machine(laptop.environ)["machine"]
    text = json.dumps({"machine": machine, "request": row["request"], "digest": row["digest"], "state": "approved",
                       "by": "boss@x", "expires": "2100-01-01T00:00:00Z"})  # fmt: skip
    with pytest.raises(SignatureError, match="not among the signers"):
        remote.settle(laptop.environ, row, text, signatures.sign(text.encode(), key, remote.NAMESPACE, {**os.environ}))
    hub = str(tmp_path / "hub-key")
    with pytest.raises(SignatureError, match="another use"):
        remote.settle(laptop.environ, row, text, signatures.sign(text.encode(), hub, "hookkit-policy", {**os.environ}))
    copied = text.replace(machine, "0" * 16)
    signature = signatures.sign(copied.encode(), hub, remote.NAMESPACE, {**os.environ})
    with pytest.raises(SignatureError, match="another machine"):
        remote.settle(laptop.environ, row, copied, signature)


def test_an_untrusted_project_sends_nothing_to_the_hub(laptop: Laptop, tmp_path: Path) -> None:
    project = tmp_path / "stranger"
    (project / ".git").mkdir(parents=True)
    text = RULE.format(wait=20, more="", unattended="true")
    (project / "hookkit.toml").write_text(text[text.index("[[rules]]") :])
    settings = layers.load(str(project), laptop.environ)
    assert settings.is_due("approval_gate", "PreToolUse")
    assert not settings.is_due("remote", "PreToolUse")


HOSTILE: list[Any] = [
    [],
    {"asks": 7},
    {"asks": [None, {}, {"request": 7}, {"request": ""}]},
    {"asks": [{"request": "r" * 999, "about": "\0\ud800" * 99, "call": "x" * 99_999, "approvers": {"a": 1}}]},
    {"asks": [{"request": "r", "seconds": 10**30, "approvers": ["\0", 7, "x" * 999], "state": "approved", "by": "me"}]},
]


@pytest.mark.parametrize("given", HOSTILE)
def test_a_hostile_machine_opens_questions_at_most(laptop: Laptop, boss: Reader, given: Any) -> None:
    known = membership.machine(laptop.environ)
    headers = {"authorization": f"Bearer {known['machine']}:{known['secret']}"}
    data = json.dumps(given).encode()
    assert httpx.post(f"{laptop.fleet.url}/fleet/asks", content=data, headers=headers).status_code == 200
    assert all((row["state"], row["by"]) == ("open", "") for row in boss.get("approvals", all="1")["approvals"])


def test_answered_in_a_terminal(laptop: Laptop, boss: Reader, hookkit: Run) -> None:
    laptop.configure(1)
    laptop.call()
    id_ = str(one(boss)["id"])
    membership.keep(dict(os.environ), membership.PERSON, {"url": laptop.fleet.url, "token": boss.token})
    assert b"The cluster changes" in hookkit("approve", "--fleet").stdout
    refused = hookkit("approve", "--fleet", id_, env={**os.environ, "CLAUDECODE": "1"})
    assert (refused.returncode, b"an agent runs this" in refused.stderr) == (1, True)
    given = hookkit("approve", "--fleet", id_)
    assert (given.returncode, given.stdout) == (0, f"{id_} approved by boss@x\n".encode()), given.stderr
    laptop.fleet.sync(laptop.environ)
    assert laptop.call() == {}


def test_the_requester_cannot_answer_on_their_own_machine(
    laptop: Laptop, hookkit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop.configure(1)
    laptop.call()
    monkeypatch.setenv("HOME", laptop.environ["HOME"])
    own = hookkit("approve", laptop.approval()["id"])
    assert (own.returncode, b"answered at your company's hub" in own.stderr) == (1, True)
    assert hookkit("approve", laptop.approval()["id"], "--deny").returncode == 0
    assert "was denied" in laptop.call()["permissionDecisionReason"]
