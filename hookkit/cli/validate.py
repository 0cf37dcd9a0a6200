import json
import os
from enum import Enum
from shutil import which
from typing import Annotated

import typer
from rich.cells import cell_len
from rich.console import Console

from hookkit.checking.formats import recognise
from hookkit.checking.review import review
from hookkit.documents.element import LineIndex
from hookkit.documents.finding import ERROR, WARNING, Finding
from hookkit.documents.report import FileReport
from hookkit.errors import ConfigError
from hookkit.settings import layers, reading
from hookkit.system import files

FILES = "By default every layer, and the project's .claude/settings*.json."
CLIENT = ("settings.json", "settings.local.json")
STYLES = {ERROR: "red", WARNING: "yellow"}
SHOWN = 100  # characters of a line that is shown


NOTHING = "There is no hookkit.toml here, and no .claude/settings.json: hookkit is not wired in this project."
WIRED = '"hookkit '


class Output(str, Enum):
    table = "table"
    json = "json"
    github = "github"


def command(
    paths: Annotated[list[str] | None, typer.Argument(metavar="[FILE]…", help=FILES)] = None,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.table,
    strict: Annotated[bool, typer.Option("--strict", help="A warning counts as a mistake.")] = False,  # noqa: FBT002
) -> None:
    """Check files of rules and hooks: every mistake at once, each with its place and a way out.

    Reads hookkit.toml, genesis.key, cocode's hooks.toml, and Claude Code's settings.json and hooks.json.
    Exits 0 if all is well, 1 if there is a mistake, 2 if a file cannot be read.

    Example: hookkit validate hookkit.toml .claude/settings.json --output github
    """
    found = list(dict.fromkeys(paths or _own()))
    texts: dict[str, str] = {}
    reports: list[FileReport] = []
    for path in found:
        _read(path, texts, reports)
    findings = review(reports, together=not paths)
    _print(findings, texts, output)
    if output is Output.table:
        _sum_up(findings, found, is_whole=len(texts) == len(found))
        if any(WIRED in text for path, text in texts.items() if path.endswith(".json")) and not which("hookkit"):
            _complain("hookkit is not on PATH here: a client that is started from here would not find it, and go on")
    is_wrong = any(strict or each.severity == ERROR for each in findings)
    raise typer.Exit(2 if len(texts) < len(found) else int(is_wrong))


def _own() -> list[str]:
    """Every file that has a say here."""
    project = files.repository(os.getcwd())
    own = [path for _, path in layers.layers(project, dict(os.environ))]
    own += [os.path.join(project, ".claude", name) for name in CLIENT]
    return [path for path in own if os.path.isfile(path)]


def _read(path: str, texts: dict[str, str], reports: list[FileReport]) -> None:
    """A file that cannot be read does not keep the others from being checked."""
    try:
        text = reading.text_of(path)
    except ConfigError as error:
        _complain(str(error))
        return
    form = recognise(path, text)
    if form is None:
        _complain(f"{path}: neither hookkit.toml, genesis.key, hooks.toml nor settings.json")
        return
    texts[path] = text
    reports.append(form.examine(path, text))


def _complain(said: str) -> None:
    Console(stderr=True, highlight=False, soft_wrap=True).print(plain(said), style="red", markup=False)


def _print(findings: list[Finding], texts: dict[str, str], output: Output) -> None:
    if output is Output.json:
        names = ("file", "line", "column", "severity", "message", "fix")
        typer.echo(json.dumps([{name: getattr(each, name) for name in names} for each in findings], indent=2))
    console = Console(highlight=False, soft_wrap=True)
    lines = {path: LineIndex(text) for path, text in texts.items()}
    for each in findings:
        if output is Output.github:
            typer.echo(_github(each))
        elif output is Output.table:
            _row(console, each, lines[each.file])


def _row(console: Console, each: Finding, lines: LineIndex) -> None:
    console.print(plain(f"{each.file}:{each.line}:{each.column}"), style="bold", end=" ", markup=False)
    said = each.message if each.severity == ERROR else f"{each.severity}: {each.message}"
    console.print(plain(said), style=STYLES[each.severity], end="", markup=False)
    console.print(plain(_way_out(each)), style="dim", markup=False)
    if each.caret:
        written = lines.line(each.line)
        start = max(0, each.column - SHOWN // 2)
        before, after = plain(written[start : each.column - 1]), plain(written[each.column - 1 : start + SHOWN])
        console.print(f"    {before}{after}", markup=False)
        console.print(f"    {' ' * cell_len(before)}^", style=STYLES[each.severity], markup=False)


def _sum_up(findings: list[Finding], found: list[str], *, is_whole: bool) -> None:
    console = Console(highlight=False, soft_wrap=True)
    errors = sum(each.severity == ERROR for each in findings)
    counts = [_count(errors, ERROR)] if errors else []
    counts += [_count(len(findings) - errors, WARNING)] if len(findings) > errors else []
    if len(findings) > 1:
        console.print(
            f"{' and '.join(counts)} in {_count(len({each.file for each in findings}), 'file')}", style="bold"
        )
    if not findings and is_whole:
        said = f"No mistakes in {', '.join(found)}." if found else NOTHING
        console.print(plain(said), style="green", markup=False)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _way_out(each: Finding) -> str:
    if not each.fix:
        return ""
    return f"; {each.fix}"


def _github(each: Finding) -> str:
    """An annotation of GitHub's: what would end it early is written as it asks for."""
    said = plain(each.message + _way_out(each)).replace("%", "%25")
    file = plain(each.file).replace("%", "%25").replace(",", "%2C").replace(":", "%3A")
    return f"::{each.severity} file={file},line={each.line},col={each.column}::{said}"


def plain(text: str) -> str:
    """A stranger's file may hold what a terminal would obey; here it is only shown."""
    shown = (char if char.isprintable() else " " if char == "\t" else f"\\x{ord(char):02x}" for char in text)
    return "".join(shown)
