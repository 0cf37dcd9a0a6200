"""Claude Code's settings: what the client rejects, ignores or never runs, each with its place."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.events import EVENTS
from hookkit.settings.formats import claude_settings
from tests.settings.formats import mutations

APPROVES = "hookkit redirect alone approves a project's own commands, also in a project that you do not trust"

ROOT = Path(__file__).parents[3]
RUN = {"type": "command", "command": "x"}
WITH_IF = "PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest, PermissionDenied"


def found(document: Any) -> list[tuple[str, str, str]]:
    text = document if isinstance(document, str) else json.dumps(document)
    return [(each.severity, each.message, each.fix) for each in claude_settings.examine("f", text).findings]


def handler(event: str, handler: Any) -> list[tuple[str, str, str]]:
    """What is said of one handler, without its address."""
    said = found({"hooks": {event: [{"hooks": [handler]}]}})
    return [(severity, message.removeprefix(f"hooks.{event}[0].hooks[0]: "), fix) for severity, message, fix in said]


def matcher(event: str, matcher: Any) -> list[tuple[str, str, str]]:
    said = found({"hooks": {event: [{"matcher": matcher, "hooks": [RUN]}]}})
    return [(severity, message.removeprefix(f"hooks.{event}[0]: matcher: "), fix) for severity, message, fix in said]


def test_our_own_example_is_right() -> None:
    assert found((ROOT / "settings.example.json").read_text()) == []


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"model": "opus", "env": {"A": "b"}, "$schema": "x"},
        {"description": "a plugin's", "hooks": {"Stop": [{"hooks": [RUN]}]}},
        {"permissions": {"allow": ["Bash(npm run:*)", "mcp__gh__*", "Read(~/x)", "Edit(src/**)", "Agent(x)"],
                         "deny": ["mcp__*", "Bash(rm *)", "WebFetch(domain:x.com)", "Agent(model:opus)", "Skill(a *)"],
                         "defaultMode": "plan", "additionalDirectories": ["../x"]}},
        {"statusLine": {"type": "command", "command": "x", "padding": 0}},
        {"hooks": {"PreToolUse": [{"matcher": "Edit|Write", "hooks": [
            {"type": "command", "command": "x", "args": ["a"], "if": "Bash(git push *)", "timeout": 0.5,
             "statusMessage": "s", "onFailure": "block"},
            {"type": "http", "url": "http://127.0.0.1:1/", "headers": {"A": "$T"}, "allowedEnvVars": ["T"]},
            {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": 1}},
            {"type": "prompt", "prompt": "p", "model": "m", "continueOnBlock": True},
            {"type": "agent", "prompt": "p"}]}]}},
    ],
)  # fmt: skip
def test_what_the_client_takes_is_right(document: Any) -> None:
    assert found(document) == []


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ([], ("error", "settings: expected a table, not a list", "")),
        ({"hokks": {}}, ("error", "unknown field hokks", "did you mean hooks?")),
        ({"hooks": []}, ("error", "hooks: expected a table, not a list", "")),
        ({"hooks": {"PreToolUs": []}},
         ("error", "hooks: unknown event PreToolUs: the client ignores it", "did you mean PreToolUse?")),
        ({"hooks": {"preToolUse": []}},
         ("error", "hooks: unknown event preToolUse: the client ignores it", "did you mean PreToolUse?")),
        ({"hooks": {"Stop": {}}}, ("error", "hooks.Stop: expected a list, not a table", "")),
        ({"hooks": {"Stop": ["x"]}}, ("error", "hooks.Stop[0]: expected a table, not 'x'", "")),
        ({"hooks": {"Stop": [{"matcher": ""}]}}, ("error", "hooks.Stop[0]: missing hooks", "")),
        ({"hooks": {"Stop": [{"hooks": {}}]}}, ("error", "hooks.Stop[0].hooks: expected a list, not a table", "")),
        ({"hooks": {"Stop": [RUN]}},
         ("error", "hooks.Stop[0]: expected a group of handlers, not a handler: the client ignores it",
          'write {"hooks": [{…}]}')),
        ({"hooks": {"Stop": [{"hooks": [RUN], "nmae": "x"}]}},
         ("warning", "hooks.Stop[0]: unknown field nmae", "known are matcher, hooks")),
        ({"disableAllHooks": "no"}, ("error", "settings: disableAllHooks: expected true or false, not 'no'", "")),
        ({"disableAllHooks": True}, ("warning", "disableAllHooks: true switches every hook off", "")),
        ({"allowManagedHooksOnly": True},
         ("warning", "allowManagedHooksOnly works only in managed settings", "remove it")),
        ({"statusLine": {"type": "comand", "command": "x"}},
         ("error", "statusLine: type: unknown 'comand'", "did you mean command?")),
        ({"statusLine": {"type": "command"}}, ("error", "statusLine: missing command", "")),
        ({"permissions": {"alow": []}}, ("error", "permissions: unknown field alow", "did you mean allow?")),
        ({"permissions": {"allow": "Bash"}}, ("error", "permissions: allow: expected a list of texts, not 'Bash'", "")),
        ({"permissions": {"allow": [5]}}, ("error", "permissions: allow: expected text, not 5", "")),
        ({"permissions": {"defaultMode": "acceptedits"}},
         ("error", "permissions: defaultMode: unknown 'acceptedits'", "did you mean acceptEdits?")),
        ({"permissions": {"allow": ["Bash(rm:*)"], "deny": ["Bash(rm *)"]}},
         ("error", "permissions: allow Bash(rm:*) has no effect: deny has the same rule and wins",
          "remove one of them")),
        ({"allowedHttpHookUrls": ["https://a/*"], "hooks": {"Stop": [{"hooks": [{"type": "http", "url": "https://b"}]}]}},
         ("error", "hooks.Stop[0].hooks[0]: no allowedHttpHookUrls fits https://b, so the handler never runs", "")),
        ({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "hookkit guard"}]},
                                   {"hooks": [{"type": "command", "command": "hookkit record"}]}]}},
         ("warning", "hooks.PreToolUse: hookkit guard and hookkit record both run",
          "hookkit run does the work of both in one process")),
        ({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "hookkit redirect"}]}]}},
         ("warning", f"hooks.PreToolUse[0].hooks[0]: {APPROVES}",
          'wire hookkit run, or set redirect.allow = "trusted"')),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_named(document: Any, expected: tuple[str, str, str]) -> None:
    assert found(document) == [expected]


@pytest.mark.parametrize(
    ("event", "value", "expected"),
    [
        ("Stop", {"command": "x"}, ("error", "missing type", "")),
        ("Stop", {"type": "comand", "command": "x"}, ("error", "type: unknown 'comand'", "did you mean command?")),
        ("Stop", {"type": "command"}, ("error", "missing command", "")),
        ("Stop", {"type": "command", "command": " "}, ("error", "command: expected text, not ' '", "")),
        ("Stop", {"type": "http"}, ("error", "missing url", "")),
        ("Stop", {"type": "prompt"}, ("error", "missing prompt", "")),
        ("Stop", {"type": "mcp_tool", "server": "s"}, ("error", "missing tool", "")),
        ("Stop", {**RUN, "args": "x"}, ("error", "args: expected a list of texts, not 'x'", "")),
        ("Stop", {**RUN, "timout": 5}, ("warning", "unknown field timout", "did you mean timeout?")),
        ("Stop", {**RUN, "timeout": 0}, ("error", "timeout: expected a number of seconds above 0, not 0", "")),
        ("Stop", {**RUN, "timeout": "5"}, ("error", "timeout: expected a number of seconds above 0, not '5'", "")),
        ("Stop", {**RUN, "timeout": 5000}, ("warning", "timeout: 5000 is in seconds", "not in milliseconds")),
        ("Stop", {**RUN, "once": True}, ("warning", "once works only in the hooks of a skill", "remove once")),
        ("Stop", {**RUN, "if": "Bash(git *)"},
         ("error", "a handler with if never runs on Stop", f"if works on {WITH_IF}")),
        ("Stop", {**RUN, "onFailure": "block"}, ("warning", "onFailure has no effect on Stop", "remove onFailure")),
        ("PreToolUse", {**RUN, "onFailure": "blok"}, ("error", "onFailure: unknown 'blok'", "did you mean block?")),
        ("PreToolUse", {**RUN, "onFailure": "block", "async": True},
         ("warning", "onFailure has no effect on an async hook", "remove onFailure")),
        ("PreToolUse", {**RUN, "if": "Bash(git"},
         ("error", "Bash(git: expected ) at the end", "did you mean Bash(git)?")),
        ("PreToolUse", {**RUN, "if": "Bash|Read"},
         ("error", "Bash|Read: a rule is about one tool", "write a rule for each")),
        ("SessionStart", {"type": "http", "url": "https://x"},
         ("error", "the client skips http on SessionStart", "use command")),
        ("SessionStart", {"type": "prompt", "prompt": "x"},
         ("error", "the client refuses prompt on SessionStart", "use command")),
        ("PreCompact", {"type": "agent", "prompt": "x"},
         ("error", "the client refuses agent on PreCompact", "use command")),
        ("PermissionRequest", {"type": "agent", "prompt": "x"},
         ("error", "the client refuses agent on PermissionRequest", "use command")),
        ("PermissionRequest", {"type": "prompt", "prompt": "x"},
         ("error", "prompt has no effect on PermissionRequest", "use command")),
        ("Stop", {"type": "http", "url": "x"}, ("error", "url: expected http:// or https://, not x", "")),
        ("Stop", {"type": "http", "url": "https://x", "headers": {"A": "Bearer ${TOKEN}"}},
         ("warning", "headers: $TOKEN stays empty", 'add "TOKEN" to allowedEnvVars')),
        ("Stop", {**RUN, "command": "a b", "args": ["c"]},
         ("warning", "with args the whole command is the name of one program", "move the other words to args")),
        ("Stop", {**RUN, "shell": "bash", "args": []}, ("warning", "with args there is no shell", "remove shell")),
        # our own commands
        ("PreToolUse", {**RUN, "command": "hookkit gaurd"},
         ("error", "there is no hookkit gaurd", "did you mean hookkit guard?")),
        ("PreToolUse", {**RUN, "command": "hookkit"},
         ("error", "hookkit without a command answers no event", "did you mean hookkit run?")),
        ("PreToolUse", {**RUN, "command": "/opt/bin/hookkit validate"},
         ("error", "hookkit validate is a command for people: it answers no event", "did you mean hookkit run?")),
        ("PreToolUse", {**RUN, "command": "cd x && env A=1 hookkit nudge"},
         ("error", "hookkit nudge never answers PreToolUse", "it answers UserPromptSubmit")),
        ("PreToolUse", {**RUN, "command": "hookkit", "args": ["nudge"]},
         ("error", "hookkit nudge never answers PreToolUse", "it answers UserPromptSubmit")),
        ("PreToolUse", {**RUN, "command": "hookkit guard --on-error=dney"},
         ("error", "--on-error takes open, ask, deny, not 'dney'", "")),
        ("PreToolUse", {**RUN, "command": "hookkit guard --on-eror deny"},
         ("warning", "hookkit has no option --on-eror", "did you mean --on-error?")),
        ("PreToolUse", {**RUN, "command": "hookkit guard", "async": True},
         ("error", "the client ignores the decision of an async hook", "remove async")),
    ],
)  # fmt: skip
def test_a_mistake_in_a_handler_is_named(event: str, value: Any, expected: tuple[str, str, str]) -> None:
    assert handler(event, value) == [expected]


@pytest.mark.parametrize("event", [*EVENTS])
def test_a_plain_command_is_taken_on_every_event(event: str) -> None:
    assert handler(event, RUN) == []


@pytest.mark.parametrize(
    "value",
    [
        "",
        "*",
        "Bash",
        "Edit|Write",
        "Bash, Read",
        "mcp__memory__.*",
        "^Bash$",
        "(?<tool>Bash)",
        r"\p{L}+",
        "mine",
        "Task",
    ],
)
def test_a_matcher_that_the_client_takes_is_right(value: str) -> None:
    assert matcher("PreToolUse", value) == []


@pytest.mark.parametrize(
    ("event", "value", "expected"),
    [
        ("Stop", "x", ("warning", "Stop has nothing to match: the client ignores the matcher", "remove the matcher")),
        ("PreToolUse", "bash", ("error", "there is no tool bash", "did you mean Bash?")),
        ("PreToolUse", "mcp__memory",
         ("error", "mcp__memory is the name of a server, not of a tool", "write mcp__memory__.*")),
        ("PreToolUse", "*Bash", ("error", "not a regular expression: nothing to repeat at position 0",
                                 "a list of names with | is no regular expression")),
        ("PreToolUse", "(?i)bash", ("error", "not a regular expression of JavaScript: (?i) at position 0",
                                    "a list of names with | is no regular expression")),
        ("PreToolUse", "Bash(git *)",
         ("error", "the client compares a matcher only with the tool's name, so this never fits",
          'write "matcher": "Bash" and "if": "Bash(git *)" in the handler')),
        ("PreToolUse", 5, ("error", "expected any text, not 5", "")),
        ("SessionStart", "start", ("error", "SessionStart never has the value start", "did you mean startup?")),
        ("PreCompact", "never", ("error", "PreCompact never has the value never", "its values are manual, auto")),
        ("PreCompact", "^aut$", ("error", "the matcher fits no value of PreCompact", "its values are manual, auto")),
        ("Notification", "idle_promt",
         ("error", "Notification never has the value idle_promt", "did you mean idle_prompt?")),
        ("FileChanged", "*", ("warning", "FileChanged would watch a file named *", "remove the matcher")),
    ],
)  # fmt: skip
def test_a_matcher_that_never_fits_is_named(event: str, value: Any, expected: tuple[str, str, str]) -> None:
    assert matcher(event, value) == [expected]


@pytest.mark.parametrize(
    ("verdict", "rule", "expected"),
    [
        ("allow", "Write(src/**)",
         ("error", "the client ignores path rules for Write", "write Edit(src/**)")),
        ("deny", "NotebookEdit(x)",
         ("error", "the client ignores path rules for NotebookEdit", "write Edit(x)")),
        ("deny", "Glob(src/**)", ("error", "the client ignores path rules for Glob", "write Read(src/**)")),
        ("allow", "Bsh(x)", ("error", "there is no tool Bsh", "did you mean Bash?")),
        ("allow", "git push", ("error", "not a rule: Tool or Tool(specifier)", "did you mean Bash(git push)?")),
        ("allow", "B*", ("error", "a star in a tool's name works only in deny and ask",
                         "name the tool, or write mcp__SERVER__*")),
        ("allow", "Agent(model:opus)", ("error", "model: works only in deny and ask", "")),
        ("deny", "Bash(command:rm *)",
         ("error", "the client ignores command: here", "write Bash(rm *)")),
        ("deny", "Bash(npm:* run)", ("error", ":* means a prefix only at the end", "write *")),
        ("deny", "WebSearch(x)", ("error", "WebSearch takes no specifier", "write WebSearch")),
        ("deny", "WebFetch(https://x.com/y)",
         ("error", "WebFetch rules are about a domain", "write WebFetch(domain:x.com)")),
        ("deny", "Read(/etc/passwd)", ("warning", "/etc/passwd starts at the directory of the settings file",
                                       "for a path from the root of the disk write //etc/passwd")),
        ("allow", "Bash", ("warning", "this allows every command", "name the programs")),
        ("allow", "Bash(sudo:*)", ("warning", "sudo can run anything", "name the programs that it may run")),
        ("allow", "Bash(ls*)",
         ("warning", "ls* matches every program whose name begins with ls", "for only ls write Bash(ls *)")),
    ],
)  # fmt: skip
def test_a_permission_rule_that_is_none_is_named(verdict: str, rule: str, expected: tuple[str, str, str]) -> None:
    severity, message, fix = expected
    assert found({"permissions": {verdict: [rule]}}) == [(severity, f"{rule}: {message}", fix)]


def test_places_are_those_of_the_nodes() -> None:
    text = '{\n "hooks": {\n  "Stop": [{"hooks": [\n   {"type": "command", "command": "x", "timeout": -1}]}]\n }\n}'
    (each,) = claude_settings.examine("f", text).findings
    assert (each.line, each.column) == (4, 51)
    text = '{"permissions": {"allow": [\n  "Bash(ls",\n  "Bash(ls *)"]}}'
    (each,) = claude_settings.examine("f", text).findings
    assert (each.line, each.column) == (2, 11)


DOCUMENT = {
    "permissions": {"allow": ["Bash(ls *)"], "deny": ["Read(x)"], "defaultMode": "plan"},
    "allowedHttpHookUrls": ["https://*"],
    "statusLine": {"type": "command", "command": "x"},
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{"type": "command", "command": "hookkit run", "args": ["a"], "if": "Bash(x)"}],
            },
            {"hooks": [{"type": "http", "url": "https://x", "headers": {"A": "$B"}, "timeout": 5}]},
        ],
        "Stop": [{"hooks": [{"type": "prompt", "prompt": "x", "once": True}]}],
    },
}


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_value_in_any_place_is_no_crash(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([*mutations.places(DOCUMENT)]))
    changed = mutations.put(DOCUMENT, path, data.draw(mutations.values), data.draw(st.none() | st.just("hook")))
    findings = claude_settings.examine("f", json.dumps(changed, indent=1)).findings
    assert all(each.line >= 1 and each.column >= 1 and each.message for each in findings)


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=40))
def test_any_matcher_and_any_rule_is_no_crash(text: str) -> None:
    matcher("PreToolUse", text)
    found({"permissions": {"allow": [text]}})
    handler("PreToolUse", {**RUN, "command": text, "if": text})
