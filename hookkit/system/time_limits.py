"""The time that an agent gives to a hook, and the part of it for the user's own programs.

At its limit an agent ends the hook and loses every answer, so all programs of an event together get less. The limit is
`--limit` of the command line, which `hookkit init` writes if a handler needs more than usual; else the usual limit.
"""

VARIABLE = "HOOKKIT_LIMIT"  # the seconds of --limit
# Seconds that `hookkit init` writes for an event, in the order of Claude Code's settings file.
WIRED = {
    "PreToolUse": 30, "PermissionRequest": 30, "PostToolUse": 30, "PostToolUseFailure": 30, "PostToolBatch": 5,
    "UserPromptSubmit": 3, "UserPromptExpansion": 3, "SessionStart": 5, "SubagentStart": 3, "SubagentStop": 600,
    "Stop": 600, "TaskCompleted": 600, "TeammateIdle": 5, "Notification": 5, "StopFailure": 5, "ConfigChange": 5,
    "PreCompact": 10, "SessionEnd": 10,
}  # fmt: skip
ON_DEMAND = ("PostToolBatch",)  # wired only if a feature or a handler needs it
# Other limits of the client: a plugin's timeout on SessionEnd does not count, and MessageDisplay is not wired.
CLIENTS = {"SessionEnd": 1.5, "MessageDisplay": 10}
USUAL = 600
LONGEST = 3600
SESSION_END = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"  # the client's variable for a longer limit


def total(event: str, environ: dict[str, str]) -> float:
    """Seconds for all programs of one event together."""
    own = environ.get(SESSION_END, "") if event == "SessionEnd" else ""
    if own.isdigit():
        return max(0.5, usable(int(own) / 1000))
    given = environ.get(VARIABLE, "")
    return usable(min(int(given), LONGEST) if given.isdigit() and int(given) else usual(event))


def usual(event: str) -> float:
    return CLIENTS.get(event) or WIRED.get(event, USUAL)


def usable(limit: float) -> float:
    """The rest is for hookkit itself, and for the end of programs that are late."""
    return limit - min(limit / 6, 30.0)


def limit_for(seconds: float) -> int:
    """The smallest limit in whole seconds whose usable part is enough."""
    return min(LONGEST, int(min(seconds * 1.2, seconds + 30) + 1))
