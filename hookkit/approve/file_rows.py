"""ROWS about files, the shell itself and the machine."""

from hookkit.approve.row import DIGITS, NONE, PATTERN, TEXT, Row

_SUMS = Row("-bctwz --binary --check --text --tag --zero --ignore-missing --quiet --status --strict --warn")
_GREP = Row(
    f"-EFGPiyvwxcloqshHnbTZUzaIr {DIGITS} --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case"
    " --no-ignore-case --invert-match --word-regexp --line-regexp --count --color --colour --files-with-matches"
    " --files-without-match --only-matching --quiet --silent --no-messages --with-filename --no-filename --line-number"
    " --byte-offset --initial-tab --null --null-data --text --recursive -L",
    "-eABCmD --regexp --after-context --before-context --context --max-count --include --exclude --exclude-dir --label"
    " --binary-files --devices",
    operands=PATTERN,
    below="-r --recursive",
)
_LS = Row(
    "-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 --all --almost-all --author --escape --ignore-backups --color --directory"
    " --classify --file-type --full-time --group-directories-first --no-group --human-readable --si --dereference"
    " --hide-control-chars --indicator-style --inode --kibibytes --literal --numeric-uid-gid --quote-name --reverse"
    " --recursive --size --context --zero --hyperlink",
    "-ITw --ignore --hide --block-size --format --quoting-style --sort --time --time-style --tabsize --width",
    names=True,
)
_TEST = Row(
    "-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -w -x -z -G -L -N -O -S -eq -ne -lt -le -gt -ge -nt -ot -ef",
    operands=TEXT,
    single=True,
    check="test",
)
_UNPACKED = Row("-cdfklqtv --stdout --decompress --force --list --quiet --test", needs="-c --stdout -l --list")
ROWS = {
    # -- files ---------------------------------------------------------------------------------------------------------
    "ls": _LS,
    "dir": _LS,
    "cat": Row("-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs"),
    "tac": Row("-br --before --regex", "-s --separator"),
    "head": Row(f"-qvz {DIGITS} --quiet --silent --verbose --zero-terminated", "-nc --lines --bytes"),
    "tail": Row(f"-qvzr {DIGITS} --quiet --silent --verbose --zero-terminated", "-nc --lines --bytes"),
    "nl": Row("-p --no-renumber", "-bdfhilnsvw --body-numbering --section-delimiter --header-numbering"
              " --footer-numbering --line-increment --join-blank-lines --number-format --number-separator"
              " --starting-line-number --number-width"),
    "wc": Row("-clLmw --bytes --chars --lines --words --max-line-length", names=True),
    "sort": Row("-bdfghiMnRrVcCmsuz --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort"
                " --human-numeric-sort --month-sort --numeric-sort --random-sort --reverse --version-sort --check"
                " --merge --stable --unique --zero-terminated", "-kt --key --field-separator --sort"),
    "uniq": Row("-cdDiuz --count --repeated --all-repeated --ignore-case --unique --zero-terminated",
                "-fsw --skip-fields --skip-chars --check-chars", most=1),
    "cut": Row("-nsz --only-delimited --complement --zero-terminated",
               "-bcdf --bytes --characters --delimiter --fields --output-delimiter"),
    "paste": Row("-sz --serial --zero-terminated", "-d --delimiters"),
    "tr": Row("-cCdst --complement --delete --squeeze-repeats --truncate-set1", operands=TEXT),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "zgrep": Row("-EFGPivwxclonhHqs", "-eABCm", operands=PATTERN),
    "ag": Row("-acilLnQsSuvw --nocolor --nogroup --ignore-case --literal --count --hidden",
              "-GABCm --ignore --depth --file-search-regex", operands=PATTERN, below="*", check="ag"),
    **dict.fromkeys(("fd", "fdfind"), Row(
        "-0aFgHIiLpsu --absolute-path --fixed-strings --glob --hidden --ignore-case --case-sensitive --no-ignore"
        " --follow --full-path --unrestricted --print0", "-cdeEjtS --color --max-depth --min-depth --exact-depth"
        " --extension --exclude --type --size --changed-within --changed-before --max-results",
        operands=PATTERN, names=True)),
    **dict.fromkeys(("bat", "batcat"), Row(
        "-Anp --show-all --number --plain", "-Hlr --highlight-line --language --line-range --color --paging --style"
        " --theme --wrap --decorations")),
    "less": Row("-eEFiINnRrSsX --chop-long-lines --LINE-NUMBERS --quit-if-one-screen --RAW-CONTROL-CHARS",
                check="pager"),
    "more": Row(check="pager"),
    "zcat": Row(),
    "bzcat": Row(),
    "xzcat": Row(),
    "gzip": _UNPACKED,
    "gunzip": _UNPACKED,
    "bunzip2": _UNPACKED,
    "unxz": _UNPACKED,
    "tar": Row("-jJtvz --bzip2 --gzip --list --verbose --xz --zstd --exclude-vcs", "-f --file --exclude", names=True,
               needs="-t --list", check="tar"),
    "unzip": Row("-lqvZ1", names=True, most=1, needs="-l -v -Z"),
    "zipinfo": Row("-1lmsv", names=True, most=1),
    "rg": Row(f"-iSsvwxclnNoqUFPpaHI0u {DIGITS} --ignore-case --smart-case --case-sensitive --invert-match"
              " --word-regexp --line-regexp --count --count-matches --files-with-matches --files-without-match"
              " --line-number --no-line-number --only-matching --quiet --multiline --multiline-dotall --fixed-strings"
              " --pcre2 --pretty --text --with-filename --no-filename --no-heading --heading --hidden --no-ignore"
              " --no-ignore-vcs --json --stats --trim --vimgrep --column --files --type-list --no-messages --null"
              " --crlf --passthru --no-config --unrestricted",
              "-egtTABCmMrdj --regexp --glob --iglob --type --type-not --after-context --before-context --context"
              " --max-count --max-columns --max-depth --maxdepth --replace --sort --sortr --color --colors --threads"
              " --max-filesize --encoding --engine", operands=PATTERN, below="*"),
    "find": Row("-H -L -P -print -print0 -ls -prune -quit -depth -d -mount -xdev -empty -true -false -follow -not ! -a"
                " -and -o -or ( ) , -executable -readable -writable -nouser -nogroup -daystart -noleaf -exec {} ; +"
                " -ignore_readdir_race -warn -nowarn",
                "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime"
                " -mmin -atime -amin -ctime -cmin -newer -newermt -maxdepth -mindepth -perm -user -group -uid -gid"
                " -links -inum -samefile -lname -ilname -printf -anewer -cnewer -fstype -used",
                names=True, single=True, check="find"),
    "diff": Row(f"-abBcdeEilnNpqrstTuwyZ {DIGITS} --text --brief --report-identical-files --side-by-side"
                " --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --minimal --new-file"
                " --recursive --unified --context --color --no-dereference --suppress-common-lines --expand-tabs",
                "-CUIWxF --exclude --width --label --ignore-matching-lines --show-function-line",
                below="*"),
    "cmp": Row("-bls --print-bytes --verbose --silent --quiet", "-in --ignore-initial --bytes"),
    "comm": Row("-123iz --check-order --nocheck-order --total", "--output-delimiter"),
    "join": Row("-iz --ignore-case --header", "-aej12tov"),
    "fold": Row("-bs --bytes --spaces", "-w --width"),
    "fmt": Row("-cstu", "-wpg --width --prefix --goal"),
    "column": Row("-tnexJ --table --json", "-scoNlOHRWrE --separator --output-separator --table-columns"),
    "rev": Row(),
    "expand": Row("-i --initial", "-t --tabs"),
    "unexpand": Row("-a --all --first-only", "-t --tabs"),
    "od": Row("-abcdfiloxsv --output-duplicates --width", "-AjNSt --address-radix --skip-bytes --read-bytes --format",
              optional="-w"),
    "xxd": Row("-a -b -d -e -E -i -u -p -ps -plain -v -C", "-c -g -l -n -o -s -cols -len -seek", most=1, single=True),
    "hexdump": Row("-bcCdoxv --canonical", "-ens --length --skip"),
    "strings": Row("-afow --all --print-file-name", "-ntes --bytes --radix --encoding", check="words"),
    "file": Row("-bikLhNprsvzZ0 --brief --mime --mime-type --mime-encoding --dereference --no-dereference", "-F"),
    "stat": Row("-LftxslnqFr --dereference --file-system --terse", "-c --format --printf", names=True),
    "du": Row("-abcDhHklLmsSx0 --all --apparent-size --bytes --total --human-readable --summarize --si"
              " --one-file-system", "-dBt --max-depth --block-size --threshold --exclude --time --time-style",
              names=True),
    "df": Row("-ahHiklPTm --all --human-readable --si --inodes --local --portability --print-type --total",
              "-Btx --block-size --type --exclude-type --output", names=True),
    "tree": Row("-adfilxsuphgDFqNQrtcvUCnJX --dirsfirst --noreport --du --si --gitignore --prune",
                "-LPI --filelimit --charset --sort --timefmt", names=True),
    "md5sum": _SUMS, "sha1sum": _SUMS, "sha224sum": _SUMS, "sha256sum": _SUMS, "sha384sum": _SUMS,
    "sha512sum": _SUMS, "b2sum": _SUMS, "cksum": _SUMS, "shasum": Row("-bcpstUw0", "-a"), "md5": Row("-qr"),
    "realpath": Row("-emLPsqz --canonicalize-existing --canonicalize-missing --logical --physical --no-symlinks",
                    "--relative-to --relative-base", names=True),
    "readlink": Row("-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing", names=True),
    "basename": Row("-az --multiple --zero", "-s --suffix", operands=TEXT),
    "dirname": Row("-z --zero", operands=TEXT),
    "sed": Row("-nErsuz --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug"
               " --sandbox", "-e --expression --line-length", operands=PATTERN, check="sed"),
    "awk": Row("", "-Fv --field-separator", operands=PATTERN, check="awk"),
    "jq": Row("-cCMSrRsnejae --compact-output --raw-output --raw-input --slurp --null-input --sort-keys --color-output"
              " --monochrome-output --exit-status --join-output --ascii-output --tab --seq", "--indent",
              operands=PATTERN, check="jq"),
    # -- the shell itself ----------------------------------------------------------------------------------------------
    "echo": Row(operands=TEXT, free=True),
    "printf": Row(operands=TEXT, check="printf"),
    "true": Row(operands=TEXT, free=True),
    "false": Row(operands=TEXT, free=True),
    ":": Row(operands=TEXT, free=True),
    "test": _TEST,
    "[": _TEST,
    "cd": Row("-LPe", operands=TEXT),
    "pwd": Row("-LP --logical --physical", operands=NONE),
    "exit": Row(operands=TEXT),
    "break": Row(operands=TEXT),
    "continue": Row(operands=TEXT),
    "set": Row("-eux", "-o", operands=NONE, needs="-e -u -x -o", check="set"),
    "type": Row("-aftpP", operands=TEXT),
    "which": Row("-as --all", operands=TEXT),
    "command": Row("-vV", operands=TEXT, check="looks"),
    "sleep": Row(operands=TEXT),
    "seq": Row("-w --equal-width", "-fs --format --separator", operands=TEXT),
    "expr": Row(operands=TEXT),
    "date": Row("-uRIj --utc --universal --rfc-email --iso-8601 --rfc-3339", "-d --date", operands=TEXT, check="date"),
    "wait": Row(operands=NONE),
    # -- the machine ---------------------------------------------------------------------------------------------------
    "whoami": Row(operands=NONE),
    "id": Row("-aGgnruz --group --groups --name --real --user", operands=TEXT),
    "groups": Row(operands=TEXT),
    "uname": Row("-amnrspvio --all --machine --nodename --kernel-release --kernel-name", operands=NONE),
    "hostname": Row("-fsid --fqdn --short", operands=NONE),
    "arch": Row(operands=NONE),
    "nproc": Row("--all", operands=NONE),
    "uptime": Row("-ps --pretty --since", operands=NONE),
    "free": Row("-bkmghtwlv --human --total --wide --bytes --kibi --mebi --gibi", operands=NONE),
    "lscpu": Row("-aepJ --json", operands=NONE),
    "ps": Row("-AaefFHLlMTvwxyZ --forest --no-headers", "-CGgOopstuU --format --pid --ppid --sort --user",
              operands=TEXT, check="ps"),
    "pgrep": Row("-acfilnovx --full --list-name --list-full --count --exact --newest --oldest",
                 "-gGPstuU --parent --euid --uid", operands=TEXT),
    "lsof": Row("-abClnNOPRtUVwX", "-cdgipsu", operands=TEXT),
    "ss": Row("-0468aeHilmnoprstuwx --all --listening --numeric --processes --tcp --udp --unix --summary",
              operands=TEXT),
    "netstat": Row("-46aceilnoprstuvW --all --listening --numeric --program --tcp --udp --route", operands=NONE),
    "dpkg": Row("-lLsS --list --listfiles --status --search", operands=TEXT),
    "rpm": Row("-acdfilqRs --all --changelog --info --list --query --requires", operands=TEXT, check="rpm"),
    "apt list": Row("-a --all-versions --installed --upgradable", operands=TEXT),
    "brew list": Row("-1 --cask --casks --formula --full-name --versions", operands=TEXT),
    "tty": Row(operands=NONE),
    "locale": Row("-am", operands=NONE),
}  # fmt: skip
