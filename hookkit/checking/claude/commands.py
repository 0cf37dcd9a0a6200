"""`hookkit …` as a handler's command: a misspelt command or a command for another event fails silently."""

import re

from hookkit import registry
from hookkit.documents.finding import ERROR, WARNING, shown
from hookkit.shell.resolve import Resolution
from hookkit.system.suggestions import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Remark = tuple[str, str, str]  # severity, message, fix

OPTIONS = ("--on-error", "--actor", "--agent", "--hooks", "--limit")
INTERPRETER = re.compile(r"(^|/)python[\d.]*$")  # before the path of a script
PROGRAMS = ("hookkit", "hookkit-hook")  # the command, and the shim of the warm server
LAUNCHER = "/hookkit/hook"  # the end of the launcher script's path
ON_ERROR = ("open", "ask", "deny")


def calls(command: str, arguments: list[str] | None) -> list[list[str]]:
    """The words after each `hookkit` in the command, also under a wrapper such as env."""
    found = (script(words) for words in programs(command, arguments))
    return [words[1:] for words in found if words and is_program(words[0])]


def script(words: list[str]) -> list[str]:
    """The words without Python in front and its options: `python -ES /bin/hookkit run` runs hookkit."""
    if not words or not INTERPRETER.search(words[0]):
        return words
    return words[2:] if words[1:2] in (["-E"], ["-ES"], ["-I"]) else words[1:]


def is_program(name: str) -> bool:
    return name.rpartition("/")[2] in PROGRAMS or name.endswith(LAUNCHER)


def programs(command: str, arguments: list[str] | None) -> list[list[str]]:
    """The words of every program that the command would run."""
    if arguments is not None:
        return [[command, *arguments]]
    return [each.words for each in Resolution(command, directory="/", home="/").commands]


def is_hook(name: str) -> bool:
    return name == "run" or registry.exists("hooks", name)


def remarks(event: str, words: list[str]) -> "Iterator[Remark]":
    hooks = ["run", *registry.names("hooks")]
    name = words[0] if words else ""
    if name not in hooks:
        yield _stranger(name, hooks)
        return
    if name != "run" and event not in registry.find("hooks", name).EVENTS:
        answers = ", ".join(registry.find("hooks", name).EVENTS)
        yield ERROR, f"hookkit {name} never answers {event}", f"it answers {answers}"
    elif name == "redirect":
        said = "hookkit redirect alone approves a project's own commands, also in a project that you do not trust"
        yield WARNING, said, 'wire hookkit run, or set redirect.allow = "trusted"'
    yield from _options(words[1:])


def _stranger(name: str, hooks: list[str]) -> "Remark":
    people = [other.replace("_", "-") for other in registry.names("cli")]
    if name in people:
        return ERROR, f"hookkit {name} is a command for people: it answers no event", "did you mean hookkit run?"
    close = closest(name, hooks)
    said = f"there is no hookkit {shown(name)}" if name else "hookkit without a command answers no event"
    return ERROR, said, f"did you mean hookkit {close or 'run'}?"


def _options(words: list[str]) -> "Iterator[Remark]":
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name not in OPTIONS:
            close = closest(name, OPTIONS)
            yield WARNING, f"hookkit has no option {shown(name)}", f"did you mean {close}?" if close else ""
            if close and not equals:
                next(rest, "")
            continue
        value = value if equals else next(rest, "")
        if name == "--on-error" and value not in ON_ERROR:
            yield ERROR, f"--on-error takes {', '.join(ON_ERROR)}, not {shown(value)!r}", ""
