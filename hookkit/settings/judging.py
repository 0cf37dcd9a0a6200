"""Settings and judges that a process with many calls keeps ready, and `from hookkit import judge`.

`judge` is the policy's answer under the settings of a directory, for any Python program.
"""

import os
from _thread import allocate_lock
from collections.abc import Mapping
from typing import Any

from hookkit.model import Decision, Event
from hookkit.policy.judge import Judge
from hookkit.policy.pattern import RENAMED, SUBJECTS
from hookkit.settings import layers

MOST = 16  # judges kept ready: one for each policy
MOST_IN_MEMORY = 16 << 20  # bytes of settings in memory, as text; parsed, they take four times as much
MOST_SHARED = 50_000  # groups of rules in memory

_judges: dict[tuple[str, ...], Judge] = {}


class Memory:
    """Settings of many projects, ready parsed; those that were not used for longest go first.

    Not `writes` is for a program that only asks: else hooks of another interpreter would compile anew after it.
    """

    __slots__ = ("_content", "_lock", "_shared", "_size", "writes")

    def __init__(self, *, writes: bool = True) -> None:
        self.writes = writes
        self._content: dict[str, tuple[int, dict[str, Any]]] = {}
        self._shared: dict[bytes, bytes] = {}
        self._lock = allocate_lock()
        self._size = 0

    def get(self, path: str) -> dict[str, Any] | None:
        with self._lock:
            row = self._content.pop(path, None)
            if row is None:
                return None
            self._content[path] = row
            return row[1]

    def put(self, path: str, size: int, content: dict[str, Any]) -> None:
        with self._lock:
            self._size += size - self._content.pop(path, (0,))[0]
            self._content[path] = size, content
            while self._size > MOST_IN_MEMORY and len(self._content) > 1:
                self._size -= self._content.pop(next(iter(self._content)))[0]

    def shared(self, lines: list[bytes]) -> list[bytes]:
        """The same lines, each once in memory: nearly all projects have the same shipped rules."""
        with self._lock:
            if len(self._shared) + len(lines) > MOST_SHARED:
                self._shared.clear()
            return [self._shared.setdefault(line, line) for line in lines]


def judge(
    call: str | Mapping[str, object],
    tool: str = "Bash",
    *,
    cwd: str | os.PathLike[str] | None = None,
    actor: str = "",
    environ: Mapping[str, str] | None = None,
) -> Decision:
    """The answer of the policy to a call of a tool, as `hookkit why` explains it. Nothing runs, no call is recorded.

    `call` is the tool's whole input, or a text: the command of Bash, the path of Write. The settings are those of
    `cwd` (by default the working directory) for the person of `environ`. The verdict is None where no rule matches.
    """
    directory = _here() if cwd is None else os.path.abspath(cwd)
    settings = layers.load(directory, _ready(dict(os.environ if environ is None else environ)))
    fields: dict[str, object] = {"cwd": directory, "tool_name": tool, "tool_input": _input(call, tool)}
    event = Event("PreToolUse", {**fields, "actor": actor} if actor else fields)
    if event.command and settings.is_quiet(event.command, directory):
        return Decision()
    return _judge(settings).answer(event) or Decision()


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the directory was deleted
        return "/"


def _ready(environ: dict[str, str]) -> dict[str, str]:
    """Keep compiled settings in memory from now on: a change of a file is still noticed, by its stamp."""
    if layers.memory is None:
        layers.memory = Memory(writes=False)
    return environ


def _input(call: str | Mapping[str, object], tool: str) -> dict[str, object]:
    if not isinstance(call, str):
        return dict(call)
    return {SUBJECTS.get(RENAMED.get(tool, tool), ("argument", ""))[0]: call}


def _judge(settings: layers.Settings) -> Judge:
    """The judge of a policy, made once: its catalogue of programs is worth keeping."""
    environ = settings.environ
    if not settings.policy_key:
        return Judge(settings.policy, environ)
    key = (settings.policy_key, environ.get("HOME", ""), environ.get("HOOKKIT_ACTOR", ""))
    if key not in _judges:
        while len(_judges) >= MOST:
            _judges.pop(next(iter(_judges)))
        _judges[key] = Judge(settings.policy, environ)
    return _judges[key]
