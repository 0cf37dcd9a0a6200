"""Cosmetic arguments: they change how a run looks, not what runs. Only these may be dropped.

The columns `cosmetic`, `everything` and `whole` of a program's record say which.
"""

from hookkit.programs.catalogue import SHIPPED
from hookkit.programs.options import read_option
from hookkit.programs.words import is_option

RECORDS = {"script": "npm run", "maven": "mvn"}  # families of commands with a record of another name


def is_cosmetic(words: list[str | None], family: str) -> bool:
    """Whether a run with these arguments is the same run as a run without them."""
    record = SHIPPED.get(RECORDS.get(family, family))
    cosmetic, everything, whole = record.words_of("cosmetic"), record.words_of("everything"), record.text("whole")
    if whole and whole not in words:  # without this operand the command covers only a part of the project
        return False
    place = 0
    while place < len(words):
        word = words[place]
        following = words[place + 1] if place + 1 < len(words) else None
        place += 1
        if word is None:
            return False
        if word in everything or (word in cosmetic and word not in record.value):
            continue
        if not is_option(word):
            return False
        options, taken = read_option(word, following, record)
        if any(option not in cosmetic or (option in record.value and value is None) for option, value in options):
            return False
        place += taken
    return True
