"""From a command to its effects: (kind, object). Files first, then what the records say of everything else.

Every feature reads this list. Data sent to another machine is in `sending`, and in the shell's `flows` for a line.
"""

from hookkit.programs.catalogue import NONE
from hookkit.programs.options import Parsed, Stage, matches_words
from hookkit.programs.words import meanings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.programs.catalogue import Program

    Effect = tuple[str, str]  # a kind, and its object: a path as written, or a word of a record such as `aws`

READ, WRITE, DELETE, MAKE, SEND = "Read", "Write", "Delete", "Make", "Send"
MOVE, RIGHTS = "Move", "Rights"  # the file leaves its place; its owner, mode or attributes change
FILL = "Fill"  # a tree of files, whose names nobody has seen, is written into the directory
GONE = "gone"  # an operator in addition to the redirect operators: a whole tree, as good as deleted
# Roles of operands, each with the effects on the file.
ROLES = {
    "reads": (READ,),
    "writes": (WRITE,),
    "edits": (READ, WRITE),
    "moves": (READ, WRITE, MOVE),  # the file can be read under its new name
    "rights": (WRITE, RIGHTS),
    "deletes": (DELETE, WRITE),
    "makes": (MAKE,),
    "fills": (FILL,),
}
SCRIPTS = ("-e", "-f", "--expression", "--regexp", "--file")  # options that bring the text to look for
# Programs whose files only a function can tell, by the module of the function.
ODD = {
    "find": "find",
    **dict.fromkeys(("tar", "bsdtar", "gtar", "zip", "unzip", "7z", "7za", "7zr", "7zz"), "archives"),
    **dict.fromkeys(("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "compress", "cpio"), "archives"),
    **dict.fromkeys(("curl", "wget", "fetch", "aria2c", "rsync", "scp", "sftp", "aws", "gsutil"), "copies"),
    **dict.fromkeys(("docker", "podman", "nerdctl", "kubectl", "oc"), "copies"),
    **dict.fromkeys(
        "dd dcfldd chmod wipefs blkdiscard parted sgdisk cmake gio getent split patch awk gawk git".split(),
        "odd_files",
    ),
}
# Sub-commands and options of programs in ODD that touch files; other words of these programs touch none.
PAIRS = (
    "docker cp", "docker create", "docker build", "podman cp", "nerdctl cp", "oc cp", "kubectl cp", "kubectl create",
    "cmake -E", "getent shadow", "gio trash", "gio remove", "git stash", "git apply",
)  # fmt: skip
NEVER = ("false", "none", "no", "off", "0")  # `--dry-run=none` is no dry run
PRETENDS = ("--help", "--dry-run")  # with these a program only explains or pretends
# Sub-commands that say themselves what they do: of any program, and of a program whose record says `service`.
DESTROYERS = frozenset("delete destroy terminate purge drop wipe erase decommission undeploy".split())
REMOVERS = DESTROYERS | frozenset(
    """
    remove rm del rb rmi unset revoke detach deactivate disable suspend cancel unlink truncate flush clear poweroff
    shutdown stop reset rebuild rollback unpublish archive deregister evict kill leave nuke pause retire uninstall
    unregister
    """.split()
)
PREPARERS = frozenset(  # behind these words a verb is a name or a text to look for
    """
    test run search find grep add help man explain describe show get list ls lint check exec create new generate make
    log commit edit status info g gen scaffold print say send write open watch completion docs version plan diff view
    logs tail
    """.split()
)
FOLLOWED = 4  # the last place of a verb among the operands
INSTALLERS = frozenset("install i add create new init pin tap".split())
STARTERS = frozenset("run exec x dlx launch eval apply play deploy".split())  # only the next word is what they start
ORIGINS = frozenset(
    "--git --url --from --source --repository --git-url --from-module --index --index-url --extra-index-url"
    " --default-index --registry --server --mirror --hosted-url --channel -f -s -b -i -c".split()
)
USUAL = (  # hosts of the package managers themselves
    "pypi.org", "registry.npmjs.org", "registry.yarnpkg.com", "rubygems.org", "download.pytorch.org", "index.crates.io",
    "pypi.tuna.tsinghua.edu.cn", "mirrors.aliyun.com", "registry.npmmirror.com", "test.pypi.org",
)  # fmt: skip
SCHEMES = ("https://", "http://", "git+", "git://", "ssh://git@", "github:", "gitlab:", "gh:", "oci://", "git@")
SOURCES = frozenset("repo repository remote source sources registry channel marketplace index feed overlay tap".split())
FEEDERS = ("add-repository", "add-repo", "addrepo", "remote-add", "add-source", "add-apt-repository")
# Programs that take addresses for what they look at, or keep: nothing of it runs.
KEEPERS = frozenset(
    "git hg svn bzr jj gt sl dvc gh glab hub rclone curl wget http https xh xdg-open open lynx w3m links".split()
)
_stages: dict[str, Stage] = {}


def effects(
    parsed: Parsed, redirects: "list[tuple[str, str]]", is_directory: "Callable[[str], bool]"
) -> "list[Effect]":
    """Every effect of the command. Paths are as written, `~user` apart."""
    return [*files(parsed, redirects, is_directory), *verbs(parsed)]


def files(parsed: Parsed, redirects: "list[tuple[str, str]]", is_directory: "Callable[[str], bool]") -> "list[Effect]":
    """Every file touched by the command; deleting and moving away is writing, too."""
    touched = [effect for operator, path in redirects for effect in _redirected(operator, path)]
    name = parsed.operands[0]
    if name in ODD:
        touched += _odd(ODD[name], parsed)
    record = next((record for record in reversed(parsed.records) if record.has("operands")), parsed.record)
    touched += _by_record(record, parsed, is_directory)
    return [(kind, meant) for kind, path in touched for meant in meanings(path, deletes=kind == DELETE)]


def verbs(parsed: Parsed) -> "list[Effect]":
    """Effects on more than files: `Destroy(aws)`. With an option like --help a program has none of them."""
    name, parsed = parsed.operands[0], parsed.outer()
    changes = [
        (kind, object_)
        for record in parsed.records
        for kind, object_, patterns in record.verbs()
        if (not patterns or any(matches_words(_stage(name, text), parsed, wide=True) for text in patterns))
        and not _pretends(parsed, record)
    ] + by_words(parsed)
    is_fetch = ("Run", "address") in changes or ("Change", "package-source") in changes
    if is_fetch and _names_usual_source(parsed):
        return [effect for effect in changes if effect[1] not in ("address", "package-source")]
    return changes


def _names_usual_source(parsed: Parsed) -> bool:
    """Whether every address is the one that the package manager uses anyway: `--index-url https://pypi.org/simple`."""
    addresses = [word for word in parsed.words if "://" in word or word.startswith(SCHEMES)]
    hosts = [word.partition("https://")[2].partition("/")[0] for word in addresses]
    return bool(hosts) and all(host in USUAL for host in hosts)


def by_words(parsed: Parsed) -> "list[Effect]":
    """Effects that a sub-command names itself: `acme volume delete x`, `acme install https://…`."""
    name, *operands = parsed.operands[: FOLLOWED + 1]
    if _pretends(parsed, parsed.records[0]):
        return []
    effects: list[Effect] = []
    if "service" in parsed.records[0].row:
        effects += [("Destroy", "service")] if any(_removes(word) for word in operands) else []
    elif parsed.records[0] is NONE and name == name.lower():
        place = next((place for place, word in enumerate(operands) if _destroys(word)), -1)
        is_bare = place == 0 and len(parsed.words) == 2  # noqa: PLR2004 - `jest delete` looks for a name
        if place >= 0 and not is_bare and PREPARERS.isdisjoint(operands[:place]):
            effects.append(("Destroy", "unknown"))
    if name not in KEEPERS and any("://" in word or word.startswith(SCHEMES) for word in parsed.words):
        effects += _from_address(parsed)
    return effects


def _destroys(word: str) -> bool:
    return word in DESTROYERS or word.rpartition(":")[2] in DESTROYERS or word.partition("-")[0] in DESTROYERS


def _removes(word: str) -> bool:
    """`volume-delete`, `apps:destroy`, `DeleteInstance`."""
    if word[:1].isupper():
        return word.startswith(("Delete", "Terminate", "Destroy", "Release"))
    parts = word.replace(":", "-").replace("_", "-").replace(".", "-").split("-")
    return word in REMOVERS or not (DESTROYERS | {"remove", "rm"}).isdisjoint(parts)


def _from_address(parsed: Parsed) -> "list[Effect]":
    """What is installed or started from an address, and sources that later installs trust."""
    before, verb, is_origin = "", "", False
    for word in parsed.words[1:]:
        option, _, value = word.partition("=")
        address = value if option in ORIGINS else word
        if address.startswith(SCHEMES) and (before[:1] != "-" or before in ORIGINS):
            if verb in FEEDERS or (verb in ("add", "set") and not SOURCES.isdisjoint(parsed.operands[1:FOLLOWED])):
                return [("Change", "package-source")]
            is_origin = is_origin or option in ORIGINS or before in ORIGINS
            if verb in INSTALLERS or (verb in STARTERS and before == verb):
                return [("Run", "address")]
        if word in INSTALLERS or word in STARTERS or word in FEEDERS or (word == "set" and not verb):
            verb = verb or word
        before = word
    return [("Run", "address")] if is_origin and verb in INSTALLERS else []


def possible_verbs(parsed: Parsed) -> "list[Effect]":
    """Effects that the command may have, whatever its computed words turn out to be."""
    from hookkit.programs.odd_files import may_match  # late: few words are computed

    name = parsed.operands[0]
    return [
        (kind, object_)
        for record in parsed.records
        for kind, object_, patterns in record.verbs()
        if any(may_match(_stage(name, text), parsed) for text in patterns)
    ]


def _stage(name: str, text: str) -> Stage:
    source = f"{name} {text}"
    stage = _stages.get(source)
    if stage is None:
        stage = _stages[source] = Stage(source)
    return stage


def _pretends(parsed: Parsed, record: "Program") -> bool:
    """Whether an option says that nothing will happen. An `acting` program hands --help on, or ignores it."""
    usual = () if "acting" in record.row else PRETENDS
    given = [option for option in (*usual, *parsed.record.words_of("pretends")) if option in parsed.flags]
    refused = {option for option, value in parsed.values if value.lower() in NEVER}
    return any(option not in refused and f"--no-{option.lstrip('-')}" not in parsed.words for option in given)


def _odd(module: str, parsed: Parsed) -> "list[Effect]":
    if module == "find":
        from hookkit.programs import find

        return find.effects(parsed)
    if module == "archives":
        from hookkit.programs import odd_files

        return odd_files.of_archive(parsed)
    if module == "copies":
        from hookkit.programs import odd_files

        return odd_files.of_copy(parsed)
    from hookkit.programs import odd_files

    return odd_files.effects(parsed)


def _by_record(record: "Program", parsed: Parsed, is_directory: "Callable[[str], bool]") -> "list[Effect]":
    operands = parsed.operands[len(parsed.records) if record is not parsed.records[0] else 1 :]
    roles = roles_of(record, parsed)
    touched = [(kind, path) for role, path in assigned(roles, operands) for kind in ROLES.get(role, ())]
    if roles[-1:] == ["writes"] and len(roles) > 1 and len(operands) > 1 and is_directory(operands[-1]):
        into = operands[-1].rstrip("/")  # a directory as the goal keeps the names
        names = [path.rstrip("/").rpartition("/")[2] for path in operands[:-1]]
        touched += [(WRITE, f"{into}/{name if name != '.' else '*'}") for name in names]
        touched += [(FILL, into or "/")] * ("." in names or parsed.has("--parents"))
    if parsed.values:
        touched += [(WRITE, value) for value in parsed.values_of("writes")]
        touched += [(FILL, value) for value in parsed.values_of("fills")]
        touched += [(kind, value) for value in parsed.values_of("deletes") for kind in (DELETE, WRITE)]
        touched += [(READ, _behind_at(value)) for value in parsed.values_of("reads")]
        touched += [(READ, _behind_at(value)) for value in parsed.values_of("at") if "@" in value]
    return touched


def roles_of(record: "Program", parsed: Parsed) -> list[str]:
    """The roles of the operands in this call: with `-i` files are edited, with `-e` no operand is a pattern."""
    inplace = record.text("inplace")
    if inplace and any(_is_given(option, parsed) for option in inplace.split()):
        roles = ["text", "edits*"]
    else:
        roles = record.words_of("operands")
    if roles[:1] == ["text"] and len(roles) > 1 and parsed.flags and parsed.has(*SCRIPTS):
        return roles[1:]
    return roles


def _is_given(option: str, parsed: Parsed) -> bool:
    return option in parsed.flags or any(have.startswith(option) for have in parsed.flags if have[:2] != "--")


def assigned(roles: list[str], operands: list[str]) -> list[tuple[str, str]]:
    """Each operand with its role. A role with a star takes any number, roles behind it the last operands."""
    starred = next((place for place, role in enumerate(roles) if role[-1] == "*"), -1)
    if starred < 0:
        return list(zip(roles, operands, strict=False))
    before, star, behind = roles[:starred], roles[starred][:-1], roles[starred + 1 :]
    end = max(len(operands) - len(behind), len(before))
    return [
        *zip(before, operands, strict=False),
        *((star, operand) for operand in operands[len(before) : end]),
        *zip(behind, operands[end:], strict=False),
    ]


def _behind_at(value: str) -> str:
    """`field=@file,more;type=x`: the file behind the @; a value without an @ is a file itself."""
    return value.rpartition("@")[2].partition(",")[0].partition(";")[0] if "@" in value else value


def _redirected(operator: str, path: str) -> "list[Effect]":
    if operator == "<":
        return [(READ, path)]
    if operator == GONE:
        return [(DELETE, path), (WRITE, path)]
    if operator == FILL:
        return [(FILL, path)]
    return [(READ, path), (WRITE, path)] if operator == "<>" else [(WRITE, path)]


def reads_below(parsed: Parsed) -> bool:
    """Whether a command reads everything below its directory operands."""
    options = parsed.record.words_of("deep") or parsed.records[0].words_of("deep")
    return bool(options) and ("*" in options or parsed.has(*options))
