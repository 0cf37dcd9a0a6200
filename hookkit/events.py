"""One row an event: what its matcher is tested against, how a reply to it looks, and which hooks answer it.

A verdict that is not among a row's `answers` is dropped, so an `ask` on Stop can never become a block.
"""

# How a verdict is written down (dialects know the spelling).
PERMISSION = "permission"  # allow, ask, defer, deny, each by name
REQUEST = "request"  # the answer to a permission dialog
BLOCK = "block"  # deny means: not this, and here is why
HALT = "halt"  # deny means: stop working
DECLINE = "decline"  # deny means: decline for the user
SILENT = "silent"  # nothing that we say is heard

# Where text for the model goes.
FIELD = "field"  # beside the verdict, in the event's own object
TEXT = "text"  # as the plain output: this event refuses an object of its own

NOISE = ("MessageDisplay",)  # many a second, and nobody but the screen needs them
EVERY = "track record"  # the hooks that hear of every event, after the others


class Row:
    __slots__ = ("answers", "context", "hooks", "matcher", "message", "name", "reply", "rewrites")

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
        hooks: str = "",
    ) -> None:
        self.name = name
        self.matcher = matcher
        self.reply = reply
        self.answers = answers.split()
        self.context = context
        self.message = message
        self.rewrites = rewrites
        self.hooks = hooks.split() if name in NOISE else f"{hooks} {EVERY}".split()


ROWS = (
    Row("PreToolUse", "tool_name", PERMISSION, "allow ask defer deny", FIELD, rewrites=True, hooks="guard redirect"),
    Row("PostToolUse", "tool_name", BLOCK, "deny", FIELD, hooks="guard hint"),
    Row("PostToolUseFailure", "tool_name", BLOCK, "deny", FIELD, hooks="guard hint"),
    Row("PostToolBatch", "", BLOCK, "deny", FIELD, hooks="hint"),
    Row("Notification", "notification_type", SILENT, "", FIELD, message=False),
    Row("UserPromptSubmit", "", BLOCK, "deny", FIELD, hooks="local nudge"),
    Row("UserPromptExpansion", "command_name", BLOCK, "deny", FIELD),
    Row("SessionStart", "source", SILENT, "", FIELD, hooks="local restore"),
    Row("SessionEnd", "reason", SILENT, message=False, hooks="learn"),
    Row("Stop", "", BLOCK, "deny", FIELD, hooks="gate"),
    Row("StopFailure", "error", SILENT, message=False),
    Row("SubagentStart", "agent_type", SILENT, "", FIELD),
    Row("SubagentStop", "agent_type", BLOCK, "deny", FIELD, hooks="gate"),
    Row("PreCompact", "trigger", BLOCK, "deny", TEXT, message=False, hooks="local restore learn"),
    Row("PostCompact", "trigger", SILENT, message=False),
    Row("PreModelSwitch", "", PERMISSION, "allow ask deny", message=False),
    Row("PostModelSwitch", "", SILENT, "", FIELD, message=False),
    Row("PermissionRequest", "tool_name", REQUEST, "allow deny", rewrites=True, hooks="guard"),
    Row("PermissionDenied", "tool_name", SILENT, message=False),
    Row("Setup", "trigger", SILENT, "", FIELD),
    Row("TeammateIdle", "", HALT, "deny", message=False),
    Row("TaskCreated", "", BLOCK, "deny", message=False),
    Row("TaskCompleted", "", BLOCK, "deny", message=False, hooks="gate"),
    Row("Elicitation", "mcp_server_name", DECLINE, "deny", message=False),
    Row("ElicitationResult", "mcp_server_name", DECLINE, "deny", message=False),
    Row("ConfigChange", "source", BLOCK, "deny", message=False),
    Row("WorktreeCreate", "", SILENT, message=False),
    Row("WorktreeRemove", "", SILENT, message=False),
    Row("InstructionsLoaded", "load_reason", SILENT, message=False),
    Row("CwdChanged", "", SILENT),
    Row("FileChanged", "file_path", SILENT),
    Row("DirectoryAdded", "source", SILENT),
    Row("MessageDisplay", "", SILENT, message=False),
)
EVENTS = {row.name: row for row in ROWS}
UNKNOWN = Row("", "", SILENT, message=False)
