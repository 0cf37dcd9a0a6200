"""Reads, tightens and merges the layers, and compiles their rules. Runs only after a file has changed."""

from hookkit.errors import ConfigError, HookkitError
from hookkit.inputs import contracts
from hookkit.policy.rules import compile_rules
from hookkit.settings import reading
from hookkit.settings.keys import BY_NAME
from hookkit.settings.trust import is_trusted
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STRANGERS = ("project", "local")  # layers that come with a checkout
# Every error that the content of a file can cause. A stranger's file must not cost us the other layers.
FAULTS = (HookkitError, OSError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)


def compile_layers(sources: list[tuple[str, str]], environ: dict[str, str]) -> "dict[str, Any]":
    """All layers as one; a mistake in the user's own or the managed file is an error."""
    compiled: dict[str, Any] = {"values": {}, "untrusted": [], "broken": [], "reads": []}
    for layer, path in sources:
        try:
            found, is_held_back = _layer(layer, path, environ, compiled["reads"])
            if layer in STRANGERS:
                _try(found)
        except FAULTS as error:
            if layer not in STRANGERS:
                raise
            compiled["broken"].append(str(error) if isinstance(error, ConfigError) else f"{path}: cannot be used")
            continue
        compiled["untrusted"] += [path] if is_held_back else []
        for row in found.get("rules", ()):
            row["source"] = path
        for name, value in found.items():
            compiled["values"][name] = merge(value, compiled["values"].get(name))
    return {**compiled, **compile_values(compiled["values"])}


def _try(found: "dict[str, Any]") -> None:
    """Compile a stranger's file alone: its mistakes must not show up only among the rules of all layers."""
    jsons.dumps(found)
    compile_rules({**found, "policy.base": False})


def compile_values(values: "dict[str, Any]") -> "dict[str, Any]":
    """The compiled policy. The rules leave `values`: the policy holds them."""
    policy = compile_rules(values)
    for name in ("rules", "actors", "wrappers"):
        values.pop(name, None)
    return {"watch": policy.pop("watch"), "due": policy.pop("due"), "policy": policy}


def _layer(layer: str, path: str, environ: dict[str, str], reads: "list[Any]") -> "tuple[dict[str, Any], bool]":
    """The settings of one file, and whether some of them wait for trust. `reads` collects the schema files."""
    content = reading.text_of(path, reading.STRANGERS_LIMIT if layer in STRANGERS else reading.LIMIT)
    file = reading.read(path, content)
    found = file.values
    reads += contracts.reads(found)
    if file.findings:
        raise ConfigError(str(file.findings[0]))
    if layer in STRANGERS and "schemas" in found:
        found["schemas"] = contracts.tame(found["schemas"], files_only=True)
    if layer not in STRANGERS or is_trusted(path, content, environ):
        return found, False
    kept = {}
    for name, value in found.items():
        key = BY_NAME[name]
        strict = value if not key.trust else key.tighten(value) if key.tighten else None
        if strict is not None:
            kept[name] = strict
    return kept, kept != found


def merge(value: "Any", weaker: "Any") -> "Any":
    """A stronger layer's value replaces a weaker layer's; rows and tables add up, the stronger layer's first."""
    if isinstance(value, list) and weaker:
        return [*value, *(item for item in weaker if item not in value)]
    if isinstance(value, dict) and isinstance(weaker, dict):
        return {
            **{key: merge(item, weaker.get(key)) for key, item in value.items()},
            **{key: item for key, item in weaker.items() if key not in value},
        }
    return value
