"""The first page of the help: six commands first, then four groups. Plain text, so that it starts fast."""

import os

from hookkit import __version__, registry

FIRST = {
    "init": "add hookkit to the settings of your agents",
    "status": "is it on, what did it do today, what waits for you",
    "why": "explain the answer to a call: hookkit why 'rm -rf ~'",
    "trust": "let this project's own settings and commands count",
    "set": "change a setting: hookkit set undo.enabled true",
    "undo": "bring back files as they were before a call",
}
GROUPS = {
    "Start": {
        "doctor": "say whether your agents really call hookkit",
        "pause": "switch hookkit off for a while: hookkit pause 1h",
        "convert": "write hooks in another agent's format",
        "serve": "the background server: answers are faster",
        "uninit": "take hookkit out of the settings of your agents",
    },
    "Understand": {
        "validate": "check files of rules and hooks",
        "test-pattern": "say what a pattern matches",
        "simulate": "play events through the hooks, also in CI",
        "replay": "put your past calls through a policy",
        "policy": "show the rules in force, and the shipped ones",
        "hook": "your own handlers: list, add, remove",
    },
    "Look back": {
        "ledger": "the log of every call, with its verdict",
        "top": "watch calls and agents in the terminal",
        "dashboard": "the same as a page in the browser",
        "errors": "errors that hooks hit",
    },
    "Decide": {
        "allow": "what waits for you; allow one call",
        "suggest": "rules from the questions that you answered with yes",
        "taint": "sessions that have read a secret",
    },
}
# Shown where they are in use, or by `hookkit help all`.
EFFORTS = {
    "effort": "work that continues across sessions",
    "task": "the directories that efforts work on",
    "resume": "go on with an effort in a new session",
    "agents": "who works, who waits for you",
}
# Older or rare names: they work, and `hookkit help all` lists them.
MORE = {
    "allow-once": "allow a stopped call once: now allow",
    "approve": "give an approval that a gate waits for: now allow",
    "toolchain": "the project's own commands",
    "trial": "one session with hookkit, without a change to settings",
    "plugin": "write a Claude Code plugin",
    "schema": "the JSON Schema of hookkit.toml",
    "version": "the version",
    "help": "the help of a command",
}
HEAD = f"hookkit {__version__}: the hook layer for coding agents. It answers every hook event."
TAIL = """\
hookkit COMMAND --help explains a command, with examples.
hookkit help all lists all commands, hookkit help hooks those that agents call.
Completion in your shell: hookkit --install-completion, or --show-completion.
"""


def text(words: list[str]) -> str:
    """The page: the usual one, `all`, or `hooks`."""
    if words == ["hooks"]:
        return f"Agents call these: an event as JSON on stdin, the answer on stdout.\n\n{_wrapped(_hooks())}"
    groups = dict(GROUPS)
    if words == ["all"] or _has_efforts():
        groups["Efforts"] = EFFORTS
    if words == ["all"]:
        groups["More"] = MORE
    width = max(len(name) for group in (FIRST, *groups.values()) for name in group)
    parts = [f"{title}\n{_rows(group, width)}" for title, group in groups.items()]
    return "\n".join([f"{HEAD}\n", _rows(FIRST, width), *parts, TAIL])


def _rows(rows: dict[str, str], width: int = 0) -> str:
    width = width or max(map(len, rows))
    return "".join(f"  {name:{width}}  {about}\n" for name, about in rows.items())


def _hooks() -> dict[str, str]:
    names = {"run": "Every hook of the event: the command to connect"}
    for drawer in ("hooks", "screen"):
        for name in registry.names(drawer):
            about = (registry.find(drawer, name).__doc__ or "").strip().partition("\n")[0]
            names[name.replace("_", "-")] = about.rstrip(".")
    return names


def _wrapped(rows: dict[str, str]) -> str:
    """Long rows for a terminal of 80 columns."""
    from textwrap import fill

    width = max(map(len, rows))
    indent = " " * (width + 4)
    return "".join(
        fill(about, 80, initial_indent=f"  {name:{width}}  ", subsequent_indent=indent) + "\n"
        for name, about in rows.items()
    )


def _has_efforts() -> bool:
    """Whether sessions and efforts are in use here."""
    from hookkit.errors import HookkitError
    from hookkit.settings import layers

    try:
        return bool(layers.load(os.getcwd(), dict(os.environ))["sessions.enabled"])
    except (HookkitError, OSError):
        return False
