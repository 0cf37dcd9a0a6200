r"""`Tool(argument)`: the patterns of rules. The grammar is written down in docs/grammar.md.

A pattern is compiled once. Commands and paths reach a pattern parsed, never as raw text.
"""

from hookkit.errors import PatternError
from hookkit.shell.effects import DELETE, READ, SEND, WRITE
from hookkit.shell.program_rows import Program
from hookkit.shell.programs import Shape, is_option, spellings
from hookkit.shell.state import UNKNOWN

ALL = "*"
STAR = "\1"  # a literal star
DEEP = 4  # `/**/` in a pattern: each is two ways to look
LONGEST_CLUSTER = 5  # -xvfz; a longer word is one option with one dash
SHELL, PATH, DOMAIN, NAME, TEXT = "shell", "path", "domain", "name", "text"

# The subject of each tool: the field for its pattern, and the kind of the field.
SUBJECTS = {
    "Bash": ("command", SHELL),
    "Monitor": ("command", SHELL),
    "Read": ("file_path", PATH),
    "Write": ("file_path", PATH),
    "Edit": ("file_path", PATH),
    "MultiEdit": ("file_path", PATH),
    "NotebookEdit": ("notebook_path", PATH),
    "Glob": ("path", PATH),
    "Grep": ("path", PATH),
    "LSP": ("filePath", PATH),
    "WebFetch": ("url", DOMAIN),
    "WebSearch": ("query", TEXT),
    "Agent": ("subagent_type", NAME),
    "Skill": ("skill", NAME),
    "PowerShell": ("command", TEXT),
    "SendUserFile": ("file_path", PATH),
    "Artifact": ("file_path", PATH),
}
RENAMED = {"Task": "Agent", "KillShell": "TaskStop", "KillBash": "TaskStop"}
# The effect on a file that rules of a tool are about, whichever tool or command has the effect.
TOUCHES = {"Read": READ, "Write": WRITE, "Edit": WRITE, "Delete": DELETE, "Send": SEND}
# Other fields of tools whose pattern may look like one: `Bash(timeout:600000)`.
FIELDS = {"Bash": ("timeout", "description", "run_in_background", "dangerouslyDisableSandbox")}


_parsed: "dict[str, Pattern]" = {}


class Pattern:
    """One rule's left side. `stages` for Bash, `argument` for everything else."""

    __slots__ = ("argument", "field", "globs", "source", "stages", "tools", "touches")

    def __init__(self, source: str, tools: list[str], argument: str | None) -> None:
        self.source = source
        self.tools = tools
        self.globs = [tool for tool in tools if "*" in tool or tool[:1] == "^"]
        self.touches = {TOUCHES[tool] for tool in tools if tool in TOUCHES}
        self.field = ""
        self.argument = argument if argument != ALL else None
        self.stages: list[Stage] = []

    def has_tool(self, name: str) -> bool:
        return name in self.tools or (bool(self.globs) and any(_is_tool(tool, name) for tool in self.globs))


def _is_tool(tool: str, name: str) -> bool:
    if not tool.startswith("^"):
        return glob(tool, name)
    import re  # late: regular expressions are rare

    return re.match(tool, name) is not None


class Stage:
    """One command of a Bash pattern: options as a set, other words in their order; `*` alone is any number of words."""

    __slots__ = ("crosses", "globs", "open", "program", "shaped", "text", "words")

    def __init__(self, text: str) -> None:
        self.shaped: dict[Program, tuple[set[str], list[tuple[str, str]], list[str]]] = {}  # by whose options they are
        self.words = words = split(text)
        plain = [word for word in words if not is_option(word)]
        self.globs = [_base(word) if number == 0 else word for number, word in enumerate(plain)] or [ALL]
        self.open = ALL in plain
        self.program = "" if "*" in self.globs[0] else self.globs[0]
        self.text = " ".join([_base(words[0]), *words[1:]]) if words else ALL
        inner = [word for word in words[1:] if "*" in word.replace("\\*", "") and word.strip("*")]
        self.crosses = bool(inner) and not any(word != ALL and not word.strip("*") for word in words)


def _base(word: str) -> str:
    return word.rpartition("/")[2] or word


def split(text: str) -> list[str]:
    """Words at blanks; quotes hold a word together."""
    words: list[str] = []
    current: list[str] | None = None
    quote = ""
    for char in text:
        if quote:
            if char == quote:
                quote = ""
            else:
                current = _added(current, char)
        elif char in "'\"":
            quote = char
            current = current or []
        elif char in " \t\n":
            if current is not None:
                words.append("".join(current))
            current = None
        else:
            current = _added(current, char)
    if current is not None:
        words.append("".join(current))
    return words


def _added(word: list[str] | None, char: str) -> list[str]:
    word = [] if word is None else word
    word.append(char)
    return word


def glob(pattern: str, text: str) -> bool:
    r"""`*` is any run of characters, `\*` is a star; everything else is itself."""
    if "\\*" in pattern:
        pattern, text = pattern.replace("\\*", STAR), text.replace("*", STAR)
    if "*" not in pattern:
        return pattern == text
    head, *middle, tail = pattern.split("*")
    if len(text) < len(head) + len(tail) or not text.startswith(head) or not text.endswith(tail):
        return False
    at, end = len(head), len(text) - len(tail)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def parse(source: str) -> Pattern:
    """A pattern, or PatternError with the place of the mistake; each source is parsed once."""
    found = _parsed.get(source)
    if found is None:
        found = _parsed[source] = _read(source)
    return found


def _read(source: str) -> Pattern:
    text = source.strip()
    if text in ("", ALL):
        return Pattern(source, [ALL], None)
    if text.startswith("^"):
        return _regex(source, text)
    head, parenthesis, rest = text.partition("(")
    if not parenthesis:
        if ")" in head:
            raise PatternError("a ) without its (", source, source.index(")"))
        return Pattern(source, _tools(head, source), None)
    if not rest.endswith(")"):
        raise PatternError("expected ) at the end", source, len(source.rstrip()))
    tools = _tools(head, source)
    argument = rest[:-1].strip()
    if argument.count("/**/") > DEEP:
        raise PatternError(f"at most {DEEP} times /**/", source, source.rindex("/**/"))
    pattern = Pattern(source, tools, argument or None)
    _specialise(pattern, source)
    return pattern


def _regex(source: str, text: str) -> Pattern:
    """`^mcp__.*__delete`: a regular expression over tools' names."""
    import re

    try:
        re.compile(text)
    except re.error as error:
        raise PatternError(f"not a regular expression: {error.msg}", source, error.pos or 0) from None
    return Pattern(source, [text], None)


def _tools(head: str, source: str) -> list[str]:
    tools = [_regular(RENAMED.get(name.strip(), name.strip()), source) for name in head.split("|")]
    for name in tools:
        if name.startswith("^"):
            continue
        bad = next((char for char in name if not (char.isalnum() or char in "_*-.: ")), "")
        if not name or bad or " " in name:
            at = source.find(bad or " ") if bad or name else max(source.find("|"), 0)
            raise PatternError(f"not a tool's name: {name!r}" if name else "a tool's name is missing", source, at)
    return tools


def _regular(name: str, source: str) -> str:
    """`mcp__memory__.*` is a regular expression over tools' names, as in the matchers of Claude Code."""
    if ".*" not in name:
        return name
    return _regex(source, f"^(?:{name})$").tools[0]


def _specialise(pattern: Pattern, source: str) -> None:
    argument = pattern.argument
    if argument is None:
        return
    name, colon, value = argument.partition(":")
    shell = any(SUBJECTS.get(tool, ("", ""))[1] == SHELL for tool in pattern.tools)
    own = [field for tool in pattern.tools for field in FIELDS.get(tool, ())]
    primary = [SUBJECTS[tool] for tool in pattern.tools if tool in SUBJECTS]
    if (
        colon
        and name.isidentifier()
        and not value.startswith("//")
        and (name in own or (not shell and not _is_primary(name, primary)))
    ):
        pattern.field, pattern.argument = name, value
        return
    if shell:
        if argument.endswith(":*"):
            argument = argument[:-2] + " *"
        pattern.stages = [Stage(part) for part in argument.split("|")]
        if any(not part.strip() for part in argument.split("|")):
            raise PatternError("a pipeline with nothing on one side of |", source, source.index("|"))


def _is_primary(name: str, primary: list[tuple[str, str]]) -> bool:
    return any(kind == DOMAIN and name == "domain" for _, kind in primary) or any(
        kind == PATH and (len(name) == 1) for _, kind in primary
    )


def matches_words(stage: Stage, shape: Shape, *, wide: bool, onward: bool = False, home: str = "") -> bool:
    """Whether a command matches the stage.

    Without a `*` a pattern means exactly its words. For deny and ask (`wide`) further options do not save a command,
    and `onward` lets a stage of a pipeline go on with any words.
    """
    if stage.program not in ("", shape.operands[0]):
        return False
    if wide and stage.crosses and _crosses(stage, shape, home):
        return True
    wanted, values, globs = shaped(stage, shape.program)
    if not all(_has(flag, shape) for flag in wanted) or not all(_given(flag, value, shape) for flag, value in values):
        return False
    if not (stage.open or wide) and any("*" in glob for glob in globs) and _climbs(shape):
        return False
    if not (stage.open or wide) and not {flag for flag in shape.flags if not _is_cluster(flag)} <= {*wanted, "--"}:
        return False
    if home:
        globs = [home + glob[1:] if glob[:1] == "~" and glob[1:2] in ("", "/", "*") else glob for glob in globs]
    return _sequence([*globs, ALL] if onward and not stage.open else globs, shape.operands)


def _climbs(shape: Shape) -> bool:
    """Whether an operand may lead upward: the `tests/*` of an allow rule is not `tests/../../x`, and not `tests/$x`."""
    return any(".." in word.split("/") or (UNKNOWN in word and "/" in word) for word in shape.operands)


def shaped(stage: Stage, program: Program) -> tuple[set[str], list[tuple[str, str]], list[str]]:
    """The pattern's words as this program would sort them: options, options with values, operands."""
    if program not in stage.shaped:
        stage.shaped[program] = _shaped(stage, program)
    return stage.shaped[program]


def _crosses(stage: Stage, shape: Shape, home: str) -> bool:
    """A star inside a word may stand for several words: `dd *of=/dev/*`, as people write it in deny and ask rules."""
    text = " ".join(shape.words)
    pattern = stage.text.replace(" ~", f" {home}") if home else stage.text
    return glob(pattern, text) or (pattern.endswith(" *") and glob(pattern[:-2], text))


def _shaped(stage: Stage, program: Program) -> tuple[set[str], list[tuple[str, str]], list[str]]:
    flags: set[str] = set()
    values: list[tuple[str, str]] = []
    globs: list[str] = []
    rest = iter(stage.words)
    for word in rest:
        if not is_option(word):
            globs.append(word if globs else _base(word))
            continue
        names = {word} if "*" in word else spellings(word, program)
        flags |= {flag for flag in names if not _is_cluster(flag) or len(word) > LONGEST_CLUSTER or program.single}
        last = word if word.startswith("--") or program.single else f"-{word[-1]}"
        if "=" not in word and last in program.valued:
            value = next(rest, None)
            if value is not None:
                values.append((program.aliases.get(last, last), value))
            if value == ALL and stage.words[-1] == ALL and stage.words.count(ALL) == 1:
                globs.append(ALL)  # a star at the end is the rest of the line, not just the value of an option
    return flags, values, globs or [ALL]


def _given(flag: str, value: str, shape: Shape) -> bool:
    return value == ALL or any(name == flag and glob(value, have) for name, have in shape.values)


def _is_cluster(flag: str) -> bool:
    return flag[:2] != "--" and len(flag) > 2  # noqa: PLR2004


def _has(flag: str, shape: Shape) -> bool:
    if "*" in flag:
        return any(glob(flag, have) for have in shape.flags) or any(
            glob(flag, f"{name}={value}") for name, value in shape.values
        )
    name, equals, value = flag.partition("=")
    return flag in shape.flags or (bool(equals) and (name, value) in shape.values)


def _sequence(globs: list[str], words: list[str]) -> bool:
    """Globs against words, in order: `*` alone is any number of words, so a greedy walk with one way back is enough."""
    at, place = 0, 0
    star, mark = -1, 0
    while place < len(words):
        if at < len(globs) and globs[at] == ALL:
            star, mark = at, place
            at += 1
        elif at < len(globs) and _one(globs[at], words[place]):
            at += 1
            place += 1
        elif star >= 0:
            mark += 1
            at, place = star + 1, mark
        else:
            return False
    return all(glob == ALL for glob in globs[at:])


def _one(pattern: str, word: str) -> bool:
    return glob(pattern, word) if UNKNOWN not in word else glob(pattern, word) and "*" in pattern
