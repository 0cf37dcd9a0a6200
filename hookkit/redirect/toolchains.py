"""ROWS: marker files and the commands of each toolchain, in the order of preference; ECOSYSTEMS.

An ecosystem says which tools belong together.
"""

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
