"""Checking files, and showing the findings."""

import os
from shutil import which

import typer
from rich.cells import cell_len

from hookkit.checking.formats import recognise
from hookkit.checking.review import review
from hookkit.cli._console import Console, Text, console, echo, echo_json, note, one_line, say, warn
from hookkit.cli._github import annotation
from hookkit.cli._options import Output
from hookkit.documents.element import LineIndex
from hookkit.documents.finding import ERROR, WARNING, Finding
from hookkit.documents.report import FileReport
from hookkit.errors import ConfigError
from hookkit.settings import layers, reading
from hookkit.system import files

CLIENT = ("settings.json", "settings.local.json")
NAMES = ("hookkit.toml", "hookkit.local.toml", "genesis.key", "hooks.toml", "hooks.json")
STYLES = {ERROR: "red", WARNING: "yellow"}
SHOWN = 100  # characters of a line around its caret
NOTHING = (
    "This project has no hookkit.toml and no .claude/settings.json to check. Is hookkit wired? See: hookkit doctor"
)
WIRED = '"hookkit '
OFF_PATH = "hookkit is not on PATH here: a client that is started from here would not find it, and go on without it"


def check(paths: list[str], output: Output, *, strict: bool) -> None:
    beside = _beside() if not paths else []
    found = list(dict.fromkeys([*(paths or _own()), *beside]))
    texts: dict[str, str] = {}
    reports: list[FileReport] = []
    for path in found:
        _read(path, texts, reports)
    layered = [report for report in reports if report.file not in beside]
    findings = review(layered, together=not paths)
    findings += review([report for report in reports if report.file in beside], together=False)
    _print(findings, texts, output)
    if beside and output is Output.table:
        note(f"Checked, but not in force here: {', '.join(beside)}. hookkit reads the settings of {_project()}.")
    if output is Output.table:
        _sum_up(findings, found, is_whole=len(texts) == len(found))
        if any(WIRED in text for path, text in texts.items() if path.endswith(".json")) and not which("hookkit"):
            warn(OFF_PATH, "red")
    is_wrong = any(strict or each.severity == ERROR for each in findings)
    raise typer.Exit(2 if len(texts) < len(found) else int(is_wrong))


def _project() -> str:
    return files.repository(os.getcwd())


def _beside() -> list[str]:
    """Files of known names in a working directory below the project's root: a person there means these files."""
    here = os.getcwd()
    names = NAMES if here != _project() else ()
    return [name for name in names if os.path.isfile(os.path.join(here, name))]


def _own() -> list[str]:
    """Every settings file in force here."""
    project = _project()
    own = [path for _, path in layers.layers(project, dict(os.environ))]
    own += [os.path.join(project, ".claude", name) for name in CLIENT]
    return [path for path in own if os.path.isfile(path)]


def _read(path: str, texts: dict[str, str], reports: list[FileReport]) -> None:
    """A file that cannot be read does not keep the others from being checked."""
    try:
        text = reading.text_of(path)
    except ConfigError as error:
        warn(error, "red")
        return
    if path.endswith(".jsonl"):
        warn(f"{path}: rows for a test, not settings; play them with: hookkit simulate {path}", "red")
        return
    form = recognise(path, text)
    if form is None:
        warn(f"{path}: neither hookkit.toml, genesis.key, hooks.toml nor settings.json", "red")
        return
    texts[path] = text
    reports.append(form.examine(path, text))


def _print(findings: list[Finding], texts: dict[str, str], output: Output) -> None:
    if output is Output.json:
        names = ("file", "line", "column", "severity", "message", "fix")
        echo_json([{name: getattr(each, name) for name in names} for each in findings])
        return
    out = console()
    lines = {path: LineIndex(text) for path, text in texts.items()}
    for each in findings:
        if output is Output.github:
            place = {"file": each.file, "line": each.line, "col": each.column}
            echo(annotation(each.severity, each.message + _way_out(each), **place))
        else:
            _row(out, each, lines[each.file])


def _row(out: Console, each: Finding, lines: LineIndex) -> None:
    said = each.message if each.severity == ERROR else f"{each.severity}: {each.message}"
    parts = [
        (f"{each.file}:{each.line}:{each.column} ", "bold"),
        (said, STYLES[each.severity]),
        (_way_out(each), "dim"),
    ]
    out.print(Text.assemble(*((one_line(text), style) for text, style in parts)), soft_wrap=True)
    if each.caret:
        written = lines.line(each.line)
        start = max(0, each.column - SHOWN // 2)
        before, after = one_line(written[start : each.column - 1]), one_line(written[each.column - 1 : start + SHOWN])
        out.print(f"    {before}{after}", soft_wrap=True)
        out.print(f"    {' ' * cell_len(before)}^", style=STYLES[each.severity], soft_wrap=True)


def _sum_up(findings: list[Finding], found: list[str], *, is_whole: bool) -> None:
    errors = sum(each.severity == ERROR for each in findings)
    counts = [_count(errors, ERROR)] if errors else []
    counts += [_count(len(findings) - errors, WARNING)] if len(findings) > errors else []
    if len(findings) > 1:
        say(f"{' and '.join(counts)} in {_count(len({each.file for each in findings}), 'file')}", "bold")
    if not findings and is_whole:
        say(f"No mistakes in {', '.join(found)}." if found else NOTHING, "green")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _way_out(each: Finding) -> str:
    return f"; {each.fix}" if each.fix else ""
