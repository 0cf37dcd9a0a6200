"""Reads, tightens and merges the layers, and compiles their rules. Runs only after a file has changed.

A mistake in a file costs a part of this file, never another layer: the managed and the shipped policy always count.
"""

from hookkit.errors import ConfigError, HookkitError
from hookkit.inputs import user_schemas
from hookkit.policy import protected
from hookkit.policy.rules import compile_rules, pack
from hookkit.settings import hook_files, hook_rows, reading, snapshot
from hookkit.settings.keys import BY_NAME
from hookkit.settings.layers import OUTER, STRANGERS
from hookkit.settings.mistakes import OWN, TRUSTED, UNTRUSTED
from hookkit.settings.trust import digest, is_trusted
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Every error that the content of a file can cause.
FAULTS = (HookkitError, OSError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
COMPILED = ("rules", "actors", "programs", "wrappers", "approvals", "tools")  # settings that the policy holds
APART = "the layers do not work together: only the managed and the shipped policy count"


def compile_layers(sources: list[tuple[str, str]], environ: dict[str, str]) -> "dict[str, Any]":
    """All layers as one, with the mistakes in them; never raises for the content of a file."""
    compiled: dict[str, Any] = {"values": {}, "untrusted": [], "broken": [], "reads": []}
    found = [(layer, _layer(layer, path, environ, compiled)) for layer, path in sources]
    managed = _merged(values for layer, values in found if layer == "managed")
    try:
        values = hook_rows.switched(_merged(values for _, values in found), managed)
        return {**compiled, **compile_values(values, environ)}
    except FAULTS:
        compiled["broken"].append(APART)
        return {**compiled, **compile_values(hook_rows.switched(managed, managed), environ)}


def compile_values(values: "dict[str, Any]", environ: dict[str, str]) -> "dict[str, Any]":
    """The compiled policy and the other values. The rules leave `values`: the policy holds them."""
    policy = compile_rules(values, protected.rows(environ))
    kept = {name: value for name, value in values.items() if name not in COMPILED}
    apart = {name: value for name, value in policy.items() if name not in ("watch", "due")}
    return {"values": kept, "watch": policy["watch"], "due": policy["due"], "policy": apart, "digest": _digest(apart)}


def _digest(policy: "dict[str, Any]") -> str:
    """Tells policies apart: the ledger notes by which of them a call was judged."""
    try:
        return digest(jsons.dumps({**policy, "rules": pack(policy.get("rules", []))}))[:16]
    except (TypeError, ValueError):  # a value that JSON does not have
        return ""


def _layer(layer: str, path: str, environ: dict[str, str], compiled: "dict[str, Any]") -> "dict[str, Any]":
    """The settings of one file; `compiled` collects its mistakes and the files that it names."""
    try:
        content = reading.text_of(path, reading.STRANGERS_LIMIT if layer in STRANGERS else reading.LIMIT)
        standing = _standing(layer, path, content, environ)
        file = reading.read(path, content, standing)
        compiled["reads"] += user_schemas.reads(file.values)
        compiled["broken"] += reading.complaints(path, file)
        found = _tightened(file.values) if standing == UNTRUSTED else file.values
        _try(found)
    except FAULTS as error:
        said = str(error) if isinstance(error, ConfigError) else f"{path}: hookkit cannot use this file"
        compiled["broken"].append(f"{said}; this file is ignored")
        return {}
    is_held_back = standing == UNTRUSTED and (file.waits or found != file.values)
    compiled["untrusted"] += [path] if is_held_back and layer != OUTER else []
    for row in found.get("rules", ()):
        row["source"] = path
    if "hooks" in found:
        cocode = reading.is_cocode(path)
        rows = [hook_rows.normal(row, layer, path, cocode=cocode) for row in found["hooks"]]
        if standing == TRUSTED:
            rows = [_pinned(row, environ, compiled) for row in rows]
        found = {**found, "hooks": rows}
    return found


def _pinned(row: "dict[str, Any]", environ: dict[str, str], compiled: "dict[str, Any]") -> "dict[str, Any]":
    """A row of a trusted project. The trust of its settings does not cover a program that changed since."""
    root = hook_files.root_of(row["source"])
    compiled["reads"] += [[path, snapshot.stamp(path)] for path in hook_files.named(row, root, root)]
    path = hook_files.unpinned(row, root, root, environ)
    compiled["untrusted"] += [path] if path else []
    return {**row, "root": root, "checked": root, "untrusted": path}


def _standing(layer: str, path: str, content: str, environ: dict[str, str]) -> str:
    if layer not in STRANGERS:
        return OWN
    return TRUSTED if layer != OUTER and is_trusted(path, content, environ) else UNTRUSTED


def _tightened(found: "dict[str, Any]") -> "dict[str, Any]":
    """The part of a stranger's settings that counts before trust."""
    kept = {}
    for name, value in found.items():
        key = BY_NAME[name]
        strict = value if not key.trust else key.tighten(value) if key.tighten else None
        if strict is not None:
            kept[name] = strict
    return kept


def _try(found: "dict[str, Any]") -> None:
    """Compile a file alone: its mistakes must not show up only among the rules of all layers."""
    jsons.dumps(found)
    compile_rules({**found, "policy.base": False})


def _merged(layers: "Any") -> "dict[str, Any]":
    values: dict[str, Any] = {}
    for found in layers:
        for name, value in found.items():
            values[name] = merge(value, values.get(name))
    return values


def merge(value: "Any", weaker: "Any") -> "Any":
    """A stronger layer's value replaces a weaker layer's; rows and tables add up, the stronger layer's first."""
    if isinstance(value, list) and weaker:
        return [*{jsons.dumps(item): item for item in (*value, *weaker)}.values()]
    if isinstance(value, dict) and isinstance(weaker, dict):
        return {
            **{key: merge(item, weaker.get(key)) for key, item in value.items()},
            **{key: item for key, item in weaker.items() if key not in value},
        }
    return value
