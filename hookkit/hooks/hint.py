"""After a tool failed: the next step, or what the tool's input should look like. Once for each cause in a session.

Most results have none of the words below in them, and cost no more than looking for those.
"""

from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.settings.layers import Settings

EVENTS = ("PostToolUse", "PostToolUseFailure", "PostToolBatch")

HEAD, TAIL = 1_000, 3_000  # characters of a result in which the cause is looked for
MOST = 3  # hints in one reply
CALLS = 50  # of a batch
REFUSED = "<tool_use_error>InputValidationError"  # what the client says of its own tools; no other event tells of it
BROKEN = ("<tool_use_error>", "Exit code ")  # how a failure begins in a batch; of all others we heard before
# What servers say of an input that they do not take. A server names the code seldom, the client never.
VALIDATION = (
    "validation error", "input validation", "missing required", "required parameter", "field required", "-32602",
    "is a required property", "must have required property", "invalid arguments", "invalid params", "invalid_type",
    "invalid input:", "unexpected keyword argument", "unrecognized key", "additional properties are not allowed",
)  # fmt: skip

FILES = "Edit MultiEdit Write Read NotebookEdit"
# What a failure looks like, in lower case: the cause, the tools that it is about (any, if none), the words in it, and
# how a line begins that tells of it though the command succeeded, as `make | tail` does, whatever make does.
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


class Result:
    """What one call came to: `text` is the part of it in which a cause would stand."""

    __slots__ = ("given", "is_failure", "text", "tool")

    def __init__(self, tool: object, given: object, text: str, *, is_failure: bool) -> None:
        self.tool = tool if isinstance(tool, str) else ""
        self.given = given if isinstance(given, dict) else {}
        self.text = text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"
        self.is_failure = is_failure


def run(event: Event, settings: "Settings") -> Decision | None:
    told: dict[str, str] = {}
    for result in _results(event):
        cause = _cause(result, settings)
        if not cause or cause in told or len(told) == MOST or not settings["hint.enabled"]:
            continue
        if _is_new(event, settings, cause):
            told[cause] = _step(cause, result, settings)
    if not told:
        return None
    from hookkit.system import clipping

    return Decision(context=clipping.clip("\n\n".join(told.values())), reason=", ".join(told))


def _results(event: Event) -> "Iterator[Result]":
    if event.name == "PostToolUseFailure":
        if event.fields.get("is_interrupt") is True:
            return  # a person did that
        yield Result(event.tool_name, event.tool_input, event.text("error"), is_failure=True)
    elif event.name == "PostToolUse":
        yield Result(event.tool_name, event.tool_input, _output(event), is_failure=False)
    else:
        calls = event.fields.get("tool_calls")
        for call in calls[:CALLS] if isinstance(calls, list) else ():
            text = call.get("tool_response") if isinstance(call, dict) else None
            if isinstance(text, str) and text.startswith(BROKEN):
                yield Result(call.get("tool_name"), call.get("tool_input"), text, is_failure=True)


def _output(event: Event) -> str:
    """What a command printed or a server answered; the contents of files are no results."""
    response = event.fields.get("tool_response")
    if event.tool_name == "Bash" and isinstance(response, dict):
        parts = [response.get("stdout"), response.get("stderr")]
    elif event.tool_name.startswith("mcp__"):
        blocks = response if isinstance(response, list) else [{"text": response}]
        parts = [block.get("text") for block in blocks[:CALLS] if isinstance(block, dict)]
    else:
        return ""
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def _cause(result: Result, settings: "Settings") -> str:
    """What went wrong, by its name; nothing if nothing did, or nothing that we know."""
    text = result.text.lower()
    if _is_refused(result, text, settings):
        return f"input-{result.tool}"
    for cause, tools, words, heads in CAUSES:
        if tools and result.tool not in tools.split():
            continue
        found = [word for word in words.split("|") if word in text]
        if found and (result.is_failure or _tells(text, found, heads)):
            return cause
    return ""


def _is_refused(result: Result, text: str, settings: "Settings") -> bool:
    """Of the client's own tools only the client says so; what a program prints is about its own input."""
    if result.text.startswith(REFUSED):
        return True
    if not result.tool.startswith("mcp__") and result.tool not in settings.values.get("schemas", {}):
        return False
    text = text[: HEAD if result.is_failure else HEAD // 4]
    return any(word in text for word in VALIDATION)


def _tells(text: str, words: list[str], heads: str) -> bool:
    """Whether a line of a command that succeeded is the failure itself, not text about one."""
    begins = tuple(heads.split("|"))
    lines = [line.strip() for line in text.splitlines()] if heads else []
    return any(line.startswith(begins) and any(word in line for word in words) for line in lines)


def _is_new(event: Event, settings: "Settings", cause: str) -> bool:
    """Asked once: a sub-agent has not read what its caller was told."""
    if not event.session_id:
        return True
    from hookkit.system import files, marks

    who = event.session_id + event.text("agent_id")
    return marks.first_time(settings.environ, who, f"hint-{files.safe_name(cause)}")


def _step(cause: str, result: Result, settings: "Settings") -> str:
    """What to do now: of a known failure it is written down, of an input it depends on the tool."""
    if not cause.startswith("input-"):
        from hookkit.hints.advice import STEPS

        return STEPS[cause]
    from hookkit.inputs import complaint, shipped

    schemas = [row["schema"] for row in settings.values.get("schemas", {}).get(result.tool, ())]
    ships = shipped.schema(result.tool)
    return complaint.advice(result.tool, [*schemas, ships] if ships else schemas, result.given)
