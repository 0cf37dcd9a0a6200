"""Interpreters on the command line: which code they get, from options, operands, stdin, modules and files."""

from hookkit.programs.effects import FILL
from hookkit.programs.options import parse
from hookkit.programs.words import behind
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.languages.calls import LOADERS
from hookkit.shell.languages.code import judge
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


# Modules of Python that write: the place of the first operand with a file, and what happens to the files.
MODULES = {"json.tool": (1, (">",)), "tarfile": (0, (">", FILL)), "zipfile": (0, (">", FILL)), "venv": (0, (FILL,))}
RUNNING = ("timeit", "pdb", "cProfile", "profile", "trace")  # modules that run their operands: `-m timeit 'code'`


def interpret(line: "Resolution", command: "Command", context: "Context", name: str) -> None:
    """Collect the code for an interpreter: from options, operands, stdin, and files made by the line."""
    record = line.catalogue.interpreter(name)
    language = record.text("language")
    words = command.words
    codes = handed(words, record.words_of("code"), language)
    operands = parse(words).operands[1:]
    script = "" if codes or not operands else operands[0]
    if script in ("run", "r", "c", "eval") and len(operands) > 1:
        script = operands[1]
    files = _code_files(words, language)
    has_program = bool(codes or script not in ("", "-", "/dev/stdin") or "-m" in words or files)
    if (
        context.stdin is not None
        and context.stdin != FILE_TEXT
        and (not has_program or language == "sql" or name == "ed")
    ):
        codes.append(context.stdin)
    agent = _agent(line, operands[0]) if operands else ""
    if agent:
        line.run([agent, *words[words.index(operands[0]) + 1 :]], context.inside(name))
    for path in [script, *files]:
        text = line.made.find(path, context) if path else None
        if text is None and path and line.made.place(path, context) in line.made.fetched:
            command.doubt = "this program was made by the same line"
        if text is not None and text != FILE_TEXT:
            codes.append(text)
    module = (behind(words, "-m") or [""])[0] if language == "python" else ""
    rest = words[words.index("-m") + 2 :] if module else []
    if module in RUNNING:
        codes += [word for word in rest if word[:1] != "-"]
    text = "\n".join(codes).replace(FILE_TEXT, "")
    if module:
        _module(line, module, rest, command, context)
    if text:
        judge(line, text, command, context, name)
        _imports(line, text, command, context, language)


def _agent(line: "Resolution", script: str) -> str:
    """The coding agent that a script is: `node /usr/bin/claude`, `node …/node_modules/@openai/codex/bin/codex.js`."""
    _, is_package, package = script.rpartition("/node_modules/")
    parts = [part for part in package.split("/") if part[:1] != "@"]
    name = parts[0] if is_package and parts and parts[0] != ".bin" else script.rpartition("/")[2]
    record = line.catalogue.find(name)
    return name if record is not None and record.has("settings") else ""


def _code_files(words: list[str], language: str) -> list[str]:
    """Files of code named by an option: `awk -f file`, `node -r ./file`, `perl -Mfile`."""
    names = []
    for at, word in enumerate(words[1:], 1):
        following = words[at + 1] if at + 1 < len(words) else ""
        if (language in ("awk", "sql") and word in ("-f", "--file", "-init")) or word in LOADERS[:3]:
            names.append(following)
        elif language == "awk" and word[:2] == "-f":
            names.append(word[2:])
        elif language == "perl" and word[:2] == "-M":
            names.append(f"{word[2:]}.pm")
    return [path for path in names if path]


def _module(line: "Resolution", module: str, rest: list[str], command: "Command", context: "Context") -> None:
    """`python -m hookkit` is hookkit; some modules write the files in their operands."""
    served = next(iter(behind(rest, "-d", "--directory")), "")
    if module.partition(".")[0] == "hookkit":
        line.run(["hookkit", *rest], context.inside("python -m"))
    elif module in ("pip", "twine", "poetry", "flit", "hatch", "pipx", "uv", "ansible", "alembic"):
        place, slash, _ = command.words[0].rpartition("/")
        line.run([f"{place}{slash}{module}", *rest], context.inside("python -m"))
    elif module == "http.server" and context.shell.home in (served or context.shell.directory, UNKNOWN):
        command.doubt = "this serves your whole home directory"
    else:
        operands = [word for word in rest if word == "-" or (word[:1] != "-" and not word.isdigit())]  # `--indent 2`
        first, operators = MODULES.get(module, (0, ()))
        command.files += [(operator, path) for path in operands[first:] for operator in operators]


def _imports(line: "Resolution", text: str, command: "Command", context: "Context", language: str) -> None:
    """`import x`, where the line wrote x.py."""
    if language != "python" or not any(path.endswith(".py") for path in line.made.files):
        return
    words = text.replace(";", " ").replace(",", " ").split()
    for at, word in enumerate(words[:-1]):
        module = line.made.find(f"{words[at + 1]}.py", context) if word in ("import", "from") else None
        if module:
            judge(line, module, command, context, "python")


def handed(words: list[str], options: list[str], language: str) -> list[str]:
    """The programs among an interpreter's words: behind an option, joined to the option, or as an operand."""
    operands = parse(words).operands[1:]
    from_file = language == "awk" and any(word[:2] == "-f" or word == "--file" for word in words[1:])
    codes = [] if from_file else [
        operands[int(place) - 1] for place in options if place.isdigit() and int(place) <= len(operands)
    ]  # fmt: skip
    if language == "awk":
        codes += [value for flag, value in parse(words).values if flag in ("-e", "--source", "-i", "--include")]
    if language == "sql" and len(operands) > 2:  # noqa: PLR2004 - sqlite3 FILE SQL SQL…
        codes += operands[2:]
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.partition("=")
        cluster = word[:1] == "-" and word[1:2] != "-" and f"-{word[-1]}" in options
        if (word in options or cluster) and at + 1 < len(words):
            codes.append(words[at + 1])
        elif equals and name in options:
            codes.append(value)
        elif word[:2] in options and len(word) > 2 and word[1] != "-":  # noqa: PLR2004
            codes.append(word[2:])
    return codes
