"""What git says of a directory: asked without a shell, without a lock, without running anything of the project's."""

import os

from hookkit.system import files

LIMIT = 64 * 1024
RUNS = (b"filter", b"promisor", b"partialclone", b"worktree", b"include", b"uploadpack", b"sshcommand")
SECONDS = 0.5
GIT = ("git", "--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
STATUS = ("status", "--porcelain", "--branch", "-z", "--ignore-submodules=all")
DIFF = (
    "-c", "diff.external=", "-c", "color.ui=false", "diff", "--stat=100,80,30", "--no-ext-diff", "--no-textconv",
    "--ignore-submodules=all", "HEAD", "--",
)  # fmt: skip


def status(directory: str, environ: dict[str, str]) -> list[str]:
    """The lines of `git status`, the branch first; none where there is no git, no repository or not enough time.

    A repository can be set up so that `git status` runs programs of its own. Then it is not asked.
    """
    if _runs_something(directory):
        return []
    output = _run(directory, environ, STATUS)
    entries = output.decode("utf-8", "replace").split("\0")[:-1]  # what the limit cut in half is left out
    found, renamed = [], False
    for entry in entries:
        if not renamed:
            found.append(entry)
        renamed = not renamed and not {"R", "C"}.isdisjoint(entry[:2])  # the old name follows as an entry of its own
    return found


def diff_stat(directory: str, environ: dict[str, str]) -> str:
    """What `git diff --stat` says of all that is not committed; nothing on the same grounds as above.

    A repository names programs that show its files; they are not asked, and its submodules are not looked into.
    """
    if _runs_something(directory):
        return ""
    return _run(directory, environ, DIFF).decode("utf-8", "replace").rstrip("\n")


def _runs_something(directory: str) -> bool:
    """Filters, a promised remote, another work tree, or an include that may bring any of them."""
    dotgit = os.path.join(files.repository(directory), ".git")
    try:
        configs = [files.read(path, LIMIT).lower() for path in _configs(dotgit)]
    except OSError:
        return True  # what we cannot read, git may
    return any(len(config) >= LIMIT or word in config for config in configs for word in RUNS)


def _configs(dotgit: str) -> list[str]:
    """The settings of a repository: where `.git` leads, and what a work tree shares with others."""
    if os.path.isfile(dotgit):
        named = _text(dotgit).partition("gitdir:")[2].strip()
        dotgit = os.path.join(os.path.dirname(dotgit), named)
    common = os.path.join(dotgit, "commondir")
    shared = os.path.join(dotgit, _text(common).strip()) if os.path.lexists(common) else dotgit
    own = [os.path.join(place, "config.worktree") for place in {dotgit, shared}]
    return [os.path.join(shared, "config"), *(path for path in own if os.path.lexists(path))]


def _text(path: str) -> str:
    return files.read(path, LIMIT).decode("utf-8", "replace")


def _run(directory: str, environ: dict[str, str], command: tuple[str, ...]) -> bytes:
    """GIT_DIR and its kin would have git look elsewhere, and a relative PATH would have us run a stranger's git."""
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
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return b""
    with process:
        try:
            return _collect(process.stdout.fileno()) if process.stdout else b""
        finally:
            process.kill()


def _collect(handle: int) -> bytes:
    """All that is said in time and within the limit; nothing where time ran out, as half a status is a wrong one."""
    import select
    import time

    output = b""
    stop = time.monotonic() + SECONDS
    while len(output) < LIMIT:
        left = stop - time.monotonic()
        if left <= 0 or not select.select([handle], [], [], left)[0]:
            return b""
        chunk = os.read(handle, LIMIT)
        if not chunk:
            break
        output += chunk
    return output
