"""Names of files that only a running program knows: those that it lists, and those in a program of another language.

Loaded late: for pipelines that begin with a listing, and for code on the command line.
"""

from hookkit.shell.effects import GONE, found_by
from hookkit.shell.expand import UNKNOWN
from hookkit.shell.interpreters import LISTERS
from hookkit.shell.syntax import COMMAND, PROCESS, Compound, Simple, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Step
    from hookkit.shell.outputs import Outputs

# What hands on all names that come in, and what hands on some.
PASSES = ("cat", "tee", "sort", "uniq")
SOME = ("grep", "egrep", "head", "tail", "sed", "awk", "cut", "tr", "shuf")
# Words of programs that work with files, and of those that delete whole trees.
OPENS = ("open", "read", "write", "file", "path", "getline", "copy", "unlink", "remove", "print >", "print>", "cp(")
WRITES = ("write", "'w", '"w', "'a", '"a', "'x", '"x', "'r+", '"r+', ">", "unlink", "remove", "rename", "rm", "dump(",
          "copy", "mkdir", "touch", "chmod", "truncate", "replace(", "symlink", "delete")  # fmt: skip
TREES = ("rmtree(", "rmsync(", "rmdirsync(", "rm_rf(", "rm_rf ", "rm_r(", "remove_tree(", "removesync(", "deno.remove(",
         "rimraf(", "fs.rm(", ").rm(", "promises.rm(", "removedirs(")  # fmt: skip
LONGEST = 200  # characters of a path that stands in a program
MOST = 64  # paths of a program that are looked at


def printed_by(
    line: "Outputs", command: "Simple | Compound", before: list[str] | None, step: "Step"
) -> list[str] | None:
    """The names that a stage of a pipeline prints, as patterns; `before` are those that come in."""
    if not isinstance(command, Simple) or not command.words:
        return None
    first = command.words[0].text
    if first in LISTERS:
        expander = line.expander(step)
        return listed([field for word in command.words for field in expander.fields(word)])
    if before and first in PASSES:
        return before
    return narrowed(before) if before and first in SOME else None


def substituted(line: "Outputs", word: Word, step: "Step") -> list[str] | None:
    """The names that `$(ls)` or `<(ls)` stands for."""
    scripts = [script for part in word.parts if part.kind in (COMMAND, PROCESS) for script in part.scripts]
    if len(word.parts) != 1 or len(scripts) != 1 or len(scripts[0].items) != 1:
        return None
    names: list[str] | None = None
    for command in scripts[0].items[0][0].commands:
        names = printed_by(line, command, names, step)
    return names


def listed(words: list[str]) -> list[str] | None:
    """The names that a program lists, as patterns of the shell; None where it lists none."""
    name = words[0].rpartition("/")[2]
    operands = [word for word in words[1:] if word[:1] != "-"]
    if name == "find":
        acts = any(word.startswith(("-exec", "-ok", "-delete")) for word in words)
        return None if acts else found_by(words, UNKNOWN)
    if name == "git":
        gone = "-d" in words or "--deleted" in words
        return (operands[1:] or ["*"]) if operands[:1] == ["ls-files"] and not gone else None
    if name in ("locate", "plocate"):
        return [f"/{UNKNOWN}"]
    if name == "fd":
        return [f"{start.rstrip('/')}/{UNKNOWN if operands else '*'}" for start in operands[1:] or ["."]]
    return [path if "-d" in words or any(char in path for char in "*?[") else "*" for path in operands] or ["*"]


def narrowed(names: list[str]) -> list[str]:
    """Some of the names: in the same directories, but nobody knows which."""
    return [f"{name.rpartition('/')[0]}/{UNKNOWN}" if "/" in name else UNKNOWN for name in names]


def touched(code: str, home: str) -> list[tuple[str, str]]:
    """What the program seems to read, and trees that it deletes: where that stands in quotes in it."""
    lower = code.lower()
    at_home = home if "home" in lower or "expand" in lower else ""
    found: list[tuple[str, str]] = []
    if any(word in lower for word in OPENS):
        every = not _writes(lower)
        texts = [text for text in _quoted(code) if every or text.startswith((".", "~")) or "/." in text]
        found += [("<", path) for text in texts[:MOST] for path in _places(text, home, at_home)]
    for word in TREES:
        at = lower.find(word)
        while at >= 0 and len(found) < 4 * MOST:
            at += len(word)
            first = _quoted(code[at : at + LONGEST].partition(";")[0])[:1]
            found += [(GONE, path) for text in first for path in _places(text, home, "")]
            at = lower.find(word, at)
    return found


def written(code: str) -> str:
    """Of a program that may change files the texts that may be their names: nobody can tell which are."""
    lower = code.lower()
    if not _writes(lower) or not any(word in lower for word in OPENS):
        return ""
    return "open " + " ".join('"{}"'.format(text.replace('"', "")) for text in _quoted(code))


def _writes(code: str) -> bool:
    return any(word in code for word in WRITES)


def _quoted(code: str) -> list[str]:
    texts = dict.fromkeys(text for quote in "\"'`" for text in code.split(quote)[1::2])
    return [text for text in texts if 0 < len(text) <= LONGEST and "\n" not in text]


def _places(text: str, home: str, at_home: str) -> list[str]:
    """`~/x`, `$ENV{HOME}/x`, and `x` in a program that speaks of a home."""
    text = text.rpartition("}")[2]
    if text == "~" or text.startswith("~/"):
        return [home + text[1:]] if home else []
    return [path for path in (text, f"{at_home}/{text.lstrip('/')}" if at_home else "") if path]
