"""Matchers in the client's settings that can never fit their event."""

import re

from hookkit.checking.regexes import wrong_javascript
from hookkit.documents.finding import ERROR, WARNING, shown
from hookkit.events import EVENTS
from hookkit.settings import tool_names
from hookkit.system.suggestions import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Remark = tuple[str, str, str]  # severity, message, fix

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


def remarks(event: str, matcher: str) -> "Iterator[Remark]":
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
        meant, server = tool_names.misspelt(name), tool_names.server_only(name)
        if meant:
            yield ERROR, f"there is no tool {name}", f"did you mean {meant}?"
        if server:
            yield ERROR, f"{name} is the name of a server, not of a tool", f"write {server}.*"
    known = (VALUES.get(event) or OFTEN.get(event) or "").split()
    if known and name and name not in known:
        close = closest(name, known)
        if close or event in VALUES:
            said = f"{event} never has the value {shown(name)}"
            yield ERROR, said, f"did you mean {close}?" if close else f"its values are {', '.join(known)}"


def _regex(event: str, subject: str, matcher: str) -> "Iterator[Remark]":
    wrong = wrong_javascript(matcher)
    if wrong:
        yield ERROR, wrong, "a list of names with | is no regular expression"
        return
    rule = re.fullmatch(r"(\w+)\(.*\)", matcher, re.DOTALL)
    if subject == "tool_name" and rule and rule.group(1) in tool_names.KNOWN and not _fits(matcher, tool_names.KNOWN):
        said = "the client compares a matcher only with the tool's name, so this never fits"
        yield ERROR, said, f'write "matcher": "{rule.group(1)}" and "if": "{shown(matcher)}" in the handler'
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
