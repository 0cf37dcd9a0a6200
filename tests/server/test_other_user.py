"""Another local user learns nothing, answers nothing, and keeps nobody out."""

import contextlib
import json
import os
import pwd
import shutil
import signal
import stat
import threading
from pathlib import Path

import pytest

from hookkit.prompts import local_notes
from hookkit.server import process
from hookkit.settings import layers
from hookkit.system import files
from tests.server.conftest import Server
from tests.server.test_auth import EVENT, RAW, call, token
from tests.server.test_shim import VERDICT, asked_the_server, rows

ROOT = os.geteuid() == 0
NEEDS_ROOT = pytest.mark.skipif(not ROOT, reason="only root can give a file to another user")
LAX = '[policy]\nbase = false\n[[rules]]\ntype = "allow"\nmatch = "*"\n[[rules]]\ntype = "deny"\nmatch = "Bash(x)"\n'


def nobody() -> int:
    return pwd.getpwnam("nobody").pw_uid


def test_the_token_of_http_hooks_changes_after_an_unclean_end_alone(tmp_path: Path) -> None:
    """Whoever took the port of a dead server may have been sent the token."""
    server = Server(tmp_path).start()
    try:
        first = token(server)
        server.stop()
        server.start()
        assert token(server) == first
        assert server.process is not None
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        server.start()
        assert token(server) != first
        assert call(server, "/hooks/run", RAW, Authorization=f"Bearer {first}")[0] == 404
    finally:
        server.stop()


@NEEDS_ROOT
def test_an_event_in_a_directory_of_another_user_is_not_looked_into(server: Server, tmp_path: Path) -> None:
    (tmp_path / "LOCAL.md").write_text("notes of a stranger")
    os.chown(tmp_path, nobody(), -1)
    given = {"Authorization": f"Bearer {token(server)}"}
    raw = json.dumps({**EVENT, "cwd": str(tmp_path), "tool_input": {"command": "ls"}}).encode()
    reply = json.loads(call(server, "/hooks/run", raw, **given)[1])
    assert reply["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert "belongs to another user" in reply["hookSpecificOutput"]["permissionDecisionReason"]
    prompt = {**EVENT, "hook_event_name": "UserPromptSubmit", "prompt": "hello", "cwd": str(tmp_path)}
    assert b"stranger" not in call(server, "/hooks/run", json.dumps(prompt).encode(), **given)[1]


def test_a_link_that_is_exchanged_while_it_is_read_tells_nothing(tmp_path: Path) -> None:
    project, notes = tmp_path / "project", tmp_path / "project" / "notes"
    project.mkdir()
    notes.write_text("notes")
    (tmp_path / "key").write_text("KEY")
    is_over = threading.Event()

    def flip() -> None:
        while not is_over.is_set():
            for target in (tmp_path / "key", notes):
                os.symlink(target, project / "next")
                os.replace(project / "next", project / "LOCAL.md")

    os.symlink(notes, project / "LOCAL.md")
    thread = threading.Thread(target=flip)
    thread.start()
    texts = {local_notes.read(str(project / "LOCAL.md"), str(project), 1000) for _ in range(3000)}
    is_over.set()
    thread.join()
    assert texts == {"notes", "[LOCAL.md not read: it leads out of the project]"}


def test_directories_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        files.private_dir(str(tmp_path / "a" / "b" / "c"))
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b", "a/b/c")]
    assert modes == [0o700, 0o700, 0o700]


@pytest.mark.parametrize(
    "how", ["writable for all", "in a directory writable for all", pytest.param("of another user", marks=NEEDS_ROOT)]
)
def test_a_policy_that_others_can_write_only_tightens(home: Path, how: str) -> None:
    path = home / ".config/hookkit/hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text(LAX)
    path.chmod(0o666 if how == "writable for all" else 0o644)
    if how == "of another user":
        os.chown(path, nobody(), -1)
    if how.startswith("in a directory"):
        path.parent.chmod(0o777)
    settings = layers.load("/", {"HOME": str(home)})
    assert settings["policy.base"] is True
    rules = [rule for rule in settings.policy["rules"] if rule.get("source") == str(path)]
    assert [rule["type"] for rule in rules] == ["deny"]
    assert any("others can write this file" in said for said in settings.broken)


def test_a_policy_of_the_person_counts_whole(home: Path) -> None:
    path = home / ".config/hookkit/hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text(LAX)
    path.chmod(0o664)  # a group of one's own, as umask 002 makes it
    assert layers.load("/", {"HOME": str(home)})["policy.base"] is False


def test_connections_without_a_secret_keep_nobody_out(own_server: Server) -> None:
    """Nine hundred half heads, as any local user can open them."""
    held = [own_server.connect() for _ in range(900)]
    try:
        for number, connection in enumerate(held):
            with contextlib.suppress(OSError):  # the oldest had to leave
                connection.sendall((b"", b"POST /hooks/run HT", b"hookkit")[number % 3])
        status, said, _ = call(own_server, "/hooks/guard", RAW, Authorization=f"Bearer {token(own_server)}")
        assert (status, VERDICT in said) == (200, True)
        before = len(rows(own_server))
        assert VERDICT in own_server.shim("run", stdin=RAW, cwd="/usr").stdout
        assert asked_the_server(own_server, before)
    finally:
        for connection in held:
            connection.close()


@pytest.mark.parametrize("how", ["a link", pytest.param("of another user", marks=NEEDS_ROOT)])
def test_a_door_that_others_can_exchange_is_not_used(own_server: Server, how: str) -> None:
    place = Path(process.directory(own_server.environ))
    if how == "a link":
        shutil.move(place, place.with_name("moved"))
        place.symlink_to("moved")
    else:
        os.chown(place, nobody(), -1)
    before = len(rows(own_server))
    assert VERDICT in own_server.shim("run", stdin=RAW, cwd="/usr").stdout
    assert not asked_the_server(own_server, before)


def test_the_button_approves_on_an_exact_yes_alone(server: Server) -> None:
    page = f"/{server.door.page}/data/settle/0123456789"
    origin = {"Origin": server.door.address}
    for body in (b"", b"{}", b'garbage{"deny": true}', b'{"deny": false}', b'{"deny":false} '):
        assert call(server, page, body, **origin)[0] == 404


def test_an_unreadable_file_is_refused_and_not_raised(tmp_path: Path) -> None:
    os.symlink(tmp_path / "loop", tmp_path / "loop")
    assert local_notes.opened(str(tmp_path / "loop"), str(tmp_path), 10)[0] == b""
