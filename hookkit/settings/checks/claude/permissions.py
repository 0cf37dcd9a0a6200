"""The client's own permission rules, `Tool` or `Tool(specifier)`: wrong rules, and rules that the client ignores.

The same for matchers.
"""

import re

from hookkit.events import EVENTS
from hookkit.settings import tool_names
from hookkit.settings.checks.patterns import ROOTS, RUNNERS, wrong_javascript
from hookkit.settings.documents.finding import ERROR, WARNING, shown
from hookkit.system.suggestions import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    MatcherRemark = tuple[str, str, str]  # severity, message, fix
    Remark = tuple[int, str, str, str]  # offset in the rule, severity, message, fix


# Events with a fixed list of values.
VALUES = {
    "SessionStart": "startup resume clear compact fork",
    "SessionEnd": "clear resume logout prompt_input_exit other",
    "PreCompact": "manual auto",
    "PostCompact": "manual auto",
    "Setup": "init maintenance",
    "ConfigChange": "user_settings project_settings local_settings policy_settings skills",
    "InstructionsLoaded": "session_start nested_traversal path_glob_match include compact",
    "DirectoryAdded": "slash_command register_repo_root",
    "StopFailure": "authentication_failed oauth_org_not_allowed account_on_hold verification_required billing_error"
    " rate_limit overloaded invalid_request model_not_found server_error unknown max_output_tokens"
    " cloud_credential_error",
}
# Events with further values: only a near miss is a mistake.
OFTEN = {
    "Notification": "permission_prompt idle_prompt auth_success elicitation_dialog elicitation_url_dialog"
    " elicitation_complete elicitation_response agent_needs_input agent_completed worker_permission_prompt"
    " push_notification computer_use_enter computer_use_exit plugin_notification",
}
UNDOCUMENTED = ("PreModelSwitch", "PostModelSwitch")  # with a matcher, but the values are not documented
NARROW = ("FileChanged", "StopFailure")
EXACT, EXACT_NARROW = re.compile(r"[A-Za-z0-9_\- ,|]*"), re.compile(r"[A-Za-z0-9_|]*")


def matcher_remarks(event: str, matcher: str) -> "Iterator[MatcherRemark]":
    subject = EVENTS[event].matcher
    if not subject:
        if matcher not in ("", "*") and event not in UNDOCUMENTED:
            yield WARNING, f"{event} has nothing to match: the client ignores the matcher", "remove the matcher"
        return
    if event == "FileChanged" and matcher == "*":
        yield WARNING, "FileChanged would watch a file named *", "remove the matcher"
    if matcher in ("", "*"):
        return
    if (EXACT_NARROW if event in NARROW else EXACT).fullmatch(matcher):
        parts = matcher.split("|") if event in NARROW else re.split(r"[|,]", matcher)
        for part in parts:
            yield from _exact(event, subject, part.strip())
    else:
        yield from _regex(event, subject, matcher)


def _exact(event: str, subject: str, name: str) -> "Iterator[MatcherRemark]":
    if subject == "tool_name":
        meant, server = tool_names.misspelt(name), tool_names.server_only(name)
        if meant:
            yield ERROR, f"there is no tool {name}", f"did you mean {meant}?"
        if server:
            yield ERROR, f"{name} is the name of a server, not of a tool", f"write {server}.*"
    known = (VALUES.get(event) or OFTEN.get(event) or "").split()
    if known and name and name not in known:
        close = closest(name, known)
        if close or event in VALUES:
            message = f"{event} never has the value {shown(name)}"
            yield ERROR, message, f"did you mean {close}?" if close else f"its values are {', '.join(known)}"


def _regex(event: str, subject: str, matcher: str) -> "Iterator[MatcherRemark]":
    wrong = wrong_javascript(matcher)
    if wrong:
        yield ERROR, wrong, "a list of names with | is no regular expression"
        return
    rule = re.fullmatch(r"(\w+)\(.*\)", matcher, re.DOTALL)
    if subject == "tool_name" and rule and rule.group(1) in tool_names.KNOWN and not _fits(matcher, tool_names.KNOWN):
        message = "the client compares a matcher only with the tool's name, so this never fits"
        yield ERROR, message, f'write "matcher": "{rule.group(1)}" and "if": "{shown(matcher)}" in the handler'
    values = VALUES.get(event, "").split()
    if values and not _fits(matcher, values):
        yield ERROR, f"the matcher fits no value of {event}", f"its values are {', '.join(values)}"


def _fits(matcher: str, values: list[str]) -> bool:
    """Whether the matcher fits a value; true for a spelling of JavaScript, or one that could take forever."""
    if re.search(r"[+*}]\)*[+*{]", matcher):
        return True
    try:
        return any(re.search(matcher, value) for value in values)
    except (re.error, RecursionError, OverflowError):
        return True


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
    for offset, severity, message, fix in (
        *_specifier(tool, inner, verdict),
        *_path(tool, inner),
        *(_wide(tool, inner) if verdict == "allow" else ()),
    ):
        yield at + offset, severity, message, fix


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
        message = "a star in a tool's name works only in deny and ask"
        yield 0, ERROR, message, "name the tool, or write mcp__SERVER__*"


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
        message = f"the client ignores path rules for {tool}"
        yield 0, ERROR, message, f"write {INSTEAD[tool]}({shown(specifier)})"
    if (
        tool in ("Read", "Edit")
        and re.match(r"/(?!/)", specifier)
        and specifier.split("/")[1] in (*ROOTS, "tmp", "var")
    ):
        message = f"{shown(specifier)} starts at the directory of the settings file"
        yield 0, WARNING, message, f"for a path from the root of the disk write /{shown(specifier)}"


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
        message = f"{words[0]} matches every program whose name begins with {name}"
        yield len(name), WARNING, message, f"for only {name} write {tool}({name} *)"
