"""fish: `complete -c timeout -s k -l kill-after -x` says that -k takes a value."""

import re
import shlex

from judges import ATTACHED, NONE, VALUE, Claims, add

VALUED = ("-c", "--command", "-p", "--path", "-s", "--short-option", "-l", "--long-option", "-o", "--old-option",
          "-a", "--arguments", "-n", "--condition", "-w", "--wraps", "-d", "--description")  # fmt: skip
ABOVE = re.compile(r"\bnot\b|no_subcommand|use_subcommand|needs_(?:sub)?command|no_arguments")
BELOW = re.compile(r"subcommand|using_command|_using_|_is_")
VARIABLE = re.compile(r"^\s*set (?:-\w+ )*(\w+) ([^\s$(]+)\s*$", re.MULTILINE)


def read(files: dict[str, str], subs: dict[str, set[str]]) -> Claims:
    """`subs` are the sub-commands of a program that records know."""
    claims: Claims = {}
    for text in files.values():
        for line in _expanded(text).replace("\\\n", " ").split("\n"):
            if line.lstrip().startswith("complete "):
                _complete(claims, line, subs)
    return claims


def _expanded(text: str) -> str:
    """The text with variables that are set once to one word: `set -l command docker`."""
    values = dict(VARIABLE.findall(text))
    return re.sub(r"\$(\w+)", lambda match: values.get(match[1], match[0]), text)


def _complete(claims: Claims, line: str, subs: dict[str, set[str]]) -> None:
    try:
        words = shlex.split(line, comments=True)[1:]
    except ValueError:
        return  # a text over several lines
    given = _parse(words)
    options = [f"-{name}" for name in given.get("-s", [])] + [f"-{name}" for name in given.get("-o", [])]
    options += [f"--{name}" for name in given.get("-l", [])]
    kinds = {VALUE} if "-r" in given else {NONE, ATTACHED} if "-a" in given else {NONE}
    for program in given.get("-c", []):
        for name in _names(program, " ".join(given.get("-n", [])), subs.get(program, set())):
            for option in options:
                add(claims, name, option, kinds)


def _parse(words: list[str]) -> dict[str, list[str]]:
    """The options of `complete` under their short names; -x is -r and -f."""
    given: dict[str, list[str]] = {}
    while words:
        word = words.pop(0)
        if word[:2] == "--":
            name, equals, value = word.partition("=")
            short = {"--short-option": "-s", "--long-option": "-l", "--old-option": "-o", "--command": "-c",
                     "--arguments": "-a", "--condition": "-n", "--require-parameter": "-r", "--exclusive": "-x",
                     "--description": "-d", "--wraps": "-w", "--path": "-p"}.get(name, name)  # fmt: skip
            values = [value] if equals else [words.pop(0)] if name in VALUED and words else []
            given.setdefault("-r" if short == "-x" else short, []).extend(values)
        elif word[:1] == "-":
            _letters(word, words, given)
        else:
            given.setdefault("-c", []).append(word)
    return given


def _letters(word: str, words: list[str], given: dict[str, list[str]]) -> None:
    for place, letter in enumerate(word[1:], 2):
        if f"-{letter}" in VALUED:
            rest = word[place:] or (words.pop(0) if words else "")
            given.setdefault(f"-{letter}", []).append(rest)
            return
        given.setdefault("-r" if letter == "x" else f"-{letter}", [])


def _names(program: str, condition: str, subs: set[str]) -> list[str]:
    """The program or the sub-commands that the condition is about."""
    if not BELOW.search(condition) or ABOVE.search(condition):
        return [program]
    return [f"{program} {word}" for word in re.findall(r"[\w-]+", condition) if word in subs]
