"""Amp's plugin in Node.js, with Amp played by a few lines: Amp itself needs its own server."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import HOOKKIT
from tests.realagents.agents import INSTALLED
from tests.realclient.harness import environment, home_of

PLAY = """
const handlers = {}
;(await import(process.argv[2])).default({ on: (name, handler) => (handlers[name] = handler) })
const call = (cmd) => handlers["tool.call"]({ tool: "Bash", toolUseID: "1", input: { cmd }, thread: { id: "T-1" } }, {})
await handlers["session.start"]({ thread: { id: "T-1" } }, {})
console.log(JSON.stringify([await call("rm -rf ~"), await call("ls")]))
"""


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_denied_call_is_rejected_with_its_reason(project: Path, *, is_gone: bool) -> None:
    """Without hookkit, calls pass, and with --fail-closed they are rejected."""
    node = sorted(INSTALLED.glob("*/node_modules/node-*/bin/node"))
    if not node:
        pytest.skip(f"no Node.js that runs TypeScript is in {INSTALLED}: run scripts/install-agents pi")
    environ = environment(home_of(project))
    closed = ["--fail-closed"] if is_gone else []
    init = [HOOKKIT, "init", "--agent", "amp", "--scope", "project", "--yes", *closed]
    subprocess.run(init, cwd=project, env=environ, capture_output=True, check=True)
    plugin = project / ".amp" / "plugins" / "hookkit.ts"
    if is_gone:
        plugin.write_text(re.sub(r"(?m)^const COMMAND = .*", 'const COMMAND = ["/gone"]', plugin.read_text()))
    script = project / "play.mjs"
    script.write_text(PLAY)
    done = subprocess.run([node[0], script, plugin], cwd=project, env=environ, capture_output=True, check=True)
    denied, other = json.loads(done.stdout)
    reason = "the settings deny unchecked calls" if is_gone else "delete, move or change the rights of your whole home"
    assert (denied["action"], reason in denied["message"]) == ("reject-and-continue", True)
    assert other["action"] == ("reject-and-continue" if is_gone else "allow")
