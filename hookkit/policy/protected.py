"""The files that guard this session, derived from the wiring: no agent may change them without a question.

    wired       each file that `init` wrote, for any agent: the records of `init` in hookkit's state
    agents      the settings files of every known agent, wired or not, by the tables of `agents`
    launched    each path that the launcher names or leads to: script, program, interpreter, its venv or packages
    own         hookkit's package, settings, state and data

A rule covers every tool and every effect on these paths: writing, linking, deleting, moving, rights. The directories
above them must not be deleted or moved, keep their rights, and no archive is unpacked there. All of this is worked out
when the settings are compiled: a call pays one stat, of the directory with the records.
"""

import os
import sys

from hookkit import registry
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookkit.policy.rules import Rule


NAME = "guard.protected"
REASON = "This weakens or switches off the checks of this session."
CHANGES, LOSES = "Write|Delete|Rights|Fill", "Delete|Move|Rights"  # Edit is writing, too
# Commands of people: an agent must not allow its own calls, nor get a secret of the server.
COMMANDS = ("set **", "pause **", "allow **", "dashboard", "fleet join", "fleet leave")
CALLS = ("hookkit", "python -m hookkit", "python3 -m hookkit")
# Programs that a wired line finds by its PATH: a file of this name in an own directory comes first.
FOUND = ("hookkit", "hookkit-hook", "python", "python3", "bash", "sh", "env", "head")
PROJECT = ("hookkit.toml", "hookkit.local.toml", ".mentu/genesis.key")  # our own settings in a project
PATHS = (".local/bin", "bin")  # own directories that distributions put on the PATH
LIMIT = 1 << 16  # bytes of a record, or of the launcher
MOST = 200  # records
LINKS = 8  # from the interpreter's name to its file
RECORDS = "wiring"


def rows(environ: dict[str, str]) -> "list[Rule]":
    """Rules about the protected paths, all with one name."""
    home = files.home(environ)
    wired, agents = _wired(environ), [*_agents()]
    trees = _plain([*_own_places(environ), *_launched_trees(environ, home)])
    single = _plain([*wired, *_launched(environ), *_on_path(environ, home)])
    around = [*_above([*trees, *single, *agents], home), *_above_in_project([*wired, *agents])]
    holders = [*_above([*wired, *agents, *_own_places(environ)], home), *_above_in_project(agents)]
    patterns = [f"{CHANGES}({path}{end})" for path in trees for end in ("", "/*")]
    patterns += [f"{CHANGES}({path})" for path in (*single, *agents, *_startup())]
    patterns += [f"{LOSES}({path})" for path in around]
    patterns += [f"Fill({path})" for path in holders] + [f"Rights|Fill({home})"] * bool(home)
    patterns += [f"Bash({call} {name} *)" for name in COMMANDS for call in CALLS]
    patterns += [f"Read({path}{end})" for path in _plain(_secrets(environ)) for end in ("", "/*")]
    return [{"type": "ask", "name": NAME, "match": pattern, "reason": REASON} for pattern in dict.fromkeys(patterns)]


def records(environ: dict[str, str]) -> str:
    """The directory of the records; `init` touches it, so its stamp tells whether the set is up to date."""
    state = files.state_dir(environ)
    return os.path.join(state, RECORDS) if state else ""


def _plain(paths: "Iterable[str]") -> list[str]:
    """Paths on disk that a pattern can name."""
    return [path for path in dict.fromkeys(paths) if path.count("/") > 1 and {*"*()\n"}.isdisjoint(path)]


# -- the parts -------------------------------------------------------------------------------------


def _wired(environ: dict[str, str]) -> list[str]:
    """The files that `init` wrote."""
    place = records(environ)
    try:
        names = sorted(os.listdir(place))[:MOST] if place else []
    except OSError:
        return []
    paths = (_recorded(os.path.join(place, name, "record.json")) for name in names)
    return [path for path in paths if os.path.isabs(path)]


def _recorded(path: str) -> str:
    return str((jsons.read_own(path, LIMIT) or {}).get("path", ""))


def _agents() -> "Iterator[str]":
    """The settings files of every agent, below the home and in the project."""
    for name in registry.names("agents"):
        agent = registry.find("agents", name)
        for scope, path in agent.CONFIG:
            whole = f"~/{agent.HOME}/{path}" if scope == "user" else path
            yield f"{whole}/*" if agent.FORM == "scripts" else whole  # a directory of scripts
        yield from getattr(agent, "SWITCHES", ())
    yield from PROJECT


def _own_places(environ: dict[str, str]) -> list[str]:
    """The package, the state, the settings and the directory of the launcher."""
    return [
        os.path.dirname(os.path.dirname(os.path.realpath(__file__))),
        *_states(environ),
        _base(environ, "XDG_CONFIG_HOME", ".config"),
        _base(environ, "XDG_DATA_HOME", ".local/share"),
    ]


def _base(environ: dict[str, str], variable: str, usual: str) -> str:
    base, home = environ.get(variable, ""), files.home(environ)
    base = base if os.path.isabs(base) else os.path.join(home, usual) if home else ""
    return f"{base}/hookkit" if base else ""


def _secrets(environ: dict[str, str]) -> list[str]:
    """Of the warm server, of a fleet and of its hub: whoever reads them can approve in the person's name."""
    return [f"{state}/{name}" for state in _states(environ) for name in ("serve", "fleet", "hub")]


def _states(environ: dict[str, str]) -> list[str]:
    """The state directory; for a simulation also the person's, to which its records are a link."""
    place = records(environ)
    return list(dict.fromkeys([files.state_dir(environ), os.path.dirname(os.path.realpath(place))])) if place else []


def _on_path(environ: dict[str, str], home: str) -> "Iterator[str]":
    """Programs that wired lines find by name: as installed, and where a file of the agent would come first."""
    folders = [folder for folder in environ.get("PATH", "").split(":") if os.path.isabs(folder)]
    for folder in folders:
        yield from _links(f"{folder}/hookkit") if os.path.lexists(f"{folder}/hookkit") else ()
    own = [folder for folder in folders if home and folder.startswith(f"{home}/")]
    for folder in dict.fromkeys([*own, *(os.path.join(home, name) for name in PATHS if home)]):
        yield from (f"{folder}/{name}" for name in FOUND)


# -- the launcher ----------------------------------------------------------------------------------


def _launcher_paths(environ: dict[str, str]) -> list[str]:
    """The absolute paths in the launcher script, and the interpreter of this process."""
    import shlex

    script = f"{_base(environ, 'XDG_DATA_HOME', '.local/share')}/hook"
    try:
        text = files.read(script, LIMIT).decode("utf-8", "replace")
        words = [word for line in text.split("\n") if "/" in line for word in shlex.split(line, comments=True)]
    except (OSError, ValueError):
        words = []
    paths = [word for word in words if os.path.isabs(word) and "\n" not in word and os.path.lexists(word)]
    return list(dict.fromkeys([*paths, sys.executable or ""]))


def _launched(environ: dict[str, str]) -> "Iterator[str]":
    """Programs and interpreters, by every name on the way to their file."""
    for path in _launcher_paths(environ):
        if not os.path.isdir(path):
            yield from _links(path)


def _launched_trees(environ: dict[str, str], home: str) -> "Iterator[str]":
    """Places that the launcher pins, the venv of its interpreter, an interpreter that the person installed."""
    for path in _launcher_paths(environ):
        prefix = os.path.dirname(os.path.dirname(path))
        if os.path.isdir(path):
            yield path
        elif os.path.isfile(os.path.join(prefix, "pyvenv.cfg")):
            yield prefix
    base = os.path.realpath(sys.base_prefix)
    yield base if home and base.startswith(f"{home}/") else ""


def _startup() -> list[str]:
    """Files beside the package that Python runs at its start; in a venv the whole venv is protected."""
    beside = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    is_installed = os.path.basename(beside) in ("site-packages", "dist-packages") and _plain([beside])
    return [f"{beside}/{name}" for name in ("*.pth", "sitecustomize.py", "usercustomize.py")] if is_installed else []


def _links(path: str) -> "Iterator[str]":
    """A path, and each link on the way to its file."""
    for _ in range(LINKS):
        yield path
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    yield os.path.realpath(path)


# -- directories above -----------------------------------------------------------------------------


def _above(paths: list[str], home: str) -> "Iterator[str]":
    """Directories of the home around protected paths. The home may be `/`, as in many containers."""
    for path in paths:
        whole = os.path.join(home, path[2:]) if path[:2] == "~/" else path
        above = whole[:-2] if whole.endswith("/*") else os.path.dirname(whole)
        while home and above != home and above.startswith(os.path.join(home, "")):
            yield above
            above = os.path.dirname(above)


def _above_in_project(paths: list[str]) -> "Iterator[str]":
    """The directories of a settings file, up to the project."""
    for path in paths:
        above = path[:-2] if path.endswith("/*") else os.path.dirname(path)
        if not path.startswith(("/", "~")):
            while above:
                yield f"./{above}"
                above = os.path.dirname(above)
        elif path[0] == "/":
            root = files.repository(above)
            while above.startswith(f"{root}/"):
                yield above
                above = os.path.dirname(above)
