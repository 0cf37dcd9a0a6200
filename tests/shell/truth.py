"""Runs a command line in bash, where every program is a stub that logs its arguments."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

BASH = shutil.which("bash") or ""
SECONDS = 5
# The log is file descriptor 9; the log is complete when the last process that holds the descriptor has ended.
START = f'ulimit -t {SECONDS} -f 1024; exec 9>&1 >/dev/null 2>&1; exec {BASH} -c "$1"'
STUB = "() { builtin printf '%s\\0' $# \"$@\" >&9; }"


def ran(text: str) -> list[list[str]]:
    """The programs that bash runs, each with its arguments; PATH is an empty directory."""
    with tempfile.TemporaryDirectory() as directory:
        process = subprocess.Popen(
            [BASH, "-c", START, "bash", text],
            env={"PATH": directory, "LC_ALL": "C.UTF-8", "BASH_FUNC_command_not_found_handle%%": STUB},
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            log, _ = process.communicate(timeout=2 * SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            log, _ = process.communicate()
        return _calls(log.decode("utf-8", "surrogateescape").split("\0"))


def ran_each(texts: Iterable[str]) -> list[list[list[str]]]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(ran, texts))


def accepts(text: str) -> bool:
    """Whether bash can parse the text; for a bad `[[` bash prints an error, but exits with 0."""
    done = subprocess.run([BASH, "-n", "-c", text], capture_output=True, check=False, env={"LC_ALL": "C"})
    return done.returncode == 0 and b"syntax error" not in done.stderr and b"unexpected" not in done.stderr


def is_seen(call: list[str], seen: list[list[str | None]]) -> bool:
    """Whether the scanner found a command that matches the call."""
    return any(_matches(call, found) for found in seen)


def _matches(call: list[str], found: list[str | None]) -> bool:
    """An unknown word may become any number of arguments; the arguments before and behind must be equal."""
    if None not in found:
        return call == found
    first, last = found.index(None), found[::-1].index(None)
    return (
        len(call) >= first + last
        and call[:first] == found[:first]
        and call[len(call) - last :] == found[len(found) - last :]
    )


def _calls(fields: list[str]) -> list[list[str]]:
    calls = []
    at = 0
    while at < len(fields) - 1:
        size = int(fields[at])
        calls.append(fields[at + 1 : at + 1 + size])
        at += 1 + size
    return calls
