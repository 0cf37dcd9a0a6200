"""How the tables of shipped rules are written: one name, one verdict and one reason for a list of patterns."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Rows = list[dict[str, Any]]

# Options that make a program explain itself or pretend: the command changes nothing.
PRETENDS = ("Bash(* --help *)", "Bash(* --dry-run *)")


def rules(
    name: str, verdict: str, reason: str, patterns: str, *, instead: str = "", unless: str = "", runs: bool = False
) -> "Rows":
    """One row a pattern, one pattern a line.

    `runs`: the program hands its options on to another program, so `--help` among them proves nothing.
    """
    rows = []
    for match in _lines(patterns):
        spared = [*_lines(unless), *(PRETENDS if match.startswith("Bash(") and not runs else ())]
        row: dict[str, Any] = {"name": name, "type": verdict, "match": match, "reason": reason}
        rows.append({**row, **({"instead": instead} if instead else {}), **({"unless": spared} if spared else {})})
    return rows


def each(form: str, words: str) -> str:
    """The form once for each word, which takes the place of `{}`."""
    return "".join(f"{form}\n".replace("{}", word) for word in words.split())


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
