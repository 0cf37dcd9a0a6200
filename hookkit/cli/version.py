import platform

from hookkit import __version__
from hookkit.cli._console import echo, echo_json
from hookkit.cli._options import Output, Printed


def command(output: Printed = Output.table) -> None:
    """Print the version of hookkit; as JSON also the version of Python.

    Example: hookkit version
    """
    if output is Output.json:
        echo_json({"hookkit": __version__, "python": platform.python_version()})
    else:
        echo(f"hookkit {__version__}")
