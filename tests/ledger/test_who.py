"""The first row of a session says who and what; a verdict says by which policy."""

import json
import subprocess
from pathlib import Path

import pytest

from hookkit import __version__
from hookkit.ledger import lines, places
from hookkit.ledger.who import remote
from hookkit.pipeline import Invocation

REMOTES = [
    ("git@example.com:team/app.git", "example.com/team/app"),
    ("https://example.com/team/app", "example.com/team/app"),
    ("https://me:s3cret@Example.com:8443/team/app.git", "example.com/team/app"),
    ("ssh://git@example.com:22/team/app.git/", "example.com/team/app"),
    ("/srv/git/app.git", ""),
    ("file:///srv/git/app.git", ""),
    ("../app:x", ""),
    ("", ""),
]


@pytest.mark.parametrize(("url", "expected"), REMOTES, ids=[row[0] for row in REMOTES])
def test_a_remote_is_told_without_its_password(url: str, expected: str) -> None:
    assert remote(url) == expected


def rows(environ: dict[str, str]) -> list[dict[str, object]]:
    found = (line for path in places.paths(environ) for line in Path(path).read_bytes().splitlines())
    return [lines.row(line) or {} for line in found]


def test_a_session_begins_with_who_and_what(environ: dict[str, str], tmp_path: Path) -> None:
    words = (("init", "-q"), ("config", "user.name", "Ada"), ("config", "user.email", "ada@example.com"),
             ("remote", "add", "origin", "git@example.com:team/app.git"))  # fmt: skip
    for word in words:
        subprocess.run(["git", *word], cwd=tmp_path, check=True)
    event = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "s1", "cwd": str(tmp_path)}
    Invocation("record", [], {**environ, "CLAUDE_CODE_SESSION_ATTENDED": "0"}).answer(json.dumps(event).encode())
    (row,) = rows(environ)
    who = row["who"]
    assert isinstance(who, dict)
    assert len(who.pop("machine")) == 16
    assert who == {
        "person": "Ada <ada@example.com>", "hookkit": __version__, "remote": "example.com/team/app", "attended": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("event", "transcript", "path", "expected"),
    [
        ("SessionStart", '{"type":"user","version":"2.1.325"}', "", "2.1.325"),
        ("SessionEnd", '{"type":"user","version":"2.1.325"}', "", "2.1.325"),
        ("SessionStart", None, "/opt/claude/versions/2.1.400", "2.1.400"),
        ("SessionStart", '{"version":"<b>"}', "", None),
        ("SessionEnd", None, "", None),
    ],
)
def test_the_clients_version_is_in_its_transcript_or_its_path(
    environ: dict[str, str], tmp_path: Path, event: str, transcript: str | None, path: str, expected: str | None
) -> None:
    file = tmp_path / "transcript.jsonl"
    if transcript is not None:
        file.write_text(transcript)
    said = {"hook_event_name": event, "session_id": "s1", "cwd": str(tmp_path), "transcript_path": str(file)}
    Invocation("record", [], {**environ, "CLAUDE_CODE_EXECPATH": path}).answer(json.dumps(said).encode())
    who = rows(environ)[0].get("who", {})
    assert isinstance(who, dict)
    assert who.get("client") == expected


def test_a_verdict_names_its_policy(environ: dict[str, str], home: Path) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}, "cwd": "/"}
    raw = json.dumps({**event, "session_id": "s1"}).encode()
    Invocation("run", [], environ).answer(raw)
    config = home / ".config" / "hookkit" / "hookkit.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[[rules]]\ntype = "ask"\nmatch = "Bash(make *)"\n')
    Invocation("run", [], environ).answer(raw)
    Invocation("run", [], environ).answer(raw)
    first, second, third = (row["policy"] for row in rows(environ))
    assert first != second == third
