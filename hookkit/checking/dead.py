"""Patterns that can never match. The engine tries each pattern on an example made from the same pattern."""

import re

from hookkit.policy.call import Call
from hookkit.policy.match import YES, matches
from hookkit.policy.paths import Place
from hookkit.policy.pattern import DOMAIN, PATH, SHELL, SUBJECTS, Pattern

PROJECT, HOME = "/hookkit-example/home/project", "/hookkit-example/home"
FILES = ("Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LSP", "Delete", "Send")

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
        return _path(pattern.argument)
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
    for found, said, fix in WHYS:
        if re.search(found, argument):
            return said, fix
    return "the pattern does not match the command that it describes", "try it: hookkit test-pattern -v"


def _path(argument: str) -> tuple[str, str] | None:
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
