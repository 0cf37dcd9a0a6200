"""One file of byte code for hooks: used if it fits the sources, never needed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hookkit

START = (
    "import sys; sys.path.insert(0, sys.argv[1]); sys.argv[1:] = ['guard']; from hookkit.__main__ import main; main()"
)
DENIED = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "cd x && sudo rm -rf /"}}


class Copy:
    """A copy of the package, called as a hook."""

    def __init__(self, place: Path) -> None:
        self.place = place
        shutil.copytree(Path(hookkit.__file__).parent, place / "hookkit", ignore=shutil.ignore_patterns("__pycache__"))

    def answer(self, *options: str, **environ: str) -> str:
        event = json.dumps({**DENIED, "cwd": str(self.place)}).encode()
        given = {"HOME": str(self.place), "PATH": os.environ["PATH"], **environ}
        command = [sys.executable, "-s", "-X", "importtime", *options, "-c", START, str(self.place)]
        done = subprocess.run(command, input=event, capture_output=True, env=given, cwd=self.place, check=True)
        self.log = done.stderr.decode()
        reply = json.loads(done.stdout) if done.stdout else {}
        return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", ""))

    @property
    def bundles(self) -> list[Path]:
        return sorted((self.place / "hookkit" / "__pycache__").glob("*.bundle*"))


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_the_first_call_writes_the_file_and_later_calls_use_it(copy: Copy) -> None:
    assert copy.answer() == "deny"
    (bundle,) = copy.bundles
    for path in (copy.place / "hookkit").rglob("*.pyc"):
        path.unlink()  # without Python's own files, only the bundle can spare the compiler
    assert copy.answer() == "deny"
    assert not list((copy.place / "hookkit" / "shell").rglob("*.pyc"))
    assert copy.bundles == [bundle]


def test_a_changed_source_is_loaded_and_kept(copy: Copy) -> None:
    copy.answer()
    copy.answer()
    source = copy.place / "hookkit" / "policy" / "judge.py"
    source.write_text(source.read_text().replace('f"hookkit [', 'f"HOOKKIT ['))
    before = copy.bundles[0].read_bytes()
    assert copy.answer() == "deny"
    assert copy.bundles[0].read_bytes() != before


@pytest.mark.parametrize("content", [b"", b"hookkit1", b"another file", b"hookkit1" + bytes(40)])
def test_a_file_that_is_none_is_replaced(copy: Copy, content: bytes) -> None:
    copy.answer()
    copy.bundles[0].write_bytes(content)
    assert copy.answer() == "deny"
    assert len(copy.bundles[0].read_bytes()) > len(content)


def test_a_link_is_not_followed(copy: Copy, tmp_path: Path) -> None:
    copy.answer()
    (bundle,) = copy.bundles
    other = tmp_path / "other"
    bundle.rename(other)
    bundle.symlink_to(other)
    assert copy.answer() == "deny"
    assert not bundle.is_symlink()


@pytest.mark.parametrize("options", [["-B"], ["-O"], ["-X", "pycache_prefix=elsewhere"]])
def test_no_file_where_python_writes_none_here(copy: Copy, options: list[str]) -> None:
    assert copy.answer(*options) == "deny"
    assert copy.bundles == []


@pytest.mark.parametrize("damage", ["cut", "zeros", "length", "table"])
def test_a_damaged_file_never_switches_hookkit_off(copy: Copy, damage: str) -> None:
    copy.answer()
    (bundle,) = copy.bundles
    whole = bundle.read_bytes()
    half = len(whole) // 2
    spoilt = {
        "cut": whole[:half],
        "zeros": whole[:half] + bytes(len(whole) - half),
        "length": whole[:12] + b"\xff" * 8 + whole[20:],
        "table": whole[:12] + (5).to_bytes(8, "little") + b"i\1\0\0\0" + whole[25:],
    }
    bundle.write_bytes(spoilt[damage])
    assert copy.answer() == "deny"
    assert copy.answer() == "deny"
    assert copy.bundles[0].read_bytes() != spoilt[damage]
