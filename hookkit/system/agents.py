"""Whether an agent runs this process. Some commands are for a person: an agent must not trust or approve its own work.

This is a fence and no wall. A process can hide its parents, so these commands also want a terminal of their own, which
the shell of an agent does not have. The policy that asks about these commands is the wall.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Variables that agents set for the commands that they run.
VARIABLES = (
    "CLAUDECODE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "COPILOT_CLI", "CURSOR_AGENT", "GEMINI_CLI",
    "GEMINI_SESSION_ID", "OPENCODE", "QWEN_CODE", "QWEN_CODE_SESSION_ID", "GROK_SESSION_ID", "PI_CODING_AGENT", "CRUSH",
)  # fmt: skip
PROGRAMS = (
    "claude",
    "cline",
    "codex",
    "copilot",
    "cursor-agent",
    "droid",
    "gemini",
    "goose",
    "grok",
    "kilo",
    "kimi",
    "opencode",
    "qwen",
    "vibe",
)
# Packages whose program has a name like cli.js.
PACKAGES = ("@anthropic-ai/claude-code", "@google/gemini-cli", "@qwen-code/qwen-code", "@openai/codex")
DEEPEST = 64  # parents


def agent(environ: "Mapping[str, str]", proc: str = "/proc") -> str:
    """The variable or program of the agent that runs this process; an empty text for a person."""
    names = [name for name in VARIABLES if environ.get(name)]
    return names[0] if names else next(parents(proc), "")


def refusal(environ: "Mapping[str, str]", act: str) -> str:
    """Why this process may not do what only a person can do, such as "trust a project"; empty for a person."""
    reason = "an agent runs this" if agent(environ) else "" if has_terminal() else "this runs without a terminal"
    return f"{reason}, and only a person can {act}: run it in a terminal of your own" if reason else ""


def has_terminal(proc: str = "/proc") -> bool:
    """Whether a terminal controls this process, and no agent started the terminal's session.

    A process that leaves the tree of its agent (setsid, a daemon) has none.
    """
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
        leader = os.getsid(0)
    except OSError:
        return False
    return not any(parents(proc, leader))


def parents(proc: str, pid: int = 0) -> "Iterator[str]":
    """The same from the parents of this process, on a system with /proc: `env -i` cannot clear these.

    With `pid`, from this process and its parents.
    """
    pid = pid or os.getppid()
    for _ in range(DEEPEST):
        words = _read(f"{proc}/{pid}/cmdline")
        names = {word.partition("=")[0] for word in _read(f"{proc}/{pid}/environ")}
        yield from (name for name in VARIABLES if name in names)
        yield from (word for word in words[:2] if _is_agent(word))
        fields = " ".join(_read(f"{proc}/{pid}/stat")).rpartition(")")[2].split()
        if len(fields) < 2 or not fields[1].isdigit() or fields[1] == "0":  # noqa: PLR2004 - state and parent
            return
        pid = int(fields[1])


def _is_agent(word: str) -> bool:
    name = os.path.basename(word)
    return name in PROGRAMS or any(f"/node_modules/{package}/" in word for package in PACKAGES)


def _read(path: str) -> list[str]:
    """The words of a file in /proc; none without the right to read it."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace").split("\0")
    except OSError:
        return []
