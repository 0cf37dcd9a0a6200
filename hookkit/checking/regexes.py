"""Regular expressions of three engines, tried in our own: what it refuses, they refuse, but for a few spellings."""

import re
import warnings

# What JavaScript writes otherwise, as Python writes it: only to see whether the rest holds together.
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


def wrong_python(source: str, replacement: str = "") -> str:
    """What is wrong with an expression or with what it is replaced by, or nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(source).sub(replacement, "")
    except (re.error, IndexError, RecursionError, OverflowError) as error:
        return f"not a regular expression: {error}"
    return ""


def wrong_javascript(source: str) -> str:
    foreign = re.search(NOT_JAVASCRIPT, source)
    if foreign:
        return f"not a regular expression of JavaScript: {foreign.group()} at position {foreign.start()}"
    for pattern, written in JAVASCRIPT:
        source = re.sub(pattern, written, source)
    return wrong_python(source)


def wrong_rust(source: str) -> str:
    foreign = re.search(NOT_RUST, source)
    if foreign:
        return f"look-around and back references are not known there: {foreign.group()}"
    return wrong_python(source)
