"""`hookkit allow-once` in the real client: a denied call, allowed from another terminal while the session goes on."""

import json
from collections.abc import Callable
from pathlib import Path

from hookkit.verdicts import permits

from .harness import Run, bash, home_of, person, set_stage, wire, write
from .terminal import leave, opened, say, welcome

Drive = Callable[..., Run]
COMMAND = "git push --force nowhere main; touch ran.txt"
DENIED = "hookkit [git.force-push-main]"
SAID = "To allow it once: hookkit allow "


def age(project: Path, id_: str) -> None:
    """Ten minutes go by."""
    path = home_of(project) / ".local" / "state" / "hookkit" / permits.FOLDER / id_
    row = json.loads(path.read_text())
    path.write_text(json.dumps({**row, "until": row["until"] - permits.MINUTES * 60 - 1}))


def test_a_person_allows_the_very_call_once(client: Path, project: Path) -> None:
    """The person reads the id on the screen; the model words its description anew, and asks for another file."""
    wire(project, PreToolUse="hookkit run", PostToolUse="hookkit run", PostToolUseFailure="hookkit run")
    other = bash(COMMAND.replace("ran", "other"), description="Push")
    same = [bash(COMMAND, description=f"Push, attempt {number}") for number in range(5)]
    turns = [same[0], "One.", other, same[1], same[2], "Two.", same[3], "Three."]
    stage = set_stage(project, turns)
    welcome(stage, project)
    arguments = ("--allowedTools", "Bash", "--permission-mode", "manual", "go")
    with opened(stage.command(client, *arguments), project, stage.env) as (terminal, process):
        lines = terminal.until("● One.")
        message = next(line for line in lines if SAID in line)
        id_ = message.partition(SAID)[2][: permits.SHORT]
        assert "hookkit stopped this call (rule git.force-push-main). " in message
        assert person(project, "allow", id_).returncode == 0
        say(terminal, "allowed, again")
        terminal.until("● Two.")
        assert person(project, "allow-once", id_).returncode == 0
        age(project, id_)
        say(terminal, "once more")
        terminal.until("● Three.")
        leave(terminal)
        process.wait()
    run = stage.report(process.returncode)
    results = [said for said, _ in run.prompts()[-1].tool_results]
    assert [DENIED in said for said in results] == [True, True, False, True, True]
    assert sorted(path.name for path in project.glob("*.txt")) == ["ran.txt"]
    assert run.faults() == []
    why = json.loads(person(project, "why", "-o", "json", COMMAND).stdout)
    assert why["stopped"] == [{"id": id_, "rule": "git.force-push-main"}]
    bodies = [json.loads(line)["body"] for line in person(project, "ledger", "export").stdout.splitlines()]
    calls = [body for body in bodies if body["event"] == "PreToolUse"]
    assert [(body["verdict"], body["rule"]) for body in calls if body.get("stopped") != id_][1:] == [
        ("allow", "allow-once")
    ]
    assert [body["verdict"] for body in calls if body.get("stopped") == id_] == ["deny"] * 3


def test_an_agent_cannot_allow_its_own_call(drive: Drive, project: Path) -> None:
    """Even with the rule about this command switched off: the command sees the agent among its parents."""
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", '[policy]\noff = ["guard.hookkit"]\n')
    wire(project, PreToolUse="hookkit run")
    first = drive(project, "go", turns=[bash(COMMAND), "done"], arguments=("--allowedTools", "Bash"))
    [reply] = first.replies("PreToolUse:Bash")
    id_ = reply["systemMessage"].partition(SAID)[2][: permits.SHORT]
    tries = [f"hookkit allow {id_}", f"env -i HOME=$HOME PATH=$PATH hookkit allow-once {id_}"]
    turns = [*map(bash, tries), bash(COMMAND), "done"]
    run = drive(project, "go", turns=turns, arguments=("--allowedTools", "Bash"))
    *refused, still = run.prompts()[-1].tool_results
    by_guard, by_command = (said for said, _ in refused)
    assert "hookkit [guard.protected]: " in by_guard
    assert "only a person can allow a call" in by_command
    assert DENIED in still[0]
    assert not (project / "ran.txt").exists()
    assert run.faults() == []
