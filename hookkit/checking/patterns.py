"""One pattern by itself: what is wrong in it, where, and what was probably meant."""

import re

from hookkit.checking import dead, tools
from hookkit.documents.finding import ERROR, WARNING, Finding, Rule, shown
from hookkit.errors import PatternError
from hookkit.policy.pattern import PATH, SHELL, SUBJECTS, Pattern, parse
from hookkit.shell.kinds import SHELLS
from hookkit.shell.languages import INTERPRETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Remark = tuple[int, str, str, str]  # offset in the pattern, severity, what, the way out

ROOTS = "boot etc home proc root sbin sys usr Users System".split()  # of a disk, and hardly of a repository
# Programs that run what they are given, and what an allow for them comes to.
_SCRIPT = "can run anything: what is in a script is not looked at"
RUNNERS = {
    **dict.fromkeys((*SHELLS, *INTERPRETERS, "source", ".", "awk", "gawk", "mawk"), _SCRIPT),
    **dict.fromkeys(("sudo", "doas", "su", "pkexec", "runuser"), "does as another user what other rules allow"),
    **dict.fromkeys(("xargs", "parallel"), "can run anything on anything: its arguments come from elsewhere"),
    "eval": "can run anything",
    "find": "can delete and run things: -delete, -exec",
}
WRITERS = ("Write", "Edit", "MultiEdit", "NotebookEdit")


def remarks(rule: Rule) -> "Iterator[Finding]":
    """Everything to be said of a rule's pattern alone."""
    try:
        pattern = parse(rule.match)
    except PatternError as error:
        yield _finding(rule, (error.at, ERROR, f"{error}: {shown(rule.match)}", mended(error)))
        return
    for check in (_tools, _dead, _star, _wide, _path):
        for remark in check(rule, pattern):
            yield _finding(rule, remark)


def _finding(rule: Rule, remark: "Remark") -> Finding:
    at, severity, said, fix = remark
    return Finding(rule.file, rule.lines.inside(rule.node, at), said, fix, severity=severity, caret=True)


def mended(error: PatternError) -> str:
    """What was probably meant: the first small change that makes a pattern of it."""
    text = error.source.strip()
    if "||" in text:
        return "a rule is about one command or one pipeline: write two rules"
    swapped = text.replace("[", "(").replace("]", ")")
    guesses = [text + ")", swapped, swapped + ")", text.replace(")", ""), text.rstrip(")") + ")"]
    guesses.append(f"Bash{text}" if text.startswith("(") else f"Bash({text})")
    for guess in guesses:
        head, parenthesis, rest = guess.partition("(")
        right = "|".join(tools.misspelt(name) or name for name in head.split("|")) + parenthesis + rest
        try:
            parse(right)
        except PatternError:
            continue
        return f"did you mean {shown(right)}?"
    return "see docs/grammar.md"


def _tools(rule: Rule, pattern: Pattern) -> "Iterator[Remark]":
    for name in pattern.tools:
        meant = tools.misspelt(name) if name != "Delete" else ""
        at = max(rule.match.find(name), 0)
        if meant:
            yield at, ERROR, f"there is no tool {name}", f"did you mean {meant}?"
        server = tools.server_only(name)
        if server:
            yield at, ERROR, f"{name} is a server, and no tool has its name", f"write {server}*"


def _dead(rule: Rule, pattern: Pattern) -> "Iterator[Remark]":
    found = dead.why(pattern)
    if found is not None:
        yield _argument(rule), ERROR, f"{shown(rule.match)} can never match: {found[0]}", found[1]
    if rule.verdict == "allow" and len(pattern.stages) > 1:
        said = f"{shown(rule.match)} can never allow: each command of a line needs a rule of its own"
        yield _argument(rule), ERROR, said, "allow the commands one by one"


def _star(rule: Rule, pattern: Pattern) -> "Iterator[Remark]":
    """The star that a shell would fill in is not the star of a pattern."""
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in pattern.tools}
    argument = pattern.argument or ""
    if kinds == {SHELL}:
        for word in re.finditer(r"(?<!\S)(/|~/|\./|\.\./)\*(?!\S)", argument):
            head = word.group(1)
            said = f"{head}* is every path that begins with {head}, not the star of the shell"
            yield _argument(rule) + word.end() - 1, WARNING, said, rf"for the shell's star write {head}\*"
        for quoted in re.finditer(r"""(["'])[^"']*\*[^"']*\1""", argument):
            said = "a star in quotes is still any text"
            yield _argument(rule) + quoted.start(), WARNING, said, r"for a star write \*"
    elif rule.verdict == "allow" and kinds == {PATH} and re.fullmatch(r"(?:~?/)(?:[^*]*/)?\*", argument):
        said = f"{shown(argument)} crosses /: every file below it, too"
        yield _argument(rule) + len(argument) - 1, WARNING, said, f"if that is meant, write {argument}*"


def _wide(rule: Rule, pattern: Pattern) -> "Iterator[Remark]":
    """An allow that opens more than it seems to."""
    if rule.verdict != "allow":
        return
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in pattern.tools}
    is_bare = pattern.argument is None and not pattern.field
    if is_bare and (SHELL in kinds or "*" in pattern.tools):
        yield 0, WARNING, f"allow {shown(rule.match or '*')} is every command", "name the programs"
    elif is_bare and set(pattern.tools) & set(WRITERS):
        yield 0, WARNING, f"allow {shown(rule.match)} is every file, your home's too", "name directories"
    words = pattern.stages[0].words if len(pattern.stages) == 1 else [""]
    if words[0] == "*" and not any(word.startswith("-") for word in words):
        yield _argument(rule), WARNING, f"allow {shown(rule.match)} is about any program", "name the programs"
    elif words[1:2] == ["*"] and pattern.stages[0].program in RUNNERS:
        program = pattern.stages[0].program
        said = f"allow {shown(rule.match)}: {program} {RUNNERS[program]}"
        yield _argument(rule), WARNING, said, "name what it may run"


def _path(rule: Rule, pattern: Pattern) -> "Iterator[Remark]":
    """Paths that are something else than they look like: of a program, and of a file."""
    at = _argument(rule)
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in pattern.tools}
    argument = (pattern.argument or "").strip()
    first = argument.split(" ")[0]
    if kinds == {SHELL} and "/" in first and "*" not in first:
        said = f"a program's path is not looked at: {shown(first)} is {first.rpartition('/')[2]} anywhere"
        yield at, WARNING, said, f"write {first.rpartition('/')[2]}"
    if kinds == {PATH} and argument.partition("/")[0] in ROOTS and "/" in argument:
        yield at, WARNING, f"{shown(argument)} counts from the repository's root", f"did you mean /{shown(argument)}?"


def _argument(rule: Rule) -> int:
    """Where the argument begins."""
    at = rule.match.find("(") + 1
    return at + len(rule.match[at:]) - len(rule.match[at:].lstrip())
