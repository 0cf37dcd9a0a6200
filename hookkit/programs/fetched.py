"""Runners such as npx and uvx: the package that they would fetch and run, unless it is widely used."""

from hookkit.programs.catalogue import Catalogue
from hookkit.programs.options import Parsed
from hookkit.programs.words import UNKNOWN

NAMING = ("-p", "--package", "--from", "--spec")  # options with the package, where the operand is only its program
LOCAL = (".", "/", "~")


def package(parsed: Parsed, catalogue: Catalogue) -> str:
    """The package that the command fetches, without its version; empty for a vouched, a local or a computed one."""
    record = next((record for record in reversed(parsed.records) if record.has("fetches")), None)
    if record is None:
        return ""
    named = [value for option, value in parsed.outer().values if option in NAMING]
    names = named or parsed.operands[len(parsed.records) :][:1]
    vouched = catalogue.get(record.text("fetches")).words_of("vouched")
    return next((bare for name in names if (bare := _bare(name)) and not _is_vouched(bare, vouched)), "")


def _bare(name: str) -> str:
    """`@scope/tool@1.2` is `@scope/tool`, `tool[extra]==2` is `tool`; an address or a path is no package."""
    if UNKNOWN in name or ":" in name or name.startswith(LOCAL):
        return ""
    scope, slash, rest = name.partition("/") if name[:1] == "@" else ("", "", name)
    for mark in "@[=<>!~":
        rest = rest.partition(mark)[0]
    return f"{scope}{slash}{rest}"


def _is_vouched(name: str, vouched: list[str]) -> bool:
    return name in vouched or (name[:1] == "@" and f"{name.partition('/')[0]}/*" in vouched)
