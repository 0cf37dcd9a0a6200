"""Reads a settings file in either format: the text, then its settings and mistakes."""

import os

from hookkit.errors import ConfigError
from hookkit.settings.documents.finding import Finding
from hookkit.settings.documents.toml_text import TomlDocument
from hookkit.settings.layers import GENESIS
from hookkit.settings.mistakes import OWN, TOO_MUCH, UNTRUSTED, SettingsCheck, data_excess, text_excess
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.formats.cocode import CocodeFile
    from hookkit.settings.formats.genesis import GenesisFile


MOST = 100  # findings for one file


class TomlFile:
    """The loader uses `values`; `validate` also uses the document's tree. `errors` counts all mistakes."""

    def __init__(self, path: str, text: str, standing: str = OWN) -> None:
        self.values: dict[str, Any] = {}
        self.findings: list[Finding] = []
        self.errors = 0
        self.waits: list[str] = []
        over = text_excess(text) if standing == UNTRUSTED else ""
        if not over:
            self.document = TomlDocument(path, text)
            over = self._read(os.path.dirname(path), standing)
        if over:
            self.values = {}
            self.findings, self.errors = [Finding(path, (1, 1), over, TOO_MUCH)], 1

    def _read(self, directory: str, standing: str) -> str:
        """Check the data; returns a message if the file needs too much work."""
        document = self.document
        if document.problem is not None:
            self.findings, self.errors = [document.problem], 1
            return ""
        over = data_excess(document.data) if standing == UNTRUSTED else ""
        if over:
            return over
        checked = SettingsCheck(document.data, directory, standing)
        self.values, self.waits, self.errors = checked.values, checked.waits, len(checked.defects)
        self.findings = [document.finding(defect) for defect in checked.defects[:MOST]]
        return ""


LIMIT = 8 << 20  # bytes of a person's own file: ten thousand rules fit
STRANGERS_LIMIT = 1 << 18  # bytes of a file that came with a checkout
SAID = 5  # mistakes of a file told to the person


def read(path: str, text: str, standing: str = OWN) -> "TomlFile | GenesisFile | CocodeFile":
    """The file with `values` and `findings`; the name tells the format."""
    if path.endswith(GENESIS):
        from hookkit.settings.formats.genesis import GenesisFile  # late: PyYAML is slow to load

        return GenesisFile(path, text, standing)
    if is_cocode(path):
        from hookkit.settings.formats.cocode import CocodeFile

        return CocodeFile(path, text, standing)

    return TomlFile(path, text, standing)


def is_cocode(path: str) -> bool:
    """Whether the file is cocode's own: it lies in a directory of cocode."""
    directory, _, name = path.rpartition("/")
    return directory.rpartition("/")[2] in ("cocode", ".cocode") and name in ("hooks.toml", "hooks.json")


def complaints(path: str, file: "TomlFile | GenesisFile | CocodeFile") -> list[str]:
    """The mistakes for the person, each with the ignored part of the file."""
    lines = []
    for finding in file.findings[:SAID]:
        rest = f"this {finding.part} is ignored" if finding.part else "the rest of the file counts"
        lines.append(f"{finding}; {rest}")
    more = file.errors - len(lines)
    return [*lines, f"{path}: {more} more mistakes, see: hookkit validate"] if more > 0 else lines


def text_of(path: str, limit: int = LIMIT) -> str:
    try:
        raw = files.read(path, limit + 1)
        if len(raw) > limit:
            raise ConfigError(f"{path}: longer than {limit} bytes")
        return raw.decode().removeprefix("\ufeff")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'not a regular file'}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from None
