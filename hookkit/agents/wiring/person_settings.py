"""The person's own hookkit.toml, as far as `init` writes the file: `policy.approve` and the schema line."""

import json
import os
import re

from hookkit.agents.wiring import store
from hookkit.errors import ConfigError
from hookkit.settings import layers
from hookkit.settings.documents.toml_text import TomlDocument
from hookkit.settings.formats.hookkit_toml import schema
from hookkit.system import files

NAME = "hookkit.toml"
SCHEMA = "hookkit.schema.json"
HEAD = f"#:schema ./{SCHEMA}\n"
TABLE = re.compile(r"^\[policy\][ \t]*(?:#.*)?$", re.MULTILINE)


def path(environ: dict[str, str]) -> str:
    paths = (path for layer, path in layers.layers("", environ) if layer == "user")
    return next((path for path in paths if os.path.basename(path) == NAME), "")


def with_approval(file: str, text: str, value: str) -> str:
    """The text with `policy.approve`. Raises if the person has set another value."""
    known = _read(file, text)
    table = known.get("policy")
    if isinstance(table, dict) and "approve" in table:
        if table["approve"] == value:
            return text
        raise ConfigError(f"{file}: policy.approve is {table['approve']!r} already; change it there")
    setting = f"approve = {json.dumps(value)}"
    header = TABLE.search(text)
    if header:
        new = f"{text[: header.end()]}\n{setting}{text[header.end() :]}"
    else:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        new = f"{text or HEAD}{gap}[policy]\n{setting}\n"
    _read(file, new)
    return new


def _read(file: str, text: str) -> dict[str, object]:
    document = TomlDocument(file, text)
    if document.problem is not None:
        raise ConfigError(str(document.problem))
    return document.data


def approve(environ: dict[str, str], value: str) -> str:
    """Write `policy.approve` and the schema beside it; return the file's path, empty without a change."""
    file = store.target(path(environ), "")
    before = store.read(file)
    after = with_approval(file, store.text_of(file, before), value).encode()
    if after == before:
        return ""
    store.make_parents(file)
    store.Record(environ, file).back_up(before)
    store.write(file, before, after, 0o600)
    files.write(os.path.join(os.path.dirname(file), SCHEMA), json.dumps(schema(), indent=2).encode() + b"\n")
    return file
