from enum import Enum
from typing import Annotated

import typer

from hookkit.cli import _policy
from hookkit.cli._options import Output, Printed, group


class BaseFormat(str, Enum):
    table = "table"
    json = "json"
    toml = "toml"


Listed = Annotated[
    BaseFormat | None,
    typer.Option("--output", "-o", help="How to print. Default: a table on a terminal, settings (toml) in a file."),
]
command = group(
    """Show the permission policy: the shipped rules, the rules in force here, the rules of each actor.

    Example: hookkit policy show
    """
)


@command.command()
def base(output: Listed = None) -> None:
    """List the shipped rules by name. policy.off = ["NAME"] in your own settings switches a rule off.

    Redirected into a file, the command prints settings: the start of a hookkit.toml of your own. These settings say
    base = false, so a rule that you delete from the file is off.

    Example: hookkit policy base > ~/.config/hookkit/hookkit.toml
    """
    _policy.show_base(output.value if output else None)


@command.command()
def show(output: Printed = Output.table) -> None:
    """Show every rule in force here, in the order of checking, by layer.

    Example: hookkit policy show --output json
    """
    _policy.show(as_json=output is Output.json)


@command.command()
def actors(output: Printed = Output.table) -> None:
    """Show the rules of each actor, and the rules that hold for everyone.

    Example: hookkit policy actors
    """
    _policy.show_actors(as_json=output is Output.json)
