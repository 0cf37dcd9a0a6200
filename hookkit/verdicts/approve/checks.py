"""Programs whose words are a program of their own: sed, awk, jq, find, git, test, tar and others."""

import os
import re

from hookkit.errors import Spoiled
from hookkit.programs.find import starts
from hookkit.system import files
from hookkit.verdicts.approve.readers import Reading
from hookkit.verdicts.approve.repository import addresses_of, started_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Check = Callable[[Reading], None]

SED_PLAIN = "pPdDqQ=lnNhHgGxFz"  # commands of sed without a file and without a program
SED_TEXT = "aic"  # commands of sed with a text up to the end of its line
SED_FLAGS = "gpiImM0123456789"
AWK_SPOILS = "while func %* system getline | > @ ENVIRON close fflush PROCINFO ARGV SYMTAB".split()
# Loops of awk that end: `for (key in rows)`, `for (i = 1; i <= NF; i++)`.
AWK_LOOP = re.compile(
    r"for\s*\((?:[^;()]*\sin\s[^;()]*"
    r"|\s*(\w+)\s*=[^;=]*;\s*(?:\1\s*<=?\s*[^;=<>]{1,40};\s*(?:\1\s*\+\+|\+\+\1)"
    r"|\1\s*>=?\s*[^;=<>]{1,40};\s*(?:\1\s*--|--\1))\s*)\)"
)
HUGE = re.compile(r"\d{6}|\d[eE]\d")
SETTINGS = ("user.", "branch.", "init.", "pull.", "push.", "merge.", "diff.", "color.", "core.", "commit.", "tag.")
LONGEST_NUMBER = 5  # digits
FINEST = 2  # digits behind the point
FIND_SIGNS = ("(", ")", "!", ",", "{}", ";", "+")
JQ_SPOILS = (
    *"repeat combinations recurse".split(), "def ",
    *"range while until limit env ENV import include input_filename $__prog debug stderr".split(),
)  # fmt: skip


def sed(reading: Reading) -> None:
    scripts = [value for flag, value in reading.values if flag in ("-e", "--expression")] or reading.operands[:1]
    if not scripts:
        raise Spoiled("sed has no script")
    for path in _sed_script("\n".join(scripts)):
        reading.ground.read(path, reading.directory)


def _sed_script(script: str) -> list[str]:
    """The files that the script reads; raises for a command that writes or runs."""
    at = 0
    scripts: list[str] = []
    letters: set[str] = set()
    while at < len(script):
        at = _sed_address(script, at)
        letter = script[at : at + 1]
        letters.add(letter)
        at += 1
        if letter in ("s", "y"):
            at = _sed_pair(script, at)
        elif letter == "r":  # the name of a file goes up to the end of its line
            name, _, script = script[at:].partition("\n")
            scripts.append(name.strip(" \t"))
            at = 0
        elif letter and letter in SED_TEXT:
            while at < len(script) and script[at] != "\n":
                at += 2 if script[at] == "\\" else 1
        elif letter and letter not in SED_PLAIN:
            raise Spoiled(f"the command {letter} of sed is not known to only read")
    if "D" in letters and not letters.isdisjoint("gGsx"):  # `G;D`: D starts over while there is a line to delete
        raise Spoiled("the script of sed may never end")
    return scripts


def _sed_address(script: str, at: int) -> int:
    while at < len(script) and (script[at] in " \t\n;{}!,$~+/\\" or script[at].isdigit()):
        if script[at] in "/\\":
            at = at + 1 if script[at] == "\\" else at
            at = _sed_behind(script, at + 1, script[at : at + 1])
            while script[at : at + 1] in ("I", "M"):
                at += 1
        else:
            at += 1
    return at


def _sed_pair(script: str, at: int) -> int:
    """The place behind `/a/b/flags`; raises for a flag outside SED_FLAGS, like `w` (write) or `e` (execute)."""
    mark = script[at : at + 1]
    at = _sed_behind(script, at + 1, mark)
    at = _sed_behind(script, at, mark, is_pattern=False)
    while at < len(script) and script[at] in SED_FLAGS:
        at += 1
    if at < len(script) and script[at] not in " \t\n;}":
        raise Spoiled("a flag of sed's s command is not known to only read")
    return at


def _sed_behind(script: str, at: int, mark: str, *, is_pattern: bool = True) -> int:
    """The place behind the next mark. Raises for a mark inside brackets, because its meaning is ambiguous."""
    if not mark or mark in "\n\\":
        raise Spoiled("a script of sed cannot be read")
    opened = False
    while at < len(script) and script[at] != mark:
        char = script[at]
        opened = is_pattern and (char == "[" or (opened and char != "]"))
        at += 2 if char == "\\" else 1
    if at >= len(script) or opened:
        raise Spoiled("a script of sed cannot be read")
    return at + 1


def awk(reading: Reading) -> None:
    """Awk can run programs and write files from its text: a text without a way to do so only reads."""
    if not reading.operands:
        raise Spoiled("awk has no program")
    text = reading.operands[0].replace("||", "  ")
    start, printed, end = text.partition("print")
    text = start.replace(">", " ") + printed + end  # only behind print `>` names a file, else it compares
    spoiler = next((word for word in AWK_SPOILS if word in text), "")
    if spoiler:
        raise Spoiled(f"{spoiler} in a program of awk may do more than read")
    if re.search(r"\bfor\s*\(", AWK_LOOP.sub("", text)) or HUGE.search("".join(re.findall(r"[<>=][^;]*;", text))):
        raise Spoiled("a loop of this awk program may never end")
    if any("=" in word for word in reading.operands[1:]):
        raise Spoiled("awk is given a variable among its files")


def jq(reading: Reading) -> None:
    text = reading.operands[0] if reading.operands else ""
    spoiler = next((word for word in JQ_SPOILS if word in text), "")
    if spoiler or not text:
        raise Spoiled(f"{spoiler or 'no program'} of jq may do more than read the files")
    if HUGE.search(text) and ("*" in text or re.search(r"\[\s*\d{6}", text)):
        raise Spoiled("this program of jq may take all memory")


def find(reading: Reading) -> None:
    reading.paths = starts(["find", *reading.words])
    late = [word for word in reading.operands if word not in (*reading.paths, *FIND_SIGNS)]
    if late:
        raise Spoiled(f"{late[0]} stands behind a test of find")


def git(reading: Reading) -> None:
    """Git runs programs named in a repository's settings, so the repository must be the project's own."""
    ground = reading.ground
    here = os.path.realpath(reading.directory or "/")
    if reading.directory is None or not f"{here}/".startswith(f"{ground.project}/"):
        raise Spoiled("git works outside the project")
    while len(here) >= len(ground.project):
        is_inner = here != ground.project and os.path.lexists(os.path.join(here, ".git"))
        if is_inner or os.path.lexists(os.path.join(here, "HEAD")):
            raise Spoiled(f"{here} is a repository inside the project")
        here = os.path.dirname(here)
    above = files.repository(ground.project)
    while len(here) > len(above):  # a bare repository above the project
        if os.path.lexists(os.path.join(here, "HEAD")):
            raise Spoiled(f"{here} is a repository around the project")
        here = os.path.dirname(here)
    started = started_by(above)
    if started:
        raise Spoiled(f"git may start a program of this repository: {started}")
    reading.paths += [value.rpartition(":")[2] for flag, value in reading.values if flag == "-L" and ":" in value]
    if any("stash" in word and "^3" in word for word in reading.operands):
        raise Spoiled("a stash may hold files that git does not track")
    # `HEAD:a.py` is a file of a commit, but `git diff` also reads any file whose name has a colon.
    reading.paths += [word.partition(":")[2] for word in reading.paths if word.partition(":")[2]]


def git_list(reading: Reading) -> None:
    """Without an option to list, a name makes a new branch or tag."""
    git(reading)
    if reading.operands and not {"-l", "--list"} & set(reading.options):
        raise Spoiled("git only lists names with --list")


def git_config(reading: Reading) -> None:
    """A single setting by its name. Other settings may be secrets, like a header with a token."""
    git(reading)
    name = reading.operands[0].lower() if reading.operands else ""
    if not name.startswith(SETTINGS):
        raise Spoiled(f"the setting {name or 'of git'} may be a secret")


def test(reading: Reading) -> None:
    """The shell computes subscripts: a word like `a[$(rm x)]` would run a command."""
    words = reading.words
    if any("$" in word or "`" in word or ("[" in word and word != "[") for word in words) or "-v" in words:
        raise Spoiled("a word of this test may be computed a second time")


def printf(reading: Reading) -> None:
    """Zsh computes a number behind `%d`: `a[$(rm x)]` would run a command. `%n` sets a variable: PATH."""
    if any("$" in word or "`" in word for word in reading.operands):
        raise Spoiled("a word of this printf command may be computed a second time")
    if any(sum(char.isdigit() for char in word) > LONGEST_NUMBER for word in reading.operands[:1]) or "*" in "".join(
        reading.operands[:1]
    ):
        raise Spoiled("printf may print more than anybody reads")
    for conversion in "".join(reading.operands[:1]).replace("%%", "").split("%")[1:]:
        if conversion.lstrip("-+ #0123456789.*'hlLjztq")[:1] == "n":
            raise Spoiled("printf sets a variable")


def tar(reading: Reading) -> None:
    """The archive is a file to look into; `host:file` would be read from another machine."""
    first = reading.words[0] if reading.words else ""
    if first.isalpha() and "f" in first[:-1]:  # without a dash `tfz x` has the same meaning, with a dash another one
        raise Spoiled("the name of tar's archive is not clear")
    archives = [value for flag, value in reading.values if flag in ("-f", "--file")]
    if any(":" in path for path in (*reading.operands, *archives)):
        raise Spoiled("tar reads an archive of another machine")
    reading.paths = archives


def ps(reading: Reading) -> None:
    """`ps e` and `ps -o environ` show the variables of every process."""
    shown = any("env" in value.lower() for _, value in reading.values)
    if shown or any("e" in word or not word.isalnum() for word in reading.operands):
        raise Spoiled("ps may show the variables of programs")


def pager(reading: Reading) -> None:
    if any(word[:1] == "+" for word in reading.operands) or ("--paging", "always") in reading.values:
        raise Spoiled("a pager is told to run a command")


def grep(reading: Reading) -> None:
    """A count of counts, `((a{1,200}){1,200})`, takes all memory."""
    patterns = [*reading.operands[:1], *(value for option, value in reading.values if option in ("-e", "--regexp"))]
    if any(text.count("){") + text.count("\\)\\{") > 1 for text in patterns):
        raise Spoiled("the pattern may take all memory")


def hidden(reading: Reading) -> None:
    """`rg -uu` and `diff -r` also show hidden and ignored files: of the whole project they are too many to know."""
    deep = {"-u", "-r", "-N", "--unrestricted", "--no-ignore", "--hidden", "--recursive", "--new-file"}
    places = reading.paths or ["."]
    if not deep.isdisjoint(reading.options) and any(os.path.normpath(path) in (".", "..") for path in places):
        raise Spoiled("a search through all hidden files may show a secret")


def git_remote(reading: Reading) -> None:
    """The address of a remote may hold a token; without a remote there is nothing to see."""
    git(reading)
    addresses = addresses_of(files.repository(reading.ground.project))
    if not addresses or any("@" in address.partition("://")[2].partition("/")[0] for address in addresses):
        raise Spoiled("the address of a remote may hold a token")


def date(reading: Reading) -> None:
    if any(word[:1] != "+" for word in reading.operands):
        raise Spoiled("date may set the clock")


def ag(reading: Reading) -> None:
    """`ag -A foo file` takes foo for the pattern, because foo is not a number."""
    if any(flag in ("-A", "-B", "-C") and not value.isdigit() for flag, value in reading.values):
        raise Spoiled("a number of lines is missing")


def words(reading: Reading) -> None:
    """`@file` stands for the words in the file."""
    if any(word[:1] == "@" for word in reading.operands):
        raise Spoiled("a file has more words of this command")


def set_(reading: Reading) -> None:
    if any(value not in ("errexit", "nounset", "pipefail", "xtrace") for _, value in reading.values):
        raise Spoiled("a setting of the shell may change the effect of the line")


def rpm(reading: Reading) -> None:
    """`rpm -i` installs; behind `-q` the same letter shows a description."""
    if not reading.words or not reading.words[0].startswith(("-q", "--query")):
        raise Spoiled("rpm only reads with -q in front")


def gh(reading: Reading) -> None:
    """The name or the address of a repository may lead to any machine: `-R host/owner/name`."""
    named = [value for flag, value in reading.values if flag in ("-R", "--repo")]
    if "--hostname" in reading.options:
        raise Spoiled("gh asks a machine other than the usual one")
    if any(name.count("/") != 1 or ":" in name for name in named):
        raise Spoiled("gh asks a machine other than the usual one")
    if any("://" in word and not word.startswith("https://github.com/") for word in reading.operands):
        raise Spoiled("gh asks a machine other than the usual one")


def counts(reading: Reading) -> None:
    """`seq 1 99999999999`, `seq 0 .00001 9`, `sleep inf`: they fill a disk or never end."""
    for word in reading.operands:
        number, _, fraction = word.lstrip("-").partition(".")
        number = number.removesuffix("s") if reading.name == "sleep" else number
        if not (number + fraction).isdigit() or len(number) > LONGEST_NUMBER or len(fraction) > FINEST:
            raise Spoiled(f"{reading.name} would take too long")


def widths(reading: Reading) -> None:
    """`nl -w 999999999`: blanks without an end."""
    if any(value.isdigit() and len(value) > LONGEST_NUMBER for _, value in reading.values):
        raise Spoiled(f"{reading.name} may print more than anybody reads")


def lsof(reading: Reading) -> None:
    if any(word[:2] == "+r" for word in reading.operands):
        raise Spoiled("lsof +r never ends")


def looks(reading: Reading) -> None:
    if not {"-v", "-V"} & set(reading.options):
        raise Spoiled("command runs another program")


CHECKS: "dict[str, Check]" = {
    "sed": sed, "awk": awk, "jq": jq, "find": find, "git": git, "git remote": git_remote, "grep": grep,
    "hidden": hidden, "git list": git_list, "git config": git_config, "test": test, "printf": printf, "date": date,
    "looks": looks, "tar": tar, "ps": ps, "pager": pager, "counts": counts, "ag": ag, "words": words, "set": set_,
    "rpm": rpm, "gh": gh, "widths": widths, "lsof": lsof,
}  # fmt: skip
