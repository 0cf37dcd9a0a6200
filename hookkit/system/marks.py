"""What a session has been told already, so that it is told once; a compaction takes it away, and so arms it again."""

import os

from hookkit.system import files

PREFIX = "skill-"


def is_told(session: str, sum_: str, project: str, environ: dict[str, str]) -> bool:
    """A cheap look, before the text is made."""
    return any(
        os.path.lexists(os.path.join(place, _name(session, sum_))) for place in files.session_places(project, environ)
    )


def claim(session: str, sum_: str, project: str, environ: dict[str, str]) -> bool:
    """Whether this call is the one that tells it: of many at once, one is."""
    import time

    directory = files.session_dir(project, environ)
    if not files.create(os.path.join(directory, _name(session, sum_))):
        return False
    files.prune(directory, time.time(), prefix=PREFIX)
    return True


def forget(session: str, project: str, environ: dict[str, str]) -> None:
    """Nothing is told any more: what this session's markers stood for is out of the conversation."""
    if not any(os.path.isdir(place) for place in files.session_places(project, environ)):
        return
    mine = PREFIX + files.safe_name(session)
    with os.scandir(files.session_dir(project, environ)) as entries:
        ours = [entry.path for entry in entries if entry.name.rpartition("-")[0] == mine]
    for path in ours:
        try:
            os.unlink(path)
        except FileNotFoundError:  # noqa: PERF203 - another call was faster
            continue


def _name(session: str, sum_: str) -> str:
    return f"{PREFIX}{files.safe_name(session)}-{sum_}"
