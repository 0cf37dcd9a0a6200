"""The client's own permission rules, `Tool` or `Tool(specifier)`: wrong rules, and rules that the client ignores."""

import re

from hookkit.checking.patterns import ROOTS, RUNNERS
from hookkit.documents.finding import ERROR, WARNING, shown
from hookkit.settings import tool_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Remark = tuple[int, str, str, str]  # offset in the rule, severity, message, fix

RULE = re.compile(r"([^()\s]+)(?:\((.*)\))?", re.DOTALL)
# The client accepts and ignores path rules of these tools; the rules of the second tool cover them.
INSTEAD = {"Write": "Edit", "MultiEdit": "Edit", "NotebookEdit": "Edit", "Glob": "Read"}
PRIMARY = ("command", "file_path", "path", "notebook_path", "url")
PARAMETERS = {
    "Bash": ("timeout", "description", "run_in_background", "dangerouslyDisableSandbox"),
    "Agent": ("model", "subagent_type", "run_in_background", "isolation", "effort", "prompt", "description"),
}
ALL = ("", "*", "**")


def remarks(rule: str, verdict: str) -> "Iterator[Remark]":
    """Remarks on a rule in an allow, ask or deny list, or in the field `if` (verdict "if")."""
    parts = RULE.fullmatch(rule.strip())
    if parts is None:
        yield from _misshapen(rule)
        return
    tool, specifier = parts.group(1), parts.group(2)
    if "|" in tool:
        yield 0, ERROR, "a rule is about one tool", "write a rule for each"
        return
    yield from _tool(tool, verdict)
    at = rule.find("(") + 1
    inner = specifier or ""
    for offset, severity, said, fix in (
        *_specifier(tool, inner, verdict),
        *_path(tool, inner),
        *(_wide(tool, inner) if verdict == "allow" else ()),
    ):
        yield at + offset, severity, said, fix


def _misshapen(rule: str) -> "Iterator[Remark]":
    text = rule.strip()
    if text.count("(") > text.count(")"):
        yield len(rule.rstrip()), ERROR, "expected ) at the end", f"did you mean {shown(text + ')')}?"
    elif re.fullmatch(r"[\w.-]+(?: .*)?", text):
        yield 0, ERROR, "not a rule: Tool or Tool(specifier)", f"did you mean Bash({shown(text)})?"
    else:
        yield 0, ERROR, "not a rule: Tool or Tool(specifier)", ""


def _tool(tool: str, verdict: str) -> "Iterator[Remark]":
    meant = tool_names.misspelt(tool)
    if meant and tool != "Cd":
        yield 0, ERROR, f"there is no tool {tool}", f"did you mean {meant}?"
    if "*" in tool and verdict == "allow" and not re.match(r"mcp__[^*]+?__", tool):
        said = "a star in a tool's name works only in deny and ask"
        yield 0, ERROR, said, "name the tool, or write mcp__SERVER__*"


def _specifier(tool: str, specifier: str, verdict: str) -> "Iterator[Remark]":
    name, colon, value = specifier.partition(":")
    if colon and name in PRIMARY and value != "*":
        yield 0, ERROR, f"the client ignores {name}: here", f"write {tool}({shown(value)})"
    elif colon and name in PARAMETERS.get(tool, ()) and verdict == "allow":
        yield 0, ERROR, f"{name}: works only in deny and ask", ""
    if tool == "Bash" and ":*" in specifier[:-2]:
        yield specifier.index(":*"), ERROR, ":* means a prefix only at the end", "write *"
    if tool == "WebSearch" and specifier:
        yield 0, ERROR, "WebSearch takes no specifier", "write WebSearch"
    if tool == "WebFetch" and specifier not in ALL and not specifier.startswith("domain:"):
        host = re.split(r"[/?#:*]", specifier.partition("://")[2] or specifier)[0]
        yield 0, ERROR, "WebFetch rules are about a domain", f"write WebFetch(domain:{host})"


def _path(tool: str, specifier: str) -> "Iterator[Remark]":
    if tool in INSTEAD and specifier not in ALL and ":" not in specifier:
        said = f"the client ignores path rules for {tool}"
        yield 0, ERROR, said, f"write {INSTEAD[tool]}({shown(specifier)})"
    if (
        tool in ("Read", "Edit")
        and re.match(r"/(?!/)", specifier)
        and specifier.split("/")[1] in (*ROOTS, "tmp", "var")
    ):
        said = f"{shown(specifier)} starts at the directory of the settings file"
        yield 0, WARNING, said, f"for a path from the root of the disk write /{shown(specifier)}"


def _wide(tool: str, specifier: str) -> "Iterator[Remark]":
    """An allow rule with more matches than its author may expect."""
    if tool not in ("Bash", "PowerShell"):
        return
    words = re.sub(r":\*$", " *", specifier).split()
    if not words or words == ["*"]:
        yield 0, WARNING, "this allows every command", "name the programs"
    elif words[0] in RUNNERS and words[1:] == ["*"]:
        yield 0, WARNING, f"{words[0]} can run anything", "name the programs that it may run"
    elif len(words) == 1 and re.fullmatch(r"[\w.-]+\*", words[0]):
        name = words[0][:-1]
        said = f"{words[0]} matches every program whose name begins with {name}"
        yield len(name), WARNING, said, f"for only {name} write {tool}({name} *)"
