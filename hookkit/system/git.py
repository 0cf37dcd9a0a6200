"""Asking git about a directory: without a shell, without a lock, without running programs of the project."""

import os

from hookkit.system import files

LIMIT = 64 * 1024
RUNS = (b"filter", b"promisor", b"partialclone", b"worktree", b"include", b"uploadpack", b"sshcommand")
SECONDS = 0.5
# A gate waits longer and reads more than a hint: an answer that was cut off would open the gate.
PATIENT = (5.0, 8 * 1024 * 1024)
LISTING = (4.0, 64 * 1024 * 1024)
GIT = ("git", "--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
IDENTITY = r"^(user\.(name|email)|remote\.origin\.url)$"
STATUS = ("status", "--porcelain", "--branch", "-z", "--ignore-submodules=all")
IGNORED = ("--ignored=traditional",)
DIFF = (
    "-c", "diff.external=", "-c", "color.ui=false", "diff", "--stat=100,80,30", "--no-ext-diff", "--no-textconv",
    "--ignore-submodules=all", "HEAD", "--",
)  # fmt: skip


def status(directory: str, environ: dict[str, str]) -> list[str]:
    """The lines of `git status`, the branch first; [] without git, without a repository, or after the time limit.

    A repository can make `git status` run programs of its own. Such a repository is not asked.
    """
    return [] if _runs_something(directory) else _entries(_run(directory, environ, STATUS, (SECONDS, LIMIT)))


def full_status(directory: str, environ: dict[str, str], *, ignored: bool = False) -> tuple[list[str], str]:
    """All lines of `git status`, or the reason why they are unknown. Outside of a repository both are empty.

    Every new file has a line of its own, and a renamed file has two: for its old and its new name.
    """
    if not os.path.lexists(os.path.join(files.repository(directory), ".git")):
        return [], ""
    if _runs_something(directory):
        return [], "the repository is set up to run programs of its own (filters or includes in .git/config)"
    output = _run(directory, environ, (*STATUS, "--untracked-files=all", "--no-renames", *(IGNORED * ignored)), PATIENT)
    if not output:
        return [], f"git gave no answer within {PATIENT[0]:g} s"
    if len(output) >= PATIENT[1]:
        return [], "there are too many changed files"
    return _entries(output), ""


def _entries(output: bytes) -> list[str]:
    entries = output.decode("utf-8", "replace").split("\0")[:-1]  # the entry that the limit cut in half is left out
    statuses, renamed = [], False
    for entry in entries:
        if not renamed:
            statuses.append(entry)
        renamed = not renamed and not {"R", "C"}.isdisjoint(entry[:2])  # the old name follows as an entry of its own
    return statuses


def identity(directory: str, environ: dict[str, str]) -> dict[str, str]:
    """The person's name and address, and where the project comes from, as git's settings say."""
    output = _run(directory, environ, ("config", "--null", "--get-regexp", IDENTITY), (SECONDS, LIMIT))
    pairs = (entry.partition("\n") for entry in output.decode("utf-8", "replace").split("\0")[:-1])
    return {name: value for name, _, value in pairs}


def listed(directory: str, environ: dict[str, str]) -> list[str] | None:
    """The files below the directory that git tracks or would add; None without git or outside of a repository."""
    if not os.path.lexists(os.path.join(files.repository(directory), ".git")):
        return None
    output = _run(directory, environ, ("ls-files", "-z", "--cached", "--others", "--exclude-standard"), LISTING)
    names = output.decode("utf-8", "replace").split("\0")[:-1]
    return list(dict.fromkeys(names)) if names else None


def unsaved(directory: str, environ: dict[str, str], paths: list[str]) -> str:
    """The first of these files that is not committed as it is, or an empty text; without an answer, the first file."""
    if _runs_something(directory):
        return paths[0]
    options = ("--untracked-files=all", "--ignored=matching", "--")
    output = _run(directory, environ, ("--literal-pathspecs", *STATUS, *options, *paths), (SECONDS, LIMIT))
    entries = output.decode("utf-8", "replace").split("\0")[:-1]
    if not entries or not entries[0].startswith("## "):
        return paths[0]
    if len(entries) > 1:
        return entries[1][3:]
    # Git is silent about a path in another case, and about files that it was told not to look at.
    output = _run(directory, environ, ("--literal-pathspecs", "ls-files", "-v", "-z", "--", *paths), (SECONDS, LIMIT))
    known = output.decode("utf-8", "replace").split("\0")
    return next((path for path in paths if f"H {path}" not in known), "")


def diff_stat(directory: str, environ: dict[str, str], seconds: float = SECONDS) -> str:
    """`git diff --stat` of all changes since the last commit; "" for the same reasons as above.

    Programs that a repository names for showing its files are not run, and its submodules are not read.
    """
    if _runs_something(directory):
        return ""
    return _run(directory, environ, DIFF, (seconds, LIMIT)).decode("utf-8", "replace").rstrip("\n")


def _runs_something(directory: str) -> bool:
    """Whether the settings name filters, a promised remote, another work tree, or an include that may bring them."""
    dotgit = os.path.join(files.repository(directory), ".git")
    try:
        texts = [files.read(path, LIMIT).lower() for path in configs(dotgit)]
    except OSError:
        return True  # git may be able to read settings that we cannot
    return any(len(text) >= LIMIT or word in text for text in texts for word in RUNS)


def index(dotgit: str) -> str:
    """The path of the index, also for a work tree and a submodule."""
    return os.path.join(_git_directory(dotgit), "index")


def _git_directory(dotgit: str) -> str:
    """The directory that a file `.git` names."""
    if not os.path.isfile(dotgit):
        return dotgit
    return os.path.join(os.path.dirname(dotgit), _text(dotgit).partition("gitdir:")[2].strip())


def configs(dotgit: str) -> list[str]:
    """The settings files of a repository, also of the repository that a work tree belongs to."""
    dotgit = _git_directory(dotgit)
    common = os.path.join(dotgit, "commondir")
    shared = os.path.join(dotgit, _text(common).strip()) if os.path.lexists(common) else dotgit
    own = [os.path.join(place, "config.worktree") for place in {dotgit, shared}]
    return [os.path.join(shared, "config"), *(path for path in own if os.path.lexists(path))]


def _text(path: str) -> str:
    return files.read(path, LIMIT).decode("utf-8", "replace")


def talk(
    directory: str, environ: dict[str, str], command: tuple[str, ...], data: bytes, limits: tuple[float, int]
) -> bytes:
    """The output of a command of git's plumbing that reads stdin: no hook, no filter, no lock of the person's."""
    place = environ.get("TMPDIR", "")
    path = os.path.join(place if os.path.isabs(place) else "/tmp", f"hookkit-{os.urandom(8).hex()}")  # noqa: S108
    with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w+b") as given:
        os.unlink(path)  # `tempfile` does the same, after nine milliseconds of imports
        given.write(data)
        given.seek(0)
        return _run(directory, environ, command, limits, given.fileno())


def _run(
    directory: str,
    environ: dict[str, str],
    command: tuple[str, ...],
    limits: tuple[float, int],
    stdin: int | None = None,
) -> bytes:
    """The output, within `limits` of seconds and bytes.

    GIT_DIR and similar variables would point git elsewhere; a relative PATH could run a git of the project.
    """
    import subprocess

    clean = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
    root = files.repository(directory)
    path = [entry for entry in environ.get("PATH", os.defpath).split(":") if os.path.isabs(entry)]
    path = [entry for entry in path if not files.inside(entry, root)]  # node_modules/.bin is the project's
    clean |= {"PATH": ":".join(path), "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    try:
        process = subprocess.Popen(
            (*GIT, *command),
            cwd=directory,
            env=clean,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return b""
    with process:
        try:
            return _collect(process.stdout.fileno(), *limits) if process.stdout else b""
        finally:
            process.kill()


def _collect(handle: int, seconds: float, limit: int) -> bytes:
    """The output within the limits; b"" after the time limit, because half a status is a wrong status."""
    import select
    import time

    output = bytearray()
    stop = time.monotonic() + seconds
    while len(output) < limit:
        left = stop - time.monotonic()
        if left <= 0 or not select.select([handle], [], [], left)[0]:
            return b""
        chunk = os.read(handle, LIMIT)
        if not chunk:
            break
        output += chunk
    return bytes(output)
