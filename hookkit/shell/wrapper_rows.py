"""The table of wrappers: programs that run the program named after them. A row per wrapper."""


class Wrapper:
    """`valued` are the options with a value, `operands` is the number of words before the program."""

    __slots__ = ("_row", "assigns", "begins", "code", "entry", "feeds", "joins", "operands", "refuses", "transparent",
                 "valued", "way")  # fmt: skip
    valued: list[str]
    refuses: list[str]  # options that stop the wrapper from running the program
    code: list[str]  # options whose value is a command line
    way: list[str]  # options with the working directory as value
    begins: list[str]  # prefixes of a command line in the value of a `code` option

    def __init__(  # noqa: PLR0913 - a table's row is as wide as the table
        self,
        valued: str = "",
        operands: int = 0,
        *,
        assigns: bool = False,
        refuses: str = "",
        code: str = "",
        joins: bool = False,
        transparent: bool = False,
        feeds: bool = False,
        way: str = "",
        entry: str = "",
        begins: str = "",
    ) -> None:
        self._row = (valued, refuses, code, way, begins)
        self.operands = operands
        self.assigns = assigns  # NAME=value words may stand before the program
        self.joins = joins  # the remaining words are joined to a command line
        self.feeds = feeds  # without a program the wrapper reads command lines from stdin
        self.entry = entry  # an option with the program as value; the remaining words are the program's arguments
        self.transparent = transparent  # gives the program no further rights and no other machine: `time`, `env`

    def __getattr__(self, name: str) -> object:
        """A row is read when a command line has its wrapper: most have none."""
        self.valued, self.refuses, self.code, self.way, self.begins = (text.split() for text in self._row)
        return object.__getattribute__(self, name)


def _plain(valued: str = "", operands: int = 0, refuses: str = "", *, assigns: bool = False) -> Wrapper:
    return Wrapper(valued, operands, refuses=refuses, assigns=assigns, transparent=True)


_SSH = "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"
_DOCKER = (
    "-e --env -u --user -w --workdir --env-file -v --volume -p --publish --name --network --net --entrypoint --mount -h"
    " --hostname -m --memory --cpus -l --label --platform --pull --restart --gpus --ipc --pid --userns --add-host --dns"
    " --tmpfs --ulimit --cap-add --cap-drop --device --security-opt --log-driver --detach-keys --index --shm-size"
)
_KUBE = "-n --namespace -c --container -f --filename --context --kubeconfig"

WRAPPERS = {
    "builtin": _plain(),
    "command": _plain(refuses="-v -V"),
    "env": Wrapper("-u --unset", assigns=True, code="-S --split-string", way="-C --chdir", transparent=True),
    "exec": _plain("-a"),
    "ionice": _plain("-c --class -n --classdata -p --pid -P -u"),
    "nice": _plain("-n --adjustment"),
    "nohup": _plain(),
    "setsid": _plain(),
    "setarch": _plain(),
    "linux32": _plain(),
    "linux64": _plain(),
    "softlimit": _plain("-a -c -d -f -l -m -n -o -p -r -s -t"),
    "chpst": _plain("-u -U -e -d -o -p -f -c -t -m"),
    "cpulimit": _plain("-l --limit -p -e"),
    "numactl": _plain("-N -m -C -l -i -p"),
    "eatmydata": _plain(),
    "fakeroot": _plain("-l -i -s -b"),
    "proot": Wrapper("-r -b -w -q"),
    "choom": _plain("-n -p"),
    "uutils": _plain(),
    "stdbuf": _plain("-i -o -e --input --output --error"),
    "time": _plain("-f --format -o --output"),
    "timeout": _plain("-k --kill-after -s --signal", 1),
    "chronic": _plain(),
    "caffeinate": _plain("-t -w"),
    "unbuffer": _plain(),
    "taskset": Wrapper("", 1),
    "chrt": Wrapper("-T -P -D", 1),
    "sudo": Wrapper(
        "-u --user -g --group -h --host -p --prompt -C --close-from -T -r --role -t --type -U -D --chdir -R --chroot",
        assigns=True,
        refuses="-l --list -v --validate -k -K -e --edit",
    ),
    "doas": Wrapper("-u -C", refuses="-L"),
    "pkexec": Wrapper("--user"),
    "su": Wrapper("-s --shell -g --group", 9, code="-c --command"),
    "runuser": Wrapper("-s --shell -g --group -u --user", 0, code="-c --command"),
    "sg": Wrapper("", 9, code="-c"),
    "chroot": Wrapper("--userspec --groups", 1),
    "unshare": Wrapper("-S -G --setuid --setgid -R --root -w --wd"),
    "nsenter": Wrapper("-t --target -S -G --setuid --setgid -r -w"),
    "setpriv": Wrapper("--reuid --regid --groups --inh-caps --bounding-set --securebits"),
    "prlimit": Wrapper("-p --pid -o --output"),
    "strace": Wrapper("-o -e -p -s -E -u -P -a -b -I -O -S -X"),
    "ltrace": Wrapper("-o -e -p -s -u -a -n -l -x"),
    "perf": Wrapper("-e -o -p -F -g", 1),
    "valgrind": Wrapper(),
    "gdb": Wrapper("-ex -x -p", code=""),
    "xvfb-run": Wrapper("-n -s -e -f -p -w --server-num --server-args --error-file"),
    "dbus-run-session": Wrapper("--config-file --dbus-daemon"),
    "systemd-run": Wrapper("-p --property -u --unit -M --machine -H --host --uid --gid --slice -E --setenv"),
    "faketime": Wrapper("", 1),
    "proxychains": Wrapper("-f"),
    "proxychains4": Wrapper("-f"),
    "torsocks": Wrapper(),
    "firejail": Wrapper(),
    "bwrap": Wrapper("--chdir --setenv --unsetenv --hostname"),
    "watch": Wrapper("-n --interval -q --equexit", joins=True),
    "ssh": Wrapper(_SSH, 1, joins=True, feeds=True),
    "sshpass": Wrapper("-p -f -d -P"),
    "mosh": Wrapper("--ssh", 1),
    "flock": Wrapper("-w --wait --timeout -E --conflict-exit-code", 1, code="-c --command"),
    "script": Wrapper("-o -I -O -B -T -E -m", 9, code="-c --command", feeds=True),
    "newgrp": Wrapper("", 9, feeds=True),
    "docker exec": Wrapper(_DOCKER, 1),
    "docker run": Wrapper(_DOCKER, 1, entry="--entrypoint"),
    "podman exec": Wrapper(_DOCKER, 1),
    "podman run": Wrapper(_DOCKER, 1, entry="--entrypoint"),
    "nerdctl exec": Wrapper(_DOCKER, 1),
    "docker-compose exec": Wrapper(_DOCKER, 1),
    "docker-compose run": Wrapper(_DOCKER, 1),
    "kubectl exec": Wrapper(_KUBE, 1),
    "oc exec": Wrapper(_KUBE, 1),
    "lxc exec": Wrapper("", 1),
    "poetry run": Wrapper(),
    "uv run": Wrapper("--with --python -p --extra --group --project --directory --env-file --index-url"),
    "uvx": Wrapper("--from --with --python -p"),
    "pipx run": Wrapper("--spec"),
    "pipenv run": Wrapper(),
    "pdm run": Wrapper("-p --project"),
    "hatch run": Wrapper(),
    "rye run": Wrapper(),
    "npx": Wrapper("-p --package", code="-c --call"),
    "bunx": Wrapper(),
    "npm exec": Wrapper("-w --workspace -p --package", code="-c --call"),
    "pnpm exec": Wrapper(),
    "pnpm dlx": Wrapper("--package"),
    "yarn exec": Wrapper(),
    "yarn dlx": Wrapper("-p --package"),
    "bundle exec": Wrapper(),
    "git bisect": Wrapper("", 1),
    "conda run": Wrapper("-n --name -p --prefix"),
    "mamba run": Wrapper("-n --name -p --prefix"),
    "direnv exec": Wrapper("", 1),
    "mise exec": Wrapper("", 0),
    "asdf exec": Wrapper(),
    "rbenv exec": Wrapper(),
    "pyenv exec": Wrapper(),
    "op run": Wrapper("--env-file --account"),
    "doppler run": Wrapper("-p --project -c --config"),
    "dotenv": Wrapper("-f --file -e"),
    "cross-env": Wrapper(assigns=True),
    "nix-shell": Wrapper("-p --packages -I -A", 9, code="--run --command"),
    "nix develop": Wrapper("", 9, code="-c --command", joins=True),
    "tar": Wrapper(
        "-f -C -I", 9, code="--checkpoint-action --checkpoint-actio --checkpoint-acti --checkpoint-act", begins="exec="
    ),
    "vim": Wrapper("", 9, code="-c", begins=":! !"),
    "nvim": Wrapper("", 9, code="-c", begins=":! !"),
    "vi": Wrapper("", 9, code="-c", begins=":! !"),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "coproc": Wrapper(),
    "noglob": _plain(),
    "nocorrect": _plain(),
    "at": Wrapper("-f", 9, feeds=True),
    "batch": Wrapper("-f", 9, feeds=True),
    "docker compose exec": Wrapper(_DOCKER, 1),
    "docker compose run": Wrapper(_DOCKER, 1),
    "kubectl run": Wrapper(_KUBE + " --image --restart", 1),
    "vagrant ssh": Wrapper("", 9, code="-c --command"),
    "gcloud compute ssh": Wrapper("--zone --project", 9, code="--command"),
    "heroku run": Wrapper("-a --app -s --size"),
    "hyperfine": Wrapper("-w --warmup -r --runs -n --command-name", joins=True),
    "git submodule foreach": Wrapper(joins=True),
    "git rebase": Wrapper("--onto -s -X", 9, code="-x --exec"),
    "entr": Wrapper(),
    "tmux new-session": Wrapper("-s -n -c -t -x -y -F -e", joins=True),
    "tmux new": Wrapper("-s -n -c -t -x -y -F -e", joins=True),
    "tmux send-keys": Wrapper("-t -N", joins=True),
    "tmux send": Wrapper("-t -N", joins=True),
    "tmux new-window": Wrapper("-t -n -c -F -e", joins=True),
    "tmux neww": Wrapper("-t -n -c -F -e", joins=True),
    "tmux split-window": Wrapper("-t -l -c -F -e -p", joins=True),
    "tmux splitw": Wrapper("-t -l -c -F -e -p", joins=True),
    "tmux respawn-pane": Wrapper("-t -c -e", joins=True),
    "tmux run-shell": Wrapper("-t -d", joins=True),
    "tmux run": Wrapper("-t -d", joins=True),
    "screen": Wrapper("-S -c -t -h -s -p"),
    "stuff": Wrapper(joins=True),  # a command of screen's: screen -X stuff 'text'
    "xdotool type": Wrapper("--delay --window", joins=True),
    "zellij action write-chars": Wrapper(joins=True),
    "zellij run": Wrapper("-n --name --cwd -d --direction"),
    "cargo watch": Wrapper("-w -i -d -C", 9, code="-s --shell -x --exec"),
    "nodemon": Wrapper("-w --watch -e --ext -i --ignore -d --delay", 9, code="-x --exec"),
    "ansible": Wrapper("-i -m -u -f -l -e", 9, code="-a --args"),
    "repo forall": Wrapper("-r -g -j", 9, code="-c"),
    "git difftool": Wrapper("-t --tool", 9, code="-x --extcmd"),
    "split": Wrapper("-a -b -C -l -n -t --additional-suffix", 9, code="--filter"),
    "sort": Wrapper("-k -o -S -t -T", 9, code="--compress-program"),
    "capsh": Wrapper("", 9, code="-c"),
    **dict.fromkeys(
        ("xterm", "urxvt", "konsole", "alacritty"), Wrapper("-T -title -geometry", 9, code="-e", joins=True)
    ),
    "gnome-terminal": Wrapper("--title --working-directory"),
    "tcpdump": Wrapper("-i -w -G -W -C -s -c -r", 9, code="-z"),
    "ssh-agent": Wrapper("-a -E -t -P -O"),
}

FIRST = frozenset(name.split(" ")[0] for name in WRAPPERS if " " in name)  # programs of rows with several words
