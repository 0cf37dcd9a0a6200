"""Secret values after a name: in shells and forms, in code and JSON, in ini, YAML and XML, in prose."""

import re

from hookkit.system.masking import NOTHING, PROSE, QUOTED, WORD
from hookkit.system.masking.keys import KEYS, OWNERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match, Pattern

    from hookkit.system.masking import Spans

# Only the end of a name counts: DB_PASSWORD and dbPassword end alike. Matched in lower case, so that each branch begins
# with a letter and other letters are skipped fast.
NAME = re.compile(
    r"secrets?(?:[_-]?(?:access[_-]?)?key(?:[_-]?base)?)?|token|passw(?:or)?[dt]s?|passphrase|passcode|credentials?"
    r"|mnemonic|pass(?<![a-z]pass)|pwd(?<![a-z]pwd)|pw(?<![a-z]pw)|auth(?<=_auth)|auth(?<=[\"']auth)(?=\\?[\"'])"
    r"|key(?<=_key)|pat(?<=_pat)|"
    + "|".join(sorted(f"{word}[ _-]?key(?:[_-]?id)?" for word in KEYS))
    + "|sharedaccesskey|"
    + "|".join(sorted(f"{word}(?<![a-z]{word})p(?:ass|wd)(?![a-z])" for word in OWNERS))
)
CAPITALS = ("key", "pat")  # only in capitals: too common otherwise
TAIL = re.compile(
    r"[_-]?\d{1,4}|[_-]?(?i:prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|test(?:ing)?|live|old|new|r[wo]|value|plain"
    r"|raw|hash|b(?:ase)?64|main|backup|default|primary|secondary|confirm(?:ation)?)(?![A-Za-z])"
    r"|_(?!FILE|PATH|NAME|UR[LI]|LIMIT|LEN|MIN|MAX|COUNT|TYPE|TTL|EXP|TIMEOUT|ID|ENABLED|REQUIRED|POLICY|REGION|HOST|PORT"
    r"|ARN|ENDPOINT|FIELD|HEADER|PREFIX|SIZE|DIR|ISSUER|AUDIENCE|ALGO|LIFETIME|RESET|VERSION|STORE|MANAGER|SCOPE|SERV"
    r"|PROVIDER|COMMAND|CMD|HELPER|STDIN|REF|VAR|ROTAT|USE)[A-Z][A-Z0-9_]{0,40}"
)
CLOSED = r"\\{0,8}[\"'`]?\]?"
# Text between name and value; the group's name selects the pattern of the value in VALUES.
LINK = re.compile(
    rf"(?P<shell>{CLOSED}=(?![=>~\s]))"
    r"|(?P<quoted>(?:\??:\s{0,4}|[ ](?=[\w&*\[\]]{1,20}[ ]=[ ]))[&\w<>\[\]'|.?*]{1,40}\s{0,4}=\s{0,4}(?=[\"'`]))"
    rf"|(?P<code>{CLOSED}\s{{0,4}}(?:=>|:=|[:=])[\s\u200b]{{0,4}}(?:\([\s+]{{0,20}})?(?:[fbru]{{1,2}}(?=[\"']))?)"
    r"|(?P<content>>)|(?P<value>\s{0,4}<<<\s{0,4})"
    r"|(?P<pair>\\{0,8}[\"']?[\s,+-]{1,40}\\{0,8}[\"']?value\\{0,8}[\"']?\s{0,4}[:=]\s{0,4})",
    re.IGNORECASE,
)
OPTION = rf"(?i)(?:[ \t]{{1,4}}(?!\\\r?\n)|[ \t]{{0,4}}\\\r?\n[ \t+]{{0,20}})(?!-|id=|type=){PROSE}"
LINE = rf"(?i):[ \t]{{1,4}}{PROSE}"
FOLDED = r":[ \t]{0,4}[>|][+-]?[ \t]{0,4}\r?\n"
SAID = (
    r"(?i)(?:[ ]{1,2}(?:for|of|on)[ ]{1,2}[\w.@-]{1,40})?[ ]{1,2}(?:is|was|to)(?:[ ]{1,2}now|[ ]{1,2}set to)?:?[ ]{1,2}"
    rf"{PROSE}(?![\"'`]{PROSE[3:-1]})"
)
GIVEN = rf"(?i)[ ]{{1,2}}{PROSE}"
BARE = r"[\w+/~.!@#%^*=$-]"
VALUES = {
    "shell": rf"{QUOTED}(?:{QUOTED}|\\.)*|{WORD}",
    "quoted": QUOTED,
    "code": rf"{QUOTED}|(?={BARE}{{6}})(?={BARE}{{0,40}}?\d){BARE}{{6,}}(?=[\s,;\"'`)\\]|$)",
    "content": r"[^<>{}\n]{1,500}(?=</)",
    "value": rf"{QUOTED}|{WORD}",
    "pair": rf"{QUOTED}|{WORD}",
    "line": r"(?!\w+[(\[])[^\s#]\S{3,}(?=[ \t]*(?:#[^\n]*)?(?:\n|$))",
    "folded": r"[ \t+-]{1,20}\S[^\n]*",
    # In prose: a quoted text, or a word with digits or signs.
    "said": rf"(?=[\"'`]){QUOTED}|(?=\S{{0,60}}[\d!@#$%^&*])[^\s\"'`,;]{{4,}}",
    "given": r"(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])[^\s\"'`,;:=()<>/]{6,}(?=[\s,;]|$)",
    "random": r"(?=[\w-]{0,40}?\d)(?=[\w-]{0,40}?[a-z])(?=[\w-]{0,40}?[A-Z])[\w-]{16,}",
}
HOLDS = re.compile(NOTHING, re.IGNORECASE)
# The value repeats the name: f(token=token), --token TOKEN, token: Token.
SAME = re.compile(
    r"(?:(?:[a-z]+[_.]){1,5}(?:password|token|secret|key|passphrase)(?=[,)])|(?:API_)?(?:TOKEN|PASSWORD|SECRET|KEY)"
    r"|[Tt]oken|[Ss]ecret|[Pp]assword)(?=[,)\]}\s]|$)"
)
PATH = re.compile(r"[\"']?(?:~|\.{1,2})?/[\w.-]+(?:/|\.)")
HEAD = 60  # characters before a name to inspect
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.-+ \t\"'")
SPOKEN = frozenset("is was to for of on".split())  # between a name and its value, in prose
PLACED = {" ": "", "\t": "", ":": " \t>|", "\\": "\r\n"}  # the character after a name → the next one
LINKS = "=:?\\\"'`]> \t\n<,"  # first characters of a link


def spans(text: str, lower: str) -> "Spans":
    end = 0
    for name in NAME.finditer(lower):
        if name.start() >= end and (match := _value(text, lower, name)) is not None:
            end = match.end()
            yield match.span()


def _value(text: str, lower: str, name: "Match[str]") -> "Match[str] | None":
    """The secret after a name, found by the link between both, else by the position of the name."""
    word, after = name.group(), name.end()
    if text[after : after + 1] not in LINKS and (tail := TAIL.match(text, after)) is not None:
        after = tail.end()
    following = text[after : after + 1]
    if not following or following not in LINKS or (word in CAPITALS and not text[name.start() : name.end()].isupper()):
        return None
    link = LINK.match(text, after)
    if link is not None:
        match = _held(str(link.lastgroup), text, link.end(), name)
        if match is not None or following != ":":
            return match
    if following not in PLACED or (PLACED[following] and text[after + 1 : after + 2] not in PLACED[following]):
        return None
    head = lower[max(0, name.start() - HEAD) : name.start()].rpartition("\n")[2]
    tried = (_after(kind, place, text, after, name) for kind, place in _places(text, after, head, word))
    return next((match for match in tried if match is not None), None)


def _places(text: str, after: int, head: str, name: str) -> "Iterator[tuple[str, str]]":
    """Kinds of value and of gap to try without a link: an option, a line of its own, or prose."""
    if text[after] == ":":
        if PLAIN.issuperset(head) and " " not in head.lstrip(" \t-+\"'"):
            yield "line", LINE
            yield "folded", FOLDED
        return
    word = head[head.rfind(" ") + 1 :]
    if word.startswith("-"):
        if len(word) != 2 or word == "--":  # noqa: PLR2004 - not the -p of -psecret
            yield "value", OPTION
        return
    first = text[after : after + 40].lstrip(" ").partition(" ")[0].rstrip(":").lower()
    if first in SPOKEN:
        yield "said" if name.startswith("pass") else "given", SAID
    elif not word and not first.isalpha():
        yield "given" if name.startswith("passw") else "random", GIVEN


def _after(kind: str, place: str, text: str, at: int, name: "Match[str]") -> "Match[str] | None":
    link = _compiled(place).match(text, at)
    return _held(kind, text, link.end(), name) if link is not None else None


def _held(kind: str, text: str, at: int, name: "Match[str]") -> "Match[str] | None":
    match = _compiled(VALUES[kind]).match(text, at)
    if match is None or not HOLDS.match(text, at):
        return None
    if SAME.match(text, at) and not (kind == "shell" and text[name.start()].isupper()):
        return None
    word = name.group()
    if (word.endswith("key") and PATH.match(text, at)) or (word.endswith("pwd") and text[at : at + 1] in "/~."):
        return None
    return match


def _compiled(pattern: str, known: "dict[str, Pattern[str]]" = {}) -> "Pattern[str]":  # noqa: B006 - a cache
    """Compiled at the first use: most texts need one or two patterns. The cache of `re` takes three times as long."""
    compiled = known.get(pattern)
    if compiled is None:
        compiled = known[pattern] = re.compile(pattern)
    return compiled
