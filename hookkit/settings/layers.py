"""Finds the layers of hookkit.toml and loads them as one Settings object.

A hook reads the compiled settings from the cache and only stats their files. `compiling` runs after a file has changed,
and writes the cache: JSON, so a hook reads it in a fraction of a millisecond. A file of the cache is valid while the
stamps of its sources stay the same. A damaged one counts as missing.
"""

import os
import sys
from time import time

from hookkit import __version__
from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.policy.rules import Policy
    from hookkit.settings.judging import Memory

MANAGED = "/etc/hookkit/hookkit.toml"
OWN_FILES = ("cocode/hooks.toml", "cocode/hooks.json", "hookkit/hookkit.toml")  # below ~/.config
FLEET, FLEET_POLICY = "fleet", "fleet/policy.toml"  # the layer of a signed policy, and its file below the state
GENESIS = ".mentu/genesis.key"
OUTER = "outer"  # files of the session's repository, for a call outside of this repository
STRANGERS = ("project", "local", OUTER)  # layers that come with a checkout
PLACES = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")  # variables that lead to the person's own directories
# Hooks that are off by default, and the settings that switch them on; a limit or a list of names does not.
OPTIONAL = {
    "custom": ("hooks", "claude_hooks"),
    "shield": ("shield.enabled",),
    "budget": ("budget.tokens", "budget.dollars", "budget.failures"),
    "track": ("sessions.parts", "sessions.commands", "heartbeat.enabled", "overflow.enabled"),
    "gate": ("gate.commit", "gate.checks", "gate.promise", "gate.artefacts"),
}  # fmt: skip
OPTIONAL_RULES = {"gate": ("approval_gate", "command")}  # types of rules that switch an optional hook on
FORMAT = 21  # of the cache: a new number makes every older file stale
LIMIT = 64 << 20  # bytes
PACKAGE = os.path.dirname(os.path.dirname(__file__))
MOST_STAMPS = 8  # of hookkit itself: one for each place of the settings
SHAPE = {"values": dict, "untrusted": dict, "broken": list, "reads": list, "due": list}  # of the cache's head
memory: "Memory | None" = None  # a process that answers many calls keeps the settings here, ready parsed
_shipped: "dict[str, list[Any]]" = {}  # the same for the stamp of hookkit itself


class Settings:
    """The values of all layers, over the defaults.

    `untrusted` has the project files that are not trusted, each with the names of its parts that wait. `broken`
    describes every mistake in a layer, and the part of the file that was ignored because of it. `environ` never leads
    into the project.
    """

    __slots__ = ("_compiled", "_quiet", "broken", "environ", "untrusted", "values")

    def __init__(self, environ: dict[str, str], compiled: "dict[str, Any] | None" = None) -> None:
        compiled = compiled or {}
        self.environ = environ
        self.values: dict[str, Any] = compiled.get("values", {})
        self.untrusted: dict[str, list[str]] = compiled.get("untrusted", {})
        self.broken: list[str] = compiled.get("broken", [])
        self._compiled = compiled
        self._quiet: tuple[str, str, bool] | None = None  # the last look: the guard and the ledger ask about one line

    def elsewhere(self, environ: dict[str, str]) -> "Settings":
        """The same settings and rules for another environment: a simulation keeps its state in a place of its own."""
        return Settings(environ, self._rules())

    def __getitem__(self, name: str) -> "Any":
        if name in self.values:
            return self.values[name]
        from hookkit.settings.keys import BY_NAME  # late: most calls need no default

        return BY_NAME[name].default

    def value(self, name: str, *, in_run: bool) -> "Any":
        """A setting with two defaults: one for the hook called alone, one for `hookkit run`."""
        if name in self.values:
            return self.values[name]
        from hookkit.settings.keys import BY_NAME

        return BY_NAME[name].run_default if in_run else BY_NAME[name].default

    @property
    def policy(self) -> "Policy":
        """The compiled rules, parsed on first use: most calls never need them."""
        if "policy" not in self._rules():
            self._compiled["policy"] = policy_of(self._compiled["rules"])
        policy: Policy = self._compiled["policy"]
        return policy

    @property
    def watch(self) -> "dict[str, Any] | None":
        """Programs and second words that rules are about; None if a rule is about every command."""
        watch: dict[str, Any] | None = self._rules()["watch"]
        return watch

    def is_quiet(self, command: str, cwd: str) -> bool:
        """Whether no rule can be about this command line: then the engine need not be loaded."""
        if self._quiet is None or self._quiet[:2] != (command, cwd):
            from hookkit.policy import quick  # late: only calls with a command line ask

            self._quiet = (command, cwd, quick.is_quiet(command, self.watch, cwd, files.home(self.environ)))
        return self._quiet[2]

    def is_idle(self, hook: str, event: str = "") -> bool:
        """Whether the settings switch the hook off: then its module is not even loaded."""
        switches = OPTIONAL.get(hook)
        if switches is None or any(self.values.get(name) for name in switches):
            return False
        return not any(self.is_due(kind, event) for kind in OPTIONAL_RULES.get(hook, ()))

    @property
    def policy_digest(self) -> str:
        """Tells policies apart in the ledger; empty for a cached policy of an earlier version."""
        digest = self._rules().get("digest", "")
        return digest if isinstance(digest, str) else ""

    @property
    def policy_key(self) -> str:
        """Tells policies apart on this machine, with the files that only this one protects; or empty, as above."""
        rules = self._rules()
        return f"{rules['digest']} {rules['machine']}" if rules.get("digest") and rules.get("machine") else ""

    def is_due(self, kind: str, event: str) -> bool:
        """Whether any rule of this type is about this event. The shipped policy has no such rules."""
        return f"{kind}:{event}" in self._compiled.get("due", ())

    @property
    def has_extra(self) -> bool:
        """Whether any rule does more than allow, ask or deny."""
        return bool(self._compiled.get("due"))

    def has(self, kind: str) -> bool:
        """Whether any rule of this type is about any event."""
        return any(name.startswith(f"{kind}:") for name in self._compiled.get("due", ()))

    def _rules(self) -> "dict[str, Any]":
        """Without any file only the shipped rules count; they are cached on their own."""
        if "watch" not in self._compiled:
            path = _cache_file("defaults", self.environ)
            self._compiled.update(_compiled(path, shipped(self.environ), [], self.environ))
        return self._compiled


def layers(project: str, environ: dict[str, str], session: str = "") -> list[tuple[str, str]]:
    """The name and path of every layer, weakest first, including files that do not exist.

    `session` is the repository of the session, if it is another than the project. Its rules count too, or a new `.git`
    in a subdirectory would switch them off; outside of this repository only its strict settings count.
    """
    base = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        home = files.home(environ)
        base = os.path.join(home, ".config") if home else ""
    paths = [("user", f"{base.rstrip('/')}/{place}") for place in OWN_FILES] if base else []
    state = files.state_dir(environ)
    paths += [("session", f"{state}/hooks.toml")] if state else []
    if session:
        is_around = f"{project}/".startswith(f"{session.rstrip('/')}/")
        paths += [(layer if is_around else OUTER, path) for layer, path in _project_layers(session)]
    if project:
        paths += _project_layers(project)
    paths += [(FLEET, f"{state}/{FLEET_POLICY}")] if state else []
    return [*paths, ("managed", MANAGED)]


def _project_layers(project: str) -> list[tuple[str, str]]:
    project = project.rstrip("/")
    return [
        ("project", f"{project}/{GENESIS}"),
        ("project", f"{project}/.cocode/hooks.toml"),
        ("project", f"{project}/.cocode/hooks.json"),
        ("project", f"{project}/hookkit.toml"),
        ("local", f"{project}/hookkit.local.toml"),
    ]


def load(directory: str, environ: dict[str, str], project: str = "") -> Settings:
    """The settings for a directory in a session of `project`; without any file this costs a stat for each."""
    here = files.repository(directory)
    session = files.repository(project) if project and project != directory else here
    environ, refused = _own_places(environ, {here, session})
    session = "" if session == here else session
    sources = [(layer, path, files.stamp(path)) for layer, path in layers(here, environ, session)]
    sources = [source for source in sources if source[2]]
    if not sources:
        return Settings(environ, {"broken": refused} if refused else None)
    files_read = [[path, read] for _, path, read in sources]
    stamp = [*shipped(environ), files_read, files.stamp(trust_file(environ))]
    path = _cache_file(files.safe_name(f"{here}:{session}" if session else here), environ)
    compiled = _compiled(path, stamp, [(layer, path) for layer, path, _ in sources], environ)
    return Settings(environ, {**compiled, "broken": [*refused, *compiled["broken"]]})


def _compiled(
    path: str, stamp: "list[Any]", sources: list[tuple[str, str]], environ: dict[str, str]
) -> "dict[str, Any]":
    """The settings from a file of the cache, or compiled anew."""
    compiled = read_compiled(path, stamp)
    if compiled is None or _is_stale(compiled):
        from hookkit.settings import compiling

        compiled = compiling.renew(path, stamp, sources, environ)
    return compiled


def _is_stale(compiled: "dict[str, Any]") -> bool:
    """Whether a file behind the settings changed, or a signature is due to be checked again."""
    return 0 < compiled.get("until", 0) < time() or any(files.stamp(path) != read for path, read in compiled["reads"])


def _own_places(environ: dict[str, str], projects: set[str]) -> tuple[dict[str, str], list[str]]:
    """The environment without own directories inside a project: the project's files would count as the person's."""
    if not is_any_inside([environ[name] for name in PLACES if name in environ], projects):
        return environ, []
    from hookkit.settings import trust

    return trust.own_places(environ, projects)


def is_inside(path: str, directories: set[str]) -> bool:
    """Whether a path is one of the directories or below."""
    return is_any_inside([path], directories)


def is_any_inside(paths: list[str], directories: set[str]) -> bool:
    """The same for several paths. The kernel follows links and `..`, faster than realpath.

    The paths share most of the directories above: each is looked at once.
    """
    wanted = {_identity(directory) for directory in directories}
    outside: set[tuple[int, ...]] = set()
    for path in sorted(paths, key=len, reverse=True):
        name, identity = path, _identity(path)
        while not identity and len(name) > 1 and os.path.isabs(name):  # not made yet: its parent decides
            name = os.path.dirname(name)
            identity = _identity(name)
        while identity and identity not in outside:
            if identity in wanted:
                return True
            outside.add(identity)
            name += "/.."
            identity = _identity(name)
    return False


def _identity(path: str) -> tuple[int, ...]:
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return ()
    return info.st_dev, info.st_ino


def trust_file(environ: dict[str, str]) -> str:
    """The pins of trusted files. Empty without a home: then no file can be trusted."""
    state = files.state_dir(environ)
    return os.path.join(state, "trust.json") if state else ""


def _cache_file(name: str, environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, "settings", f"{name}.json") if state else ""


# -- the cache --


def shipped(environ: dict[str, str]) -> "list[Any]":
    """The stamp of hookkit itself and of the places that it protects: a change makes every cached file stale."""
    wired = files.stamp(os.path.join(files.state_dir(environ), "wiring"))
    base = environ.get("XDG_CONFIG_HOME") or f"{files.home(environ)}/.config"  # the launcher names the usual one, too
    if memory is not None and base in _shipped:
        return [*_shipped[base], wired]  # the server watches its own files itself
    tables = [os.path.join(PACKAGE, "policy", "base"), os.path.join(PACKAGE, "programs")]
    paths = [
        os.path.join(table, name) for table in tables for name in sorted(os.listdir(table)) if name[-5:] == ".toml"
    ]
    places = [sys.executable or "", base]  # a program that calls `judge` shares them with its interpreter's hooks
    parts = [FORMAT, __version__, places, [files.stamp(path) for path in paths]]
    if memory is not None and len(_shipped) < MOST_STAMPS:
        _shipped[base] = parts
    return [*parts, wired]


def read_compiled(path: str, stamps: "list[Any]") -> "dict[str, Any] | None":
    """The settings with these stamps. The last lines of the file have the rules: only the guard may need them."""
    content = memory.get(path) if memory is not None else None
    if content is None or content["stamp"] != stamps:
        content = _parsed(path, stamps)
        if content is not None and memory is not None:
            content["policy"] = policy_of(content.pop("rules"))
            memory.put(path, content.pop("size"), content)
    return content


def policy_of(text: bytes) -> "Policy":
    from hookkit.policy import rules  # late: most calls need no rules

    return rules.loads(text, memory.shared if memory is not None else None)


def _parsed(path: str, stamps: "list[Any]") -> "dict[str, Any] | None":
    try:
        seal, _, body = files.read_own(path, LIMIT).partition(b"\n")
        head, _, rules = body.partition(b"\n")
        head_fields = jsons.loads(head) if _is_sealed(seal, body) else None
    except (OSError, HookkitError):
        return None
    if not isinstance(head_fields, dict) or head_fields.get("stamp") != stamps or "watch" not in head_fields:
        return None
    is_whole = all(isinstance(head_fields.get(name), kind) for name, kind in SHAPE.items())
    return {**head_fields, "rules": rules, "size": len(body)} if is_whole else None


def _is_sealed(seal: bytes, body: bytes) -> bool:
    tag, _, sums = seal.decode("ascii", "replace").partition(" ")
    quick, _, slow = sums.partition(" ")
    return quick == quick_sum(body) if tag == sys.implementation.cache_tag else slow == files.checksum(body)


def quick_sum(body: bytes) -> str:
    """The hash behind importlib.util.source_hash, from a module that every interpreter has loaded."""
    from _imp import source_hash

    return source_hash(FORMAT, body).hex()
