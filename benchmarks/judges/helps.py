"""`--help` of installed programs, and manual pages: lines like `-k, --kill-after=DURATION` and `--color[=WHEN]`."""

import os
import re
import shutil
import subprocess
import tempfile

from judges import ATTACHED, NONE, VALUE, Claims, add

LINE = re.compile(r"^[ \t]{0,16}(?=-)")
OPTION = re.compile(r"(--?[A-Za-z0-9?@#%](?:-?[\w]|\.\w)*)")
GAP = re.compile(r"\s{2,}|\t")
SECONDS = 5


def read(names: list[str]) -> Claims:
    """The help of programs that are installed. Sub-commands are asked only where they print help for sure."""
    claims: Claims = {}
    for name in names:
        text = _help(name.split(" "))
        for option, kinds in options_of(text).items():
            add(claims, name, option, kinds)
    return claims


def _help(words: list[str]) -> str:
    path = shutil.which(words[0])
    if path is None:
        return ""
    question = "-h" if words[0] in ("git", "perf") else "--help"
    environment = {"PATH": os.environ["PATH"], "PAGER": "cat", "TERM": "dumb", "LC_ALL": "C", "COLUMNS": "200"}
    with tempfile.TemporaryDirectory() as directory:
        try:
            done = subprocess.run(
                [path, *words[1:], question],
                cwd=directory,
                env={**environment, "HOME": directory},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return ""
    return (done.stdout + done.stderr).decode(errors="replace")


def options_of(text: str) -> dict[str, set[str]]:
    options: dict[str, set[str]] = {}
    for line in text.split("\n"):
        if LINE.match(line):
            for option, kind in head(GAP.split(line.strip())[0] if "<" not in line else line.strip()):
                options.setdefault(option, set()).add(kind)
    return options


def head(line: str) -> list[tuple[str, str]]:
    """`-k, --kill-after=DURATION`: two options with a value. The last of several spellings tells the kind of all."""
    spellings: list[tuple[str, str]] = []
    while match := OPTION.match(line):
        option, line = match[1], line[match.end() :]
        kind, line = _kind(line)
        spellings.append((option, kind))
        line, separators = re.subn(r"^(,\s*|\s*\|\s*|\s+or\s+|/|\s+(?=-))", "", line)
        if not separators:
            break
    if spellings and spellings[-1][1] != NONE:
        spellings = [(option, spellings[-1][1] if kind == NONE else kind) for option, kind in spellings]
    return spellings


def _kind(rest: str) -> tuple[str, str]:
    """The kind told by what stands behind an option, and the rest of the line."""
    for pattern, kind in (
        (r"(?:=|\[=?)<?(?:true|false)>?(?:\|<?(?:true|false)>?)?\]?(?=$|[,:\s])", NONE),
        (r"\[[= ]?[^\]]*\]\]?", ATTACHED),
        (r"[= ]?\[=?<?[\w|,.:=-]+>?(?:[^\]\n]{0,60})\](?=$|[,\s])", ATTACHED),
        (r"=[^\s,]*", VALUE),
        (r"\s?<[^>]*>\S*", VALUE),
        (r" [A-Z][A-Z0-9_|:=-]*(?:\.\.\.)?(?=$|[,\s])", VALUE),
        (r" [a-z][\w:|-]*(?=$|,)", VALUE),
    ):
        match = re.match(pattern, rest)
        if match:
            return kind, rest[match.end() :]
    return NONE, rest
