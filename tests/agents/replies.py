"""What each agent accepts as a reply and does with it, as the agents were seen to behave: the judge of `render`.

`SCHEMAS` closes every reply: a field that is not listed is a mistake, even where the agent would only ignore it.
`effect` says what the agent makes of a reply: the tool or the turn is stopped, a person is asked, the input is changed.
"""

import json
from typing import Any

from tests.agents.samples import Sample

TEXT = {"type": "string"}
REASON = {"type": "string", "minLength": 1}
ANY = {"type": "object"}


def closed(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "additionalProperties": False, "minProperties": 1}


def needs(schema: dict[str, Any], *fields: str) -> dict[str, Any]:
    return {**schema, "required": list(fields)}


def hso(name: str, **fields: Any) -> dict[str, Any]:
    return needs(closed(hookEventName={"const": name}, **fields), "hookEventName")


def block(**fields: Any) -> dict[str, Any]:
    """`decision: block` with a reason, or neither."""
    schema = closed(decision={"const": "block"}, reason=REASON, **fields)
    return {**schema, "dependentRequired": {"decision": ["reason"], "reason": ["decision"]}}


def verdicts(*names: str) -> dict[str, Any]:
    return {"permissionDecision": {"enum": list(names)}, "permissionDecisionReason": TEXT}


NOTE = {"systemMessage": TEXT}
CONTEXT = {"additionalContext": REASON}
REQUEST = closed(behavior={"enum": ["allow", "deny"]}, message=REASON)
CODEX_PRE = {
    **hso("PreToolUse", permissionDecision={"enum": ["deny", "allow"]}, permissionDecisionReason=REASON,
          updatedInput=needs(ANY, "command"), **CONTEXT),
    "allOf": [
        {"if": needs({"properties": {"permissionDecision": {"const": "allow"}}}, "permissionDecision"),
         "then": {"required": ["updatedInput"]}},
        {"if": {"required": ["updatedInput"]},
         "then": needs({"properties": {"permissionDecision": {"const": "allow"}}}, "permissionDecision")},
        {"if": {"required": ["permissionDecision"]}, "then": {"required": ["permissionDecisionReason"]}},
    ],
}  # fmt: skip
GEMINI_VERDICT = {"decision": {"enum": ["allow", "ask", "deny"]}, "reason": TEXT, **NOTE}
COPILOT_BLOCK = block(**CONTEXT)
# {agent: {hookkit's event: schema}}; an event that is not listed takes no reply at all.
SCHEMAS: dict[str, dict[str, Any]] = {
    "codex": {
        "PreToolUse": closed(hookSpecificOutput=CODEX_PRE, **NOTE),
        "PermissionRequest": closed(hookSpecificOutput=hso("PermissionRequest", decision=REQUEST), **NOTE),
        "PostToolUse": block(hookSpecificOutput=hso("PostToolUse", **CONTEXT), **NOTE),
        "UserPromptSubmit": block(hookSpecificOutput=hso("UserPromptSubmit", **CONTEXT), **NOTE),
        "SessionStart": closed(hookSpecificOutput=hso("SessionStart", **CONTEXT), **NOTE),
        "Stop": block(**NOTE),
        "SubagentStop": block(**NOTE),
    },
    "gemini": {
        "PreToolUse": closed(hookSpecificOutput=hso("BeforeTool", tool_input=ANY), **GEMINI_VERDICT),
        "PostToolUse": closed(hookSpecificOutput=hso("AfterTool", **CONTEXT), **GEMINI_VERDICT),
        "UserPromptSubmit": closed(hookSpecificOutput=hso("BeforeAgent", **CONTEXT), **GEMINI_VERDICT),
        "SessionStart": closed(hookSpecificOutput=hso("SessionStart", **CONTEXT), **NOTE),
        "Stop": closed(**GEMINI_VERDICT),
        "SessionEnd": closed(**NOTE),
    },
    "qwen": {
        "PreToolUse": closed(hookSpecificOutput=hso("PreToolUse", **verdicts("allow", "ask", "deny"))),
        "PostToolUse": closed(
            hookSpecificOutput=hso("PostToolUse", **CONTEXT), **{"continue": {"const": False}, "stopReason": REASON}
        ),
        "PostToolUseFailure": closed(hookSpecificOutput=hso("PostToolUseFailure", **CONTEXT)),
        "UserPromptSubmit": block(hookSpecificOutput=hso("UserPromptSubmit", **CONTEXT)),
        "SessionStart": closed(hookSpecificOutput=hso("SessionStart", **CONTEXT)),
        "Stop": block(),
    },
    "copilot": {
        "PreToolUse": closed(modifiedArgs=ANY, **verdicts("allow", "ask", "deny"), **CONTEXT),
        "PermissionRequest": REQUEST,
        "PostToolUse": block(modifiedResult=ANY, **CONTEXT),
        "PostToolUseFailure": closed(**CONTEXT),
        "UserPromptSubmit": COPILOT_BLOCK,
        "SessionStart": closed(**CONTEXT),
        "SubagentStart": closed(**CONTEXT),
        "Stop": block(),
        "SubagentStop": block(),
    },
    "droid": {
        "PreToolUse": closed(hookSpecificOutput=hso("PreToolUse", updatedInput=ANY, **verdicts("allow", "deny"))),
        "PostToolUse": closed(hookSpecificOutput=hso("PostToolUse", **CONTEXT)),
        "UserPromptSubmit": block(hookSpecificOutput=hso("UserPromptSubmit", **CONTEXT)),
        "SessionStart": closed(hookSpecificOutput=hso("SessionStart", **CONTEXT)),
        "Stop": block(),
    },
    "kimi": {
        "PreToolUse": closed(hookSpecificOutput=hso("PreToolUse", **verdicts("deny"))),
        "UserPromptSubmit": TEXT,
    },
    "cline": {
        "PreToolUse": closed(cancel={"const": True}, errorMessage=REASON, overrideInput=ANY,
                             contextModification=REASON),
        "PostToolUse": closed(contextModification=REASON),
    },
    "vibe": {
        "PreToolUse": closed(decision={"const": "deny"}, reason=REASON, system_message=TEXT,
                             hook_specific_output=closed(tool_input=ANY)),
        "PostToolUse": closed(decision={"const": "deny"}, reason=REASON, system_message=TEXT,
                              hook_specific_output=closed(additional_context=REASON)),
        "Stop": closed(decision={"const": "deny"}, reason=REASON, system_message=TEXT),
    },
    "cursor": {
        "PreToolUse": closed(permission={"enum": ["allow", "ask", "deny"]}, user_message=TEXT, agent_message=TEXT,
                             updated_input=ANY),
        "PostToolUse": closed(additional_context=REASON),
        "UserPromptSubmit": closed(**{"continue": {"const": False}}, user_message=TEXT, additional_context=REASON),
        "SessionStart": closed(additional_context=REASON),
        "Stop": closed(followup_message=REASON),
    },
    "cocode": dict.fromkeys(
        ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"),
        closed(Reject=needs(closed(reason=REASON), "reason"), ModifyInput=needs(closed(new_input=ANY), "new_input")),
    ),
    "grok": {
        "PreToolUse": closed(hookSpecificOutput=hso("PreToolUse", updatedInput=ANY, **verdicts("deny"), **CONTEXT)),
        "PostToolUse": closed(hookSpecificOutput=hso("PostToolUse", **CONTEXT)),
        "UserPromptSubmit": block(),
        "Stop": block(),
    },
    "goose": {"PreToolUse": needs(block(), "decision"), "Stop": needs(block(), "decision")},
    "opencode": {
        "PreToolUse": closed(deny=REASON, args=ANY, context=REASON),
        "PostToolUse": closed(deny=REASON, context=REASON, output=TEXT),
        "UserPromptSubmit": closed(deny=REASON, context=REASON),
        "SessionStart": closed(context=REASON),
        "Stop": closed(deny=REASON),
    },
}  # fmt: skip
SCHEMAS["crush"] = {"PreToolUse": needs(closed(version={"const": 1}, decision={"enum": ["allow", "deny"]}, reason=TEXT,
                                               context=REASON, updated_input=ANY), "version")}  # fmt: skip
SCHEMAS["auggie"] = {
    "PreToolUse": closed(hookSpecificOutput=hso("PreToolUse", updatedInput=ANY, **verdicts("allow", "deny"))),
    "PostToolUse": closed(hookSpecificOutput=hso("PostToolUse", **CONTEXT)),
    "Stop": closed(hookSpecificOutput=hso("Stop", decision={"const": "block"}, reason=REASON)),
}
SCHEMAS["kilo"] = SCHEMAS["opencode"]
SCHEMAS["pi"] = {name: schema for name, schema in SCHEMAS["opencode"].items() if name != "Stop"}
SCHEMAS["amp"] = {"PreToolUse": SCHEMAS["opencode"]["PreToolUse"]}
SCHEMAS["letta"] = {
    "PreToolUse": closed(hookSpecificOutput=hso("PreToolUse", updatedInput=ANY)),
    "PostToolUse": closed(hookSpecificOutput=hso("PostToolUse", **CONTEXT)),
    "UserPromptSubmit": TEXT,
}
SCHEMAS["kiro"] = {"UserPromptSubmit": TEXT, "SessionStart": TEXT}
SCHEMAS["junie"] = {
    "PreToolUse": needs(block(hookSpecificOutput=hso("PreToolUse", **verdicts("deny"))), "decision"),
    "Stop": needs(block(), "decision"),
}
SCHEMAS["hermes"] = {"PreToolUse": needs(block(), "decision"), "Stop": needs(block(), "decision")}
SCHEMAS["agy"] = {
    "PreToolUse": needs(closed(decision={"enum": ["", "deny", "force_ask"]}, reason=TEXT), "decision"),
    "Stop": needs(closed(decision={"enum": ["", "continue"]}, reason=REASON), "decision"),
}
STOPPED, ASKED, CHANGED, RUNS = "stopped", "asked", "changed", "runs"


def read(sample: Sample, reply: str) -> Any:
    """The reply as the agent takes it: JSON, or plain text where the agent takes plain text."""
    plain = SCHEMAS[sample.agent].get(sample.name) is TEXT
    return reply if plain else json.loads(reply) if reply else {}


EXITS = ("hermes", "junie", "kiro", "letta")  # agents that stop a call by exit code 2


def effect(sample: Sample, reply: Any, code: int = 0) -> str:
    """What the agent does, by the fields that it was seen to obey. It knows nothing of hookkit's own tables."""
    if code == 2 and sample.agent in EXITS:
        return STOPPED
    if not isinstance(reply, dict):
        return RUNS
    own = reply.get("hookSpecificOutput") or reply.get("hook_specific_output") or {}
    words = {reply.get("decision"), reply.get("permissionDecision"), own.get("permissionDecision")}
    inner = own.get("decision")
    words |= {
        reply.get("permission"),
        reply.get("behavior"),
        inner.get("behavior") if isinstance(inner, dict) else inner,
    }
    if sample.agent == "agy" and reply.get("decision") == "continue":
        return STOPPED
    stops = ("cancel", "deny", "Reject", "followup_message")
    if words & {"deny", "block"} or any(reply.get(name) for name in stops) or reply.get("continue") is False:
        return STOPPED
    if words & {"ask", "force_ask"}:
        return ASKED
    changes = (reply, "modifiedArgs updated_input overrideInput args ModifyInput"), (own, "updatedInput tool_input")
    return CHANGED if any(name in place for place, names in changes for name in names.split()) else RUNS
