"""Reads one settings file, in either format: the text, then its settings and every mistake."""

from hookkit.errors import ConfigError
from hookkit.settings.layers import GENESIS
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.genesis import GenesisFile
    from hookkit.settings.toml_file import TomlFile

LIMIT = 8 << 20  # bytes of a person's own file: ten thousand rules fit
STRANGERS_LIMIT = 1 << 18  # bytes of a file that came with a checkout


def read(path: str, text: str) -> "TomlFile | GenesisFile":
    """The file with `values` and `findings`; the name tells the format."""
    if path.endswith(GENESIS):
        from hookkit.settings.genesis import GenesisFile  # late: PyYAML is slow to load

        return GenesisFile(path, text)
    from hookkit.settings.toml_file import TomlFile

    return TomlFile(path, text)


def text_of(path: str, limit: int = LIMIT) -> str:
    try:
        raw = files.read(path, limit + 1)
        if len(raw) > limit:
            raise ConfigError(f"{path}: longer than {limit} bytes")
        return raw.decode().removeprefix("\ufeff")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'not a regular file'}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from None
