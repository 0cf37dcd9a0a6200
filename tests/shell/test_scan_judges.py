"""Comparison with other parsers, on the shell scripts installed on the machine."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from hookkit.errors import ShellError
from hookkit.shell.ansi import decode
from hookkit.shell.scan import LIMIT, scan
from tests.shell import truth
from tests.shell.sight import check_places, names

DIRECTORIES = ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/etc", "/usr/lib", "/usr/libexec", "/opt/homebrew/bin")
SHELLS = (b"sh", b"bash", b"dash")
MOST = 120
FEWEST = 20
SHFMT = shutil.which("shfmt", path=str(Path(sys.executable).parent)) or shutil.which("shfmt")
Names = Counter[str]


def installed() -> Iterator[str]:
    """The shell scripts of the machine, each text once, without scripts refused by bash."""
    found = set()
    for directory in DIRECTORIES:
        for folder, folders, files in os.walk(directory):
            folders.sort()
            for name in sorted(files):
                text = script(os.path.join(folder, name))
                if text is not None and text not in found and truth.accepts(text):
                    found.add(text)
                    yield text


def script(path: str) -> str | None:
    try:
        if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > LIMIT:
            return None
        with open(path, "rb") as file:
            first = file.readline(200).removeprefix(b"#!").split() if file.read(2) == b"#!" else []
            if not any(os.path.basename(word) in SHELLS for word in first[:2]):
                return None
            file.seek(0)
            text = file.read().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text else text


@pytest.fixture(scope="module")
def scripts() -> list[str]:
    found = list(islice(installed(), MOST)) if truth.BASH else []
    if len(found) < FEWEST:
        pytest.skip(f"only {len(found)} shell scripts are installed here")
    return found


def ours(text: str) -> Names | None:
    try:
        return Counter(name for name in names(scan(text)) if name is not None)
    except ShellError:
        return None


def test_installed_scripts_are_read(scripts: list[str]) -> None:
    """The scanner may refuse at most 1 % of the scripts that bash accepts."""
    refused = [text for text in scripts if ours(text) is None]
    assert len(refused) <= len(scripts) * 0.01, [text[:200] for text in refused]


def test_positions_are_right_in_installed_scripts(scripts: list[str]) -> None:
    for text in scripts:
        if ours(text) is not None:
            check_places(text, scan(text))


# -- shfmt ---------------------------------------------------------------------------------------


@pytest.mark.skipif(SHFMT is None, reason="shfmt (shfmt-py) is not installed")
def test_shfmt_finds_the_same_programs(scripts: list[str]) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = [(text, ours(text), theirs) for text, theirs in zip(scripts, pool.map(shfmt, scripts), strict=True)]
    both = [(text, mine, theirs) for text, mine, theirs in judged if mine is not None and theirs is not None]
    assert len(both) >= len(scripts) * 0.97
    for text, mine, theirs in both:
        assert mine == theirs, text[:200]


def shfmt(text: str) -> Names | None:
    """The literal names of all commands in the tree of shfmt; declarations have their own kind of node there."""
    done = subprocess.run(
        [str(SHFMT), "--to-json", "-ln", "bash"], input=text.encode(), capture_output=True, check=False
    )
    if done.returncode:
        return None
    found: Names = Counter()
    nodes = [json.loads(done.stdout)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, list):
            nodes += node
        elif isinstance(node, dict):
            nodes += node.values()
            name = shfmt_name(node)
            if name is not None:
                found[name] += 1
    return found


def shfmt_name(node: dict[str, Any]) -> str | None:
    kind = node.get("Type")
    if kind == "CallExpr" and node.get("Args"):
        return literal(node["Args"][0].get("Parts") or [])
    if kind == "DeclClause":
        return str(node["Variant"]["Value"])
    return "let" if kind == "LetClause" else None


def literal(parts: list[dict[str, Any]]) -> str | None:
    """A word of shfmt without quotes; None for a word with expansions."""
    out = ""
    for part in parts:
        value = part.get("Value", "")
        if part["Type"] == "Lit":
            out += unescaped(value, "")
        elif part["Type"] == "SglQuoted":
            out += decode(value + "'", 0)[0] if part.get("Dollar") else value
        elif part["Type"] == "DblQuoted" and all(inner["Type"] == "Lit" for inner in part.get("Parts") or []):
            out += "".join(unescaped(inner.get("Value", ""), '$`"\\\n') for inner in part.get("Parts") or [])
        else:
            return None
    return out


def unescaped(text: str, only: str) -> str:
    out, at = "", 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text) and (not only or text[at + 1] in only):
            at += 1
            out += text[at].replace("\n", "")
        else:
            out += text[at]
        at += 1
    return out


# -- bashkit -------------------------------------------------------------------------------------


def test_bashkit_finds_no_program_that_the_scanner_misses(scripts: list[str]) -> None:
    """bashkit misses programs in `${x:-$(…)}`, `(( ))` and subscripts, and sometimes takes text for a command."""
    bashkit = pytest.importorskip("bashkit", reason="bashkit is not installed")
    bash = bashkit.Bash()
    found = more = 0
    for text in scripts:
        mine = ours(text)
        try:
            theirs = Counter(command.name for command in bash.analyze(text).commands if command.name is not None)
        except bashkit.BashError:  # bashkit refuses the script
            continue
        found += bool(theirs)
        more += mine is not None and bool(theirs - mine)
    assert found >= len(scripts) * 0.9
    assert more <= len(scripts) * 0.03
