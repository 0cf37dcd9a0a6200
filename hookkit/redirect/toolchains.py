"""ROWS: marker files and the commands of each toolchain, in the order of preference; ECOSYSTEMS; recipes of task files.

An ecosystem says which tools belong together. A recipe runs programs, and calls targets.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator


APPEND, DASHES, NONE = "append", "dashes", "none"  # how a command takes further arguments


class Toolchain:
    """A tool with its marker file.

    `command` is for tools that run the targets of a task file (the marker); `commands` is for tools with fixed
    commands. `lock` must exist beside the marker or above. `needs` are conditions of a command: a file, a directory
    (`tests/`), or an option that the project's conftest.py defines (`--smoke`). `sources` are further files that define
    what the command runs.
    """

    __slots__ = (
        "above", "command", "commands", "ecosystem", "lock", "markers", "name", "needs", "runner", "sources", "takes",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - a table's row is as wide as the table
        self,
        name: str,
        markers: str,
        commands: dict[str, str] | None = None,
        *,
        ecosystem: str = "",
        command: str = "",
        above: str = "",
        lock: str = "",
        needs: dict[str, str] | None = None,
        runner: str = "",
        takes: str = NONE,
        sources: str = "",
    ) -> None:
        self.name = name
        self.markers = markers.split()
        self.commands = commands or {}
        self.ecosystem = ecosystem
        self.command = command
        self.above = above  # the command from a directory below, for tools without a search upward
        self.lock = lock.split()
        self.needs = needs or {}
        self.runner = runner
        self.takes = takes
        self.sources = sources.split()


_CARGO = {"test": "cargo test", "build": "cargo build", "lint": "cargo clippy", "e2e": "cargo test --test '*'"}
_GO = {"test": "go test ./...", "build": "go build ./...", "lint": "go vet ./...", "e2e": "go test -tags=e2e"}
_PYTHON = {"test": "pytest", "lint": "ruff check", "e2e": "pytest tests/", "smoke": "pytest --smoke"}
_CMAKE = {"test": "ctest --test-dir {dir}build", "build": "cmake --build {dir}build"}
_CACHE = "build/CMakeCache.txt"


def _package(name: str, lock: str, takes: str, test: str = "{name} test") -> Toolchain:
    return Toolchain(name, "package.json", {"test": test.format(name=name)}, ecosystem="node",
                     command=f"{name} run {{action}}", lock=lock, takes=takes,
                     sources=".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs bunfig.toml")  # fmt: skip


def _python(name: str, lock: str, runner: str) -> Toolchain:
    needs = {"e2e": "tests/", "smoke": "--smoke"}
    return Toolchain(
        name, "pyproject.toml", _PYTHON, ecosystem="python", lock=lock, runner=runner, takes=APPEND, needs=needs
    )


ROWS = (
    Toolchain("make", "GNUmakefile makefile Makefile", command="make {action}", above="make -C {dir} {action}"),
    Toolchain("just", "justfile Justfile .justfile", command="just {action}"),
    Toolchain("task", "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml", command="task {action}"),
    Toolchain("cargo", "Cargo.toml", _CARGO, ecosystem="rust", takes=APPEND, needs={"e2e": "tests/"},
              sources="build.rs .cargo/config.toml .cargo/config"),
    Toolchain("go", "go.mod", _GO, ecosystem="go", takes=APPEND),
    _package("pnpm", "pnpm-lock.yaml", APPEND),
    _package("yarn", "yarn.lock", APPEND),
    _package("npm", "package-lock.json npm-shrinkwrap.json", DASHES),
    _package("bun", "bun.lock bun.lockb", APPEND, "bun run test"),
    _python("uv", "uv.lock", "uv run "),
    _python("poetry", "poetry.lock", "poetry run "),
    _python("pdm", "pdm.lock", "pdm run "),
    _python("pipenv", "Pipfile.lock", "pipenv run "),
    _python("python", "", ""),
    Toolchain("gradle", "gradlew", {"test": "./gradlew test", "build": "./gradlew build"}, ecosystem="gradle",
              above="{dir}/gradlew -p {dir} {action}",
              sources="build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties "
                      "gradle/wrapper/gradle-wrapper.properties"),
    Toolchain("maven", "mvnw", {"test": "./mvnw test", "build": "./mvnw package"}, ecosystem="maven",
              sources="pom.xml .mvn/wrapper/maven-wrapper.properties .mvn/extensions.xml .mvn/jvm.config"),
    Toolchain("cmake", "CMakeLists.txt", _CMAKE, ecosystem="cmake", needs={"test": _CACHE, "build": _CACHE}),
)  # fmt: skip
PROGRAMS = {
    name
    for row in ROWS
    for text in (row.runner, row.command, *("" if row.runner else text for text in row.commands.values()))
    if (name := text.partition(" ")[0]) and "/" not in name
}


class Ecosystem:
    __slots__ = ("manifests", "name", "tests", "tools")

    def __init__(self, name: str, manifests: str, tools: str, tests: str = "") -> None:
        self.name = name
        self.manifests = manifests.split()
        self.tools = tools.split()
        self.tests = [tuple(pattern.split("*")) for pattern in tests.split()]

    def is_test(self, name: str) -> bool:
        """Whether a file of this name holds tests of the ecosystem; * stands for anything."""
        return any(name.startswith(start) and name.endswith(end) for start, end in self.tests)


ECOSYSTEMS = (
    Ecosystem("python", "pyproject.toml setup.py setup.cfg pytest.ini tox.ini requirements.txt Pipfile",
              "pytest py.test python python3 ruff flake8 mypy tox nox uv uvx poetry pdm pipenv hatch",
              "test_*.py *_test.py conftest*.py"),
    Ecosystem("node", "package.json",
              "npm npx yarn pnpm bun bunx node deno jest vitest mocha eslint playwright cypress tsc",
              "*.test.js *.test.ts *.test.jsx *.test.tsx *.test.mjs *.spec.js *.spec.ts *.spec.tsx"),
    Ecosystem("rust", "Cargo.toml", "cargo", "*.rs"),
    Ecosystem("go", "go.mod", "go golangci-lint gotestsum", "*_test.go"),
    Ecosystem("gradle", "gradlew build.gradle build.gradle.kts", "gradle gradlew"),
    Ecosystem("maven", "mvnw pom.xml", "mvn mvnw"),
    Ecosystem("cmake", "CMakeLists.txt", "cmake ctest"),
    Ecosystem("ruby", "Gemfile", "bundle rake rspec ruby", "*_spec.rb *_test.rb"),
    Ecosystem("elixir", "mix.exs", "mix", "*_test.exs"),
    Ecosystem("php", "composer.json", "composer phpunit php", "*Test.php"),
    Ecosystem("dotnet", "global.json", "dotnet"),
)  # fmt: skip
BY_NAME = {row.name: row for row in ECOSYSTEMS}
BY_TOOL = {tool: row.name for row in ECOSYSTEMS for tool in row.tools}
LOCAL = ("python", "go")  # their tools run what is below the directory; other tools go up to their manifest


# -- what a recipe of a task file runs -------------------------------------------------------------


PREFIXES = "@-+ \t\"'[("  # before a command in a recipe: make's flags, YAML's list marks and quotes
KEYS = ("cmd:", "cmds:", "sh:")  # of a Taskfile
SEPARATORS = ("&&", "||", ";", "|", "\n", ",")
BEFORE = "env time exec command sudo nice timeout xargs cross-env dotenv if elif then else while until do ! {".split()
SHELL = frozenset(
    """
    fi for case esac done select function } [ [[ : . source cd pushd popd export set unset declare local readonly echo
    printf test true false exit return break continue read eval trap wait umask ulimit shift type alias hash let
    getopts kill
    """.split()
)
RUNNERS = ("make", "$make", "gmake", "just", "task")
ELSEWHERE = ("-C", "--directory", "-f", "--file", "-d", "--dir", "--justfile", "--working-directory", "--taskfile")
UNKNOWN = "?"  # the ecosystem of a recipe that another task file defines
# Options that make a recipe another run than the called command: it never ends, opens a window, or changes files.
OTHER_RUN = frozenset(
    "--watch --watchAll --watch-all --ui --fix --write --updateSnapshot --update-snapshots --inspect-brk".split()
)


def of_command(program: str) -> str:
    """The ecosystem of a program; "" for task runners and unknown programs."""
    return BY_TOOL.get(program.rpartition("/")[2].lstrip("$"), "")


def ecosystems(body: str, targets: "Container[str]" = ()) -> set[str]:
    """The ecosystems whose tools a recipe plainly runs: as the program of one of its commands."""
    names = {of_command(program) for program in tools(body)}
    if any(target not in targets for target in called(body)):
        names.add(UNKNOWN)
    return names


def tools(body: str) -> set[str]:
    """The known tools that a recipe plainly runs, each as the recipe writes it; `$python` for a variable."""
    for separator in SEPARATORS:
        body = body.replace(separator, "\n")
    return {program for piece in body.split("\n") if of_command(program := _program(_words(piece)))}


def called(body: str) -> "list[str]":
    """The targets that a recipe runs by a task runner: `$(MAKE) unit`; UNKNOWN for those of another task file."""
    names: list[str] = []
    for words, moved in _commands(body):
        if _program(words) in RUNNERS:
            operands = [word for word in words[1:] if word[:1] != "-" and "=" not in word]
            is_elsewhere = moved or any(word.startswith(ELSEWHERE) for word in words)
            names += [UNKNOWN] if is_elsewhere or not operands else operands
    return names


def programs_of(body: str) -> "Iterator[str]":
    """The programs that must be there for a recipe: plain names. A path may be made by the recipe itself."""
    if body.lstrip().startswith("#!"):
        return  # a script of another language
    for words, _ in _commands(body):
        program = _program(words)
        if program and program not in SHELL and all(char.isalnum() or char in "._+-" for char in program):
            yield program


def is_other_run(body: str, called_with: "Container[str | None]") -> bool:
    """Whether a recipe has an option that the called command has not, and that makes it another run."""
    words = (word.strip("\"',") for word in body.split())
    return any(word in OTHER_RUN and word not in called_with for word in words)


def _commands(body: str) -> "Iterator[tuple[list[str], bool]]":
    """The words of each command, and whether a `cd` stands before it in its line. Quoted texts count as one `$`."""
    for line in body.replace("\\\n", " ").split("\n"):
        first = line.strip(" \t@-").partition(" ")[0]
        if first[:1] == "#" or (first[-1:] == ":" and first not in (*KEYS, ":")):
            continue  # a comment, or another key of a Taskfile
        moved = False
        text = _without_texts(line).partition(" #")[0]
        for separator in ("&&", "||", ";", "|", "&"):
            text = text.replace(separator, "\n")
        for piece in text.split("\n"):
            words = _words(piece)
            if words:
                yield words, moved
            moved = moved or words[:1] == ["cd"]


def _without_texts(line: str) -> str:
    """The line with a `$` in place of each quoted text."""
    pieces: list[str] = []
    at = 0
    while at < len(line):
        char = line[at]
        end = line.find(char, at + 1) if char in "\"'" else -1
        pieces.append("$" if end > 0 else char)
        at = end + 1 if end > 0 else at + 1
    return "".join(pieces)


def _words(piece: str) -> list[str]:
    """The words of a command, from its program on: without assignments, wrappers and words of the shell's grammar."""
    words = piece.lstrip(PREFIXES).split()
    at = 0
    while at < len(words):
        word = words[at]
        is_of_wrapper = at > 0 and (word[0] == "-" or word[0].isdigit())  # timeout -k 5 60 pytest
        if not (word in BEFORE or word in KEYS or "=" in word or is_of_wrapper):
            break
        at += 1
    return words[at:]


def _program(words: list[str]) -> str:
    """`$(PYTHON)` counts as python."""
    word = words[0].lstrip(PREFIXES).rstrip("\"'])") if words else ""
    return "$" + word[2:].rstrip("})").lower() if word.startswith(("$(", "${")) else word
