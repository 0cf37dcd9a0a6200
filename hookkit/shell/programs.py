"""Options of well-known programs: options with a value, aliases, and options before the sub-command.

One row a program (or a program with its sub-command). Other programs are read in the usual way: `--long`, `-abc`.
"""

from hookkit.shell.state import UNKNOWN
from hookkit.shell.wrapper_rows import WRAPPERS


class Program:
    """`valued` options bring a value, `aliases` are `long=short` pairs, `globals_` may stand before the sub-command."""

    __slots__ = ("_row", "aliases", "longs", "means", "single", "valued")
    valued: frozenset[str]
    aliases: dict[str, str]
    longs: list[str]  # options of two dashes
    means: dict[str, str]  # a single option for two: -D=-df

    def __init__(self, valued: str = "", aliases: str = "", *, single: bool = False, means: str = "") -> None:
        self._row = (valued, aliases, means)
        self.single = single  # a single dash begins a whole word: -name, -delete

    def __getattr__(self, name: str) -> object:
        """A row is read when a command line has its program: a call meets two of them, not all."""
        valued, aliases, means = self._row
        self.valued = frozenset(valued.split())
        self.aliases = dict(pair.split("=") for pair in aliases.split())
        self.means = dict(pair.split("=") for pair in means.split())
        self.longs = [name for name in {*self.aliases, *self.valued} if name[:2] == "--"]
        return object.__getattribute__(self, name)


_GIT = "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source"
_KUBE = (
    "-n --namespace --context --kubeconfig --cluster --user -s --server --as -o --output -l --selector -f --filename"
)
_FORCE = "--force=-f"

PROGRAMS = {
    "rm": Program("", "--recursive=-r -R=-r --force=-f --dir=-d --verbose=-v --interactive=-i --one-file-system=-x"),
    "cp": Program("-t --target-directory -S --suffix", "--recursive=-r -R=-r --archive=-a --force=-f --no-clobber=-n"),
    "mv": Program(
        "-t --target-directory -S --suffix", "--force=-f --no-clobber=-n --interactive=-i --target-directory=-t"
    ),
    "pulumi": Program("-C --cwd -s --stack --color"),
    "ln": Program("-t --target-directory -S --suffix", "--symbolic=-s --force=-f"),
    "chmod": Program("--reference", "--recursive=-R --verbose=-v --changes=-c --silent=-f"),
    "chown": Program("--reference --from", "--recursive=-R --verbose=-v --changes=-c"),
    "chgrp": Program("--reference", "--recursive=-R"),
    "setfacl": Program("-m --modify -x --remove -M -X --set", "--recursive=-R"),
    "mkdir": Program("-m --mode", "--parents=-p --verbose=-v"),
    "ls": Program("", "--all=-a --recursive=-R"),
    "grep": Program(
        "-e --regexp -f --file -A -B -C -m --max-count --include --exclude --exclude-dir --color",
        "--recursive=-r -R=-r --ignore-case=-i --files-with-matches=-l",
    ),
    "sed": Program("-e --expression -f --file -l", "--in-place=-i --regexp-extended=-E --quiet=-n --silent=-n"),
    "tar": Program(
        "-f --file -C --directory --exclude -T --files-from -X --exclude-from -I --use-compress-program --to-command"
        " --info-script -F --rsh-command --transform --owner --group --mode",
        "--directory=-C --file=-f --extract=-x --get=-x --create=-c --gzip=-z --list=-t --use-compress-program=-I"
        " --info-script=-F",
    ),
    "zip": Program("--unzip-command", "--move=-m"),
    "man": Program("-P --pager", "--pager=-P"),
    "tee": Program("", "--append=-a"),
    "kill": Program("-n", "--signal=-s"),
    "curl": Program(
        "-o --output -H --header -d --data --data-ascii --data-raw --data-binary --data-urlencode --json --url-query"
        " -X --request -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -F --form --form-string"
        " -T --upload-file --max-time -m --retry --retry-delay --retry-max-time -x --proxy --proxy-user -U"
        " --connect-timeout --connect-to --resolve -w --write-out --cacert --capath --cert -E --key --url -K --config"
        " -r --range -C --continue-at -z --interface --limit-rate --max-redirs --output-dir --netrc-file --unix-socket",
        "--output=-o --silent=-s --location=-L --fail=-f --show-error=-S --insecure=-k --remote-name=-O --data=-d"
        " --upload-file=-T --form=-F --request=-X --header=-H --user=-u --cookie=-b --config=-K",
    ),
    "wget": Program(
        "-O --output-document -P --directory-prefix -U --user-agent --header -o -t -T -i --post-file --post-data"
        " --body-file --body-data --method --load-cookies --save-cookies -e --execute",
        "--output-document=-O --directory-prefix=-P",
    ),
    "fetch": Program("-o -T -w -S", "--output=-o"),
    "aria2c": Program("-o --out -d --dir -x -s -j", "--out=-o --dir=-d"),
    "rsync": Program(
        "-e --rsh --exclude --include --files-from --rsync-path --port",
        "--archive=-a --delete=--delete --dry-run=-n --rsh=-e",
    ),
    "ssh": Program("-i -p -l -o -F -L -R -D -J"),
    "scp": Program("-i -P -o -F -J -l -c -S"),
    **dict.fromkeys(("nc", "ncat", "netcat"), Program("-p -w -s -X -x -i -q -e -c --exec --sh-exec --lua-exec")),
    "dig": Program("-x -p -t -f -k -y -b"),
    "nslookup": Program("", single=True),
    "ping": Program("-c -i -W -w -s -p -t -I"),
    "mail": Program("-s -a -A -c -b -r --attach --subject"),
    "mutt": Program("-s -a -c -b -e -F -i"),
    "mailx": Program("-s -a -A -c -b -r -S"),
    "rclone": Program("--config --transfers --checkers --bwlimit --include --exclude --filter"),
    "sftp": Program("-i -P -o -F -J -b -S"),
    "tmux": Program("-S -L -f -T"),
    "gh api": Program("-X --method -f -F -H -q --jq -t --template --input --hostname --cache", "--method=-X"),
    "glab api": Program("-X --method -f -F -H --hostname", "--method=-X"),
    "aws": Program("--profile --region --output --query --endpoint-url"),
    "gcloud": Program("--project --account --configuration --zone --region --format --filter"),
    "az": Program("--subscription -g --resource-group -n --name -o --output --query"),
    "vault": Program("-namespace --namespace -ns -address --address -format --format -field -path", single=True),
    "gh": Program("-R --repo --hostname"),
    "gh auth": Program("-h --hostname", "--show-token=-t"),
    "glab": Program("-R --repo"),
    "heroku": Program("-a --app -r --remote"),
    "fly": Program("-a --app -c --config -t --access-token"),
    "systemctl": Program("-H --host -M --machine -p --property -t --type -s --signal -n --lines -o --output --root"),
    "journalctl": Program("-u --unit -n --lines -o --output -S --since -U --until -p -D -t"),
    "restic": Program("-r --repo -p --password-file --password-command -o --option -H --host --tag"),
    "redis-cli": Program("-h -p -a -n -u --user --pass -s"),
    "apt-get": Program("-o -c -t --option --config-file --target-release"),
    "dnf": Program("-c --config --installroot --releasever -x --exclude --enablerepo --disablerepo"),
    "poetry": Program("-C --directory -P --project"),
    "uv": Program("--directory --project --config-file --cache-dir -p --python"),
    "helmfile": Program("-f --file -e --environment -n --namespace -l --selector --kube-context"),
    "argocd": Program("--server --auth-token --config --grpc-web-root-path"),
    "flux": Program("-n --namespace --context --kubeconfig"),
    "velero": Program("-n --namespace --kubecontext --kubeconfig"),
    "eksctl": Program("-p --profile -r --region -C"),
    "wrangler": Program("-c --config -e --env --cwd"),
    "netlify": Program("--filter -s --site --auth"),
    "vercel": Program("-A --local-config -S --scope -t --token --cwd -T --team"),
    "firebase": Program("-P --project --account --token -c --config"),
    "doctl": Program("-t --access-token -c --config --context -o --output -u --api-url"),
    "rpm": Program("", "--erase=-e"),
    "dpkg": Program("", "--remove=-r --purge=-P"),
    "pacman": Program("", "--remove=-R"),
    "docker": Program("-H --host --context -c --config --log-level -l"),
    "docker system": Program("--filter", "--all=-a --force=-f"),
    "docker compose": Program("-f --file -p --project-name", "--volumes=-v"),
    "docker-compose": Program("-f --file -p --project-name", "--volumes=-v"),
    "iptables": Program("-t -A -D -I -j -p -s -d", "--flush=-F"),
    "docker rm": Program("", "--force=-f --volumes=-v"),
    "docker volume": Program("", _FORCE),
    "kubectl": Program(_KUBE, "--namespace=-n"),
    "kubectl delete": Program(_KUBE, "--namespace=-n --all=--all --force=--force"),
    "helm": Program("-n --namespace --kube-context --kubeconfig -f --values --set"),
    "npm": Program(
        "--prefix -C --registry -w --workspace --loglevel --userconfig", "--global=-g --force=-f --save-dev=-D"
    ),
    "pnpm": Program("-C --dir --filter -F -w", "--global=-g --recursive=-r"),
    "yarn": Program("--cwd"),
    "pip": Program("-r --requirement -i --index-url -t --target -c --constraint -e --editable", "--upgrade=-U"),
    "git": Program(_GIT),
    "git push": Program(
        "-o --push-option --repo --receive-pack",
        "--force=-f --delete=-d --set-upstream=-u --tags=--tags --dry-run=-n --mirror=--mirror --prune=--prune"
        " --all=--all --no-verify=--no-verify --force-with-lease=--force-with-lease"
        " --force-if-includes=--force-if-includes",
    ),
    "git clone": Program(
        "-c --config -b --branch -o --origin -u --upload-pack --depth", "--config=-c --upload-pack=-u"
    ),
    "git restore": Program("-s --source", "--staged=-S --worktree=-W --source=-s"),
    "git worktree": Program("", _FORCE),
    "git symbolic-ref": Program("-m", "--delete=-d"),
    "git rm": Program("", "--force=-f --dry-run=-n"),
    "git grep": Program("-e -f -A -B -C -m", "--open-files-in-pager=-O"),
    "git commit": Program(
        "-m --message -F --file -C -c --reuse-message --author --date -t --template --fixup --squash",
        "--message=-m --all=-a --no-verify=-n --signoff=-s",
    ),
    "git reset": Program("--pathspec-from-file", "--hard=--hard --merge=--merge --keep=--keep --quiet=-q"),
    "git gc": Program("", "--prune=--prune --aggressive=--aggressive"),
    "git prune": Program("--expire", "--expire=--expire"),
    "git clean": Program("-e --exclude", "--force=-f --dry-run=-n --quiet=-q"),
    "git checkout": Program(
        "-b -B --orphan --pathspec-from-file", "--force=-f --pathspec-from-file=--pathspec-from-file"
    ),
    "git switch": Program("-c -C --orphan", "--force=-f --discard-changes=-f --create=-c --force-create=-C"),
    "git branch": Program(
        "-u --set-upstream-to --sort --format", "--delete=-d --force=-f --move=-m", means="-D=-df -M=-mf"
    ),
    "git tag": Program("-m --message -F --file -u", "--delete=-d --force=-f"),
    "git rebase": Program("--onto -x --exec -s -X", "--interactive=-i"),
    "git stash": Program("-m --message"),
    "git log": Program("-n --grep --author --since --until --format --pretty -S -G -L"),
    "git config": Program("-f --file --blob", "--file=-f"),
    "make": Program(
        "-C --directory -f --file -j --jobs -I -o -W", "--directory=-C --file=-f --silent=-s --always-make=-B"
    ),
    "find": Program("", single=True),
    "awk": Program("-v -F -f -i -l -e --assign --field-separator --file --include --source"),
    "shuf": Program("-o --output -n --head-count -i --input-range --random-source", "--output=-o --echo=-e"),
    "date": Program("-f --file -d --date -r --reference -s --set", "--file=-f --reference=-r"),
    "ssh-keygen": Program("-f -t -N -b -C -P -O -I -n -V -Y -s"),
    "gdb": Program("-x -ex -iex -p -s -e -c -cd --eval-command --command --ex", single=True),
    "lldb": Program("-o -O --one-line -s -p -n"),
    "git archive": Program("-o --output --format --prefix --remote --exec", "--output=-o"),
    "git diff": Program("--output -U -S -G -O", "--output=-o"),
    "script": Program("-c --command -o -I -O -B -T -E -m", "--command=-c"),
    "time": Program("-f --format -o --output", "--output=-o"),
    "sqlite3": Program("-cmd -init -separator -nullvalue -newline", single=True),
    "java": Program("", single=True),
    "go": Program("", single=True),
    "terraform": Program("", single=True),
    "tofu": Program("", single=True),
    "openssl": Program("-in -out -key -inkey", single=True),
    "xargs": Program("-a --arg-file -I -n -P -L -s -d -E"),
    "sort": Program("-o --output -k -t -S -T", "--output=-o"),
    "ffmpeg": Program("", single=True),
    "gcc": Program("-o -x -I -L -l -D", single=True),
    "clang": Program("-o -x -I -L -l -D", single=True),
    "javac": Program("", single=True),
    "ip": Program("", single=True),
    "xcodebuild": Program("", single=True),
    "pg_restore": Program("-d --dbname -h -U -p -n -t -j", "--clean=-c"),
    "psql": Program(
        "-c --command -d --dbname -h --host -U --username -p --port -f --file -v", "--command=-c --dbname=-d"
    ),
    "mysql": Program("-e --execute -u --user -h --host -P --port -D --database", "--execute=-e"),
    "python": Program("-c -m -W -X"),
    "node": Program("-e --eval -r --require -p --print", "--eval=-e --print=-p"),
    "perl": Program("-e -E -I -M"),
    "shutdown": Program(""),
}
ALIASES = {
    "python3": "python",
    "egrep": "grep",
    "fgrep": "grep",
    "pip3": "pip",
    "podman": "docker",
    "gsed": "sed",
    "grm": "rm",
    "gmake": "make",
    "gawk": "awk",
    "mawk": "awk",
    "nawk": "awk",
    "gfind": "find",
    "gtar": "tar",
    "bsdtar": "tar",
    "g++": "gcc",
    "cc": "gcc",
    "mariadb": "mysql",
    "nodejs": "node",
    "oc": "kubectl",
    "kubecolor": "kubectl",
    "ip6tables": "iptables",
    "nerdctl": "docker",
    "flyctl": "fly",
    "apt": "apt-get",
    "yum": "dnf",
    "rscript": "Rscript",
}
OFF = ("false", "no", "off")
SAME_COMMANDS = {"git send-pack": "push"}  # sub-commands with the same effect
_NONE = Program()


def program_of(word: str) -> Program:
    name = word.rpartition("/")[2] or word
    return PROGRAMS.get(ALIASES.get(name, name), _NONE)


class Shape:
    """A command's words, sorted: options as a set, everything else in its order."""

    __slots__ = ("flags", "operands", "program", "values", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.program = _NONE
        self.flags: set[str] = set()
        self.operands: list[str] = []
        self.values: list[tuple[str, str]] = []  # options with their values


def sort_words(words: list[str]) -> Shape:
    """Options under a single name each, in any position; the first words are the program and its sub-command."""
    shape = Shape()
    name = words[0].rpartition("/")[2] or words[0]
    shape.words = [name, *words[1:]]
    if name == "tar" and len(words) > 1 and words[1][:1].isalpha() and words[1].isalpha():
        words = [name, f"-{words[1]}", *words[2:]]  # `tar cf x`: the first word is options without a dash
    elif name == "kill":
        words = _kill(words)
    base = ALIASES.get(name, name)
    shape.operands.append(name)
    shape.program = PROGRAMS.get(base) or _wrapper(base) or _NONE
    at = 1
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            shape.flags.add(word)
            shape.operands += words[at:]
            break
        if not is_option(word):
            if word[:1] == "+" and len(shape.operands) == 1 and base in ("cargo", "rustc", "rustup"):
                continue  # `cargo +nightly publish`: a toolchain, no sub-command
            word = SAME_COMMANDS.get(f"{base} {word}", word) if len(shape.operands) == 1 else word
            shape.operands.append(word)
            if len(shape.operands) == 2:  # noqa: PLR2004 - the sub-command may have options of its own
                shape.program = PROGRAMS.get(f"{base} {word}", shape.program)
            elif word[0:1] == "+" and shape.operands[:2] == ["git", "push"]:
                shape.flags.add("-f")  # `git push origin +main` forces the branch
            continue
        at += _note(shape, word, words[at] if at < len(words) else None)
    return shape


def _kill(words: list[str]) -> list[str]:
    """The first option of kill is a signal; a later `-1` means every process, other negative numbers are groups.

    `kill -1` alone, or `-1` behind `-s NAME`, means every process too.
    """
    if words[1:] == ["-1"]:
        return [words[0], "every-process"]
    found = words[:1]
    for at, word in enumerate(words[1:]):
        is_signal = word[:1] == "-" and (word[1:].isdigit() or word[1:].isupper())
        if word == "--":
            continue
        if word[:1] == UNKNOWN:
            found.append("computed-process")  # the number of a process, and no option
        elif at and word[:1] == "-" and word[1:].isdigit():
            found.append("every-process" if word == "-1" else word[1:])
        else:
            found.append(f"--signal={word[1:]}" if is_signal else word)
    return found


def _completed(name: str, program: Program) -> str:
    """`--recurs` for `--recursive`: a program accepts an unambiguous prefix of an option."""
    if name[:2] != "--" or len(name) < 3 or name in program.valued:  # noqa: PLR2004
        return name
    longer = [long for long in program.longs if long.startswith(name)]
    return program.aliases.get(longer[0], longer[0]) if len(longer) == 1 else name


def _wrapper(name: str) -> Program | None:
    """A wrapper's own options bring values too: `sudo -u root rm x` is about rm."""
    row = WRAPPERS.get(name)
    return Program(" ".join(row.valued)) if row is not None else None


def is_option(word: str) -> bool:
    """A number is none (`kill -9` is: its signal is named so), nor is a lone dash."""
    return len(word) > 1 and word[0] == "-" and word[1] not in " \t"


def _note(shape: Shape, word: str, following: str | None) -> int:
    """Add an option to the shape; 1 if the next word is its value."""
    program = shape.program
    shape.flags.update(spellings(word, program))
    if program.single or word[:2] == "--":
        name, equals, value = word.partition("=")
        known = name if program.single else _completed(name, program)
        takes = not equals and known in program.valued
        if equals or (takes and following is not None):
            shape.values.append((program.aliases.get(known, known), value if equals else following or ""))
        return int(takes and following is not None)
    for place, letter in enumerate(word[1:], 2) if program.valued else ():
        if f"-{letter}" in program.valued:
            rest = word[place:]
            shape.values.append((program.aliases.get(f"-{letter}", f"-{letter}"), rest or following or ""))
            return int(not rest and following is not None)
    return 0


def spellings(word: str, program: Program) -> set[str]:
    """The names of the options in a word: each letter of a cluster, up to the first option with a value."""
    if program.single or word[:2] == "--":
        name, equals, value = word.partition("=")
        known = program.aliases.get(name) or _completed(name, program)
        if equals and value.lower() in OFF:
            return {word}  # `--privileged=false` is the absence of the option
        return {known, word} if equals else {known}
    for short, letters in program.means.items():
        if short[1] in word[1:]:  # -D in a cluster like -Dv
            word = word.replace(short[1], letters[1:])
    flags = set()
    for letter in word[1:]:
        flags.add(program.aliases.get(f"-{letter}", f"-{letter}"))
        if f"-{letter}" in program.valued:
            return flags
    return {*flags, word}
