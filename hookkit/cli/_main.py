"""From the words on the command line to a command, and from its result to an exit code; the first page of the help."""

import os
import sys

from hookkit import __version__, registry
from hookkit.cli._command import (
    CommandSpec,
    Doubt,
    HelpWanted,
    Option,
    Param,
    Subcommands,
    page,
    parse,
    table,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

COMPLETION = "_HOOKKIT_COMPLETE"  # set by a shell that completes a command line
COMPLETING = ("--install-completion", "--show-completion")
VERSION = (["--version"], ["-V"])
NAME = f"hookkit {__version__}\n"
PAGES: "tuple[list[str], ...]" = ([], ["all"], ["hooks"], ["--help"])  # of the first page


def run(words: list[str]) -> int:
    """The exit code: 0 all well, 1 a finding, 2 bad usage or an unreadable file, 141 the reader of a pipe has gone."""
    _prepare_streams()
    if words in VERSION and COMPLETION not in os.environ:
        return _print(NAME)
    from hookkit.cli import _console
    from hookkit.errors import HookkitError

    try:
        try:
            code = _dispatch(words)
            sys.stdout.flush()
            return code  # noqa: TRY300 - the last thing that can fail is the flush
        except BrokenPipeError:
            _console.leave()
    except _console.Exit as end:
        return end.code
    except KeyboardInterrupt:
        return 1
    except (HookkitError, OSError, OverflowError) as error:
        _console.warn(_told(error) or type(error).__name__, "red")
    return 2


def _dispatch(words: list[str]) -> int:
    if COMPLETION in os.environ or (words and words[0] in COMPLETING):
        from hookkit.cli import _typer

        return _typer.complete()
    if words[:1] in (["help"], ["--help"], ["-h"]) and words[1:] in PAGES:
        return _print(overview([word for word in words[1:] if word in ("all", "hooks")]))
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    name, *rest = words or ["status"]
    name, *more = OLDER.get(name, (name,))
    words = [*more, *rest]
    if [name] in VERSION:
        return _show_version(words)
    return _run_command(name, words)


def _run_command(name: str, words: list[str]) -> int:
    if "_" in name or not registry.exists("cli", name.replace("-", "_")):
        return _run_hook(name)
    command, path = command_of(name), [name]
    while isinstance(command, Subcommands):
        command, path, words = _sub_command(command, path, words)
    return _run_spec(command, path, words)


def _sub_command(
    group: "Subcommands", path: list[str], words: list[str]
) -> "tuple[CommandSpec | Subcommands, list[str], list[str]]":
    from hookkit.cli import _console

    if words and words[0] in group.functions:
        inner = group.functions[words[0]]
        path = [*path, words[0]]
        return inner if isinstance(inner, Subcommands) else CommandSpec(inner, words[0]), path, words[1:]
    if words[:1] in (["--help"], ["-h"]) or (not words and group.alone is None):
        _print(page(path, group))
        raise _console.Exit(0)
    if group.alone is not None and (not words or words[0].startswith("-")):
        return CommandSpec(group.alone, path[-1]), path, words
    from hookkit.cli import _typer

    return _typer.refuse(path, group, words)


def _run_spec(command: "CommandSpec", path: list[str], words: list[str]) -> int:
    try:
        values, form = parse(command, words)
    except HelpWanted:
        return _print(page(path, command))
    except Doubt:
        from hookkit.cli import _typer

        values, form = _typer.read(path, command, words)
    output = command.call(values)
    if output is None:
        return 0
    output.print(form)
    return int(output.code)


def _run_hook(name: str) -> int:
    """A hook command gets here for its help alone. A wrong name exits with 1: wired into a client, 2 would block."""
    from hookkit.cli import _console
    from hookkit.system.suggestions import closest

    own = name.replace("-", "_")
    if own == "run" or registry.exists("hooks", own) or registry.exists("hooks/_screen", own):
        return _print(page([name], hook_command(own)))
    hooks = [hook.replace("_", "-") for hook in hook_names()]
    close = closest(name, ["help", "version", *visible(), *EFFORTS, *OLDER, *hooks], 0.6)
    fix = f"Did you mean {close}?" if close else "See: hookkit --help"
    return _console.fail(f"no command {name!r}. {fix}")


def _show_version(words: list[str]) -> int:
    """`hookkit version -o json` has the version of Python too."""
    if not {"json", "--output=json"} & set(words):
        return _print(NAME)
    from platform import python_version

    from hookkit.cli._console import echo_json

    echo_json({"hookkit": __version__, "python": python_version()})
    return 0


def _prepare_streams() -> None:
    """A terminal that cannot show ✓ still gets an answer, and a closed stdout is no reason to crash."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the process ends
        getattr(sys, name).reconfigure(errors="replace")


def _print(text: str) -> int:
    """Print a text of our own: the version, a page of the help."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    return 0


def _told(error: Exception) -> str:
    if not isinstance(error, OSError):
        return str(error)
    path = f"{error.filename}: " if isinstance(error.filename, str) else ""
    if isinstance(error, FileNotFoundError) and not path:
        return "the working directory is gone: go to another one"
    return path + error.strerror if error.strerror else ""


# -- the first page of the help --------------------------------------------------------------------------------------

FIRST = {
    "init": "add hookkit to the settings of your agents",
    "status": "is it on, what did it do today, what waits for you",
    "why": "explain the answer to a call: hookkit why 'rm -rf ~'",
    "trust": "let this project's own settings and commands apply",
    "set": "change a setting: hookkit set shield.enabled true",
    "undo": "bring back files as they were before a call",
}
GROUPS = {
    "Start": {
        "doctor": "say whether your agents really call hookkit",
        "pause": "switch hookkit off for a while: hookkit pause 1h",
        "convert": "write hooks in another agent's format",
        "serve": "the background server: answers are faster",
        "uninit": "take hookkit out of the settings of your agents",
    },
    "Understand": {
        "validate": "check files of rules and hooks",
        "test-pattern": "say what a pattern matches",
        "simulate": "play events through the hooks, also in CI",
        "replay": "put your past calls through a policy",
        "policy": "show the rules in force, and the built-in ones",
        "hook": "your own handlers: list, add, remove",
    },
    "Look back": {
        "ledger": "the log of every call, with its verdict",
        "fleet": "send this log to your company's hub",
        "top": "watch calls and agents in the terminal",
        "dashboard": "the same as a page in the browser",
        "errors": "errors that hooks hit",
    },
    "Decide": {
        "allow": "what waits for you; allow one call",
        "suggest": "rules from the questions that you answered with yes",
    },
}
# Shown where they are in use, or by `hookkit help all`.
EFFORTS = {
    "effort": "jobs that continue across sessions, and their folders",
    "agents": "who works, who waits for you",
}
RARE = {
    "taint": "sessions that have read a secret",
    "toolchain": "the project's own commands",
    "trial": "one session with hookkit, without a change to settings",
    "plugin": "write a Claude Code plugin",
    "help": "the help of a command",
}
# Older names still work. Each is the words that it stands for; `hookkit help all` lists them.
OLDER = {
    "allow-once": ("allow", "--stopped"),
    "approve": ("allow", "--approvals"),
    "resume": ("effort", "resume"),
    "task": ("effort", "task"),
    "schema": ("validate", "--schema"),
    "version": ("--version",),
}
HEAD = f"hookkit {__version__}: the hook layer for coding agents. It answers every hook event."
TAIL = """\
hookkit COMMAND --help explains a command, with examples.
hookkit help all: what each does. hookkit help hooks: those that agents call.
Completion in your shell: hookkit --install-completion, or --show-completion.
"""


def overview(words: list[str]) -> str:
    """The page: the usual one, `all`, or `hooks`."""
    from hookkit.cli._console import is_terminal, screen_size

    if words == ["hooks"]:
        hooks = [(name.replace("_", "-"), _about_hook(name)) for name in hook_names()]
        return f"Agents call these: an event as JSON on stdin, the answer on stdout.\n\n{table(hooks)}"
    groups = dict(GROUPS)
    if words == ["all"] or _has_efforts():
        groups["Efforts"] = EFFORTS
    if words == ["all"]:
        groups["More"] = RARE
        groups["Older names"] = {name: f"now {' '.join(('hookkit', *new))}" for name, new in OLDER.items()}
    wide = max(len(name) for group in (FIRST, *groups.values()) for name in group)
    parts = [f"{title}\n{table(group.items(), wide)}" for title, group in groups.items()]
    text = "\n".join([f"{HEAD}\n", table(FIRST.items(), wide), *parts, TAIL])
    if words or not is_terminal() or text.count("\n") < screen_size()[1]:
        return text
    names = {title: ", ".join(group) for title, group in groups.items()}  # else the first commands leave the screen
    return "\n".join([f"{HEAD}\n", table(FIRST.items(), wide), table(names.items(), wide), TAIL])


def visible() -> list[str]:
    """The names that a shell completes."""
    rare = {name for name in RARE if name != "help"}
    groups = [FIRST, *GROUPS.values(), rare, *([EFFORTS] if _has_efforts() else [])]
    known = {name for group in groups for name in group}
    new = {name.replace("_", "-") for name in registry.names("cli")} - known - set(EFFORTS)
    return sorted(known | new)


def hook_names() -> list[str]:
    return ["run", *registry.names("hooks"), *registry.names("hooks/_screen")]


def _about_hook(name: str) -> str:
    if name == "run":
        return "Every hook of the event: the command to connect"
    return (_hook_module(name).__doc__ or "").strip().partition("\n")[0].rstrip(".")


def _has_efforts() -> bool:
    """Whether sessions and efforts are in use here."""
    from hookkit.errors import HookkitError
    from hookkit.settings import layers

    try:
        return not layers.load(os.getcwd(), dict(os.environ)).is_idle("track")
    except (HookkitError, OSError):
        return False


# -- commands by name ------------------------------------------------------------------------------------------------


def command_of(name: str) -> "CommandSpec | Subcommands":
    module = registry.find("cli", name.replace("-", "_"))
    if isinstance(module.command, Subcommands):
        return module.command
    return CommandSpec(module.command, name, getattr(module, "arrange", None))


def hook_command(name: str) -> CommandSpec:
    """A hook command, for its help; the pipeline runs it."""
    made = CommandSpec(lambda: None, name)
    if name == "run":
        about, answers = "Run every hook of the event and merge their answers: the command to connect.", "every event"
    else:
        module = _hook_module(name)
        about, answers = (module.__doc__ or "").strip(), ", ".join(getattr(module, "EVENTS", ()))
    if not answers:
        example = f"Example: hookkit {name.replace('_', '-')} < question.json"
        made.function.__doc__ = f"{about}\n\nAnswers the client's own question, not an event.\n\n{example}"
        return made
    made.function.__doc__ = f"{about}\n\nAnswers: {answers}.\n\nExample: hookkit {name} --on-error ask < event.json"
    made.params = [*HOOK]
    return made


def _hook_module(name: str) -> "ModuleType":
    return registry.find("hooks" if registry.exists("hooks", name) else "hooks/_screen", name)


class _Flag:
    """A parameter without a function: the pipeline reads the options of hook commands itself."""

    def __init__(self, flag: Option) -> None:
        self.__origin__, self.__metadata__ = str, (flag,)


HOOK = (
    Param("on_error", _Flag(Option(choices=("open", "ask", "deny"),
          help="The answer if hookkit itself fails: open lets the call pass.")), "open"),
    Param("actor", _Flag(Option(metavar="NAME", help="Who makes the call, such as agent:executor.")), ""),
    Param("hooks", _Flag(Option(metavar="NAMES", help="With run: only these hooks.")), ""),
)  # fmt: skip
