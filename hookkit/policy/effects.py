"""Which files a command reads and writes, by its words. One row a program; deleting and moving away is writing."""

from hookkit.policy.programs import Shape, sort_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

READ, WRITE, DELETE = "Read", "Write", "Delete"
ALL, LAST, BUT_LAST, FIRST_IS_TEXT, NONE = "all", "last", "all but the last", "text first", "none"


class Effect:
    """`reads` and `writes` say which operands; options that name a file bring their own."""

    __slots__ = ("read_options", "reads", "when", "write_options", "writes")

    def __init__(self, reads: str = NONE, writes: str = NONE, *, when: str = "", out: str = "", into: str = "") -> None:
        self.reads = reads
        self.writes = writes
        self.when = when  # operands are only written with this option
        self.write_options = out.split()
        self.read_options = into.split()


INTO = ("cp", "mv", "ln", "install", "rsync")  # a directory as the last operand keeps the names
FILTERS = ("-name", "-iname", "-path", "-regex", "-mtime", "-mmin", "-size", "-newer", "-empty", "-not", "!")
DELETERS = ("rm", "rmdir", "unlink", "shred", "srm", "trash")
_READS = Effect(ALL)
_WRITES = Effect(writes=ALL)
_TEXT = Effect(FIRST_IS_TEXT)

EFFECTS = {
    **dict.fromkeys(
        "cat tac head tail less more bat batcat nl wc sort uniq cut paste od xxd hexdump strings base64 "
        "base32 md5sum sha1sum sha256sum sha512sum cksum file stat diff cmp comm join fold fmt column rev "
        "view zcat bzcat xzcat gzip gunzip bzip2 xz zstd tar zip gpg openssl source . scp sftp pbcopy xclip "
        "vimdiff jq yq csvtool iconv dos2unix look expand unexpand split csplit readlink mapfile".split(),
        _READS,
    ),
    **dict.fromkeys("grep egrep fgrep rg ag ack awk gawk mawk".split(), _TEXT),
    **dict.fromkeys(
        "touch truncate rm rmdir unlink shred mkdir mkfifo tee chmod chown chgrp chattr setfacl vi vim nvim "
        "patch srm trash sponge mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs "
        "mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mkfs.exfat mke2fs mkswap wipefs sgdisk blkdiscard "
        "parted".split(),
        _WRITES,
    ),
    "cp": Effect(BUT_LAST, LAST, out="-t"),
    "mv": Effect(writes=ALL, out="-t"),
    "ln": Effect(writes=LAST, out="-t"),
    "install": Effect(BUT_LAST, LAST, out="-t"),
    "rsync": Effect(BUT_LAST, LAST),
    "sort": Effect(ALL, out="-o --output"),
    "openssl": Effect(ALL, out="-out", into="-in"),
    "xargs": Effect(into="-a --arg-file"),
    **dict.fromkeys("vi vim nvim nano emacs ed ex code subl".split(), Effect(ALL, ALL)),
    "sed": Effect(FIRST_IS_TEXT, FIRST_IS_TEXT, when="-i"),
    "perl": Effect(ALL, FIRST_IS_TEXT, when="-i"),
    "ruby": Effect(ALL, FIRST_IS_TEXT, when="-i"),
    "dd": Effect(),
    "curl": Effect(out="-o", into="-T -d -F --data-binary --data-raw --config -K"),
    "wget": Effect(out="-O -o", into="--post-file --body-file -i"),
    "python": Effect(ALL),
    "python3": Effect(ALL),
    "node": Effect(ALL),
}


def files_of(
    words: list[str], redirects: list[tuple[str, str]], is_directory: "Callable[[str], bool]"
) -> list[tuple[str, str]]:
    """Every file that the command touches: READ or WRITE, and its path as written."""
    found = [touch for operator, path in redirects for touch in _redirected(operator, path)]
    shape = sort_words(words)
    name = shape.operands[0]
    if name == "find" and "-delete" in words and not any(word in FILTERS for word in words):
        found += [(DELETE, path) for path in shape.operands[1:2] or ["."]]
    if name == "dd":
        found += [(WRITE, word[3:]) for word in words if word.startswith("of=")]
        return found + [(READ, word[3:]) for word in words if word.startswith("if=")]
    effect = EFFECTS.get(name)
    if effect is None:
        return found
    operands = shape.operands[1:]
    if name in INTO and len(operands) > 1 and is_directory(operands[-1]):
        found += [
            (WRITE, f"{operands[-1].rstrip('/')}/{path.rstrip('/').rpartition('/')[2]}") for path in operands[:-1]
        ]
    if name == "sed":
        scripts = [value for flag, value in shape.values if flag == "-e"] or operands[:1]
        found += [(WRITE, script.rpartition("w ")[2].strip(" }'")) for script in scripts if _sed_writes(script)]
    if name == "curl" and "-O" in shape.flags:
        found += [(WRITE, url.rpartition("/")[2]) for url in operands]
    if name in DELETERS:
        found += [(DELETE, path) for path in operands]
    writes = effect.writes if not effect.when or _has(effect.when, shape) else NONE
    no_text = any(flag in shape.flags for flag in ("-e", "-f", "--expression", "--regexp", "--file"))
    found += [(WRITE, path) for path in _chosen(ALL if no_text and writes == FIRST_IS_TEXT else writes, operands)]
    reads = ALL if no_text and effect.reads == FIRST_IS_TEXT else effect.reads
    found += [(READ, path) for path in _chosen(reads, operands)]
    for flag, value in shape.values:
        found += [(WRITE, value)] if flag in effect.write_options else []
        path = value.rpartition("@")[2]
        if flag in effect.read_options and (
            path != value or flag in ("-T", "-K", "--post-file", "-i", "-a", "--arg-file", "-in")
        ):
            found.append((READ, path))
    return found


def _sed_writes(script: str) -> bool:
    """`w file` as a command of its own, or as a flag of `s///`."""
    return script.startswith("w ") or any(f"{before}w " in script for before in ";/}$0123456789")


def _redirected(operator: str, path: str) -> list[tuple[str, str]]:
    if operator == "<":
        return [(READ, path)]
    return [(READ, path), (WRITE, path)] if operator == "<>" else [(WRITE, path)]


def _has(flag: str, shape: Shape) -> bool:
    return flag in shape.flags or any(have.startswith(flag) for have in shape.flags if have[:2] != "--")


def _chosen(which: str, operands: list[str]) -> list[str]:
    if which == ALL:
        return operands
    if which == LAST:
        return operands[-1:]
    if which == BUT_LAST:
        return operands[:-1]
    return operands[1:] if which == FIRST_IS_TEXT else []
