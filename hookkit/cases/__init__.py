r"""Rows of what happens and what is expected: the format of hookkit's own tests and of its users'.

An event and the whole reply to it; several, one after the other, are `"steps": [{"event": …, "reply": …}, …]`:

    {"id": "…", "hook": "redirect", "files": {"Makefile": "test:\n\ttrue\n"}, "event": {…}, "reply": {…} or null}

A tool call and what the policy says of it (deny, ask, allow, none, unsure):

    {"id": "…", "tool": "Bash", "args": "git push --force", "actor": "agent:executor", "expect": "ask"}

A pattern, a call, and whether the one is about the other; `"unsure": true` where nobody can tell:

    {"id": "…", "class": "wrapper", "pattern": "Bash(rm *)", "tool": "Bash", "arg": "sudo rm x", "match": true}

With `files` (names and texts) or `links` (names and targets) a row brings its own project, made in a temporary
directory that `{project}` stands for, as `{home}` does for a home; `cwd` is where in it the agent is. Without, a row
plays where you are; a pattern never does.
"""

from hookkit.cases.outcomes import Outcome, Ran, input_of, play, play_all, trace
from hookkit.cases.rows import MISSING, Row, conformance, load

__all__ = [
    "MISSING",
    "Outcome",
    "Ran",
    "Row",
    "conformance",
    "input_of",
    "load",
    "play",
    "play_all",
    "trace",
]
