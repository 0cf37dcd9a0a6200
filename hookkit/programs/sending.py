"""Data that a command sends out of the machine: the files, the texts and the goal. The column `sends` names the way.

Packages that a runner would fetch, too.
"""

from hookkit.programs.catalogue import Catalogue
from hookkit.programs.options import Parsed
from hookkit.programs.words import UNKNOWN, behind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


LOCAL = ("localhost", "127.0.0.1", "::1", "[::1]", "0.0.0.0", "host.docker.internal")  # noqa: S104 - compared, not bound
STDIN = ("-", ".", "/dev/stdin")


class Parcel:
    """Data sent by a command: files by name, stdin, or texts among the words."""

    __slots__ = ("files", "stdin", "texts", "where")

    def __init__(self, where: str, files: "list[str] | None" = None, *, stdin: bool = False) -> None:
        self.where = where
        self.files = files or []
        self.stdin = stdin
        self.texts: list[str] = []  # words sent unchanged: a body, an address


def host_of(address: str) -> str:
    """The host of a URL, `user@host:path` or `host:port`."""
    host = address.partition("://")[2] or address
    for end in "/?#\\":
        host = host.partition(end)[0]
    host = host.rpartition("@")[2]
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def is_local(where: str) -> bool:
    host = host_of(where).lower()
    loops = host.startswith("127.") and host.replace(".", "").isdigit()
    return host in LOCAL or loops or host.endswith((".localhost", ".local"))


def _remote(path: str) -> str:
    """The host of `host:path` and of `scheme://host/path`; a slash before the colon is a local path."""
    if "://" in path:
        return "" if path.startswith("file://") else host_of(path)
    host, colon, _ = path.partition(":")
    return host.rpartition("@")[2] if colon and host and "/" not in host else ""


# -- rows of programs --------------------------------------------------------------------------------


def _curl(parsed: Parsed) -> Parcel:
    urls = [*parsed.operands[1:], *(value for flag, value in parsed.values if flag == "--url")]
    sent = Parcel(urls[0] if urls else UNKNOWN)
    sent.texts = list(urls)
    for flag, value in parsed.values:
        if flag in ("-d", "--data-ascii", "--data-binary", "--json", "--data-urlencode", "-H", "--url-query"):
            name, at, path = value.partition("@")
            if at and (not name or (flag in ("--data-urlencode", "--url-query") and "=" not in name)):
                sent.files.append(path)
            elif flag != "-H":
                sent.texts.append(value)
        elif flag in ("-F", "--form"):
            content = value.partition("=")[2]
            if content[:1] in ("@", "<"):
                sent.files += [path.partition(";")[0].strip('"') for path in content[1:].split(",")]
            else:
                sent.texts.append(value)
        elif flag == "-T":
            sent.files += value.strip("{}").split(",")
        elif flag in ("--data-raw", "--form-string"):
            sent.texts.append(value)
        elif flag in ("-b", "--cookie") and "=" not in value:
            sent.files.append(value)
    return _taking_stdin(sent)


def _wget(parsed: Parsed) -> Parcel:
    urls = parsed.operands[1:]
    sent = Parcel(urls[0] if urls else UNKNOWN)
    sent.texts = list(urls)
    for flag, value in parsed.values:
        if flag in ("--post-file", "--body-file"):
            sent.files.append(value)
        elif flag in ("--post-data", "--body-data"):
            sent.texts.append(value)
    return _taking_stdin(sent)


def _httpie(parsed: Parsed) -> Parcel:
    """`http POST host field@file field=@file field=text < body`."""
    words = [word for word in parsed.operands[1:] if not word.isupper()]
    sent = Parcel(words[0] if words else UNKNOWN, stdin=True)
    for word in words[1:]:
        name, at, path = word.partition("@")
        if at and (not name or name.rstrip(":=").isidentifier()):
            sent.files.append(path)
        else:
            sent.texts.append(word)
    sent.texts += words[:1]
    return sent


def _copying(parsed: Parsed) -> "Parcel | None":
    """Of scp and rsync the last operand is the goal."""
    *sources, goal = parsed.operands[1:] or [""]
    return Parcel(_remote(goal), sources) if _remote(goal) else None


def _objects(parsed: Parsed) -> "Parcel | None":
    """`aws s3 cp file s3://bucket`, `rclone copy file remote:`: the goal is the last operand with a colon."""
    operands = [word for word in parsed.operands[1:] if word not in ("s3", "storage", "blob")]
    places = [at for at, word in enumerate(operands) if ":" in word and word[:1] not in "./~"]
    if not places or operands[:1] == ["ls"]:
        return None
    goal = places[-1]
    return Parcel(operands[goal], operands[1:goal], stdin="-" in operands) if goal > 1 or "-" in operands else None


def _to_bucket(parsed: Parsed) -> Parcel:
    """`s3cmd put file s3://bucket`, `mc cp file host/bucket`."""
    return Parcel(parsed.operands[-1], parsed.operands[2:-1])


def _operands(parsed: Parsed) -> "Parcel | None":
    """Every operand is a file for a page or a service: `gh gist create file`."""
    skipped = 1 + sum(word in NAMED for word in parsed.operands[1:4])
    files = parsed.operands[skipped:] + [value for flag, value in parsed.values if flag in ("-f", "--file", "-i", "-p")]
    return Parcel(" ".join(parsed.operands[: min(skipped, 2)]), files, stdin=not files or "-" in files)


def _stream(parsed: Parsed) -> "Parcel | None":
    """nc, telnet, ssh: stdin goes to the host."""
    listens = not {"-l", "--listen", "-z"}.isdisjoint(parsed.flags)
    hosts = [word for word in parsed.operands[1:] if not word.isdigit()]
    return Parcel(hosts[0], stdin=True) if hosts and not listens else None


def _socat(parsed: Parsed) -> "Parcel | None":
    """Two addresses: a file or stdin, and a host."""
    heads = [(word, word.partition(":")[0].upper(), word.partition(":")[2]) for word in parsed.operands[1:]]
    goals = [rest for _, head, rest in heads if head.rstrip("46") in ("TCP", "UDP", "OPENSSL", "TCP-CONNECT", "SSL")]
    files = [rest.partition(",")[0] for _, head, rest in heads if head in ("FILE", "OPEN", "GOPEN")]
    files += [word for word, head, rest in heads if not rest and "/" in word]
    return (
        Parcel(goals[0], files, stdin=any(word in ("-", "STDIN", "STDIO") for word, _, _ in heads)) if goals else None
    )


def _client(parsed: Parsed) -> "Parcel | None":
    """`openssl s_client -connect host:port`."""
    if "s_client" not in parsed.operands:
        return None
    given = behind(parsed.words, "-connect")
    return Parcel(given[0] if given else UNKNOWN, stdin=True)


def _mail(parsed: Parsed) -> Parcel:
    files = [value for flag, value in parsed.values if flag in ("-a", "-A", "--attach", "-i")]
    given = behind(parsed.words, "-a", "-A", "--attach")
    goals = [word for word in parsed.operands[1:] if "@" in word]
    return Parcel(goals[0] if goals else "mail", [*files, *given], stdin=True)


def _lookup(parsed: Parsed) -> "Parcel | None":
    """Looking up a name tells the name to the name server of its domain."""
    names = [word for word in parsed.operands[1:] if "." in word or UNKNOWN in word]
    if not names:
        return None
    sent = Parcel(names[-1])
    sent.texts = names
    return sent


def _packing(parsed: Parsed) -> "Parcel | None":
    """`tar -cf host:archive files` writes to another machine."""
    goals = [value for flag, value in parsed.values if flag == "-f" and _remote(value)]
    if not goals or "--force-local" in parsed.flags or "-x" in parsed.flags or "-t" in parsed.flags:
        return None
    return Parcel(_remote(goals[0]), parsed.operands[1:])


def _to_pod(parsed: Parsed) -> "Parcel | None":
    """`kubectl cp file pod:path`."""
    *sources, goal = parsed.operands[2:] or [""]
    return Parcel(goal, sources) if ":" in goal else None


def _request(parsed: Parsed) -> Parcel:
    """`Invoke-WebRequest -Uri address -Body text -InFile file`; the pipeline is the body."""
    values = {option: [value for given, value in parsed.values if given == option] for option, _ in parsed.values}
    address = [*values.get("-Uri", ()), *values.get("-SmtpServer", ()), *values.get("-Destination", ())]
    sent = Parcel(address[0] if address else UNKNOWN, [*values.get("-InFile", ()), *values.get("-Attachments", ())])
    sent.stdin = True
    sent.texts = [*values.get("-Uri", ()), *values.get("-Body", ()), *values.get("-Form", ())]
    return sent


def _taking_stdin(sent: Parcel) -> Parcel:
    sent.stdin = any(path in STDIN for path in sent.files)
    sent.files = [path for path in sent.files if path not in STDIN]
    return sent


# Words of a sub-command in front of the files.
NAMED = frozenset("gist snippet create release upload send put secret set share -".split())
WAYS: "dict[str, Callable[[Parsed], Parcel | None]]" = {
    "curl": _curl,
    "wget": _wget,
    "httpie": _httpie,
    "copying": _copying,
    "objects": _objects,
    "to_bucket": _to_bucket,
    "operands": _operands,
    "stream": _stream,
    "socat": _socat,
    "client": _client,
    "mail": _mail,
    "lookup": _lookup,
    "packing": _packing,
    "to_pod": _to_pod,
    "request": _request,
}


def way_of(parsed: Parsed) -> str:
    """The way of sending of a program or of its sub-command, or an empty text."""
    return next((way for record in parsed.records if (way := record.text("sends"))), "")


def parcel(parsed: Parsed) -> "Parcel | None":
    """Data sent by this command to another machine; None if the command sends no data."""
    way = way_of(parsed)
    sent = WAYS[way](parsed) if way else None
    return None if sent is None or is_local(sent.where) else sent


# -- packages that a runner such as npx or uvx would fetch and run ---------------------------------


NAMING_PACKAGE = (
    "-p",
    "--package",
    "--from",
    "--spec",
)  # options with the package, where the operand is only its program
LOCAL_NAMES = (".", "/", "~")


def fetched_package(parsed: Parsed, catalogue: Catalogue) -> str:
    """The package that the command fetches, without its version; empty for a vouched, a local or a computed one."""
    record = next((record for record in reversed(parsed.records) if record.has("fetches")), None)
    if record is None:
        return ""
    named = [value for option, value in parsed.outer().values if option in NAMING_PACKAGE]
    names = named or parsed.operands[len(parsed.records) :][:1]
    vouched = catalogue.get(record.text("fetches")).words_of("vouched")
    return next((bare for name in names if (bare := _bare(name)) and not _is_vouched(bare, vouched)), "")


def _bare(name: str) -> str:
    """`@scope/tool@1.2` is `@scope/tool`, `tool[extra]==2` is `tool`; an address or a path is no package."""
    if UNKNOWN in name or ":" in name or name.startswith(LOCAL_NAMES):
        return ""
    scope, slash, rest = name.partition("/") if name[:1] == "@" else ("", "", name)
    for mark in "@[=<>!~":
        rest = rest.partition(mark)[0]
    return f"{scope}{slash}{rest}"


def _is_vouched(name: str, vouched: list[str]) -> bool:
    return name in vouched or (name[:1] == "@" and f"{name.partition('/')[0]}/*" in vouched)
