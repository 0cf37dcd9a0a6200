"""A hookkit.toml, read once: its settings and its mistakes."""

import os

from hookkit.documents.finding import Finding
from hookkit.documents.toml_text import TomlDocument
from hookkit.settings import budget
from hookkit.settings.mistakes import OWN, UNTRUSTED, SettingsCheck

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 100  # findings for one file


class TomlFile:
    """The loader uses `values`; `validate` also uses the document's tree. `errors` counts all mistakes."""

    def __init__(self, path: str, text: str, standing: str = OWN) -> None:
        self.values: dict[str, Any] = {}
        self.findings: list[Finding] = []
        self.errors = 0
        self.waits = False
        over = budget.of_text(text) if standing == UNTRUSTED else ""
        if not over:
            self.document = TomlDocument(path, text)
            over = self._read(os.path.dirname(path), standing)
        if over:
            self.values = {}
            self.findings, self.errors = [Finding(path, (1, 1), over, budget.FIX)], 1

    def _read(self, directory: str, standing: str) -> str:
        """Check the data; returns a message if the file needs too much work."""
        document = self.document
        if document.problem is not None:
            self.findings, self.errors = [document.problem], 1
            return ""
        over = budget.of_data(document.data) if standing == UNTRUSTED else ""
        if over:
            return over
        checked = SettingsCheck(document.data, directory, standing)
        self.values, self.waits, self.errors = checked.values, checked.waits, len(checked.defects)
        self.findings = [document.finding(defect) for defect in checked.defects[:MOST]]
        return ""
