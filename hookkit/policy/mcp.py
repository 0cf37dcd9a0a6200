"""Effects of MCP and web tools on other systems, by the words of a tool's name and by texts that leave."""

from hookkit.policy.tools import words_of
from hookkit.programs.sending import host_of, is_local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Effect = tuple[str, str]


# Verbs in the names of tools, and objects that make a verb grave: `mcp__supabase__reset_branch`.
DESTROYERS = frozenset("delete drop destroy purge terminate wipe truncate trash flushall flushdb".split())
REMOVERS = frozenset("remove reset revoke uninstall clear clean prune deactivate disable suspend cancel pause".split())
CHANGERS = frozenset("merge refund payout transfer pay deploy publish".split())
GRAVE = frozenset(
    """
    account access bucket branch certificate cluster collection collaborator container database db deployment disk
    domain environment function git image index instance key member migrate migration namespace permission pod
    policy project queue record records repo repository role row rows schema secret server service snapshot stack
    stream subscription table token topic user volume vm webhook workspace zone
    """.split()
)
SLIGHT = frozenset("cell comment draft label message node reaction entities relations observations note tag".split())
AT_HOME = ("filesystem", "memory", "serena", "ide", "notebook", "sequential-thinking", "sequentialthinking")
MAIL = frozenset("email mail sms gmail newsletter".split())
GRANTS = frozenset("add invite grant share".split())
GRANTED = frozenset("client collaborator member permission role access key user policy".split())
SHOWS = frozenset("get read show reveal fetch lookup export list".split())
VAULTS = frozenset("1password onepassword op bitwarden vault keychain keyring lastpass dashlane keeper".split())
KEYS = frozenset("secret secrets password passwords credential credentials".split())
CODE = ("function", "code", "script", "expression", "javascript", "js")
STORED = ("document.cookie", "localstorage", "sessionstorage", "indexeddb")  # what a page keeps of a login
ADDRESSES = ("url", "uri", "href", "endpoint", "address")
METADATA = ("169.254.169.254", "169.254.170.2", "metadata.google.internal", "100.100.100.200", "2852039166")
WEB = ("WebFetch", "WebSearch")
LONGEST, MOST, DEEPEST = 20_000, 200, 6  # characters of a text, texts, objects inside objects
TOKEN = 16  # characters of a token, at least


def verbs(tool: str, tool_input: "dict[str, object]") -> "list[Effect]":
    """Effects of a tool that works on another machine."""
    if tool in WEB:
        return _leaving(tool_input)
    if not tool.startswith("mcp__") or tool.split("__")[1].lower() in AT_HOME:
        return []
    words, server = words_of(tool), words_of(tool.split("__")[1])
    return [
        *_by_name(words),
        *_public(words, tool_input),
        *_forced(words, tool_input),
        *_requested(tool_input),
        *_opened(tool_input),
        *_shown_secrets(words, server, tool_input),
        *_leaving(tool_input),
    ]


def _by_name(words: set[str]) -> "list[Effect]":
    if not words.isdisjoint(SLIGHT):
        return []
    if not words.isdisjoint(DESTROYERS) or not (words.isdisjoint(REMOVERS) or words.isdisjoint(GRAVE)):
        return [("Destroy", "remote")]
    if not words.isdisjoint(CHANGERS) or ("send" in words and not words.isdisjoint(MAIL)):
        return [("Change", "remote")]
    return [("Open", "access")] if not (words.isdisjoint(GRANTS) or words.isdisjoint(GRANTED)) else []


def _public(words: set[str], tool_input: "dict[str, object]") -> "list[Effect]":
    """A repository or a page that everybody can read."""
    is_public = tool_input.get("public") is True or tool_input.get("visibility") == "public"
    if "gist" in words and is_public:
        return [("Publish", "text")]
    opened = is_public or tool_input.get("private") is False
    return [("Publish", "repository")] if opened and not words.isdisjoint(("repo", "repository", "project")) else []


def _forced(words: set[str], tool_input: "dict[str, object]") -> "list[Effect]":
    """A push that replaces what others have."""
    return [("Destroy", "remote")] if "push" in words and tool_input.get("force") is True else []


def _requested(tool_input: "dict[str, object]") -> "list[Effect]":
    """A request by hand that asks a server of somebody else to delete something."""
    is_deleting = str(tool_input.get("method", "")).upper() == "DELETE"
    asked = [str(tool_input.get(field, "")) for field in ADDRESSES]
    return [("Destroy", "api")] if is_deleting and any(asked) and not any(map(is_local, filter(None, asked))) else []


def _opened(tool_input: "dict[str, object]") -> "list[Effect]":
    """A container with the rights, the disk or the docker of the machine."""
    shared = [str(name) for field in ("volumes", "mounts", "binds") for name in _listed(tool_input.get(field))]
    is_host = any(
        name in ("/", "/etc", "/root", "/home") or name.startswith("/:") or "docker.sock" in name for name in shared
    )
    return [("Open", "host")] if is_host or tool_input.get("privileged") is True else []


def _listed(value: object) -> "list[object]":
    """The mounts of a container: names, or objects with a source."""
    rows = list(value) if isinstance(value, list | dict) else []
    return [row.get("source", row.get("Source", "")) if isinstance(row, dict) else row for row in rows[:MOST]]


def _shown_secrets(words: set[str], server: set[str], tool_input: "dict[str, object]") -> "list[Effect]":
    """Passwords of a store, logins that a browser keeps, a cloud's own address for logins."""
    opened = not words.isdisjoint(SHOWS) and not (words | server).isdisjoint(VAULTS | KEYS) and "list" not in words
    code = " ".join(str(tool_input.get(field, "")) for field in CODE).lower()
    asked = [str(tool_input.get(field, "")) for field in ADDRESSES]
    is_login = any(word in code for word in STORED) or any(host_of(address) in METADATA for address in asked)
    return [("Print", "secret")] if opened or is_login else []


def _leaving(tool_input: "dict[str, object]") -> "list[Effect]":
    """A token among the texts that leave the machine."""
    return [("Publish", "secret")] if any(has_token(text) for text in _texts(tool_input)) else []


def has_token(text: str) -> bool:
    """Whether a text holds a token of a known shape, or a long value behind a name such as SECRET_KEY."""
    from hookkit.system.masking import secrets  # late: only texts that leave the machine

    plain = text[:LONGEST]
    if "%" in plain:
        from urllib.parse import unquote

        plain = f"{plain} {unquote(plain)}"
    return any(len(secret) >= TOKEN and any(char.isdigit() for char in secret) for secret in secrets(plain))


def _texts(value: object, depth: int = 0) -> "Iterator[str]":
    if isinstance(value, str):
        yield value
    elif depth < DEEPEST and isinstance(value, dict | list):
        inner = list(value.values()) if isinstance(value, dict) else value
        for item in inner[:MOST]:
            yield from _texts(item, depth + 1)
