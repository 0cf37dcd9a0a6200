"""Whether a call sends data out of the machine: tables of programs, sub-commands, words of code, and MCP servers.

Only a session that has read a secret is asked, so a doubt counts as sending.
"""

import os

from hookkit.errors import HookkitError
from hookkit.model import Event
from hookkit.programs.sending import is_local
from hookkit.shell.kinds import LANGUAGES, SHELLS
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.call import Call
    from hookkit.shell.commands import Command

# Programs with no other work than to talk to another machine.
PROGRAMS = frozenset(
    """
    ansible ansible-playbook apprise aria2c autossh aws axel az b2 bzr cadaver chromium chromium-browser cloudflared
    crane croc curlftpfs cvs delv doctl eb elinks fossil firebase firefox fly flyctl gcloud gh glab google-chrome
    grpcurl heroku hg hub httpie kafkacat kcat ldapmodify ldapsearch lftp links localtunnel lt lynx mosh
    mosquitto_pub mtr nats ncftp ncftpput netlify ngrok ntfy oras pulumi resolvectl rsh sentry-cli serveo skopeo
    slackcat sls smbclient snmpset snmptrap socat ssh-copy-id sshfs surge svn telegram-send terraform tracepath
    traceroute transfer twine vercel w3m websocat whois wrangler wscat
    """.split()
)
# Sub-commands and options of other programs that send, or open a door for others to fetch.
SENDING = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("publish", "login", "adduser", "--registry")),
    **dict.fromkeys(("poetry", "hatch", "uv", "cargo", "pdm", "flit", "dart", "mix"), ("publish", "hex.publish")),
    **dict.fromkeys(("docker", "podman", "nerdctl", "buildah"), ("push", "pull", "login", "--push", "-H", "--host")),
    **dict.fromkeys(("pip", "pip3"), ("-i", "--index-url", "--extra-index-url", "--proxy")),
    **dict.fromkeys(("python", "python3"), ("http.server", "twine", "smtpd", "pyftpdlib", "SimpleHTTPServer")),
    **dict.fromkeys(("nc", "ncat", "netcat"), ("-l", "--listen", "-lp", "-lvp", "-lk", "-lvnp", "-nlvp", "-lnvp")),
    **dict.fromkeys(("psql", "mysql", "mariadb", "redis-cli", "mongosh", "mongo"), ("-h", "--host", "--uri")),
    **dict.fromkeys(("npx", "bunx", "pnpx"), ("serve", "http-server", "localtunnel", "surge", "vercel", "netlify")),
    "gem": ("push",),
    "helm": ("push",),
    "jj": ("git",),
    "getent": ("hosts", "ahosts", "ahostsv4", "ahostsv6"),
    "kubectl": (
        "apply",
        "create",
        "cp",
        "exec",
        "run",
        "patch",
        "edit",
        "replace",
        "set",
        "annotate",
        "--server",
        "-s",
    ),
    "logger": ("-n", "--server"),
    "mount": ("nfs", "cifs", "sshfs", "davfs"),
    "openssl": ("s_server",),
    "php": ("-S",),
    "rsync": ("--daemon",),
    "ruby": ("-run",),
    "sqlcmd": ("-S",),
}
# Programs for which an address in a word is only a text.
TEXTUAL = frozenset(
    "echo printf cat grep egrep fgrep rg ag sed awk jq yq head tail sort uniq wc cut tr test [ ls find diff tee touch"
    " mkdir cp mv rm expr true false : export read".split()
)
GIT_TEXTUAL = frozenset("commit log grep show diff tag notes blame add status".split())
GIT_FETCHING = frozenset("clone fetch pull ls-remote submodule archive remote-ext".split())
GIT_PUSHING = frozenset("push send-email request-pull bundle send-pack http-push".split())
GIT_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")
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
REMOTE_TOOLS = {"WebSearch": "a search engine", "RemoteTrigger": "another machine"}
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
    if name == "PowerShell" and _has_code(str(event.tool_input.get("command", "")), *ADDRESSES):
        return "the network"
    return next((found for command in call.commands if (found := _command(command, call))), "")


def _command(command: "Command", call: "Call") -> str:
    name = command.words[0].rpartition("/")[2]
    words = command.words[1:]
    device = next((path for _, path in command.files if path.startswith(DEVICES)), "")
    if device:
        return device
    if command.doubt and name not in TEXTUAL:
        return "a place that hookkit cannot tell"
    if name == "git":
        return _git(words)
    if name in PROGRAMS:
        return name
    if name in SENDING and any(word.partition("=")[0] in SENDING[name] for word in words):
        return f"another machine, by {name}"
    address = next((word for word in words if _is_address(word)), "") if name not in TEXTUAL else ""
    return address or (f"the network, by a program in {name}" if _runs_code(name, command, call) else "")


def _git(words: list[str]) -> str:
    at = 0
    while at < len(words) and words[at][:1] == "-":
        at += 2 if words[at] in GIT_VALUED else 1
    action, rest = (words[at], words[at + 1 :]) if at < len(words) else ("", [])
    operands = [word for word in rest if word[:1] != "-"]
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
    is_language = name in LANGUAGES.split()
    if is_language and _has_code(call.shell.line if call.shell else "", *ADDRESSES):
        return True
    is_script = "/" in command.words[0]
    if not is_language and name not in SHELLS and name not in ("source", ".") and not is_script:
        return False
    candidates = command.words if is_script else command.words[1:]
    scripts = [word for word in candidates if word[:1] != "-" and "\0" not in word]
    return any(_has_code(_text(os.path.join(command.directory or "/", path))) for path in scripts[:2])


def _text(path: str) -> str:
    try:
        return files.read(path, LIMIT).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except (OSError, ValueError, HookkitError):
        return ""


def _has_code(text: str, *more: str) -> bool:
    plain = text.replace('"', "'")
    return any(word in plain for word in (*CODE, *more))
