"""The command line of a handler, for sh, bash, zsh and fish.

While hookkit is there the shell becomes hookkit, without a further process. Once hookkit is gone, the line is silent,
tells the person at the start of a session and once an hour (FIRST, LOUD), or refuses the call (CLOSED).
"""

import json
import shlex

from hookkit.checking.claude import commands
from hookkit.wiring.launcher import Launcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# A directory, never written to: its age says when the person was told. $HOME is the only variable of the line, since
# Grok refuses a command with a variable that its own environment lacks ($PPID), and then runs the tool unchecked.
MARK = '"$HOME/.local/state/hookkit/gone"'
TOLD = f"find {MARK} -mmin -60 2>/dev/null | grep -q . && exit 0"
TELL = f"rmdir {MARK} 2>/dev/null; mkdir -p {MARK} 2>/dev/null"
DEFAULT = "run"


# The answer once hookkit is gone. FIRST is for the start of a session: a mark of an older session must not hide it.
QUIET, FIRST, LOUD, CLOSED = "quiet", "first", "loud", "closed"


def line(launcher: Launcher, words: "Sequence[str]" = (DEFAULT,), *, gone: str = LOUD, shared: bool = False) -> str:
    """The whole line. `shared` is for a file in the repository: other machines find hookkit on their PATH."""
    program, interpreter = shlex.quote(launcher.program), shlex.quote(launcher.interpreter)
    call = " ".join(map(shlex.quote, words))
    tried = [(f"[ -x {interpreter} ] && [ -x {program} ]", f"exec {shlex.join(launcher.call)} {call}")]
    if shared:
        tried.append(("command -v hookkit >/dev/null", f"exec hookkit {call}"))
    if gone == QUIET:
        *first, (test, run) = tried
        return "; ".join([*(" && ".join(each) for each in first), f"{test} || exit 0", run])
    return "; ".join([*(" && ".join(each) for each in tried), _gone(launcher.program, gone, shared=shared)])


def _gone(program: str, gone: str, *, shared: bool) -> str:
    lost = "it is not installed here. Run: pipx install hookkit" if shared else f"{program} is missing. Reinstall it"
    if gone == CLOSED:
        return f"echo {shlex.quote(f'hookkit cannot check this call: {lost}.')} >&2; exit 2"
    said = json.dumps({"systemMessage": f"hookkit is off, nothing is checked: {lost}, or remove its hooks."})
    seen = "" if gone == FIRST else f"{TOLD}; "
    return f"{seen}{TELL}; echo {shlex.quote(said)}"


def calls(command: str, arguments: "list[str] | None" = None) -> list[list[str]]:
    """The words after each `hookkit` in a handler's command, if they call a hook."""
    found = commands.calls(command, arguments)
    return [words for words in found if words and commands.is_hook(words[0])]


def is_ours(command: object) -> bool:
    """Whether a handler's command runs a hook of hookkit; the cheap test comes first."""
    return isinstance(command, str) and "hookkit" in command and bool(calls(command))
