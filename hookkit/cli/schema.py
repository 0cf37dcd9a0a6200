from hookkit.cli._console import echo_json
from hookkit.settings import schema


def command() -> None:
    """Print the JSON Schema of hookkit.toml, for completion and checks in your editor.

    With the extension of your editor for TOML, put `#:schema ./hookkit.schema.json` in the first line of the file.

    Example: hookkit schema > hookkit.schema.json
    """
    echo_json(schema.schema())
