"""What agents keep on disk: the file `disk.py` in the folder of an agent, which only people's commands read.

Each part is optional, and may stand in the only file of a small agent if it needs no further import:

    check(checked)            for `doctor`, the agent's own trust or a release that ignores hooks: rows of (id of the
                              problem, "serious" or "warning", message, fix, file)
    calls or sessions         for `replay` and `doctor`, its transcripts: hookkit/agents/transcripts/past_calls.py
    native_rules(rows)        for `policy export`, the policy in the agent's own words, as text, and with it:
        is_native(rule)           whether the agent can say the rule: `Native`
        CANNOT                    why not, for the others
        spares(rule, unless)      optional, whether the native rule lets the calls of `unless` pass anyway
        RULES                     optional, a file of hookkit's own below the agent's home
        SETTINGS                  else the agent's file into which a person puts the rules, JSON as they are written

Native rules are a second line of defence where hooks are off: only denials and questions, and only those that the agent
can say exactly. A native rule never stops a call that hookkit would let pass. What an agent cannot say is listed with
its reason.
"""

import json
import os
import re
import shutil
import subprocess
from typing import NamedTuple

from hookkit import registry
from hookkit.errors import EventError
from hookkit.settings.documents.toml_text import TomlDocument
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType
    from typing import Any

    from hookkit.policy.rules import Rule

    Remarks = Iterator[tuple[str, str, str, str, str]]

STATE = 64 << 20  # bytes: Claude Code keeps the history of every project in one file
SECONDS = 10  # for a program to tell its version
VERSION = re.compile(r"\d+\.\d+\.\d+")
LIMIT = 4 << 20  # bytes of a file with native rules
PATTERN = re.compile(r"([\w*]+)(?:\((.*)\))?", re.DOTALL)
TYPES = ("deny", "ask")
SPARES = "it spares some commands (unless), which native rules cannot"
ACTORS = "it is for some actors only"
HEAD = "# Written by `hookkit policy export --agent {agent} --write`: the same policy where hooks are off.\n"


def parts(*names: str) -> "dict[str, ModuleType]":
    """The `disk.py`, or the only file, of each agent that has one of these parts, by the agent's name."""
    has_file = {agent: registry.exists(f"agents/{agent}", "disk") for agent in registry.names("agents")}
    modules = {
        agent: registry.find(f"agents/{agent}", "disk") if has_file[agent] else registry.find("agents", agent)
        for agent in has_file
    }
    return {agent: module for agent, module in modules.items() if any(hasattr(module, name) for name in names)}


class Checked(NamedTuple):
    """The settings files of an agent that hold hookkit; `inside` are those in the project."""

    environ: dict[str, str]
    home: str  # the agent's own directory
    project: str
    files: list[str]
    inside: list[str]

    def release(self, name: str) -> tuple[str, str]:
        """The path of a program and its version, such as 1.34.0; empty texts where there is none."""
        program = shutil.which(name, path=self.environ.get("PATH")) or ""
        try:
            done = subprocess.run([program, "--version"], capture_output=True, timeout=SECONDS, check=False, cwd="/")
        except (OSError, subprocess.TimeoutExpired):
            return program, ""
        version = VERSION.search(done.stdout.decode("utf-8", "replace"))
        return program, version[0] if version else ""


def json_file(path: str) -> "dict[str, Any]":
    try:
        value = json.loads(files.read(path, STATE))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def toml_file(path: str) -> "dict[str, Any]":
    try:
        return TomlDocument(path, files.read(path, STATE).decode()).data
    except (OSError, ValueError):
        return {}


class Native:
    """A rule with one tool and one argument; `argument` is None for a rule about every call of the tool."""

    __slots__ = ("argument", "match", "reason", "tool", "type")

    def __init__(self, rule: "Rule", tool: str, argument: "str | None") -> None:
        self.type = rule["type"]
        self.match = rule.get("match", "")
        self.reason = rule.get("reason", "")
        self.tool = tool
        self.argument = argument

    @property
    def words(self) -> list[str]:
        """The words of a command that the rule matches as a prefix; none for any other rule."""
        words = (self.argument or "").split(" ") if self.tool == "Bash" else []
        is_prefix = len(words) > 1 and words[-1] == "*" and not any(set(word) & set("*|:\\\"'") for word in words[:-1])
        return words[:-1] if is_prefix else []


def export(agent: str, rules: "Iterable[Rule]") -> tuple[str, list[tuple[str, str]]]:
    """The native rules as text, and each pattern that the agent cannot say, with the reason."""
    module = parts("native_rules")[agent]
    rows: list[Native] = []
    lost: list[tuple[str, str]] = []
    for rule in rules:
        if rule["type"] not in TYPES or not rule.get("match"):
            continue
        row = _native(rule)
        reason = ACTORS if rule.get("actors") else ""
        if row is not None and not _is_exact(module, row, rule.get("unless", [])):
            reason = SPARES
        if row is None or reason or not module.is_native(row):
            lost.append((str(rule.get("match")), reason or module.CANNOT))
        else:
            rows.append(row)
    return module.native_rules(rows), lost


def _is_exact(module: "ModuleType", row: Native, unless: list[str]) -> bool:
    """Whether the native rule spares the same calls: none, or only calls that it does not reach anyway."""
    return not unless or (hasattr(module, "spares") and module.spares(row, unless))


def _native(rule: "Rule") -> Native | None:
    match = PATTERN.fullmatch(rule.get("match", ""))
    if match is None:
        return None
    argument = match[2].removesuffix(":*") + " *" if (match[2] or "").endswith(":*") else match[2]
    return Native(rule, match[1], None if argument in (None, "", "*") else argument)


def rules_file(agent: str, environ: dict[str, str]) -> str:
    """The file of hookkit's own for the native rules; an empty text if they go into the agent's settings."""
    return _file(agent, "RULES", environ)


def _file(agent: str, part: str, environ: dict[str, str]) -> str:
    from hookkit.agents.wiring.settings_files import AGENTS  # late: it loads every agent

    name = getattr(parts("native_rules")[agent], part, "")
    return os.path.join(AGENTS[agent].home(environ), name) if name else ""


def drifted(rules: "list[Rule]", environ: dict[str, str]) -> list[tuple[str, str]]:
    """The files of agents whose native rules no longer say the same as the policy, each with the way out."""
    drifts = []
    for agent in parts("native_rules"):
        file, settings = rules_file(agent, environ), _file(agent, "SETTINGS", environ)
        command = f"hookkit policy export --agent {agent}"
        if file and os.path.isfile(file) and _text(file) != export(agent, rules)[0]:
            drifts.append((f"{file} says something else than the policy", f"run: {command} --write"))
        elif settings and os.path.isfile(settings) and (missing := _missing(_text(settings), export(agent, rules)[0])):
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            message = f"{settings} lacks rules of the policy: {min(missing)}{more}"
            drifts.append((message, f"add them by hand: {command}"))
    return drifts


def _missing(text: str, exported: str) -> set[str]:
    """Rules that are not in the file. With fewer than half of them, nobody has put the export into the file."""
    try:
        held = _leaves(jsons.loads(text.encode()))
    except EventError:
        return set()  # with comments, or broken: doctor names it
    rules = _leaves(jsons.loads(exported.encode()))
    return rules - held if 2 * len(rules & held) >= len(rules) else set()


def _leaves(value: object, path: str = "") -> set[str]:
    """Every text of a JSON value behind the names that lead to it: `permissions.deny: Read(.env*)`."""
    if isinstance(value, dict):
        return {leaf for key, item in value.items() for leaf in _leaves(item, f"{path}.{key}".lstrip("."))}
    if isinstance(value, list):
        return {leaf for item in value for leaf in _leaves(item, path)}
    return {f"{path}: {value}"}


def _text(file: str) -> str:
    try:
        return files.read(file, LIMIT).decode("utf-8", "replace")
    except OSError:
        return ""
