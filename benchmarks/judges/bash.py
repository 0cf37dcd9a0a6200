"""bash-completion: `case $prev in --signal|-!(-*)s)` names the options that take the next word."""

import re

from judges import NONE, VALUE, Claims, add

CASE = re.compile(r"case \"?\$\{?prev\}?\"? in\n(.*?)\n\s*esac", re.DOTALL)
BRANCH = re.compile(r"^\s*\(?((?:[^()\s]|!\(-\*\)|@\([^()]*\))+)\)(.*?);;", re.DOTALL | re.MULTILINE)
WORDS = re.compile(r"-W\s+(['\"])(.*?)\1", re.DOTALL)
PROGRAMS = re.compile(r"^\s*complete ((?:.|\\\n)*)$", re.MULTILINE)
PLAIN = re.compile(r"--?[\w][\w.-]*")
ENDS = ("--help", "--version", "--usage", "-h", "-V")  # nothing is completed behind these, and they take no value


def read(files: dict[str, str], subs: dict[str, set[str]]) -> Claims:
    """Files of programs with sub-commands are left out: their branches cannot be told apart by a simple parser."""
    claims: Claims = {}
    for name, text in files.items():
        if name in subs or text.count("case ") > 12 or len(re.findall(r"^\s*complete ", text, re.MULTILINE)) > 1:
            continue
        for option, kinds in _options(text).items():
            add(claims, name, option, kinds)
    return claims


def _options(text: str) -> dict[str, set[str]]:
    options: dict[str, set[str]] = {}
    for block in CASE.findall(text):
        for pattern, body in BRANCH.findall(f"{block}\n;;"):
            names = [word for word in pattern.replace("!(-*)", "").split("|") if PLAIN.fullmatch(word)]
            if "return" in body and not any(word in ENDS for word in names):
                for word in names:
                    options[word] = {VALUE}
    for _, words in WORDS.findall(text):
        for word in words.split():
            if PLAIN.fullmatch(word.rstrip("=")):
                options.setdefault(word.rstrip("="), {VALUE} if word[-1] == "=" else {NONE, VALUE, "attached"})
    return options
