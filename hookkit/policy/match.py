"""Whether a pattern is about a tool call: yes, no, or "could not tell"."""

from hookkit.policy.call import Call
from hookkit.policy.pattern import DOMAIN, PATH, SHELL, Pattern, parse
from hookkit.programs import effects
from hookkit.programs.options import Stage, matches_words
from hookkit.programs.options import parse as parse_words
from hookkit.programs.words import glob, is_option
from hookkit.shell.commands import Command
from hookkit.shell.follow import KIND
from hookkit.shell.state import UNKNOWN

NO, UNSURE, YES = 0, 1, 2
SPARED = "unless"


class Result:
    """`command` is the command that matched, `why` the reason of a doubt."""

    __slots__ = ("command", "why", "yes")

    def __init__(self, yes: int, command: Command | None = None, why: str = "") -> None:
        self.yes = yes
        self.command = command
        self.why = why


_NO = Result(NO)


def matches(pattern: Pattern, call: Call, *, wide: bool = True, unless: "list[str] | None" = None) -> Result:
    """One match in the call is enough, as for deny and ask; `wide` is off for allow, which must mean just its words.

    A match that `unless` spares is passed over, and the search goes on: the next command may not be spared.
    """
    call.budget.spend()
    spared = unless or []
    own = pattern.has_tool(call.tool)
    if own and pattern.field:
        return _result(glob(pattern.argument or "*", _text(call.tool_input.get(pattern.field))))
    if own and pattern.argument is None:
        return Result(YES)
    if pattern.effects and wide:
        result = _effects(pattern, call, spared)
        if result.yes == YES or not pattern.touches:
            return result
    if pattern.argument is None and "(" not in pattern.source:
        return _NO
    if pattern.stages and call.shell is not None and (own or wide):
        return _shell(pattern.stages, call, wide=wide, unless=spared)
    if own and call.kind not in (SHELL, PATH):
        return _subject(pattern, call)
    if own and call.kind == PATH and not wide:
        path = call.place.expand(call.subject)
        return _result(bool(path) and call.place.matches(pattern.argument or "*", path, call.cwd, wide=False))
    return _files(pattern, call, wide=wide, unless=spared) if not pattern.field else _NO


def _result(is_match: bool) -> Result:  # noqa: FBT001 - the answer itself
    return Result(YES) if is_match else _NO


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else "" if value is None else str(value)


def _subject(pattern: Pattern, call: Call) -> Result:
    argument = pattern.argument or "*"
    if call.kind == DOMAIN:
        return _result(_domain(argument, call.subject))
    if call.kind:
        return _result(glob(argument, call.subject) or (argument.endswith(" *") and argument[:-2] == call.subject))
    return _result(any(glob(argument, value) for value in call.tool_input.values() if isinstance(value, str)))


def _domain(argument: str, url: str) -> bool:
    if not argument.startswith("domain:"):
        return glob(argument, url)
    from hookkit.programs.sending import host_of  # late: only for tools with an address

    return glob(argument[7:].lower().rstrip("."), host_of(url).lower().rstrip("."))


# -- commands --------------------------------------------------------------------------------------


def _shell(stages: list[Stage], call: Call, *, wide: bool, unless: list[str]) -> Result:
    single = len(stages) == 1
    result = _single(stages[0], call, wide=wide, unless=unless) if single else _pipeline(stages, call, unless)
    if result.yes == YES or not wide:
        return result
    command, why = call.doubt()
    return Result(UNSURE, command, why) if why else result


def _single(stage: Stage, call: Call, *, wide: bool, unless: list[str]) -> Result:
    hidden = _NO
    for command in call.commands:
        if command.doubt and UNKNOWN in command.words[0]:
            continue
        call.budget.spend()
        if matches_words(stage, call.parsed(command), wide=wide, home=call.place.home):
            if not unless or not is_spared(unless, call, command):
                return Result(YES, command)
            hidden = Result(NO, command, SPARED) if hidden.yes == NO else hidden
        elif wide and hidden.yes == NO:
            hidden = _unsure(stage, call, command, unless) or hidden
    return hidden


def _unsure(stage: Stage, call: Call, command: Command, unless: list[str]) -> Result | None:
    """A computed word, or an unknown program in front, may make this the command of the pattern."""
    if command.computed and _may_match(stage, call, command):
        if not unless or not is_spared(unless, call, command):
            return Result(UNSURE, command, f"a word of this {command.words[0]} command is computed")
    elif stage.program:
        words = call.behind(command)
        if words and matches_words(stage, parse_words(words, call.catalogue), wide=True):
            return Result(UNSURE, command, f"{command.words[0]} is not known, and may run the words behind it")
    return None


def _may_match(stage: Stage, call: Call, command: Command) -> bool:
    from hookkit.programs.odd_files import may_match  # late: few words are computed

    return may_match(stage, call.parsed(command))


def _pipeline(stages: list[Stage], call: Call, unless: list[str]) -> Result:
    """The stages in their order, in one pipeline; other stages may stand between them."""
    by_pipeline: dict[int, list[tuple[int, Command]]] = {}
    for command in call.commands:
        for number, place in command.places:
            by_pipeline.setdefault(number, []).append((place, command))
    for commands in by_pipeline.values():
        at, last = 0, -1
        for place, command in commands:
            call.budget.spend()
            if place > last and matches_words(stages[at], call.parsed(command), wide=True, onward=True):
                if at == len(stages) - 1:
                    if not unless or not is_spared(unless, call, command):
                        return Result(YES, command)
                    continue  # the last stage is spared; another may not be
                last = place
                at += 1
    return _NO


# -- effects ---------------------------------------------------------------------------------------


def _effects(pattern: Pattern, call: Call, unless: list[str]) -> Result:
    """A rule about an effect, `Destroy(aws)`, binds every program whose record has the effect."""
    argument = pattern.argument or "*"
    unsure = _NO
    for kind, object_, command, why in call.verbs():
        if kind not in pattern.effects or not glob(argument, object_):
            continue
        call.budget.spend()
        if unless and is_spared(unless, call, command):
            unsure = Result(NO, command, SPARED) if unsure.yes == NO else unsure
        elif not why:
            return Result(YES, command)
        elif unsure.yes == NO:
            unsure = Result(UNSURE, command, why)
    return unsure


# -- files -----------------------------------------------------------------------------------------


def _files(pattern: Pattern, call: Call, *, wide: bool, unless: list[str]) -> Result:
    """A rule about files binds every tool and every command that touches them."""
    wanted = pattern.touches
    if not wanted and pattern.has_tool(call.tool):
        wanted = {kind for kind, _ in call.effects}
    if not wanted:
        return _NO
    argument = pattern.argument or "*"
    place = call.place
    for kind, path, command, directory, reach in call.reached():
        if kind not in wanted:
            continue
        call.budget.spend()
        is_match = place.matches(argument, path, directory, wide=wide)
        may = reach and not is_match and wide and place.may_match(argument, *reach)
        if not (is_match or may) or (unless and is_spared(unless, call, command, (kind, path))):
            continue
        if is_match:
            return Result(YES, command)
        return Result(UNSURE, command, f"{path.replace(UNKNOWN, '…')} may be or hold {argument}")
    return _hidden_files(argument, wanted, call, unless) if wide else _NO


def _hidden_files(argument: str, wanted: set[str], call: Call, unless: list[str]) -> Result:
    for kind, path, command in call.hidden():
        if kind not in wanted or command is None:
            continue
        named = call.place.matches(argument, path, command.directory, wide=True)
        if named and not (unless and is_spared(unless, call, command, (kind, path))):
            return Result(UNSURE, command, f"{command.words[0]} may read or change {path}")
    if wanted == {effects.DELETE}:  # code that deletes is a doubt by itself
        return _NO
    for command in call.commands:
        if command.code and call.place.matches_any(argument, call.quoted(command), command.directory):
            return Result(UNSURE, command, f"this code is about {argument}")
    return _NO


# -- exceptions ------------------------------------------------------------------------------------


def is_spared(
    sources: "list[str]", call: Call, command: Command | None, touch: "tuple[str, str] | None" = None
) -> bool:
    """Whether `unless` is about the very command that a rule found, the very file of it, or about the call itself.

    Without a file every file that the command touches must be spared: `rm build ~/x` is not saved by `build`.
    """
    patterns = [parse(source) for source in sources]
    if command is None:
        return any(matches(pattern, call, wide=False).yes == YES for pattern in patterns) or bool(
            touch and _spares(patterns, call, call.cwd, [touch])
        )
    opened = touch is not None and any(
        path == touch[1] and operator != effects.GONE for operator, path in command.files
    )
    stages = [pattern.stages[0] for pattern in patterns if pattern.stages and not opened]
    if any(_is_meant(stage, command, call.place.home) for stage in stages):
        return True
    about = [pattern for pattern in patterns if not pattern.stages]
    kinds = {kind for pattern in about for kind in pattern.touches}
    touched = [touch] if touch else [file for file in call.files(command) if file[0] in kinds]
    return bool(touched) and _spares(about, call, command.directory, touched)


def _spares(patterns: list[Pattern], call: Call, directory: str | None, touched: list[tuple[str, str]]) -> bool:
    return all(
        any(
            kind in pattern.touches and call.place.matches(pattern.argument or "*", path, directory, wide=False)
            for pattern in patterns
        )
        for kind, path in touched
    )


def _is_meant(stage: Stage, command: Command, home: str) -> bool:
    """An exception holds for options of the program itself: not for its script's, nor for a negated option."""
    words = command.words
    if KIND.get(words[0].rpartition("/")[2]) in ("shells", "languages"):
        first = next((at for at, word in enumerate(words) if at and not is_option(word)), len(words))
        words = words[: first + 1]
    if not matches_words(stage, parse_words(words), wide=True, home=home):
        return False
    wanted = [word[2:].partition("=")[0] for word in stage.words if word.startswith("--")]
    return not any(word == f"--no-{name}" or _is_off(word, name) for name in wanted for word in words)


def _is_off(word: str, name: str) -> bool:
    option, equals, value = word.partition("=")
    return bool(equals) and option == f"--{name}" and value.lower() in ("false", "none", "no", "off", "0")
