from hookkit.cli import _statusline
from hookkit.cli._options import Output, Printed


def command(output: Printed = Output.table) -> None:
    """Print a status line for the agent: context, effort, phase. Reads the client's status as JSON on stdin.

    hookkit learns the size of the context from the client this way. In the client's settings:
    {"statusLine": {"type": "command", "command": "hookkit statusline"}}

    Example: hookkit statusline < status.json
    """
    _statusline.show(as_json=output is Output.json)
