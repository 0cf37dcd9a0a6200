"""The words of a row, as a person looks for them and as the index has them."""

import re
from unicodedata import combining, normalize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def words(text: str) -> list[str]:
    """As the index takes a text apart: letters and digits, without case and accents. A star after one stays."""
    plain = normalize("NFD", text.lower())
    return re.findall(r"[^\W_]+\*?", "".join(char for char in plain if not combining(char)))


def query(text: str) -> str:
    """Every word has to be there, and with a star the beginning of one; none of them is read as an operator."""
    return " ".join(f'"{word.rstrip("*")}"' + "*" * word.endswith("*") for word in words(text)) or '""'


def holder(text: str) -> "Callable[[str], bool]":
    """The same for one row's text: cheaper than to ask the index about a row that is known already."""
    wanted = words(text)
    whole = {word for word in wanted if not word.endswith("*")}
    begun = [word[:-1] for word in wanted if word.endswith("*")]

    def holds(text: str) -> bool:
        found = {word.rstrip("*") for word in words(text)}
        return whole <= found and all(any(word.startswith(start) for word in found) for start in begun)

    return holds
