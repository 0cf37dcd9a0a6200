"""Programs that run the program named after them. One row a wrapper, by its name or its first two words.

A fixed list is itself a known way around, so an unknown program in front of a denied command line is "could not tell":
see `resolve`.
"""

from hookkit.policy.expand import UNKNOWN


class Wrapper:
    """`valued` are its options that take a value, `operands` how many words stand before the program."""

    __slots__ = ("assigns", "code", "joins", "operands", "refuses", "transparent", "valued")

    def __init__(
        self,
        valued: str = "",
        operands: int = 0,
        *,
        assigns: bool = False,
        refuses: str = "",
        code: str = "",
        joins: bool = False,
        transparent: bool = False,
    ) -> None:
        self.valued = valued.split()
        self.operands = operands
        self.assigns = assigns  # NAME=value words may stand before the program
        self.refuses = refuses.split()  # with one of these it runs something else, or nothing
        self.code = code.split()  # options whose value is a command line
        self.joins = joins  # what follows is put together to a command line
        self.transparent = transparent  # changes nothing about what the program may do


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
    "env": _plain("-u --unset -C --chdir", assigns=True, refuses="-S --split-string -C --chdir"),
    "exec": _plain("-a"),
    "ionice": _plain("-c --class -n --classdata -p --pid -P -u"),
    "nice": _plain("-n --adjustment"),
    "nohup": _plain(),
    "setsid": _plain(),
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
    "ssh": Wrapper(_SSH, 1, joins=True),
    "sshpass": Wrapper("-p -f -d -P"),
    "mosh": Wrapper("--ssh", 1),
    "flock": Wrapper("-w --wait --timeout -E --conflict-exit-code", 1, code="-c --command"),
    "script": Wrapper("-o -I -O -B -T -E -m", 9, code="-c --command"),
    "eval": Wrapper(joins=True),
    "trap": Wrapper(joins=False),
    "docker exec": Wrapper(_DOCKER, 1),
    "docker run": Wrapper(_DOCKER, 1),
    "podman exec": Wrapper(_DOCKER, 1),
    "podman run": Wrapper(_DOCKER, 1),
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
    "nix develop": Wrapper("", 9, code="-c --command"),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "coproc": Wrapper(),
    "noglob": _plain(),
    "nocorrect": _plain(),
    "at": Wrapper("-f", 9),
    "entr": Wrapper(),
    "tmux new-session": Wrapper("-s -n -c -t -x -y -F -e", joins=True),
    "tmux new": Wrapper("-s -n -c -t -x -y -F -e", joins=True),
    "screen": Wrapper("-S -c -t -h -s"),
}


class Inner:
    """What a wrapper runs: words of a command, or a command line as text."""

    __slots__ = ("code", "words")

    def __init__(self, words: list[str] | None = None, code: str | None = None) -> None:
        self.words = words
        self.code = code


def find(words: list[str], more: "dict[str, Wrapper]") -> tuple[Wrapper, int] | None:
    """The row for these words, and how many of them are its name."""
    name = words[0].rpartition("/")[2]
    pair = f"{name} {words[1]}" if len(words) > 1 else name
    for table in (more, WRAPPERS):
        if pair in table:
            return table[pair], 2
        if name in table:
            return table[name], 1
    return None


def unwrap(words: list[str], wrapper: Wrapper, at: int) -> Inner | None:
    """What the wrapper at the head of the words runs, or None where it runs nothing."""
    operands = wrapper.operands
    while at < len(words):
        word = words[at]
        name, equals, value = word.partition("=")
        if name in wrapper.code:
            code = value if equals else (words[at + 1] if at + 1 < len(words) else "")
            return Inner(code=code)
        if word in wrapper.refuses:
            return None
        if word == "--":
            at += 1
            if not operands:
                break
        elif word.startswith("-") and len(word) > 1:
            at += 2 if word in wrapper.valued else 1
        elif wrapper.assigns and equals and name.isidentifier():
            at += 1
        elif operands:
            operands -= 1
            at += 1
        else:
            break
    rest = words[at:]
    if not rest:
        return None
    return Inner(code=" ".join(rest)) if wrapper.joins else Inner(rest)


def peel(words: list[str | None]) -> int:
    """How many words stand before the program that really runs; len(words) where that cannot be told."""
    known = [UNKNOWN if word is None else word for word in words]
    at = 0
    while at < len(words):
        found = find(known[at:], {})
        if found is None or not found[0].transparent:
            return at
        inner = unwrap(known[at:], *found)
        if inner is None or inner.words is None or any(UNKNOWN in word for word in known[at : -len(inner.words)]):
            return len(words)
        at = len(words) - len(inner.words)
    return at
