"""A key for the text of a failure: equal for two texts that differ only in times, sizes or temporary paths.

Counts stay in the key: `3 failed` and `2 failed` are different failures.
"""

import re

NUMBER = r"(?<![\d,.])\d[\d,]*(?:\.\d+)?"  # from its first digit on, so the time is linear in the text
DURATION = rf"{NUMBER} ?(?:ns|[uµμ]s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)"
SIZE = rf"{NUMBER} ?(?:[kKMGT]i?B|[kKMGT]|B|bytes?|octets)(?:/s(?:ec)?)?"
TEMPORARY = r"/(?:tmp|var/tmp|private/tmp|private/var/folders|var/folders|run/user|dev/shm)/[^\s'\":,)\]>]*"
# One row for each kind of value that changes from run to run; the first row that fits a place wins.
VALUES = (
    TEMPORARY,
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?",  # 2026-11-17T22:18:29Z
    r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?",  # 22:18:29
    rf"(?:{DURATION})(?: ?{DURATION})*(?![\w%])",  # 1m 23.4s
    rf"{SIZE}(?![\w%])",
    r"\b0x[0-9a-fA-F]+",
)
CHANGING = re.compile("|".join(f"(?:{value})" for value in VALUES))


def key(text: str, environ: dict[str, str]) -> str:
    """The text with a mark in place of every changing value."""
    scratch = environ.get("TMPDIR", "").rstrip("/")
    if len(scratch) > 1:
        text = re.sub(re.escape(scratch) + r"/[^\s'\":,)\]>]*", "#", text)
    return CHANGING.sub("#", text)
