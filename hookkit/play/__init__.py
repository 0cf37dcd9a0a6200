r"""Rows of events and expected answers: the format of hookkit's own tests, of `simulate`, and of its users' tests.

Belongs here: reading rows, and playing them through the same pipeline, policy and patterns as an agent's call.
May import: everything but cli. Showing the results is the business of cli.

An event and the whole reply; several in sequence are `"steps": [{"event": …, "reply": …}, …]`:

    {"id": "…", "hook": "redirect", "files": {"Makefile": "test:\n\ttrue\n"}, "event": {…}, "reply": {…} or null}

A tool call and the verdict of all hooks (deny, ask, allow, none, unsure; stop is deny or ask); `"hook": "guard"` plays
the policy alone:

    {"id": "…", "tool": "Bash", "args": "git push --force", "actor": "agent:executor", "expect": "ask"}

A pattern, a call, and whether the pattern matches the call; `"unsure": true` where hookkit may say "cannot tell":

    {"id": "…", "class": "wrapper", "pattern": "Bash(rm *)", "tool": "Bash", "arg": "sudo rm x", "match": true}

A row with `files` (names and texts) or `links` (names and targets) plays in a project of its own, made in a temporary
directory. `{project}` and `{home}` stand for the paths of that project and of a home; `cwd` is the agent's directory
inside the project. Other rows play in the working directory, except patterns, which always get a project of their own.
"""
