"""`from hookkit import judge`: the policy's answer under the settings of a directory, for any Python program."""

import os
from collections.abc import Mapping

from hookkit.model import Decision, Event
from hookkit.policy.judge import Judge
from hookkit.policy.pattern import RENAMED, SUBJECTS
from hookkit.settings import cache, layers

MOST = 16  # judges kept ready: one for each policy

_judges: dict[tuple[str, ...], Judge] = {}


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
    if cache.memory is None:
        cache.memory = cache.Memory(writes=False)
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
