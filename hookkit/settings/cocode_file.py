"""cocode's own files, hooks.toml and hooks.json, as a layer of settings: their rows are rows of `[[hooks]]`."""

import json
import os

from hookkit.documents.finding import Defect, Finding
from hookkit.documents.toml_text import TomlDocument
from hookkit.settings import budget, hook_formats
from hookkit.settings.mistakes import OWN, UNTRUSTED, SettingsCheck

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 100  # findings for one file


class CocodeFile:
    """`values` for the loader, `findings` for the person, as in a TomlFile."""

    def __init__(self, path: str, text: str, standing: str = OWN) -> None:
        self.path = path
        self.values: dict[str, Any] = {}
        self.findings: list[Finding] = []
        self.waits = False
        over = (budget.of_text(text) or budget.of_yaml(text)) if standing == UNTRUSTED else ""
        if over:
            self.findings = [Finding(path, (1, 1), over, budget.FIX)]
        elif path.endswith(".json"):
            self._json(text, standing)
        else:
            self._toml(text, standing)
        self.errors = len(self.findings)

    def _toml(self, text: str, standing: str) -> None:
        document = TomlDocument(self.path, text)
        if document.problem is not None:
            self.findings = [document.problem]
            return
        checked = self._check(hook_formats.of_cocode(document.data), standing)
        self.findings = [document.finding(defect) for defect in checked[:MOST]]

    def _json(self, text: str, standing: str) -> None:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            self.findings = [Finding(self.path, (1, 1), f"not JSON: {error}")]
            return
        found = hook_formats.of_client(data if isinstance(data, dict) else {})
        self.findings = [Finding(self.path, (1, 1), defect.message) for defect in self._check(found, standing)[:MOST]]

    def _check(self, found: hook_formats.Hooks, standing: str) -> list[Defect]:
        checked = SettingsCheck(found.data, os.path.dirname(self.path), standing)
        self.values, self.waits = checked.values, checked.waits
        return [*checked.defects, *(Defect((), said, part="field") for said in found.lost)]
