from hookkit.cli._console import echo_json
from hookkit.cli._options import Output, PrintedAsJson
from hookkit.settings import schema


def command(output: PrintedAsJson = Output.json) -> None:  # noqa: ARG001 - the schema is JSON in any case
    """Print the JSON Schema of hookkit.toml, for completion and checks in your editor.

    With the extension of your editor for TOML, put `#:schema ./hookkit.schema.json` in the first line of the file.

    Example: hookkit schema > hookkit.schema.json
    """
    echo_json(schema.schema())
