"""An index from calls to candidate rules, so that a thousand rules cost as little as ten.

Rules stand on shelves (a tool, or a tool with a program), each under a label: a word that the rule requires in the
command line, or the first directories of its paths. The index finds a superset of the matching rules.
"""

from hookkit.policy.paths import BEGINNING, DEPTH
from hookkit.policy.pattern import EFFECTS, PATH, SHELL, SUBJECTS, Pattern
from hookkit.programs.effects import DELETE, FILL, MOVE, READ, RIGHTS, SEND, WRITE
from hookkit.programs.options import required_word
from hookkit.shell.expand import is_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookkit.policy.call import Call
    from hookkit.policy.paths import Place

    Index = dict[str, dict[str, list[int]]]

ANY = "*"
SHELL_TOOL = "Bash"  # its rules hold for every tool that runs a command line
BARE = ""  # the label of rules without a required word: every call of their shelf meets them
# Effects of a shell command on a file, and the tools whose rules cover each effect.
SHELVES = {
    READ: ("Read",),
    WRITE: ("Write", "Edit"),
    DELETE: ("Delete",),
    SEND: ("Send",),
    MOVE: ("Move",),
    RIGHTS: ("Rights",),
    FILL: ("Fill",),
}
TOUCHING = tuple(tool for tools in SHELVES.values() for tool in tools)


def build(patterns: list[Pattern]) -> "Index":
    index: Index = {}
    for number, pattern in enumerate(patterns):
        for shelf, label in keys(pattern):
            index.setdefault(shelf, {}).setdefault(label, []).append(number)
    return index


def find(index: "Index", call: "Call") -> list[int]:
    """The numbers of the candidate rules, in their written order."""
    numbers = {*index.get(ANY, {}).get(BARE, ())}
    shelf = index.get(call.tool, {})
    if call.kind == PATH and shelf:
        for path in {call.place.expand(call.subject), *(path for _, path, _ in call.touched())}:
            numbers.update(_at(shelf, path, call.cwd, call.place))
    else:
        numbers.update(*shelf.values())
    if call.shell is not None:
        for tool in dict.fromkeys((call.tool, SHELL_TOOL)):
            numbers.update(_of_programs(index, call, tool))
    numbers.update(_of_files(index, call))
    numbers.update(_of_effects(index, call))
    return sorted(numbers)


def beside(index: "Index", call: "Call") -> list[int]:
    """All rules on the same shelves, under any label: rules that nearly matched are among them."""
    names = {f"{call.tool}:{word.rpartition('/')[2]}" for command in call.commands for word in command.words}
    names.update(TOUCHING if call.touched() or call.hidden() else ())
    return sorted({number for name in names for number in _all(index.get(name, {}))})


def has_files(index: "Index") -> bool:
    return any(tool in index for tool in TOUCHING)


def keys(pattern: Pattern) -> list[tuple[str, str]]:
    """Where a rule stands: shelf and label, for each of its tools."""
    pairs: list[tuple[str, str]] = []
    for tool in pattern.tools:
        if "*" in tool or tool.startswith("^"):
            return [(ANY, BARE)]
        kind = SUBJECTS.get(tool, ("", ""))[1]
        if kind == SHELL and pattern.stages:
            first = next((stage for stage in pattern.stages if stage.program), None)
            pairs.append((f"{tool}:{first.program}", required_word(first)) if first else (f"{tool}:{ANY}", BARE))
        elif tool in EFFECTS:
            argument = pattern.argument or ANY
            pairs.append((tool, BARE if "*" in argument else f"={argument}"))
        elif (kind == PATH or tool in TOUCHING) and pattern.argument is not None and not pattern.field:
            pairs.append((tool, _directory(pattern.argument)))
        else:
            pairs.append((tool, BARE))
    return pairs


def _directory(argument: str) -> str:
    """The first directories of the rule's paths, or a part of the names of all its files."""
    head, star, _ = argument.casefold().partition("*")
    if argument[:1] == "!" or argument in (".", "./") or argument.startswith(".."):
        return BARE
    if "/" not in argument and argument != "~":
        return _part(argument.casefold()) if star else f"={head}"
    head = head[1:] if head.startswith("//") else head.removeprefix("./")
    head = head.rpartition("/")[0] if star else head.rstrip("/")
    return "/".join(head.split("/")[: DEPTH + (head[:1] in ("/", "~"))]) or _part(argument.casefold())


def _part(argument: str) -> str:
    """A label for a rule whose first directory is not known: `=name`, `*.ending`, `:directory` or `^beginning`."""
    if "\\" in argument:
        return BARE
    above, slash, name = argument.rpartition("/")
    if "*" not in name:
        return f"={name}" if name else BARE
    head, (_, dot, ending) = name.partition("*")[0], name.rpartition("*")[2].rpartition(".")
    if dot:
        return f"*.{ending}"
    if slash:  # the star may stand for directories, too
        known = [part for part in above.split("/") if part.strip(".") and "*" not in part]
        return f":{known[-1]}" if known else BARE
    return f"^{head[:BEGINNING]}" if len(head) >= BEGINNING else BARE


def _of_programs(index: "Index", call: "Call", tool: str) -> "Iterator[int]":
    """Every word may be a program: an unknown program may run the words behind it."""
    yield from index.get(tool, {}).get(BARE, ())
    yield from index.get(f"{tool}:{ANY}", {}).get(BARE, ())
    prefix = f"{tool}:"
    for command in call.commands:
        words = {*command.words}
        call.budget.spend(1 + len(words) // 16)
        for word in words:
            shelf = index.get(prefix + word.rpartition("/")[2])
            if shelf and command.computed:
                yield from _all(shelf)
            elif shelf:
                yield from shelf.get(BARE, ())
                for label in shelf.keys() & {*words, *call.parsed(command).operands}:
                    yield from shelf[label]


def _of_effects(index: "Index", call: "Call") -> "Iterator[int]":
    """Rules about effects that the records of the programs name."""
    if not any(kind in index for kind in EFFECTS):
        return
    for kind, object_, _, _ in call.verbs():
        shelf = index.get(kind, {})
        yield from shelf.get(BARE, ())
        yield from shelf.get(f"={object_}", ())


def _of_files(index: "Index", call: "Call") -> "Iterator[int]":
    shelves = {kind: [tool for tool in tools if tool in index] for kind, tools in SHELVES.items()}
    if not any(shelves.values()):
        return
    labels: dict[str, set[str]] = {}
    whole: set[str] = set()  # effects for which every rule is a candidate already
    for coded in (command for command in call.commands if command.code):  # the code may name a file of any rule
        texts = call.quoted(coded)
        call.budget.spend(len(texts) // 16)
        named = [label for text in texts for label in call.place.labels(text, coded.directory)]
        for kind in shelves if texts else ():
            labels.setdefault(kind, set()).update(named)
    for kind, path, command in (*call.touched(), *call.hidden()):
        if kind in whole:
            continue
        call.budget.spend()
        directory = command.directory if command else call.cwd
        if _may_be_any(call.place.opened(path, directory) if kind != READ else path, directory, call.place):
            whole.add(kind)
        else:
            labels.setdefault(kind, set()).update(call.place.labels(path, directory))
    for kind, tools in shelves.items():
        for tool in tools if kind in whole or kind in labels else ():  # a shelf that nobody needs is not even parsed
            yield from _all(index[tool]) if kind in whole else _labelled(index[tool], labels[kind])


def _all(shelf: dict[str, list[int]]) -> "Iterator[int]":
    for numbers in shelf.values():
        yield from numbers


def _is_high(path: str, directory: str | None, place: "Place") -> bool:
    """The home or a directory around it: a recursive command reads every protected file below."""
    home = f"{place.home}/"
    return any(home.startswith(f"{name.rstrip('/')}/") for name in place.names(path, directory))


def _at(shelf: dict[str, list[int]], path: str, directory: str | None, place: "Place") -> "Iterator[int]":
    if _may_be_any(path, directory, place):
        yield from _all(shelf)
    else:
        yield from _labelled(shelf, place.labels(path, directory))


def _may_be_any(path: str, directory: str | None, place: "Place") -> bool:
    """A pattern, or a directory around the home: it may be, or hold, the file of any rule."""
    return is_pattern(path) or is_pattern(directory or "") or _is_high(path, directory, place)


def _labelled(shelf: dict[str, list[int]], labels: "Iterable[str]") -> "Iterator[int]":
    yield from shelf.get(BARE, ())
    for label in labels:
        if label in shelf and label != BARE:
            yield from shelf[label]
