"""A stranger's file costs a bounded amount of work, once: a file over the limits is left out, and remembered."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hookkit.settings import compiling, mistakes
from tests.conftest import Run
from tests.settings.test_broken_files import verdict
from tests.settings.test_settings import load, user_file

CALLS = 500_000  # of Python functions, to read and compile a stranger's file: about 0.2 seconds
KEPT = 2_000  # the same for a snapshot
ROW = "[[rules]]\ntype='deny'\nmatch="
ENUM = ",".join(f"'v{number}'" for number in range(25_000))
REFS = "[schemas.T.properties]\n" + "".join(f"p{number} = {{'$ref' = '#/$defs/e'}}\n" for number in range(20))
OVER = {
    "a dotted key": ("a." * 60_000 + "a = 1\n", "a name of more than 32 parts"),
    "a dotted header": ("[" + "a." * 60_000 + "a]\n", "a name of more than 32 parts"),
    "a dotted key in a table": ("x = {" + "a." * 60_000 + "a = 1}\n", "a name of more than 32 parts"),
    "deep tables": ("x = " + "{a = " * 9_000 + "1" + "}" * 9_000, "nested deeper than 50"),
    "deep lists": ("x = " + "[" * 100_000, "nested deeper than 50"),
    "bad rules": ((ROW + "'Bash('\n") * 7_000, "more than 10,000 values"),
    "unknown fields": (ROW + "'Bash(x)'\n" + "".join(f"f{number}=1\n" for number in range(25_000)),
                       "more than 10,000 values"),
    "unknown settings": ("".join(f"f{number}=1\n" for number in range(25_000)), "more than 10,000 values"),
    "an enum": (f"{REFS}[schemas.T.'$defs'.e]\nenum = [{ENUM}]\n", "more than 10,000 values"),
    "rules about files": ("".join(f"{ROW}'Read(*{number})'\n" for number in range(5_500)), "more than 10,000 values"),
    "some rules about files": ("".join(f"{ROW}'Read(*{number})'\n" for number in range(501)), "more than 500 patterns"),
    "a list of patterns": (f"{ROW}{[f'Read(*{number})' for number in range(501)]}\n", "more than 500 patterns"),
    "patterns with exceptions": (f"{ROW}{['Bash(a)'] * 25}\nunless={['Bash(b)'] * 20}\n", "more than 500 patterns"),
    "lists of actors": ("".join(f"[actors.a{number}]\ndeny=['A','B','C']\n" for number in range(167)),
                        "more than 500 patterns"),
    "keywords": ("[nudge.keywords]\n" + "".join(f"k{number}='/x'\n" for number in range(1_001)),
                 "more than 1,000 entries in a list or table"),
    "tables": ("".join(f"[a{number}]\n" for number in range(2_002)), "more than 2,000 tables"),
}  # fmt: skip
WITHIN = {
    "rules": "".join(f"{ROW}'Bash(a{number} * --b *c* | d *)'\nreason='x'\n" for number in range(500)),
    "bad rules": "".join(f"{ROW}'Bash(a{number}'\n" for number in range(500)),
    "settings": "".join(f"[s{table}]\n" + "".join(f"k{key}=1\n" for key in range(990)) for table in range(10)),
    "comments": "#\n" * 131_000,
    "escapes": 'local.file = "' + "\\u0041" * 43_000 + '"',
    "expressions": "[[rules]]\ntype='modify'\nmatch='Bash'\nfield='command'\nwith=''\nregex='''"
    + "(?i:[\\x00-\\U0010ffff])" * 5_000
    + "'''\n[schemas.T.properties.a]\npattern='''"
    + "(?i:[\\x00-\\U0010ffff])" * 5_000
    + "'''\n",
}


def counted(run: Callable[[], Any]) -> int:
    """The number of Python functions that a call enters."""
    calls = 0

    def count(_: FrameType, event: str, __: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize(("text", "expected"), OVER.values(), ids=OVER)
def test_a_file_over_the_limits_is_left_out_and_remembered(
    project: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: str
) -> None:
    (project / "hookkit.toml").write_text(text[: 1 << 18])
    load(project)  # the modules
    (project / "hookkit.toml").touch()
    assert counted(lambda: load(project)) < CALLS
    monkeypatch.setattr(compiling, "compile_layers", lambda *_: pytest.fail("compiled again"))
    (said,) = load(project).broken
    assert expected in said
    assert said.endswith("; this file is ignored")
    assert counted(lambda: load(project)) < KEPT
    assert verdict(project, "rm -rf /") == "deny"


@pytest.mark.parametrize("text", WITHIN.values(), ids=WITHIN)
def test_a_file_within_the_limits_is_cheap(project: Path, text: str) -> None:
    (project / "hookkit.toml").write_text(text)
    load(project)  # the modules
    (project / "hookkit.toml").touch()
    assert counted(lambda: load(project)) < CALLS
    assert counted(lambda: load(project)) < KEPT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("version: '2.0'\n" + "# x\n" * 10_001, "more than 40,000 characters"),
        (
            "version: '2.0'\nhooks:\n  pre_tool_use:\n" + "  - {type: deny, matcher: A}\n" * 501,
            "more than 500 patterns",
        ),
    ],
)
def test_the_same_holds_of_genesis_key(project: Path, text: str, expected: str) -> None:
    (project / ".mentu").mkdir()
    (project / ".mentu" / "genesis.key").write_text(text)
    (said,) = load(project).broken
    assert expected in said


@pytest.mark.parametrize("trusted", [False, True])
def test_schemas_over_the_limits_are_left_out_alone(
    project: Path,
    hookkit: Run,
    trusted: bool,  # noqa: FBT001 - a case
) -> None:
    """The content of a schema's file is not pinned, so trust does not lift the limit."""
    (project / "hookkit.toml").write_text("[schemas]\nT = 'big.json'\n" + ROW + "'Bash(foo *)'\n")
    (project / "big.json").write_text("{}")
    if trusted:
        assert hookkit("trust", cwd=project).returncode == 0
    enum = {"enum": [str(number) for number in range(900)]}
    big = {"properties": {f"p{n}": {"$ref": "#/$defs/e"} for n in range(400)}, "$defs": {"e": enum}}
    (project / "big.json").write_text(json.dumps(big))
    (said,) = load(project).broken
    assert "schemas: more than 20,000 referenced values" in said
    assert said.endswith("; this setting is ignored")
    assert verdict(project, "foo x") == "deny"
    (project / "big.json").write_text("{}")
    assert load(project).broken == []


def test_the_limits_are_for_strangers_alone(home: Path, project: Path, hookkit: Run) -> None:
    rules = "".join(f"{ROW}'Read(*{number})'\n" for number in range(mistakes.MOST_PATTERNS + 1))
    text = rules + ROW + "'Bash(foo *)'\n"
    (project / "hookkit.toml").write_text(text)
    assert hookkit("trust", cwd=project).returncode == 0
    assert (load(project).broken, verdict(project, "foo x")) == ([], "deny")
    (project / "hookkit.toml").unlink()
    user_file(home, text)
    assert (load(project).broken, verdict(project, "foo x")) == ([], "deny")
