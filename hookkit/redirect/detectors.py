"""ROWS: the commands for each action (test, build, lint, e2e, smoke), of every tool. One row a command.

`family` names the tool that defines the arguments. `foreign` marks linters and test runners, of which a project may
use several on purpose: they are redirected only to targets of the project's own task files.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Detector:
    __slots__ = ("action", "family", "foreign", "words")

    def __init__(self, command: str, action: str, family: str = "", *, foreign: bool = False) -> None:
        self.words = command.split(" ")
        self.action = action
        self.family = family or command
        self.foreign = foreign


# Programs that only run another command. With options of their own, no row matches.
RUNNERS = (
    "uv run", "poetry run", "pdm run", "pipenv run", "hatch run", "npx", "bunx", "pnpm exec", "yarn exec",
)  # fmt: skip

ACTIONS = ("test", "build", "lint", "e2e", "smoke")
SCRIPT = "script"  # family of npm scripts: the script's own program takes the arguments
_MANAGERS = ("npm", "yarn", "pnpm", "bun")
_TASKS = ("make", "just", "task")

ROWS = (
    Detector("pytest --smoke", "smoke", "pytest"),
    Detector("pytest", "test"),
    Detector("py.test", "test", "pytest"),
    Detector("python -m pytest", "test", "pytest"),
    Detector("python3 -m pytest", "test", "pytest"),
    Detector("ruff check", "lint"),
    Detector("cargo test --test *", "e2e", "cargo test"),
    Detector("cargo test", "test"),
    Detector("cargo t", "test", "cargo test"),
    Detector("cargo build", "build"),
    Detector("cargo b", "build", "cargo build"),
    Detector("cargo clippy", "lint"),
    Detector("go test -tags=e2e", "e2e", "go test"),
    Detector("go test", "test"),
    Detector("go build", "build"),
    Detector("go vet", "lint"),
    *(Detector(f"{pm} run {action}", action, SCRIPT) for pm in _MANAGERS for action in ACTIONS),
    Detector("npm test", "test", SCRIPT),
    Detector("npm t", "test", SCRIPT),
    *(Detector(f"{pm} {action}", action, SCRIPT) for pm in ("yarn", "pnpm") for action in ACTIONS),
    *(Detector(f"{tool} {action}", action, tool) for tool in _TASKS for action in ACTIONS),
    Detector("./gradlew test", "test", "gradle"),
    Detector("./gradlew build", "build", "gradle"),
    Detector("gradle test", "test", "gradle"),
    Detector("gradle build", "build", "gradle"),
    Detector("./mvnw test", "test", "maven"),
    Detector("mvn test", "test", "maven"),
    Detector("mvn package", "build", "maven"),
    Detector("bun test", "test", foreign=True),
    Detector("jest", "test", foreign=True),
    Detector("vitest run", "test", "vitest", foreign=True),
    Detector("vitest", "test", foreign=True),
    Detector("mocha", "test", foreign=True),
    Detector("ctest", "test", foreign=True),
    Detector("playwright test", "e2e", "playwright", foreign=True),
    Detector("cypress run", "e2e", "cypress", foreign=True),
    Detector("eslint", "lint", foreign=True),
    Detector("flake8", "lint", foreign=True),
    Detector("golangci-lint run", "lint", "golangci-lint", foreign=True),
)

# A command line without any of these words has no command to redirect: most calls end here.
WORDS = (
    "test", "lint", "clippy", "cargo ", "go build", "go vet", "ruff check", "build", "e2e", "smoke", "jest", "mocha",
    "package", "cypress", "flake8",  "npm t",
)  # fmt: skip


def may_match(line: str) -> bool:
    """Whether the line holds all words of a row: `cat tests/a.py` does not, and need not be resolved."""
    for word in WORDS:
        if word in line:
            break
    else:
        return False
    if "$'" in line:
        return True
    for sign in ("\\\n", "\\", "'", '"'):
        line = line.replace(sign, "")
    for row in ROWS:
        for word in row.words:
            if word not in line and word != "*":
                break
        else:
            return True
    return False


def user_rows(rows: "list[dict[str, Any]]") -> list[Detector]:
    return [Detector(" ".join(row["command"].split()), row["action"]) for row in rows]


def match(words: list[str | None], rows: "tuple[Detector, ...] | list[Detector]") -> tuple[str, Detector] | None:
    """The runner in front ("" for none) and the matching row."""
    runner = next((name for name in RUNNERS if words[: name.count(" ") + 1] == name.split(" ")), "")
    core = words[runner.count(" ") + 1 if runner else 0 :]
    for row in rows:
        if core[: len(row.words)] == row.words:
            return runner, row
    return None
