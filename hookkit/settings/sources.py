"""Does everything that is configured have a live source? Parts that are set up, accepted, and could never work here.

Used by `validate`, `doctor`, `hook add`, `init` and at the start of a session. Events that the agent does not send to
hookkit are found in `wiring`.
"""

import re

from hookkit.policy.conditions import ROOTS, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from hookkit.settings.layers import Settings

OF_SESSIONS = ("effort", "commitment")  # facts that come from the session's effort
SWITCH = "switch sessions on: sessions.enabled = true"
VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def lacks(settings: "Settings") -> "Iterator[str]":
    """What has no source, each with the way out."""
    for rule in _gates(settings):
        condition = (rule.get("config") or {}).get("condition", "")
        for root in parse(condition).roots if condition else ():
            said = unsupplied(root, has_sessions=not settings.is_idle("track"))
            if said:
                yield f"approval_gate {condition!r}: {said}; {SWITCH if root in OF_SESSIONS else 'correct the name'}"
    for row in settings.values.get("hooks", ()):
        names = unlisted(row["body"].get("headers"), row["body"].get("allowed_env"))
        if row["kind"] == "webhook" and names:
            yield f"webhook {row['name']!r}: {says_unlisted(names)}; {how_to_list(names)}"


def _gates(settings: "Settings") -> "list[Any]":
    if not settings.has("approval_gate"):
        return []  # without loading the rules
    policy = settings.policy
    return [policy["rules"][numbers[0]] for numbers in policy["extra"].get("approval_gate", ())]


def unsupplied(root: str, *, has_sessions: bool) -> str:
    """Why nothing supplies a fact of a condition, or an empty text."""
    if root not in ROOTS:
        return f"there is no fact {root!r}"
    if root in OF_SESSIONS and not has_sessions:
        return f"sessions are off, so nothing supplies {root}"
    return ""


def unlisted(headers: object, allowed: object) -> list[str]:
    """Variables in the headers of a webhook that `allowed_env` does not list: they stay empty."""
    listed = allowed if isinstance(allowed, list) else ()
    texts: Iterable[object] = headers.values() if isinstance(headers, dict) else ()
    found = [name[1] or name[2] for text in texts for name in VARIABLE.finditer(str(text))]
    return [name for name in dict.fromkeys(found) if name not in listed]


def says_unlisted(names: list[str]) -> str:
    return f"allowed_env does not list {', '.join(names)}, so the header is sent without the value"


def how_to_list(names: list[str]) -> str:
    listed = ", ".join(f'"{name}"' for name in names)
    return f"add allowed_env = [{listed}]"
