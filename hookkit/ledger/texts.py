"""The words of a row, as a person looks for them and as the index has them."""

import re
from unicodedata import combining, normalize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def words(text: str) -> list[str]:
    """Split a text like the index: letters and digits, without case and accents. A star after a word stays."""
    plain = normalize("NFD", text.lower())
    return re.findall(r"[^\W_]+\*?", "".join(char for char in plain if not combining(char)))


def query(text: str) -> str:
    """Require every word, or with a star the beginning of a word; no word is read as an operator."""
    return " ".join(f'"{word.rstrip("*")}"' + "*" * word.endswith("*") for word in words(text)) or '""'


def holder(text: str) -> "Callable[[str], bool]":
    """The same test for a single row's text: cheaper than a query of the index for a known row."""
    wanted = words(text)
    whole = {word for word in wanted if not word.endswith("*")}
    begun = [word[:-1] for word in wanted if word.endswith("*")]

    def holds(text: str) -> bool:
        found = {word.rstrip("*") for word in words(text)}
        return whole <= found and all(any(word.startswith(start) for word in found) for start in begun)

    return holds
