"""Names of files that may hold a secret. Approval is stricter than the rules: hookkit does not approve reading them."""

ENDINGS = tuple(
    ".pem .key .p12 .pfx .jks .keystore .kdbx .ppk .keytab .ovpn .tfstate .tfstate.backup .tfvars .tfvars.json .env"
    " .htpasswd .mobileprovision .p8 .der .gpg".split()
)
NAMES = frozenset(
    ".netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .vault-token .dockercfg .dockerconfigjson .htpasswd"
    " .s3cfg .boto .envrc .direnv kubeconfig wallet.dat shadow master.key auth.json .bash_history .zsh_history"
    " .yarnrc.yml oauth_creds.json local.settings.json google-services.json".split()
)
STARTS = tuple(
    "id_rsa id_dsa id_ecdsa id_ed25519 krb5cc_ service-account service_account .env. .env- vault_pass"
    " .vault_pass".split()
)
WORDS = frozenset("secret secrets credential credentials password passwords passwd token tokens apikey apikeys".split())
FOLDERS = frozenset((".aws", ".ssh", ".gnupg", ".kube", ".docker", ".azure", "secrets", ".secrets", "credentials"))
# A word of WORDS counts in the names of data. In the name of a program it is the program's subject: password_reset.py.
DATA = ("", "json", "yml", "yaml", "toml", "ini", "cfg", "conf", "txt", "xml", "properties", "enc", "csv", "env", "bak",
        "old", "gz", "zip", "db", "sqlite", "log", "plist", "config")  # fmt: skip
PUBLIC = (".pub", ".example", ".sample", ".template", ".dist", ".tpl", ".schema", ".schema.json")


def is_private(path: str) -> bool:
    """Whether the name of a file or of a directory above it speaks of a secret; a pattern counts by its text."""
    *folders, name = path.lower().rstrip("/").split("/")
    if name.endswith(PUBLIC):
        return False
    if (
        name in NAMES
        or (name == "config" and folders[-1:] == [".git"])
        or name.endswith(ENDINGS)
        or name.startswith(STARTS)
    ):
        return True
    stem, _, ending = name.partition(".") if name[:1] != "." else (name[1:], "", "")
    if ending.rpartition(".")[2] not in DATA:
        return False
    words = "".join(char if char.isalnum() else " " for char in stem).split()
    words = words if ending else words[-1:]  # api_token, but not secrets-view: a name without an ending may be a branch
    return not WORDS.isdisjoint(words) or not FOLDERS.isdisjoint(folders)
