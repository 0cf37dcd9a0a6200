"""Options of well-known programs: options with a value, aliases, and options before the sub-command.

One row a program (or a program with its sub-command). Other programs are read in the usual way: `--long`, `-abc`.
"""


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
SAME_COMMANDS = {"git send-pack": "push"}  # sub-commands with the same effect
