"""The agents around this process: whether one runs it, and what the settings of Claude Code decide beside hookkit.

Some commands are for a person: an agent must not trust or approve its own work. This is a fence and no wall. A process
can hide its parents, so these commands also want a terminal of their own, which the shell of an agent does not have.
The policy that asks about these commands is the wall.
"""

import os

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any


# Variables that agents set for the commands that they run.
VARIABLES = (
    "CLAUDECODE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "COPILOT_CLI", "CURSOR_AGENT", "GEMINI_CLI",
    "GEMINI_SESSION_ID", "OPENCODE", "QWEN_CODE", "QWEN_CODE_SESSION_ID", "GROK_SESSION_ID", "PI_CODING_AGENT", "CRUSH",
)  # fmt: skip
PROGRAMS = tuple(
    """
    agy amp auggie claude cline cocode codex copilot crush cursor-agent droid gemini goose grok hermes junie kilo
    kilocode kimi kiro-cli letta opencode qwen vibe
    """.split()
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


# -- settings of clients: the mode, allow rules, variables that act before a hook ------------------


NAMES = (".claude/settings.local.json", ".claude/settings.json")  # the strongest first
LIMIT = 1 << 20  # bytes of a settings file


def default_mode(project: str, environ: dict[str, str]) -> str:
    """The mode of the strongest file that names one; "" where the client uses its own default."""
    modes = (permissions.get("defaultMode") for permissions in _permissions(project, environ))
    mode = next((mode for mode in modes if isinstance(mode, str) and mode), "")
    return "default" if mode == "manual" else mode


def client_allows(project: str, environ: dict[str, str], command: str) -> bool:
    """Whether a rule of the client plainly allows this command, so that it would ask nobody."""
    for permissions in _permissions(project, environ):
        rules = permissions.get("allow")
        if isinstance(rules, list) and any(isinstance(rule, str) and _is_for(rule, command) for rule in rules):
            return True
    return False


def _is_for(rule: str, command: str) -> bool:
    tool, _, pattern = rule.partition("(")
    pattern = pattern.removesuffix(")")
    if tool != "Bash":
        return False
    start = pattern.removesuffix(":*").removesuffix(" *")
    return pattern in ("", "*", command) or (start != pattern and f"{command} ".startswith(f"{start} "))


def _permissions(project: str, environ: dict[str, str]) -> "Iterator[dict[str, Any]]":
    moved = environ.get("CLAUDE_CONFIG_DIR", "")
    home = moved if os.path.isabs(moved) else os.path.join(files.home(environ), ".claude")
    for path in (*(os.path.join(project, name) for name in NAMES), os.path.join(home, "settings.json")):
        try:
            settings = jsons.loads(files.read(path, LIMIT))
        except (OSError, HookkitError):
            continue
        permissions = settings.get("permissions") if isinstance(settings, dict) else None
        if isinstance(permissions, dict):
            yield permissions


LARGEST = 1 << 20  # bytes of a file
MOST = 5  # variables named for a file
STEERING = ("BASH_ENV", "SHELLOPTS", "CLAUDE_CODE_SHELL_PREFIX", "GLIBC_TUNABLES")
STARTS = ("LD_", "DYLD_", "BASH_FUNC_", "HOOKKIT_")
SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
ENV_FILES = {"gemini": (".env", ".gemini/.env"), "qwen": (".env", ".qwen/.env")}


def steering_files(project: str, agents: "Collection[str]") -> "Iterator[tuple[str, str]]":
    """A file of the project and what its variables do, for the agents that hand them to hooks."""
    claude = SETTINGS if "claude" in agents else ()
    others = dict.fromkeys(path for agent in agents for path in ENV_FILES.get(agent, ()))
    for name, variables in (*((name, _of_settings) for name in claude), *((name, _of_env_file) for name in others)):
        path = os.path.join(project, name)
        try:
            steering = [name for name in variables(files.read(path, LARGEST)) if _steers(name)][:MOST]
        except OSError:
            continue
        if steering:
            yield path, f"sets {', '.join(steering)}: files of the project can then switch hookkit off without a word"


def _steers(name: str) -> bool:
    return name in STEERING or name.startswith(STARTS)


def _of_settings(data: bytes) -> list[str]:
    if b'"env"' not in data:
        return []
    try:
        tree = jsons.loads(data)
    except HookkitError:
        return []
    table = tree.get("env") if isinstance(tree, dict) else None
    return [*table] if isinstance(table, dict) else []


def _of_env_file(data: bytes) -> list[str]:
    lines = (line.strip().removeprefix("export ") for line in data.decode("utf-8", "replace").splitlines())
    return [line.partition("=")[0].strip() for line in lines if "=" in line]
