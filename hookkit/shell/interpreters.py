"""Programs of other languages on the command line, and what well-known programs print."""

import os

from hookkit.shell.ansi import decode
from hookkit.shell.expand import UNKNOWN, Shell

# What makes us ask about a program of another language on the command line.
SCRIPT = (
    "system", "subprocess", "popen", "exec", "spawn", "rmtree", "unlink", "os.remove", "rmdir", "child_process", "eval",
    "__import__", "rmsync", "fs.rm", "shell", "ctypes", "socket", "urlopen", "do shell script", "base64", '| "',
    "os.execute", "deno.remove", "deno.command", "deno.run", "removesync", "promises.rm", ").rm(", "rimraf", "rm_rf",
    "rm_r(", "fileutils.rm", "file.delete", "dir.delete", "remove_tree", "remove_dir", "removedirs", "import remove",
    "import_module", "passthru", "proc_open", "pcntl", "fsockopen", "do script", "bun.$", "%x(", "%x{", "qx(", "qx{",
    "qx/", "drop table", "drop database",
)  # fmt: skip
CODE = (*SCRIPT, "`")
_LUA = (*CODE, ".execute")
SQL = (
    "drop database", "drop schema", "drop table", "truncate", "delete from", "drop owned", "drop keyspace",
    "to program", "from program", "\\!", ".shell ", ".system ",
)  # fmt: skip
MONGO = ("dropdatabase", ".drop(", "deletemany", "remove(")
QUERIES = (SQL, MONGO)
# Where an alarming word is part of something harmless.
HARMLESS = {
    "system": ("platform.system()", "filesystem", "file_system", "file-system", "ecosystem", "systemexit", "systems"),
    "subprocess": ("subprocess.__", "import subprocess;", "import subprocess,", "import subprocess\n"),
    "exec": ("execut",),
    "spawn": ("respawn",),
    "eval": ("literal_eval(", "evaluat", "eval()", "retrieval", "medieval"),
    "shell": ("'shell'", '"shell"', "nutshell"),
    "socket": (
        "import socket;", "import socket,", "import socket\n", "socket.gethost", "socket.getfqdn", "websocket",
        "socket.io", "socket.error", "socket.timeout", "socket.create_connection(('localhost'",
        "socket.create_connection(('127.0.0.1'", 'socket.create_connection(("localhost"',
    ),
    "base64": ("import base64;", "import base64,", "import base64\n", "base64.b64encode", "base64.urlsafe_b64encode"),
    "urlopen": ("urlopen('http://localhost", 'urlopen("http://localhost', "urlopen('http://127.0.0.1"),
}  # fmt: skip
# Interpreters: the options that hand them a program ("1" is the first operand, "2" the second), and what to ask about.
INTERPRETERS = {
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3", "ipython"), ("-c", SCRIPT)),
    **dict.fromkeys((f"python3.{minor}" for minor in range(6, 16)), ("-c", SCRIPT)),
    **dict.fromkeys(("node", "nodejs", "bun", "tsx", "ts-node"), ("-e --eval -p --print", SCRIPT)),
    **dict.fromkeys(("awk", "gawk", "mawk"), ("1", CODE)),
    **dict.fromkeys(("mysql", "mariadb"), ("-e --execute", SQL)),
    **dict.fromkeys(("mongosh", "mongo"), ("--eval", MONGO)),
    **dict.fromkeys(("lua", "luajit"), ("-e", _LUA)),
    **dict.fromkeys(("ruby", "groovy", "julia", "elixir", "Rscript", "R"), ("-e", CODE)),
    "perl": ("-e -E", CODE),
    "deno": ("eval", SCRIPT),
    "php": ("-r", CODE),
    "osascript": ("-e", CODE),
    "tclsh": ("", CODE),
    "expect": ("-c", CODE),
    "psql": ("-c --command", SQL),
    "cqlsh": ("-e --execute", SQL),
    "clickhouse-client": ("-q --query", SQL),
    "sqlite3": ("2", SQL),
}
# Programs that print settings for a shell to take, with the word that makes them: `eval "$(brew shellenv)"`.
SETTINGS = {
    **dict.fromkeys(
        "pyenv rbenv nodenv jenv goenv plenv starship zoxide atuin mcfly oh-my-posh scmpuff".split(),
        ("init", "virtualenv-init"),
    ),
    **dict.fromkeys(
        "kubectl helm gh glab npm pip pip3 poetry rustup deno uv hatch ng hugo docker podman kind k3d flux argocd "
        "doctl just pdm".split(),
        ("completion", "completions", "generate-shell-completion", "--completions"),
    ),
    "minikube": ("completion", "docker-env", "podman-env", "minikube"),
    "brew": ("shellenv",),
    "direnv": ("hook", "export"),
    "mise": ("activate", "completion"),
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
# Variables that hold a command line.
VARIABLES = (
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS",
    "GIT_PROXY_COMMAND", "SSH_ASKPASS", "PAGER", "MANPAGER", "EDITOR", "VISUAL", "KUBE_EDITOR", "LESSOPEN", "RSYNC_RSH",
)  # fmt: skip
# What may be handed a command line beside its own work, by which options: see `told`.
CARRIERS = {
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "tar": ("-I", "-F", "--to-command", "--rsh-command"),
    "zip": ("--unzip-command",),
    "man": ("-P",),
    "git": ("-c", "--config-env"),
    **dict.fromkeys(("ssh", "scp", "sftp"), ("-o",)),
    **dict.fromkeys(("vim", "nvim", "vi"), ("+", "-c", "--cmd")),
    **dict.fromkeys(("sed", "gsed"), ()),
    "env": VARIABLES,
}
# What lists the names of files.
LISTERS = ("ls", "dir", "find", "fd", "git", "locate", "plocate")


def alarms(code: str, words: tuple[str, ...]) -> bool:
    """A word counts unless it is part of a harmless one; rows that a condition picks out are everyday work."""
    code += "\n"
    for word in words:
        if word in code and not (word == "delete from" and " where " in code):
            rest = code
            for phrase in HARMLESS.get(word, ()):
                rest = rest.replace(phrase, " ")
            if word in rest:
                return True
    return False


def handed(words: list[str], options: list[str]) -> list[str]:
    """The programs among an interpreter's words: behind an option, joined to it, or as an operand."""
    operands = [word for word in words[1:] if not word.startswith("-")]
    codes = [operands[int(place) - 1] for place in options if place.isdigit() and int(place) <= len(operands)]
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.partition("=")
        cluster = word[:1] == "-" and word[1:2] != "-" and f"-{word[-1]}" in options
        if (word in options or cluster) and at + 1 < len(words):
            codes.append(words[at + 1])
        elif equals and name in options:
            codes.append(value)
        elif word[:2] in options and len(word) > 2:  # noqa: PLR2004
            codes.append(word[2:])
    return codes


def printed(words: list[str]) -> str | None:
    """What echo and printf print."""
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
        form, arguments = _escapes(rest[0]), rest[1:]
        if form.count("%") == form.count("%s") + form.count("%b"):
            pieces = form.replace("%b", "%s").split("%s")
            if len(pieces) == 1:
                return form
            text = ""
            holes = len(pieces) - 1
            for start in range(0, max(len(arguments), 1), holes):
                given = [*arguments[start : start + holes], *[""] * holes][:holes]
                text += "".join(piece + value for piece, value in zip(pieces, given, strict=False)) + pieces[-1]
            return text
        return UNKNOWN
    return None


def _escapes(text: str) -> str:
    decoded, end = decode(text.replace("'", "\\'") + "'", 0)
    return decoded if end >= 0 else text


def says(words: list[str], shell: Shell) -> str | None:
    """What a program prints, where that is certain: where we are, settings that a shell takes over, a text."""
    here = shell.directory or UNKNOWN
    if words == ["printenv", "HOME"]:
        return f"{shell.home or UNKNOWN}\n"
    if words == ["pwd"] or words[:2] in (["pwd", "-P"], ["pwd", "-L"]):
        return f"{here}\n"
    if words[:3] == ["git", "rev-parse", "--show-toplevel"]:
        return f"{shell.top()}\n"
    if words[:-1] in (["realpath"], ["readlink", "-f"]):
        return f"{os.path.normpath(os.path.join(here, words[-1]))}\n"
    if words[:-1] == ["dirname"]:
        return f"{os.path.dirname(words[-1].rstrip('/')) or '.'}\n"
    return "" if is_settings(words) else printed(words)


def is_settings(words: list[str]) -> bool:
    """A well-known program that prints settings for the shell, and nothing that a stranger chose."""
    path, slash, name = words[0].rpartition("/")
    makes = SETTINGS.get(name)
    operands = [word for word in words[1:] if word[:1] != "-" or word == "--completions"]
    if makes is None or (slash and not f"{path}/".startswith(_TRUSTED)):
        return False
    return operands[0] in makes if makes and operands else not makes and not operands
