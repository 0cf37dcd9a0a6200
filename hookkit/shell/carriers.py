"""Command lines that a program is handed beside its work: `git -c core.pager=…`, `ssh -o ProxyCommand=…`, `e` of sed.

Loaded late: only for programs that can be told such a thing.
"""

from hookkit.shell.expand import UNKNOWN
from hookkit.shell.interpreters import CARRIERS, VARIABLES
from hookkit.shell.programs import sort_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Act, Step
    from hookkit.shell.following import Following

_GIT = frozenset(
    "core.sshcommand core.pager core.editor core.askpass core.fsmonitor core.gitproxy sequence.editor diff.external "
    "uploadpack.packobjectshook interactive.difffilter".split()
)
_GIT_ENDS = (".textconv", ".command", ".cmd", ".driver", ".clean", ".smudge", ".process", ".program", ".uploadpack",
             ".receivepack")  # fmt: skip
_SSH = ("proxycommand", "localcommand", "knownhostscommand")
# What people set these to, and of that what does no more than it says.
PLAIN = frozenset(
    "ssh less more most cat true false : echo delta bat diff-so-fancy head tail git-lfs gpg gpg2 gzip pigz zstd xz lz4 "
    "bzip2 rsync".split()
)
USUAL = PLAIN.union("vim vi nvim nano emacs code subl sed meld vimdiff git".split())


def follow(line: "Following", text: str, act: "Act", step: "Step", name: str) -> None:
    """Judge the command line too; few people mean to do that, so what is not usual is a doubt."""
    if is_plain(text):
        return
    line.code(text, act, step, name)
    if not act.doubt and not is_usual(text):
        act.doubt = f"{name} is told to run another command"


def carried(words: list[str]) -> list[str]:
    """Command lines that a program is handed beside its own work; UNKNOWN for one that nobody can read."""
    name = words[0].rpartition("/")[2]
    if name == "env":
        pairs = [word.partition("=") for word in words[1:]]
        return [value for key, _, value in pairs if key in VARIABLES]
    if name in ("vim", "nvim", "vi"):
        told = [word for at, word in enumerate(words[1:]) if word[:1] == "+" or words[at] in ("-c", "--cmd")]
        return [text.partition("!")[2] for text in told]
    shape = sort_words(words)
    if name in ("sed", "gsed"):
        scripts = [value for flag, value in shape.values if flag in ("-e", "--expression")]
        first = [word for word in shape.operands[1:3] if word][:1]
        return [text for script in scripts or first for text in sed_told(script)]
    values = [value for flag, value in shape.values if flag in CARRIERS[name]]
    if name == "git":
        return [text for value in values for text in _git_told(value)]
    if name in ("ssh", "scp", "sftp"):
        return [
            text[len(key) + 1 :] for text in values for key in _SSH if text.lower().startswith((f"{key}=", f"{key} "))
        ]
    return values


def is_usual(text: str) -> bool:
    words = text.split()
    return not words or words[0].rpartition("/")[2] in USUAL


def is_plain(text: str) -> bool:
    """A usual command that cannot do more than it says."""
    words = text.split()
    usual = not words or words[0].rpartition("/")[2] in (PLAIN if len(words) > 1 else USUAL)
    return usual and not any(char in text for char in ";|&`$<>(!\n") and "command" not in text.lower()


def _git_told(setting: str) -> list[str]:
    """Settings that git runs, whatever the case of their names."""
    key, _, value = setting.partition("=")
    key = key.lower()
    if key == "core.hookspath":
        return [UNKNOWN]
    if key.startswith("alias.") or key.endswith(".helper"):
        return [value[1:]] if value[:1] == "!" else []
    return [value] if key in _GIT or key.startswith("pager.") or key.endswith(_GIT_ENDS) else []


# Commands of sed that take what follows, and where that ends.
_TO_THE_END = {**dict.fromkeys("eaicrwRW#", "\n"), **dict.fromkeys("btT:", ";\n")}


def sed_told(script: str) -> list[str]:
    """What `e` runs, and whatever `s///e` makes."""
    found: list[str] = []
    at = 0
    while at < len(script):
        at = _behind_address(script, at)
        letter = script[at : at + 1]
        start = at = at + 1
        if letter in ("s", "y"):
            at, flags = _behind_substitution(script, at)
            found += [UNKNOWN] if letter == "s" and "e" in flags else []
        elif letter in _TO_THE_END:
            while at < len(script) and script[at] not in _TO_THE_END[letter]:
                at += 1
            found += [script[start:at].strip() or UNKNOWN] if letter == "e" else []
    return found


def _behind_address(script: str, at: int) -> int:
    """Numbers, patterns and what stands around them."""
    while at < len(script):
        char = script[at]
        if char == "/" or (char == "\\" and at + 1 < len(script)):
            start = at + 1 if char == "/" else at + 2
            at = _behind(script, start, script[start - 1])
            while script[at : at + 1] in ("I", "M"):
                at += 1
        elif char in " \t\n;{}!,$~+" or char.isdigit():
            at += 1
        else:
            break
    return at


def _behind_substitution(script: str, at: int) -> tuple[int, str]:
    """The place behind `/a/b/flags`, and the flags."""
    mark = script[at : at + 1]
    start = end = _behind(script, _behind(script, at + 1, mark), mark, sets=False)
    while end < len(script) and script[end] in "gpiImMe0123456789":
        end += 1
    return end, script[start:end]


def _behind(script: str, at: int, mark: str, *, sets: bool = True) -> int:
    """The place behind the next mark that is neither escaped nor in a set."""
    inside = False
    while at < len(script):
        char = script[at]
        if char == "\\":
            at += 1
        elif inside:
            inside = char != "]" or script[at - 1] in "[^"
        elif char == mark:
            return at + 1
        elif char == "[" and sets:
            inside = True
        at += 1
    return at
