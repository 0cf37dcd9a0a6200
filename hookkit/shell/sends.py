"""Commands that send data out of the machine: the files, the texts, and the target host. A row per program.

`parcel` reads the words of a single command; `flows` follows the data through a whole line.
"""

from hookkit.shell.kinds import NETWORK
from hookkit.shell.programs import Shape, sort_words
from hookkit.shell.state import UNKNOWN

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


def _curl(shape: Shape) -> Parcel:
    urls = [*shape.operands[1:], *(value for flag, value in shape.values if flag == "--url")]
    found = Parcel(urls[0] if urls else UNKNOWN)
    found.texts = list(urls)
    for flag, value in shape.values:
        if flag in ("-d", "--data-ascii", "--data-binary", "--json", "--data-urlencode", "-H", "--url-query"):
            name, at, path = value.partition("@")
            if at and (not name or (flag in ("--data-urlencode", "--url-query") and "=" not in name)):
                found.files.append(path)
            elif flag != "-H":
                found.texts.append(value)
        elif flag in ("-F", "--form"):
            content = value.partition("=")[2]
            if content[:1] in ("@", "<"):
                found.files += [path.partition(";")[0].strip('"') for path in content[1:].split(",")]
            else:
                found.texts.append(value)
        elif flag == "-T":
            found.files += value.strip("{}").split(",")
        elif flag in ("--data-raw", "--form-string"):
            found.texts.append(value)
        elif flag in ("-b", "--cookie") and "=" not in value:
            found.files.append(value)
    return _taking_stdin(found)


def _wget(shape: Shape) -> Parcel:
    urls = shape.operands[1:]
    found = Parcel(urls[0] if urls else UNKNOWN)
    found.texts = list(urls)
    for flag, value in shape.values:
        if flag in ("--post-file", "--body-file"):
            found.files.append(value)
        elif flag in ("--post-data", "--body-data"):
            found.texts.append(value)
    return _taking_stdin(found)


def _httpie(shape: Shape) -> Parcel:
    """`http POST host field@file field=@file field=text < body`."""
    words = [word for word in shape.operands[1:] if not word.isupper()]
    found = Parcel(words[0] if words else UNKNOWN, stdin=True)
    for word in words[1:]:
        name, at, path = word.partition("@")
        if at and (not name or name.rstrip(":=").isidentifier()):
            found.files.append(path)
        else:
            found.texts.append(word)
    found.texts += words[:1]
    return found


def _copying(shape: Shape) -> "Parcel | None":
    """Of scp and rsync the last operand is the goal."""
    *sources, goal = shape.operands[1:] or [""]
    return Parcel(_remote(goal), sources) if _remote(goal) else None


def _objects(shape: Shape) -> "Parcel | None":
    """`aws s3 cp file s3://bucket`, `rclone copy file remote:`: the goal is the last operand with a colon."""
    operands = [word for word in shape.operands[1:] if word not in ("s3", "storage", "blob")]
    places = [at for at, word in enumerate(operands) if ":" in word and word[:1] not in "./~"]
    if not places or operands[:1] == ["ls"]:
        return None
    goal = places[-1]
    return Parcel(operands[goal], operands[1:goal], stdin="-" in operands) if goal > 1 or "-" in operands else None


def _to_bucket(shape: Shape) -> Parcel:
    """`s3cmd put file s3://bucket`, `mc cp file host/bucket`."""
    return Parcel(shape.operands[-1], shape.operands[2:-1])


def _operands(shape: Shape) -> "Parcel | None":
    """Every operand is a file for a page or a service: `gh gist create file`."""
    skipped = 1 + sum(word in NAMED for word in shape.operands[1:4])
    files = shape.operands[skipped:] + [value for flag, value in shape.values if flag in ("-f", "--file", "-i", "-p")]
    return Parcel(" ".join(shape.operands[: min(skipped, 2)]), files, stdin=not files or "-" in files)


def _stream(shape: Shape) -> "Parcel | None":
    """nc, telnet, ssh: stdin goes to the host."""
    listens = not {"-l", "--listen", "-z"}.isdisjoint(shape.flags)
    hosts = [word for word in shape.operands[1:] if not word.isdigit()]
    return Parcel(hosts[0], stdin=True) if hosts and not listens else None


def _socat(shape: Shape) -> "Parcel | None":
    """Two addresses: a file or stdin, and a host."""
    heads = [(word, word.partition(":")[0].upper(), word.partition(":")[2]) for word in shape.operands[1:]]
    goals = [rest for _, head, rest in heads if head.rstrip("46") in ("TCP", "UDP", "OPENSSL", "TCP-CONNECT", "SSL")]
    files = [rest.partition(",")[0] for _, head, rest in heads if head in ("FILE", "OPEN", "GOPEN")]
    files += [word for word, head, rest in heads if not rest and "/" in word]
    return (
        Parcel(goals[0], files, stdin=any(word in ("-", "STDIN", "STDIO") for word, _, _ in heads)) if goals else None
    )


def _client(shape: Shape) -> "Parcel | None":
    """`openssl s_client -connect host:port`."""
    if "s_client" not in shape.operands:
        return None
    given = [shape.words[at + 1] for at, word in enumerate(shape.words[:-1]) if word == "-connect"]
    return Parcel(given[0] if given else UNKNOWN, stdin=True)


def _mail(shape: Shape) -> Parcel:
    files = [value for flag, value in shape.values if flag in ("-a", "-A", "--attach", "-i")]
    given = [shape.words[at + 1] for at, word in enumerate(shape.words[:-1]) if word in ("-a", "-A", "--attach")]
    goals = [word for word in shape.operands[1:] if "@" in word]
    return Parcel(goals[0] if goals else "mail", [*files, *given], stdin=True)


def _lookup(shape: Shape) -> "Parcel | None":
    """Looking up a name tells the name to the name server of its domain."""
    names = [word for word in shape.operands[1:] if "." in word or UNKNOWN in word]
    if not names:
        return None
    found = Parcel(names[-1])
    found.texts = names
    return found


def _packing(shape: Shape) -> "Parcel | None":
    """`tar -cf host:archive files` writes to another machine."""
    goals = [value for flag, value in shape.values if flag == "-f" and _remote(value)]
    if not goals or "--force-local" in shape.flags or "-x" in shape.flags or "-t" in shape.flags:
        return None
    return Parcel(_remote(goals[0]), shape.operands[1:])


def _to_pod(shape: Shape) -> "Parcel | None":
    """`kubectl cp file pod:path`."""
    *sources, goal = shape.operands[2:] or [""]
    return Parcel(goal, sources) if ":" in goal else None


def _taking_stdin(found: Parcel) -> Parcel:
    found.stdin = any(path in STDIN for path in found.files)
    found.files = [path for path in found.files if path not in STDIN]
    return found


# Words of a sub-command in front of the files.
NAMED = frozenset("gist snippet create release upload send put secret set share -".split())
SENDERS: "dict[str, Callable[[Shape], Parcel | None]]" = {
    **dict.fromkeys(("curl", "curlie"), _curl),
    "wget": _wget,
    **dict.fromkeys(("http", "https", "xh", "xhs"), _httpie),
    **dict.fromkeys(("scp", "rsync", "rcp", "pscp", "lsyncd"), _copying),
    **dict.fromkeys(("aws", "gsutil", "rclone", "azcopy", "gcloud storage", "gcloud compute"), _objects),
    **dict.fromkeys(("s3cmd put", "s3cmd sync", "mc cp", "mc mirror", "b2 upload-file"), _to_bucket),
    **dict.fromkeys(("gh gist", "glab snippet", "gh release", "gh secret", "pastebinit"), _operands),
    **dict.fromkeys(("croc send", "wormhole send", "ffsend upload"), _operands),
    **dict.fromkeys(("nc", "ncat", "netcat", "telnet", "ssh", "sftp", "ftp", "tftp"), _stream),
    "socat": _socat,
    "openssl": _client,
    **dict.fromkeys(("mail", "mailx", "mutt", "sendmail", "msmtp", "swaks"), _mail),
    **dict.fromkeys(("dig", "nslookup", "host", "drill", "ping", "ping6"), _lookup),
    "tar": _packing,
    "kubectl cp": _to_pod,
}


def parcel(words: list[str]) -> "Parcel | None":
    """Data sent by this command to another machine; None if the command sends no data."""
    name = words[0].rpartition("/")[2]
    if name not in NETWORK:
        return None
    shape = sort_words(words)
    row = SENDERS.get(name) or SENDERS.get(" ".join(shape.operands[:2]))
    found = row(shape) if row is not None else None
    return None if found is None or is_local(found.where) else found
