"""Parts of Claude Code's settings: matchers, permission rules `Tool` or `Tool(specifier)`, commands of hookkit.

Each check finds what is wrong, and what the client would ignore.
"""

import re
from difflib import SequenceMatcher

from hookkit import registry
from hookkit.events import EVENTS
from hookkit.settings.checks.rules import ROOTS, RUNNERS
from hookkit.settings.documents.finding import ERROR, WARNING, shown
from hookkit.settings.documents.kinds import wrong_regex
from hookkit.settings.rule_rows import KNOWN_TOOLS, misspelt_tool, server_only
from hookkit.shell.resolve import Resolution
from hookkit.system.suggestions import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Remark = tuple[str, str, str]  # severity, message, fix
    RuleRemark = tuple[int, str, str, str]  # offset in the rule, and the same


# -- matchers --

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
# Spellings of JavaScript with their equivalent in Python, only for the check.
JAVASCRIPT = (
    (r"\(\?<(?=[A-Za-z_$])", "(?P<"),
    (r"\\k<(\w+)>", r"(?P=\1)"),
    (r"\\[pP]\{[^}]*\}|\\u\{[0-9A-Fa-f]+\}", "x"),
    (r"\[\^\]", r"[\\s\\S]"),
    (r"(?<!\\)\[\]", r"[^\\s\\S]"),
    (r"\\([A-Za-z])(?<![dDwWsSbBnrtfvxu])", r"\1"),
)
NOT_JAVASCRIPT = r"(?<!\\)\(\?(?:P[<=]|[aiLmsux]+\)|#|>)|(?<!\\)(?:[*+?]|\{\d+(?:,\d*)?\})\+"


def matcher_remarks(event: str, matcher: str) -> "Iterator[Remark]":
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


def _exact(event: str, subject: str, name: str) -> "Iterator[Remark]":
    if subject == "tool_name":
        meant, server = misspelt_tool(name), server_only(name)
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


def _regex(event: str, subject: str, matcher: str) -> "Iterator[Remark]":
    wrong = _wrong_javascript(matcher)
    if wrong:
        yield ERROR, wrong, "a list of names with | is no regular expression"
        return
    rule = re.fullmatch(r"(\w+)\(.*\)", matcher, re.DOTALL)
    if subject == "tool_name" and rule and rule.group(1) in KNOWN_TOOLS and not _fits(matcher, KNOWN_TOOLS):
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


def _wrong_javascript(source: str) -> str:
    foreign = re.search(NOT_JAVASCRIPT, source)
    if foreign:
        return f"not a regular expression of JavaScript: {foreign.group()} at position {foreign.start()}"
    for pattern, written in JAVASCRIPT:
        source = re.sub(pattern, written, source)
    return wrong_regex(source)


# -- permission rules --

RULE = re.compile(r"([^()\s]+)(?:\((.*)\))?", re.DOTALL)
# The client accepts and ignores path rules of these tools; the rules of the second tool cover them.
INSTEAD = {"Write": "Edit", "MultiEdit": "Edit", "NotebookEdit": "Edit", "Glob": "Read"}
PRIMARY = ("command", "file_path", "path", "notebook_path", "url")
PARAMETERS = {
    "Bash": ("timeout", "description", "run_in_background", "dangerouslyDisableSandbox"),
    "Agent": ("model", "subagent_type", "run_in_background", "isolation", "effort", "prompt", "description"),
}
ALL = ("", "*", "**")


def rule_remarks(rule: str, verdict: str) -> "Iterator[RuleRemark]":
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


def _misshapen(rule: str) -> "Iterator[RuleRemark]":
    text = rule.strip()
    if text.count("(") > text.count(")"):
        yield len(rule.rstrip()), ERROR, "expected ) at the end", f"did you mean {shown(text + ')')}?"
    elif re.fullmatch(r"[\w.-]+(?: .*)?", text):
        yield 0, ERROR, "not a rule: Tool or Tool(specifier)", f"did you mean Bash({shown(text)})?"
    else:
        yield 0, ERROR, "not a rule: Tool or Tool(specifier)", ""


def _tool(tool: str, verdict: str) -> "Iterator[RuleRemark]":
    meant = misspelt_tool(tool)
    if meant and tool != "Cd":
        yield 0, ERROR, f"there is no tool {tool}", f"did you mean {meant}?"
    if "*" in tool and verdict == "allow" and not re.match(r"mcp__[^*]+?__", tool):
        message = "a star in a tool's name works only in deny and ask"
        yield 0, ERROR, message, "name the tool, or write mcp__SERVER__*"


def _specifier(tool: str, specifier: str, verdict: str) -> "Iterator[RuleRemark]":
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


def _path(tool: str, specifier: str) -> "Iterator[RuleRemark]":
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


def _wide(tool: str, specifier: str) -> "Iterator[RuleRemark]":
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


# -- commands of hookkit --

OPTIONS = ("--on-error", "--actor", "--agent", "--hooks", "--limit")
FLAGS = ("--later",)  # options without a value
INTERPRETER = re.compile(r"(^|/)python[\d.]*$")  # before the path of a script
PROGRAMS = ("hookkit", "hookkit-hook")  # the command, and the shim of the warm server
LAUNCHER = "/hookkit/hook"  # the end of the launcher script's path
ON_ERROR = ("open", "ask", "deny")
NAME = "hookkit"
CLOSE = 0.75
EVERY = ("custom", "track", "record")  # these hooks answer every event
EXPECTED = [name for name, row in EVENTS.items() if set(row.hooks) - set(EVERY)]


def calls(command: str, arguments: list[str] | None) -> list[list[str]]:
    """The words after each `hookkit` in the command, also under a wrapper such as env."""
    lines = (script(words) for words in programs(command, arguments))
    return [words[1:] for words in lines if words and is_program(words[0])]


def script(words: list[str]) -> list[str]:
    """The words without Python in front and its options: `python -IS /bin/hookkit run` runs hookkit."""
    if not words or not INTERPRETER.search(words[0]):
        return words
    return words[2:] if words[1:2] in (["-E"], ["-ES"], ["-I"], ["-IS"]) else words[1:]


def is_program(name: str) -> bool:
    return name.rpartition("/")[2] in PROGRAMS or name.endswith(LAUNCHER)


def programs(command: str, arguments: list[str] | None) -> list[list[str]]:
    """The words of every program that the command would run."""
    if arguments is not None:
        return [[command, *arguments]]
    return [simple.words for simple in Resolution(command, directory="/", home="/").commands]


def is_hook(name: str) -> bool:
    return name == "run" or registry.exists("hooks", name)


def call_remarks(event: str, words: list[str]) -> "Iterator[Remark]":
    hooks = ["run", *registry.names("hooks")]
    name = words[0] if words else ""
    if name not in hooks:
        yield _stranger(name, hooks)
        return
    if name != "run" and event not in registry.find("hooks", name).EVENTS:
        answers = ", ".join(registry.find("hooks", name).EVENTS)
        yield ERROR, f"hookkit {name} never answers {event}", f"it answers {answers}"
    elif name == "redirect":
        message = "hookkit redirect alone approves a project's own commands, also in a project that you do not trust"
        yield WARNING, message, 'wire hookkit run, or set redirect.allow = "trusted"'
    yield from _options(words[1:])


def _stranger(name: str, hooks: list[str]) -> "Remark":
    people = [other.replace("_", "-") for other in registry.names("cli")]
    if name in people:
        return ERROR, f"hookkit {name} is a command for people: it answers no event", "did you mean hookkit run?"
    close = closest(name, hooks)
    message = f"there is no hookkit {shown(name)}" if name else "hookkit without a command answers no event"
    return ERROR, message, f"did you mean hookkit {close or 'run'}?"


def _options(words: list[str]) -> "Iterator[Remark]":
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word in FLAGS:
            continue
        if name not in OPTIONS:
            close = closest(name, OPTIONS)
            yield WARNING, f"hookkit has no option {shown(name)}", f"did you mean {close}?" if close else ""
            if close and not equals:
                next(rest, "")
            continue
        value = value if equals else next(rest, "")
        if name == "--on-error" and value not in ON_ERROR:
            yield ERROR, f"--on-error takes {', '.join(ON_ERROR)}, not {shown(value)!r}", ""


def misspelt(acts: list[list[str]]) -> "Iterator[Remark]":
    """A program with nearly our name, and a hook as its first word: the client finds no such program, and goes on."""
    for words in acts:
        name = words[0].rpartition("/")[2]
        is_ours = len(words) > 1 and is_hook(words[1])
        if is_ours and not is_program(name) and SequenceMatcher(None, name.lower(), NAME).ratio() >= CLOSE:
            yield ERROR, f"there is no program {shown(name)}", f"did you mean {NAME} {words[1]}?"


def lonely(events: "list[str]") -> "Iterator[Remark]":
    """`events` are the events with `hookkit run`; a single one leaves most of hookkit without a call."""
    if len(set(events)) == 1 and events[0] in EXPECTED:
        missing = ", ".join(name for name in EXPECTED if name != events[0])
        message = f"hookkit run is wired on {events[0]} only, and would also answer {missing}"
        yield WARNING, message, "run: hookkit init"
