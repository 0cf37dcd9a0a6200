"""The policy in an agent's own words: a second line of defence where hooks are off.

Only denials and questions, and only those that the agent can say exactly: a native rule never stops a call that hookkit
would let pass. What an agent cannot say is listed with its reason. The file `rules.py` in the folder of an agent:

    written(rows) -> str          the native rules
    native(rule) -> bool          whether the agent can say the rule: `Native`
    CANNOT                        why not, for the others
    spares(rule, unless) -> bool  optional, whether the native rule lets the calls of `unless` pass anyway
    FILE                          optional, a file of hookkit's own below the agent's home
    SETTINGS                      else the agent's file into which a person puts the rules, JSON as they are written
"""

import os
import re

from hookkit import registry
from hookkit.errors import EventError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from hookkit.policy.types import Rule

PATTERN = re.compile(r"([\w*]+)(?:\((.*)\))?", re.DOTALL)
TYPES = ("deny", "ask")
LIMIT = 4 << 20  # bytes of a file with native rules
SPARES = "it spares some commands (unless), which native rules cannot"
ACTORS = "it is for some actors only"


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


def agents() -> list[str]:
    """Agents with native rules that hookkit can write."""
    return [name for name in registry.names("agents") if registry.exists(f"agents/{name}", "rules")]


def export(agent: str, rules: "Iterable[Rule]") -> tuple[str, list[tuple[str, str]]]:
    """The native rules as text, and each pattern that the agent cannot say, with the reason."""
    module = registry.find(f"agents/{agent}", "rules")
    rows: list[Native] = []
    lost: list[tuple[str, str]] = []
    for rule in rules:
        if rule["type"] not in TYPES or not rule.get("match"):
            continue
        row = _native(rule)
        reason = ACTORS if rule.get("actors") else ""
        if row is not None and not _is_exact(module, row, rule.get("unless", [])):
            reason = SPARES
        if row is None or reason or not module.native(row):
            lost.append((str(rule.get("match")), reason or module.CANNOT))
        else:
            rows.append(row)
    return module.written(rows), lost


def _is_exact(module: "ModuleType", row: Native, unless: list[str]) -> bool:
    """Whether the native rule spares the same calls: none, or only calls that it does not reach anyway."""
    return not unless or (hasattr(module, "spares") and module.spares(row, unless))


def _native(rule: "Rule") -> Native | None:
    parts = PATTERN.fullmatch(rule.get("match", ""))
    if parts is None:
        return None
    argument = parts[2].removesuffix(":*") + " *" if (parts[2] or "").endswith(":*") else parts[2]
    return Native(rule, parts[1], None if argument in (None, "", "*") else argument)


def path(agent: str, environ: dict[str, str]) -> str:
    """The file of hookkit's own for the native rules; an empty text if they go into the agent's settings."""
    module = registry.find(f"agents/{agent}", "rules")
    return os.path.join(_home(registry.find("agents", agent), environ), module.FILE) if hasattr(module, "FILE") else ""


def _home(module: "ModuleType", environ: dict[str, str]) -> str:
    moved = environ.get(module.HOME_VARIABLE, "") if module.HOME_VARIABLE else ""
    return moved if os.path.isabs(moved) else os.path.join(files.home(environ), module.HOME)


def drifted(rules: "list[Rule]", environ: dict[str, str]) -> list[tuple[str, str]]:
    """The files of agents whose native rules no longer say the same as the policy, each with the way out."""
    drifts = []
    for agent in agents():
        file, settings = path(agent, environ), _settings(agent, environ)
        command = f"hookkit policy export --agent {agent}"
        if file and os.path.isfile(file) and _text(file) != export(agent, rules)[0]:
            drifts.append((f"{file} says something else than the policy", f"run: {command} --write"))
        elif settings and os.path.isfile(settings) and (missing := _missing(_text(settings), export(agent, rules)[0])):
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            message = f"{settings} lacks rules of the policy: {min(missing)}{more}"
            drifts.append((message, f"add them by hand: {command}"))
    return drifts


def _settings(agent: str, environ: dict[str, str]) -> str:
    """The agent's own file into which a person has put the rules; an empty text if hookkit writes a file."""
    module = registry.find(f"agents/{agent}", "rules")
    name = getattr(module, "SETTINGS", "")
    return os.path.join(_home(registry.find("agents", agent), environ), name) if name else ""


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
