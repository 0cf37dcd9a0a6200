"""How secret a value of a JSON object is, by its key."""

ALL, TEXTS, RANDOM, UNPLACED = "all", "texts", "random", "unplaced"

WEIGHTS = {
    **dict.fromkeys(
        "password passwords passwd passwds passwort pw passphrase passphrases passcode passcodes secret secrets token"
        " credential credentials creds cred otp totp pin cvv cvc bearer cookie cookies authorization auth mnemonic jwt"
        " apikey apikeys privatekey secretkey accesskey authkey".split(),
        ALL,
    ),
    **dict.fromkeys(["tokens", "pass", "auths"], TEXTS),  # often only a count
    **dict.fromkeys(["key", "keys", "pat"], RANDOM),
    "pwd": UNPLACED,  # often the current directory
}
# Words before `key`, and words joined with `pass` without a space.
KEYS = frozenset(
    "api access private auth account signing encryption subscription shared preshared master deploy storage webhook"
    " consumer admin license secret service app".split()
)
OWNERS = frozenset(
    "db database ssh pg my sql mysql root user admin key store ftp smtp imap http mail auth ldap rdp vnc wifi login"
    " redis mongo enc app sudo proxy net".split()
)
# Words after the name of a secret: the value is still the secret.
TAILS = frozenset(
    "prod production dev development stage staging test testing live old new rw ro value plain raw hash b64 base64 main"
    " backup default primary secondary confirm confirmation repeat again text string str header env".split()
)
LONG = ("password", "passwd", "passphrase", "secret", "token", "apikey", "credentials")
PHRASES = (["seed", "phrase"], ["recovery", "phrase"], ["recovery", "code"], ["recovery", "codes"], ["backup", "codes"])
LABELS = frozenset(WEIGHTS) - {"key", "keys", "pass", "tokens", "pat", "auth", "auths", "cookies", "cred", "pin"}
LABEL = 80  # characters of a field's label
DIGITS = "0123456789"
SHORTEST, LONGEST = 16, 500  # characters of a random value


def weight(key: str) -> str:
    """Decided by the last words of the key: DB_PASSWORD and dbPassword end alike."""
    words = _words(key)
    while len(words) > 1 and words[-1] in TAILS:
        words.pop()
    if not words:
        return ""
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in ("key", "keys") and before in KEYS:
        return ALL
    if last == "pat" and before:
        return ALL
    return WEIGHTS.get(last, ALL if _is_compound(words, last) else "")


def _is_compound(words: list[str], last: str) -> bool:
    if last.endswith(("pass", "pwd")) and last.removesuffix("pass").removesuffix("pwd") in OWNERS:
        return True
    return last.endswith(LONG) or words[-2:] in PHRASES or words[-3:] == ["access", "key", "id"]


def _words(key: str) -> list[str]:
    """The words of `dbPassword`, `DB_PASSWORD`, `db-password` or `password2`, in lower case."""
    spaced, before = [], ""
    for char in key:
        spaced += [" ", char] if char.isupper() and before.islower() else [char if char.isalnum() else " "]
        before = char
    words = ("".join(spaced)).lower().split()
    return [bare for word in words if (bare := word.rstrip(DIGITS))]


def is_label(text: object) -> bool:
    """Whether a label names a secret: "Password", "password field", DB_PASSWORD, Authorization."""
    if not isinstance(text, str) or not 0 < len(text) <= LABEL:
        return False
    return weight(text) == ALL or any(word in LABELS for word in _words(text))


def is_secret(weight: str, value: object) -> bool:
    """Whether a scalar value under a key of this weight is secret; true, false and null never are."""
    if isinstance(value, bool) or value is None or value == "":
        return False
    if isinstance(value, str):
        return is_random(value) if weight == RANDOM else weight != UNPLACED or not value.startswith(("/", "~", "."))
    return weight in (ALL, UNPLACED)


def is_random(text: str) -> bool:
    """Whether a text looks random: mixed letters and digits, or long hexadecimal."""
    if not SHORTEST <= len(text) <= LONGEST or not text.isascii():
        return False
    bare = text.rstrip("=").replace("_", "").replace("-", "")
    mixed = any(digit in text for digit in DIGITS) and bare.lower() != bare != bare.upper()
    return bare.isalnum() and (mixed or _is_hex(bare))


def _is_hex(text: str) -> bool:
    return len(text) >= 2 * SHORTEST and not text.strip("0123456789abcdef") and not text.isdigit()
