"""The help: the first page with six commands and four groups, and the page of a command. Plain text, 80 columns."""

import os

from hookkit import __version__, registry
from hookkit.cli._command import Argument, CommandSpec, Option, Param, Subcommands
from hookkit.cli._console import is_terminal, screen_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


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
WIDEST = 80  # columns
EXACT = ("Example:", "{")  # beginnings of lines that are never wrapped


# -- the first page --------------------------------------------------------------------------------------------------


def overview(words: list[str]) -> str:
    """The page: the usual one, `all`, or `hooks`."""
    if words == ["hooks"]:
        return f"Agents call these: an event as JSON on stdin, the answer on stdout.\n\n{_rows(_hooks().items())}"
    groups = dict(GROUPS)
    if words == ["all"] or _has_efforts():
        groups["Efforts"] = EFFORTS
    if words == ["all"]:
        groups["More"] = RARE
        groups["Older names"] = {name: f"now {' '.join(('hookkit', *new))}" for name, new in OLDER.items()}
    wide = max(len(name) for group in (FIRST, *groups.values()) for name in group)
    parts = [f"{title}\n{_rows(group.items(), wide)}" for title, group in groups.items()]
    page = "\n".join([f"{HEAD}\n", _rows(FIRST.items(), wide), *parts, TAIL])
    if words or not is_terminal() or page.count("\n") < screen_size()[1]:
        return page
    names = {title: ", ".join(group) for title, group in groups.items()}  # else the first commands leave the screen
    return "\n".join([f"{HEAD}\n", _rows(FIRST.items(), wide), _rows(names.items(), wide), TAIL])


def visible() -> list[str]:
    """The names that a shell completes."""
    rare = {name for name in RARE if name != "help"}
    groups = [FIRST, *GROUPS.values(), rare, *([EFFORTS] if _has_efforts() else [])]
    known = {name for group in groups for name in group}
    new = {name.replace("_", "-") for name in registry.names("cli")} - known - set(EFFORTS)
    return sorted(known | new)


def _hooks() -> dict[str, str]:
    names = {"run": "Every hook of the event: the command to connect"}
    for drawer in ("hooks", "hooks/_screen"):
        for name in registry.names(drawer):
            about = (registry.find(drawer, name).__doc__ or "").strip().partition("\n")[0]
            names[name.replace("_", "-")] = about.rstrip(".")
    return names


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
    if registry.exists("hooks/_screen", name):
        about = (registry.find("hooks/_screen", name).__doc__ or "").strip()
        example = f"Example: hookkit {name.replace('_', '-')} < question.json"
        made = CommandSpec(lambda: None, name)
        made.function.__doc__ = f"{about}\n\nAnswers the client's own question, not an event.\n\n{example}"
        return made
    about, events = "Run every hook of the event and merge their answers: the command to connect.", "every event"
    if name != "run":
        module = registry.find("hooks", name)
        about, events = (module.__doc__ or "").strip(), ", ".join(module.EVENTS)
    made = CommandSpec(lambda: None, name)
    made.function.__doc__ = f"{about}\n\nAnswers: {events}.\n\nExample: hookkit {name} --on-error ask < event.json"
    made.params = [*HOOK]
    return made


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


# -- the page of a command -------------------------------------------------------------------------------------------


def page(path: list[str], command: "CommandSpec | Subcommands") -> str:
    own = command if isinstance(command, CommandSpec) else None
    inner = command if isinstance(command, Subcommands) else None
    if inner is not None and inner.alone is not None:
        own = CommandSpec(inner.alone, path[-1])
    params = own.params if own else []
    arguments = [param for param in params if isinstance(param.flag, Argument)]
    options = [param for param in params if isinstance(param.flag, Option)]
    usage = ["hookkit", *path, "[OPTIONS]", *map(_slot, arguments), *(["COMMAND"] if inner is not None else [])]
    parts = [f"Usage: {' '.join(usage)}", _prose(command.about)]
    if inner is not None:
        about = {
            name: (function.__doc__ or "").strip().partition("\n")[0] for name, function in inner.functions.items()
        }
        parts.append(f"Commands\n{_rows(about.items())}".rstrip())
    named = [(_slot(param).strip("[]"), param.flag.help) for param in arguments if param.flag.help]
    parts += [f"Arguments\n{_rows(named)}".rstrip()] if named else []
    rows = [(_spelled(param), _about(param)) for param in options]
    rows += [(_option_names(own.output.names, own.output.metavar), own.output.help)] if own and own.output else []
    parts.append(f"Options\n{_rows([*rows, ('-h, --help', 'Show this page.')])}".rstrip())
    return "\n\n".join(parts) + "\n"


def _slot(param: Param) -> str:
    name = param.metavar + ("…" if param.kind is list else "")
    return name if param.is_required else f"[{name}]"


def _spelled(param: Param) -> str:
    return _option_names(
        param.names, param.flag.metavar or ("" if param.kind is bool else param.kind.__name__[:1].upper())
    )


def _option_names(names: tuple[str, ...], metavar: str) -> str:
    short = sorted(names, key=len)
    return f"{', '.join(short).replace('/', ', ')} {metavar}".rstrip()


def _about(param: Param) -> str:
    flag, default = param.flag, param.default
    limits = [f"{sign} {number:g}" for sign, number in (("from", flag.least), ("to", flag.most)) if number is not None]
    if default not in (None, "", False, 0) and not isinstance(default, bool):
        limits.append(f"default {default}")
    return f"{flag.help} [{', '.join(limits)}]" if limits else flag.help


def _prose(text: str) -> str:
    """Paragraphs, wrapped; examples as they are."""
    return "\n\n".join(_paragraph(part) for part in text.strip().split("\n\n"))


def _paragraph(text: str) -> str:
    lines = [line.strip() for line in text.strip().split("\n")]
    return "\n".join(lines) if lines[0].startswith(EXACT) else _wrapped(" ".join(lines), "")


def _wrapped(text: str, indent: str, first: str = "") -> str:
    """The text in lines of at most 80 columns; a line never breaks inside of back quotes' words."""
    lines, line = [], first or indent
    for word in text.split():
        if len(line) + len(word) + 1 > WIDEST and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += f"{word} "
    return "\n".join([*lines, line.rstrip()])


def _rows(rows: "Iterable[tuple[str, str]]", wide: int = 0) -> str:
    """Names and what they mean; a long name has its meaning on the next line."""
    pairs = list(rows)
    wide = wide or min(max(len(name) for name, _ in pairs), 28)
    indent = " " * (wide + 4)
    return "".join(_row(name, about, wide, indent) for name, about in pairs)


def _row(name: str, about: str, wide: int, indent: str) -> str:
    if len(name) > wide:
        return f"  {name}\n{_wrapped(about, indent)}\n"
    return _wrapped(about, indent, f"  {name:{wide}}  ") + "\n"
