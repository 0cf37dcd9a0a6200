"""What the key of an object says of its value: in JSON nothing else stands before a secret."""

ALL, TEXTS, RANDOM, UNPLACED = "all", "texts", "random", "unplaced"

WEIGHTS = {
    **dict.fromkeys(
        "password passwords passwd passwds passwort pw passphrase passphrases passcode passcodes secret secrets token"
        " credential credentials creds cred otp totp pin cvv cvc bearer cookie cookies authorization auth mnemonic jwt"
        " apikey apikeys privatekey secretkey accesskey authkey".split(),
        ALL,
    ),
    **dict.fromkeys(["tokens", "pass", "auths"], TEXTS),  # as often a number of them
    **dict.fromkeys(["key", "keys", "pat"], RANDOM),
    "pwd": UNPLACED,  # as often the directory
}
# Words before `key`, and words before `pass` that are written without a space.
KEYS = frozenset(
    "api access private auth account signing encryption subscription shared preshared master deploy storage webhook"
    " consumer admin license secret service app".split()
)
OWNERS = frozenset(
    "db database ssh pg my sql mysql root user admin key store ftp smtp imap http mail auth ldap rdp vnc wifi login"
    " redis mongo enc app sudo proxy net".split()
)
# What may stand after such a name: it is still the secret.
TAILS = frozenset(
    "prod production dev development stage staging test testing live old new rw ro value plain raw hash b64 base64 main"
    " backup default primary secondary confirm confirmation repeat again text string str header env".split()
)
LONG = ("password", "passwd", "passphrase", "secret", "token", "apikey", "credentials")
PHRASES = (["seed", "phrase"], ["recovery", "phrase"], ["recovery", "code"], ["recovery", "codes"], ["backup", "codes"])
LABELS = frozenset(WEIGHTS) - {"key", "keys", "pass", "tokens", "pat", "auth", "auths", "cookies", "cred", "pin"}
LABEL = 80  # characters of what a field is called
DIGITS = "0123456789"
SHORTEST, LONGEST = 16, 500  # of what is random


def weight(key: str) -> str:
    """Of a key's last words; how it begins does not matter: DB_PASSWORD and dbPassword end alike."""
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
    """Of `dbPassword`, `DB_PASSWORD`, `db-password` and `password2`."""
    spaced, before = [], ""
    for char in key:
        spaced += [" ", char] if char.isupper() and before.islower() else [char if char.isalnum() else " "]
        before = char
    words = ("".join(spaced)).lower().split()
    return [bare for word in words if (bare := word.rstrip(DIGITS))]


def is_label(text: object) -> bool:
    """A field that is called so, in words: "Password", "password field", DB_PASSWORD, Authorization."""
    if not isinstance(text, str) or not 0 < len(text) <= LABEL:
        return False
    return weight(text) == ALL or any(word in LABELS for word in _words(text))


def is_secret(weight: str, value: object) -> bool:
    """A value that is no object and no list, under a key of this weight. What is true, false or null hides nothing."""
    if isinstance(value, bool) or value is None or value == "":
        return False
    if isinstance(value, str):
        return is_random(value) if weight == RANDOM else weight != UNPLACED or not value.startswith(("/", "~", "."))
    return weight in (ALL, UNPLACED)


def is_random(text: str) -> bool:
    """As no word, path, name of a key on a keyboard or number is."""
    if not SHORTEST <= len(text) <= LONGEST or not text.isascii():
        return False
    bare = text.rstrip("=").replace("_", "").replace("-", "")
    mixed = any(digit in text for digit in DIGITS) and bare.lower() != bare != bare.upper()
    return bare.isalnum() and (mixed or _is_hex(bare))


def _is_hex(text: str) -> bool:
    return len(text) >= 2 * SHORTEST and not text.strip("0123456789abcdef") and not text.isdigit()
