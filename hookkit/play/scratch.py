"""Scratch places for rows: no row sees the files of another, and no row leaves a file in your project."""

import json
import os
import re
import shutil
import tempfile
from typing import Any

from hookkit.errors import ConfigError
from hookkit.handlers import project_trust
from hookkit.policy import protected
from hookkit.redirect import toolchains, tree
from hookkit.settings import layers
from hookkit.system import files

PLACES = re.compile(r"(?<!\$)\{(project|home)\}")
STAND_IN = "#!/bin/sh\nexit 127\n"


def _outside() -> str | None:
    """A place for scratch directories outside of the project: hookkit keeps no state inside. None: the usual place."""
    if not layers.is_inside(tempfile.gettempdir(), {files.repository(os.getcwd())}):
        return None
    state = files.state_dir(dict(os.environ))
    return files.private_dir(state) if state else None


class Scratch:
    """A project of the row's own, or the working directory, with a state directory that is deleted afterwards.

    Without `programs`, rules of type command are left out: then no program of the user's own runs. With `any_machine`,
    the programs of every toolchain count as installed. With `borrows`, a row in the working directory reads the
    person's own cache of the settings, which saves compiling every rule. With `trusted`, the project's settings
    apply as if a person had trusted them, so that rows mean the same on every machine; nothing is borrowed then.
    """

    def __init__(
        self,
        row: dict[str, Any],
        *,
        programs: bool = True,
        any_machine: bool = True,
        borrows: bool = False,
        trusted: bool = False,
    ) -> None:
        self.programs = programs
        self.borrows = borrows and not trusted
        self.is_own = any(key in row for key in ("files", "links", "pattern"))
        self.directory = os.path.realpath(tempfile.mkdtemp(prefix="hookkit-", dir=_outside()))
        self.project = os.path.join(self.directory, "project") if self.is_own else os.getcwd()
        self.environ = {
            **os.environ,
            "XDG_STATE_HOME": os.path.join(self.directory, "state"),
            "HOOKKIT_SESSION_DIR": os.path.join(self.directory, "sessions"),
            "CLAUDE_CONFIG_DIR": os.path.join(self.directory, "claude"),
        }
        if self.is_own:
            self._move_home()
            self._make_files(row)
        elif not trusted:
            self._copy_trust()
        if trusted:
            project_trust.pin(files.repository(self.project), self.environ)
        if any_machine:
            self.environ["PATH"] = os.pathsep.join([self.environ.get("PATH", os.defpath), self._stand_ins()])
        self.environ.update(self.fill(row.get("environ", {})))
        self.cwd = os.path.normpath(os.path.join(self.project, self.fill(row.get("cwd", ""))))

    def __enter__(self) -> "Scratch":  # noqa: PYI034 - Self is younger than 3.10
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)

    def fill(self, value: Any) -> Any:
        """The value with the real paths in place of {project} and {home}."""
        places = {"project": self.project, "home": files.home(self.environ)}
        return json.loads(PLACES.sub(lambda found: json.dumps(places[found[1]])[1:-1], json.dumps(value)))

    def unfill(self, value: Any) -> Any:
        """The value with {project} in place of the real path, so that replies compare equal."""
        return json.loads(json.dumps(value).replace(json.dumps(self.project)[1:-1], "{project}"))

    def _move_home(self) -> None:
        for name in ("HOOKKIT_SESSION_DIR", "HOOKKIT_ACTOR"):
            self.environ.pop(name, None)
        config = os.path.join(self.directory, "config")
        self.environ.update(HOME=self.directory, CLAUDE_PROJECT_DIR=self.project, XDG_CONFIG_HOME=config)

    def _stand_ins(self) -> str:
        """A directory with every toolchain's programs: a row means the same on a machine that lacks some of them.

        It stands last in PATH, so that the row's own programs find the real ones. To play a machine without a program,
        set PATH in the row's `environ`.
        """
        directory = os.path.join(self.directory, "stand-ins")
        os.mkdir(directory)
        first = os.path.join(directory, "make")
        with open(first, "w", encoding="utf-8") as file:
            file.write(STAND_IN)
        os.chmod(first, 0o700)
        for name in sorted((toolchains.PROGRAMS | toolchains.BY_TOOL.keys()) - {"make"}):
            os.link(first, os.path.join(directory, name))
        return directory

    def _make_files(self, row: dict[str, Any]) -> None:
        os.makedirs(os.path.join(self.project, ".git"))
        for name, text in row.get("files", {}).items():
            with open(self._new_path(name), "w", encoding="utf-8") as file:
                file.write(text)
        for name, target in row.get("links", {}).items():
            os.symlink(self.fill(target), self._new_path(name))

    def _new_path(self, name: str) -> str:
        """A row may only make files below its own directory: an untrusted row is data, not a program."""
        path = os.path.normpath(os.path.join(self.project, self.fill(name)))
        if not files.inside(os.path.dirname(path), self.directory):
            raise ConfigError(f"{name} is not in the row's own project")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def _copy_trust(self) -> None:
        """The trust that the person has given holds in a simulation as well."""
        pins = layers.trust_file(dict(os.environ))
        if os.path.isfile(pins):
            copy = layers.trust_file(self.environ)
            os.makedirs(os.path.dirname(copy), mode=0o700, exist_ok=True)
            shutil.copyfile(pins, copy)
        self._link_state()

    def _link_state(self) -> None:
        """The protected set and the noted files of trusted projects are the person's own, as for a live hook."""
        mine, theirs = files.state_dir(dict(os.environ)), files.state_dir(self.environ)
        if mine:
            os.makedirs(theirs, mode=0o700, exist_ok=True)
            for name in (protected.RECORDS, tree.FOLDER):
                os.symlink(os.path.join(mine, name), os.path.join(theirs, name))
