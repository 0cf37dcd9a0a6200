"""Programs that run the files of a project: `npm test`, `pytest`, `just`, where the line itself wrote these files."""

from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.follow import kinds, shells
from hookkit.shell.languages import code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

SCRIPTS = "scripts"  # constants that look like command lines
# Each program with its files (`test_*` is any name that begins so), and the language of the files.
FILES: dict[str, tuple[tuple[str, ...], str]] = {
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), (("package.json",), SCRIPTS)),
    **dict.fromkeys(("just", "task"), (("justfile", "Justfile", "Taskfile.yml", "Taskfile.yaml"), "shell")),
    **dict.fromkeys(("pytest", "py.test", "tox", "nox"), (("conftest.py", "noxfile.py", "test_*"), "python")),
    **dict.fromkeys(("pip", "pip3", "uv"), (("setup.py",), "python")),
    "cargo": (("build.rs", "main.rs", "lib.rs"), SCRIPTS),
    "rake": (("Rakefile",), "ruby"),
}
MODULES = ("python", "python3")
MOST = 20  # files, and texts of a file


def follow(line: "Resolution", command: "Command", context: "Context", name: str) -> None:
    """Look into the files that this program will run, if the line wrote them."""
    if command.words[1:2] == ["pkg"]:
        return  # `npm pkg set` only writes
    names, language = FILES.get(name, ((), "python"))
    if name in MODULES:
        words = command.words
        modules = [words[at + 1] for at, word in enumerate(words[:-1]) if word == "-m"]
        names = tuple(f"{module}.py" for module in modules)
    for path, text in list(line.made.files.items())[:MOST]:
        base = path.rpartition("/")[2]
        if not any(base == pattern or (pattern[-1] == "*" and base.startswith(pattern[:-1])) for pattern in names):
            continue
        known = text.replace(FILE_TEXT, "")
        line.budget.spend(len(known) // 16, len(known))
        if language == SCRIPTS:
            for piece in known.split('"')[1::2][:MOST]:
                if kinds.is_command_line(piece):
                    shells.code(line, piece, command, context, name)
        elif language == "shell":
            for row in known.split("\n"):
                piece = row.strip().lstrip("@-").removeprefix("cmd:").strip()
                if row[:1] in (" ", "\t") and kinds.is_command_line(piece):
                    shells.code(line, piece, command, context, name)
        else:
            code.judge(line, known, command, context, language)
