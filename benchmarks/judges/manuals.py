"""Manual pages: the heads of their paragraphs, with arguments (italic, `Ar`) in angle brackets."""

import re

from judges import Claims, add
from judges.helps import head

ESCAPES = (("\\-", "-"), ("\\ ", " "), ("\\&", ""), ("\\(aq", "'"), ("\\(hy", "-"), ("\\|", ""), ("\\/", ""),
           ("\\,", ""), ("\\:", ""), ("\\%", ""), ("\\e", "\\"), ("\\~", " "), ("\\c", ""), ("\\^", ""))  # fmt: skip
PAIRS = {"B": "BB", "I": "II", "BR": "BR", "RB": "RB", "BI": "BI", "IB": "IB", "IR": "IR", "RI": "RI"}
ITALIC = re.compile(r"\\f(?:I|\(CI|\(CWI|\[I\])(.*?)(?=\\f|$)")
FONT = re.compile(r"\\f(?:\(..|\[[^\]]*\]|.)|\\s[-+]?\d|\\m\[\w*\]")


def read(files: dict[str, str], names: list[str]) -> Claims:
    """`git log` is described by git-log.1."""
    claims: Claims = {}
    for name in names:
        for section in ("1", "8"):
            text = files.get(f"{name.replace(' ', '-')}.{section}", "")
            link = re.match(r"\.so (?:man\d/)?(\S+)", text)
            for line in heads(files.get(link[1], "") if link else text):
                for option, kind in head(line):
                    add(claims, name, option, {kind})
    return claims


def heads(text: str) -> list[str]:
    """The lines that begin a paragraph with an option."""
    lines = [line for line in text.replace("\\\n", "").split("\n") if not line.startswith(('.\\"', "'\\\""))]
    starts = [line for before, line in zip(["", *lines], lines, strict=False) if line[:1] == "." or before[:1] == "."]
    return [head for line in starts if (head := _line(line)).startswith("-")]


def _line(line: str) -> str:
    if line.startswith(".It "):
        return _mdoc(line[4:])
    match = re.match(r"\.(BR|RB|BI|IB|IR|RI|B|I)\s+(.*)", line)
    if match:
        words = [_unquoted(word) for word in re.findall(r'"(?:[^"]|"")*"|\S+', match[2].replace("\\ ", "\0"))]
        fonts = PAIRS[match[1]]
        glue = " " if len(match[1]) == 1 else ""
        line = glue.join(_in_font(word.replace("\0", " "), fonts[place % 2]) for place, word in enumerate(words))
    elif line.startswith((".IP ", ".SS ")):
        quoted = re.match(r'\.(?:IP|SS)\s+("(?:[^"]|"")*"|\S+)', line)
        line = _unquoted(quoted[1]) if quoted else ""
    return _plain(line)


def _unquoted(word: str) -> str:
    return word[1:-1].replace('""', '"') if word[:1] == '"' else word


def _in_font(word: str, font: str) -> str:
    return f"<{word}>" if font == "I" and re.search(r"\w", word) else word


def _plain(line: str) -> str:
    line = ITALIC.sub(lambda match: f"<{match[1]}>" if re.search(r"\w", match[1]) else match[1], line)
    line = FONT.sub("", line)
    for escape, char in ESCAPES:
        line = line.replace(escape, char)
    return line.strip()


def _mdoc(text: str) -> str:
    """`Fl o Ar file`, `Fl -color Ns Op = Ns Ar when`."""
    parts: list[str] = []
    flag = argument = glued = False
    closing = 0
    for word in text.split():
        if word in ("Fl", "Ar", "Cm", "Op", "Oo", "Oc", "Ns", "Xo", "Xc", "Sm", "Li", "No", "Pf"):
            flag, argument = word == "Fl", word == "Ar"
            glued = glued or word == "Ns"
            if word in ("Op", "Oo"):
                parts.append("[" if glued else " [")
                closing, glued = closing + 1, True
            if word == "Oc" and closing:
                parts.append("]")
                closing -= 1
            continue
        is_sign = word in (",", "|")
        shown = word if is_sign else f"-{word}" if flag else f"<{word}>" if argument else word
        parts.append(shown if glued or not parts or word == "," else f" {shown}")
        glued = False
    return _plain("".join(parts) + "]" * closing)
