"""What the shell does itself: builtins that move, set and run, and the programs that run others on what they find."""

import os

from hookkit.errors import ShellError
from hookkit.policy.expand import UNKNOWN, Expander, Shell
from hookkit.policy.syntax import ARRAY, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.acts import Act, Step
    from hookkit.policy.resolve import Resolution

EXECUTES = ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch")


def assign(line: "Resolution", word: Word, step: "Step", expander: Expander) -> None:
    """`name=value`, `name=(…)`, `name+=value`."""
    head = word.parts[0].text
    name, _, value = head.partition("=")
    array = next((part for part in word.parts if part.kind == ARRAY), None)
    if array is not None:
        values = [field for element in array.words for field in expander.fields(element)]
    else:
        rest = expander.text(Word(0, 0, word.parts[1:], plain=False)) if len(word.parts) > 1 else ""
        values = [expander.tilde(value, word.parts) + rest]
    variables = step.shell.variables
    if name.endswith("+"):
        name = name[:-1]
        before = variables.get(name, [UNKNOWN])
        values = [*before, *values] if array is not None else [before[0] + values[0]] if before else values
    variables[name.partition("[")[0]] = values


def declare(line: "Resolution", act: "Act", step: "Step") -> None:
    by_name = any(word.startswith("-") and "n" in word for word in act.words[1:])
    for word in act.words[1:]:
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            step.shell.variables[name] = [UNKNOWN if by_name else value]


def alias(line: "Resolution", act: "Act", _: "Step") -> None:
    """Aliases hold in a script only if it asks for them; then nobody follows them."""
    if "expand_aliases" in line.line:
        line.aliases.update(word.partition("=")[0] for word in act.words[1:] if "=" in word)


def set_(line: "Resolution", act: "Act", step: "Step") -> None:
    if "--" in act.words:
        step.shell.positional = act.words[act.words.index("--") + 1 :]


def read(line: "Resolution", act: "Act", step: "Step") -> None:
    for name in act.words[1:]:
        if name.isidentifier():
            step.shell.variables[name] = [UNKNOWN if step.stdin is None else step.stdin.split("\n")[0]]


def cd(line: "Resolution", act: "Act", step: "Step") -> None:
    operands = [word for word in act.words[1:] if word not in ("-P", "-L", "-e", "--")]
    go(line, operands[0] if operands else step.shell.home, step.shell)


def pushd(line: "Resolution", act: "Act", step: "Step") -> None:
    step.shell.stack = (*step.shell.stack, step.shell.directory)
    cd(line, act, step)


def popd(line: "Resolution", _: "Act", step: "Step") -> None:
    stack = step.shell.stack
    step.shell.directory = stack[-1] if stack else None
    step.shell.stack = stack[:-1]


def go(line: "Resolution", goal: str, shell: Shell) -> None:
    here = shell.directory
    known = here is not None and goal and goal != "-" and UNKNOWN not in goal
    shell.directory = os.path.normpath(os.path.join(here or "/", goal)) if known else None
    shell.variables["PWD"] = [shell.directory or UNKNOWN]


def eval_(line: "Resolution", act: "Act", step: "Step") -> None:
    inner = step.inside("eval")
    inner.depth = step.depth + 1
    text = " ".join(act.words[2:] if act.words[1:2] == ["--"] else act.words[1:])
    if UNKNOWN in text:
        act.doubt = "what eval runs is computed"
    elif text:
        try:
            line.script(line.read(text), inner)
        except ShellError as error:
            act.doubt = f"what eval runs cannot be read: {error}"


def trap(line: "Resolution", act: "Act", step: "Step") -> None:
    words = [word for word in act.words[1:] if word != "--"]
    if len(words) > 1 and words[0] not in ("-", "", "-p", "-l"):
        line.code(words[0], act, step, "trap")


def source(line: "Resolution", act: "Act", step: "Step") -> None:
    if len(act.words) > 1 and act.words[1].startswith("/dev/fd/"):
        line.from_command(act, step, "source")
    elif act.words[1:2] == ["/dev/stdin"]:
        line.fed(act, step, "source")
    elif len(act.words) > 1:
        line.made_here(act, act.words[1], step, "source")


def xargs(line: "Resolution", act: "Act", step: "Step") -> None:
    words = act.words
    valued = ("-I", "-i", "-n", "-P", "-L", "-s", "-d", "-E", "-a", "--arg-file", "--delimiter", "--max-args",
              "--max-procs", "--replace", "--max-lines", "--max-chars")  # fmt: skip
    at, hole = 1, ""
    while at < len(words) and words[at].startswith("-"):
        option = words[at]
        if option.startswith(("-I", "--replace")):
            hole = option.partition("=")[2] if option[1] == "-" else option[2:]
            hole = hole or (words[at + 1] if at + 1 < len(words) and option == "-I" else "{}")
        at += 2 if option in valued and option not in ("-i", "--replace") else 1
    rest = words[at:]
    if not rest:
        return
    given = step.stdin if step.stdin is not None and UNKNOWN not in step.stdin else None
    if hole:
        rest = [word.replace(hole, UNKNOWN if given is None else given.strip()) for word in rest]
    elif given is not None:
        rest += [given.rstrip("\n")] if "-0" in words[:at] or "--null" in words[:at] else given.split()
    else:
        rest.append(UNKNOWN)
    inner = step.inside("xargs")
    inner.stdin = None
    line.run(rest, inner)


def find(line: "Resolution", act: "Act", step: "Step") -> None:
    """What it runs on each file; the name that it looks for stands in for the files that it finds."""
    words = act.words
    names = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-name", "-iname", "-path")]
    start = words[1] if len(words) > 1 and not words[1].startswith("-") else "."
    found = f"{start}/{names[0] if names else '*'}"
    at = 1
    while at < len(words):
        if words[at] in EXECUTES:
            ends = [end for end in (";", "+") if end in words[at:]]
            end = min((words.index(stop, at) for stop in ends), default=len(words))
            inner = [word.replace("{}", found) for word in words[at + 1 : end]]
            if inner:
                line.run(inner, step.inside(f"{words[0]} {words[at]}"))
            at = end
        at += 1


def parallel(line: "Resolution", act: "Act", step: "Step") -> None:
    words = act.words[1:]
    end = min((words.index(mark) for mark in (":::", "::::", ":::+") if mark in words), default=len(words))
    rest = words[:end]
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("-j", "--jobs", "-n", "-N", "-S", "--joblog", "-a") else rest[1:]
    if rest:
        line.code(" ".join([*rest, UNKNOWN]).replace("{}", UNKNOWN), act, step, "parallel")
    elif words[end:]:
        for text in words[end + 1 :]:
            line.code(text, act, step, "parallel")
    elif step.stdin is not None:
        line.fed(act, step, "parallel")


BUILTINS = {
    "cd": cd,
    "pushd": pushd,
    "popd": popd,
    "export": declare,
    "declare": declare,
    "typeset": declare,
    "local": declare,
    "readonly": declare,
    "alias": alias,
    "set": set_,
    "read": read,
    "eval": eval_,
    "trap": trap,
    "source": source,
    ".": source,
    "xargs": xargs,
    "find": find,
    "fd": find,
    "parallel": parallel,
}
