"""Other parsers judge ours, on the scripts that are installed wherever the tests run."""

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
from hookkit.shell.scan import LIMIT, scan
from hookkit.shell.scan.expansions import decode
from tests.shell import truth
from tests.shell.sight import check_places, names

DIRECTORIES = ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/etc", "/usr/lib", "/usr/libexec", "/opt/homebrew/bin")
SHELLS = (b"sh", b"bash", b"dash")
MOST = 120
FEWEST = 20
SHFMT = shutil.which("shfmt", path=str(Path(sys.executable).parent)) or shutil.which("shfmt")
Names = Counter[str]


def installed() -> Iterator[str]:
    """The shell scripts of this machine that bash accepts, each text once."""
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
    """What bash accepts we accept, but for one in a hundred."""
    refused = [text for text in scripts if ours(text) is None]
    assert len(refused) <= len(scripts) * 0.01, [text[:200] for text in refused]


def test_places_hold_in_installed_scripts(scripts: list[str]) -> None:
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
    """The literal names of all commands in shfmt's tree; declarations are commands of their own kind there."""
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
    """A word of shfmt's without its quotes; None if there is more to it."""
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


def test_bashkit_finds_nothing_that_we_do_not(scripts: list[str]) -> None:
    """It misses what stands in `${x:-$(…)}`, `(( ))` and subscripts, and now and then takes text for a command."""
    judge = pytest.importorskip("bashkit", reason="bashkit is not installed")
    assert bashkit(judge, "ls; (cd x && rm y)") == Counter(["ls", "cd", "rm"]), "bashkit's API is another than we call"
    judged = [(ours(text), bashkit(judge, text)) for text in scripts]
    both = [(mine, theirs) for mine, theirs in judged if mine is not None and theirs is not None]
    assert len(both) >= len(scripts) * 0.8, "bashkit refuses too many scripts to be a judge"
    assert sum(len(theirs) for _, theirs in both) > len(both)
    # Scripts of one package share their text (xdg-utils does), so the same difference counts once.
    differences = {frozenset(theirs - mine) for mine, theirs in both} - {frozenset()}
    assert len(differences) <= len(scripts) * 0.03


def bashkit(judge: Any, text: str) -> Names | None:
    """The names of all commands that bashkit finds; None where it refuses the script, and says so."""
    try:
        found = judge.Bash().analyze(text)
    except judge.BashError:
        return None
    return Counter(command.name for command in found.commands if command.name is not None)
