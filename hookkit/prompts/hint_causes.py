"""Finds the cause of a failed tool call, by the words in its output.

Most results contain none of these words, so a quiet PostToolUse costs little more than the search for them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.model import Event
    from hookkit.settings.layers import Settings

HEAD, TAIL = 1_000, 3_000  # characters of a result to search
CALLS = 50  # calls of a batch to search
INPUT = "input-"  # start of a cause's name where the tool refused its input; the tool's name follows
REFUSED = "<tool_use_error>InputValidationError"  # the client's own input check; only PostToolBatch reports it
BROKEN = ("<tool_use_error>", "Exit code ")  # start of a failed result in a batch
# How MCP servers report a wrong input: servers seldom send the error code, and the client never does.
VALIDATION = (
    "validation error", "input validation", "missing required", "required parameter", "field required", "-32602",
    "is a required property", "must have required property", "invalid arguments", "invalid params", "invalid_type",
    "invalid input:", "unexpected keyword argument", "unrecognized key", "additional properties are not allowed",
)  # fmt: skip

FILES = "Edit MultiEdit Write Read NotebookEdit"
# Known failures: cause | tools ("" = any) | texts in the output, lower case | line starts that prove the failure even
# when the command exits with 0, as `make | tail` does.
CAUSES = (
    ("edit-not-found", "Edit MultiEdit", "string to replace not found|old_string not found", ""),
    ("edit-not-unique", "Edit MultiEdit", "matches of the string to replace", ""),
    ("edit-same", "Edit MultiEdit", "are exactly the same", ""),
    ("not-read", FILES, "has not been read yet", ""),
    ("changed-since", FILES, "modified since read|modified since you last read|unexpectedly modified", ""),
    ("notebook", FILES, "jupyter notebook", ""),
    ("too-long", "Read", "exceeds maximum", ""),
    ("directory", "Read", "eisdir|illegal operation on a directory", ""),
    ("no-tool", "", "no such tool available", ""),
    ("bad-regex", "Grep Bash", "regex parse error", ""),
    ("no-runner", "Bash",
     ("no module named pytest|no module named 'pytest'|pytest: command not found|jest: not found|"
      "jest: command not found|vitest: not found|vitest: command not found|mocha: not found|tox: command not found|"
      "nox: command not found|rspec: command not found"), "/bin/bash: line |bash: line |/bin/sh: |sh: |zsh: "),
    ("no-module", "Bash",
     "modulenotfounderror|no module named|cannot find module|err_module_not_found|cannot find package",
     "modulenotfounderror: |e   modulenotfounderror: |error: cannot find module"),
    ("no-command", "Bash",
     "command not found|exit code 127", "/bin/bash: line |bash: line |zsh: command not found"),
    ("managed-python", "Bash", "externally-managed-environment", "error: externally-managed-environment"),
    ("no-target", "Bash",
     "no rule to make target|missing script:|does not contain recipe|no such task|unknown task",
     "make: *** no rule|npm error missing script|npm err! missing script"),
    ("git-access", "Bash",
     ("permission denied (publickey|could not read from remote repository|authentication failed for|"
      "could not read username"),
     "fatal: could not read from remote|fatal: authentication failed|fatal: could not read username"),
    ("push-rejected", "Bash", "[rejected]|[remote rejected]|non-fast-forward", "! [rejected]|! [remote rejected]"),
    ("conflict", "Bash",
     "merge conflict in|automatic merge failed|error: could not apply|unmerged files|unmerged paths|needs merge",
     "conflict (|automatic merge failed|error: could not apply"),
    ("git-lock", "Bash", ".lock': file exists", "fatal: unable to create"),
    ("no-repository", "Bash", "not a git repository", "fatal: not a git repository"),
    ("port-in-use", "",
     "address already in use|eaddrinuse|port is already allocated",
     "error: listen eaddrinuse|oserror: [errno 98] address already in use"),
    ("disk-full", "", "no space left on device|enospc|disk quota exceeded", ""),
    ("read-only", "", "read-only file system", ""),
    ("no-network", "",
     ("could not resolve host|network is unreachable|temporary failure in name resolution|enotfound|eai_again|"
      "name or service not known|no route to host"), "curl: (6)|fatal: unable to access"),
    ("refused", "", "connection refused|econnrefused", "curl: (7)"),
    ("certificate", "", "certificate verify failed|self signed certificate|self-signed certificate", "curl: (60)"),
    ("too-many-requests", "", "429 too many requests|rate limit exceeded|too many requests", ""),
    ("no-docker", "Bash", "cannot connect to the docker daemon|docker.sock", "cannot connect to the docker daemon"),
    ("no-terminal", "Bash",
     "not a tty|is not a terminal|terminal is dumb|inappropriate ioctl for device|no tty present", ""),
    ("timed-out", "Bash", "command timed out after", ""),
    ("memory", "Bash", "heap out of memory|cannot allocate memory|exit code 137|memoryerror", ""),
    ("arguments", "Bash", "argument list too long", ""),
    ("shell-syntax", "Bash",
     ("syntax error near unexpected token|unexpected eof while looking for|unterminated quoted string|"
      "syntax error: unexpected"), ""),
    ("denied", "", "permission denied|operation not permitted", ""),
    ("no-file", "", "no such file|file does not exist|enoent", ""),
)  # fmt: skip


class ToolResult:
    """One tool call and its output; `text` is the part of the output to search."""

    __slots__ = ("is_failure", "text", "tool", "tool_input")

    def __init__(self, tool: object, tool_input: object, text: str, *, is_failure: bool) -> None:
        self.tool = tool if isinstance(tool, str) else ""
        self.tool_input = tool_input if isinstance(tool_input, dict) else {}
        self.text = text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"
        self.is_failure = is_failure


def results(event: "Event") -> "Iterator[ToolResult]":
    """The tool results in an event; calls interrupted by the person are left out."""
    if event.name == "PostToolUseFailure":
        if event.fields.get("is_interrupt") is not True:
            yield ToolResult(event.tool_name, event.tool_input, event.text("error"), is_failure=True)
    elif event.name == "PostToolUse":
        yield ToolResult(event.tool_name, event.tool_input, _output(event), is_failure=False)
    else:
        calls = event.fields.get("tool_calls")
        for call in calls[:CALLS] if isinstance(calls, list) else ():
            text = call.get("tool_response") if isinstance(call, dict) else None
            if isinstance(text, str) and text.startswith(BROKEN):
                yield ToolResult(call.get("tool_name"), call.get("tool_input"), text, is_failure=True)


def _output(event: "Event") -> str:
    """The output of a Bash command or an MCP server; contents of files are not searched."""
    response = event.fields.get("tool_response")
    if event.tool_name == "Bash" and isinstance(response, dict):
        parts = [response.get("stdout"), response.get("stderr")]
    elif event.tool_name.startswith("mcp__"):
        blocks = response if isinstance(response, list) else [{"text": response}]
        parts = [block.get("text") for block in blocks[:CALLS] if isinstance(block, dict)]
    else:
        return ""
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def find(result: ToolResult, settings: "Settings") -> str:
    """The name of the cause, or "" for a success or an unknown failure."""
    text = result.text.lower()
    if _is_refused(result, text, settings):
        return INPUT + result.tool
    for cause, tools, words, heads in CAUSES:
        if tools and result.tool not in tools.split():
            continue
        present = [word for word in words.split("|") if word in text]
        if present and (result.is_failure or _has_failed_line(text, present, heads)):
            return cause
    return ""


def _is_refused(result: ToolResult, text: str, settings: "Settings") -> bool:
    """Whether the tool refused its input. A built-in tool's output is about other inputs, so only MCP tools count."""
    if result.text.startswith(REFUSED):
        return True
    if not result.tool.startswith("mcp__") and result.tool not in settings.values.get("schemas", {}):
        return False
    text = text[: HEAD if result.is_failure else HEAD // 4]
    return any(word in text for word in VALIDATION)


def _has_failed_line(text: str, words: list[str], heads: str) -> bool:
    """Whether the output of a successful command has a line that reports the failure itself."""
    begins = tuple(heads.split("|"))
    lines = [line.strip() for line in text.splitlines()] if heads else []
    return any(line.startswith(begins) and any(word in line for word in words) for line in lines)
