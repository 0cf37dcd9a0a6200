"""Copies between machines, containers and this machine: the local sides are read or written."""

from hookkit.programs.options import Parsed
from hookkit.programs.paths import is_top, last_name, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.programs.effects import Effect

DOWNLOADERS = ("curl", "wget", "fetch", "aria2c")
CONTAINERS = ("docker", "podman", "nerdctl", "kubectl", "oc")
HANDED = ("--from-file", "--from-env-file", "--env-file")  # options with a file for a container or a cluster
MOUNTS = ("--mount", "--secret")


def effects(parsed: Parsed) -> "list[Effect]":
    name = parsed.operands[0]
    if name in DOWNLOADERS:
        return _download(parsed)
    if name == "rsync":
        return _rsync(parsed)
    return _container(parsed) if name in CONTAINERS else _copied(parsed)


def _download(parsed: Parsed) -> "list[Effect]":
    urls = [*parsed.operands[1:], *(value for option, value in parsed.values if option == "--url")]
    local = [("Read", url[7:]) for url in urls if url.lower().startswith("file://")]
    return local + [("Write", path) for path in saved(parsed)]


def saved(parsed: Parsed) -> list[str]:
    """Files written by a downloader: the `-o` path, or else the last part of the url."""
    name, *urls = parsed.operands
    if name in ("scp", "rsync", "aws", "gsutil"):
        remote = [path for path in urls[:-1] if ":" in path]
        return [goal for path in remote for goal in (urls[-1], f"{urls[-1]}/{last_name(path)}")]
    given = [value for option, value in parsed.values if option == ("-O" if name == "wget" else "-o")]
    if given or (name == "curl" and "-O" not in parsed.flags):
        return [path for path in given if path != "-"]
    into = next((f"{value}/" for option, value in parsed.values if option in ("-P", "-d", "--output-dir")), "")
    return [into + last for url in urls if (last := last_name(url.partition("?")[0]))]


def _rsync(parsed: Parsed) -> "list[Effect]":
    """`--delete` deletes files missing in the source; a remote target counts only near its root directory."""
    flags, operands = parsed.flags, parsed.operands[1:]
    if "-n" in flags or len(operands) < 2:  # noqa: PLR2004 - a source and a goal
        return []
    host, colon, path = operands[-1].partition(":")
    goal = path if colon and "/" not in host else operands[-1]
    deleted = [("Delete", path) for path in operands[:-1] if "--remove-source-files" in flags]
    if any(flag.startswith("--del") for flag in flags) and (goal == operands[-1] or is_top(goal)):
        deleted.append(("Delete", f"{goal.rstrip('/')}/*"))
    return deleted


def _copied(parsed: Parsed) -> "list[Effect]":
    """`docker cp box:/x here`, `scp here host:x`."""
    name = parsed.operands[0]
    start = {"scp": 1, "sftp": 1}.get(name, 3 if parsed.operands[:2] == ["aws", "s3"] else 2)
    if name not in ("scp", "sftp") and "cp" not in parsed.operands[1:3]:
        return []
    *sources, goal = parsed.operands[start:] or [""]
    remote = any(":" in path for path in sources)
    if not remote and ":" not in goal:
        return []
    return [("Write", goal)] * remote + [("Read", path) for path in sources if ":" not in path]


def _container(parsed: Parsed) -> "list[Effect]":
    """Copies, mounted directories, files handed over."""
    touched = _copied(parsed)
    words = parsed.words
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        value = value if equals else words[place + 1] if place + 1 < len(words) else ""
        if option in HANDED:
            touched.append(("Read", value.rpartition("=")[2]))
        elif option in ("-v", "--volume") and value[:1] in ("/", "~", "."):
            touched.append(("Read", value.partition(":")[0]))
        elif option in MOUNTS:
            pairs = [pair.partition("=") for pair in value.split(",")]
            touched += [("Read", path) for key, _, path in pairs if key in ("src", "source")]
    return [(kind, path) for kind, path in touched if path and whole(path) not in (".", "/")]
