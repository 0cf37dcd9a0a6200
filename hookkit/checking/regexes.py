"""Regular expressions of JavaScript and Rust, checked with Python's engine after a few changes of spelling."""

import re

from hookkit.settings.rule_parts import wrong_regex

# Spellings of JavaScript with their equivalent in Python, only for the check.
JAVASCRIPT = (
    (r"\(\?<(?=[A-Za-z_$])", "(?P<"),
    (r"\\k<(\w+)>", r"(?P=\1)"),
    (r"\\[pP]\{[^}]*\}|\\u\{[0-9A-Fa-f]+\}", "x"),
    (r"\[\^\]", r"[\\s\\S]"),
    (r"(?<!\\)\[\]", r"[^\\s\\S]"),
    (r"\\([A-Za-z])(?<![dDwWsSbBnrtfvxu])", r"\1"),
)
NOT_JAVASCRIPT = r"(?<!\\)\(\?(?:P[<=]|[aiLmsux]+\)|#|>)|(?<!\\)(?:[*+?]|\{\d+(?:,\d*)?\})\+"
NOT_RUST = r"(?<!\\)\(\?(?:[=!]|<[=!])|\\[1-9]"


def wrong_javascript(source: str) -> str:
    foreign = re.search(NOT_JAVASCRIPT, source)
    if foreign:
        return f"not a regular expression of JavaScript: {foreign.group()} at position {foreign.start()}"
    for pattern, written in JAVASCRIPT:
        source = re.sub(pattern, written, source)
    return wrong_regex(source)


def wrong_rust(source: str) -> str:
    foreign = re.search(NOT_RUST, source)
    if foreign:
        return f"Rust has no look-around and no back references: {foreign.group()}"
    return wrong_regex(source)
