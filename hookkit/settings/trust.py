"""Trust in files: pins of project files (each path with the checksum of its content), and whose directories are own."""

import os

from hookkit.errors import HookkitError
from hookkit.settings.layers import LIMIT, PLACES, is_inside, trust_file
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HANDLER, CHECK = "the handler ", "the check "  # how a program's file that is not trusted names what waits for it
PROGRAMS = ("hooks", "gate.checks", "gate.promise", "command rules")  # parts of a settings file that run a program
NAMED = 6  # parts that a message names
LARGEST = 32 << 20  # bytes of a pinned file
PACKAGE, FIELDS = "package.json", ("scripts", "packageManager", "config")  # dependencies may change without a question
READ_IT = "Read it, then run: hookkit trust"
SIGNED = " (or, if you know who signed hookkit.trust: hookkit trust --signer NAME)"


def untrusted(waiting: list[str]) -> str:
    """The state of a file that is not trusted, by the names of its parts that wait."""
    names = ", ".join(waiting[:NAMED]) + (f" and {len(waiting) - NAMED} more" if len(waiting) > NAMED else "")
    if waiting and all(name.startswith((HANDLER, CHECK)) for name in waiting):
        return f"not trusted, or changed since you trusted it: {names} {'do' if waiting[1:] else 'does'} not run"
    return f"not trusted: its deny and ask rules, approval gates and limits apply, but not {names}"


def way_out(path: str, environ: dict[str, str]) -> str:
    """For a person in a clone with an untrusted file: of a signed project one command is enough for good."""
    from hookkit.settings import signed

    return READ_IT + (SIGNED if signed.is_unknown(path, environ) else "")


def runs_programs(waiting: list[str]) -> bool:
    """Whether programs of the project wait for trust: a check that the project relies on does not run."""
    return any(name in PROGRAMS or name.startswith((HANDLER, CHECK)) for name in waiting)


def content(path: str, limit: int = LARGEST) -> str | None:
    """The text whose checksum is pinned, of package.json the scripts; None for a file that cannot be read whole."""
    try:
        raw = files.read(path, limit + 1)
        if len(raw) > limit:
            return None
        if os.path.basename(path) == PACKAGE:
            package = jsons.loads(raw)
            return jsons.dumps({name: package.get(name) for name in FIELDS}) if isinstance(package, dict) else None
    except (OSError, ValueError, HookkitError):
        return None
    return raw.decode("latin-1")  # every byte counts, also outside of UTF-8


def trust_key(path: str) -> str:
    """A pin belongs to a file in a project: a link to a trusted file is another file."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def is_trusted(path: str, content: str, environ: dict[str, str]) -> bool:
    """Trust belongs to the content: a changed file is untrusted again, unless a signer signed the change."""
    return is_pinned(path, content, environ) or _is_signed(path, content, environ)


def is_pinned(path: str, content: str, environ: dict[str, str]) -> bool:
    """Whether this person has trusted this content."""
    return bool(trusted(environ).get(trust_key(path)) == digest(content))


def _is_signed(path: str, content: str, environ: dict[str, str]) -> bool:
    from hookkit.settings import signed  # late: most files are pinned, or nobody's

    return signed.is_signed(path, digest(content), environ)


def trusted(environ: dict[str, str]) -> "dict[str, Any]":
    try:
        pins = jsons.loads(files.read_own(trust_file(environ), LIMIT))
    except (OSError, HookkitError):
        return {}
    return pins if isinstance(pins, dict) else {}


def pin(environ: dict[str, str], changes: "dict[str, str | None]") -> None:
    """Add pins; None removes a pin. A lock protects the pins of other processes."""
    import fcntl

    state = files.private_dir(files.state_dir(environ))
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(os.path.join(state, "trust.lock"), flags, 0o600), "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pins = {**trusted(environ), **changes}
        existing = {path: sum_ for path, sum_ in pins.items() if sum_ is not None}
        files.keep(trust_file(environ), jsons.dumps(existing).encode())


def digest(content: str) -> str:
    from hashlib import sha256

    return sha256(content.encode()).hexdigest()


# -- own directories inside a project: hookkit falls back to the home of the user account --


def own_places(environ: dict[str, str], projects: set[str]) -> tuple[dict[str, str], list[str]]:
    """The environment without the wrong directories, and a message about each of them.

    A project around the real home is no reason to refuse anything: then every own directory is inside.
    """
    home = _account_home()
    projects = {project for project in projects if not is_inside(home, {project})}
    wrong = [name for name in PLACES if is_inside(environ.get(name, ""), projects)]
    messages = [f"{name}={environ[name]} is inside the project, so hookkit ignores this variable" for name in wrong]
    trusted = {name: value for name, value in environ.items() if name not in wrong}
    if "HOME" in wrong:
        trusted["HOME"] = home or "-"  # no absolute path: hookkit works without a home
    return trusted, messages


def _account_home() -> str:
    """The home of the user account. The environment has no say."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""
