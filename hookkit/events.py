"""ROWS: one row an event, with the field for its matcher, the shape of a reply, and the hooks that answer.

A verdict outside a row's `answers` is dropped, so an `ask` on Stop can never become a block.
"""

# Shapes of a verdict (the module of the agent knows the spelling).
PERMISSION = "permission"  # allow, ask, defer, deny, each by name
REQUEST = "request"  # the answer to a permission dialog
BLOCK = "block"  # deny blocks, with a reason
HALT = "halt"  # deny stops the agent
DECLINE = "decline"  # deny declines for the user
SILENT = "silent"  # the client ignores verdicts

# Place of text for the model.
FIELD = "field"  # beside the verdict, in `hookSpecificOutput`
TEXT = "text"  # plain output: this event refuses `hookSpecificOutput`

NOISE = ("MessageDisplay",)  # many a second, useful only to the screen
CUSTOM = "custom"  # the user's own handlers: they may ask for any event
EVERY = "track record"  # hooks that get every event but noise, after the others


class EventRow:
    """`rewrites` and `output` say that a reply may replace the tool's input or output."""

    __slots__ = ("answers", "context", "hooks", "matcher", "message", "name", "output", "reply", "rewrites")

    def __init__(  # noqa: PLR0913 - a table's row is as wide as the table
        self,
        name: str,
        matcher: str,
        reply: str,
        answers: str = "",
        context: str = "",
        *,
        message: bool = True,
        rewrites: bool = False,
        output: bool = False,
        hooks: str = "",
    ) -> None:
        self.name = name
        self.matcher = matcher
        self.reply = reply
        self.answers = answers.split()
        self.context = context
        self.message = message
        self.rewrites = rewrites
        self.output = output
        self.hooks = [*hooks.split(), CUSTOM, *(() if name in NOISE else EVERY.split())]


ROWS = (
    EventRow(
        "PreToolUse",
        "tool_name",
        PERMISSION,
        "allow ask defer deny",
        FIELD,
        rewrites=True,
        hooks="guard snapshot redirect gate",
    ),
    EventRow("PostToolUse", "tool_name", BLOCK, "deny", FIELD, output=True, hooks="guard shield hint gate budget"),
    EventRow("PostToolUseFailure", "tool_name", BLOCK, "deny", FIELD, hooks="guard shield hint budget"),
    EventRow("PostToolBatch", "", BLOCK, "deny", FIELD, hooks="hint"),
    EventRow("Notification", "notification_type", SILENT, "", FIELD, message=False),
    EventRow("UserPromptSubmit", "", BLOCK, "deny", FIELD, hooks="local nudge gate budget"),
    EventRow("UserPromptExpansion", "command_name", BLOCK, "deny", FIELD),
    EventRow("SessionStart", "source", SILENT, "", FIELD, hooks="local restore"),
    EventRow("SessionEnd", "reason", SILENT, message=False, hooks="learn"),
    EventRow("Stop", "", BLOCK, "deny", FIELD, hooks="gate"),
    EventRow("StopFailure", "error", SILENT, message=False),
    EventRow("SubagentStart", "agent_type", SILENT, "", FIELD),
    EventRow("SubagentStop", "agent_type", BLOCK, "deny", FIELD, hooks="gate budget"),
    EventRow("PreCompact", "trigger", BLOCK, "deny", TEXT, message=False, hooks="local restore learn"),
    EventRow("PostCompact", "trigger", SILENT, message=False),
    EventRow("PreModelSwitch", "", PERMISSION, "allow ask deny", message=False),
    EventRow("PostModelSwitch", "", SILENT, "", FIELD, message=False),
    EventRow("PermissionRequest", "tool_name", REQUEST, "allow deny", rewrites=True, hooks="guard"),
    EventRow("PermissionDenied", "tool_name", SILENT, message=False),
    EventRow("Setup", "trigger", SILENT, "", FIELD),
    EventRow("TeammateIdle", "", HALT, "deny", message=False),
    EventRow("TaskCreated", "", BLOCK, "deny", message=False),
    EventRow("TaskCompleted", "", BLOCK, "deny", message=False, hooks="gate"),
    EventRow("Elicitation", "mcp_server_name", DECLINE, "deny", message=False),
    EventRow("ElicitationResult", "mcp_server_name", DECLINE, "deny", message=False),
    EventRow("ConfigChange", "source", BLOCK, "deny", message=False),
    EventRow("WorktreeCreate", "", SILENT, message=False),
    EventRow("WorktreeRemove", "", SILENT, message=False),
    EventRow("InstructionsLoaded", "load_reason", SILENT, message=False),
    EventRow("CwdChanged", "", SILENT),
    EventRow("FileChanged", "file_path", SILENT),
    EventRow("DirectoryAdded", "source", SILENT),
    EventRow("MessageDisplay", "", SILENT, message=False),
)
EVENTS = {row.name: row for row in ROWS}
UNKNOWN = EventRow("", "", SILENT, message=False)
