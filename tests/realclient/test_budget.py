"""Budgets in the real client: the warning, the stop, and a command that fails again and again."""

from collections.abc import Callable
from pathlib import Path

from .harness import Run, bash, home_of, inside, use, wire, write
from .stub import USAGE

Drive = Callable[..., Run]
EVENTS = ("PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SubagentStop")
AGENT = {"description": "look", "prompt": "look", "subagent_type": "general-purpose", "run_in_background": False}
ALLOWED = ("--allowedTools", "Bash,Agent")
LIMIT = "[budget]\ntokens = {}\nwarn = 50\nfailures = 5\n"
EACH = sum(USAGE.values())  # tokens of a reply
USED = "hookkit: this session has used {:,} tokens"
STOPPED = (
    f"{USED}, and its budget is 1,500 tokens. To go on, raise budget.tokens in hookkit.toml, or start a new session."
)
OFTEN = "This command has failed 5 times in a row. Stop repeating it: read the error, and try another way."


def told(run: Run) -> list[str]:
    """What the person was told by hooks, in order."""
    rows = [row for row in run.stream if row.get("subtype") == "hook_response" and row["stdout"]]
    replies = [reply for name in dict.fromkeys(row["hook_name"] for row in rows) for reply in run.replies(name)]
    return [reply[field] for reply in replies for field in ("systemMessage", "stopReason") if field in reply]


def test_a_session_is_warned_and_stopped_with_its_sub_agents(drive: Drive, project: Path) -> None:
    """The replies of a sub-agent count; it is stopped, its caller too, and a new prompt is refused."""
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", LIMIT.format(1500))
    wire(project, **dict.fromkeys(EVENTS, "hookkit run"))
    failing = [bash("ls nowhere")] * 5
    turns = [
        bash("true"),
        *failing,
        use("Agent", **AGENT),
        *[inside(bash("echo egret"))] * 8,
        bash("echo heron"),
        "End.",
    ]
    run = drive(project, "go", "and on?", turns=turns, arguments=ALLOWED)
    asked = len(run.prompts())
    assert asked - 1500 // EACH in (1, 2)  # the client may write a reply to its transcript after the hook has read it
    often, warned, *stops = told(run)
    assert often == "hookkit: the same command has failed 5 times in a row."
    assert warned in [f"{USED.format(count * EACH)} of its budget of 1,500 tokens." for count in range(7, 11)]
    assert len(stops) == 3  # the sub-agent, its caller, the new prompt
    assert stops[-1] == STOPPED.format(asked * EACH)
    assert set(stops) <= {STOPPED.format((asked - late) * EACH) for late in (0, 1)}
    assert [prompt.added.count(OFTEN) for prompt in run.prompts()].count(1) == 1  # the sub-agent does not see it
    results = [row["result"] for row in run.stream if row["type"] == "result"]
    assert results == ["", f"Operation stopped by hook: {stops[-1]}"]
    assert run.faults() == []
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", LIMIT.format(5000))
    more = drive(project, "and now?", turns=["Herons."], arguments=(*ALLOWED, "--continue"))
    assert more.stream[-1]["result"] == "Herons."
    assert more.faults() == []
