"""Texts for a row of the ledger: masked first, then cut to the space left."""

from hookkit.system import jsons, masking
from hookkit.system.masking import MASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BYTES = 40_000  # of all texts of a row together
SEARCHED = 200_000  # characters of an event to search for secrets, including texts cut away later
LONGEST = 4_000  # characters of a text
ITEMS = 50  # of a list
DEEP = 6  # levels of nesting
SMALL = 24  # bytes charged for a number with its key
BIGGEST = 1e18
LABELS = ("name", "key", "field", "element", "label", "header", "type", "selector")  # keys whose value names a field
HOLDING = frozenset("value values text".split())  # keys with the value of a labelled field


class Allowance:
    """The space left in a row: the first texts are kept whole, later ones are cut."""

    def __init__(self, size: int = BYTES) -> None:
        self.left = size
        self.searched = 0

    def text(self, text: str, limit: int = LONGEST) -> str:
        """Masked before the cut: half a secret is not recognised."""
        if self.searched > SEARCHED:
            return "…"
        self.searched += min(len(text), limit + masking.WIDE)
        cut, whole = masking.cut(text, limit)
        cost = len(jsons.dumps(cut))
        if cost > self.left:
            cut, whole = cut[: max(0, self.left // 12)], False
            cost = len(jsons.dumps(cut))
        self.left -= cost
        return cut if whole else f"{cut}…"

    def value(self, value: "Any", key: str = "") -> "Any":
        """Any JSON value. Below a key like `password` every value is masked."""
        return self._value(value, masking.weight(key), 0)

    def _value(self, value: "Any", weight: str, depth: int) -> "Any":
        self.left -= SMALL
        if self.left <= 0:
            return "…"
        if isinstance(value, dict) and depth < DEEP:
            return self._object(value, weight, depth + 1)
        if isinstance(value, list) and depth < DEEP:
            return self._list(value[:ITEMS], weight, depth + 1)
        if weight and _is_secret(weight, value):
            return MASK
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (int, float)) and not -BIGGEST < value < BIGGEST:
            return None  # NaN, infinity, or too large for SQLite
        return value if value is None or isinstance(value, (bool, int, float)) else "…"

    def _list(self, value: "list[Any]", weight: str, depth: int) -> "list[Any]":
        """Items are also searched together: they may be lines of a text or words of a command."""
        known: list[str] = []
        if len(value) > 1 and all(isinstance(item, str) for item in value) and self.searched <= SEARCHED:
            lines = "\n".join(value)[: LONGEST + masking.WIDE]
            self.searched += 2 * len(lines)
            known = masking.secrets(lines) + masking.secrets(lines.replace("\n", " "))
        values = [self._value(item, weight, depth) for item in value if self.left > 0]
        return [without(known, item) for item in values] if known else values

    def _object(self, value: "dict[str, Any]", weight: str, depth: int) -> "dict[str, Any]":
        """A key like `password` hides all values below; a label as in {"name": "password"} hides its `value`."""
        is_labelled = not HOLDING.isdisjoint(value) and any(masking.is_label(value.get(name)) for name in LABELS)
        fields = {}
        for name, item in list(value.items())[:ITEMS]:
            if self.left <= 0:
                break
            under = "all" if weight == "all" or (is_labelled and name in HOLDING) else masking.weight(name) or weight
            fields[self.text(name, 100)] = self._value(item, under, depth)
        return fields


def without(secrets: list[str], text: str) -> str:
    for secret in secrets[:ITEMS]:
        text = text.replace(secret, MASK)
    return text


def _is_secret(weight: str, value: object) -> bool:
    from hookkit.system.masking import keys

    return not isinstance(value, (dict, list)) and keys.is_secret(weight, value)
