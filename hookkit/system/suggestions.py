"""The known name that is closest to a misspelt name. Every "did you mean …?" comes from here."""

LONGEST = 100  # characters: comparing longer names takes time, and no known name is that long


def closest(name: str, known: "list[str] | tuple[str, ...]", cutoff: float = 0.7) -> str:
    """The closest known name, or an empty text. Case is ignored: a wrong capital is the most common mistake."""
    if len(name) > LONGEST:
        return ""
    from difflib import get_close_matches

    folded = {other.casefold(): other for other in known}
    names = get_close_matches(name.casefold(), [*folded], 1, cutoff)
    return folded[names[0]] if names else ""


def did_you_mean(name: str, known: "list[str] | tuple[str, ...]", cutoff: float = 0.7) -> str:
    """The question for a person, or an empty text when no known name is close."""
    name_found = closest(name, known, cutoff)
    return f"did you mean {name_found}?" if name_found else ""
