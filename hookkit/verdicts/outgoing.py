"""Whether a call sends data out of the machine: by the records of programs, words of code, and MCP servers.

Only a session that has read a secret is asked, so a doubt counts as sending.
"""

import os

from hookkit.errors import HookkitError
from hookkit.model import Event
from hookkit.programs.options import Parsed
from hookkit.programs.sending import is_local
from hookkit.programs.words import behind
from hookkit.shell.follow import SHELLS
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.call import Call
    from hookkit.shell.commands import Command

GIT_TEXTUAL = frozenset("commit log grep show diff tag notes blame add status".split())
GIT_FETCHING = frozenset("clone fetch pull ls-remote submodule archive remote-ext".split())
GIT_PUSHING = frozenset("push send-email request-pull bundle send-pack http-push".split())
# Words of network code in many languages; the text is compared with ' for each ".
CODE = (
    "requests.", "urllib", "http.client", "httplib", "httpx", "aiohttp", "socket", "Socket", "fetch(", "XMLHttpRequest",
    "net.connect", "net.create", "net.Dial", "Net::", "net/http", "smtplib", "ftplib", "imaplib", "telnetlib", "xmlrpc",
    "paramiko", "boto3", "pycurl", "webbrowser", "dns.lookup", "dns.resolve", "open_connection", "require('http",
    "require('net", "require('dns", "require('dgram", "import('http", "from 'http", "axios", "'got'", "node:http",
    "node:net", "node:dns", "LWP", "HTTP::", "open-uri", "curl", "wget ", "/inet/", "/dev/tcp/", "/dev/udp/",
    "fsockopen", "Invoke-WebRequest", "Invoke-RestMethod", "WebClient", "iwr ", "irm ", "netcat ", "nc -", "ssh ",
    "scp ",
)  # fmt: skip
ADDRESSES = ("http://", "https://", "ftp://", "ws://", "wss://")  # in a file they are often in a comment
# MCP servers that work on this machine; every other server may pass on its input.
LOCAL_SERVERS = frozenset(
    "filesystem memory sequential-thinking sequentialthinking sequential_thinking git time sqlite ide serena".split()
)
REMOTE_TOOLS = {"WebSearch": "a search engine", "RemoteTrigger": "another machine", "PushNotification": "your phone"}
# A name of a package is a text that leaves the machine.
INSTALLERS = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("install", "i", "add", "view", "info")),
    **dict.fromkeys(("pip", "pip3", "uv", "poetry", "pipx"), ("install", "download", "add", "search", "index")),
    **dict.fromkeys(("cargo", "gem", "brew", "composer", "conda"), ("install", "add", "search", "require")),
    "go": ("get", "install", "mod"),
}  # fmt: skip
DEVICES = ("/dev/tcp/", "/dev/udp/")
LIMIT = 256 * 1024  # bytes of a script


def target(event: Event, call: "Call") -> str:
    """Where the call sends data, or an empty text."""
    sent = call.sent()
    if sent:
        return sent[0].where.replace("\0", "…") or "another machine"
    name = event.tool_name
    if name in REMOTE_TOOLS:
        return REMOTE_TOOLS[name]
    server = name.split("__")[1] if name.startswith("mcp__") and name.count("__") > 1 else ""
    server = server or (str(event.tool_input.get("server", "")) if name == "ReadMcpResourceTool" else "")
    if server:
        return name if server.lower() not in LOCAL_SERVERS and event.tool_input else ""
    return next((address for command in call.commands if (address := _command(command, call))), "")


def _command(command: "Command", call: "Call") -> str:
    device = next((path for _, path in command.files if path.startswith(DEVICES)), "")
    if device:
        return device
    parsed = call.parsed(command)
    name = parsed.operands[0]
    is_textual = _is_textual(parsed)
    if command.doubt and not is_textual:
        return "a place that hookkit cannot tell"
    if name == "git":
        return _git(parsed)
    if any(record.has("talks") for record in parsed.records):
        return name
    if len(parsed.operands) > 2 and parsed.operands[1] in INSTALLERS.get(name, ()):  # noqa: PLR2004 - a name to look up
        return f"a package source, by {name}"
    talking = [word for record in parsed.records for word in record.words_of("talking")]
    if talking and any(word.partition("=")[0] in talking for word in parsed.words[1:]):
        return f"another machine, by {name}"
    address = "" if is_textual else next((word for word in parsed.words[1:] if _is_address(word)), "")
    return address or (f"the network, by a program in {name}" if _runs_code(name, command, call) else "")


def _is_textual(parsed: Parsed) -> bool:
    """Whether an address among the words is only a text: the record knows every operand, and none of them leaves."""
    record = parsed.record
    return record.has("operands") and not any(record.has(column) for column in ("sends", "language", "carries"))


def _git(parsed: Parsed) -> str:
    action = parsed.operands[1] if len(parsed.operands) > 1 else ""
    operands = parsed.operands[2:]
    rest = [*operands, *(f"{option}={value}" for option, value in parsed.values)]
    rest += [word for word in parsed.words if word[:2] == "--" and "=" in word]
    if action == "lfs":
        action, operands = (operands[0], operands[1:]) if operands else ("", [])
    if action in GIT_PUSHING and operands[:1] not in ([], ["origin"]):
        return f"the remote {operands[0]}"
    if action == "remote" and operands[:1] and operands[0] in ("add", "set-url", "rename"):
        return "another remote"
    if action == "config" and len(operands) > 1 and any(_is_remote_setting(word) for word in operands):
        return "another remote"
    if action in GIT_TEXTUAL:
        return ""
    is_fetching = action in GIT_FETCHING
    return next((word for word in rest if _is_address(word) or (is_fetching and _is_host(word))), "")


def _is_remote_setting(word: str) -> bool:
    return word.lower().startswith(("remote.", "url.", "http.")) or word.lower().endswith(("remote", "proxy"))


def _is_host(word: str) -> bool:
    """`git@host:path`, `--remote=host:path`, `ext::sh`."""
    place = word.partition("=")[2] or word
    head, colon, _ = place.partition(":")
    return bool(colon) and "/" not in head and place[:1] not in ("-", ":", "+")


def _is_address(word: str) -> bool:
    at = word.find("://")
    return (
        at > 0 and not word[:at].endswith("file") and not is_local(word[word.rfind(" ", 0, at) + 1 :].partition(" ")[0])
    )


def _runs_code(name: str, command: "Command", call: "Call") -> bool:
    """Whether a program in the line, or in a file that the line starts, has words of network code."""
    is_language = call.catalogue.interpreter(name).has("language")
    if is_language and _has_code(call.shell.line if call.shell else "", *ADDRESSES):
        return True
    is_script = "/" in command.words[0]
    if not is_language and name not in SHELLS and name not in ("source", ".") and not is_script:
        return False
    modules = behind(command.words, "-m")
    named = [f"{module.replace('.', '/')}{ending}" for module in modules for ending in (".py", "/__main__.py")]
    candidates = [*named, *(command.words if is_script else command.words[1:])]
    scripts = [word for word in candidates if word[:1] != "-" and "\0" not in word]
    return any(_has_code(_text(os.path.join(command.directory or "/", path))) for path in scripts[:4])


def _text(path: str) -> str:
    try:
        return files.read(path, LIMIT).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except (OSError, ValueError, HookkitError):
        return ""


def _has_code(text: str, *more: str) -> bool:
    plain = text.replace('"', "'")
    return any(word in plain for word in (*CODE, *more))
