from typing import Annotated

import typer

from hookkit.cli import _set
from hookkit.cli._options import Output, Printed


def command(
    key: Annotated[str, typer.Argument(metavar="KEY", help="A setting, such as undo.enabled.")] = "",
    value: Annotated[
        list[str] | None, typer.Argument(metavar="VALUE", help="Its value; for a list also +ITEM or -ITEM.")
    ] = None,
    project: Annotated[bool, typer.Option("--project", help="In this project's hookkit.toml.")] = False,  # noqa: FBT002
    user: Annotated[bool, typer.Option("--user", help="In your own hookkit.toml: the default.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Change a setting in hookkit.toml: comments stay, a mistake is refused, the old file is backed up.

    Without a value it shows the setting; without a key, the settings that you have changed.

    Exits 1 if an agent runs this to change something, 2 for a wrong setting or value.

    Example: hookkit set undo.enabled true

    Example: hookkit set policy.off +delete.home
    """
    _set.run(key, value or [], project=project and not user, as_json=output is Output.json)
