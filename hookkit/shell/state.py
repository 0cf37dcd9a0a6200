"""The state of a shell at a point of a line: variables, functions, aliases, the current directory.

A variable or a directory may have several possible values, because a branch or a failed command can leave either.
Each simple command is then checked once for every combination. Too many combinations become UNKNOWN.
"""

import os

from hookkit.errors import ShellError
from hookkit.programs import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookkit.shell.syntax import Script


UNKNOWN = words.UNKNOWN
UNSET = UNKNOWN * 2  # the value of a variable never set in the line: taken from the environment, or empty
ALTERNATIVES = 8  # possible values of a variable; more become UNKNOWN
NAMES_A_STEP = 16  # variables compared per step of the budget
BLANKS = " \t\n"

Array = dict[str, str]  # subscript to text; a plain variable has the subscript "0"


class Variable:
    """`options` are the possible values; `traits` the letters of `declare` (i, l, u, n, x)."""

    __slots__ = ("options", "traits")

    def __init__(self, options: "tuple[Array, ...]", traits: str = "") -> None:
        self.options = options
        self.traits = traits


def scalar(text: str, traits: str = "") -> Variable:
    return Variable(({"0": text},), traits)


def listed(texts: list[str], traits: str = "a") -> Variable:
    return Variable(({str(at): text for at, text in enumerate(texts)},), traits)


class Shell:
    """Changes are made by `put` and `move`, to recognise an unchanged copy without comparing its content."""

    __slots__ = (
        "aliases", "changes", "directories", "ended", "functions", "home", "is_directory", "old", "positional",
        "project", "stack", "variables",
    )  # fmt: skip

    def __init__(
        self, directory: str | None, home: str, project: str = "", is_directory: "Callable[[str], bool] | None" = None
    ) -> None:
        self.directories: tuple[str | None, ...] = (directory,)
        self.home = home
        self.project = project
        self.is_directory = is_directory or (lambda _: False)
        self.variables: dict[str, Variable] = {
            "HOME": scalar(home or UNKNOWN),
            "PWD": scalar(directory or UNKNOWN),
            "IFS": scalar(BLANKS),
        }
        self.old: str | None = None  # the directory before the last `cd`
        self.positional: list[str] | None = None
        self.stack: tuple[str | None, ...] = ()  # of pushd
        self.functions: dict[str, list[Script]] = {}
        self.aliases: dict[str, str] = {}
        self.ended = False  # behind `exit`, `return`, `break`: no later command runs
        self.changes = 0

    @property
    def directory(self) -> str | None:
        return self.directories[0] if len(self.directories) == 1 else None

    def copy(self) -> "Shell":
        """A subshell, or the same shell on another way."""
        other = Shell.__new__(Shell)
        other.directories, other.home, other.project = self.directories, self.home, self.project
        other.is_directory, other.old, other.positional = self.is_directory, self.old, self.positional
        other.variables = dict(self.variables)
        other.stack, other.ended, other.changes = self.stack, self.ended, self.changes
        other.functions, other.aliases = dict(self.functions), dict(self.aliases)
        return other

    def become(self, other: "Shell") -> None:
        for name in ("directories", "old", "positional", "variables", "stack", "functions", "aliases", "ended"):
            setattr(self, name, getattr(other, name))
        self.changes += 1

    def put(self, name: str, variable: Variable) -> None:
        self.variables[name] = variable
        self.changes += 1

    def set(self, name: str, text: str) -> None:
        """Assign a plain value; `declare -l` and the like still hold for the name."""
        before = self.variables.get(name)
        traits = before.traits if before else ""
        if "l" in traits or "u" in traits:
            text = text.lower() if "l" in traits else text.upper()
        self.put(name, scalar(text, traits))

    def forget(self, name: str) -> None:
        """The variable may now have any value."""
        self.put(name, scalar(UNKNOWN))

    def move(self, *places: str | None) -> None:
        self.old = self.directory
        self.variables["OLDPWD"] = scalar(self.old or UNKNOWN)
        self.directories = places
        texts = tuple({"0": place or UNKNOWN} for place in places)
        self.put("PWD", Variable(texts))

    def go(self, goal: str) -> None:
        """Change to a directory as named by `cd`, which may be known only to a running shell."""
        here = self.directory
        if goal and goal[0] != UNKNOWN and (here is not None or goal[0] == "/"):
            self.move(os.path.normpath(os.path.join(here or "/", goal)))
            return
        self.move(None)
        if goal.startswith(UNSET):
            self.set("PWD", UNSET)

    def open_names(self) -> list[str]:
        """Names of variables with more than one possible value."""
        return [name for name, variable in self.variables.items() if len(variable.options) > 1]

    def top(self) -> str:
        """The root of the repository around the current directory, if the caller named a repository."""
        around = f"{self.directory or UNKNOWN}/"
        return self.project if self.project and around.startswith(f"{self.project}/") else UNKNOWN


def merge(shells: "list[Shell]", budget: "Budget") -> Shell:
    """The shell after any of several ways. Ways that ended the shell do not count."""
    ways = [shell for shell in shells if not shell.ended] or shells[:1]
    first = ways[0]
    if len(ways) == 1 or all(way is first for way in ways):
        return first
    result = first.copy()
    result.directories = _joined([place for way in ways for place in way.directories])
    names = {name for way in ways for name in way.variables}
    budget.spend(len(names) * len(ways) // NAMES_A_STEP)
    for name in names:
        variables = [way.variables.get(name) for way in ways]
        if any(variable is not variables[0] for variable in variables):
            budget.spend(4)
            result.variables[name] = _either(variables)
    for way in ways[1:]:
        for name, bodies in way.functions.items():
            own = result.functions.get(name, [])
            result.functions[name] = own if own is bodies else [*own, *(one for one in bodies if one not in own)]
        result.aliases.update(way.aliases)
        result.positional = result.positional if result.positional == way.positional else None
        result.old = result.old if result.old == way.old else None
    result.changes = max(way.changes for way in ways) + 1
    return result


def _joined(places: "list[str | None]") -> "tuple[str | None, ...]":
    distinct = tuple(dict.fromkeys(places))
    return distinct if len(distinct) <= ALTERNATIVES else (None,)


def _either(variables: "list[Variable | None]") -> Variable:
    """All options of the variables; a variable never set counts as UNSET."""
    options: list[Array] = []
    traits = next((variable.traits for variable in variables if variable), "")
    for variable in variables:
        for option in variable.options if variable else ({"0": UNSET},):
            if option not in options:
                options.append(option)
    return Variable(tuple(options), traits) if len(options) <= ALTERNATIVES else scalar(UNKNOWN, traits)


STEPS = 30_000  # commands followed, values looked up, alternatives compared: each counts
CHARACTERS = 600_000  # total length of the texts from expansions, files and outputs


class Budget:
    """A counter of work and a counter of characters, shared by all analyses of the same tool call."""

    __slots__ = ("characters", "steps")

    def __init__(self, steps: int = STEPS, characters: int = CHARACTERS) -> None:
        self.steps = steps
        self.characters = characters

    def spend(self, steps: int = 1, characters: int = 0) -> None:
        self.steps -= steps
        self.characters -= characters
        if self.steps < 0 or self.characters < 0:
            raise ShellError("this line would take more work to analyse than hookkit spends on one call", 0)


MOST = 16  # combinations of possible values checked per command
# Variables with a usual value below the home.
USUAL = {
    "CODEX_HOME": ".codex", "CLAUDE_CONFIG_DIR": ".claude", "XDG_CONFIG_HOME": ".config", "GNUPGHOME": ".gnupg",
    "XDG_DATA_HOME": ".local/share", "CARGO_HOME": ".cargo", "KUBECONFIG": ".kube/config", "DOCKER_CONFIG": ".docker",
    "AWS_SHARED_CREDENTIALS_FILE": ".aws/credentials", "AWS_CONFIG_FILE": ".aws/config", "PGPASSFILE": ".pgpass",
    "NETRC": ".netrc", "CLOUDSDK_CONFIG": ".config/gcloud", "AZURE_CONFIG_DIR": ".azure", "HISTFILE": ".bash_history",
    "NPM_CONFIG_USERCONFIG": ".npmrc", "VAULT_TOKEN_FILE": ".vault-token", "PASSWORD_STORE_DIR": ".password-store",
}  # fmt: skip


def possible(shell: Shell, names: list[str]) -> "Iterator[Shell]":
    """A copy of the shell for each combination; too many leave the values unknown."""
    count = len(shell.directories)
    for name in names:
        count *= len(shell.variables[name].options)
    combined: list[Shell] = []
    for place in shell.directories if count <= MOST else (None,):
        way = shell.copy()
        if len(shell.directories) > 1:
            way.move(place)
        combined.append(way)
    for name in names:
        options = shell.variables[name].options if count <= MOST else ({"0": UNKNOWN},)
        traits = shell.variables[name].traits
        combined = [_with(way, name, Variable((option,), traits)) for way in combined for option in options]
    yield from combined


def _with(shell: Shell, name: str, variable: Variable) -> Shell:
    way = shell.copy()
    way.variables[name] = variable
    return way


def moved(shell: Shell, names: list[str]) -> str:
    """The first of these variables with a value that the line has set, other than the usual one."""
    for name in names:
        options = shell.variables[name].options if name in shell.variables else ()
        usual = (shell.home, f"{shell.home}/{USUAL[name]}" if name in USUAL else shell.home)
        if len(options) == 1 and options[0].get("0") not in usual:
            return name
    return ""


def set_usual(line: str, shell: Shell) -> None:
    """Variables set on most machines, or with a default in programs: unset, or the usual value."""
    for name, value in USUAL.items():
        if name in line:
            shell.variables[name] = Variable(({"0": UNSET}, {"0": f"{shell.home}/{value}"}))
