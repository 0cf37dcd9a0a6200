"""Files with secret content, and commands that write into such files."""

import os

from hookkit.system.masking import MASK, VALUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hookkit.system.masking import Spans

VALUES, ALL = "values", "all"  # mask only the values after names, or the whole content

NAMES = {
    **dict.fromkeys(".npmrc .pypirc .yarnrc .boto .s3cfg .my.cnf .terraformrc rclone.conf".split(), VALUES),
    **dict.fromkeys(
        ".netrc _netrc .pgpass .git-credentials .htpasswd .vault-token .vault_pass .vault_pass.txt kubeconfig"
        " .dockercfg .dockerconfigjson .mylogin.cnf credentials credentials.json credentials.toml credentials.yml"
        " credentials.yaml credentials.tfrc.json application_default_credentials.json auth.json secrets secret"
        " token shadow identity .credentials.json".split(),
        ALL,
    ),
}
ENDINGS = {
    **dict.fromkeys([".env", ".tfvars"], VALUES),
    **dict.fromkeys(".pem .key .p12 .pfx .jks .keystore .ppk .kdbx .ovpn .gpg .age .der .pkcs8 .secret".split(), ALL),
}
KEYS = ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "service-account", "service_account", "serviceaccount")
DIRECTORIES = {(".kube", "config"), (".docker", "config.json"), ("gh", "hosts.yml"), (".ssh", "identity")}
DATA = (".json", ".yml", ".yaml", ".toml", ".ini", ".conf", ".cfg", ".properties", ".xml", ".txt", ".enc")
CODE = tuple(".py .ts .js .mjs .tsx .jsx .go .rs .rb .java .sh .md .html .c .h .php .tf .nix .lua .cs .kt".split())
LONGEST = 60  # characters of a variable's name
DEEP = 8  # levels of nesting in a tool's input
SIGNS = "+- \t"
READERS = frozenset("cat bat head tail less more grep rg sed awk cut tac nl xxd od strings base64 source".split())
TARGET = r"(?:>{1,2}\|?|\btee(?:[ ]-a)?[ ]|\bof=)[ ]{0,4}[\"']?([^\s\"'<>|;&()]{1,300})"
DOCUMENT = r"<<-?[ ]{0,4}\\?[\"']?(\w{1,40})[\"']?[^\n]{0,300}\n([\s\S]*?)(?=\n[ \t]{0,20}\1\b|$)"
SAYS = (
    r"\b(?:echo|printf)(?:[ ]{1,4}-[neE]{1,3}(?=[ ]))?[ ]{1,4}"
    r"((?:[^\s\"'<>|;&\\]+|\\[\s\S]|\"(?:[^\"\\]|\\[\s\S])*\"?|'[^']*'?|[ ](?![ ]{0,20}[<>|;&\n]))+)"
)
ASSIGNED = rf"(?<![\w$])[A-Z][A-Z0-9_]{{1,60}}=({VALUE})"


def kind(path: str) -> str:
    """Which part of a file is secret, by the file's name: VALUES, ALL, or empty for none."""
    directory, name = os.path.split(path.lower().replace("\\", "/"))
    if name.startswith((".env", ".dev.vars")):
        return VALUES
    if not name or name.endswith((".pub", *CODE)):
        return ""
    if name.startswith("env.") and "." not in name[4:]:
        return VALUES
    if name.startswith(("secrets.", "secret.", "secrets-", "secret-")) and name.endswith(DATA):
        return ALL
    if name.startswith(KEYS) or (os.path.basename(directory), name) in DIRECTORIES:
        return ALL
    return NAMES.get(name, ENDINGS.get(os.path.splitext(name)[1], ""))


def hidden(text: str, kind: str) -> str:
    """The content of a secret file, or a diff of the file, masked; names of variables stay."""
    if not kind or not text:
        return text
    return "\n".join(_lines(text)) if kind == VALUES else MASK


def content(value: "Any", kind: str, depth: int = 0) -> "Any":
    """`hidden` for any JSON value: edits come in lists."""
    if isinstance(value, str):
        return hidden(value, kind)
    if isinstance(value, (dict, list)) and depth > DEEP:
        return None
    if isinstance(value, dict):
        return {name: content(item, kind, depth + 1) for name, item in value.items()}
    return [content(item, kind, depth + 1) for item in value] if isinstance(value, list) else value


def _lines(text: str) -> "list[str]":
    """Masked lines; an open quote hides all lines up to the closing quote."""
    lines, quote = [], ""
    for line in text.split("\n"):
        if quote and not line.startswith("@@ "):
            lines.append((line[:1] if line[:1] in ("+", "-") else "") + MASK)
            quote = "" if quote in line else quote
            continue
        shown, value = _line(line)
        lines.append(shown)
        opened = value.strip()[:1]
        quote = opened if opened in ("'", '"') and opened not in value.strip()[1:] else ""
    return lines


def _line(line: str) -> tuple[str, str]:
    """The masked line, and the value that was hidden."""
    bare = line.lstrip(SIGNS)
    if not bare or line.startswith("@@ ") or (bare.startswith(("[", "#", ";")) and "=" not in bare):
        return line, ""
    cuts = [at for at in (line.find("="), line.find(": ")) if at > 0]
    at = min(cuts, default=0)
    if not at or not _is_name(line[:at]):
        return line[: len(line) - len(bare)] + MASK, ""
    value = line[at + 1 :]
    space = value[: len(value) - len(value.lstrip())]
    return (line[: at + 1] + space + MASK if value.strip() else line), value


def _is_name(text: str) -> bool:
    """Whether a text before `=` is a variable's name: base64 also ends in `=`."""
    words = text.strip("+-# \t\"'").removeprefix("export ").strip()
    bare = words.rpartition(":")[2].replace("-", "_").replace(".", "_")
    return len(bare) <= LONGEST and bare.isidentifier() and (bare.isupper() or bare.islower() or not _has_digit(bare))


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def read(command: str) -> str:
    """Which part of the files printed by a command is secret."""
    words = _words(command)
    return strictest(words) if READERS.intersection(words) else ""


def strictest(paths: "Iterable[str]") -> str:
    kinds = {kind(path) for path in paths}
    return ALL if ALL in kinds else VALUES if VALUES in kinds else ""


def _words(command: str) -> list[str]:
    for mark in "<>|;&()\"'=":
        command = command.replace(mark, " ")
    return command.split()


def shown(text: str, kind: str) -> str:
    """The output of a command that prints a secret file, masked; other output stays."""
    if kind != VALUES:
        return hidden(text, kind)
    rows = [(line, _line(line)[0]) for line in text.split("\n")]
    return "\n".join(seen if seen.endswith(f"={MASK}") else line for line, seen in rows)


def spans(text: str) -> "Spans":
    """Texts that a command writes into a secret file: words of echo and printf, here-documents, every KEY=value."""
    import re

    targets = [match.group(1) for match in re.finditer(TARGET, text)]
    kind = strictest(targets + (_words(text) if "sed " in text else []))
    if not kind:
        return
    for match in re.finditer(DOCUMENT, text):
        yield from _document(match.group(2), match.start(2), kind)
    for match in re.finditer(SAYS, text):
        start, end = match.span(1)
        name = match.group(1).partition("=")[0]
        quote = name[:1] if name[:1] in ("'", '"') else ""
        if _is_name(name) and match.group(1).endswith(quote):
            start, end = start + len(name) + 1, end - len(quote)
        if start < end and not match.group(1).strip("\"'").startswith("$"):
            yield start, end
    for match in re.finditer(ASSIGNED, text):
        yield match.span(1)


def _document(text: str, at: int, kind: str) -> "Spans":
    if kind == ALL:
        yield at, at + len(text)
        return
    for line, seen in zip(text.split("\n"), _lines(text), strict=True):
        if seen != line:
            yield at + len(seen) - len(MASK), at + len(line)
        at += len(line) + 1
