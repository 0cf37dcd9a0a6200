"""The working directory of a command: the settings in force there, and short names for the places of rules."""

import os
from typing import Any

from hookkit.cli._console import Console, Text, stop
from hookkit.errors import ConfigError
from hookkit.settings import layers, trust
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Rule


class Here:
    def __init__(self) -> None:
        self.environ = dict(os.environ)
        self.cwd = os.getcwd()
        self.project = files.repository(self.cwd)
        self.settings = layers.load(self.cwd, self.environ)
        self.layers = {path: layer for layer, path in layers.layers(self.project, self.environ)}
        self.layers.update({path: "genesis" for path in self.layers if path.endswith(layers.GENESIS)})

    def layer(self, rule: "Rule") -> str:
        """The layer of a rule; a rule from elsewhere goes by the name of its source."""
        source = str(rule.get("source", ""))
        return self.layers.get(source) or ("actors" if source.startswith("actors.") else self.path(source))

    def rule(self, rule: "Rule") -> Text:
        """A rule for people: its pattern, its layer, and its actors."""
        who = f" for {', '.join(rule['actors'])}" if rule.get("actors") else ""
        return Text.assemble(rule.get("match", "*"), (f"  {self.layer(rule)}{who}", "dim"))

    def rule_row(self, rule: "Rule") -> dict[str, Any]:
        """A rule for programs: as written in its file, with its layer."""
        return {**rule, "layer": self.layer(rule)}

    def path(self, path: str) -> str:
        """A path as a person would write it from here."""
        if path == self.cwd:
            return "."
        for root, name in ((self.project, ""), (files.home(self.environ), "~/")):
            if root and path.startswith(root.rstrip("/") + "/"):
                return name + path[len(root.rstrip("/")) + 1 :]
        return path

    def warn(self, out: Console) -> None:
        """Name the settings that are not in force: an answer without them would be half of one."""
        for said in self.settings.broken:
            out.print(f"left out {said}", style="red", soft_wrap=True)
        for path in self.settings.untrusted:
            said = f"{self.path(path)} is not trusted yet: {trust.UNTRUSTED}."
            out.print(f"{said} Read it, then run: hookkit trust", style="yellow", soft_wrap=True)


def here() -> Here:
    """The settings of the working directory; if they cannot be read, the command ends."""
    try:
        return Here()
    except ConfigError as error:
        stop(error)
