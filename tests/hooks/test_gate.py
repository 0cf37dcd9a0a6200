"""The gates: the parts that rows in tests/cases/gate.jsonl cannot show."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation
from hookkit.settings import layers
from hookkit.settings.keys import UNEXPLAINED
from hookkit.work.gates import answer, approvals
from hookkit.work.gates.approvals import Proof
from tests.conftest import HOOKKIT, Run

REVIEW = """
[[rules]]
type = "approval_gate"
reason = "A review is due"
config = { condition = "git.dirty and len(git.files) > 0", approvers = ["human:rashid"] }
"""
GIVE = "Give it with: hookkit approve {id} --as human:rashid (or --deny)"


@pytest.fixture
def repository(project: Path) -> Path:
    """With one commit, and nothing that is not committed."""
    git(project, "init", "-q", "-b", "topic")
    (project / "a.txt").write_text("one\n")
    git(project, "add", "a.txt")
    git(project, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "a")
    return project


def git(project: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)


def configure(home: Path, text: str) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def stop(project: Path, *, active: bool = False, session: str = "s1", **fields: Any) -> dict[str, Any]:
    """The reply to a stop, as the client gets it."""
    event = {"hook_event_name": "Stop", "session_id": session, "cwd": str(project), "stop_hook_active": active}
    call = Invocation("gate", [], dict(os.environ))
    text = call.answer(json.dumps({**event, **fields}).encode())
    assert call.problems == []
    return json.loads(text) if text else {}


def environ() -> dict[str, str]:
    return dict(os.environ)


# -- commits ---------------------------------------------------------------------------------------


def test_what_is_not_committed_is_said_once_for_each_diff(repository: Path, home: Path) -> None:
    configure(home, "[gate]\ncommit = true\n")
    assert stop(repository) == {}
    (repository / "a.txt").write_text("one\ntwo\n")
    (repository / "new.txt").write_text("x")
    said = {
        "decision": "block",
        "reason": "There are changes that are not committed:\n"
        " a.txt | 1 +\n 1 file changed, 1 insertion(+)\n new: new.txt\n"
        "Commit them if they are done, or say why not.",
    }
    assert [stop(repository), stop(repository, active=True), stop(repository)] == [said, {}, {}]
    (repository / "a.txt").write_text("one\ntwo\nthree\n")
    assert stop(repository)["reason"].split("\n")[1] == " a.txt | 2 ++"
    git(repository, "add", "-A")
    git(repository, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "b")
    assert stop(repository) == {}


def test_before_the_first_commit_the_files_are_said_themselves(project: Path, home: Path) -> None:
    git(project, "init", "-q", "-b", "topic")
    (project / "new.txt").write_text("x")
    configure(home, "[gate]\ncommit = true\n")
    assert stop(project)["reason"].split("\n")[1] == " ?? new.txt"


def test_without_a_repository_there_is_nothing_to_commit(tmp_path: Path, home: Path) -> None:
    configure(home, "[gate]\ncommit = true\n")
    assert stop(tmp_path) == {}


# -- approvals -------------------------------------------------------------------------------------


@pytest.fixture
def dirty(repository: Path, home: Path) -> Path:
    configure(home, REVIEW)
    (repository / "a.txt").write_text("other\n")
    return repository


def test_an_approval_is_waited_for_once_and_then_let_go(dirty: Path) -> None:
    first, *later = [stop(dirty), stop(dirty, active=True), stop(dirty)]
    [found] = approvals.every(environ())
    assert first == {
        "decision": "block",
        "reason": f"Waiting for approval {found['id']} by human:rashid: A review is due.\n"
        f"Only a person can give it, with: hookkit approve {found['id']} --as human:rashid\n"
        "Tell the person what there is to approve, then stop. Do not approve it yourself and do not work around it.",
        "systemMessage": f"hookkit: approval needed by human:rashid: A review is due. {GIVE.format(id=found['id'])}",
    }
    still = f"hookkit: approval {found['id']} by human:rashid is still open: A review is due. "
    assert later == [{"systemMessage": still + GIVE.format(id=found["id"])}] * 2


def test_once_approved_the_stop_passes(dirty: Path) -> None:
    stop(dirty)
    [found] = approvals.every(environ())
    approvals.settle(environ(), found, approvals.APPROVED, Proof("human:rashid", "login"))
    assert stop(dirty) == {}


def test_once_denied_the_stop_passes_and_says_so(dirty: Path) -> None:
    stop(dirty)
    [found] = approvals.every(environ())
    approvals.settle(environ(), found, approvals.DENIED, Proof("human:rashid", "login"))
    assert stop(dirty) == {"systemMessage": f"hookkit: approval {found['id']} was denied by human:rashid."}


def test_each_session_and_each_rule_is_approved_by_itself(dirty: Path, home: Path) -> None:
    stop(dirty)
    stop(dirty, session="s2")
    configure(home, REVIEW.replace("rashid", "ann"))
    stop(dirty)
    assert len(approvals.every(environ())) == 3


def test_a_clean_tree_needs_no_approval(repository: Path, home: Path) -> None:
    configure(home, REVIEW)
    assert stop(repository) == {}
    assert approvals.every(environ()) == []


def slow_git(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that answers after 0.8 s, first on the PATH."""
    real = shutil.which("git")
    fake = directory / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\nsleep 0.8\nexec {real} "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")


def test_a_slow_git_does_not_open_the_gate(
    dirty: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    slow_git(tmp_path_factory.mktemp("slow"), monkeypatch)
    assert stop(dirty)["decision"] == "block"


def test_a_repository_that_cannot_be_asked_keeps_the_gate_closed(repository: Path, home: Path) -> None:
    configure(home, REVIEW)
    git(repository, "config", "filter.x.clean", "touch stolen; cat")
    said = stop(repository)
    assert said["decision"] == "block"
    assert "hookkit could not check the condition: the repository is set up to run programs" in said["reason"]
    assert not (repository / "stolen").exists()


def test_a_file_behind_two_thousand_others_is_found(repository: Path, home: Path) -> None:
    configure(home, REVIEW.replace("git.dirty and len(git.files) > 0", "contains(git.files, 'zz/schema.sql')"))
    for number in range(2_000):
        (repository / f"{number:04d}-{'x' * 60}").touch()
    assert stop(repository) == {}
    (repository / "zz").mkdir()
    (repository / "zz" / "schema.sql").touch()
    assert stop(repository)["decision"] == "block"


def test_a_project_asks_for_approvals_before_trust_in_words_of_hookkit(dirty: Path, home: Path, hookkit: Run) -> None:
    (home / ".config" / "hookkit" / "hookkit.toml").unlink()
    (dirty / ".mentu").mkdir()
    condition = "session.id != '' and git.branch == 'topic'"
    (dirty / ".mentu" / "genesis.key").write_text(
        f'version: "2.0"\nhooks:\n  stop:\n    - type: approval_gate\n      config: {{condition: "{condition}"}}\n'
    )
    assert "Waiting for approval" in stop(dirty)["reason"]
    [untrusted] = approvals.every(environ())
    assert (untrusted["about"], untrusted["approvers"]) == (f"{UNEXPLAINED}.", [])
    approvals.drop(environ(), untrusted["id"])
    assert hookkit("trust", cwd=dirty).returncode == 0
    [found] = approvals.every(environ()) if stop(dirty, session="s2")["decision"] == "block" else []
    assert (found["about"], found["approvers"]) == (f"{condition}.", [])


def test_nothing_secret_is_written_into_an_approval(dirty: Path, home: Path) -> None:
    key = "sk-ant-api03-" + "a1B2" * 12
    configure(home, REVIEW.replace("A review is due", f"Look at {key}"))
    stop(dirty)
    [path] = Path(approvals.directory(environ())).iterdir()
    assert key not in path.read_text()


# -- promises --------------------------------------------------------------------------------------


def test_a_promise_survives_sessions_and_a_person_gives_it_more_rounds(project: Path, home: Path) -> None:
    configure(home, '[gate]\npromise = "test -f DONE"\npromise_budget = 2\n')
    rounds = [stop(project, session=session) for session in ("a", "b", "c")]
    assert [reply.get("decision") for reply in rounds] == ["block", "block", None]
    [open_] = approvals.every(environ())
    assert open_["about"] == "2 rounds more for: test -f DONE"
    more = f"More rounds: hookkit approve {open_['id']}"
    assert rounds[2]["systemMessage"] == (
        f"hookkit: test -f DONE still fails after 2 rounds, so the agent may stop. {more}"
    )
    approvals.settle(environ(), open_, approvals.APPROVED, Proof("human:x", "login"))
    assert stop(project)["reason"].startswith("Not done yet, round 1 of 2: test -f DONE fails (exit 1).")
    assert approvals.every(environ()) == []


def test_a_check_that_passes_gives_the_promise_its_rounds_back(project: Path, home: Path) -> None:
    configure(home, '[gate]\npromise = "test -f DONE"\n')
    stop(project)
    (project / "DONE").touch()
    assert stop(project) == {"systemMessage": "hookkit: test -f DONE passes after 1 round."}
    (project / "DONE").unlink()
    assert stop(project)["reason"].startswith("Not done yet, round 1 of 20:")


def test_eight_in_a_row_are_the_most_whatever_the_setting(project: Path, home: Path) -> None:
    configure(home, '[gate]\npromise = "false"\npromise_budget = 100\nblocks = 50\n')
    replies = [stop(project, active=number > 0) for number in range(20)]
    held = [reply.get("decision") == "block" for reply in replies]
    assert held[:9] == [True] * 8 + [False]
    assert len({reply["reason"] for reply in replies if "reason" in reply}) == sum(held)


@pytest.mark.parametrize("fields", [{}, {"prompt_id": "p1"}])
def test_a_new_diff_at_every_stop_holds_eight_times_at_most(
    repository: Path, home: Path, fields: dict[str, Any]
) -> None:
    """Also for a client that never says `stop_hook_active`."""
    configure(home, "[gate]\ncommit = true\n")
    held = []
    for number in range(9):
        (repository / "a.txt").write_text("two\n" * (number + 2))
        held.append(stop(repository, **fields).get("decision"))
    assert held == ["block"] * 8 + [None]


def test_a_new_prompt_starts_a_new_row(repository: Path, home: Path) -> None:
    configure(home, "[gate]\ncommit = true\nblocks = 1\n")
    said = []
    for number, prompt in enumerate(("p1", "p1", "p2")):
        (repository / "a.txt").write_text("two\n" * (number + 2))
        said.append(stop(repository, active=number == 1, prompt_id=prompt).get("decision"))
    assert said == ["block", None, "block"]


def test_an_agent_whose_counts_were_deleted_is_let_go(repository: Path, home: Path) -> None:
    configure(home, "[gate]\ncommit = true\n")
    (repository / "a.txt").write_text("two\n")
    assert stop(repository)["decision"] == "block"
    for path in (home / ".local" / "state" / "hookkit" / "gates").iterdir():
        path.unlink()
    (repository / "a.txt").write_text("three\n")
    assert "decision" not in stop(repository, active=True)


def test_an_output_that_differs_only_in_its_times_is_a_reason_once(project: Path, home: Path) -> None:
    configure(home, "[gate]\nchecks = ['echo \"1 failed in 0.$(date +%N)s\"; exit 1']\n")
    assert stop(project)["decision"] == "block"
    assert "decision" not in stop(project, active=True)


def test_a_check_that_fails_otherwise_each_time_is_let_go_at_its_budget(project: Path, home: Path) -> None:
    """New prompts start a new row; the check's own count goes on."""
    configure(home, '[gate]\nchecks = ["wc -c < log; echo x >> log; exit 1"]\nblocks = 3\n')
    (project / "log").touch()
    replies = [stop(project) for _ in range(4)]
    assert ["decision" in reply for reply in replies] == [True, True, True, False]


# -- never a trap ----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], ["--on-error", "deny"]])
def test_where_nothing_can_be_counted_nobody_is_held_back(project: Path, home: Path, options: list[str]) -> None:
    configure(home, '[gate]\nchecks = ["false"]\n')
    layers.load(str(project), environ())
    state = home / ".local" / "state" / "hookkit"
    (state / "gates").write_text("in the way")
    event = {"hook_event_name": "Stop", "session_id": "s", "cwd": str(project)}
    call = Invocation("gate", options, environ())
    assert json.loads(call.answer(json.dumps(event).encode())) == {
        "systemMessage": "hookkit: the gates let go: File exists"
    }


def test_of_twenty_stops_at_once_one_is_held_back_for_the_same_reason(project: Path, home: Path) -> None:
    configure(home, '[gate]\nchecks = ["false"]\n')
    event = {"hook_event_name": "Stop", "session_id": "s", "cwd": str(project), "stop_hook_active": True}
    raw = json.dumps(event).encode()
    calls = [
        subprocess.Popen([HOOKKIT, "gate"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project)
        for _ in range(20)
    ]
    replies = [json.loads(call.communicate(raw)[0]) for call in calls]
    assert sum("decision" in reply for reply in replies) == 1
    with answer.CountsFile(environ(), "Stop", "s", "") as kept:
        assert kept["blocks"] == 1


def test_a_simulation_uses_up_nothing(project: Path, home: Path) -> None:
    configure(home, '[gate]\npromise = "false"\nchecks = ["false"]\n' + REVIEW.replace("git.dirty and ", "not "))
    event = project / "event.json"
    event.write_text(json.dumps({"hook_event_name": "Stop", "session_id": "s1"}))
    command = [HOOKKIT, "simulate", "--event", str(event), "--output", "json"]
    done = subprocess.run(command, cwd=project, check=True, capture_output=True)
    [said] = [hook for hook in json.loads(done.stdout)["hooks"] if hook["hook"] == "gate"]
    assert (said["verdict"], said["reason"].split("\n")[0]) == (
        "deny",
        "Not done yet, round 1 of 20: false fails (exit 1).",
    )
    assert stop(project)["reason"].startswith("Not done yet, round 1 of 20: false fails (exit 1).")


@pytest.mark.parametrize(
    "fields",
    [
        {"session_id": "../../x\ud800\x00" + "y" * 600},
        {"session_id": 5, "stop_hook_active": "yes", "background_tasks": {"a": 1}},
        {"background_tasks": [[], {}, {"status": []}], "last_assistant_message": [None]},
        {"hook_event_name": "SubagentStop", "agent_type": "\ud800*", "agent_id": "/../\x00"},
        {"hook_event_name": "SubagentStop", "agent_type": ["reporter"], "agent_id": 1},
        {"hook_event_name": "TaskCompleted", "task_id": {"a": 1}, "task_subject": "\x1b[31m"},
    ],
)
def test_an_event_of_any_shape_is_answered(project: Path, home: Path, fields: dict[str, Any]) -> None:
    rules = "".join(
        f'[[rules]]\ntype = "{kind}"\nrun = "false"\nmatch = "*"\nconfig = {{ event = "{event}" }}\n'
        for kind in ("approval_gate", "command")
        for event in ("Stop", "SubagentStop", "TaskCompleted")
    )
    artefacts = '[[gate.artefacts]]\nagent = "*"\nfiles = ["**/x"]\n'
    configure(home, f'[gate]\npromise = "false"\nchecks = ["false"]\ncommit = true\n{artefacts}{rules}')
    assert stop(project, **fields)["decision"] == "block"


# -- approvals before a call ---------------------------------------------------------------------------


BEFORE = """
[[rules]]
type = "approval_gate"
match = "Bash(shipit release *)"
reason = "The infrastructure changes"
config = { event = "PreToolUse", approvers = ["human:rashid"] }
"""
NEEDED = "This call needs an approval by human:rashid: The infrastructure changes."


def call(project: Path, command: str, hook: str = "run", **more: str) -> dict[str, Any]:
    event = {"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash", "cwd": str(project)}
    invocation = Invocation(hook, [], {**os.environ, **more})
    text = invocation.answer(json.dumps({**event, "tool_input": {"command": command}}).encode())
    assert invocation.problems == []
    own: dict[str, Any] = json.loads(text).get("hookSpecificOutput", {}) if text else {}
    return own


@pytest.mark.parametrize("hook", ["run", "gate"])
def test_a_call_that_needs_an_approval_is_asked_about(project: Path, home: Path, hook: str) -> None:
    configure(home, BEFORE)
    said = call(project, "shipit release --fast x", hook)
    assert (said["permissionDecision"], said["permissionDecisionReason"]) == ("ask", NEEDED)
    assert call(project, "shipit plan", hook) == {}
    assert approvals.every(environ()) == []


def test_without_a_person_the_call_waits_for_hookkit_approve(project: Path, home: Path) -> None:
    configure(home, BEFORE)
    alone = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
    said = call(project, "shipit release x", **alone)
    [found] = approvals.every(environ())
    assert said["permissionDecision"] == "deny"
    assert f"hookkit approve {found['id']} --as human:rashid" in said["permissionDecisionReason"]
    assert (found["about"], found["call"]) == ("The infrastructure changes.", "Bash shipit release x")
    approvals.settle(environ(), found, approvals.APPROVED, Proof("human:rashid", "login"))
    assert call(project, "shipit release x", **alone) == {}
    assert call(project, "shipit release y", **alone)["permissionDecision"] == "deny"
    approvals.settle(environ(), found, approvals.DENIED, Proof("human:rashid", "login"))
    assert "was denied by human:rashid" in call(project, "shipit release x", **alone)["permissionDecisionReason"]


def test_the_row_of_the_ledger_says_who_approved_and_what_proves_it(
    project: Path, home: Path, hookkit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ATTENDED", "0")
    configure(home, BEFORE)
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(project), "tool_name": "Bash",
             "tool_input": {"command": "shipit release x"}, "tool_use_id": "t"}  # fmt: skip
    raw = json.dumps(event).encode()
    Invocation("run", [], dict(os.environ)).answer(raw)
    [found] = approvals.every(environ())
    approvals.settle(environ(), found, approvals.APPROVED, Proof("human:rashid", "key SHA256:abc", "signature"))
    assert Invocation("run", [], dict(os.environ)).answer(raw) == ""
    rows = [json.loads(line) for line in hookkit("ledger", "export", "--format", "jsonl").stdout.splitlines()]
    [approval] = next(row["body"]["handlers"] for row in rows if "handlers" in row["body"])
    assert approval["name"] == f"approval {found['id']}"
    assert {**approval["evidence"], "at": ""} == {"by": "human:rashid", "proof": "key SHA256:abc", "at": ""}
    assert b"key SHA256:abc" in hookkit("ledger", "export", "--format", "csv").stdout


def test_an_approval_that_cannot_be_kept_leaves_the_gate_closed(project: Path, home: Path) -> None:
    configure(home, BEFORE)
    place = home / ".local" / "state" / "hookkit" / "approvals"
    place.parent.mkdir(parents=True, mode=0o700)
    place.touch()
    said = call(project, "shipit release x", "gate", CLAUDE_CODE_SESSION_ATTENDED="0")
    assert said["permissionDecision"] == "ask"
    assert said["permissionDecisionReason"].startswith("hookkit could not check whether this call needs an approval")


def test_the_approval_of_a_call_holds_no_secret(project: Path, home: Path) -> None:
    configure(home, BEFORE)
    secret = "ghp_" + "a1B2" * 9
    call(project, f"shipit release --token {secret}", CLAUDE_CODE_SESSION_ATTENDED="0")
    [path] = (home / ".local" / "state" / "hookkit" / "approvals").iterdir()
    assert secret not in path.read_text()


def test_an_approval_covers_the_rewritten_call_too(project: Path, home: Path) -> None:
    (project / "Makefile").write_text("test:\n\ttrue\n")
    configure(home, BEFORE.replace("shipit release *", "make test"))
    assert call(project, "pytest -q")["permissionDecision"] == "ask"


def test_the_rows_of_pre_tool_use_in_genesis_key_ask(project: Path, hookkit: Run) -> None:
    key = project / ".mentu" / "genesis.key"
    key.parent.mkdir()
    key.write_text(
        "hooks:\n  pre_tool_use:\n    - matcher: Bash(shipit release *)\n      type: approval_gate\n"
        "      config: {reason: The infrastructure changes, approvers: ['human:rashid']}\n"
    )
    quoted = 'The settings of this project, which nobody has trusted, say: "The infrastructure changes".'
    asked = call(project, "shipit release x")["permissionDecisionReason"]
    assert asked == NEEDED.replace("The infrastructure changes.", quoted)
    assert hookkit("trust", cwd=project).returncode == 0
    assert call(project, "shipit release x")["permissionDecisionReason"] == NEEDED


def test_a_condition_may_ask_about_the_commitment_of_the_event(project: Path, home: Path) -> None:
    configure(home, REVIEW.replace("git.dirty and len(git.files) > 0", "commitment.requires_review == true"))
    assert stop(project, commitment={"requires_review": False}) == {}
    assert stop(project, commitment_id="c1", commitment={"requires_review": True})["decision"] == "block"


@pytest.mark.parametrize("condition", ["commitment.requires_review == true", "comitment.requires_review == true"])
def test_a_gate_about_a_fact_that_nothing_supplies_holds_and_says_why(
    condition: str, project: Path, home: Path, hookkit: Run
) -> None:
    """Sessions are off, or the name is mistyped: the gate does not open silently, and validate fails."""
    configure(home, REVIEW.replace("git.dirty and len(git.files) > 0", condition))
    why = "sessions are off, so nothing supplies commitment" if "comm" in condition else "there is no fact 'comitment'"
    assert f"(hookkit could not check the condition: {why})" in stop(project)["reason"]
    done = hookkit("validate", cwd=project)
    assert (done.returncode, why in done.stdout.decode()) == (1, True)


def test_facts_set_for_an_effort_open_and_close_a_gate_from_the_first_event_on(
    project: Path, home: Path, hookkit: Run
) -> None:
    """As docs/gates.md says: `hookkit effort set commitment=…`; the Stop is the first event of the session."""
    review = REVIEW.replace("git.dirty and len(git.files) > 0", "commitment.requires_review == true")
    configure(home, f"sessions.enabled = true\n{review}")
    assert hookkit("effort", "start", "fix", cwd=project).returncode == 0
    for value, held in (("false", False), ("true", True)):
        assert hookkit("effort", "set", f'commitment={{"requires_review": {value}}}', cwd=project).returncode == 0
        assert (stop(project).get("decision") == "block") is held


# -- verdicts on sub-agents ------------------------------------------------------------------------------


def test_the_verdict_on_a_sub_agent_reaches_the_main_agent_once(project: Path, home: Path) -> None:
    configure(home, '[[gate.artefacts]]\nagent = "reporter"\nfiles = ["report.md"]\n')
    part: dict[str, Any] = {"hook_event_name": "SubagentStop", "agent_id": "a1", "agent_type": "reporter"}
    assert stop(project, **part)["decision"] == "block"
    (project / "report.md").write_text("x")
    assert stop(project, active=True, **part) == {"systemMessage": "hookkit: reporter: found report.md."}
    done: dict[str, Any] = {"hook_event_name": "PostToolUse", "tool_name": "Agent", "tool_response": {"agentId": "a1"}}
    assert stop(project, **done, agent_id="a2") == {}
    own = stop(project, **done)["hookSpecificOutput"]
    assert own["additionalContext"] == "hookkit: reporter: found report.md."
    assert stop(project, **done) == {}
