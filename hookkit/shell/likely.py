"""Texts that look like a command line: constants in code, and values of options, that a program may run."""

from hookkit.programs.catalogue import SHIPPED
from hookkit.programs.program import takes_data
from hookkit.shell.kinds import SHELLS

LONGEST = 2_000  # characters of a text that is looked at
MORE = frozenset(
    "sudo doas eval xargs parallel mkfs shutdown reboot poweroff halt nohup timeout setsid busybox".split()
)
# Parts of an option's name for a command line: `--exec`, `--on-change-cmd`, `--filter`.
NAMED = ("exec", "run", "cmd", "command", "eval", "shell", "script", "hook", "filter", "program")
SHORT = ("-c", "-e", "-x", "-s", "-a", "-E", "-X", "-r")


def is_command_line(text: str) -> bool:
    """Several words, the first of them a well-known program."""
    words = text[:LONGEST].split(None, 1)
    if len(words) < 2 or len(text) > LONGEST:  # noqa: PLR2004
        return False
    first = words[0].rpartition("/")[2]
    if first in SHELLS or first in MORE or first.startswith("mkfs"):
        return True
    record = SHIPPED.find(first)
    return record is not None and takes_data(record)


def carried(words: list[str]) -> list[str]:
    """The values of a program's options that look like command lines."""
    found = []
    for at, word in enumerate(words[1:], 1):
        option, equals, value = word.partition("=")
        if option[:1] != "-" or " " in option:
            continue
        is_code = option in SHORT or (option[:2] == "--" and any(name in option for name in NAMED))
        text = value if equals else words[at + 1] if at + 1 < len(words) else ""
        if is_code and is_command_line(text):
            found.append(text)
    return found
