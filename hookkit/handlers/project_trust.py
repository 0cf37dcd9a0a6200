"""Files of a project that trust is about: its settings, the files behind its handlers, those that define its commands.

`hookkit trust` shows and pins them, a lead signs them, and `simulate --trusted` pins them for its own state alone.
"""

import os
from typing import Any

from hookkit.errors import ConfigError
from hookkit.handlers import foreign
from hookkit.redirect import sources, tree
from hookkit.settings import hook_files, hook_rows, layers, reading, trust
from hookkit.settings.mistakes import TRUSTED

Row = dict[str, Any]


class ProjectTrust:
    """`settings` has the values of each settings file, `handlers` the rows behind each other file that runs.

    `commands` names the project's own commands that each file defines. Raises ConfigError for a settings file with a
    mistake, and for a file that cannot be read whole.
    """

    def __init__(self, project: str, environ: dict[str, str]) -> None:
        self.project = project
        paths = [path for layer, path in layers.layers(project, environ) if layer in layers.STRANGERS]
        self._pins: dict[str, str] = {}
        self.settings = {path: self._settings_of(path) for path in paths if os.path.isfile(path)}
        self.handlers = self._handlers()
        self.commands = sources.of_project(project)
        self._commands = self.command_pins()

    @property
    def pins(self) -> dict[str, str]:
        """The checksum of each file's content, by path."""
        return {**self._pins, **self._commands}

    def command_pins(self) -> dict[str, str]:
        """The checksums of the files that define commands, as far as they can be read whole, at this moment."""
        defining = [path for path, names in self.commands.items() if sources.UNKNOWN not in names]
        texts = {path: sources.content(path) for path in defining}
        return {path: trust.digest(text) for path, text in texts.items() if text is not None}

    def is_changed(self) -> bool:
        """Whether a file that defines commands changed since its commands were read."""
        return self.commands != sources.of_project(self.project) or self._commands != self.command_pins()

    def _settings_of(self, path: str) -> Row:
        text = reading.text_of(path)
        file = reading.read(path, text, TRUSTED)
        if file.findings:
            raise ConfigError("\n".join(str(finding) for finding in file.findings))
        self._pins[path] = trust.digest(text)
        return file.values

    def _handlers(self) -> dict[str, list[Row]]:
        """Claude Code's settings and skills, whose hooks other agents get, and every file that a handler names."""
        by_path = {path: list(rows) for path, rows in foreign.of_project(self.project).items()}
        self._pins |= {path: trust.digest(reading.text_of(path)) for path in by_path}
        written = [(path, row) for path, values in self.settings.items() for row in values.get("hooks", ())]
        rows = [hook_rows.normal(row, "project", path) for path, row in written]
        rows += [row for path, values in self.settings.items() for row in hook_files.checks(values, path)]
        for row in [*rows, *(row for rows in by_path.values() for row in rows)]:
            for path in foreign.named_files([row], self.project):
                if path not in self._pins:
                    self._pins[path] = _digest(path)
                    by_path[path] = []
                by_path[path] += [row] if row not in by_path[path] else []
        return by_path


def _digest(path: str) -> str:
    text = trust.content(path)
    if text is None:
        raise ConfigError(f"{path}: cannot be trusted: too large, or not readable")
    return trust.digest(text)


def pin(project: str, environ: dict[str, str]) -> ProjectTrust:
    """Trust the project as it is now, with the files that its commands run, in the state of this environment."""
    examined = ProjectTrust(project, environ)
    if examined.is_changed():
        raise ConfigError("a file changed while it was read: nothing was trusted. Run the command again")
    if examined.pins:
        trust.pin(environ, {trust.trust_key(path): digest for path, digest in examined.pins.items()})
        tree.keep(project, environ)
    return examined
