"""Rules as they are written in files: what is wrong with each pattern, and rules that another rule makes useless.

A pattern may name a misspelt tool, match nothing, or match more than its author expects.
"""

import re

from hookkit.errors import PatternError
from hookkit.policy.base import RULES
from hookkit.policy.call import Call
from hookkit.policy.index import ANY, keys
from hookkit.policy.match import YES, matches
from hookkit.policy.paths import Place
from hookkit.policy.pattern import DOMAIN, EFFECTS, PATH, SHELL, SUBJECTS, TOUCHES, Pattern, parse
from hookkit.programs.options import matches_words
from hookkit.programs.options import parse as parse_words
from hookkit.programs.words import glob, is_option
from hookkit.settings.documents.finding import ERROR, WARNING, Finding, WrittenRule, shown
from hookkit.settings.rule_rows import misspelt_tool, server_only
from hookkit.shell.follow import LANGUAGES, SHELLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.settings.documents.finding import FileReport

    Remark = tuple[int, str, str, str]  # offset in the pattern, severity, message, fix


SHIPPED = {(rule["type"], rule["match"]) for rule in RULES}  # known to be meant as they are written


def review(reports: "list[FileReport]", *, together: bool) -> "list[Finding]":
    """`together` compares the rules of all files, for the layers of a project."""
    findings = [finding for report in reports for finding in report.findings]
    for rule in [rule for report in reports for rule in report.rules if (rule.verdict, rule.match) not in SHIPPED]:
        findings += remarks(rule)
    for rules in [[rule for report in reports for rule in report.rules]] if together else [r.rules for r in reports]:
        findings += shadows(rules)
    order = {report.file: number for number, report in enumerate(reports)}
    return sorted(findings, key=lambda finding: (order[finding.file], finding.line, finding.column, finding.severity))


# -- a single pattern --

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
        meant = misspelt_tool(name) if name not in (*TOUCHES, *EFFECTS) else ""
        at = max(rule.match.find(name), 0)
        if meant:
            yield at, ERROR, f"there is no tool {name}", f"did you mean {meant}?"
        server = server_only(name)
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


# -- rules compared with each other --

STRICTER = {"allow": ("ask", "deny"), "ask": ("deny",), "deny": ()}
ANYTHING = "\2"  # stands for a star of the narrower pattern: only a star of the wider pattern matches it
MOST = 2_000  # rules compared with each other


def shadows(rules: list[WrittenRule]) -> "Iterator[Finding]":
    """At most one remark on each rule: the rule has no effect, or the rule is there twice."""
    parsed = [(rule, pattern) for rule in rules[:MOST] if (pattern := _parsed(rule)) is not None]
    index: dict[str, list[tuple[WrittenRule, Pattern]]] = {}
    for rule, pattern in parsed:
        for key in _keys(pattern):
            index.setdefault(key, []).append((rule, pattern))
    seen: dict[tuple[str, str, str, str], WrittenRule] = {}
    for rule, pattern in parsed:
        over = next((other for other, wider in _near(pattern, index) if _overrules(other, rule, wider, pattern)), None)
        first = seen.setdefault((rule.file, rule.verdict, rule.match.strip(), ",".join(sorted(rule.actors))), rule)
        if over is not None:
            message = f"{rule} has no effect: {over} {_at(over, rule)} covers it, and the stricter rule wins"
            yield _shadow(rule, message, ERROR if over.file == rule.file else WARNING)
        elif first is not rule:
            yield _shadow(rule, f"{rule} is already written {_at(first, rule)}", WARNING)


def _near(
    pattern: Pattern, index: "dict[str, list[tuple[WrittenRule, Pattern]]]"
) -> "Iterator[tuple[WrittenRule, Pattern]]":
    """The rules that could cover the pattern, from the index."""
    shelves = [shelf for shelf, _ in keys(pattern)]
    names = [ANY, *shelves, *_keys(pattern), *pattern.tools, *(f"{tool}:{ANY}" for tool in pattern.tools)]
    for name in dict.fromkeys(names):
        yield from index.get(name, ())


def _keys(pattern: Pattern) -> list[str]:
    """Keys with the second word of a command, so a thousand rules about git are not all compared with each other."""
    words = pattern.stages[0].words[1:2] if len(pattern.stages) == 1 else []
    is_plain = bool(words) and "*" not in words[0] and not is_option(words[0])
    return [f"{shelf} {words[0]}" if is_plain and ":" in shelf else shelf for shelf, _ in keys(pattern)]


def _parsed(rule: WrittenRule) -> Pattern | None:
    try:
        return parse(rule.match) if rule.verdict in STRICTER else None
    except PatternError:  # the reader of the file has reported it
        return None


def _overrules(other: WrittenRule, rule: WrittenRule, wider: Pattern, pattern: Pattern) -> bool:
    """Whether a stricter rule covers every call of the rule, for every actor of the rule."""
    if other.verdict not in STRICTER[rule.verdict] or other.spares:
        return False
    is_for_all = not other.actors or (bool(rule.actors) and set(rule.actors) <= set(other.actors))
    return is_for_all and covers(wider, pattern)


def _at(other: WrittenRule, rule: WrittenRule) -> str:
    line = other.element.where[0]
    return f"in line {line}" if other.file == rule.file else f"at {other.file}:{line}"


def _shadow(rule: WrittenRule, message: str, severity: str) -> Finding:
    return Finding(rule.file, rule.element.where, message, "remove one of them", severity=severity, caret=True)


def covers(wider: Pattern, narrower: Pattern) -> bool:
    """Whether the wider pattern matches every call of the narrower pattern; False when in doubt."""
    if not all(any(glob(tool, other) for tool in wider.tools) for other in narrower.tools):
        return False
    if wider.field or narrower.field:
        same = wider.field == narrower.field
        return same and _covers_text(wider.argument or "*", narrower.argument or "*")
    if wider.argument is None or wider.argument == narrower.argument:
        return True
    if narrower.argument is None:
        return False
    if wider.stages or narrower.stages:
        return _covers_command(wider, narrower)
    kinds = {SUBJECTS.get(tool, ("", ""))[1] for tool in narrower.tools}
    is_covered = _covers_path if kinds == {PATH} else _covers_text
    return is_covered(wider.argument, narrower.argument)


def _spelled(narrower: str) -> str:
    return re.sub(r"\\\*|\*", lambda star: ANYTHING if star.group() == "*" else "*", narrower)


def _covers_text(wider: str, narrower: str) -> bool:
    return glob(wider, _spelled(narrower))


def _covers_command(wider: Pattern, narrower: Pattern) -> bool:
    """Matches the narrower pattern as if it were a command; only a star matches its stars."""
    if len(wider.stages) != 1 or len(narrower.stages) != 1:
        return False
    whole, part = wider.stages[0], narrower.stages[0]
    if not part.program or (part.open and not whole.open):
        return False
    if whole.words[1:] == ["*"]:
        return whole.program == part.program
    shape = parse_words([_spelled(word) for word in part.words])
    return not shape.values and matches_words(whole, shape, wide=True)  # an option may take the next word as its value


def _covers_path(wider: str, narrower: str) -> bool:
    wider, narrower = wider.replace("**", "*"), narrower.replace("**", "*")
    if "!" in (wider[:1], narrower[:1]):  # a negated pattern
        return False
    if "/" in wider or "~" in wider:
        return wider[:1] == narrower[:1] and _covers_text(wider, narrower)
    name = narrower.rpartition("/")[2]
    return ("*" not in name or name == narrower) and _covers_text(wider, name)
