"""git: settings that run programs, aliases, and settings that turn a sub-command into another."""

from hookkit.programs.effects import GONE
from hookkit.programs.options import Parsed, parse, read_option
from hookkit.programs.words import behind, whole
from hookkit.shell.follow import shells
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.programs.catalogue import Program
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

RUNNING = frozenset(
    "core.sshcommand core.pager core.editor core.askpass core.fsmonitor core.gitproxy sequence.editor diff.external "
    "uploadpack.packobjectshook interactive.difffilter core.hookspath protocol.ext.allow include.path gpg.program "
    "credential.helper init.templatedir core.alternaterefscommand".split()
)
RUNNING_ENDS = (".textconv", ".command", ".cmd", ".driver", ".clean", ".smudge", ".process", ".program", ".uploadpack",
                ".receivepack", ".helper", ".path", ".vcs", ".proxy")  # fmt: skip
HARMLESS_ENDS = ("submodule.path", "safe.directory.path", "gui.path", "man.path", "browser.path")
OWN = frozenset(
    """
    add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout cherry
    cherry-pick clean clone commit config describe diff difftool fetch filter-branch filter-repo format-patch
    fsck gc grep hash-object help init lfs log ls-files ls-remote ls-tree merge merge-base mergetool mv name-rev
    notes pull push range-diff read-tree rebase reflog remote replace rerere reset restore rev-list rev-parse
    revert rm send-pack shortlog show show-ref sparse-checkout stash status submodule svn switch symbolic-ref
    tag update-index update-ref var verify-commit version whatchanged worktree write-tree diff-tree diff-index
    diff-files for-each-ref count-objects prune pack-refs commit-tree stage maintenance checkout-index --version
    --help
    """.split()
)
# Sub-commands and options of git with file names among their arguments.
WITH_FILES = tuple(
    "archive bundle clone init update-ref restore checkout apply hash-object "
    "rm mv format-patch config --no-index --output* --work-tree*".split()
)
CONFIGS = (".git/config", "/.gitconfig", "/git/config", ".git/config.worktree")


def is_running_key(key: str) -> bool:
    """Whether git runs the value of a setting, or reads other settings from the value; names are case-insensitive."""
    key = key.lower()
    if key.startswith(("alias.", "pager.", "includeif.", "filter.", "remote.")) and not key.endswith(
        (".url", ".fetch", ".pushurl", ".tagopt", ".prune", ".push", ".mirror")
    ):
        return not key.endswith(".required")
    return (
        key in RUNNING
        or (key.endswith(RUNNING_ENDS) and key not in HARMLESS_ENDS and not key.startswith("submodule."))
        or (key.startswith("submodule.") and key.endswith(".update"))
    )


def follow(line: "Resolution", command: "Command", context: "Context") -> None:
    """Look at the settings of this call and of earlier `git config` calls in the line, then expand an alias."""
    words = command.words
    at, settings = _settings(words, line.catalogue.get("git"))
    for key, value in settings:
        _setting(line, key, value, command, context)
    rest = words[at:]
    if not rest:
        return
    if rest[0] == "config":
        _config(line, rest, command, context)
    known = {**line.git, **{key.lower(): value for key, value in settings}}
    name = rest[0]
    alias = known.get(f"alias.{name}".lower())
    if alias is not None:
        _alias(line, alias, rest[1:], command, context)
    elif name not in OWN and UNKNOWN not in name and any(path.endswith(CONFIGS) for path in line.made.files):
        command.doubt = "this line writes settings of git that may define the command"
    elif name not in OWN and any(path.endswith(f"/git-{name}") for path in line.made.files):
        command.doubt = "this line writes the program that git runs"
    if name == "clean" and known.get("clean.requireforce", "true").lower() in ("false", "no", "off", "0"):
        command.words = [*words, "-f"]
    if name in ("push", "send-pack"):
        added = [value for key, value in known.items() if key.startswith("remote.") and key.endswith(".push")]
        command.words = [*words, *(value for value in added if value[:1] == "+")]
        if any(key.endswith(".mirror") and value.lower() in ("true", "yes", "on", "1") for key, value in known.items()):
            command.words = [*command.words, "--mirror"]
    _files(line, rest, command, context)


def _settings(words: list[str], record: "Program") -> tuple[int, list[tuple[str, str]]]:
    """Settings behind `-c`, and where the sub-command stands."""
    at, settings = 1, []
    while at < len(words) and words[at][:1] == "-" and words[at] not in ("--version", "--help"):
        option, equals, value = words[at].partition("=")
        following = words[at + 1] if at + 1 < len(words) else ""
        if words[at] == "-c" or (words[at][:2] == "-c" and option != "-c"):
            key, _, text = (following if words[at] == "-c" else words[at][2:]).partition("=")
            settings.append((key, text))
        elif option == "--config-env":
            settings.append(((value if equals else following).partition("=")[0], UNKNOWN))
        at += 1 + read_option(words[at], following or None, record)[1]
    return at, settings


def _setting(line: "Resolution", key: str, value: str, command: "Command", context: "Context") -> None:
    low = key.lower()
    if low.startswith("alias.") and value[:1] != "!" and value != UNKNOWN:
        return  # expanded where the alias is used
    if low.startswith("remote.") and low.endswith(".push"):
        return
    if not is_running_key(low) and UNKNOWN not in key:
        return
    if low.startswith("submodule.") and value[:1] != "!":
        return
    text = value.removeprefix("!")
    if low in ("core.hookspath", "protocol.ext.allow", "include.path", "init.templatedir") or text in ("", UNKNOWN):
        command.doubt = command.doubt or f"git runs or reads what {key} names"
    elif not (low.endswith(".helper") and value[:1] != "!" and "/" not in value):
        shells.passed(line, text, command, context, f"git {key}")


def _config(line: "Resolution", rest: list[str], command: "Command", context: "Context") -> None:
    """`git config key value` holds for later commands of the line."""
    operands = parse(["git", *rest]).operands[2:]
    operands = operands[1:] if operands[:1] in (["set"], ["get"], ["unset"], ["list"]) else operands
    reads = any(
        word in ("--get", "--list", "-l", "--unset", "--get-all", "--get-regexp", "get", "list") for word in rest
    )
    files = [value for flag, value in parse(["git", *rest]).values if flag == "-f"]
    command.files += [("<" if reads else ">", path) for path in files]
    if len(operands) > 1 and not reads:
        line.git[operands[0].lower()] = operands[1]
        if is_running_key(operands[0]) or UNKNOWN in operands[0]:
            _setting(line, operands[0], operands[1], command, context)
            command.doubt = command.doubt or _lasting(operands[0].lower(), operands[1])


def _lasting(key: str, value: str) -> str:
    if (key.startswith("alias.") and value[:1] != "!") or value in ("true", "false", ""):
        return ""
    usual = key in ("core.editor", "core.pager", "sequence.editor") and value.split()[:1] != [] and "/" not in value
    helper = key.endswith(".helper") and value[:1] != "!" and "/" not in value
    plain = usual and not any(char in value for char in ";|&`$<>(~")
    return "" if helper or plain else f"git will run what {key} names"


def _alias(line: "Resolution", text: str, rest: list[str], command: "Command", context: "Context") -> None:
    command.followed = True
    if UNKNOWN in text:
        command.doubt = "the command behind this alias of git is computed"
    elif text[:1] == "!":
        shells.code(line, " ".join([text[1:], *rest]), command, context, "git alias")
    else:
        line.run(["git", *text.split(), *rest], context.inside("git alias"))


def _files(line: "Resolution", rest: list[str], command: "Command", context: "Context") -> None:
    """Files outside the repository read by git, and files written by git."""
    name, parsed = rest[0], parse(["git", *rest])
    values = dict(parsed.values)
    if (name == "diff" and "--no-index" in rest) or name == "hash-object":
        command.files += [("<", path) for path in parsed.operands[2:]]
    if name in ("rm", "mv") and not {"--cached", "-n", "--dry-run"} & {*rest}:
        paths = parsed.operands[2 : None if name == "rm" else -1]
        command.files += [(GONE, path) for path in paths if whole(path) not in (".", "./", ":/")]
    _changed(rest, parsed, command)
    if name == "add":
        trees = [word.partition("=")[2] for word in command.words if word.startswith("--work-tree=")]
        trees += behind(command.words, "--work-tree")
        command.files += [("<", f"{tree}/{path}") for tree in trees for path in parsed.operands[2:]]
    if name == "grep" and "--no-index" in rest:
        command.files += [("<", f"{path}/*") for path in parsed.operands[3:]]
    for flag in ("-o", "--output"):
        if flag in values and name in ("archive", "diff", "format-patch", "log", "show", "bundle"):
            command.files.append((">", values[flag]))
    if name == "apply":
        for path in parsed.operands[2:] or ["-"]:
            shells.patched(line.made.find(path, context), command)
    if any(word.startswith("ext::") for word in rest):
        command.doubt = "git runs the command in an ext:: address"
        shells.code(
            line,
            next(word for word in rest if word.startswith("ext::"))[5:].replace("% ", " "),
            command,
            context,
            "git",
        )
    _told(line, rest, parsed, command, context)


def _changed(rest: list[str], parsed: Parsed, command: "Command") -> None:
    """Files of the project that git writes."""
    name = rest[0]
    if name == "mv":
        command.files += [(">", path) for path in parsed.operands[-1:]]
    if name in ("checkout", "restore") and "--staged" not in rest:
        named = rest[rest.index("--") + 1 :] if "--" in rest else parsed.operands[2:] if name == "restore" else []
        command.files += [(">", path) for path in named if whole(path) not in (".", ":/")]
    if name == "bundle" and parsed.operands[2:3] == ["create"]:
        command.files += [(">", path) for path in parsed.operands[3:4]]


def _told(line: "Resolution", rest: list[str], parsed: Parsed, command: "Command", context: "Context") -> None:
    """Programs and hooks that an option of the sub-command names."""
    name, values = rest[0], dict(parsed.values)
    if name == "clone":
        for flag, value in parsed.values:
            if flag == "-c":
                _setting(line, *value.partition("=")[::2], command, context)
    if name in ("clone", "init") and any(word.startswith("--template") for word in rest):
        command.doubt = command.doubt or "git copies hooks from a template"
    if name == "update-ref" and "--stdin" in rest:
        command.doubt = command.doubt or "git changes the branches that stdin names"
    if name == "clone" and "-u" in values:
        shells.code(line, values["-u"], command, context, "git")
        command.doubt = command.doubt or "git is told to run another command"
