"""Transcripts, the agents' own logs of sessions: their entries, their readers, and the report and note made from them.

`reader` reads Claude Code's for a hook, `flow` counts, `report` writes. `past_calls` reads the transcripts of every
agent, with the `disk.py` in the agents' folders.

An entry is JSON of any shape. Texts are cut at TEXT characters, more than any report shows: so a secret is masked
whole, or not shown at all.
"""

from hookkit.system.masking import mask

TEXT = 2_000
NUMBER = 1 << 53
COMMANDS = ("Bash", "PowerShell")
FILES = {  # tools that take a file, and the field with its path
    "Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path",
    "Read": "file_path",
}  # fmt: skip
# Texts of the client in the place of a prompt: the person did not type them.
MARKERS = (
    "<local-command-", "<session-start-hook>", "<user-prompt-submit-hook>", "<tick>", "<goal>", "<bash-stdout>",
    "<bash-stderr>", "<task-notification>", "[Request interrupted by user", "Stop hook feedback:",
    "Caveat: The messages below",
)  # fmt: skip
WRAPPERS = ("ide_opened_file", "ide_selection", "system-reminder")  # the client's additions before a prompt
KEPT = {"command", "file_path", "notebook_path", "todos", "subject", "status", "taskId"}


class Prompt:
    """A text typed by the person."""

    __slots__ = ("at", "text")

    def __init__(self, text: str, at: str) -> None:
        self.text = text[:TEXT]
        self.at = at

    @property
    def command(self) -> str:
        """The slash command, or empty; a path at the start of a prompt is not a command."""
        first = self.text.split(None, 1)[0]
        return first if first[:1] == "/" and first.count("/") == 1 else ""


class ToolUse:
    """A tool call. Without a result, `failed` stays False."""

    __slots__ = ("at", "error", "failed", "input", "name", "task")

    def __init__(self, name: str, fields: dict[str, object], at: str) -> None:
        self.name = name
        self.input = {key: bounded(value) for key, value in fields.items() if key in KEPT}
        self.at = at
        self.failed = False
        self.error = ""
        self.task = ""  # the client's number of the task created by this call

    def text(self, field: str) -> str:
        return text_in(self.input, field)

    @property
    def command(self) -> str:
        return self.text("command").strip() if self.name in COMMANDS else ""

    @property
    def file(self) -> str:
        return self.text(FILES.get(self.name, ""))

    @property
    def edited(self) -> str:
        """The file changed by this call, or empty."""
        return "" if self.failed or self.name == "Read" else self.file


def typed(text: str) -> str:
    """The part of a text typed by the person: a slash command as entered, without the client's additions."""
    text = text.strip()
    for wrapper in WRAPPERS * 2:
        if text.startswith(f"<{wrapper}>"):
            text = text.partition(f"</{wrapper}>")[2].lstrip()
    if text.startswith("<command-"):
        name = _between(text, "command-name").lstrip("/")
        return f"/{name} {_between(text, 'command-args')}".strip() if name else ""
    if text.startswith("<bash-input>"):
        return f"! {_between(text, 'bash-input')}"
    return "" if text.startswith(MARKERS) else text


def excerpt(text: str) -> str:
    """Both ends of an error: the kind stands at the beginning, the summary of a test run at the end."""
    text = text.strip().removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
    if len(text) > TEXT // 2:
        ends = text[: 4 * TEXT] + text[-4 * TEXT :] if len(text) > 8 * TEXT else text
        text = mask(ends)  # before the cut: half a secret is not recognised
    if len(text) <= TEXT // 2:
        return text
    head = text[: TEXT // 4].rpartition("\n")[0] or text[: TEXT // 4]
    tail = text[-TEXT // 4 :].partition("\n")[2] or text[-TEXT // 4 :]
    return f"{head}\n…\n{tail}"


def _between(text: str, tag: str) -> str:
    return text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0].strip()


def text_in(value: dict[str, object], key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""


def dict_in(value: dict[str, object], key: str) -> dict[str, object]:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def blocks(content: object) -> list[dict[str, object]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def texts(content: object) -> list[str]:
    return [content] if isinstance(content, str) else [text_in(block, "text") for block in blocks(content)]


def number(value: object) -> int:
    return value if type(value) is int and 0 <= value < NUMBER else 0


def bounded(value: object) -> object:
    """A bounded copy of a value: a transcript may have a hundred thousand calls."""
    if isinstance(value, str):
        return value[:TEXT]
    if isinstance(value, list):
        return [{key: bounded(text_in(item, key)) for key in ("content", "status")} for item in blocks(value)[:100]]
    return value if isinstance(value, int) else None
