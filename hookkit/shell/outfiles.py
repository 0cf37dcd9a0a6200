"""Files touched by programs that name them in ways of their own: output options, archives, volumes, copies."""

from hookkit.shell.effects import DELETE, READ, WRITE, whole
from hookkit.shell.programs import Shape
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.effects import Touch

# Options with a file that the program writes.
OUT = {
    **dict.fromkeys(("go", "rustc", "pandoc", "strace", "ltrace", "uudecode", "iconv", "tidy"), ("-o", "--output")),
    **dict.fromkeys(("gpg", "gpg2", "age", "sops", "xmllint"), ("-o", "--output")),
    **dict.fromkeys(("terraform", "tofu"), ("-out", "-state-out")),
    "tcpdump": ("-w",),
    "nmap": ("-oN", "-oX", "-oG", "-oA", "-oS"),
    "csplit": ("-f", "--prefix"),
    "npm": ("--userconfig",),
    "yq": (),
}
FROM = {"kubectl": ("--from-file", "--from-env-file"), "docker": ("--env-file",)}


def touched(words: list[str], shape: Shape) -> "list[Touch]":
    """The files of a program in MORE."""
    name = shape.operands[0]
    found = _by_options(words, OUT.get(name, ()), WRITE)
    return found + OWN[name](words, shape) if name in OWN else found


def _by_options(words: list[str], options: tuple[str, ...], kind: str) -> "list[Touch]":
    found: list[Touch] = []
    for at, word in enumerate(words[1:], 1):
        option, equals, value = word.partition("=")
        if option in options:
            found += [(kind, value if equals else words[at + 1])] if equals or at + 1 < len(words) else []
        else:
            found += [(kind, word[2:]) for each in options if len(each) == 2 and word.startswith(each)]  # noqa: PLR2004
    return [(each, path) for each, path in found if path and path != "-"]


def _cmake(words: list[str], _: Shape) -> "list[Touch]":
    if words[1:2] != ["-E"] or words[2:3] not in (["rm"], ["remove"], ["remove_directory"], ["rename"]):
        return []
    return [(kind, path) for path in words[3:] if path[:1] != "-" for kind in (DELETE, WRITE)]


def _gio(words: list[str], _: Shape) -> "list[Touch]":
    paths = [path for path in words[2:] if path[:1] != "-"]
    return [(kind, path) for path in paths for kind in (DELETE, WRITE)] if words[1:2] in (["trash"], ["remove"]) else []


def _unpack(words: list[str], shape: Shape) -> "list[Touch]":
    """`unzip x.zip member -d there`, `tar xf x member -C there`: members are written, or any file in the directory."""
    tar = shape.operands[0] != "unzip"
    archive: list[Touch] = [] if tar else [(READ, path) for path in shape.operands[1:2]]
    if tar and "-c" in shape.flags:
        there = [path for _, path in _by_options(words, ("-C", "--directory"), READ)]
        return [(READ, f"{there[-1].rstrip('/')}/{path}") for path in shape.operands[1:] if there and path[:1] != "/"]
    if (tar and "-x" not in shape.flags) or {"-l", "-p", "-t", "-v", "-O", "--to-stdout"} & shape.flags:
        return archive
    into = _by_options(words, ("-C", "--directory") if tar else ("-d",), WRITE)
    base = f"{into[-1][1].rstrip('/')}/" if into else ""
    own = [path for _, path in into]
    members = [word for word in shape.operands[1 if tar else 2 :] if word not in own]
    named = [(WRITE, base + member) for member in members[:50]]
    return archive + (named or [(WRITE, f"{base or './'}{UNKNOWN}")] * bool(into))


def _copies(_: list[str], shape: Shape) -> "list[Touch]":
    """`docker cp box:/x here`: the local sides are read or written."""
    at = {"scp": 1, "sftp": 1}.get(shape.operands[0], 3 if shape.operands[:2] == ["aws", "s3"] else 2)
    if shape.operands[0] not in ("scp", "sftp") and "cp" not in shape.operands[1:3]:
        return []
    *sources, goal = shape.operands[at:] or [""]
    remote = any(":" in path for path in sources)
    if not remote and ":" not in goal:
        return []
    return [(WRITE, goal)] * remote + [(READ, path) for path in sources if ":" not in path]


def _box(words: list[str], shape: Shape) -> "list[Touch]":
    """Containers and clusters: copies, mounted directories, files handed over."""
    found = _copies(words, shape) + _by_options(words, FROM.get(shape.operands[0], ()), READ)
    found = [(kind, path.rpartition("=")[2] if kind == READ else path) for kind, path in found]
    for at, word in enumerate(words[:-1]):
        option, equals, value = word.partition("=")
        value = value if equals else words[at + 1]
        if option in ("-v", "--volume") and value[:1] in ("/", "~", "."):
            found += [(READ, value.partition(":")[0])]
        elif option in ("--mount", "--secret"):
            pairs = [pair.partition("=") for pair in value.split(",")]
            found += [(READ, path) for key, _, path in pairs if key in ("src", "source")]
    return [(kind, path) for kind, path in found if whole(path) not in (".", "/")]


def _getent(words: list[str], _: Shape) -> "list[Touch]":
    return [(READ, "/etc/shadow")] if words[1:2] == ["shadow"] else []


def _last(_: list[str], shape: Shape) -> "list[Touch]":
    return [(WRITE, path) for path in shape.operands[2:][-1:]]


def _in_place(words: list[str], shape: Shape) -> "list[Touch]":
    changes = any(word == "-i" or word.startswith("--inplace") for word in words)
    return [(WRITE, path) for path in shape.operands[2:]] if changes else []


def _prefix(_: list[str], shape: Shape) -> "list[Touch]":
    """`split file prefix` writes prefixaa, prefixab…"""
    return [(WRITE, f"{path}aa") for path in shape.operands[2:3]]


def _awk(words: list[str], shape: Shape) -> "list[Touch]":
    changes = any(pair == ["-i", "inplace"] for pair in (words[at : at + 2] for at in range(len(words))))
    return [(WRITE, path) for path in shape.operands[2:]] if changes else []


def _dd(words: list[str], _: Shape) -> "list[Touch]":
    kinds = {"of=": WRITE, "if=": READ}
    return [(kinds[word[:3]], word[3:]) for word in words if word[:3] in kinds]


OWN: "dict[str, Callable[[list[str], Shape], list[Touch]]]" = {
    "cmake": _cmake,
    "gio": _gio,
    **dict.fromkeys(("unzip", "tar", "bsdtar"), _unpack),
    **dict.fromkeys(("scp", "sftp", "aws", "gsutil"), _copies),
    **dict.fromkeys(("docker", "podman", "kubectl", "nerdctl", "oc"), _box),
    "getent": _getent,
    **dict.fromkeys(("uniq", "xxd", "ddrescue"), _last),
    "yq": _in_place,
    "split": _prefix,
    **dict.fromkeys(("awk", "gawk"), _awk),
    "dcfldd": _dd,
}
