from hookkit.cli import _statusline


def command() -> None:
    """Print a status line for the agent: context, effort, phase. Reads the client's status as JSON on stdin.

    hookkit learns the size of the context from the client this way. In the client's settings:
    {"statusLine": {"type": "command", "command": "hookkit statusline"}}

    Example: echo '{"model": {"display_name": "Opus"}}' | hookkit statusline
    """
    _statusline.show()
