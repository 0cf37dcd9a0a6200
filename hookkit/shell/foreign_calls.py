"""A call in code of another language: the command that the call runs, the files that the call deletes or moves."""

from hookkit.shell import nested
from hookkit.shell.arguments import all_strings, arguments_of, assigned, has_list, holes, items, strings
from hookkit.shell.language_rows import (
    CONNECT,
    DELETE,
    DELETE_OWNERS,
    EVALUATE,
    EVALUATE_OWNERS,
    LOCAL,
    MOVE,
    MOVE_OWNERS,
    OWNERS,
    RUN,
    SUSPECT,
)
from hookkit.shell.state import UNKNOWN
from hookkit.shell.tokens import MARK, NAME, STRING, Token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

MOST = 64  # paths checked per program


def follow(line: "Resolution", tokens: list[Token], at: int, command: "Command", context: "Context", name: str) -> None:
    """A name in the program: does the named function run, delete, move or evaluate something?"""
    owner, _, function = tokens[at].text.lower().rpartition(".")
    owner = owner.rpartition(".")[2]
    arguments = arguments_of(tokens, at + 1, line.catalogue.language(name))
    if (function in ("hookkit", "__main__") and owner in ("", "hookkit")) or tokens[at].text.startswith("hookkit."):
        command.doubt = command.doubt or "this code uses hookkit itself"
    if arguments is None:
        return
    if _is(function, owner, RUN, OWNERS):
        _runs(line, assigned(tokens, at, arguments), command, context, name)
    elif _is(function, owner, DELETE, DELETE_OWNERS):
        _removes(line, function, arguments, command, context, name)
    elif _is(function, owner, MOVE, MOVE_OWNERS):
        _moves(line, function, arguments, command, context, name)
    elif function == "open" and {"-|", "|-"} & {*strings(arguments)}:
        pieces = [text for text in strings(arguments) if text not in ("-|", "|-")]
        nested.code(line, " ".join(pieces), command, context, name)
    elif function == "open" and any(text[:1] == "|" or text[-1:] == "|" for text in strings(arguments)):
        for text in strings(arguments):
            if text.strip("|") != text:
                nested.code(line, text.strip("| "), command, context, name)
                command.doubt = command.doubt or f"the code that {name} runs writes to another program"
    elif function in EVALUATE and _evaluates(function, owner, arguments):
        command.doubt = command.doubt or f"the code that {name} runs evaluates other code"
    elif function in CONNECT and not any(text in LOCAL for text in strings(arguments)) and function != "connect":
        command.doubt = command.doubt or f"the code that {name} runs opens a network connection"


def _is(function: str, owner: str, names: frozenset[str], owners: dict[str, tuple[str, ...]]) -> bool:
    if function not in names:
        return False
    return function not in owners or owner in owners[function]


def _evaluates(function: str, owner: str, arguments: list[Token]) -> bool:
    """`exec("constant")` is as bad as any text; `re.compile`, `model.eval()` and `ast.literal_eval` are not."""
    if function == "getattr":
        named = {text.lower() for text in strings(arguments)}
        return bool(arguments) and (
            arguments[0].text.lower() in EVALUATE_OWNERS["getattr"] or bool(named & (RUN | DELETE | MOVE))
        )
    if function in ("exec", "compile"):
        return not owner
    return owner in EVALUATE_OWNERS.get(function, (owner,)) and bool(arguments)


def _runs(line: "Resolution", arguments: list[Token], command: "Command", context: "Context", name: str) -> None:
    """A constant text is a command line, a list of constants a command; everything else is a doubt."""
    command.followed = True
    if not arguments:
        return
    first = arguments[0]
    if first.text in ("[", "(") and first.kind != STRING:
        words = items(arguments)
    elif first.kind == STRING and len(arguments) > 2 and arguments[1].text == "," and arguments[2].text == "[":  # noqa: PLR2004
        words = [first.text, *items(arguments[2:])]
    elif first.kind == STRING and all_strings(arguments):
        words = strings(arguments)
        words = words[1:] if words[0] == words[1] else words  # `execlp("rm", "rm", "-rf", x)`
    elif first.kind == STRING and line.catalogue.language(name) in ("perl", "ruby") and has_list(arguments):
        words = [word for item in items([first, *arguments, Token(MARK, ")")]) for word in item.split() or [item]]
    else:
        words = []
    if words and (words[0] != UNKNOWN or not _is_suspect(words)):
        line.run(
            [word if word != UNKNOWN or at else "program" for at, word in enumerate(words)],
            context.inside(f"{name} code"),
        )
    elif first.kind == STRING and first.mark == "format" and len(arguments) > 0:
        nested.code(line, holes(first.text), command, context, name)
    elif first.kind == STRING and (len(arguments) == 1 or arguments[1].text in (",", ")")):
        nested.code(line, first.text, command, context, name)
    elif first.kind == STRING and first.text.strip() and arguments[1].kind == NAME:
        nested.code(line, first.text + UNKNOWN, command, context, name)  # awk: `system("mkdir " $1)`
        if line.catalogue.deletes(first.text.split()[0].rpartition("/")[2]):
            command.doubt = command.doubt or f"the code that {name} runs deletes files that are computed"
    else:
        command.doubt = command.doubt or f"the command that {name} runs is computed"


def _is_suspect(words: list[str]) -> bool:
    """Whether the words behind an unknown program look like arguments of a shell or of a deletion."""
    code = any(word == "-c" and (" " in text or UNKNOWN in text) for word, text in zip(words, words[1:], strict=False))  # noqa: RUF007
    return code or not SUSPECT.isdisjoint(words)


def _removes(
    line: "Resolution", function: str, arguments: list[Token], command: "Command", context: "Context", name: str
) -> None:
    """Deleting by code is deleting: the same as `rm`, with `-r` where the function takes whole trees."""
    paths = _places(arguments, context.shell.home)
    if paths:
        tree = (
            function.startswith(("rmtree", "rm", "remove_", "rimraf", "removedirs", "emptydir"))
            and "dir" not in function[:6]
        )
        line.run(["rm", "-rf" if tree else "-f", *paths], context.inside(f"{name} code"))
    else:
        command.doubt = command.doubt or f"the code that {name} runs deletes files that are computed"


def _moves(
    line: "Resolution", function: str, arguments: list[Token], command: "Command", context: "Context", name: str
) -> None:
    paths = _places(arguments, context.shell.home)
    if not paths or len(paths) == 1:
        command.doubt = command.doubt or f"the code that {name} runs moves files that are computed"
    program = ["truncate", "-s0"] if "truncate" in function else ["mv"]
    if paths:
        line.run(
            [*program, *paths, *([UNKNOWN] if len(paths) == 1 and program == ["mv"] else [])],
            context.inside(f"{name} code"),
        )


def _places(arguments: list[Token], home: str) -> list[str]:
    """Paths among the arguments of a call; a path is relative to the home directory if the call mentions the home."""
    names = " ".join(token.text.lower() for token in arguments if token.kind == NAME)
    texts = [token.text for token in arguments if token.kind == STRING and token.mark != "format"]
    at_home = home and ("home" in names or "expanduser" in names or any(text in ("HOME", "~") for text in texts))
    at_home = at_home or (home and any(text.startswith(("$HOME", "${HOME}")) for text in texts))
    texts = [text.rpartition("}")[2].removeprefix("$HOME") for text in texts if text not in ("HOME", "$HOME", "", "rf")]
    if any(token.mark == "format" for token in arguments if token.kind == STRING):
        return []
    found = []
    for text in texts[:MOST]:
        if text[:1] == "~":
            found.append(home + text[1:])
        else:
            found.append(f"{home}/{text.lstrip('/')}" if at_home else text)
    return found or ([home] if at_home else [])
