"""Secrets are masked before text is stored or shown. May import only the catalogue of programs.

`__init__` has the cheap part: substring searches for needles, without `re`. A pattern is tried only at its needle, and
either consumes the text that it read or stops after a bounded number of characters, so the cost is linear in the text.
Where a match could also be prose, a quote, a digit or the position in the line decides.

`names` knows names before a value, `programs` command-line programs, `secret_files` files, `keys` keys of JSON objects,
`wallets` the words and keys of wallets. `search` tries the patterns.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Spans = Iterator[tuple[int, int]]

MASK = "[masked]"
JOINERS = "\u200c\u200d"  # unprintable alone, yet part of words and of emoji
WIDE = 1_000  # characters searched beyond a cut: the sign of a secret may stand after the cut
TOKEN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=.~%"  # noqa: S105 - the characters of tokens
DIGITS = "0123456789"
SHORTEST = 5  # characters of a secret to search for in other texts
BLOCK = range(60, 77)  # the length of a line inside a block of base64
SIGNS = " \t\r+-"  # indents and diff signs around a line
BETWEEN = b" \t\r\n,\"'[]"  # characters between the words of a wallet's phrase
APART = bytes.maketrans(BETWEEN, b" " * len(BETWEEN))
SPECIAL = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
ALPHANUMERIC = bytes.maketrans(SPECIAL, b" " * len(SPECIAL))
WALLET_WORDS = 12  # of a wallet's phrase, at least
INNER = WALLET_WORDS - 2  # words of a phrase without its first and its last
WALLET_KEYS = frozenset((51, 52))  # characters of a wallet's key

# Prefixes of the tokens of well-known services (case matters), and the pattern of the rest.
MIXED = r"(?=[\w-]{0,40}[0-9A-Z])"  # words joined by dashes are not a token
PREFIXES = (
    ("ghp_ gho_ ghu_ ghs_ ghr_ gsk_ lin_api_ ntn_ bkua_ nfp_ rnd_ rpa_ e2b_ CCIPAT_", r"[A-Za-z0-9]{20,}"),
    ("hf_ npm_ r8_", r"[A-Za-z0-9]{30,}"),
    ("secret_", r"[A-Za-z0-9]{40,}"),
    ("AIza", r"[\w-]{30,}"),
    ("sk_live_ rk_live_ pk_live_ sk_test_ rk_test_ pk_test_ ak_live_ ak_test_", "[A-Za-z0-9]{10,}"),
    ("github_pat_ glsa_ figd_ figdr_ dckr_pat_ dckr_oat_ sntrys_ sntryu_ glc_ lsv2_ pcsk_ jina_ fm2_ phx_ ops_ whsec_",
     rf"{MIXED}[\w=.+/-]{{16,}}(?<!\.)"),
    ("pscale_tkn_ pscale_pw_ pscale_oauth_ sq0csp- NRAK- CFPAT- PMAK- tvly- GOCSPX- ya29. hvs. hvb. hvr.",
     rf"{MIXED}[\w=.+/-]{{16,}}(?<!\.)"),
    ("dp.pt. dt0c01. ATATT ATBB ATCTT", rf"{MIXED}[\w=.+/-]{{16,}}(?<!\.)"),
    ("sk- xai- pplx- tskey- glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat-",
     rf"{MIXED}(?=[\w-]{{0,60}}\d)[\w.-]{{16,}}(?<![.-])"),
    ("pypi-", r"[\w-]{50,}"),
    ("dop_v1_ doo_v1_ dor_v1_ rubygems_ sbp_ dapi pul- key-", r"[a-fA-F0-9]{32,}(?:-\d)?"),
    ("shpat_ shpss_ shpca_ shppa_", r"[a-fA-F0-9]{16,}"),
    ("AKIA ASIA AROA AIDA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("AGE-SECRET-KEY-1", r"[A-Z0-9]{20,}"),
    ("xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xoxe.", r"(?:xox[a-z]-)?[A-Za-z0-9%-]{10,}"),
    ("SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    ("eyJ", r"(?<![-_]eyJ)[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
    ("sha256~", r"[\w-]{40,}"),
    ("xprv tprv yprv zprv", r"[A-Za-z0-9]{80,}"),
)  # fmt: skip

# Values. A quote without an end stops at the end of its line: the text may have been cut.
QUOTED = (
    r"""(?:\\{1,8}["'][^"'\\\n]*(?:\\{1,8}["'])?|\"{3}(?:(?!\"{3})[\s\S]){0,2000}(?:\"{3})?"""
    r"""|'{3}(?:(?!'{3})[\s\S]){0,2000}(?:'{3})?|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\\n]|\\.)*`?)"""
)
WORD = r"[^\s\"'`&;|<>]+"
DIGIT = r"(?=[^\s\d\"']{0,60}\d)"
ASSIGNED = r"\\{0,8}[\"']?\]?\s{0,4}(?:=>|:=|[:=])[\s\u200b]{0,4}"
# A value without a secret: $TOKEN, $(command), a call, the name of an algorithm, or an empty value.
NOTHING = (
    r"(?!\\{0,8}[\"`]?\$(?:(?-i:[A-Z_][A-Z0-9_]*)\b|[({])|'\$[({]|\\{0,8}[\"']?\{\{)"
    r"(?!\[masked\]|[\"'`][\s,;:)\]}]{0,9}(?:\n|$))"
    r"(?!\\{0,8}[\"'`]?(?:none|null|nil|true|false|undefined|include|omit|same-origin|required|\d{1,3}|(?:u?int|float|sha|utf|base|aes|[hre]s|md)[-_]?\d{1,3})"
    r"(?![^\s,;)\"'`\]}\\]))(?!(?-i:[a-z_]+(?:\.[a-z_]+)*)[(\[])"
)
PROSE = (
    r"(?!(?:an?|and|as|at|be|by|can|expired|flag|for|from|has|if|in|invalid|is|it|missing|must|not|of|on|option|optional"
    r"|or|parameter|required|should|str|string|that|the|then|this|to|value|was|when|will|with)\b)"
)
VALUE = rf"{NOTHING}(?:{QUOTED}|{WORD})"
SCHEME = (
    r"(?!aws4-|hmac)(?:(?:bearer|basic|token|negotiate|apikey|api-key|key|sso-key|genie-?key|splunk|bot|ntlm)[ ]{1,4}"
    rf"|{DIGIT}|(?=[^\s\"']{{16}}))"
)
SIGNED = r"(?:aws4-[a-z0-9-]{1,30}|digest|oauth|hmac[a-z0-9-]{0,20}|signature)"  # several values and commas
LOGIN = rf"[\"']?[^\s:\"'/=]{{1,99}}:(?!//|\d+(?![^\s\"']))({NOTHING}[^\s\"']+)"
CODE = r"(?:(?<![a-z])(?:otp|pin|cvv)|(?<=\bt)otp|passcode|verification code)"

# Needles in lower case (`a&b`: both must occur), and the pattern to try at each; its group is masked.
ROWS = (
    ("-----begin", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----(?s:.*?-----END [A-Z0-9 ]{0,60}-----|.*)"),
    ("private-lines:", r"(?i)private-lines: ?\d{1,4}\s{1,4}([A-Za-z0-9+/=]{10,}(?:\s{1,4}[A-Za-z0-9+/=]{10,})*)"),
    ("hooks.slack.com", r"(?i)hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]+)"),
    ("/api/webhooks/", r"(?i)/api/webhooks/\d{10,24}/([\w-]{20,})"),
    ("webhook.office.com/,hooks.zapier.com/", r"(?i)[a-z.]{10,30}/(?:webhookb2|hooks/catch)/([\w@/.-]{16,})"),
    (":aa", r"(?<=\d{8}):(AA[\w-]{30,})"),  # Telegram
    ("q~", r"(?<=[\w.~-]{3}\d)Q~[\w.~-]{30,}"),  # Azure
    ("sig=,signature=", r"(?i)(?<![a-z])(?:sig|signature)=([A-Za-z0-9%+/_-]{16,})"),
    ("authorization", rf"(?i)authorization{ASSIGNED}\\{{0,8}}[\"']?{SIGNED}[ ]{{1,4}}([^\n']+)"),
    ("authorization", rf"(?i)authorization{ASSIGNED}\\{{0,8}}[\"']?{SCHEME}({NOTHING}{WORD})"),
    ("bearer", rf"(?i)(?<!\w)bearer[ ]{{1,4}}({DIGIT}[\w.~+/=-]{{8,}}|[\w.~+/=-]{{20,}})"),
    ("x-&:", rf"(?i)(?<!\w)x-[a-z-]{{0,30}}(?:key|token|auth|secret)\\{{0,8}}[\"']?:[\s\u200b]{{0,4}}({VALUE})"),
    ('cookie:,cookie"', r"(?i)cookie\\{0,8}[\"']?:[ ]{0,4}\\{0,8}[\"']?([^\s=;\"']{1,200}=[^\n\"']+)"),
    ("://&@", rf"://[^\s/:@\"']{{0,100}}:(?!\d{{1,5}}/){NOTHING}([^\s@\"'`<>]{{1,300}}(?:@[^\s/@\"'`<>]{{1,99}})?)@(?=[\w.\[$-])"),
    ("://&@", r"://([\w-]{20,200})@"),
    ("-u&:", rf"(?<!\S)-u[ =]?{LOGIN}"),
    ("-user&:", rf"(?<=-)-user[ =]{LOGIN}|(?<=y)-user[ =]{LOGIN}"),
    ("key=", r"(?i)(?<![a-z0-9-])key=[\"']?(?=\w{0,40}\d)(?=\w{0,40}[a-z])(\w{16,})(?![\w.(/-])"),
    ('otp=,otp:,otp",pin=,pin:,pin",cvv=,cvv:,cvv"',
     rf"(?i){CODE}\\{{0,8}}[\"']?\s{{0,2}}[:=]\s{{0,2}}[\"']?(\d{{4,8}})(?![\w.])"),
    ("otp ,pin ,passcode ,verification code", rf"(?i){CODE}(?: code)?(?: is| was)?:? ?[\"'`]?(\d{{4,8}})(?![\w.]\w)"),
    ("identified", rf"(?i)identified\s{{1,4}}(?:with\s{{1,4}}\S{{1,60}}\s{{1,4}})?(?:by|as)\s{{1,4}}({QUOTED})"),
    ("discord,.login(,bot.run(,bot(",
     r"(?i)[a-z.(]{1,8}[^\n]{0,40}?([MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])"),
    ("private-key,private_key,private key,privatekey",
     r"(?i)private[-_ ]?key[\s=:\"',]{1,6}((?:0x)?[0-9a-f]{40,128})(?![\w-])"),
    ("define(",
     rf"(?i)define\(\s{{0,4}}[\"'](?=\w{{0,40}}(?:pass|pwd|secret|key|salt|token))\w{{1,60}}[\"']\s{{0,4}},\s{{0,4}}({QUOTED})"),
    ("mnemonic,seed phrase,recovery phrase,seed=,seed:",
     r"(?i)(?:mnemonic|seed phrase|recovery phrase|seed)[^\w\n]{1,6}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"),
    ("akia,asia",
     r"A[KS]IA[A-Z0-9]{16}[\s,;:|\"'=]{1,6}(?:[\w.-]{0,40}[\s:=\"',]{1,6})?([A-Za-z0-9/+]{40})(?![\w/+=])"),
    ("$1$,$5$,$6$,$7$,$y$,$gy$,$2a$,$2b$,$2y$,$apr1$,$argon2",
     r"\$(?:[1567]|2[aby]|g?y|apr1|argon2(?:id|i|d))\$([^\s:\"']{16,})"),  # hashes of passwords
    ("login", r"(?i)login\s{1,9}\S{1,99}[\s+]{1,9}password\s{1,9}(\S+)"),
)  # fmt: skip

# Names before a secret value, in lower case: long names count alone, short names only before one of ENDS.
ENDS = ("=", ":", '"', "'", ">", " =", " :", "_", "\\")
LONG = "secret token passw passphrase passcode credential mnemonic storepass keypass sshpass -pass _authtoken".split()
LONG += ["api key", "api_key", "api-key", "apikey"]
SHORT = "pass pwd pw auth pat key".split()
NAMES = (*LONG, *(name + end for name in SHORT for end in ENDS))
# Programs that take a secret without a name before it, each with a second needle that makes a match likely.
PROGRAMS = (
    "curl& -&u &:,curl& -b,curl&--cookie,mysql& -p,mariadb& -p,sshpass,login& -p,twine& -p,bcp& -p,redis-cli& -a"
    ",keydb-cli& -a,zip& -p,7z& -p,rar& -p,rar& -hp,ldap& -w,smb& -u,rpcclient& -u,freerdp&/p:,openssl& -k"
    ",openssl&pass:,gh secret,vault&login,vault&=,poetry&config,npm&_auth,htpasswd,--from-literal,secrets set"
    ",config:set,env:set,mongo& -p,sqlcmd& -p,mosquitto_& -p,ssh-keygen& -n,ngrok&authtoken"
    ",rclone&obscure,lftp& -u,ipmitool& -p,wpa_passphrase,useradd& -p,usermod& -p,configure set,|&passwd,|&sudo -"
    ",|&-stdin,|&-with-token,|&passphrase-fd,|&secret,sudo&<<<,stdin&<<<,passwd&<<<,alter&password,create&password"
).split(",")
# Parts of the names of secret files, as a command would name them; masking.places has the full list.
WRITTEN = (
    ".env .netrc .pgpass .npmrc .pypirc .git-credentials .htpasswd id_rsa id_ed25519 id_ecdsa id_dsa .pem .key"
    " credentials secrets. secret.y .tfvars kubeconfig .kube/config .my.cnf .vault .ppk .p12 .pfx .jks .boto .s3cfg"
    " .dev.vars"
).split()
# The tables above, a needle a row, split once: every text of every event is searched for all of them.
_PREFIXES = [(prefix, pattern) for prefixes, pattern in PREFIXES for prefix in prefixes.split(" ")]
_ROWS = [(*needle.split("&"), pattern) for needles, pattern in ROWS for needle in needles.split(",")]
_PROGRAMS = [needle.split("&") for needle in PROGRAMS]
HINTS = "pass pw pwd secret token key cred auth cookie otp pin cvv cvc bearer mnemonic jwt pat seed recovery".split()

BRIEF, MOST_HARMLESS = 200, 2_000  # characters of a text to remember, and the number of texts
_harmless: set[str] = set()


def mask(text: str) -> str:
    """The text with every recognised secret replaced."""
    return _rendered(text, sorted(_spans(text)), len(text))


def secrets(text: str) -> list[str]:
    """The masked words of a text: another text may quote them without the name or sign that identified them."""
    hidden = dict.fromkeys(word.strip("\"'`") for start, end in _spans(text) for word in text[start:end].split())
    return sorted((word for word in hidden if len(word) >= SHORTEST), key=len, reverse=True)


def has_token(text: str) -> bool:
    """Whether the text holds a token with the prefix of a well-known service, or a private key.

    A word such as `password=x` is not enough: documents and tests are full of them.
    """
    if "PRIVATE KEY-----" in text and "-----BEGIN" in text:
        return True
    likely = [(prefix, pattern) for prefix, pattern in _PREFIXES if _begins(prefix, text)]
    if not likely:
        return False
    import re  # late: most texts hold no such prefix

    return any(re.search(rf"(?<![A-Za-z0-9]){re.escape(prefix)}{pattern}", text) for prefix, pattern in likely)


def cut(text: str, limit: int) -> tuple[str, bool]:
    """The masked beginning of a text, and whether the whole text fitted.

    WIDE more characters are searched. A token that continues beyond them is hidden: half a token is not recognised.
    """
    if text in _harmless and len(text) <= limit:
        return text, True
    seen = text[: limit + WIDE]
    spans = list(_spans(seen))
    if not spans and len(text) <= min(limit, BRIEF):
        _remember(text)
    if len(seen) < len(text):
        start = len(seen.rstrip(TOKEN))
        mixed = not seen[start : start + 200].isalpha() and any(digit in seen[start:] for digit in DIGITS)
        spans += [(start, len(seen))] if mixed else []
    ends = max((end for start, end in spans if start < limit), default=0)
    return _rendered(seen, sorted(spans), limit), max(ends, limit) >= len(text)


def _remember(text: str) -> None:
    """A server meets the same paths and names at every call. A text with a secret is never kept."""
    if len(_harmless) >= MOST_HARMLESS:
        _harmless.clear()
    _harmless.add(text)


def line(text: str, limit: int) -> str:
    """One line, masked first and then cut: half a secret is not recognised."""
    shown = (char if char.isprintable() or char in JOINERS else " " for char in mask(text))
    text = " ".join("".join(shown).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def text_of_call(text: str) -> str:
    """The whole text, masked, with its line breaks: a person reads it before an approval."""
    return "".join(char if char.isprintable() or char in JOINERS or char == "\n" else " " for char in mask(text))


def weight(key: str) -> str:
    """How secret the value of an object's key is: `all`, `texts`, `random`, `unplaced`, or empty for not secret."""
    lower = key[-200:].lower()
    if not any(hint in lower for hint in HINTS):
        return ""
    from hookkit.system.masking import keys

    return keys.weight(key[-200:])


def is_label(text: object) -> bool:
    """Whether a field with this label holds a secret: the value beside the label is masked."""
    if not isinstance(text, str) or not any(hint in text[:200].lower() for hint in HINTS):
        return False
    from hookkit.system.masking import keys

    return keys.is_label(text)


def _rendered(text: str, spans: "list[tuple[int, int]]", limit: int) -> str:
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if start >= limit:
            break
        if start > at or not parts:
            parts += [text[at:start], MASK]
        at = max(at, end)
    return "".join([*parts, text[at:limit]]) if parts else text[:limit]


def _spans(text: str) -> "Spans":
    """Positions of secrets, unsorted, with repeats. Each part searches for its needles before loading its module."""
    lower = _lower(text)
    yield from _shapes(text, lower)
    if any(name in lower for name in NAMES):
        from hookkit.system.masking import names

        yield from names.spans(text, lower)
    if any(_occurs(needle, lower) for needle in _PROGRAMS if needle[0] in lower):
        from hookkit.system.masking import programs

        yield from programs.spans(text, lower)
    if any(name in lower for name in WRITTEN) and (">" in text or "tee " in text or "sed " in text):
        from hookkit.system.masking import secret_files

        yield from secret_files.spans(text)
    if len(text) >= WALLET_WORDS * 4 - 1 and _may_hold_wallet(text):
        from hookkit.system.masking import wallets

        yield from wallets.spans(text)


def _lower(text: str) -> str:
    """Lower case with the same length as the text, so that positions are the same in both."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(char.lower() if char.isascii() else char for char in text)


def _begins(prefix: str, text: str) -> bool:
    """Whether the prefix occurs at the start of a word: there is an `sk-` in task-runner."""
    at = text.find(prefix)
    while at >= 0 and text[at - 1 : at].isalnum():
        at = text.find(prefix, at + 1)
    return at >= 0


def _may_hold_wallet(text: str) -> bool:
    """Every tenth word is looked at first: a run of ten has one of them. Beside the ten, a dot or a colon may stand."""
    plain = text.encode("ascii", "replace")
    if not WALLET_KEYS.isdisjoint(map(len, plain.translate(ALPHANUMERIC).split())):
        return True
    words = plain.translate(APART).split()
    for at in range(INNER - 1, len(words), INNER):
        if not _is_plain(words[at]):
            continue
        first = last = at
        while first > at - INNER and _is_plain(words[first - 1]):
            first -= 1
        while last + 1 < len(words) and last - first < INNER and _is_plain(words[last + 1]):
            last += 1
        if last - first >= INNER - 1:
            return True
    return False


def _is_plain(word: bytes) -> bool:
    """A word as wallets have them, or the number of a word in a list."""
    if len(word) > 8:  # noqa: PLR2004 - letters of the longest word
        return False
    return (word.islower() and word.isalpha() and len(word) > 2) or word.rstrip(b".):").isdigit()  # noqa: PLR2004


def is_base64(text: str) -> bool:
    return text.isascii() and text.rstrip("=").replace("+", "").replace("/", "").isalnum()


def _occurs(needle: "Sequence[str]", lower: str) -> bool:
    """The first part is known to occur."""
    return len(needle) == 1 or all(part in lower for part in needle[1:])


def _shapes(text: str, lower: str) -> "Spans":
    for prefix, pattern in _PREFIXES:
        if prefix in text and _begins(prefix, text):
            from hookkit.system.masking import search

            yield from search.prefixed(prefix, pattern, text)
    for row in _ROWS:
        if row[0] in lower and _occurs(row[:-1], lower):
            from hookkit.system.masking import search

            yield from search.matched(row[0], row[-1], text, lower)
    if "\n" in text and any(is_base64(row.strip(SIGNS)) for row in text.split("\n") if len(row) >= BLOCK.start):
        from hookkit.system.masking import search

        yield from search.blocks(text)
