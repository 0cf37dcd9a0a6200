from hookkit.cli import _policy
from hookkit.cli._options import Output, Printed, group

command = group(
    """Show the permission policy: the shipped rules, the rules in force here, the rules of each actor.

    Example: hookkit policy show
    """
)


@command.command()
def base(output: Printed = Output.table) -> None:
    """Print the shipped policy as TOML: a start for a hookkit.toml of your own.

    The file says base = false: delete a rule there, and the rule is gone.

    Example: hookkit policy base > hookkit.toml
    """
    _policy.print_base(as_json=output is Output.json)


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
