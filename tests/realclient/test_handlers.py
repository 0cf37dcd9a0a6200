"""The user's own handlers in the real client: what reaches the model, and what stands on the screen."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from .harness import Run, bash, home_of, set_stage, wire, write
from .terminal import CLEAR, opened, welcome

Drive = Callable[..., Run]
MAY = ("--allowedTools", "Bash")
SERVER = """
import http.server

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = b'{"Reject": {"reason": "The heron says no."}}'
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

http.server.HTTPServer(("127.0.0.1", 18080), Handler).serve_forever()
"""


def settings(project: Path, text: str) -> None:
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", text)


def test_a_webhooks_deny_reaches_the_model(drive: Drive, project: Path) -> None:
    """The server runs beside the client, in the client's own network."""
    server = write(project / "server.py", SERVER)
    serve = f"(setsid python3 {server} >/dev/null 2>&1 </dev/null &); sleep 1; hookkit run"
    wire(project, SessionStart=serve, PreToolUse="hookkit run")
    settings(
        project,
        '[[hooks]]\nevent = "PreToolUse"\nmatcher = "Bash"\ntimeout_sec = 20\n'
        '[hooks.webhook]\nurl = "http://127.0.0.1:18080/x"',
    )
    run = drive(project, "go", turns=[bash("touch made"), "done"], arguments=MAY)
    assert run.prompts()[-1].tool_results == [("PreToolUse:Bash hook error: The heron says no.", True)]
    assert not (project / "made").exists()
    assert run.faults() == []


def test_an_async_result_comes_with_the_next_event(drive: Drive, project: Path) -> None:
    wire(project, PreToolUse="hookkit run", PostToolUse="hookkit run")
    row = "[[hooks]]\nevent = \"PreToolUse\"\nif = \"Bash(touch *)\"\nasync = true\n[hooks.shell]\ncommand = '''%s'''\n"
    settings(project, row % 'echo {\\"additionalContext\\": \\"The heron is done.\\"}')
    run = drive(project, "go", turns=[bash("touch one"), bash("sleep 3"), "done"], arguments=MAY)
    told = [prompt.added.count("The heron is done.") for prompt in run.prompts()]
    assert (told[0], told[-1]) == (0, 1)
    assert run.faults() == []


def test_a_prompt_handler_asks_claude_without_its_hooks(drive: Drive, project: Path, client: Path) -> None:
    """The scripted model answers the call, then the question of the handler, then goes on."""
    wire(project, PreToolUse="hookkit run", SessionStart="hookkit run")
    row = (
        '[llm]\ncommand = "%s"\n[[hooks]]\nevent = "PreToolUse"\nbatch = true\ntimeout_sec = 20\n'
        '[hooks.%s]\nprompt = "Is this safe? $ARGUMENTS"\n'
    )
    verdict = {"name": "StructuredOutput", "input": {"ok": False, "reason": "The heron is asleep."}}
    for kind in ("prompt", "agent"):
        settings(project, row % (client, kind))
        run = drive(project, "go", turns=[bash("touch made"), verdict, "done"], arguments=MAY)
        assert run.prompts()[-1].tool_results == [("PreToolUse:Bash hook error: The heron is asleep.", True)]
        [question] = [prompt for prompt in run.prompts() if "Is this safe?" in prompt.said]
        assert '"touch made"' in question.said
        assert len(run.replies("SessionStart:startup")) <= 1
        assert run.faults() == []
    assert not (project / "made").exists()


def test_a_batch_session_runs_no_prompt_handler(drive: Drive, project: Path) -> None:
    wire(project, PreToolUse="hookkit run")
    settings(project, '[[hooks]]\nevent = "PreToolUse"\nname = "p"\n[hooks.prompt]\nprompt = "Is this safe?"\n')
    run = drive(project, "go", turns=[bash("touch made"), "done"], arguments=MAY)
    assert (project / "made").exists()
    assert "prompt handlers need an interactive session" in "\n".join(run.swallowed())


def test_the_status_line_and_file_suggestions_stand_on_the_screen(client: Path, project: Path) -> None:
    """`@heronnst` is a name with its letters in order, which hookkit alone finds."""
    write(project / "src" / "heron_nest.py", "")
    subprocess.run(["git", "-C", str(project), "symbolic-ref", "HEAD", "refs/heads/herons"], check=True)
    commands = {name: {"type": "command", "command": f"hookkit {words}"}
                for name, words in (("statusLine", "statusline"), ("fileSuggestion", "suggest-files"))}  # fmt: skip
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "hookkit run"}]}]}
    write(project / ".claude" / "settings.json", json.dumps({**commands, "hooks": hooks}))
    stage = set_stage(project, ["Hello there."])
    welcome(stage, project)
    with opened(stage.command(client, "go"), project, stage.env) as (terminal, _):
        terminal.until("% context · herons")
        terminal.press(CLEAR + "@heronnst")
        terminal.until("src/heron_nest.py")
    assert (home_of(project) / ".local" / "state" / "hookkit" / "files").is_dir()
    assert stage.report(0).swallowed() == []
