"""The status line: model, context used, branch, effort and phase, denied calls of this session."""

import os

from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings


SECONDS = 5.0
SETTING = "statusline.command"
FULL, HIGH = 85, 60  # percent of the context, shown in red and in yellow
RED, YELLOW, DIM, PLAIN = "\033[31m", "\033[33m", "\033[2m", "\033[0m"
LIMIT = 4 << 20  # bytes of the session's journal
LONGEST = 60
CLIENT_FILES = (".claude/settings.json", ".claude/settings.local.json")
OWN_COMMANDS = (b"hookkit statusline", b"hookkit suggest-files")  # these do not make hookkit answer events


def answer(fields: "dict[str, Any]", settings: "Settings") -> str:
    directory = _text(_at(fields, "workspace", "current_dir")) or _text(fields.get("cwd"))
    project = _text(_at(fields, "workspace", "project_dir")) or directory
    parts = [
        _printable(_text(_at(fields, "model", "display_name"))),
        _context(_at(fields, "context_window", "used_percentage")),
        _printable(branch(directory)),
        _effort(project, settings, fields),
        _hookkit(_text(fields.get("session_id")), project, settings),
    ]
    return f" {DIM}·{PLAIN} ".join(part for part in parts if part)


def _context(used: object) -> str:
    if not isinstance(used, (int, float)) or isinstance(used, bool):
        return ""
    colour = RED if used >= FULL else YELLOW if used >= HIGH else ""
    return f"{colour}{used:.0f}% context{PLAIN if colour else ''}"


def branch(directory: str) -> str:
    """The branch, or the start of the commit, from git's own file: no program is run."""
    dotgit = os.path.join(files.repository(directory), ".git") if directory else ""
    try:
        if os.path.isfile(dotgit):
            named = files.read(dotgit, 4096).decode("utf-8", "replace").partition("gitdir:")[2].strip()
            dotgit = os.path.join(os.path.dirname(dotgit), named)
        head = files.read(os.path.join(dotgit, "HEAD"), 4096).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else head[:8]


def _effort(project: str, settings: "Settings", fields: "dict[str, Any]") -> str:
    """The effort and its phase, where hookkit keeps track of them. The session keeps the size of its context."""
    if settings.is_idle("track") or not project:
        return ""
    from hookkit.work import efforts, sessions
    from hookkit.work.store import Work

    work = Work(settings.environ)
    try:
        sessions.set_window(work, _text(fields.get("session_id")), _at(fields, "context_window", "context_window_size"))
        effort = efforts.meant(work, project)
    finally:
        work.close()
    if effort is None:
        return ""
    return _printable(
        f"{effort['skill'] or 'effort'} {effort['id']}{': ' + effort['phase'] if effort['phase'] else ''}"
    )


def _hookkit(session: str, project: str, settings: "Settings") -> str:
    if not is_wired(project, settings.environ):
        return f"{RED}hookkit off{PLAIN}"
    number = denials(settings.environ, session) if session else 0
    broken = f"{RED}hookkit: a mistake in your settings{PLAIN}" if settings.broken else ""
    denied = f"{YELLOW}{number} denied{PLAIN}" if number else ""
    lost = f"{RED}hookkit: no row can be written{PLAIN}" if _is_lost(session, settings) else ""
    return f" {DIM}·{PLAIN} ".join(part for part in (denied, broken, lost) if part)


def _is_lost(session: str, settings: "Settings") -> bool:
    """Whether the ledger has no place for rows. Nearly always the session's journal tells that it has."""
    from hookkit.ledger import evidence, places

    if not evidence.setting(settings, "enabled"):
        return False
    journals = places.likely(settings.environ, session) if session else []
    return not any(map(_takes_rows, journals)) and places.is_lost(settings.environ)


def _takes_rows(journal: str) -> bool:
    """A full disk takes a journal, and no row."""
    return bool(os.access(journal, os.W_OK) and os.stat(journal).st_size and os.statvfs(journal).f_bavail)


def is_wired(project: str, environ: dict[str, str]) -> bool:
    """Whether any settings file or plugin list of the client names a hook of hookkit."""
    home = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(files.home(environ) or "/nonexistent", ".claude")
    paths = [os.path.join(home, "settings.json"), *(os.path.join(project, name) for name in CLIENT_FILES)]
    return any(_names_hookkit(path) for path in (*paths, "/etc/claude-code/managed-settings.json"))


def _names_hookkit(path: str) -> bool:
    try:
        text = files.read(path, 1 << 20)
    except (OSError, ValueError):
        return False
    return text.count(b"hookkit") > sum(text.count(command) for command in OWN_COMMANDS)


def denials(environ: dict[str, str], session: str) -> int:
    """The calls that hookkit denied in this session, counted in the journal of the ledger."""
    from hookkit.ledger import places

    count = 0
    for path in places.paths(environ, session):
        try:
            count += files.read(path, LIMIT).count(b'"verdict":"deny"')
        except OSError:  # noqa: PERF203 - folded into the database meanwhile
            continue
    return count


def _at(fields: "dict[str, Any]", *path: str) -> object:
    value: Any = fields
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    inner: object = value
    return inner


def _text(value: object) -> str:
    return value if isinstance(value, str) and "\0" not in value else ""


def _printable(text: str) -> str:
    """Untrusted text on the screen: no control characters, not too long."""
    clean = "".join(char for char in text if char.isprintable())
    return clean if len(clean) <= LONGEST else clean[: LONGEST - 1] + "…"
