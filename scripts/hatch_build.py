"""A step of the wheel's build: the records of programs, compiled into the text that hooks search."""

import os
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogueBuildHook(BuildHookInterface[Any]):
    """Adds hookkit/programs/catalogue.txt to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # the catalogue is compiled again whenever a record changes
        sys.path.insert(0, self.root)
        from hookkit.programs import catalogue, compiling

        stamps = [(os.path.basename(path), os.stat(path)) for path in catalogue.sources()]
        text = compiling.headed(compiling.compiled(catalogue.sources()), stamps, timeless=True)
        with tempfile.NamedTemporaryFile(suffix=".txt", delete=False) as file:
            file.write(text)
        build_data["force_include"][file.name] = "hookkit/programs/catalogue.txt"
