"""Secrets are masked before anything is written down or shown.

A row's pattern runs only where one of its needles occurs: ordinary text costs some substring searches and no `re`.
Every pattern is linear: it starts at a literal, and what follows can be read in one way only, or is bounded.
Where the same text could be prose, a quote, a digit or the place in the line decides.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

MASK = "[masked]"
JOINERS = "\u200c\u200d"  # unprintable by themselves, yet part of words and of emoji

# Names after which a value is secret. How a name begins does not matter: DB_PASSWORD and dbPassword end alike.
NAME = (
    r"(?:secret(?:[_-]?(?:access[_-]?)?key(?:[_-]?base)?)?|token|passw(?:or)?d|passphrase|credentials?"
    r"|(?:api|access|private|auth|account|signing|encryption)[_-]?key(?:[_-]?id)?"
    r"|(?<![a-z])pass|(?<=_)(?:pwd|pw|auth)|(?-i:(?<=_)(?:PAT|KEY)))"
)
# A quote that is never closed ends with its line: the text may have been cut.
QUOTED = r"""(?:\\"[^"\\\n]*(?:\\")?|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)"""
WORD = r"[^\s\"'`&;|<>]+"
ASSIGNED = r"\\?[\"']?\s{0,4}(?:=>|:=|[:=])\s{0,4}"
DIGIT = r"(?=[^\s\"']{0,60}\d)"
SCHEME = rf"(?:(?:bearer|basic|digest|token|negotiate)[ ]{{1,4}}|{DIGIT}|(?=[^\s\"']{{16}}))"
# A value that names a secret and holds none: $TOKEN, $(command), or no value at all.
NOTHING = (
    r"(?!\\?[\"']?\$(?:(?-i:[A-Z_][A-Z0-9_]*)\b|[({]))(?!(?:none|null|nil|true|false|undefined|\d{1,3})(?![^\s,;)\"']))"
)
PROSE = (
    r"(?!(?:an?|and|as|by|expired|flag|for|from|if|in|invalid|is|missing|of|on|option|optional|or|parameter|required"
    r"|string|that|the|to|value|was|with)\b)"
)
VALUE = rf"{NOTHING}(?:{QUOTED}|{WORD})"
NAMES = "secret token passw passphrase credential key pass _pw _auth _pat"

BLOCK = "\n"  # lines of a length that prose does not have
LINE = 60

# Needles in lower case (`a&b`: both of them), and a pattern; its groups `keep` and `after` stay around the mask.
ROWS = (
    # Shapes that speak for themselves.
    ("-----begin", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----(?s:.*?-----END [A-Z0-9 ]{0,60}-----|.*)"),
    (BLOCK, r"(?m)^(?:[A-Za-z0-9+/]{60,76}\r?\n){2,}[A-Za-z0-9+/]{0,76}={0,2}"),  # the inside of such a block
    ("akia asia aroa aida", r"\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b"),
    ("ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,}"),
    ("github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
    ("glpat- gldt- glrt-", r"gl(?:pat|dt|rt)-[A-Za-z0-9_.-]{16,}"),
    ("xox xapp-", r"\bx(?:ox[a-z](?:\.xox[a-z])?|app)-[A-Za-z0-9-]{10,}"),
    ("hooks.slack.com", r"(?P<keep>hooks\.slack\.com/(?:services|workflows)/)[A-Za-z0-9/_-]+"),
    ("sk-", r"(?<![\w-])sk-(?=[A-Za-z0-9_-]{0,60}\d)[A-Za-z0-9_-]{20,}"),
    ("aiza", r"AIza[A-Za-z0-9_-]{30,}"),
    ("ya29. gocspx-", r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{16,}"),
    ("k_live_ k_test_", r"\b[a-z]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("whsec_", r"whsec_[A-Za-z0-9+/=]{16,}"),
    ("npm_", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("pypi-", r"pypi-[A-Za-z0-9_-]{50,}"),
    ("hf_", r"\bhf_[A-Za-z0-9]{30,}"),
    ("dop_v1_ doo_v1_", r"\bdo[op]_v1_[a-f0-9]{32,}"),
    ("shpat_ shpss_ shpca_", r"\bshp(?:at|ss|ca)_[a-fA-F0-9]{16,}"),
    ("dckr_pat_", r"\bdckr_pat_[A-Za-z0-9_-]{16,}"),
    ("hvs. hvb.", r"\bhv[sb]\.[A-Za-z0-9_-]{16,}"),
    ("rubygems_", r"\brubygems_[a-f0-9]{32,}"),
    ("atatt", r"\bATATT[A-Za-z0-9_=-]{20,}"),
    ("lin_api_", r"\blin_api_[A-Za-z0-9]{20,}"),
    ("gsk_", r"\bgsk_[A-Za-z0-9]{20,}"),
    ("glsa_", r"\bglsa_[A-Za-z0-9_]{20,}"),
    ("tskey-", r"\btskey-[A-Za-z0-9-]{16,}"),
    ("age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}"),
    ("sig= signature=", r"(?i)(?P<keep>\b(?:sig|x-amz-signature|signature)=)[A-Za-z0-9%+/_-]{16,}"),
    ("sg.", r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    ("eyj", r"(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
    # What stands in front of the secret gives it away.
    ("authorization", rf"(?i)(?P<keep>authorization{ASSIGNED}\\?[\"']?{SCHEME}){NOTHING}{WORD}"),
    ("bearer", rf"(?i)(?P<keep>\bbearer[ ]{{1,4}}){DIGIT}[A-Za-z0-9._~+/=-]{{8,}}"),
    ("x-&:", rf"(?i)(?P<keep>\bx-[a-z-]{{0,30}}(?:key|token|auth|secret)\\?[\"']?:[ ]{{0,4}}){VALUE}"),
    ("cookie:", r"(?i)(?P<keep>\b(?:set-)?cookie:[ ]{0,4})[^\s=;\"']+=[^\n\"']+"),
    ("://&@", rf"(?P<keep>://[^\s/:@\"']*:){NOTHING}[^\s/@\"']+(?P<after>@)"),
    ("://&@", r"(?P<keep>://)[A-Za-z0-9_-]{20,}(?P<after>@)"),
    ("-u&:", rf"(?P<keep>(?<!\S)(?:-u|--user)[ =]?[\"']?[^\s:\"'/=]{{1,99}}:)(?!//|\d+(?![^\s\"'])){NOTHING}[^\s\"']+"),
    ("sshpass", rf"(?P<keep>\bsshpass[ ]{{1,4}}-p[ ]{{0,4}}){VALUE}"),
    ("mysql mariadb", rf"(?P<keep>\b(?:mysql|mariadb)[a-z]{{0,10}}\b[^\n|;&]{{0,100}}?[ ]-p){VALUE}"),
    (NAMES, rf"(?i)(?P<keep>(?<!\S)--[a-z_-]{{0,30}}?{NAME}[ ]{{1,4}}){PROSE}(?!-){VALUE}"),
    # Assignments: of shells and forms, of code and JSON, of ini files, of YAML.
    (NAMES, rf"(?i)(?P<keep>{NAME}\\?[\"']?=)(?!=){VALUE}"),
    (NAMES, rf"(?i)(?P<keep>{NAME}{ASSIGNED}){NOTHING}{QUOTED}"),
    (NAMES, rf"(?i)(?P<keep>{NAME}\s{{0,4}}[:=]\s{{0,4}}){DIGIT}{NOTHING}[\w+/~.!@#%^*=$-]{{6,}}(?=[\s,;\"'`]|$)"),
    (NAMES, rf"(?im)(?P<keep>^[ \t-]{{0,20}}[\w.-]{{0,40}}?{NAME}:[ ]{{1,4}}){PROSE}{NOTHING}\S{{4,}}(?=[ \t]*$)"),
)  # fmt: skip


def mask(text: str) -> str:
    """The text with every secret that we know the look of replaced."""
    lower = text.lower()
    for needles, pattern in ROWS:
        if _occurs(needles, lower):
            import re

            text = re.sub(pattern, _masked, text)
    return text


def _occurs(needles: str, lower: str) -> bool:
    if needles == BLOCK:
        return any(len(line) >= LINE and " " not in line for line in lower.split("\n")) if BLOCK in lower else False
    return any(all(part in lower for part in needle.split("&")) for needle in needles.split(" "))


def _masked(match: "Match[str]") -> str:
    groups = match.groupdict()
    return groups.get("keep", "") + MASK + groups.get("after", "")


def line(text: str, limit: int) -> str:
    """Masked and then cut, never the other way round: half a secret no longer looks like one."""
    shown = (char if char.isprintable() or char in JOINERS else " " for char in mask(text))
    text = " ".join("".join(shown).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
