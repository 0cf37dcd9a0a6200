"""What the shell does itself: builtins that move, set and run, and the programs that run others on what they find."""

import os

from hookkit.errors import ShellError
from hookkit.shell.effects import DELETERS, DOWNLOADERS, EMPTY, GONE, TOP, UNSET, found_by, is_top, saved, whole
from hookkit.shell.expand import UNKNOWN, Expander, Shell
from hookkit.shell.interpreters import VARIABLES
from hookkit.shell.programs import Shape, sort_words
from hookkit.shell.syntax import ARRAY, NAME, Part, Word, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Act, Step
    from hookkit.shell.following import Following

EXECUTES = ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch")


FETCHERS = (*DOWNLOADERS, "scp", "rsync", "aws", "gsutil")
# What moves a whole tree away or opens it to everybody, and with which option: a home is as good as deleted then.
TREES = {"mv": "", **dict.fromkeys(("chmod", "chown", "chgrp", "chattr", "setfacl"), "-R")}


class Expansion(Expander):
    """Tells a variable that the line never sets, which may be empty, from one whose value nobody knows."""

    def variable(self, part: Part) -> list[str]:
        found = super().variable(part)
        text, variables = part.text, self.shell.variables
        if found != [UNKNOWN] or part.scripts:
            return found
        if is_name(text):
            return found if text in variables else [UNSET]
        end = next((at for at, char in enumerate(text) if char not in NAME), len(text))
        known, rest = variables.get(text[:end], [])[:1], text[end:]
        if known and (rest[:2] == ":?" or rest in ("%/", "%%/")):
            return [known[0].removesuffix("/")]
        return [known[0].rpartition("/")[0]] if known and rest == "%/*" else found


def assign(line: "Following", word: Word, step: "Step", expander: Expander) -> None:
    """`name=value`, `name=(…)`, `name+=value`."""
    name, value = assigned(word, expander)
    array = next((part for part in word.parts if part.kind == ARRAY), None)
    values = [value]
    if array is not None:
        values = [field for element in array.words for field in expander.fields(element)]
    variables = step.shell.variables
    if name.endswith("+"):
        name = name[:-1]
        before = variables.get(name, [UNKNOWN])
        values = [*before, *values] if array is not None else [before[0] + values[0]] if before else values
    variables[name.partition("[")[0]] = values


def assigned(word: Word, expander: Expander) -> tuple[str, str]:
    name, _, value = word.parts[0].text.partition("=")
    rest = expander.text(Word(0, 0, word.parts[1:], plain=False)) if len(word.parts) > 1 else ""
    return name, expander.tilde(value, word.parts) + rest


def declare(line: "Following", act: "Act", step: "Step") -> None:
    by_name = any(word.startswith("-") and "n" in word for word in act.words[1:])
    for word in act.words[1:]:
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            step.shell.variables[name] = [UNKNOWN if by_name else value]
            if name in VARIABLES:
                line.told([value], act, step, name)


def alias(line: "Following", act: "Act", _: "Step") -> None:
    """Aliases hold in a script only if it asks for them; then nobody follows them."""
    if "expand_aliases" in line.line:
        line.aliases.update(word.partition("=")[0] for word in act.words[1:] if "=" in word)


def set_(line: "Following", act: "Act", step: "Step") -> None:
    if "--" in act.words:
        step.shell.positional = act.words[act.words.index("--") + 1 :]


def read(line: "Following", act: "Act", step: "Step") -> None:
    for name in act.words[1:]:
        if name.isidentifier():
            first = step.stdin.split("\n")[0] if step.stdin is not None else ""
            step.shell.variables[name] = [first] if step.stdin is not None else (line.incoming(step) or [UNKNOWN])[:1]


def cd(line: "Following", act: "Act", step: "Step") -> None:
    operands = [word for word in act.words[1:] if word not in ("-P", "-L", "-e", "--")]
    go(operands[0] if operands else step.shell.home, step.shell)


def pushd(line: "Following", act: "Act", step: "Step") -> None:
    step.shell.stack = (*step.shell.stack, step.shell.directory)
    cd(line, act, step)


def popd(line: "Following", _: "Act", step: "Step") -> None:
    stack = step.shell.stack
    step.shell.directory = stack[-1] if stack else None
    step.shell.stack = stack[:-1]


def go(goal: str, shell: Shell) -> None:
    here = shell.directory
    known = here is not None and goal and goal != "-" and UNKNOWN not in goal
    shell.directory = os.path.normpath(os.path.join(here or "/", goal)) if known else None
    shell.variables["PWD"] = [shell.directory or (UNSET if goal.startswith(UNSET) else UNKNOWN)]


def eval_(line: "Following", act: "Act", step: "Step") -> None:
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


def trap(line: "Following", act: "Act", step: "Step") -> None:
    words = [word for word in act.words[1:] if word != "--"]
    if len(words) > 1 and words[0] not in ("-", "", "-p", "-l"):
        line.code(words[0], act, step, "trap")


def source(line: "Following", act: "Act", step: "Step") -> None:
    if len(act.words) > 1 and act.words[1].startswith("/dev/fd/"):
        line.from_command(act, step, "source")
    elif act.words[1:2] == ["/dev/stdin"]:
        line.fed(act, step, "source")
    elif len(act.words) > 1:
        line.made_here(act, act.words[1], step, "source")


def xargs(line: "Following", act: "Act", step: "Step") -> None:
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
    names = (line.incoming(step) if step.stdin is None else None) or [UNKNOWN]
    if hole:
        rest = [word.replace(hole, names[0] if given is None else given.strip()) for word in rest]
    elif given is not None:
        rest += [given.rstrip("\n")] if "-0" in words[:at] or "--null" in words[:at] else given.split()
    else:
        rest += names
    inner = step.inside("xargs")
    inner.stdin = None
    line.run(rest, inner)


def find(line: "Following", act: "Act", step: "Step") -> None:
    """What it runs on each file; the name that it looks for stands in for the files that it finds."""
    words = act.words
    found = found_by(words)
    at = 1
    while at < len(words):
        if words[at] in EXECUTES:
            ends = [end for end in (";", "+") if end in words[at:]]
            end = min((words.index(stop, at) for stop in ends), default=len(words))
            inner = [text for word in words[at + 1 : end] for text in _filled(word, found)]
            if inner:
                line.run(inner, step.inside(f"{words[0]} {words[at]}"))
            at = end
        at += 1


def _filled(word: str, found: list[str]) -> list[str]:
    return found if word == "{}" else [word.replace("{}", found[0])]


def parallel(line: "Following", act: "Act", step: "Step") -> None:
    words = act.words[1:]
    end = min((words.index(mark) for mark in (":::", "::::", ":::+") if mark in words), default=len(words))
    rest = words[:end]
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("-j", "--jobs", "-n", "-N", "-S", "--joblog", "-a") else rest[1:]
    if rest:
        name = (line.incoming(step) or [UNKNOWN])[0]
        line.code(
            " ".join([*rest, *([] if "{}" in " ".join(rest) else [name])]).replace("{}", name), act, step, "parallel"
        )
    elif words[end:]:
        for text in words[end + 1 :]:
            line.code(text, act, step, "parallel")
    elif step.stdin is not None:
        line.fed(act, step, "parallel")


def keeps(line: "Following", act: "Act", name: str, step: "Step") -> None:
    """Files that a program makes under another name, and trees that it takes away."""
    words = act.words
    if name == "tee":
        for path in words[1:]:
            line.write(path, UNKNOWN if step.stdin is None else step.stdin, step)
    elif name in ("cp", "ln", "mv", "install") and len(words) > 2:  # noqa: PLR2004
        line.write(words[-1], UNKNOWN, step)
    elif name in FETCHERS:
        for path in saved(sort_words(words)):
            line.fetched.add(line.write(path, UNKNOWN, step))
    if name in TREES:
        act.files += [(GONE, path) for path in _trees(name, sort_words(words), step)]
    elif name in DELETERS:
        act.files += [(GONE, path) for path in _risks(words, step)]


def _risks(words: list[str], step: "Step") -> list[str]:
    """What is deleted if a variable is empty, where a computed `cd` did not lead, or right below the root."""
    here = step.shell.directory
    found = []
    for word in words[1:]:
        if UNSET in word and word[0] != "/":
            rest = word.replace(UNSET, "")
            found += [rest] if word[0] != UNKNOWN else [EMPTY] if is_top(rest) else []
        if here is None and step.shell.variables["PWD"] == [UNSET] and whole(word) == ".":
            found.append(EMPTY)
        elif here is not None and UNKNOWN in word and _is_high(here, step):
            found.append(f"{here}/$")
    return found


def _trees(name: str, shape: Shape, step: "Step") -> list[str]:
    """Of what is moved away or opened to all: the root, what is in it, the home; moved, also what we stand in."""
    operands = shape.operands[1:]
    if TREES[name] and TREES[name] not in shape.flags:
        return []
    if name == "mv" and "-t" not in shape.flags:
        operands = operands[:-1]
    here = step.shell.directory or UNKNOWN
    found = []
    for path in operands:
        place = os.path.normpath(os.path.join(here, whole(path)))
        around = name == "mv" and (f"{here}/".startswith(f"{place}/") or place.endswith("/.git"))
        found += [path] if around or _is_high(place, step) else []
    return found


def _is_high(place: str, step: "Step") -> bool:
    """The root, what is directly in it, the home."""
    return place in ("/", "//", step.shell.home) or (place.count("/") == 1 and place[1:] in TOP)


def makefile(line: "Following", act: "Act", step: "Step") -> None:
    """`make -f <(command)`, `command | make -f -`, `make --eval text`: command lines that stand in no file."""
    if any(word.startswith("--eval") for word in act.words):
        act.doubt = "what make is told may run anything"
    for flag, path in sort_words(act.words).values:
        if flag != "-f" or not path.startswith(("/dev/", "-")):
            continue
        text = step.made if path.startswith("/dev/fd/") else step.stdin
        if text is None or UNKNOWN in text:
            act.doubt = "what make reads is made by another command"
            return
        for recipe in text.split("\n"):
            if recipe.startswith("\t"):
                line.code(recipe.lstrip("\t@-+ "), act, step, "make")


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
