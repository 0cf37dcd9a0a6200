"""Whether a pattern is about a tool call: yes, no, or "could not tell"."""

from hookkit.policy.paths import Place
from hookkit.policy.pattern import DOMAIN, PATH, SHELL, SUBJECTS, Pattern, Stage, glob, matches_words, parse
from hookkit.shell import effects
from hookkit.shell.commands import Act
from hookkit.shell.expand import UNKNOWN
from hookkit.shell.following import SHELLS
from hookkit.shell.interpreters import INTERPRETERS
from hookkit.shell.programs import Shape, is_option, sort_words
from hookkit.shell.resolve import Resolution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.wrappers import Wrapper

NO, UNSURE, YES = 0, 1, 2
SPARED = "unless"
HARMLESS = (
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
)
OPENS = ("open", "read", "write", "File", "Path", "unlink", "remove", "getline", "print >", "print>", "cp(", "copy")
ORDINARY = ("git", "grep", "cat", "head", "tail", "ls", "echo", "sed", "sort", "wc")  # known without looking it up
DELETERS = frozenset((*effects.DELETERS, "find"))
TOUCHES = {"Read": effects.READ, "Write": effects.WRITE, "Edit": effects.WRITE, "Delete": effects.DELETE}


class Result:
    """`act` is the command that it is about, `why` what could not be told."""

    __slots__ = ("act", "why", "yes")

    def __init__(self, yes: int, act: Act | None = None, why: str = "") -> None:
        self.yes = yes
        self.act = act
        self.why = why


_NO = Result(NO)


class Call:
    """A tool call, looked at once however many patterns ask about it."""

    def __init__(
        self,
        tool: str,
        tool_input: dict[str, object],
        *,
        cwd: str,
        project: str,
        home: str,
        wrappers: "dict[str, Wrapper] | None" = None,
    ) -> None:
        self.tool = tool
        self.tool_input = tool_input
        self.cwd = cwd
        self.place = Place(project, home)
        field, self.kind = SUBJECTS.get(tool, ("", ""))
        value = tool_input.get(field)
        self.subject = value if isinstance(value, str) else ""
        self.shell = Resolution(self.subject, cwd, home, wrappers, project) if self.kind == SHELL else None
        self.acts = self.shell.acts if self.shell else []
        self._shapes: dict[int, Shape] = {}
        self._files: dict[int, list[tuple[str, str]]] = {}
        self.touches: list[tuple[str, str, Act]] | None = None
        self.hides: list[tuple[str, str, Act]] | None = None

    def shape(self, act: Act) -> Shape:
        if id(act) not in self._shapes:
            self._shapes[id(act)] = sort_words(act.words)
        return self._shapes[id(act)]

    def files(self, act: Act) -> list[tuple[str, str]]:
        """What the command reads and writes, without what is no file at all."""
        if id(act) not in self._files:
            touched = effects.files_of(act.words, act.files, lambda path: self.place.is_directory(path, act.directory))
            self._files[id(act)] = [
                (kind, path) for kind, path in touched if path not in HARMLESS and not path.startswith("/dev/fd/")
            ]
        return self._files[id(act)]

    def touched(self) -> "list[tuple[str, str, Act]]":
        """Every file of the line once, however many commands touch it."""
        if self.touches is None:
            seen: dict[tuple[str, str, str | None], Act] = {}
            for act in self.acts:
                for kind, path in self.files(act):
                    seen.setdefault((kind, path, act.directory), act)
            self.touches = [(kind, path, act) for (kind, path, _), act in seen.items()]
        return self.touches

    def hidden(self) -> "list[tuple[str, str, Act]]":
        """What a program that we do not know would delete, if it runs what stands behind it."""
        if self.hides is None:
            self.hides = [
                (kind, path, act)
                for act in self.acts
                if not DELETERS.isdisjoint(act.words[1:]) and (words := _behind(act))
                for kind, path in effects.files_of(words, [], lambda _: False)
                if kind == effects.DELETE
            ]
        return self.hides

    def doubt(self) -> Result:
        """Why something other than what we see might run."""
        if self.shell is not None and self.shell.doubts:
            return Result(UNSURE, None, self.shell.doubts[0])
        act = next((act for act in self.acts if act.doubt), None)
        return _NO if act is None else Result(UNSURE, act, act.doubt)


def is_spared(sources: "list[str]", call: Call, act: Act | None, touch: "tuple[str, str] | None" = None) -> bool:
    """Whether `unless` is about the very command that a rule found, the very file of it, or about the call itself.

    Without a file every one that the command touches must be spared: `rm build ~/x` is not saved by `build`.
    """
    patterns = [parse(source) for source in sources]
    if act is None:
        return any(matches(pattern, call, wide=False).yes == YES for pattern in patterns)
    stages = [pattern.stages[0] for pattern in patterns if pattern.stages]
    if any(_is_meant(stage, act, call.place.home) for stage in stages):
        return True
    about = [(pattern, _kinds(pattern)) for pattern in patterns if not pattern.stages]
    touched = [touch] if touch else [file for file in call.files(act) if any(file[0] in kinds for _, kinds in about)]
    return bool(touched) and all(
        any(kind in kinds and call.place.matches(pattern.argument or "*", path, act.directory, wide=False)
            for pattern, kinds in about)
        for kind, path in touched
    )  # fmt: skip


def _is_meant(stage: Stage, act: Act, home: str) -> bool:
    """An exception holds for options of the program itself: not for its script's, nor for one that is taken back."""
    words = act.words
    if words[0].rpartition("/")[2] in (*SHELLS, *INTERPRETERS):
        first = next((at for at, word in enumerate(words) if at and not is_option(word)), len(words))
        words = words[: first + 1]
    if not matches_words(stage, sort_words(words), wide=True, home=home):
        return False
    wanted = [word[2:].partition("=")[0] for word in stage.words if word.startswith("--")]
    return not any(word == f"--no-{name}" or _is_off(word, name) for name in wanted for word in words)


def _is_off(word: str, name: str) -> bool:
    option, equals, value = word.partition("=")
    return bool(equals) and option == f"--{name}" and value.lower() in ("false", "none", "no", "off", "0")


def _kinds(pattern: Pattern) -> set[str]:
    return {TOUCHES[tool] for tool in pattern.tools if tool in TOUCHES}


def matches(pattern: Pattern, call: Call, *, wide: bool = True, unless: "list[str] | None" = None) -> Result:
    """One match in the call is enough, as for deny and ask; `wide` is off for allow, which must mean what it says.

    A match that `unless` spares is passed over, and the search goes on: the next command may not be spared.
    """
    if pattern.has_tool(call.tool):
        if pattern.field:
            return _of(glob(pattern.argument or "*", _text(call.tool_input.get(pattern.field))))
        if pattern.argument is None:
            return Result(YES)
        return _subject(pattern, call, wide=wide, unless=unless or [])
    if call.kind == SHELL and (pattern.argument is not None or "(" in pattern.source):
        return _files(pattern, call, wide=wide, unless=unless or [])
    return _NO


def _of(is_match: bool) -> Result:  # noqa: FBT001 - the answer itself
    return Result(YES) if is_match else _NO


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else "" if value is None else str(value)


def _subject(pattern: Pattern, call: Call, *, wide: bool, unless: list[str]) -> Result:
    argument = pattern.argument or "*"
    if call.kind == SHELL:
        return _shell(pattern.stages, call, wide=wide, unless=unless)
    if call.kind == PATH:
        path = call.place.expand(call.subject)
        return _of(bool(path) and call.place.matches(argument, path, call.cwd, wide=wide))
    if call.kind == DOMAIN:
        return _of(_domain(argument, call.subject))
    if call.kind:
        return _of(glob(argument, call.subject) or (argument.endswith(" *") and argument[:-2] == call.subject))
    return _of(any(glob(argument, value) for value in call.tool_input.values() if isinstance(value, str)))


def _domain(argument: str, url: str) -> bool:
    if not argument.startswith("domain:"):
        return glob(argument, url)
    host = url.partition("://")[2] or url
    for end in "/?#\\":
        host = host.partition(end)[0]
    host = host.rpartition("@")[2]
    host = host if host.startswith("[") else host.partition(":")[0]
    return glob(argument[7:].lower().rstrip("."), host.lower().rstrip("."))


def _shell(stages: list[Stage], call: Call, *, wide: bool, unless: list[str]) -> Result:
    single = len(stages) == 1
    found = _single(stages[0], call, wide=wide, unless=unless) if single else _pipeline(stages, call, unless)
    if found.yes == YES:
        return found
    doubt = call.doubt()
    return doubt if doubt.yes else found


def _single(stage: Stage, call: Call, *, wide: bool, unless: list[str]) -> Result:
    hidden = _NO
    for act in call.acts:
        if act.doubt and UNKNOWN in act.words[0]:
            continue
        if matches_words(stage, call.shape(act), wide=wide, home=call.place.home):
            if not unless or not is_spared(unless, call, act):
                return Result(YES, act)
            hidden = Result(NO, act, SPARED) if hidden.yes == NO else hidden
        elif wide and hidden.yes == NO and _hides(stage, act):
            hidden = Result(UNSURE, act, f"{act.words[0]} is not known, and may run what follows it")
    return hidden


def _hides(stage: Stage, act: Act) -> bool:
    """A program that we do not know, with a command line behind it that the pattern is about."""
    words = _behind(act, stage.program) if stage.program else []
    return bool(words) and matches_words(stage, sort_words(words), wide=True)


def _behind(act: Act, program: str = "") -> list[str]:
    """What a program that we do not know may run: from the first word on that is a program's name."""
    if act.followed or len(act.words) < 2 or act.words[0] in ORDINARY:  # noqa: PLR2004
        return []
    from hookkit.shell.data_programs import KNOWN  # late: only for commands that nobody follows

    if act.words[0].rpartition("/")[2] in KNOWN:
        return []
    for at, word in enumerate(act.words):
        base = word.rpartition("/")[2]
        if at and (base in KNOWN or base == program):
            return act.words[at:]
    return []


def _pipeline(stages: list[Stage], call: Call, unless: list[str]) -> Result:
    """The stages in their order, in one pipeline; other stages may stand between them."""
    by_pipeline: dict[int, list[tuple[int, Act]]] = {}
    for act in call.acts:
        for number, place in act.places:
            by_pipeline.setdefault(number, []).append((place, act))
    for acts in by_pipeline.values():
        at, last = 0, -1
        for place, act in acts:
            if place > last and matches_words(stages[at], call.shape(act), wide=True, onward=True):
                if at == len(stages) - 1:
                    if not unless or not is_spared(unless, call, act):
                        return Result(YES, act)
                    continue  # the last stage is spared; another may not be
                last = place
                at += 1
    return _NO


def _files(pattern: Pattern, call: Call, *, wide: bool, unless: list[str]) -> Result:
    """A rule about files sees what a Bash command does to them."""
    wanted = {kind for tool, kind in TOUCHES.items() if pattern.has_tool(tool) and tool in pattern.tools}
    if not wanted:
        return _NO
    argument = pattern.argument or "*"
    for kind, path, act in call.touched():
        if kind in wanted and call.place.matches(argument, path, act.directory, wide=wide):
            if not unless or not is_spared(unless, call, act, (kind, path)):
                return Result(YES, act)
        elif wide and kind in wanted and _may_find(argument, path):
            return Result(UNSURE, act, f"its pattern may find {argument}")
    for kind, path, act in call.hidden() if wide else ():
        if kind in wanted and call.place.matches(argument, path, act.directory, wide=True):
            return Result(UNSURE, act, f"{act.words[0]} is not known, and may run what follows it")
    for act in call.acts:
        if (
            wide
            and act.code
            and wanted != {effects.DELETE}  # a program that deletes is a doubt by itself
            and any(call.place.matches(argument, text, act.directory, wide=True) for text in _quoted(act.code))
        ):
            return Result(UNSURE, act, f"its program is about {argument}")
    return _NO


def _may_find(argument: str, path: str) -> bool:
    """Whether the shell's own pattern in a path could find a file that the rule is about."""
    name = path.rpartition("/")[2]
    if "/" in argument or argument[:1] == "~" or argument in (".", "..") or not any(char in name for char in "*?["):
        return False
    if len(name.strip("*?[]")) < 2:  # noqa: PLR2004 - a lone star finds everything, and means nothing
        return False
    samples = [argument.replace("*", ""), argument.replace("*", "x")]
    return any(_finds(name, sample) and (name[0] == "." or sample[:1] != ".") for sample in samples if sample)


def _finds(name: str, sample: str) -> bool:
    """`*`, `?` and `[…]` as a shell means them, a set taken for any character."""
    kept, at = "", 0
    while (begin := name.find("[", at)) >= 0 and (end := name.find("]", begin + 1)) >= 0:
        kept, at = f"{kept}{name[at:begin]}?", end + 1
    name = kept + name[at:]
    if len(name) == len(sample) and "*" not in name:
        return all(one in ("?", other) for one, other in zip(name, sample, strict=True))
    return "?" not in name and glob(name, sample)


def _quoted(code: str) -> list[str]:
    """Texts inside a program of another language that works with files: they may be files' names."""
    found: list[str] = []
    if not any(word in code for word in OPENS):
        return found
    for quote in "\"'`":
        found += code.split(quote)[1::2]
    return found
