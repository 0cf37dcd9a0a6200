"""One hookkit.toml, read once: its settings and its mistakes."""

import os

from hookkit.documents.toml_text import TomlDocument
from hookkit.settings import mistakes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.documents.finding import Finding


class TomlFile:
    """The loader uses `values`; `validate` also uses the document's tree."""

    def __init__(self, path: str, text: str) -> None:
        self.document = TomlDocument(path, text)
        self.values: dict[str, Any] = {}
        self.findings: list[Finding] = []
        if self.document.problem is not None:
            self.findings.append(self.document.problem)
            return
        self.values, defects = mistakes.check(self.document.data, os.path.dirname(path))
        self.findings += [self.document.finding(defect) for defect in defects]
