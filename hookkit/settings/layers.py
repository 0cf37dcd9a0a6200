"""Find, merge and compile the layers of hookkit.toml.

A hook reads a snapshot (JSON, a fraction of a millisecond) and only stats the files that it was made from.
"""

import os

from hookkit import __version__
from hookkit.errors import ConfigError, HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.documents.finding import Problem

FORMAT = 5  # of the snapshot: another number makes every old one stale
STRANGERS_LIMIT = 1 << 18  # bytes of a file that came with a checkout
LIMIT = 8 << 20  # bytes of a file of the person's own: ten thousand rules fit
MANAGED = "/etc/hookkit/hookkit.toml"
GENESIS = os.path.join(".mentu", "genesis.key")
# Hooks that wait to be switched on, and what does so; a limit or a list of names alone does not.
OPTIONAL = {
    "track": (
        "sessions.enabled", "sessions.context", "sessions.dehydration", "sessions.preload", "sessions.injections",
        "sessions.dialogues", "sessions.directives", "sessions.guards", "sessions.subagents", "sessions.agents",
        "sessions.commands", "heartbeat.enabled", "overflow.enabled",
    ),
}  # fmt: skip
# All that a file's content could provoke: of a stranger's, none may cost us the other layers.
FAULTS = (HookkitError, OSError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
STRANGERS = ("project", "local")  # layers that come with a checkout


class Settings:
    """What the layers say, over the defaults.

    `untrusted` are a project's files whose stronger settings were left out, `broken` what is wrong with those that
    were left out whole: a project must not be able to switch hooks off with a typing mistake.
    """

    __slots__ = ("_compiled", "broken", "environ", "untrusted", "values")

    def __init__(self, environ: dict[str, str], compiled: "dict[str, Any] | None" = None) -> None:
        compiled = compiled or {}
        self.environ = environ
        self.values: dict[str, Any] = compiled.get("values", {})
        self.untrusted: list[str] = compiled.get("untrusted", [])
        self.broken: list[str] = compiled.get("broken", [])
        self._compiled = compiled

    def __getitem__(self, name: str) -> "Any":
        if name in self.values:
            return self.values[name]
        from hookkit.settings.keys import BY_NAME  # late: with no file and no question there is no need for the table

        return BY_NAME[name].default

    def value(self, name: str, *, in_run: bool) -> "Any":
        """A setting with two defaults: one for the hook called alone, one for `hookkit run`."""
        if name in self.values:
            return self.values[name]
        from hookkit.settings.keys import BY_NAME

        return BY_NAME[name].run_default if in_run else BY_NAME[name].default

    @property
    def policy(self) -> "dict[str, Any]":
        """The compiled rules: read when they are asked for, as most calls are far from all of them."""
        if "policy" not in self._rules():
            from hookkit.policy.rules import Rules  # late: most calls need no rules

            kept = jsons.loads(self._compiled["rules"])
            self._compiled["policy"] = {**kept, "rules": Rules(kept["rules"])}
        policy: dict[str, Any] = self._compiled["policy"]
        return policy

    @property
    def watch(self) -> "dict[str, Any] | None":
        """What a command must not say to be far from every rule; None where no command is."""
        watch: dict[str, Any] | None = self._rules()["watch"]
        return watch

    def is_idle(self, hook: str) -> bool:
        """Whether a hook would do nothing: then it need not even be loaded."""
        switches = OPTIONAL.get(hook)
        return switches is not None and not any(self.values.get(name) for name in switches)

    def is_due(self, kind: str, event: str) -> bool:
        """Whether there are rules of this type for this event at all; among those that ship there are none."""
        return f"{kind}:{event}" in self._compiled.get("due", ())

    def _rules(self) -> "dict[str, Any]":
        """Without any file the rules are those that ship, from a snapshot of their own."""
        if "watch" not in self._compiled:
            stamp = _ships()
            state = files.state_dir(self.environ)
            snapshot = os.path.join(state, "settings", "defaults.json") if state else ""
            kept = _kept(snapshot, stamp)
            if kept is None:
                kept = _compiled({})
                _keep(snapshot, {"stamp": stamp, **kept})
            self._compiled.update(kept)
        return self._compiled


def layers(project: str, environ: dict[str, str]) -> list[tuple[str, str]]:
    """Every layer's name and file, weakest first, whether the file exists or not."""
    base = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        home = files.home(environ)
        base = os.path.join(home, ".config") if home else ""
    found = [("user", os.path.join(base, "hookkit", "hookkit.toml"))] if base else []
    if project:
        found.append(("project", os.path.join(project, GENESIS)))
        found.append(("project", os.path.join(project, "hookkit.toml")))
        found.append(("local", os.path.join(project, "hookkit.local.toml")))
    return [*found, ("managed", MANAGED)]


def load(directory: str, environ: dict[str, str]) -> Settings:
    """The settings that hold in a directory; with no file anywhere this costs five stats."""
    project = files.repository(directory)
    sources = [(layer, path, _stamp(path)) for layer, path in layers(project, environ)]
    sources = [source for source in sources if source[2]]
    if not sources:
        return Settings(environ)
    state = files.state_dir(environ)
    sources.append(("", trust_file(environ), _stamp(trust_file(environ))))
    stamp = [*_ships(), [[path, stamp] for _, path, stamp in sources]]
    snapshot = os.path.join(state, "settings", files.safe_name(project) + ".json") if state else ""
    kept = _kept(snapshot, stamp)
    if kept is None or any(_stamp(path) != read for path, read in kept["reads"]):
        kept = compile_layers([(layer, path) for layer, path, _ in sources if layer], environ)
        _keep(snapshot, {"stamp": stamp, **kept})
    return Settings(environ, kept)


def _ships() -> "list[Any]":
    """What hookkit itself brings: an update makes every snapshot stale."""
    tables = os.path.join(os.path.dirname(os.path.dirname(__file__)), "policy", "base")
    names = sorted(name for name in os.listdir(tables) if name.endswith(".py"))
    return [FORMAT, __version__, [_stamp(os.path.join(tables, name)) for name in names]]


def _stamp(path: str) -> list[int]:
    """Changes whenever the file does; the change time cannot be set back by whoever writes the file."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):  # the second: no name that a file could have
        return []
    return [info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns]


def _kept(snapshot: str, stamp: "list[Any]") -> "dict[str, Any] | None":
    """A snapshot is two lines, the rules in the second: they are many, and only the guard may need them."""
    try:
        head, _, rules = files.read_own(snapshot, LIMIT * 8).partition(b"\n")
        kept = jsons.loads(head)
    except (OSError, HookkitError):
        return None
    return {**kept, "rules": rules} if isinstance(kept, dict) and kept.get("stamp") == stamp else None


def _keep(snapshot: str, content: "dict[str, Any]") -> None:
    """A snapshot that cannot be written only makes the next call slower."""
    from hookkit.policy.rules import pack

    head = {name: value for name, value in content.items() if name != "policy"}
    policy = {**content["policy"], "rules": pack(content["policy"].get("rules", []))}
    try:
        files.private_dir(os.path.dirname(os.path.dirname(snapshot)))
        files.private_dir(os.path.dirname(snapshot))
        files.write(snapshot, f"{jsons.dumps(head)}\n{jsons.dumps(policy)}".encode())
    except (OSError, TypeError, ValueError):  # the last two: something that JSON cannot hold
        return


def compile_layers(sources: list[tuple[str, str]], environ: dict[str, str]) -> "dict[str, Any]":
    """All layers as one; a mistake in the user's own or the managed file is an error."""
    compiled: dict[str, Any] = {"values": {}, "untrusted": [], "broken": [], "reads": []}
    for layer, path in sources:
        try:
            found, is_held_back = _layer(layer, path, environ, compiled["reads"])
            if layer in STRANGERS:
                _try(found)
        except FAULTS as error:
            if layer not in STRANGERS:
                raise
            compiled["broken"].append(str(error) if isinstance(error, ConfigError) else f"{path}: cannot be used")
            continue
        compiled["untrusted"] += [path] if is_held_back else []
        for row in found.get("rules", ()):
            row["source"] = path
        for name, value in found.items():
            compiled["values"][name] = _merge(value, compiled["values"].get(name))
    return {**compiled, **_compiled(compiled["values"])}


def _try(found: "dict[str, Any]") -> None:
    """What a stranger's file says must hold together by itself: taken in with the others, it would break them all."""
    from hookkit.policy.rules import compile_rules

    jsons.dumps(found)
    compile_rules({**found, "policy.base": False})


def _compiled(values: "dict[str, Any]") -> "dict[str, Any]":
    """The rules leave the other values: the policy is where they are kept."""
    from hookkit.policy.rules import compile_rules

    policy = compile_rules(values)
    for name in ("rules", "actors", "wrappers"):
        values.pop(name, None)
    return {"watch": policy.pop("watch"), "due": policy.pop("due"), "policy": policy}


def _layer(layer: str, path: str, environ: dict[str, str], reads: "list[Any]") -> "tuple[dict[str, Any], bool]":
    """What one file sets, and whether some of it waits for the person's trust; `reads` hears of files that it names."""
    from hookkit.inputs import user_schemas
    from hookkit.settings.keys import BY_NAME

    content = text(path, STRANGERS_LIMIT if layer in STRANGERS else LIMIT)
    found, problems = check(path, content)
    reads += user_schemas.reads(found)
    if problems:
        raise ConfigError(str(problems[0]))
    if layer in STRANGERS and "schemas" in found:
        found["schemas"] = user_schemas.tame(found["schemas"], files_only=True)
    if layer not in STRANGERS or is_trusted(path, content, environ):
        return found, False
    kept = {}
    for name, value in found.items():
        key = BY_NAME[name]
        strict = value if not key.trust else key.tighten(value) if key.tighten else None
        if strict is not None:
            kept[name] = strict
    return kept, kept != found


def check(path: str, content: str) -> "tuple[dict[str, Any], list[Problem]]":
    """What a layer's file sets and what is wrong with it, in whichever of the two formats it is."""
    if path.endswith(GENESIS):
        from hookkit.checking.formats import genesis

        return genesis.check(path, content)
    from hookkit.settings import mistakes

    return mistakes.check(path, content)


def _merge(value: "Any", weaker: "Any") -> "Any":
    """A stronger layer's value replaces a weaker one's; rows and tables add up, the stronger layer's first."""
    if isinstance(value, list) and weaker:
        return [*value, *(item for item in weaker if item not in value)]
    if isinstance(value, dict) and isinstance(weaker, dict):
        return {
            **{key: _merge(item, weaker.get(key)) for key, item in value.items()},
            **{key: item for key, item in weaker.items() if key not in value},
        }
    return value


def text(path: str, limit: int = LIMIT) -> str:
    try:
        raw = files.read(path, limit + 1)
        if len(raw) > limit:
            raise ConfigError(f"{path}: longer than {limit} bytes")
        return raw.decode().removeprefix("\ufeff")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'not a regular file'}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from None


def trust_file(environ: dict[str, str]) -> str:
    """Nothing where there is no home: then nobody can have trusted anything."""
    state = files.state_dir(environ)
    return os.path.join(state, "trust.json") if state else ""


def trust_key(path: str) -> str:
    """A pin is for this file in this project: a link to a trusted one is another file."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def is_trusted(path: str, content: str, environ: dict[str, str]) -> bool:
    """Trust is in the content: a file that changed since is a stranger's again."""
    return bool(trusted(environ).get(trust_key(path)) == digest(content))


def trusted(environ: dict[str, str]) -> "dict[str, Any]":
    try:
        pins = jsons.loads(files.read_own(trust_file(environ), LIMIT))
    except (OSError, HookkitError):
        return {}
    return pins if isinstance(pins, dict) else {}


def pin(environ: dict[str, str], changes: "dict[str, str | None]") -> None:
    """Set or take away pins; of many who do so at once, none loses another's."""
    import fcntl

    state = files.private_dir(files.state_dir(environ))
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(os.path.join(state, "trust.lock"), flags, 0o600), "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pins = {**trusted(environ), **changes}
        kept = {path: sum_ for path, sum_ in pins.items() if sum_ is not None}
        files.write(trust_file(environ), jsons.dumps(kept).encode())


def digest(content: str) -> str:
    from hashlib import sha256

    return sha256(content.encode()).hexdigest()
