"""Files touched by well-known programs: one row a program says which operands and options are files."""

ALL, LAST, BUT_LAST, FIRST_IS_TEXT, NONE = "all", "last", "all but the last", "text first", "none"


# Programs with a row in `outfiles`; where only a sub-command touches files, the pair stands here, too.
PAIRS = (
    "docker cp", "docker create", "docker build", "podman cp", "kubectl cp", "kubectl create", "go build", "cmake -E",
    "getent shadow", "terraform plan", "tofu plan", "npm --userconfig*", "gio trash", "gio remove",
)  # fmt: skip
MORE = frozenset(
    "rustc pandoc strace ltrace uudecode iconv tidy gpg gpg2 age sops xmllint tcpdump nmap csplit yq unzip tar bsdtar "
    "scp sftp aws gsutil uniq xxd ddrescue split awk gawk dcfldd docker podman nerdctl oc kubectl go cmake getent "
    "terraform tofu npm gio".split()
)


class Effect:
    """`reads` and `writes` select operands; `read_options` and `write_options` are options with a file as value."""

    __slots__ = ("read_options", "reads", "when", "write_options", "writes")

    def __init__(self, reads: str = NONE, writes: str = NONE, *, when: str = "", out: str = "", into: str = "") -> None:
        self.reads = reads
        self.writes = writes
        self.when = when  # operands are only written with this option
        self.write_options = out.split()
        self.read_options = into.split()


INTO = ("cp", "mv", "ln", "install", "rsync")  # a directory as the last operand keeps the names
RECURSIVE = {
    **dict.fromkeys("grep egrep fgrep zgrep cp scp".split(), ("-r", "-R", "--recursive", "-a", "--archive")),
    **dict.fromkeys("rg ag ack rsync tar zip 7z".split(), ()),
}
FILTERS = (
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-mtime", "-mmin", "-atime", "-amin",
    "-ctime", "-cmin", "-size", "-newer", "-empty", "-not", "!", "-inum", "-samefile", "-perm", "-user", "-group",
    "-links",
    "-nouser", "-nogroup", "-lname",
)  # fmt: skip
RARE = ("l", "p", "s", "b", "c")  # links, pipes, sockets, devices
SCRATCH = ("/tmp", "/var/tmp", "/private/tmp", "/dev/shm")  # noqa: S108 - named to be left alone
NAMES = ("-name", "-iname", "-path", "-ipath", "-wholename")
DELETERS = ("rm", "unlink", "shred", "srm", "trash", "trash-put", "rimraf", "del-cli", "wipe")
WHOLE = ("-T", "-K", "--config", "-i", "-f", "-r", "-a", "-in", "--post-file", "--body-file", "--files0-from", "--file",
         "--reference", "--arg-file", "-x", "--command")  # fmt: skip
DOWNLOADERS = ("curl", "wget", "fetch", "aria2c")
_READS = Effect(ALL)
_WRITES = Effect(writes=ALL)
_TEXT = Effect(FIRST_IS_TEXT)

EFFECTS = {
    **dict.fromkeys(
        "cat tac head tail less more most bat batcat ccat nl pr wc sort uniq cut paste od xxd hd hexdump hexyl strings "
        "base64 base32 basenc uuencode qrencode md5 md5sum sum b2sum shasum sha1sum sha224sum sha256sum sha384sum "
        "sha512sum cksum diff cmp comm join fold fmt column rev "
        "view zcat bzcat xzcat zless zmore gzip gunzip pigz bzip2 xz lz4 zstd brotli tar zip gpg openssl source . scp "
        "sftp pbcopy xclip xsel vimdiff jq yq csvtool iconv dos2unix look expand unexpand split csplit "
        "mapfile aws gsutil rclone mail mailx mutt sendmail lftp".split(),
        _READS,
    ),
    **dict.fromkeys("grep egrep fgrep zgrep rg ag ack awk gawk mawk".split(), _TEXT),
    **dict.fromkeys(
        "touch truncate mkfifo tee chown chgrp chattr setfacl vi vim nvim fallocate "
        "patch sponge mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs "
        "mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mkfs.exfat mke2fs mkswap".split(),
        _WRITES,
    ),
    **dict.fromkeys(DELETERS, _WRITES),
    "cp": Effect(BUT_LAST, LAST, out="-t"),
    "mv": Effect(BUT_LAST, ALL, out="-t"),  # the file can be read under its new name
    "ln": Effect(BUT_LAST, LAST, out="-t"),
    "install": Effect(BUT_LAST, LAST, out="-t"),
    "rsync": Effect(BUT_LAST, LAST),
    "sort": Effect(ALL, out="-o --output", into="--files0-from"),
    "shuf": Effect(ALL, out="-o --output"),
    "wc": Effect(ALL, into="--files0-from"),
    "date": Effect(into="-f --file -r --reference"),
    "time": Effect(out="-o --output"),
    "script": Effect(writes=LAST),
    "gcc": Effect(ALL, out="-o"),
    "ssh-keygen": Effect(out="-f"),
    "ul": _READS,
    "openssl": Effect(ALL, out="-out", into="-in"),
    "xargs": Effect(into="-a --arg-file"),
    "gdb": Effect(ALL, into="-x --command"),
    **dict.fromkeys("vi vim nvim nano emacs ed ex code subl".split(), Effect(ALL, ALL)),
    "sed": Effect(FIRST_IS_TEXT, FIRST_IS_TEXT, when="-i"),
    "perl": Effect(ALL, FIRST_IS_TEXT, when="-i"),
    "ruby": Effect(ALL, FIRST_IS_TEXT, when="-i"),
    "dd": Effect(),
    "unzip": Effect(),
    "curl": Effect(into="-T -d -F --data-ascii --data-binary --data-urlencode --json --url-query --config -K"),
    "wget": Effect(out="-o", into="--post-file --body-file -i"),
    "fetch": Effect(),
    "aria2c": Effect(),
    "python": Effect(ALL),
    "python3": Effect(ALL),
    "node": Effect(ALL),
}
