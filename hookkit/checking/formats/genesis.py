"""Mentu's genesis.key for `validate`: the loader's own findings, with warnings about conditions."""

import re

from hookkit.checking import conditions
from hookkit.checking.formats import LIKELY, NO, by_name
from hookkit.documents.report import FileReport
from hookkit.settings.genesis import GenesisFile


def claim(path: str, text: str) -> int:
    return by_name(path, "*genesis*.key") or (
        LIKELY if re.search(r"^(?:version|hooks|permissions):", text, re.MULTILINE) else NO
    )


def examine(path: str, text: str) -> FileReport:
    file = GenesisFile(path, text)
    facts = [each for element in file.conditions for each in conditions.remarks(path, element, file.lines)]
    return FileReport(path, [*file.found, *facts], file.written, file.values)
