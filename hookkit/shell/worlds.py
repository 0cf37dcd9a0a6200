"""Possible states of the shell, one for each combination of the possible values of variables."""

from hookkit.shell.state import UNKNOWN, UNSET, Shell, Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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


def set_usual(line: str, shell: Shell) -> None:
    """Variables set on most machines, or with a default in programs: unset, or the usual value."""
    for name, value in USUAL.items():
        if name in line:
            shell.variables[name] = Variable(({"0": UNSET}, {"0": f"{shell.home}/{value}"}))
