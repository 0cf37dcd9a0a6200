"""Reads, tightens and merges the layers, and compiles their rules. Runs only after a file has changed.

A mistake in a file costs a part of this file, never another layer: the managed and the shipped policy always count.
"""

import os
import sys
import time

from hookkit.errors import ConfigError, HookkitError
from hookkit.policy import protected
from hookkit.policy.rules import compile_rules, dumps, pack
from hookkit.settings import hook_files, hook_rows, layers, reading, signed
from hookkit.settings.inputs import user_schemas
from hookkit.settings.keys import BY_NAME, HOLDING, UNEXPLAINED
from hookkit.settings.layers import FLEET, OUTER, STRANGERS
from hookkit.settings.mistakes import OWN, TRUSTED, UNTRUSTED
from hookkit.settings.trust import CHECK, HANDLER, digest, is_pinned, is_trusted
from hookkit.system import files, jsons
from hookkit.system.masking import mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Every error that the content of a file can cause.
FAULTS = (HookkitError, OSError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
COMPILED = ("rules", "actors", "programs", "wrappers", "approvals", "tools")  # settings that the policy holds
FOREIGN = "others can write this file, so it can only tighten. Make it yours: chown and chmod go-w"
SAYS = "The settings of this project, which nobody has trusted, say:"
ADVICE, REGEXES = "advice of rules (instead)", "regular expressions of rules"  # parts that wait for trust
UNKNOWN = 1 << 20  # the size of settings that cannot be written
APART = "the layers do not work together: only the managed and the shipped policy count"


def compile_layers(sources: list[tuple[str, str]], environ: dict[str, str]) -> "dict[str, Any]":
    """All layers as one, with the mistakes in them; never raises for the content of a file."""
    compiled: dict[str, Any] = {"values": {}, "untrusted": {}, "broken": [], "reads": []}
    compiled_layers = [(layer, *_layer(layer, path, environ, compiled)) for layer, path in sources if layer != FLEET]
    fleet = [path for layer, path in sources if layer == FLEET]
    if fleet:
        own = _merged(compiled_layers, ("user", "managed"))
        values = _fleet_policy(fleet[0], own.get("fleet.signers", ""), environ, compiled)
        strongest = next(
            (number for number, row in enumerate(compiled_layers) if row[0] == "managed"), len(compiled_layers)
        )
        compiled_layers.insert(strongest, (FLEET, OWN, values))
    managed = _merged(compiled_layers, ("managed",))
    try:
        values = hook_rows.switched(_merged(compiled_layers), managed)
        return {**compiled, **compile_values(values, environ)}
    except FAULTS:
        compiled["broken"].append(APART)
        return {**compiled, **compile_values(hook_rows.switched(managed, managed), environ)}


def renew(path: str, stamp: "list[Any]", sources: list[tuple[str, str]], environ: dict[str, str]) -> "dict[str, Any]":
    """Compile the layers, and keep the result in a file of the cache."""
    compiled = compile_layers(sources, environ)
    _write(path, {"stamp": stamp, **compiled})
    return compiled


def _write(path: str, content: "dict[str, Any]") -> None:
    """On a read-only disk only the next call is slower."""
    try:
        body = _text(content)
    except (TypeError, ValueError):  # a value that JSON does not have
        if layers.memory is not None:
            layers.memory.put(path, UNKNOWN, content)
        return
    if layers.memory is not None:
        rules = body.partition(b"\n")[2]
        layers.memory.put(path, len(body), {**content, "policy": layers.policy_of(rules)})
    state = os.path.dirname(os.path.dirname(path))
    if layers.memory is not None and not (layers.memory.writes and os.path.isdir(state)):
        return  # the state of a server is there: this home was deleted, and is not made anew
    try:
        files.private_dir(state)
        files.private_dir(os.path.dirname(path))
        files.write(path, b"%s\n%s" % (_seal(body), body))
    except OSError:
        return


def _text(content: "dict[str, Any]") -> bytes:
    """A line for the head, then the policy."""
    head = {name: value for name, value in content.items() if name != "policy"}
    return f"{jsons.dumps(head)}\n{dumps(content['policy'])}".encode()


def _seal(body: bytes) -> bytes:
    """Two checksums: the interpreter's own needs no import, but another version of Python may count differently."""
    return f"{sys.implementation.cache_tag} {layers.quick_sum(body)} {files.checksum(body)}".encode()


def compile_values(values: "dict[str, Any]", environ: dict[str, str]) -> "dict[str, Any]":
    """The compiled policy and the other values. The rules leave `values`: the policy holds them."""
    of_machine = protected.rows(environ)
    policy = compile_rules(values, of_machine)
    rest = {name: value for name, value in values.items() if name not in COMPILED}
    apart = {name: value for name, value in policy.items() if name not in ("watch", "due")}
    digests = {"digest": _digest(apart), "machine": digest(jsons.dumps(of_machine))[:16]}
    return {"values": rest, "watch": policy["watch"], "due": policy["due"], "policy": apart, **digests}


def _digest(policy: "dict[str, Any]") -> str:
    """Tells policies apart: the ledger notes by which of them a call was judged.

    Equal rules are one policy on all machines, so the paths of this one are left out: its own protected files, and
    the file that a rule comes from.
    """
    rules: list[Any] = [
        {name: value for name, value in rule.items() if name != "source"}
        for rule in policy.get("rules", [])
        if (rule.get("name"), rule.get("source")) != (protected.NAME, "base")
    ]
    judged = {name: value for name, value in policy.items() if name not in ("index", "extra")}
    try:
        return digest(jsons.dumps({**judged, "rules": pack(rules)}))[:16]
    except (TypeError, ValueError):  # a value that JSON does not have
        return ""


def _fleet_policy(path: str, signers: str, environ: dict[str, str], compiled: "dict[str, Any]") -> "dict[str, Any]":
    """The fleet's policy, if one of the allowed signers has signed it; the settings of the fleet itself are not its."""
    name = os.path.expanduser(signers)
    compiled["reads"] += [[name, files.stamp(name)]] if name else []
    try:
        listed = reading.text_of(name) if name else ""
        text = signed.checked_policy(path, reading.text_of(path), listed, environ)
    except FAULTS as error:
        message = str(error) if isinstance(error, ConfigError) else f"{path}: hookkit cannot check its signature"
        compiled["broken"].append(f"{message}; this file is ignored")
        return {}
    _, values = _layer(FLEET, path, environ, compiled, text)
    return {key: value for key, value in values.items() if not key.startswith(signed.NOT_FROM_FLEET)}


def _layer(
    layer: str, path: str, environ: dict[str, str], compiled: "dict[str, Any]", text: str | None = None
) -> "tuple[str, dict[str, Any]]":
    """The standing and the settings of one file; `compiled` collects its mistakes and the files that it names."""
    try:
        if layer in STRANGERS:
            _refuse_link(path)
        limit = reading.STRANGERS_LIMIT if layer in STRANGERS else reading.LIMIT
        content = reading.text_of(path, limit) if text is None else text
        standing = _standing(layer, path, content, environ, compiled)
        file = reading.read(path, content, standing)
        compiled["reads"] += user_schemas.reads(file.values)
        compiled["broken"] += [mask(text) for text in reading.complaints(path, file)]
        table = _tightened(file.values) if standing == UNTRUSTED else file.values
        if standing == TRUSTED:
            table = _with_pinned_checks(table, path, environ, compiled)
        _try(table)
    except FAULTS as error:
        message = mask(str(error)) if isinstance(error, ConfigError) else f"{path}: hookkit cannot use this file"
        compiled["broken"].append(f"{message}; this file is ignored")
        return UNTRUSTED, {}
    waiting = [*file.waits, *_left_out(file.values, table)] if standing == UNTRUSTED and layer != OUTER else []
    if layer not in STRANGERS and standing == UNTRUSTED:
        compiled["broken"].append(f"{path}: {FOREIGN}")
    else:
        compiled["untrusted"] |= {path: [*dict.fromkeys(waiting)]} if waiting else {}
    table = _attributed(table) if standing == UNTRUSTED else table
    for row in table.get("rules", ()):
        row["source"] = path
    if "hooks" in table:
        cocode = reading.is_cocode(path)
        rows = [hook_rows.normal(row, layer, path, cocode=cocode) for row in table["hooks"]]
        rows = [row for row in rows if not hook_rows.is_hookkit(row)]
        if standing == TRUSTED:
            rows = [_pinned(row, environ, compiled) for row in rows]
        table = {**table, "hooks": rows}
    return standing, table


def _attributed(values: "dict[str, Any]") -> "dict[str, Any]":
    """Reasons of an untrusted file are quoted: the model must not take them for hookkit's own words.

    Schemas are marked: `inputs.explain` repeats none of their texts.
    """
    quoted = dict(values)
    if "schemas" in values:
        schemas = values["schemas"].items()
        quoted["schemas"] = {tool: [{**row, "untrusted": True} for row in rows] for tool, rows in schemas}
    if "rules" in values:
        quoted["rules"] = [_quoted(row) for row in values["rules"]]
    if "actors" in values:
        quoted["actors"] = {actor: _quoted(lists) for actor, lists in values["actors"].items()}
    return quoted


def _quoted(row: "dict[str, Any]") -> "dict[str, Any]":
    if row.get("reason") in (None, "", UNEXPLAINED):
        return row
    words = "".join(char if char.isprintable() else " " for char in row["reason"]).replace('"', "'")
    return {**row, "reason": f'{SAYS} "{words}"'}


def _refuse_link(path: str) -> None:
    """A link in a checkout may lead to any file of the person: its content is neither read nor quoted."""
    root = hook_files.root_of(path)
    if os.path.realpath(path) != path and not files.inside(path, root):
        raise ConfigError(f"{path}: leads out of the project")


def _with_pinned_checks(
    values: "dict[str, Any]", path: str, environ: dict[str, str], compiled: "dict[str, Any]"
) -> "dict[str, Any]":
    """The settings of a trusted project without the commands whose files changed since."""
    rows = [_pinned(row, environ, compiled, CHECK) for row in hook_files.checks(values, path)]
    changed = [row["body"]["command"] for row in rows if row["untrusted"]]
    return hook_files.without(values, changed) if changed else values


def _pinned(
    row: "dict[str, Any]", environ: dict[str, str], compiled: "dict[str, Any]", kind: str = HANDLER
) -> "dict[str, Any]":
    """A row of a trusted project. The trust of its settings does not cover a program that changed since."""
    root = hook_files.root_of(row["source"])
    named = hook_files.named(row, root, root)
    compiled["reads"] += [[path, files.stamp(path)] for path in named]
    if named:
        _read_signature(row["source"], environ, compiled)
    path = hook_files.unpinned(row, root, root, environ)
    if path:
        compiled["untrusted"].setdefault(path, []).append(f"{kind}{row['name']}")
    return {**row, "root": root, "checked": root, "untrusted": path}


def _standing(layer: str, path: str, content: str, environ: dict[str, str], compiled: "dict[str, Any]") -> str:
    if layer not in STRANGERS:
        return OWN if layer == "managed" or files.is_owned(path) else UNTRUSTED
    if layer == OUTER:
        return UNTRUSTED
    if is_pinned(path, content, environ):
        return TRUSTED
    _read_signature(path, environ, compiled)
    return TRUSTED if is_trusted(path, content, environ) else UNTRUSTED


def _read_signature(path: str, environ: dict[str, str], compiled: "dict[str, Any]") -> None:
    """Trust may come from a signature: from another list or another key tomorrow, and a key may expire."""
    reads = signed.reads(path, environ)
    compiled["reads"] += [read for read in reads if read not in compiled["reads"]]
    if any(stamp for _, stamp in reads):
        compiled["until"] = time.time() + signed.KEPT


def _tightened(values: "dict[str, Any]") -> "dict[str, Any]":
    """The part of an untrusted file's settings that applies."""
    stricter = {}
    for name, value in values.items():
        key = BY_NAME[name]
        strict = value if not key.trust else key.tighten(value) if key.tighten else None
        if strict is not None:
            stricter[name] = strict
    return stricter


def _left_out(written: "dict[str, Any]", applied: "dict[str, Any]") -> "Iterator[str]":
    """Names of the parts of an untrusted file that do not apply."""
    for name, value in written.items():
        if applied.get(name) == value:
            continue
        if name != "rules":
            yield f"parts of {name}" if name in applied else name
            continue
        yield from (f"{row['type']} rules" for row in value if row["type"] not in HOLDING)
        holding = [row for row in value if row["type"] in HOLDING]
        yield from (ADVICE for row in holding if "instead" in row)
        if _patterns(holding) != _patterns(applied.get(name, [])):
            yield REGEXES


def _patterns(rows: "list[dict[str, Any]]") -> "list[Any]":
    return [row.get(name) for row in rows for name in ("match", "unless")]


def _try(values: "dict[str, Any]") -> None:
    """Compile a file alone: its mistakes must not show up only among the rules of all layers."""
    jsons.dumps(values)
    compile_rules({**values, "policy.base": False}, is_watched=False)


def _merged(rows: "list[tuple[str, str, dict[str, Any]]]", names: "tuple[str, ...]" = ()) -> "dict[str, Any]":
    """The settings of all layers, or of the named ones. An untrusted file never replaces a stricter value."""
    merged: dict[str, Any] = {}
    for layer, standing, values in rows:
        for name, value in values.items() if not names or layer in names else ():
            strictest = BY_NAME[name].strictest if standing == UNTRUSTED and name in merged else None
            merged[name] = strictest(value, merged[name]) if strictest else merge(value, merged.get(name))
    return merged


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
