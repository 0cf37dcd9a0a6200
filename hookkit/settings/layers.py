"""Finds the layers of hookkit.toml and loads them as one Settings object.

A hook reads a snapshot and only stats the files behind it. `compiling` runs after a file has changed.
"""

import os

from hookkit.settings import snapshot
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MANAGED = "/etc/hookkit/hookkit.toml"
GENESIS = os.path.join(".mentu", "genesis.key")
# Hooks that are off by default, and the settings that switch them on; a limit or a list of names does not.
OPTIONAL = {
    "track": (
        "sessions.enabled", "sessions.context", "sessions.dehydration", "sessions.preload", "sessions.injections",
        "sessions.dialogues", "sessions.directives", "sessions.guards", "sessions.subagents", "sessions.agents",
        "sessions.commands", "heartbeat.enabled", "overflow.enabled",
    ),
}  # fmt: skip


class Settings:
    """The values of all layers, over the defaults.

    `untrusted` lists project files whose stronger settings were left out. `broken` describes mistakes in project files
    that were left out: a typing mistake in a project must not switch hooks off.
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
        from hookkit.settings.keys import BY_NAME  # late: most calls need no default

        return BY_NAME[name].default

    @property
    def policy(self) -> "dict[str, Any]":
        """The compiled rules, parsed on first use: most calls never need them."""
        if "policy" not in self._rules():
            self._compiled["policy"] = jsons.loads(self._compiled["rules"])
        policy: dict[str, Any] = self._compiled["policy"]
        return policy

    @property
    def watch(self) -> "dict[str, Any] | None":
        """Programs and second words that rules are about; None if a rule is about every command."""
        watch: dict[str, Any] | None = self._rules()["watch"]
        return watch

    def is_idle(self, hook: str) -> bool:
        """Whether the settings switch the hook off: then its module is not even loaded."""
        switches = OPTIONAL.get(hook)
        return switches is not None and not any(self.values.get(name) for name in switches)

    def is_due(self, kind: str, event: str) -> bool:
        """Whether any rule of this type is about this event. The shipped policy has no such rules."""
        return f"{kind}:{event}" in self._compiled.get("due", ())

    def _rules(self) -> "dict[str, Any]":
        """Without any file only the shipped rules count; they have a snapshot of their own."""
        if "watch" not in self._compiled:
            stamp = snapshot.shipped()
            place = _snapshot_of("defaults", self.environ)
            kept = snapshot.kept(place, stamp)
            if kept is None:
                from hookkit.settings import compiling

                kept = compiling.compile_values({})
                snapshot.keep(place, {"stamp": stamp, **kept})
            self._compiled.update(kept)
        return self._compiled


def layers(project: str, environ: dict[str, str]) -> list[tuple[str, str]]:
    """The name and path of every layer, weakest first, including files that do not exist."""
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
    """The settings for a directory; without any file this costs five stats."""
    project = files.repository(directory)
    sources = [(layer, path, snapshot.stamp(path)) for layer, path in layers(project, environ)]
    sources = [source for source in sources if source[2]]
    if not sources:
        return Settings(environ)
    files_read = [[path, read] for _, path, read in sources]
    stamp = [*snapshot.shipped(), files_read, snapshot.stamp(trust_file(environ))]
    place = _snapshot_of(files.safe_name(project), environ)
    kept = snapshot.kept(place, stamp)
    if kept is None or any(snapshot.stamp(path) != read for path, read in kept["reads"]):
        from hookkit.settings import compiling

        kept = compiling.compile_layers([(layer, path) for layer, path, _ in sources], environ)
        snapshot.keep(place, {"stamp": stamp, **kept})
    return Settings(environ, kept)


def trust_file(environ: dict[str, str]) -> str:
    """The pins of trusted files. Empty without a home: then no file can be trusted."""
    state = files.state_dir(environ)
    return os.path.join(state, "trust.json") if state else ""


def _snapshot_of(name: str, environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, "settings", f"{name}.json") if state else ""
