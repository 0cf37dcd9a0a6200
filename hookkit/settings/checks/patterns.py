"""Remarks on a single pattern: misspelt tools, patterns without any match, patterns with too many matches.

Wrong regular expressions are named as well.
"""

import re

from hookkit.errors import PatternError
from hookkit.policy.call import Call
from hookkit.policy.match import YES, matches
from hookkit.policy.paths import Place
from hookkit.policy.pattern import DOMAIN, EFFECTS, PATH, SHELL, SUBJECTS, TOUCHES, Pattern, parse
from hookkit.settings import tool_names
from hookkit.settings.documents.finding import ERROR, WARNING, Finding, WrittenRule, shown
from hookkit.settings.rule_rows import wrong_regex
from hookkit.shell.follow.kinds import LANGUAGES, SHELLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Remark = tuple[int, str, str, str]  # offset in the pattern, severity, message, fix


# Spellings of JavaScript with their equivalent in Python, only for the check.
JAVASCRIPT = (
    (r"\(\?<(?=[A-Za-z_$])", "(?P<"),
    (r"\\k<(\w+)>", r"(?P=\1)"),
    (r"\\[pP]\{[^}]*\}|\\u\{[0-9A-Fa-f]+\}", "x"),
    (r"\[\^\]", r"[\\s\\S]"),
    (r"(?<!\\)\[\]", r"[^\\s\\S]"),
    (r"\\([A-Za-z])(?<![dDwWsSbBnrtfvxu])", r"\1"),
)
NOT_JAVASCRIPT = r"(?<!\\)\(\?(?:P[<=]|[aiLmsux]+\)|#|>)|(?<!\\)(?:[*+?]|\{\d+(?:,\d*)?\})\+"
NOT_RUST = r"(?<!\\)\(\?(?:[=!]|<[=!])|\\[1-9]"


def wrong_javascript(source: str) -> str:
    foreign = re.search(NOT_JAVASCRIPT, source)
    if foreign:
        return f"not a regular expression of JavaScript: {foreign.group()} at position {foreign.start()}"
    for pattern, written in JAVASCRIPT:
        source = re.sub(pattern, written, source)
    return wrong_regex(source)


def wrong_rust(source: str) -> str:
    foreign = re.search(NOT_RUST, source)
    if foreign:
        return f"Rust has no look-around and no back references: {foreign.group()}"
    return wrong_regex(source)


PROJECT, HOME = "/hookkit-example/home/project", "/hookkit-example/home"
FILES = (*TOUCHES, "MultiEdit", "NotebookEdit", "Glob", "Grep", "LSP")

# Why a Bash pattern never matches: text in the pattern, reason, fix. The first fitting row counts.
WHYS = (
    (r"&&|;|\n|(?<!\w)&(?!\w)", "a rule is about one command at a time", "write a rule for each command"),
    (r"(?:^|\s)[0-9]*[<>]", "a redirection is not a word of a command", "name the file instead: Write(…) or Read(…)"),
    (r"^\s*[A-Za-z_]\w*=", "assignments before a command are ignored", "begin with the program"),
    (r"^\s*([\"']).*\1\s*$", "quotes make one word of it all", "remove the quotes"),
    (r"[\"']", "quotes join words, as in a shell", "check where the quotes begin and end"),
    (r"\$\(|`", "the command in a substitution is checked separately", "write a rule for the command inside"),
    (r"\$\w|\$\{", "variables are expanded before rules are checked", "write the value of the variable, or *"),
    (r"^\s*(?:time|!|if|while|until|for|case|then|do|else|\{|\()(?:\s|$)",
     "its first word belongs to the shell and is no program", "begin with the program"),
    (r"^\s*#|\s#", "# begins a comment", ""),
    (r"\{[^}]*,[^}]*\}", "braces are expanded before rules are checked", "write a rule for each word"),
    (r"(?:^|\s)~", "~ is expanded before rules are checked", "write the path, or a file rule: Delete(~)"),
    (r"(?:^|\s)--?\w[\w-]*\s+[^-*\s]", "the value of an option is not a separate word", "remove the value"),
)  # fmt: skip


def why(pattern: Pattern) -> tuple[str, str] | None:
    """Why the pattern can never match, with a fix; None if it can match."""
    if pattern.field or pattern.argument is None:
        return None
    kinds = {SUBJECTS[tool][1] for tool in pattern.tools if tool in SUBJECTS}
    if kinds == {SHELL}:
        return _shell(pattern)
    if set(pattern.tools) <= set(FILES) and (kinds <= {PATH}):
        return _example_path(pattern.argument)
    return _address(pattern.argument) if kinds == {DOMAIN} else None


def example(argument: str) -> str:
    r"""A text that should match: an x for each `*`, a star for each `\*`."""
    return re.sub(r"\\\*|\*+", lambda star: "*" if star.group() == r"\*" else "x", argument)


def _shell(pattern: Pattern) -> tuple[str, str] | None:
    argument = pattern.argument or ""
    line = example(argument[:-2] + " *" if argument.endswith(":*") else argument)
    call = Call(pattern.tools[0], {SUBJECTS[pattern.tools[0]][0]: line}, cwd=PROJECT, project=PROJECT, home=HOME)
    if matches(pattern, call).yes == YES and not any(" " in stage.globs[0] for stage in pattern.stages):
        return None
    for shape, message, fix in WHYS:
        if re.search(shape, argument):
            return message, fix
    return "the pattern does not match the command that it describes", "try it: hookkit test-pattern -v"


def _example_path(argument: str) -> tuple[str, str] | None:
    if argument[0] in "\"'" and argument[-1] == argument[0]:
        return "quotes are part of a path", "remove the quotes"
    if argument.startswith("!"):  # a negated pattern
        return None
    path = example(argument)
    path = HOME + path[1:] if path == "~" or path.startswith("~/") else path
    if Place(PROJECT, HOME).matches(argument, path, PROJECT, wide=True):
        return None
    if ".." in argument.split("/"):
        return "a resolved path has no ..", "write the path from the repository's root, or an absolute path"
    if argument.endswith("/"):
        return "no file name ends with /", f"write {argument}*"
    return "no resolved path looks like this", ""


def _address(argument: str) -> tuple[str, str] | None:
    host = argument.removeprefix("domain:")
    if host != argument:
        bare = host.partition("://")[2] or host
        bare = re.split(r"[/?#:]", bare)[0]
        is_host = bare == host or host.startswith("[")
        return None if is_host else ("domain: takes only a host", f"write domain:{bare}")
    if "://" in argument or argument.startswith("*"):
        return None
    return "the pattern is compared with the whole address", f"write domain:{re.split('[/?#:*]', argument)[0]}"


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
    at, severity, message, fix = remark
    return Finding(rule.file, rule.lines.inside(rule.element, at), message, fix, severity=severity, caret=True)


def _tools(rule: WrittenRule, pattern: Pattern) -> "Iterator[Remark]":
    for name in pattern.tools:
        meant = tool_names.misspelt(name) if name not in (*TOUCHES, *EFFECTS) else ""
        at = max(rule.match.find(name), 0)
        if meant:
            yield at, ERROR, f"there is no tool {name}", f"did you mean {meant}?"
        server = tool_names.server_only(name)
        if server:
            yield at, ERROR, f"{name} is the name of a server, not of a tool", f"write {server}*"


def _dead(rule: WrittenRule, pattern: Pattern) -> "Iterator[Remark]":
    reason = why(pattern)
    if reason is not None:
        yield _argument(rule), ERROR, f"{shown(rule.match)} can never match: {reason[0]}", reason[1]
    if rule.verdict == "allow" and len(pattern.stages) > 1:
        message = f"{shown(rule.match)} can never allow: each command of a pipeline needs its own rule"
        yield _argument(rule), ERROR, message, "allow the commands one by one"


def _star(rule: WrittenRule, pattern: Pattern) -> "Iterator[Remark]":
    """A star of the shell and a star of a pattern are different."""
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in pattern.tools}
    argument = pattern.argument or ""
    if kinds == {SHELL}:
        for word in re.finditer(r"(?<!\S)(/|~/|\./|\.\./)\*(?!\S)", argument):
            head = word.group(1)
            message = f"{head}* matches every path that begins with {head}, not the star of the shell"
            yield _argument(rule) + word.end() - 1, WARNING, message, rf"for the shell's star write {head}\*"
        for quoted in re.finditer(r"""(["'])[^"']*\*[^"']*\1""", argument):
            message = "a star in quotes still matches any text"
            yield _argument(rule) + quoted.start(), WARNING, message, r"for a star write \*"
    elif rule.verdict == "allow" and kinds == {PATH} and re.fullmatch(r"(?:~?/)(?:[^*]*/)?\*", argument):
        message = f"{shown(argument)} matches across /: every file below, too"
        yield _argument(rule) + len(argument) - 1, WARNING, message, f"to allow all of them, write {argument}*"


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
        message = f"allow {shown(rule.match)}: {program} {RUNNERS[program]}"
        yield _argument(rule), WARNING, message, "name the programs that it may run"


def _path(rule: WrittenRule, pattern: Pattern) -> "Iterator[Remark]":
    """Paths with a surprising meaning: the path of a program, and the path of a file."""
    at = _argument(rule)
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in pattern.tools}
    argument = (pattern.argument or "").strip()
    first = argument.split(" ")[0]
    if kinds == {SHELL} and "/" in first and "*" not in first:
        message = f"rules ignore a program's path: {shown(first)} means {first.rpartition('/')[2]} anywhere"
        yield at, WARNING, message, f"write {first.rpartition('/')[2]}"
    if kinds == {PATH} and argument.partition("/")[0] in ROOTS and "/" in argument:
        yield at, WARNING, f"{shown(argument)} starts at the repository's root", f"did you mean /{shown(argument)}?"


def _argument(rule: WrittenRule) -> int:
    """The offset of the argument."""
    at = rule.match.find("(") + 1
    return at + len(rule.match[at:]) - len(rule.match[at:].lstrip())
