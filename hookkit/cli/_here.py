"""The working directory of a command: the settings in force there, and short names for the places of rules."""

import os

from hookkit.cli._view import Text, Wide
from hookkit.settings import layers, trust
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.policy.types import Rule

BUILT_IN = "built in"  # the layer of shipped rules, for people


def home_path(path: str, environ: dict[str, str]) -> str:
    """The path as a person writes it."""
    home = files.home(environ).rstrip("/")
    return f"~{path[len(home) :]}" if home and f"{path}/".startswith(f"{home}/") else path


class Here:
    def __init__(self, environ: dict[str, str] | None = None) -> None:
        self.environ = dict(os.environ) if environ is None else environ
        self.cwd = os.getcwd()
        self.project = files.repository(self.cwd)
        self.settings = layers.load(self.cwd, self.environ)
        self.layers = {path: layer for layer, path in layers.layers(self.project, self.environ)}
        self.layers.update({path: "genesis" for path in self.layers if path.endswith(layers.GENESIS)})

    def layer(self, rule: "Rule") -> str:
        """The layer of a rule; a rule from elsewhere goes by the name of its source."""
        source = str(rule.get("source", ""))
        if source == "base":
            return source
        return self.layers.get(source) or ("actors" if source.startswith("actors.") else self.path(source))

    def rule(self, rule: "Rule") -> Text:
        """A rule for people: its pattern, its layer, and its actors."""
        who = f" for {', '.join(rule['actors'])}" if rule.get("actors") else ""
        layer = self.layer(rule)
        return Text.assemble(rule.get("match", "*"), (f"  {BUILT_IN if layer == 'base' else layer}{who}", "dim"))

    def rule_row(self, rule: "Rule") -> "dict[str, Any]":
        """A rule for programs: as written in its file, with its layer."""
        return {**rule, "layer": self.layer(rule)}

    def path(self, path: str) -> str:
        """A path as a person would write it from here."""
        if path == self.cwd:
            return "."
        inside = os.path.join(self.project, "")
        return path[len(inside) :] if self.project and path.startswith(inside) else home_path(path, self.environ)

    def warnings(self) -> list[Wide]:
        """The settings that are not in force: an answer without them would be half of one."""
        broken = [Wide(f"ignored {mistake}", "red") for mistake in self.settings.broken]
        waiting = [
            f"{self.path(path)} is {trust.untrusted(parts)}. {trust.way_out(path, self.environ)}"
            for path, parts in self.settings.untrusted.items()
        ]
        return broken + [Wide(text, "yellow") for text in waiting]
