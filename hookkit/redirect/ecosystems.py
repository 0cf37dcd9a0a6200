"""ROWS: the language ecosystems, with the manifest files, the tools and the names of test files of each.

A command that can work where it stands stays in its ecosystem: `cargo test` beside a Cargo.toml never becomes `pytest`.
"""


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


ROWS = (
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
BY_NAME = {row.name: row for row in ROWS}
BY_TOOL = {tool: row.name for row in ROWS for tool in row.tools}

PREFIXES = "@-+ \t\"'[("  # before a command in a recipe: make's flags, YAML's list marks and quotes
KEYS = ("cmd:", "cmds:", "sh:")  # of a Taskfile
SEPARATORS = ("&&", "||", ";", "|", "\n", ",")
WRAPPERS = ("env", "time", "exec", "command", "sudo", "nice", "timeout", "xargs", "cross-env", "dotenv")


def of_command(program: str) -> str:
    """The ecosystem of a program; "" for task runners and unknown programs."""
    return BY_TOOL.get(program.rpartition("/")[2].lstrip("$"), "")


def in_recipe(body: str) -> set[str]:
    """The ecosystems whose tools a recipe plainly runs: as the program of one of its commands."""
    return {of_command(program) for program in tools_in(body)}


def tools_in(body: str) -> set[str]:
    """The known tools that a recipe plainly runs, each as the recipe writes it; `$python` for a variable."""
    for separator in SEPARATORS:
        body = body.replace(separator, "\n")
    return {program for piece in body.split("\n") if of_command(program := _program(piece))}


def _program(piece: str) -> str:
    """The first word of a command, without assignments and wrappers; `$(PYTHON)` counts as python."""
    words = piece.lstrip(PREFIXES).split()
    while words and (words[0] in WRAPPERS or words[0] in KEYS or "=" in words[0]):
        words = words[1:]
    word = words[0].lstrip(PREFIXES).rstrip("\"'])") if words else ""
    return "$" + word[2:].rstrip("})").lower() if word.startswith(("$(", "${")) else word
