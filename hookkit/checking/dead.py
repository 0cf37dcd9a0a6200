"""Patterns that match nothing. The engine itself is asked: a pattern that is not about its own example is dead."""

import re

from hookkit.policy.call import Call
from hookkit.policy.match import YES, matches
from hookkit.policy.paths import Place
from hookkit.policy.pattern import DOMAIN, PATH, SHELL, SUBJECTS, Pattern

PROJECT, HOME = "/hookkit-example/home/project", "/hookkit-example/home"
FILES = ("Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LSP", "Delete")

# Why a Bash pattern can be dead, the first that fits: what stands in it, what to say, the way out.
WHYS = (
    (r"&&|;|\n|(?<!\w)&(?!\w)", "a rule is about one command at a time", "write a rule for each command"),
    (r"(?:^|\s)[0-9]*[<>]", "redirections are not words of a command", "name the file instead: Write(…) or Read(…)"),
    (r"^\s*[A-Za-z_]\w*=", "assignments before a command are set aside", "begin with the program"),
    (r"^\s*([\"']).*\1\s*$", "in quotes all of it is one word", "take the quotes away"),
    (r"[\"']", "quotes hold words together here as in a shell", "check where they begin and end"),
    (r"\$\(|`", "substitutions are looked at as commands of their own", "write a rule for the command inside"),
    (r"\$\w|\$\{", "variables are filled in before a rule is asked", "write what the variable holds, or *"),
    (r"^\s*(?:time|!|if|while|until|for|case|then|do|else|\{|\()(?:\s|$)",
     "its first word is the shell's, not a program", "begin with the program"),
    (r"^\s*#|\s#", "what follows # is a comment", ""),
    (r"\{[^}]*,[^}]*\}", "braces are filled in before a rule is asked", "write a rule for each word"),
    (r"(?:^|\s)~", "~ is filled in before a rule is asked", "write the path, or a file rule: Delete(~)"),
    (r"(?:^|\s)--?\w[\w-]*\s+[^-*\s]", "an option does not go with the value behind it", "leave the value out"),
)  # fmt: skip


def why(pattern: Pattern) -> tuple[str, str] | None:
    """Why the pattern can never match and the way out, or None if it can."""
    if pattern.field or pattern.argument is None:
        return None
    kinds = {SUBJECTS[tool][1] for tool in pattern.tools if tool in SUBJECTS}
    if kinds == {SHELL}:
        return _shell(pattern)
    if set(pattern.tools) <= set(FILES) and (kinds <= {PATH}):
        return _path(pattern.argument)
    return _address(pattern.argument) if kinds == {DOMAIN} else None


def example(argument: str) -> str:
    r"""What the pattern spells: something for each `*`, a star for each `\*`."""
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
    return "it is not about the command that it spells", "try it: hookkit test-pattern -v"


def _path(argument: str) -> tuple[str, str] | None:
    if argument[0] in "\"'" and argument[-1] == argument[0]:
        return "quotes are part of a path here", "take them away"
    if argument.startswith("!"):  # everything but what follows
        return None
    path = example(argument)
    path = HOME + path[1:] if path == "~" or path.startswith("~/") else path
    if Place(PROJECT, HOME).matches(argument, path, PROJECT, wide=True):
        return None
    if ".." in argument.split("/"):
        return "a path has no .. once it is resolved", "write it from the repository's root, or absolute"
    if argument.endswith("/"):
        return "no file's name ends with /", f"write {argument}*"
    return "no path is written so once it is resolved", ""


def _address(argument: str) -> tuple[str, str] | None:
    host = argument.removeprefix("domain:")
    if host != argument:
        bare = host.partition("://")[2] or host
        bare = re.split(r"[/?#:]", bare)[0]
        is_host = bare == host or host.startswith("[")
        return None if is_host else ("domain: takes a host alone", f"write domain:{bare}")
    if "://" in argument or argument.startswith("*"):
        return None
    return "it is held against the whole address", f"write domain:{re.split('[/?#:*]', argument)[0]}"
