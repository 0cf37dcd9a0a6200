"""A tool call typed on the command line: `why rm -rf x`, `why 'rm -rf x'`, `why Read .env`, `why --tool Read .env`."""

from shlex import quote
from typing import Any

from hookkit.cli._console import stop
from hookkit.cli._options import HookkitCommand
from hookkit.inputs import tool_schemas
from hookkit.policy.pattern import RENAMED, SHELL, SUBJECTS
from hookkit.settings import tool_names


def call_from(words: list[str], tool: str) -> tuple[str, str]:
    """The tool and its argument."""
    is_named = len(words) > 1 and _is_tool(words[0])
    if not tool and words and (is_named or words[0].startswith("mcp__")):
        tool, words = words[0], words[1:]
    tool = tool or "Bash"
    return tool, _line(words) if _is_shell(tool) else " ".join(words)


def check_tools(*names: str) -> None:
    """A misspelt tool would pass as a call that no rule is about."""
    said = tool_names.mistake(*names)
    if said:
        stop(said)


def _is_tool(name: str) -> bool:
    return name in (*SUBJECTS, *RENAMED) or name.startswith("mcp__") or tool_schemas.schema(name) is not None


def _is_shell(tool: str) -> bool:
    return SUBJECTS.get(tool, ("", ""))[1] == SHELL


def _line(words: list[str]) -> str:
    """A single word is a whole line. Of several words the shell took the quotes off: blanks get them back."""
    if len(words) == 1:
        return words[0]
    return " ".join(quote(word) if not word or any(char.isspace() for char in word) else word for word in words)


class WithCallLine(HookkitCommand):
    """A command with a call as its arguments: its own options come first, and all later words are the line.

    After a line in quotes, and after the argument of another tool, a word with a dash is an option again.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        start = self._start(args)
        own, line = args[:start], args[start:]
        if line[:1] == ["--"]:
            line = line[1:]
        elif line and _is_whole(own, line):
            end = next((at for at, word in enumerate(line) if at and word.startswith("-")), len(line))
            own, line = [*own, *line[end:]], line[:end]
        return super().parse_args(ctx, [*own, "--", *line] if line else own)

    def _start(self, args: list[str]) -> int:
        """The index of the first word that is neither an option nor the value of an option."""
        options = {name: param for param in self.params for name in param.opts}
        at = 0
        while at < len(args) and args[at].startswith("-") and args[at] not in ("-", "--"):
            param = options.get(args[at])
            at += 1 if param is None or getattr(param, "is_flag", False) else 2
        return at


def _is_whole(own: list[str], line: list[str]) -> bool:
    """Whether later words with a dash cannot belong to the line."""
    words = [part for word in own for part in word.split("=", 1)]
    named = words[words.index("--tool") + 1] if "--tool" in words[:-1] else ""
    tool, _ = call_from(line, named)
    return " " in line[0] or not _is_shell(tool)
