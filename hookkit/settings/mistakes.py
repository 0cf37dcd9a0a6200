"""Checks parsed settings: every mistake with the path to its value, and the settings without the wrong parts.

A mistake costs as little as possible: a single setting, a row, a pattern. The rest of the file counts.
"""

from hookkit.policy.rules import TYPES, VERDICTS
from hookkit.settings import hook_rows, rule_rows
from hookkit.settings.documents.finding import Defect, shown_value
from hookkit.settings.documents.kinds import KINDS, wrong, wrong_choice, wrong_fields
from hookkit.settings.inputs import user_schemas
from hookkit.settings.keys import BY_NAME, HOLDING, OLDER, OWN_ONLY, OWN_SETTING, Key
from hookkit.settings.rule_rows import wrong_pattern
from hookkit.system.suggestions import did_you_mean

ALIASES = {"handlers": "hooks", "hook": "hooks", "rule": "rules"}  # names that people expect
FEW = 3  # settings of the same last name, in a suggestion
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookkit.settings.documents.finding import Path

    Defects = list[Defect]

OWN, TRUSTED, UNTRUSTED = "own", "trusted", "untrusted"  # the standing of a file; project files are never "own"
LONGEST_NAME = 120  # characters of a file's name
SPEECH = 4  # blanks in a file's name: with more it is a message to the model
OPERANDS = ("none", "text", "paths")  # of a program that only reads
ACTIONS = ("test", "build", "lint", "e2e", "smoke")
# Limits for the file of an untrusted project, which every call of a hook may read. They count work, not time: on a busy
# machine a project's rules must not vanish. A file within the limits compiles in about 0.2 seconds.
MOST_VALUES = 10_000  # keys and items, counted by the signs = and , before the parse
MOST_TABLES = 2_000  # headers, counted by the lines that begin with [
MOST_ENTRIES = 1_000  # of a single list or table
MOST_PATTERNS = 500  # of all rules and actors; each is compared with each file of a command
SCHEMA_VALUES = 2_000  # of all schemas, with the schemas in files
SCHEMA_STEPS = 20_000  # values behind all references, each counted as long as the longest list or table
LONGEST_YAML = 40_000  # characters of genesis.key
TOO_MUCH = "read the file, then run hookkit trust to use it"


class SettingsCheck:
    """`values` are flat `section.key` settings. `waits` names settings that apply only after trust."""

    def __init__(self, data: "dict[str, Any]", directory: str, standing: str = OWN) -> None:
        self.directory = directory  # of the files that schemas name
        self.standing = standing
        self.values: dict[str, Any] = {}
        self.defects: Defects = []
        self.waits: list[str] = []
        for path, value in _settings(data):
            name = ".".join(path)
            key = _key(name)
            if key is None:
                self.defects.append(_unknown(path, name))
            elif standing == UNTRUSTED and key.trust and key.tighten is None and not key.own:
                self.waits.append(name)  # not even checked: a check may cost time
            else:
                defects: Defects = []
                checked = self._checked(key, value, defects)
                self.defects += [defect.below(path, name) for defect in defects]
                if checked is not None:
                    self.values[name] = checked
        self._renew()

    def _renew(self) -> None:
        """Older settings become the value that they stand for; `all` becomes every choice."""
        for name, (new, meanings) in OLDER.items():
            word = meanings.get(self.values.pop(name, None))
            if word is not None:
                self.values[new] = [*self.values.get(new, ()), word] if BY_NAME[new].kind == "choices" else word
        for name, value in self.values.items():
            key = BY_NAME[name]
            if key.kind == "choices":
                self.values[name] = [word for word in key.options if word in value or "all" in value]

    def _checked(self, key: Key, value: "Any", defects: "Defects") -> "Any":
        """The right part of a value, or None."""
        checked: Any = None
        if key.kind == "rows":
            checked = self._rows(key, value, defects)
        elif key.kind == "lists":
            checked = _lists(key, value, defects)
        elif key.kind == "schemas":
            return self._schemas(value, defects)
        else:
            reason, fix = _wrong(key, value)
            is_part = key.kind == "choices" and not wrong(key.kind, value)  # one wrong word costs that word alone
            defects += [Defect((), reason, fix, part="word" if is_part else "setting")] if reason else []
            checked = (
                [word for word in value if word not in _strange(key, value)] if is_part else None if reason else value
            )
        if key.own and self.standing != OWN and checked is not None:
            checked = key.tighten(checked) if key.tighten else None
            reason = OWN_ONLY if key.name.startswith("policy.") else OWN_SETTING
            defects += [Defect((), reason)] if checked is None else []
        return checked

    def _rows(self, key: Key, value: "Any", defects: "Defects") -> "list[Any] | None":
        if not KINDS["rows"].fits(value):
            defects.append(Defect((), f"expected rows: [[{key.name}]]"))
            return None
        rows = []
        for number, row in enumerate(value):
            if key.name == "rules" and self.standing == UNTRUSTED and row.get("type") in LOOSE:
                self.waits.append(f"{row['type']} rules")
                continue
            right, wrong = _row(key, row)
            defects += [defect.below((number,)) for defect in wrong]
            rows += [right] if right is not None else []
        return rows

    def _schemas(self, value: object, defects: "Defects") -> "dict[str, Any]":
        """Schemas are kept despite mistakes: the loader needs the names of their files to notice a change.

        Regular expressions count only in tables of trusted files: they may take forever, and `trust` does not pin the
        files that schemas name.
        """
        tables, in_files = self.standing != UNTRUSTED, self.standing == OWN
        accepted, mistakes = user_schemas.read(value, self.directory, tables=tables, in_files=in_files)
        defects += [Defect(at[1:], problem, part="schema") for at, problem in mistakes]
        schemas = list(value.values()) if isinstance(value, dict) else []
        self.waits += ["regular expressions of schemas"] if not tables and user_schemas.has_patterns(schemas) else []
        rows = [row for rows in accepted.values() for row in rows if self.standing == UNTRUSTED or "file" in row]
        over = _schemas_excess([row["schema"] for row in rows]) if self.standing != OWN else ""
        if over:
            defects.append(Defect((), over, TOO_MUCH))
            for row in rows:
                row["schema"] = {}
        return accepted


SECTIONS = {name.partition(".")[0] for name in BY_NAME if "." in name}
LOOSE = [kind for kind in TYPES if kind not in HOLDING]


def _settings(data: "dict[str, Any]") -> "Iterator[tuple[tuple[str, ...], Any]]":
    """Sections are one level deep; a table that is a setting itself stays whole."""
    for name, value in data.items():
        if name in BY_NAME or not isinstance(value, dict):
            yield (name,), value
        else:
            yield from (((name, key), inner) for key, inner in value.items())


def _key(name: str) -> Key | None:
    """The setting; an older one is a flag that needs what its newer setting needs."""
    if name not in OLDER:
        return BY_NAME.get(name)
    return Key(name, "flag", None, "", trust=BY_NAME[OLDER[name][0]].trust)


def likely(name: str) -> str:
    """A setting of the same section first: guard.enabled is not undo.enabled."""
    if name in ALIASES:
        return f"did you mean {ALIASES[name]}?"
    section = name.rpartition(".")[0]
    same = [other for other in BY_NAME if section and other.startswith(f"{section}.")]
    if same:
        return did_you_mean(name, same, 0.8) or f"[{section}] has {', '.join(key.rpartition('.')[2] for key in same)}"
    same = [other for other in BY_NAME if other.endswith(f".{name}")]
    if 0 < len(same) <= FEW:
        return f"did you mean {' or '.join(same)}?"
    return did_you_mean(name, [*BY_NAME], 0.6) or "hookkit set --all lists all settings"


def _unknown(path: "Path", name: str) -> Defect:
    if name in SECTIONS:
        return Defect(path, f"{name} is a section", f"write [{name}]")
    return Defect(path, f"unknown setting {name}", lambda: likely(name))


def _wrong(key: Key, value: object) -> tuple[str, str]:
    """A message and a fix, both empty for a right value."""
    message = wrong(key.kind, value)
    if not key.options or (message and key.kind == "choices"):
        return message, ""
    strange = _strange(key, value if key.kind == "choices" else [value])
    if not strange:
        return message, ""
    fix = did_you_mean(strange[0], key.options, 0.6) if isinstance(strange[0], str) else ""
    return f"expected one of {', '.join(key.options)}, not {shown_value(strange[0])}", fix


def _strange(key: Key, words: "Any") -> "list[Any]":
    """The words that are none of the setting's choices."""
    return [word for word in words if word not in key.options]


def _row(key: Key, row: "dict[str, Any]") -> "tuple[dict[str, Any] | None, Defects]":
    """The row, if it still works without its wrong fields, and every mistake in it."""
    defects = [*wrong_fields(key.fields, row)]
    refused = {defect.path[0] for defect in defects if defect.path}
    names = [name.lstrip("*") for name in key.fields]
    right = {name: row[name] for name in names if name in row and name not in refused}
    defects += ROWS[key.name](right, set(row)) if key.name in ROWS else ()
    is_rule = key.name == "rules"
    is_kept = not defects or (is_rule and rule_rows.holds_without(row, defects))
    for defect in defects:
        kept_part = "pattern" if is_rule and rule_rows.is_of_list(defect) else "field"
        defect.part = kept_part if is_kept else "rule" if is_rule else "row"
    return rule_rows.without(right, defects) if is_kept else None, defects


def _artefact(row: "dict[str, Any]", _: "set[str]") -> "Iterator[Defect]":
    """Files must be below the project."""
    for name in row.get("files", ()):
        is_outside = name.startswith(("/", "~")) or ".." in name.split("/") or not name.strip("/. ")
        if is_outside or not _is_name(name):
            yield Defect(("files",), f"files: expected names below the project, not {name!r}")


def _program(row: "dict[str, Any]", _: "set[str]") -> "Iterator[Defect]":
    """Columns that the readers of a record look up or take apart: a wrong word would fail every call of the program."""
    from hookkit.programs.sending import WAYS  # late: few settings have programs

    yield from wrong_choice("sends", row.get("sends"), [*WAYS])
    for name in ("same", "means"):
        strange = next((pair for pair in row.get(name, "").split() if pair.count("=") != 1), "")
        if strange:
            yield Defect((name,), f"{name}: expected pairs such as -f=--force, not {strange!r}")


def _is_name(text: str) -> bool:
    """Whether a file may have this name. A long text with blanks is a message to the model instead."""
    return text.isprintable() and len(text) <= LONGEST_NAME and text.count(" ") < SPEECH


ROWS: "dict[str, Callable[[dict[str, Any], set[str]], Iterator[Defect]]]" = {
    "rules": rule_rows.defects,
    "approvals": lambda row, _: wrong_choice("operands", row.get("operands"), OPERANDS),
    "programs": _program,
    "hooks": hook_rows.defects,
    "gate.artefacts": _artefact,
    "redirect.detectors": lambda row, _: wrong_choice("action", row.get("action"), ACTIONS),
}


def _lists(key: Key, value: "Any", defects: "Defects") -> "dict[str, dict[str, Any]] | None":
    """`[actors."agent:executor"]` with allow, ask and deny, each a list of patterns, and a reason."""
    if not KINDS["lists"].fits(value):
        defects.append(Defect((), f"expected {KINDS[key.kind].words}"))
        return None
    accepted: dict[str, dict[str, Any]] = {actor: {} for actor in value}
    for actor, lists in value.items():
        for name, sources in lists.items():
            if name == "reason" and KINDS["text"].fits(sources):
                accepted[actor][name] = sources
            elif name == "reason":
                message = f"{actor}.reason: {wrong('text', sources)}"
                defects.append(Defect((actor, name), message, part="reason"))
            elif name not in VERDICTS:
                message = f"{actor}: expected allow, ask, deny or reason, not {name}"
                fix = did_you_mean(name, [*VERDICTS, "reason"])
                defects.append(Defect((actor, name), message, fix, part="list"))
            elif not KINDS["texts"].fits(sources):
                defects.append(Defect((actor, name), f"{actor}.{name}: expected a list of patterns", part="list"))
            else:
                accepted[actor][name] = _patterns((actor, name), sources, defects)
    return accepted


def _patterns(path: tuple[str, str], sources: list[str], defects: "Defects") -> list[str]:
    patterns = []
    for number, source in enumerate(sources):
        mistake = wrong_pattern(source)
        if mistake is None:
            patterns.append(source)
        else:
            at, message, fix = mistake
            defects.append(Defect((*path, number), f"{'.'.join(path)}: {message}", fix, at, "pattern"))
    return patterns


# -- limits for untrusted files --


def text_excess(text: str) -> str:
    """A message about a text with too many values, or an empty text."""
    values = text.count("=") + text.count(",")
    return _excess(values, MOST_VALUES, "values") or _excess(text.count("\n["), MOST_TABLES, "tables")


def data_excess(data: "dict[str, Any]") -> str:
    """The same for parsed data: long lists, large tables, too many patterns."""
    longest = _excess(_largest(data), MOST_ENTRIES, "entries in a list or table")
    return longest or _excess(_count_patterns(data), MOST_PATTERNS, "patterns")


def yaml_excess(text: str) -> str:
    return _excess(len(text), LONGEST_YAML, "characters")


def rules_excess(rules: "list[Any]") -> str:
    return _excess(len(rules), MOST_PATTERNS, "patterns")


def _schemas_excess(rows: "list[dict[str, Any]]") -> str:
    values = _excess(_count_values(rows), SCHEMA_VALUES, "values in schemas")
    return values or _excess(_count_references(rows) * _largest(rows), SCHEMA_STEPS, "referenced values")


def _excess(count: int, most: int, noun: str) -> str:
    return f"more than {most:,} {noun}, too many for a file without trust" if count > most else ""


def _largest(value: object) -> int:
    """The length of the longest list or table inside the value."""
    if not isinstance(value, (dict, list)):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return max(len(value), max((_largest(item) for item in inner), default=0))


def _count_values(value: object) -> int:
    """The number of values inside the value, with the value itself."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(_count_values(item) for item in inner)


def _count_references(value: object) -> int:
    if isinstance(value, list):
        return sum(_count_references(item) for item in value)
    pairs = value.items() if isinstance(value, dict) else ()
    return sum(_count_references(item) + (name == "$ref") for name, item in pairs)


def _count_patterns(data: "dict[str, Any]") -> int:
    rules, actors = data.get("rules"), data.get("actors")
    count = 0
    for row in rules if isinstance(rules, list) else ():
        match, unless = (row.get("match"), row.get("unless")) if isinstance(row, dict) else (None, None)
        exceptions = len(unless) if isinstance(unless, list) else 0
        count += (len(match) if isinstance(match, list) else 1) * (1 + exceptions)  # each pattern has all exceptions
    for lists in actors.values() if isinstance(actors, dict) else ():
        count += sum(len(rows) for rows in lists.values() if isinstance(rows, list)) if isinstance(lists, dict) else 0
    return count
