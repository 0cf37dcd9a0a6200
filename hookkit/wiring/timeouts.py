"""The events for `init` to wire in Claude Code, in the order of the file, each with hookkit's time limit in seconds."""

EVENTS = {
    "PreToolUse": 30,
    "PermissionRequest": 30,
    "PostToolUse": 30,
    "PostToolUseFailure": 30,
    "PostToolBatch": 5,
    "UserPromptSubmit": 3,
    "UserPromptExpansion": 3,
    "SessionStart": 5,
    "SubagentStart": 3,
    "SubagentStop": 600,
    "Stop": 600,
    "TaskCompleted": 600,
    "TeammateIdle": 5,
    "Notification": 5,
    "StopFailure": 5,
    "ConfigChange": 5,
    "PreCompact": 10,
    "SessionEnd": 10,
}
USUAL = 10


def seconds(event: str) -> int:
    return EVENTS.get(event, USUAL)
