"""Command lines and patches passed to a program by an option, a setting or a variable."""

from hookkit.shell.follow import shells
from hookkit.shell.follow.kinds import KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

# Usual pagers, editors and remote shells; the programs of PLAIN cannot run another program.
PLAIN = frozenset(
    "ssh less more most cat true false : echo delta bat diff-so-fancy head tail git-lfs gpg gpg2 gzip pigz zstd xz lz4 "
    "bzip2 pbzip2 lbzip2 pixz rsync open xdg-open".split()
)
USUAL = PLAIN.union("vim vi nvim nano emacs code subl sed meld vimdiff git".split())


def follow(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> None:
    """Follow the passed command line too; passing a command line is rare, so an unusual program is a doubt."""
    if is_plain(text):
        return
    shells.code(line, text, command, context, name)
    if not command.doubt and not _is_usual(text) and not (name == "tar" and _is_bare(text)):
        command.doubt = f"{name} is told to run another command"


def is_plain(text: str) -> bool:
    """A usual program with words that cannot make the program run another program."""
    words = text.split()
    usual = not words or words[0].rpartition("/")[2] in (PLAIN if len(words) > 1 else USUAL)
    return usual and not any(char in text for char in ";|&`$<>(!\n") and "command" not in text.lower()


def _is_usual(text: str) -> bool:
    words = text.split()
    return not words or words[0].rpartition("/")[2] in USUAL


def _is_bare(text: str) -> bool:
    """A single program name, neither a shell nor a program that runs other programs: `tar -I mycompressor`."""
    return text.replace("-", "").replace(".", "").replace("_", "").isalnum() and text not in KIND


def patched(text: str | None, command: "Command") -> None:
    """Note the files changed by a patch on stdin."""
    for row in (text or "").split("\n")[:500]:
        if row.startswith("+++ "):
            path = row[4:].partition("\t")[0].strip()
            command.files.append((">", path.partition("/")[2] if path[:2] in ("a/", "b/") else path))
