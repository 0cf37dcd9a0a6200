"""Programs that take a secret as an option, an operand or on stdin, without a name before the secret.

Plain options stand in the column `secret` of a program's record; ROWS has the programs with a form of their own.
"""

import re

from hookkit.programs import catalogue
from hookkit.system.masking import NOTHING, QUOTED, VALUE, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.system.masking import Spans

ARGUMENT = rf"(?!-)({VALUE})"
GAP = r"(?:[ =\t]{1,4}|[ \t]{0,4}\\\r?\n[ \t]{0,20})"
USER = r"[\"']?[^\s:\"'/=]{1,99}"
SET = rf"\s[\"']?[A-Za-z_][\w.-]{{0,80}}=({VALUE})"
# Programs, and the pattern of the secret in their arguments. A line is read once, for any number of programs.
ROWS = (
    ("curl", rf"\s-[a-zA-Z]{{1,8}}u{GAP}?{USER}:(?!//)({NOTHING}[^\s\"']+)"),
    ("curl", r"\s(?:-[a-zA-Z]{0,8}u|--user)[ =]{0,4}[\"']?(?=\S{0,60}\d)([\w-]{16,200}):(?=[\s\"']|$)"),
    ("curl", r"\s(?:-b|--cookie)[ =]{0,4}[\"']?[^\s=;\"']{1,100}=([^\n\"']+)"),
    ("mysql mariadb", rf"\s-p({VALUE})"),
    ("docker podman nerdctl helm crane skopeo oras buildah", rf"\slogin\b[^\n]{{0,120}}?\s-p[ =]{{0,4}}({VALUE})"),
    ("az", rf"\slogin\b[^\n]{{0,200}}?\s-p{GAP}{ARGUMENT}"),
    ("7z 7za 7zz rar unrar", rf"\s-h?p({VALUE})"),
    ("ldap", rf"\s-w{GAP}{ARGUMENT}"),
    ("smb rpcclient", r"\s-U[ ]{0,4}[\"']?[^\s%\"']{1,99}%([^\s\"']+)"),
    ("xfreerdp freerdp wlfreerdp", rf"\s/p:({VALUE})"),
    ("openssl", rf"\s-pass(?:in|out|word)?[ ]{{1,4}}[\"']?pass:({WORD})"),
    ("gh", rf"\ssecret\s[^\n]{{0,120}}?\s(?:-b|--body){GAP}{ARGUMENT}"),
    ("vault", rf"\slogin\s{{1,4}}(?=[^\s]{{0,60}}\d)(?!\w+=){ARGUMENT}"),
    ("vault", rf"\s(?:put|write|patch)\b[^\n]{{0,200}}?{SET}"),
    ("poetry", rf"\s(?:pypi-token\.\S{{1,60}}|http-basic\.\S{{1,60}}\s{{1,4}}\S{{1,99}})\s{{1,4}}{ARGUMENT}"),
    ("npm pnpm yarn", rf":?_(?:auth|authToken|password){GAP}{ARGUMENT}"),
    ("aws", rf"\sset\s{{1,4}}\S{{0,60}}(?:secret_access_key|access_key_id|session_token)\s{{1,4}}{ARGUMENT}"),
    ("htpasswd", rf"\s-\w{{0,6}}b\w{{0,6}}(?:\s{{1,4}}[^\s\"'-]\S{{0,200}}){{1,2}}?\s{{1,4}}{ARGUMENT}(?=\s{{0,4}}$)"),
    ("kubectl oc", rf"\s--from-literal[ =]{{1,4}}[\"']?[^\s=\"']{{1,99}}=({VALUE})"),
    ("fly flyctl heroku wrangler railway netlify doppler vercel supabase", SET),
    ("ngrok", rf"authtoken\s{{1,4}}{ARGUMENT}"),
    ("rclone", rf"\sobscure\s{{1,4}}{ARGUMENT}"),
    ("lftp", r"\s-u\s{0,4}[\"']?[^\s,\"']{1,99},([^\s\"']+)"),
    ("wpa_passphrase", rf"\s{{1,4}}(?:{QUOTED}|{WORD})\s{{1,4}}{ARGUMENT}"),
    ("sudo chpasswd passwd docker podman gh helm", rf"<<<\s{{0,4}}({VALUE})"),
    ("alter create", rf"(?i)(?<!\w)password\s{{0,4}}=?\s{{0,4}}({QUOTED})"),
)  # fmt: skip


def _patterns() -> dict[str, list[str]]:
    """The patterns of each program: of ROWS, and for options in the column `secret` of a record."""
    patterns: dict[str, list[str]] = {}
    for programs, pattern in ROWS:
        for program in programs.split(" "):
            patterns.setdefault(program, []).append(pattern)
    for program, options in catalogue.secrets().items():
        for option in options:
            gap = GAP if option[:2] == "--" or len(option) > 2 else rf"(?:{GAP})?"  # noqa: PLR2004 - `-Psecret`
            patterns.setdefault(program.lower(), []).append(rf"\s{re.escape(option)}{gap}{ARGUMENT}")
    return patterns


SECRETS = _patterns()
SPEAKERS = ("echo", "printf", "yes")
PROGRAM = re.compile(
    rf"(?<![\w.-])(?:{'|'.join(sorted([*SECRETS, *SPEAKERS], reverse=True))})"
    r"(?:(?<=mysql)|(?<=mariadb)|(?<=ldap)|(?<=smb)|(?![a-z_-]))"
)
# The rest of a simple command, with quoted texts and line continuations.
SEGMENT = re.compile(r"(?:[^\n|;&\"'\\]+|\\[\s\S]|\"(?:[^\"\\]|\\[\s\S])*\"?|'[^']*'?|\\$)*")
SAYS = re.compile(rf"(?:echo|printf|yes)(?:[ ]{{1,4}}-[neE]{{1,3}}(?=[ ]))?[ ]{{1,4}}({NOTHING}\S[\s\S]*)")
TAKER = re.compile(
    r"\|\s{0,4}[^\n|;&]{0,120}?(?:\bsudo\s(?:[^\n|;&]{0,60}?\s)?(?:-[A-Za-z]{0,6}S|--stdin)\b|-stdin\b|--with-token\b|passwd\b"
    r"|passphrase-fd\b|\bsecrets?\s(?:versions\s)?(?:set|put|add|create)\b|\bvault login\b|\bcryptsetup\b|\bkinit\b)"
)


def spans(text: str, lower: str) -> "Spans":
    at = 0
    while (program := PROGRAM.search(lower, at)) is not None:
        segment = SEGMENT.match(text, program.end())
        at = segment.end() if segment is not None else program.end()
        if program.group() in SPEAKERS:
            yield from _piped(text, program.start(), at)
        for pattern in SECRETS.get(program.group(), ()):
            yield from (match.span(1) for match in re.compile(pattern).finditer(text, program.end(), at))


def _piped(text: str, start: int, end: int) -> "Spans":
    match = SAYS.match(text, start, end) if TAKER.match(text, end) else None
    if match is not None:
        yield match.start(1), start + len(text[start:end].rstrip())
