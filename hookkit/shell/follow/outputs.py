"""The output of well-known programs, and the names of listed files, as globs."""

import os

from hookkit.programs.catalogue import SHIPPED
from hookkit.programs.words import behind
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.expand import is_pattern
from hookkit.shell.scan.expansions import decode
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Context
    from hookkit.shell.resolve import Resolution

NAME = f"./{UNKNOWN}"  # a plain name: no option, no path outside the directory
# Programs that print settings for a shell, with their sub-commands for printing: `eval "$(brew shellenv)"`.
SETTINGS = {
    **dict.fromkeys(
        "pyenv rbenv nodenv jenv goenv plenv starship zoxide atuin mcfly oh-my-posh scmpuff".split(),
        ("init", "virtualenv-init"),
    ),
    **dict.fromkeys(
        "kubectl helm gh glab npm pip pip3 rustup deno uv hatch ng hugo docker podman kind k3d flux argocd "
        "doctl just pdm".split(),
        ("completion", "completions", "generate-shell-completion", "--completions", "completions"),
    ),
    "poetry": ("completions", "env"),
    "minikube": ("completion", "docker-env", "podman-env", "minikube"),
    "brew": ("shellenv",),
    "direnv": ("hook", "export"),
    "mise": ("activate", "completion", "env"),
    "conda": ("shell.bash", "shell.zsh", "shell.posix", "shell.fish"),
    "micromamba": ("shell",),
    "pixi": ("shell-hook", "completion"),
    "docker-machine": ("env",),
    **dict.fromkeys(("fnm", "opam"), ("env",)),
    "luarocks": ("path",),
    "hub": ("alias",),
    **dict.fromkeys("ssh-agent dircolors lesspipe resize keychain fzf thefuck gpg-agent".split(), ()),
}
_TRUSTED = ("/usr/", "/bin/", "/opt/homebrew/", "/home/linuxbrew/")
# Sub-commands of git with names of commits, branches or files as output.
GIT_NAMES = ("rev-parse", "rev-list", "log", "branch", "describe", "merge-base", "symbolic-ref", "tag", "ls-files",
             "diff", "show", "hash-object", "ls-tree", "write-tree", "commit-tree", "stash", "diff-tree")  # fmt: skip
# Programs that print a number, a date, a name of the system: output unlike an option or a path outside the project.
TAME = frozenset(
    "date nproc uname hostname whoami id arch basename wc seq mktemp uuidgen tput expr bc jobs pgrep pidof lsof "
    "getconf logname tty stat du df which sha256sum sha1sum md5sum cksum nvm python-config pkg-config".split()
)
EVERY = {
    **dict.fromkeys(("ps", "container ls", "container ps", "container list"), "every-container"),
    **dict.fromkeys(("images", "image ls", "image list"), "every-image"),
    **dict.fromkeys(("volume ls", "volume list"), "every-volume"),
}
FINDERS = ("pgrep", "pidof", "lsof", "fuser")  # print the numbers of processes
LOOKUPS = ("which", "command", "type")  # print the path of a program
PASSES = ("cat", "tee", "sort", "uniq", "nl", "tac")  # print the lines of their input
SOME = ("grep", "egrep", "fgrep", "head", "tail", "cut", "shuf", "rg")  # print some of them, or a part of each


def printed_by(line: "Resolution", words: list[str], context: "Context") -> str:
    """The output of a command; UNKNOWN if the output is known only after a run."""
    name = words[0].rpartition("/")[2]
    if name in ("echo", "printf"):
        return printed(words) or ""
    if name in PASSES or name in SOME:
        return _filtered(line, name, words, context)
    shell = context.shell
    here = shell.directory or UNKNOWN
    operands = [word for word in words[1:] if word[:1] != "-"]
    if name == "pwd":
        return f"{here}\n"
    if name == "git":
        return _git(words, operands, context)
    if name in ("ls", "dir", "locate", "plocate"):
        return _listed(name, words, operands, context)
    if name in ("realpath", "readlink") and operands:
        return f"{os.path.normpath(os.path.join(here, operands[-1]))}\n"
    if name == "dirname" and operands:
        return f"{os.path.dirname(operands[-1].rstrip('/')) or '.'}\n"
    if name == "basename" and operands and UNKNOWN not in operands[0]:
        return f"{operands[0].rstrip('/').rpartition('/')[2].removesuffix(operands[1] if len(operands) > 1 else '')}\n"
    if name in LOOKUPS and operands and UNKNOWN not in operands[-1] and "/" not in operands[-1]:
        return f"/{UNKNOWN}/bin/{operands[-1]}\n"
    return _other(name, words, operands, shell.home)


def _other(name: str, words: list[str], operands: list[str], home: str) -> str:
    if name == "printenv" and operands == ["HOME"]:
        return f"{home or UNKNOWN}\n"
    if name in ("docker", "podman", "nerdctl"):
        return _containers(words, operands)
    if name == "mktemp":
        return f"{_temporary(words)}\n"
    if name in FINDERS and any("hook" in word for word in operands):
        return "every-hookkit\n"
    if name in TAME:
        return f"{NAME}\n"
    return "" if is_settings(words) else UNKNOWN


def _containers(words: list[str], operands: list[str]) -> str:
    """`docker ps -q` prints every container; with a filter, some of them."""
    what = EVERY.get(" ".join(operands[:2])) or EVERY.get(operands[0] if operands else "")
    quiet = any(word == "--quiet" or (word[:1] == "-" and word[1:2] != "-" and "q" in word) for word in words)
    some = any(word[:2] in ("-f", "-n", "-l") or word.startswith(("--filter", "--last", "--latest")) for word in words)
    return f"{what}\n" if what and quiet and not some else UNKNOWN


def _temporary(words: list[str]) -> str:
    """Mktemp makes a name in a directory for temporary files, or beside its template."""
    into = (behind(words, "-p", "--tmpdir") or ["/tmp"])[0]  # noqa: S108 - where mktemp puts it
    template = words[-1] if words[-1][:1] != "-" and "X" in words[-1] else ""
    if "/" in template:
        return template.replace("X", "") + UNKNOWN
    return f"{into}/{UNKNOWN}"


def _git(words: list[str], operands: list[str], context: "Context") -> str:
    if operands[:1] == ["rev-parse"] and "--show-toplevel" in words:
        return f"{context.shell.top()}\n"
    if operands[:1] == ["ls-files"]:
        gone = "-d" in words or "--deleted" in words
        return f"{NAME}\n" if gone else "".join(f"{path}\n" for path in operands[1:] or ["*"])
    return f"{NAME}\n" if operands and operands[0] in GIT_NAMES else UNKNOWN


def _listed(name: str, words: list[str], operands: list[str], context: "Context") -> str:
    """The output of ls; the content of a directory is `*`."""
    if name in ("locate", "plocate"):
        return f"/{UNKNOWN}\n"
    plain = "-d" in words or not any((word[:1] == "-" and "A" in word) or word == "-a" for word in words)
    paths = []
    for path in operands:
        inside = "-d" not in words and context.shell.is_directory(os.path.join(context.shell.directory or "/", path))
        listed = "-d" in words or is_pattern(path)
        paths += ["*"] if inside else [path] if listed else ["*", path]
    return "".join(f"{path}\n" for path in paths or (["*"] if plain else ["*", UNKNOWN]))


def _filtered(line: "Resolution", name: str, words: list[str], context: "Context") -> str:
    """cat, head, grep: files made by the line, files on disk, or stdin."""
    operands = [word for word in words[1:] if word[:1] != "-" or word == "-"]
    texts = name in ("grep", "egrep", "fgrep", "rg")
    if texts:
        operands = operands[1:]
        if any(word.startswith("-") and ("l" in word or "L" in word) and word[:2] != "--" for word in words[1:]):
            return _inside(operands)
    if name in ("head", "tail", "cut"):
        operands = [word for word in operands if not word.lstrip("+").isdigit() and name != "cut"]
    contents = [line.made.text(path, context) for path in operands] if operands else [context.stdin or ""]
    text = "".join(contents)
    if text == FILE_TEXT and name in ("tac", "shuf", "nl", "cut"):
        return UNKNOWN  # another text than the file's
    if name in PASSES:
        return text if name != "tee" else context.stdin or ""
    return text if text == FILE_TEXT else _narrowed(text)


def _inside(places: list[str]) -> str:
    """Names of files somewhere below these places."""
    return "".join(f"{place.rstrip('/')}/{UNKNOWN}\n" for place in places or ["."])


def _narrowed(text: str) -> str:
    """Some of the lines: for names, the same directories with unknown names in them."""
    lines = []
    for name in dict.fromkeys(text.split("\n")[:64]):
        if name.startswith(NAME):
            lines.append(NAME)
        elif name:
            lines.append(_somewhere(name))
    return "".join(f"{name}\n" for name in lines)


def _somewhere(name: str) -> str:
    """An unknown name in the directory of a path; names printed by ls are in the current directory."""
    if "/" in name and " " not in name:
        return f"{name.rpartition('/')[0]}/{UNKNOWN}"
    return NAME if name == "*" else UNKNOWN


def is_settings(words: list[str]) -> bool:
    """Whether a well-known program prints settings for the shell, without text from outside."""
    path, slash, name = words[0].rpartition("/")
    makes = SETTINGS.get(name)
    operands = [word for word in words[1:] if word[:1] != "-" or word == "--completions"]
    if not slash and operands[:1] and operands[0] in ("completion", "completions") and not SHIPPED.deletes(name):
        return True  # a script for the shell's completion, by any program on the path
    if makes is None or (slash and not f"{path}/".startswith(_TRUSTED)):
        return False
    return operands[0] in makes if makes and operands else not makes and not operands


def printed(words: list[str]) -> str | None:
    """The output of echo and printf."""
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name == "echo":
        options = ""
        while rest and len(rest[0]) > 1 and rest[0][0] == "-" and all(char in "neE" for char in rest[0][1:]):
            options += rest.pop(0)
        text = " ".join(rest)
        if "e" in options and "\\" in text:
            text = _escapes(text)
        return text + ("" if "n" in options else "\n")
    if name == "printf" and rest:
        rest = rest[1:] if rest[0] == "--" else rest
        return _formatted(rest[0], rest[1:]) if rest else ""
    return None


def _formatted(form: str, arguments: list[str]) -> str:
    """`%s` and `%b` take an argument each; printf reuses the format for the remaining arguments."""
    form = _escapes(form).replace("%%", "\1")
    if form.count("%") != form.count("%s") + form.count("%b"):
        return UNKNOWN
    pieces = form.replace("%b", "%s").split("%s")
    holes = len(pieces) - 1
    if not holes:
        return form.replace("\1", "%")
    if (len(arguments) // holes + 1) * len(form) > 100_000:  # noqa: PLR2004 - far beyond any sensible output
        return UNKNOWN
    if "%b" in form:
        arguments = [_escapes(argument.replace("\\0", "\\")) for argument in arguments]  # `\0162` is `\162`
    text = []
    for start in range(0, max(len(arguments), 1), holes):
        given = [*arguments[start : start + holes], *[""] * holes][:holes]
        text.append("".join(piece + value for piece, value in zip(pieces, given, strict=False)) + pieces[-1])
    return "".join(text).replace("\1", "%")


def _escapes(text: str) -> str:
    decoded, end = decode(text.replace("'", "\\'") + "'", 0)
    return decoded if end >= 0 else text
