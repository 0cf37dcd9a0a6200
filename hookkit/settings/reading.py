"""Reads a settings file in either format: the text, then its settings and mistakes."""

from hookkit.errors import ConfigError
from hookkit.settings.layers import GENESIS
from hookkit.settings.mistakes import OWN
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.cocode_file import CocodeFile
    from hookkit.settings.genesis import GenesisFile
    from hookkit.settings.toml_file import TomlFile

LIMIT = 8 << 20  # bytes of a person's own file: ten thousand rules fit
STRANGERS_LIMIT = 1 << 18  # bytes of a file that came with a checkout
SAID = 5  # mistakes of a file told to the person


def read(path: str, text: str, standing: str = OWN) -> "TomlFile | GenesisFile | CocodeFile":
    """The file with `values` and `findings`; the name tells the format."""
    if path.endswith(GENESIS):
        from hookkit.settings.genesis import GenesisFile  # late: PyYAML is slow to load

        return GenesisFile(path, text, standing)
    if is_cocode(path):
        from hookkit.settings.cocode_file import CocodeFile

        return CocodeFile(path, text, standing)
    from hookkit.settings.toml_file import TomlFile

    return TomlFile(path, text, standing)


def is_cocode(path: str) -> bool:
    """Whether the file is cocode's own: it lies in a directory of cocode."""
    directory, _, name = path.rpartition("/")
    return directory.rpartition("/")[2] in ("cocode", ".cocode") and name in ("hooks.toml", "hooks.json")


def complaints(path: str, file: "TomlFile | GenesisFile | CocodeFile") -> list[str]:
    """The mistakes for the person, each with the ignored part of the file."""
    said = []
    for finding in file.findings[:SAID]:
        rest = f"this {finding.part} is ignored" if finding.part else "the rest of the file counts"
        said.append(f"{finding}; {rest}")
    more = file.errors - len(said)
    return [*said, f"{path}: {more} more mistakes, see: hookkit validate"] if more > 0 else said


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
