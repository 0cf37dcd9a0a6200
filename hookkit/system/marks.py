"""Marks of a session: each says that a message was given once, so that it is not given again.

Without a project the mark stands for the person, in hookkit's own state. With a project it stands for the model, in the
session's directory: a compaction takes the message out of the conversation, and `forget` then removes the mark.
"""

import os

from hookkit.system import files

SPARE = "/tmp"  # noqa: S108 - the directories that we make there are private
PREFIX = "skill-"  # of marks in a project, where other files of the session lie beside them


def was_told(environ: dict[str, str], session: str, matter: str, project: str | None = None) -> bool:
    """Whether `first_time` has already said True; cheap enough to ask before the message is made."""
    if project is None:
        return any(os.path.lexists(os.path.join(place, _name(session, matter))) for place in _places(environ))
    name = PREFIX + _name(session, matter)
    return any(os.path.lexists(os.path.join(place, name)) for place in files.session_places(project, environ))


def first_time(environ: dict[str, str], session: str, matter: str, project: str | None = None) -> bool:
    """Set the mark. True for one caller only, even when several ask at the same time."""
    import time

    if project is not None:
        directory, prefix = files.session_dir(project, environ), PREFIX
    elif files.state_dir(environ):
        return _first_time(environ, _name(session, matter))
    else:
        return False  # without a state the same message would come at every call
    is_new = files.create(os.path.join(directory, prefix + _name(session, matter)))
    if is_new:
        files.prune(directory, time.time(), prefix)
    return is_new


def unmark(environ: dict[str, str], session: str, matter: str) -> None:
    """Take back a mark that stands for the person."""
    for place in _places(environ):
        try:
            os.unlink(os.path.join(place, _name(session, matter)))
        except OSError:  # noqa: PERF203 - two places
            continue


def _places(environ: dict[str, str]) -> list[str]:
    """Hookkit's state, and a private directory for the time that the state cannot be written."""
    state = files.state_dir(environ)
    aside = os.path.join(SPARE, f"hookkit-{os.geteuid()}", f"told-{files.checksum(os.fsencode(state))}")
    return [os.path.join(state, "told"), aside] if state else []


def _first_time(environ: dict[str, str], name: str) -> bool:
    import time

    failure: OSError | None = None
    for place in _places(environ):
        try:
            files.private_dir(os.path.dirname(place))
            is_new = files.create(os.path.join(files.private_dir(place), name))
            if is_new:
                files.prune(place, time.time())
        except OSError as error:  # noqa: PERF203 - two places
            failure = error
        else:
            return is_new
    raise failure or OSError("no place for a mark")


def forget(environ: dict[str, str], session: str, project: str) -> None:
    """Remove the session's marks in the project; other sessions keep theirs."""
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


def _name(session: str, matter: str) -> str:
    return f"{files.safe_name(session)}-{matter}"
