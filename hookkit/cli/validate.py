"""Checking files, and showing the findings."""

import os
from shutil import which
from typing import Annotated

from hookkit.agents import _disk
from hookkit.agents.wiring import events, settings_files
from hookkit.cli._command import Argument, Option, formats
from hookkit.cli._console import Output, annotation, note, plural, warn, warn_each
from hookkit.cli._view import Text, View, Wide, one_line, width
from hookkit.errors import ConfigError
from hookkit.settings import layers, reading
from hookkit.settings.checks.rules import review
from hookkit.settings.documents.finding import ERROR, WARNING, FileReport, Finding, LineIndex
from hookkit.settings.formats import recognise
from hookkit.system import files

FILES = "By default every layer, and the settings of agents in this project."
CLIENT = ("settings.json", "settings.local.json")
NAMES = ("hookkit.toml", "hookkit.local.toml", "genesis.key", "hooks.toml", "hooks.json")
STYLES = {ERROR: "red", WARNING: "yellow"}
SHOWN = 100  # characters of a line around its caret
NOTHING = (
    "This project has no hookkit.toml and no .claude/settings.json to check. Is hookkit wired? See: hookkit doctor"
)
WIRED = '"hookkit '
OFF_PATH = "hookkit is not on PATH here: a client that is started from here would not find it, and go on without it"


@formats("table", "json", "github")
def command(
    paths: Annotated[list[str] | None, Argument(metavar="FILE", help=FILES)] = None,
    *,
    strict: Annotated[bool, Option("--strict", help="A warning counts as a mistake.")] = False,
    schema: Annotated[bool, Option("--schema", help="Print the JSON Schema of hookkit.toml, for your editor.")] = False,
) -> Output:
    """Check files of rules and hooks: every mistake at once, each with its place and a way out.

    Reads hookkit.toml, genesis.key, a SKILL.md, and the settings of every agent, each as that agent's.
    Exits 0 if there is no mistake, 1 if there is one, 2 if a file cannot be read.

    With the schema beside hookkit.toml, and `#:schema ./hookkit.schema.json` in its first line, an editor with an
    extension for TOML completes and checks it.

    Example: hookkit validate hookkit.toml .claude/settings.json --output github

    Example: hookkit validate --schema > hookkit.schema.json
    """
    return _schema() if schema else _check(paths or [], strict=strict)


def _schema() -> Output:
    import json

    from hookkit.settings.formats import hookkit_toml

    value = hookkit_toml.schema()
    return Output(value, lambda: Wide(json.dumps(value, indent=2, ensure_ascii=False)))


def _check(paths: list[str], *, strict: bool) -> Output:
    beside = _beside() if not paths else []
    wanted = list(dict.fromkeys([*(paths or _default_paths()), *beside]))
    texts: dict[str, str] = {}
    reports: list[FileReport] = []
    for path in wanted:
        if path in paths or not _leads_out(path):
            _read(path, texts, reports)
        else:
            warn(f"{path}: leads out of the project, so hookkit does not read it", "red")
    layered = [report for report in reports if report.file not in beside]
    findings = review(layered, together=not paths)
    findings += review([report for report in reports if report.file in beside], together=False)
    is_wrong = any(strict or finding.severity == ERROR for finding in findings)
    code = 2 if len(texts) < len(wanted) else int(is_wrong)

    def view() -> View:
        if beside:
            note(f"Checked, but not in force here: {', '.join(beside)}. hookkit reads the settings of {_project()}.")
        if any(WIRED in text for path, text in texts.items() if path.endswith(".json")) and not which("hookkit"):
            warn(OFF_PATH, "red")
        if not paths:
            _tell_rest()
        return [*_rows(findings, texts), *_sum_up(findings, wanted, is_whole=len(texts) == len(wanted))]

    names = ("file", "line", "column", "severity", "message", "fix")
    value = [{name: getattr(finding, name) for name in names} for finding in findings]
    return Output(value, view, code, forms={"github": lambda: "\n".join(map(_annotation, findings))})


def _tell_rest() -> None:
    """Handlers and settings that the agents here leave without effect, and rules of `policy export` out of date."""
    try:
        settings = layers.load(_project(), dict(os.environ))
    except ConfigError:
        return  # told already
    warn_each(events.unheard(settings, _project()))
    warn_each(_disk.drifted([*settings.policy["rules"]], settings.environ))


def _project() -> str:
    return files.repository(os.getcwd())


def _beside() -> list[str]:
    """Files of known names in a working directory below the project's root: a person there means these files."""
    here = os.getcwd()
    names = NAMES if here != _project() else ()
    return [name for name in names if os.path.isfile(os.path.join(here, name))]


def _default_paths() -> list[str]:
    """Every settings file in force here."""
    project = _project()
    own = [path for _, path in layers.layers(project, dict(os.environ))]
    own += [os.path.join(project, ".claude", name) for name in CLIENT]
    return [path for path in [*own, *settings_files.project_files(project)] if os.path.isfile(path)]


def _leads_out(path: str) -> bool:
    """A link in a checkout may lead to any file of the person, and a mistake is shown with what is written there."""
    own = [path for _, path in layers.layers(_project(), dict(os.environ))]
    return path in own and path.startswith(f"{_project()}/") and not files.inside(path, _project())


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
    if settings_files.is_foreign(path):
        texts[path] = text
        return
    agent = settings_files.owner(path, dict(os.environ))
    if agent is not None and not reading.is_cocode(path):
        texts[path] = text
        reports.append(settings_files.examine(agent, path, text))
        return
    form = recognise(path, text)
    if form is None:
        warn(f"{path}: neither hookkit.toml, genesis.key, hooks.toml nor settings.json", "red")
        return
    texts[path] = text
    reports.append(form.examine(path, text))


def _annotation(finding: Finding) -> str:
    place = {"file": finding.file, "line": finding.line, "col": finding.column}
    return annotation(finding.severity, finding.message + _way_out(finding), **place)


def _rows(findings: list[Finding], texts: dict[str, str]) -> list[View]:
    lines = {path: LineIndex(text) for path, text in texts.items()}
    return [row for finding in findings for row in _row(finding, lines[finding.file])]


def _row(finding: Finding, lines: LineIndex) -> list[View]:
    message = finding.message if finding.severity == ERROR else f"{finding.severity}: {finding.message}"
    parts = [
        (f"{finding.file}:{finding.line}:{finding.column} ", "bold"),
        (message, STYLES[finding.severity]),
        (_way_out(finding), "dim"),
    ]
    row = Wide(Text.assemble(*((one_line(text), style) for text, style in parts)))
    if not finding.caret:
        return [row]
    written = lines.line(finding.line)
    start = max(0, finding.column - SHOWN // 2)
    before, after = one_line(written[start : finding.column - 1]), one_line(written[finding.column - 1 : start + SHOWN])
    return [row, Wide(f"    {before}{after}"), Wide(f"    {' ' * width(before)}^", STYLES[finding.severity])]


def _sum_up(findings: list[Finding], files: list[str], *, is_whole: bool) -> list[View]:
    errors = sum(finding.severity == ERROR for finding in findings)
    counts = [plural(errors, ERROR)] if errors else []
    counts += [plural(len(findings) - errors, WARNING)] if len(findings) > errors else []
    if len(findings) > 1:
        return [
            Wide(f"{' and '.join(counts)} in {plural(len({finding.file for finding in findings}), 'file')}", "bold")
        ]
    if not findings and is_whole:
        return [Wide(f"No mistakes in {', '.join(files)}." if files else NOTHING, "green")]
    return []


def _way_out(finding: Finding) -> str:
    return f"; {finding.fix}" if finding.fix else ""
