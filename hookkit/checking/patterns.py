"""Remarks on a single pattern: misspelt tools, patterns without any match, patterns with too many matches."""

import re

from hookkit.checking import dead
from hookkit.documents.finding import ERROR, WARNING, Finding, shown
from hookkit.documents.report import WrittenRule
from hookkit.errors import PatternError
from hookkit.policy.pattern import EFFECTS, PATH, SHELL, SUBJECTS, Pattern, parse
from hookkit.settings import tool_names
from hookkit.shell.kinds import LANGUAGES, SHELLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Remark = tuple[int, str, str, str]  # offset in the pattern, severity, message, fix

ROOTS = "boot etc home proc root sbin sys usr Users System".split()  # directories of a disk, not of a repository
# Programs that run other programs, and the effect of allowing them.
_SCRIPT = "can run anything: hookkit does not look into a script"
RUNNERS = {
    **dict.fromkeys((*SHELLS, *LANGUAGES.split(), "source", "."), _SCRIPT),
    **dict.fromkeys(("sudo", "doas", "su", "pkexec", "runuser"), "runs allowed commands as another user"),
    **dict.fromkeys(("xargs", "parallel"), "can run anything: its arguments come from another program"),
    "eval": "can run anything",
    "find": "can delete and run things: -delete, -exec",
}
WRITERS = ("Write", "Edit", "MultiEdit", "NotebookEdit")


def remarks(rule: WrittenRule) -> "Iterator[Finding]":
    """A pattern with a syntax error gets no remark: the reader of its file has reported the error."""
    try:
        pattern = parse(rule.match)
    except PatternError:
        return
    for check in (_tools, _dead, _star, _wide, _path):
        for remark in check(rule, pattern):
            yield _finding(rule, remark)


def _finding(rule: WrittenRule, remark: "Remark") -> Finding:
    at, severity, said, fix = remark
    return Finding(rule.file, rule.lines.inside(rule.element, at), said, fix, severity=severity, caret=True)


def _tools(rule: WrittenRule, pattern: Pattern) -> "Iterator[Remark]":
    for name in pattern.tools:
        meant = tool_names.misspelt(name) if name not in ("Delete", "Send", *EFFECTS) else ""
        at = max(rule.match.find(name), 0)
        if meant:
            yield at, ERROR, f"there is no tool {name}", f"did you mean {meant}?"
        server = tool_names.server_only(name)
        if server:
            yield at, ERROR, f"{name} is the name of a server, not of a tool", f"write {server}*"


def _dead(rule: WrittenRule, pattern: Pattern) -> "Iterator[Remark]":
    found = dead.why(pattern)
    if found is not None:
        yield _argument(rule), ERROR, f"{shown(rule.match)} can never match: {found[0]}", found[1]
    if rule.verdict == "allow" and len(pattern.stages) > 1:
        said = f"{shown(rule.match)} can never allow: each command of a pipeline needs its own rule"
        yield _argument(rule), ERROR, said, "allow the commands one by one"


def _star(rule: WrittenRule, pattern: Pattern) -> "Iterator[Remark]":
    """A star of the shell and a star of a pattern are different."""
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in pattern.tools}
    argument = pattern.argument or ""
    if kinds == {SHELL}:
        for word in re.finditer(r"(?<!\S)(/|~/|\./|\.\./)\*(?!\S)", argument):
            head = word.group(1)
            said = f"{head}* matches every path that begins with {head}, not the star of the shell"
            yield _argument(rule) + word.end() - 1, WARNING, said, rf"for the shell's star write {head}\*"
        for quoted in re.finditer(r"""(["'])[^"']*\*[^"']*\1""", argument):
            said = "a star in quotes still matches any text"
            yield _argument(rule) + quoted.start(), WARNING, said, r"for a star write \*"
    elif rule.verdict == "allow" and kinds == {PATH} and re.fullmatch(r"(?:~?/)(?:[^*]*/)?\*", argument):
        said = f"{shown(argument)} matches across /: every file below, too"
        yield _argument(rule) + len(argument) - 1, WARNING, said, f"to allow all of them, write {argument}*"


def _wide(rule: WrittenRule, pattern: Pattern) -> "Iterator[Remark]":
    """An allow rule with more matches than its author may expect."""
    if rule.verdict != "allow":
        return
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in pattern.tools}
    is_bare = pattern.argument is None and not pattern.field
    if is_bare and (SHELL in kinds or "*" in pattern.tools):
        yield 0, WARNING, f"allow {shown(rule.match or '*')} allows every command", "name the programs"
    elif is_bare and set(pattern.tools) & set(WRITERS):
        yield 0, WARNING, f"allow {shown(rule.match)} allows every file, in your home too", "name directories"
    words = pattern.stages[0].words if len(pattern.stages) == 1 else [""]
    if words[0] == "*" and not any(word.startswith("-") for word in words):
        yield _argument(rule), WARNING, f"allow {shown(rule.match)} allows any program", "name the programs"
    elif words[1:2] == ["*"] and pattern.stages[0].program in RUNNERS:
        program = pattern.stages[0].program
        said = f"allow {shown(rule.match)}: {program} {RUNNERS[program]}"
        yield _argument(rule), WARNING, said, "name the programs that it may run"


def _path(rule: WrittenRule, pattern: Pattern) -> "Iterator[Remark]":
    """Paths with a surprising meaning: the path of a program, and the path of a file."""
    at = _argument(rule)
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in pattern.tools}
    argument = (pattern.argument or "").strip()
    first = argument.split(" ")[0]
    if kinds == {SHELL} and "/" in first and "*" not in first:
        said = f"rules ignore a program's path: {shown(first)} means {first.rpartition('/')[2]} anywhere"
        yield at, WARNING, said, f"write {first.rpartition('/')[2]}"
    if kinds == {PATH} and argument.partition("/")[0] in ROOTS and "/" in argument:
        yield at, WARNING, f"{shown(argument)} starts at the repository's root", f"did you mean /{shown(argument)}?"


def _argument(rule: WrittenRule) -> int:
    """The offset of the argument."""
    at = rule.match.find("(") + 1
    return at + len(rule.match[at:]) - len(rule.match[at:].lstrip())
