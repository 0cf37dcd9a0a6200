"""The command of a handler: the launcher script with its words, or for a shared file a line that finds hookkit."""

import json
import shlex

from hookkit.checking.claude import commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT = "run"
CLOSED_WORDS = ("--on-error", "deny")  # refuse the call if hookkit fails or is gone
LOST = "hookkit is not installed here. Install hookkit, or remove its hooks"


def line(script: str, words: "Sequence[str]" = (DEFAULT,)) -> str:
    """The call of the launcher script, for agents that start handlers with a shell."""
    return shlex.join([script, *words])


def shared_line(words: "Sequence[str]" = (DEFAULT,), *, loud: bool) -> str:
    """The line for a file in the repository: no path of a person, every machine finds its own hookkit.

    Without hookkit a loud line tells the person, a line with CLOSED_WORDS refuses the call.
    """
    otherwise = "exit 0"
    if is_closed(words):
        otherwise = f"{{ echo {shlex.quote(f'hookkit cannot check this call: {LOST}.')} >&2; exit 2; }}"
    elif loud:
        message = {"systemMessage": f"Nothing is checked: {LOST}."}
        otherwise = f"exec echo {shlex.quote(json.dumps(message))}"
    return f"command -v hookkit >/dev/null || {otherwise}; exec hookkit {shlex.join(words)}"


def is_closed(words: "Sequence[str]") -> bool:
    return any(tuple(words[number : number + 2]) == CLOSED_WORDS for number in range(len(words)))


def calls(command: str, arguments: "list[str] | None" = None) -> list[list[str]]:
    """The words after each `hookkit` in a handler's command, if they call a hook."""
    found = commands.calls(command, arguments)
    return [words for words in found if words and commands.is_hook(words[0])]


def is_ours(command: object, arguments: "list[str] | None" = None) -> bool:
    """Whether a handler's command runs a hook of hookkit; the cheap test comes first."""
    return isinstance(command, str) and "hookkit" in command and bool(calls(command, arguments))
