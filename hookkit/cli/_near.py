"""Rules that nearly matched. The engine itself is asked again with one condition less, so the two always agree."""

import copy
from collections.abc import Iterator
from typing import NamedTuple

from hookkit.policy.call import Call
from hookkit.policy.match import YES, matches
from hookkit.policy.pattern import SUBJECTS, Pattern, parse
from hookkit.programs.words import ALL, is_option, split
from hookkit.shell.commands import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Rule

ANY_WORD = "**"  # as a word of its own: any single word


class Near(NamedTuple):
    """`is_far`: only the program is the same; a rule about another sub-command of git says little."""

    note: str
    is_far: bool = False


def verb(effect: str) -> str:
    """Example: Read becomes reads."""
    return f"{effect.lower()}s"


def only(call: Call, command: Command) -> Call:
    """The same call with a single command, for an answer of the engine about this command alone."""
    one = copy.copy(call)
    one.commands, one.touches, one.hides, one.reaches = [command], None, None, None
    one.acts = None
    return one


def near(rule: "Rule", call: Call, command: Command | None) -> Near | None:
    """The condition that keeps a rule from matching this command."""
    pattern = parse(rule["match"])
    if command is None:
        return _other_tool(pattern, call)
    if not pattern.has_tool(call.tool):
        return _other_effect(pattern, call, command)
    if not pattern.stages or pattern.argument is None:
        return None
    parts = [part.strip() for part in pattern.argument.split("|")]
    if len(parts) > 1:
        return _other_stage(parts, call, command)
    return _other_words(parts[0], call, command, wide=rule["type"] != "allow")


def _other_words(argument: str, call: Call, command: Command, *, wide: bool) -> Near | None:
    argument = argument[:-2] + " *" if argument.endswith(":*") else argument
    words = split(argument)
    operands = call.parsed(command).operands
    if words and words[0].rpartition("/")[2] == operands[0]:
        for found, relaxed in _relaxed(words, operands):
            if _is_about(relaxed, call, command, wide=wide):
                return found
    return None


def _relaxed(words: list[str], operands: list[str]) -> Iterator[tuple[Near, list[str]]]:
    """The pattern with one condition less, the most likely mistake of a person first."""
    for place, word in enumerate(words):
        if is_option(word):
            letters = word[1:] if word[:2] != "--" else ""
            for letter in letters if len(letters) > 1 else ():
                rest = "-" + letters.replace(letter, "")
                yield Near(f"it has no -{letter}"), [*words[:place], rest, *words[place + 1 :]]
            yield Near(f"it has no {word}"), [*words[:place], *words[place + 1 :]]
    yield Near("it says more, and the pattern does not end in ' *'"), [*words, ALL]
    plain = [place for place, word in enumerate(words) if not is_option(word)]
    for count, place in enumerate(plain):
        word, before, after = words[place], words[:place], words[place + 1 :]
        if count and word != ALL:
            is_fixed = ALL not in before and count < len(operands)
            said = f"it says {operands[count]}, not {word}" if is_fixed else f"no word of it is {word}"
            yield Near(said, count == 1), [*before, ANY_WORD, *after]
            yield Near(f"it has no {word}", count == 1), [*before, *after]


def _is_about(words: list[str], call: Call, command: Command, *, wide: bool) -> bool:
    text = " ".join(f'"{word}"' if " " in word else word for word in words)
    return matches(parse(f"{call.tool}({text})"), only(call, command), wide=wide).yes == YES


def _other_stage(parts: list[str], call: Call, command: Command) -> Near | None:
    """A pipeline with a program of the pattern, but without the program before or after."""
    mine = next((part for part in parts if part != ALL and _is_about(split(part), call, command, wide=True)), None)
    others = " and ".join(part for part in parts if part != mine)
    return Near(f"no {others} in its pipeline", is_far=True) if mine else None


def _other_effect(pattern: Pattern, call: Call, command: Command) -> Near | None:
    """The right file, with another effect on the file."""
    if pattern.argument is None or not pattern.touches:
        return None
    argument = pattern.argument
    kinds = [
        kind for kind, path in call.files(command) if call.place.matches(argument, path, command.directory, wide=True)
    ]
    said = " and ".join(dict.fromkeys(map(verb, kinds)))
    return Near(f"it is about {'|'.join(pattern.tools)}, and this {said} the file") if kinds else None


def _other_tool(pattern: Pattern, call: Call) -> Near | None:
    """The right argument, for a tool of the same kind."""
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in pattern.tools}
    if pattern.argument is None or pattern.field or pattern.has_tool(call.tool) or call.kind not in kinds - {""}:
        return None
    is_match = matches(parse(f"{call.tool}({pattern.argument})"), call).yes == YES
    return Near(f"it is about {'|'.join(pattern.tools)}, not {call.tool}") if is_match else None
