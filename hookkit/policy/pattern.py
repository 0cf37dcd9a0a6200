r"""`Tool(argument)`: the patterns of rules. The grammar is written down in docs/grammar.md.

A pattern is compiled once. Commands and paths reach a pattern parsed, never as raw text.
"""

from hookkit.errors import PatternError
from hookkit.programs.catalogue import VERBS
from hookkit.programs.effects import DELETE, FILL, MOVE, READ, RIGHTS, SEND, WRITE
from hookkit.programs.options import Stage
from hookkit.programs.words import ALL, glob

DEEP = 4  # `/**/` in a pattern: each is two ways to look
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
    "PowerShell": ("command", SHELL),
    "SendUserFile": ("file_path", PATH),
    "Artifact": ("file_path", PATH),
}
RENAMED = {"Task": "Agent", "KillShell": "TaskStop", "KillBash": "TaskStop"}
# The effect on a file that rules of a tool are about, whichever tool or command has the effect.
TOUCHES = {
    "Read": READ, "Write": WRITE, "Edit": WRITE, "Delete": DELETE, "Send": SEND, "Move": MOVE, "Rights": RIGHTS,
    "Fill": FILL,
}  # fmt: skip
# Effects on more than files, by the records of programs: `Destroy(aws)`.
EFFECTS = frozenset(VERBS.values())
# Other fields of tools whose pattern may look like one: `Bash(timeout:600000)`.
FIELDS = {"Bash": ("timeout", "description", "run_in_background", "dangerouslyDisableSandbox")}


_parsed: "dict[str, Pattern]" = {}


class Pattern:
    """One rule's left side. `stages` for Bash, `argument` for everything else."""

    __slots__ = ("argument", "effects", "field", "globs", "source", "stages", "tools", "touches")

    def __init__(self, source: str, tools: list[str], argument: str | None) -> None:
        self.source = source
        self.tools = tools
        self.globs = [tool for tool in tools if "*" in tool or tool[:1] == "^"]
        self.touches = {TOUCHES[tool] for tool in tools if tool in TOUCHES}
        self.effects = EFFECTS.intersection(tools)
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


def parse(source: str) -> Pattern:
    """A pattern, or PatternError with the place of the mistake; each source is parsed once."""
    pattern = _parsed.get(source)
    if pattern is None:
        pattern = _parsed[source] = _read(source)
    return pattern


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
