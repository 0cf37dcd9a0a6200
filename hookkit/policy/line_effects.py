"""Effects of a line that no record tells: secrets on the screen, a full disk, data for a site that anybody reads.

Packages of a runner that are not installed, too.
"""

import os

from hookkit.errors import HookkitError
from hookkit.programs.sending import host_of
from hookkit.shell.state import UNKNOWN
from hookkit.shell.syntax import VARIABLE
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.policy.call import Call, Verb
    from hookkit.policy.paths import Place
    from hookkit.shell.commands import Command


FOLDERS = ("node_modules/.bin", "node_modules", ".venv/bin", "venv/bin")
MANIFESTS = ("package.json", "pyproject.toml")
AT_HOME = (".local/bin", ".local/share/uv/tools", ".bun/bin")
LIMIT = 256 * 1024  # bytes of a manifest
DEEPEST = 12  # directories above the command's own


def is_installed(package: str, directory: str | None, place: "Place") -> bool:
    """Looks in the directory of the command and above it, up to the project."""
    if any(os.path.lexists(os.path.join(place.home, folder, package)) for folder in AT_HOME if place.home):
        return True
    here = os.path.normpath(directory) if directory and os.path.isabs(directory) else ""
    for _ in range(DEEPEST if here else 0):
        if any(os.path.lexists(os.path.join(here, folder, package)) for folder in FOLDERS):
            return True
        if any(f'"{package}' in _text(os.path.join(here, name)) for name in MANIFESTS):
            return True
        if here in (place.project, "/"):
            return False
        here = os.path.dirname(here)
    return False


def _text(path: str) -> str:
    try:
        return files.read(path, LIMIT).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except (OSError, ValueError, HookkitError):
        return ""


# Endings of the names of variables whose value is a secret.
SECRET = (
    "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "API_KEY", "APIKEY", "SECRET_KEY", "ACCESS_KEY",
    "PRIVATE_KEY", "CREDENTIALS", "_PASS", "_PAT", "AUTH_KEY", "ENCRYPTION_KEY", "SIGNING_KEY", "DATABASE_URL",
)  # fmt: skip
# Programs that print all variables: without an operand, or with one of these options.
PRINTERS = {"env": (), "printenv": (), "export": ("-p",), "declare": ("-p", "-x"), "typeset": ("-p", "-x")}
# Filters behind a secret that still show it, and searches that show it if they look for it.
SHOWING = frozenset(
    "cat base64 base32 head tail sort rev cut tr sed xxd od hexdump tee fold less more column jq".split()
)
SEARCHES = frozenset("grep egrep rg ag awk gawk".split())
HINTS = ("key", "token", "secret", "pass", "pwd", "cred", "auth")
# Code that prints all variables, without blanks.
CODE = (
    "print(os.environ)", "print(dict(os.environ", "pprint(dict(os.environ", "inos.environ.items()",
    "dumps(dict(os.environ", "data=dict(os.environ", "json=dict(os.environ", "data=os.environ", "json=os.environ",
    "params=dict(os.environ", "data=str(os.environ",
    "console.log(process.env)", "stringify(process.env", "inENVIRON", "putsENV.to_h", "pENV", "print_r(getenv())",
    "var_dump($_ENV)", "print_r($_ENV)", "dump(config())",
)  # fmt: skip
# Programs that run what the files of their directory say.
BUILDERS = frozenset(
    "make gmake npm yarn pnpm bun pip pip3 cargo go gradle mvn cmake bash sh python python3 node ruby rake docker just "
    "composer bundle".split()
)
FETCHERS = ("curl", "wget", "aria2c")
UNPACKERS = ("tar", "bsdtar", "unzip", "7z", "gunzip", "unxz", "cpio")
CONTAINERS = ("docker", "podman", "nerdctl")
ENDLESS = ("/dev/zero", "/dev/urandom", "/dev/random", "/dev/full")
POURING = frozenset("cat cp tee tail sort base64 tr xxd od dd pv gzip openssl strings rev".split())
BOUNDS = ("count=", "-c", "-n", "--bytes", "--lines", "-size")
# Sites that collect what anybody sends, or hand it to a chat.
DROPS = (
    "webhook.site", "requestbin.com", "pipedream.net", "requestbin.net", "hookbin.com", "beeceptor.com", "ngrok.io",
    "ngrok-free.app", "ngrok.app", "trycloudflare.com", "loca.lt", "serveo.net", "burpcollaborator.net", "oastify.com",
    "interact.sh", "oast.fun", "oast.me", "oast.pro", "oast.live", "oast.site", "oast.online", "canarytokens.com",
    "dnslog.cn", "ceye.io", "transfer.sh", "file.io", "0x0.st", "termbin.com", "ix.io", "sprunge.us", "paste.rs",
    "pastebin.com", "hastebin.com", "dpaste.com", "dpaste.org", "gofile.io", "anonfiles.com", "catbox.moe", "temp.sh",
    "bashupload.com", "oshi.at", "tmpfiles.org", "litterbox.catbox.moe", "api.telegram.org", "discord.com",
    "discordapp.com", "ntfy.sh", "ptsv3.com", "ptsv2.com", "postb.in", "mockbin.org", "smee.io",
)  # fmt: skip


def effects(call: "Call") -> "Iterator[Verb]":
    for command in call.commands:
        if _shows_secret(command, call):
            yield "Print", "variables", command, ""
        if _fills(command):
            yield "Change", "space", command, ""
        if _shares_home(command, call.place.home):
            yield "Open", "host", command, ""
    yield from _from_elsewhere(call)
    if any(call.may_send(command) for command in call.commands):
        for sent in call.sent():
            if sent.has_body and _is_drop(sent.where):
                yield "Publish", "drop", sent.command, ""


def _from_elsewhere(call: "Call") -> "Iterator[Verb]":
    """`git clone URL && cd x && make`, `git remote add x URL && git push x`: one line, and nobody reads in between."""
    cloned: list[str] = []
    remotes: list[str] = []
    is_fetched = is_unpacked = False
    for command in call.commands:
        operands = call.parsed(command).operands
        is_fetched = is_fetched or operands[0] in FETCHERS
        is_unpacked = is_unpacked or (is_fetched and operands[0] in UNPACKERS)
        if is_unpacked and _is_new(command):
            yield "Run", "address", command, ""
        if operands[:2] == ["git", "clone"] and any("://" in word or "@" in word for word in operands[2:3]):
            goal = (operands[3:4] or [operands[2].rstrip("/").removesuffix(".git").rpartition("/")[2]])[0]
            cloned.append(os.path.normpath(os.path.join(command.directory or "", goal)))
        elif operands[:3] == ["git", "remote", "add"] and len(operands) > 4:  # noqa: PLR2004 - a name and an address
            remotes.append(operands[3])
        elif operands[:2] == ["git", "push"] and operands[2:3] and operands[2] in remotes:
            yield "Publish", "commits", command, ""
        elif cloned and (operands[0] in BUILDERS or "/" in command.words[0]):
            here = os.path.normpath(os.path.join(command.directory or "", *command.words[:1]))
            if any(f"{here}/".startswith(f"{place}/") for place in cloned):
                yield "Run", "address", command, ""


def _is_new(command: "Command") -> bool:
    """Whether the command starts a program by its path, and no such file is there yet."""
    path = command.words[0]
    return "/" in path and UNKNOWN not in path and not os.path.lexists(os.path.join(command.directory or "", path))


def _is_drop(where: str) -> bool:
    host = host_of(where).lower()
    return any(host == drop or host.endswith(f".{drop}") for drop in DROPS)


def _shows_secret(command: "Command", call: "Call") -> bool:
    name = command.words[0].rpartition("/")[2]
    if name in PRINTERS:
        options, rest = PRINTERS[name], [word for word in command.words[1:] if word not in ("-0", "--null")]
        whole = rest == [] if not options else bool(rest) and all(word in options for word in rest)
        named = name == "printenv" and any(word.endswith(SECRET) for word in rest)
        return (whole or named) and _reaches_screen(command, call, named=named)
    if name in ("echo", "printf"):
        return _echoes(command, call) and _reaches_screen(command, call, named=True)
    words = "".join(
        "".join(word.split()) for word in command.words[1:] if "nv" in word or "NV" in word or "config" in word
    )
    return bool(words) and any(code in words for code in CODE)


def _echoes(command: "Command", call: "Call") -> bool:
    """`echo $TOKEN`; not `${#TOKEN}`, `${TOKEN:+set}`, `${TOKEN:0:4}`, nor a variable that the line itself sets."""
    line = call.shell.line if call.shell else ""
    words = command.node.words if command.node is not None else []
    return any(
        part.kind == VARIABLE and part.text.endswith(SECRET) and part.text[:1] != "#" and f"{part.text}=" not in line
        for word in words
        for part in word.parts
    )


def _reaches_screen(command: "Command", call: "Call", *, named: bool) -> bool:
    """Whether the output is shown: no file takes it, and each program behind the pipe hands it on."""
    *above, (pipeline, stage) = command.places or ((0, 0),)
    if any(operator[:1] == ">" or operator[:2] == "1>" for operator, _ in command.files) or (
        above and any(other.places == tuple(above) for other in call.commands)
    ):
        return False  # a file, or a substitution among the words of another command
    for other in call.commands:
        if other.places[:-1] != tuple(above) or not other.places or other.places[-1][0] != pipeline:
            continue
        if other.places[-1][1] > stage and not _hands_on(other, named=named):
            return False
    return True


def _hands_on(command: "Command", *, named: bool) -> bool:
    name = command.words[0].rpartition("/")[2]
    if name in SEARCHES:
        return named or any(hint in word.lower() for word in command.words[1:] for hint in HINTS)
    return name in SHOWING and not any(operator[:1] == ">" for operator, _ in command.files)


def _shares_home(command: "Command", home: str) -> bool:
    """`docker run -v $HOME:/h x`: a container reads and writes everything of the person."""
    if not home or command.words[0].rpartition("/")[2] not in CONTAINERS:
        return False
    starts = (f"{home.rstrip('/')}:", f"{home.rstrip('/')}/:")
    return any(
        word.removeprefix("--volume=").removeprefix("-v").startswith(starts) or f"={home.rstrip('/')}," in f"{word},"
        for word in command.words[1:]
        if home in word
    )


def _fills(command: "Command") -> bool:
    """`cat /dev/zero > big`, `yes > big`, `dd if=/dev/zero of=big`: nothing ends it but a full disk."""
    name, rest = command.words[0].rpartition("/")[2], command.words[1:]
    written = [path for operator, path in command.files if operator[:1] == ">" and not path.startswith("/dev/")]
    if name == "yes":
        return bool(written)
    if name not in POURING or any(word.startswith(BOUNDS) for word in rest):
        return False
    sources = [
        *(path for operator, path in command.files if operator == "<"),
        *(word.removeprefix("if=") for word in rest),
    ]
    own = name in ("cp", "dd", "tee") and any(not word.startswith(("-", "/dev/", "if=", "bs=")) for word in rest)
    return any(path in ENDLESS for path in sources) and (bool(written) or own)
