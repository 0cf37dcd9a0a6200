"""A module for each form of a hooks file, named by `FORM` of an agent. Each module has three functions.

`wire(agent, path, text, wanted)` returns the text with the wanted handlers, `strip(agent, path, text, original)` the
text without hookkit, `entries(agent, path, text)` the present handlers. All three raise ConfigError, with line and
column, if the agent could not read the text. `agent` is the module of the agent, with the details of the form.
"""

from hookkit.agents.wiring import launcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Wanted:
    """A handler for `init` to write: the agent's name of the event, the command line, seconds or milliseconds.

    With `arguments` the agent starts the program `command` without a shell. `words` are hookkit's own words. `blocks`
    asks the agent itself to refuse the call if the command fails or is late.
    """

    __slots__ = ("arguments", "blocks", "command", "event", "timeout", "words")

    def __init__(
        self,
        event: str,
        command: str,
        timeout: int,
        words: "Sequence[str]" = (),
        *,
        shell: bool = True,
        blocks: bool = False,
    ) -> None:
        self.event = event
        self.command = command
        self.timeout = timeout
        self.words = [*words]
        self.arguments = None if shell else [*words]
        self.blocks = blocks

    @property
    def is_closed(self) -> bool:
        """Whether the agent must refuse the call if hookkit fails or is gone."""
        return "deny" in self.words


class Wired:
    """A handler in a file. `path` lists the keys to the handler, `place` is its line and column."""

    __slots__ = ("event", "fields", "matcher", "path", "place")

    def __init__(
        self,
        event: str,
        fields: "dict[str, Any]",
        matcher: str,
        path: "tuple[str | int, ...]" = (),
        place: tuple[int, int] = (1, 1),
    ) -> None:
        self.event = event
        self.fields = fields
        self.matcher = matcher
        self.path = path
        self.place = place

    @property
    def command(self) -> str:
        return _text(self.fields.get("command") or self.fields.get("bash"))

    @property
    def is_ours(self) -> bool:
        """Whether the handler runs a hook of hookkit."""
        return launcher.is_ours(self.command, self.arguments)

    @property
    def arguments(self) -> "list[str] | None":
        words = self.fields.get("args")
        return [word for word in words if isinstance(word, str)] if isinstance(words, list) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
