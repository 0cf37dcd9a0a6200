"""Events in the shape that each agent sends, with what hookkit must read in them."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sample:
    agent: str
    native: str
    value: dict[str, Any]
    name: str
    tool: str = ""
    tool_input: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)  # further fields under hookkit's names
    cwd: str = "/srv/app"

    def __str__(self) -> str:
        return f"{self.agent}-{self.native}-{self.tool or 'no-tool'}"


def letta(native: str, **more: Any) -> dict[str, Any]:
    return {"event_type": native, "working_directory": "/srv/app", "agent_id": "agent-1", **more}


def kiro(native: str, **more: Any) -> dict[str, Any]:
    return {"session_id": "sess_1", "hook_event_name": native, "cwd": "/srv/app", **more}


def junie(native: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": native, "project_path": "/srv/app", "cwd": "/home/u/.junie", **more}


def hermes(native: str, **more: Any) -> dict[str, Any]:
    call = {"tool_name": "terminal", "tool_input": LS}
    return {"hook_event_name": native, **call, "session_id": "h-1", "cwd": "/srv/app", "extra": {}, **more}


def agy(**more: Any) -> dict[str, Any]:
    place = {"workspacePaths": ["/srv/app"], "artifactDirectoryPath": "/home/u/.gemini/a", "modelName": "m"}
    return {"conversationId": "y-1", "transcriptPath": "/home/u/.gemini/antigravity-cli/t.jsonl", **place, **more}


def codex(native: str, **more: Any) -> dict[str, Any]:
    path = "/home/u/.codex/sessions/2026/01/02/rollout-7.jsonl"
    base = {"session_id": "c-1", "transcript_path": path, "cwd": "/srv/app", "hook_event_name": native}
    turn = {} if native.startswith("Session") else {"turn_id": "t-1", "model": "m", "permission_mode": "default"}
    return {**base, **turn, **more}


def gemini(native: str, **more: Any) -> dict[str, Any]:
    path = "/home/u/.gemini/tmp/app/chats/session-1.jsonl"
    base = {"session_id": "g-1", "transcript_path": path, "cwd": "/srv/app", "hook_event_name": native}
    return {**base, "timestamp": "2026-01-02T03:04:05.000Z", **more}


def qwen(native: str, **more: Any) -> dict[str, Any]:
    path = "/home/u/.qwen/projects/-srv-app/chats/q-1.jsonl"
    base = {"session_id": "q-1", "transcript_path": path, "cwd": "/srv/app", "hook_event_name": native}
    return {**base, "timestamp": "2026-01-02T03:04:05.000Z", "permission_mode": "yolo", **more}


def copilot(**more: Any) -> dict[str, Any]:
    return {"sessionId": "p-1", "timestamp": 1767323045000, "cwd": "/srv/app", **more}


def pascal(native: str, **more: Any) -> dict[str, Any]:
    base = {"hook_event_name": native, "session_id": "p-2", "timestamp": "2026-01-02T03:04:05.000Z"}
    return {**base, "cwd": "/srv/app", **more}


def droid(native: str, **more: Any) -> dict[str, Any]:
    path = "/home/u/.factory/sessions/-srv-app/d-1.jsonl"
    base = {"session_id": "d-1", "transcript_path": path, "cwd": "/srv/app", "hook_event_name": native}
    return {**base, "permission_mode": "auto-low", **more}


def kimi(native: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": native, "session_id": "k-1", "cwd": "/srv/app", "client_type": "kimi_code_cli", **more}


def cline(word: str, **more: Any) -> dict[str, Any]:
    base = {"clineVersion": "", "taskId": "l-1", "workspaceRoots": ["/srv/app"], "userId": "somebody"}
    return {**base, "hookName": word, **more}


def vibe(native: str, **more: Any) -> dict[str, Any]:
    base = {"session_id": "v-1", "transcript_path": "/home/u/.vibe/logs/v-1", "cwd": "/srv/app"}
    return {**base, "parent_session_id": None, "hook_event_name": native, **more}


def cursor(native: str, **more: Any) -> dict[str, Any]:
    base = {"conversation_id": "u-1", "generation_id": "n", "cursor_version": "2.0", "user_email": "a@example.org"}
    return {**base, "hook_event_name": native, "workspace_roots": ["/srv/app"], **more}


def cocode(native: str, **more: Any) -> dict[str, Any]:
    return {"event": native, "session_id": "o-1", "cwd": "/srv/app", "env": {"TOKEN": "secret"}, **more}


def opencode(hook: str, given: Any = None, output: Any = None, **more: Any) -> dict[str, Any]:
    base = {"hook": hook, "input": {"sessionID": "ses_1", **(given or {})}, "output": output or {}}
    return {**base, "directory": "/srv/app", **more}


def grok(native: str, **more: Any) -> dict[str, Any]:
    """Every field in two spellings, but for some that have one."""
    own = "".join(f"_{char.lower()}" if char.isupper() else char for char in native).lstrip("_")
    path = "/home/u/.grok/sessions/app/r-1/updates.jsonl"
    base = {"session_id": "r-1", "transcript_path": path, "permission_mode": "default", **more}
    camel = {"".join(part.title() if at else part for at, part in enumerate(name.split("_"))): value
             for name, value in base.items()}  # fmt: skip
    times = {"timestamp": "2026-01-02T03:04:05.1+00:00", "workspaceRoot": "/srv/app"}
    return {"hookEventName": own, **camel, **base, **times, "cwd": "/srv/app", "hook_event_name": native}


def goose(native: str, context: str | None = None, **more: Any) -> dict[str, Any]:
    return {"event": native, "session_id": "20260102_1", "matcher_context": context, **more}


def crush(**more: Any) -> dict[str, Any]:
    return {"event": "PreToolUse", "session_id": "313909e", "cwd": "/srv/app", **more}


def auggie(native: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": native, "conversation_id": "a-1", "workspace_roots": ["/srv/app"], **more}


def pi(native: str, **more: Any) -> dict[str, Any]:
    return {"extension": "pi", "type": native, "session": "i-1", "directory": "/srv/app", **more}


def amp(native: str, **more: Any) -> dict[str, Any]:
    return {"extension": "amp", "type": native, "session": "T-1", "directory": "/srv/app", **more}


LS = {"command": "ls"}
LIST = {"command": "ls", "description": "list"}
PATCH = "*** Begin Patch\n*** Add File: new.txt\n+x\n*** Update File: a.py\n*** Move to: b.py\n*** Delete File: .env\n"
TOUCHED = {"patch": PATCH, "files": ["new.txt", "a.py", "b.py"], "deleted": [".env"]}
PRE, POST = "PreToolUse", "PostToolUse"

SAMPLES = (
    Sample("codex", "SessionStart", codex("SessionStart", source="startup"), "SessionStart"),
    Sample("codex", "UserPromptSubmit", codex("UserPromptSubmit", prompt="go"), "UserPromptSubmit"),
    Sample("codex", PRE, codex(PRE, tool_name="Bash", tool_input=LS, tool_use_id="1"), PRE, "Bash", LS),
    Sample("codex", PRE, codex(PRE, tool_name="apply_patch", tool_input={"command": PATCH}),
           PRE, "apply_patch", TOUCHED),
    Sample("codex", PRE, codex(PRE, tool_name="spawn_agent", tool_input={"message": "m"}),
           PRE, "Agent", {"prompt": "m"}),
    Sample("codex", "PermissionRequest", codex("PermissionRequest", tool_name="Bash", tool_input=LIST),
           "PermissionRequest", "Bash", LIST),
    Sample("codex", POST, codex(POST, tool_name="Bash", tool_input=LS, tool_response="a\n"), POST, "Bash", LS),
    Sample("codex", "Stop", codex("Stop", stop_hook_active=False), "Stop"),
    Sample("codex", "SubagentStop", codex("SubagentStop", agent_id="x"), "SubagentStop"),
    Sample("codex", "PreCompact", codex("PreCompact", trigger="auto"), "PreCompact"),
    Sample("codex", "SessionEnd", codex("SessionEnd", reason="other"), "SessionEnd"),
    Sample("gemini", "SessionStart", gemini("SessionStart", source="startup"), "SessionStart"),
    Sample("gemini", "BeforeAgent", gemini("BeforeAgent", prompt="go"), "UserPromptSubmit"),
    Sample("gemini", "BeforeTool", gemini("BeforeTool", tool_name="run_shell_command", tool_input=LIST),
           PRE, "Bash", LIST),
    Sample("gemini", "BeforeTool",
           gemini("BeforeTool", tool_name="run_shell_command", tool_input={**LS, "dir_path": "web/ui"}),
           PRE, "Bash", LS, cwd="/srv/app/web/ui"),
    Sample("gemini", "BeforeTool", gemini("BeforeTool", tool_name="read_file", tool_input={"file_path": ".env"}),
           PRE, "Read", {"file_path": ".env"}),
    Sample("gemini", "AfterTool",
           gemini("AfterTool", tool_name="run_shell_command", tool_input=LIST, tool_response={"llmContent": "a"}),
           POST, "Bash", LIST),
    Sample("gemini", "AfterAgent", gemini("AfterAgent", prompt="go", prompt_response="bye", stop_hook_active=False),
           "Stop", fields={"last_assistant_message": "bye"}),
    Sample("gemini", "PreCompress", gemini("PreCompress", trigger="auto"), "PreCompress"),
    Sample("gemini", "SessionEnd", gemini("SessionEnd", reason="exit"), "SessionEnd"),
    Sample("qwen", "SessionStart", qwen("SessionStart", source="startup"), "SessionStart"),
    Sample("qwen", "UserPromptSubmit", qwen("UserPromptSubmit", prompt="go", submitted_prompt="go"),
           "UserPromptSubmit"),
    Sample("qwen", "UserPromptSubmit", qwen("UserPromptSubmit", prompt=""), ""),
    Sample("qwen", PRE, qwen(PRE, tool_name="run_shell_command", tool_input=LIST, tool_use_id="1"), PRE, "Bash", LIST,
           {"permission_mode": "bypassPermissions"}),
    Sample("qwen", PRE, qwen(PRE, tool_name="write_file", tool_input={"file_path": "a", "content": "b"}),
           PRE, "Write", {"file_path": "a", "content": "b"}),
    Sample("qwen", POST, qwen(POST, tool_name="run_shell_command", tool_input=LIST), POST, "Bash", LIST),
    Sample("qwen", "PostToolUseFailure", qwen("PostToolUseFailure", tool_name="edit", tool_input={}, error="no"),
           "PostToolUseFailure", "Edit"),
    Sample("qwen", "Stop", qwen("Stop", stop_hook_active=False), "Stop"),
    Sample("copilot", "sessionStart", copilot(source="new", initialPrompt="go"), "SessionStart"),
    Sample("copilot", "userPromptSubmitted", copilot(prompt="go"), "UserPromptSubmit"),
    Sample("copilot", "userPromptTransformed", copilot(prompt="go", transformedPrompt="x"), "userPromptTransformed"),
    Sample("copilot", "preToolUse", copilot(toolName="bash", toolArgs=LIST), PRE, "Bash", LIST),
    Sample("copilot", "preToolUse", copilot(toolName="bash", toolArgs='{"command": "ls"}'), PRE, "Bash", LS),
    Sample("copilot", "preToolUse", copilot(toolName="create", toolArgs={"path": "/x", "file_text": "t"}),
           PRE, "Write", {"file_path": "/x", "content": "t"}),
    Sample("copilot", "preToolUse",
           copilot(toolName="str_replace_editor", toolArgs={"command": "create", "path": "/x", "new_str": "t"}),
           PRE, "Edit", {"file_path": "/x", "new_string": "t"}),
    Sample("copilot", "preToolUse", copilot(toolName="powershell", toolArgs=LS), PRE, "PowerShell", LS),
    Sample("copilot", "permissionRequest",
           copilot(hookName="permissionRequest", toolName="bash", toolInput=LS, permissionSuggestions=[]),
           "PermissionRequest", "Bash", LS),
    Sample("copilot", "postToolUse", copilot(toolName="bash", toolArgs=LS, toolResult={"resultType": "success"}),
           POST, "Bash", LS, {"tool_response": {"resultType": "success"}}),
    Sample("copilot", "postToolUseFailure", copilot(toolName="view", toolArgs={"path": "/x"}, error="none"),
           "PostToolUseFailure", "Read", {"file_path": "/x"}, {"error": "none"}),
    Sample("copilot", "agentStop", copilot(transcriptPath="/t", stopReason="end_turn", stop_hook_active=False), "Stop",
           fields={"transcript_path": "/t"}),
    Sample("copilot", "subagentStart", copilot(agentName="general", agentId="x"), "SubagentStart"),
    Sample("copilot", "subagentStop", copilot(agentName="general", stopReason="end_turn", response="r"),
           "SubagentStop"),
    Sample("copilot", "errorOccurred", copilot(error={"message": "boom"}, errorContext="model_call"), "StopFailure",
           fields={"error": "boom"}),
    Sample("copilot", "sessionEnd", copilot(reason="complete"), "SessionEnd"),
    Sample("copilot", PRE, pascal(PRE, tool_name="Bash", tool_input=LIST), PRE, "Bash", LIST),
    Sample("copilot", PRE, pascal(PRE, tool_name="Read", tool_input={"path": "/x"}), PRE, "Read", {"file_path": "/x"}),
    Sample("copilot", POST, pascal(POST, tool_name="Bash", tool_input=LS, tool_result={"result_type": "success"}),
           POST, "Bash", LS, {"tool_response": {"result_type": "success"}}),
    Sample("copilot", "SessionStart", pascal("SessionStart", source="new", initial_prompt="go"), "SessionStart"),
    Sample("droid", "SessionStart", droid("SessionStart", source="startup"), "SessionStart"),
    Sample("droid", PRE, droid(PRE, tool_name="Execute", tool_input={**LS, "summary": "s"}),
           PRE, "Bash", {**LS, "summary": "s"}, {"permission_mode": "auto"}),
    Sample("droid", PRE, droid(PRE, tool_name="Create", tool_input={"file_path": "a", "content": "b"}),
           PRE, "Write", {"file_path": "a", "content": "b"}),
    Sample("droid", POST, droid(POST, tool_name="Execute", tool_input=LS, tool_response="a"), POST, "Bash", LS),
    Sample("droid", "UserPromptSubmit", droid("UserPromptSubmit", prompt="go"), "UserPromptSubmit"),
    Sample("droid", "Stop", droid("Stop", stop_hook_active=False), "Stop"),
    Sample("kimi", "SessionStart", kimi("SessionStart", source="startup"), "SessionStart"),
    Sample("kimi", "UserPromptSubmit", kimi("UserPromptSubmit", prompt=[{"type": "text", "text": "go"}]),
           "UserPromptSubmit", fields={"prompt": "go"}),
    Sample("kimi", PRE, kimi(PRE, tool_name="Bash", tool_input=LIST, tool_call_id="1"), PRE, "Bash", LIST,
           {"tool_use_id": "1"}),
    Sample("kimi", "PostToolUseFailure", kimi("PostToolUseFailure", tool_name="Bash", tool_input=LS,
                                              error={"message": "exit code: 3"}),
           "PostToolUseFailure", "Bash", LS, {"error": "exit code: 3"}),
    Sample("kimi", "Stop", kimi("Stop", stop_hook_active=False), "Stop"),
    Sample("cline", "TaskStart", cline("agent_start", taskStart={}), "SessionStart"),
    Sample("cline", "PreToolUse",
           cline("tool_call", tool_call={"id": "1", "name": "run_commands", "input": {"commands": ["ls"]}}),
           PRE, "Bash", LS),
    Sample("cline", "PreToolUse",
           cline("tool_call", tool_call={"id": "1", "name": "run_commands", "input": {"commands": ["cd x", "ls"]}}),
           PRE, "Bash", {"command": "(\ncd x\n)\n(\nls\n)"}),
    Sample("cline", "PreToolUse",
           cline("tool_call", tool_call={"name": "read_files", "input": {"files": [{"path": "/a"}, {"path": "/b"}]}}),
           PRE, "Read", {"file_path": ["/a", "/b"]}),
    Sample("cline", "PostToolUse",
           cline("tool_result", tool_result={"name": "run_commands", "input": {"commands": ["ls"]}, "output": []}),
           POST, "Bash", LS, {"tool_response": []}),
    Sample("cline", "TaskComplete", cline("agent_end", turn={"outputText": "bye"}), "Stop",
           fields={"last_assistant_message": "bye"}),
    Sample("cline", "SessionShutdown", cline("session_shutdown"), "SessionEnd"),
    Sample("vibe", "pre_tool", vibe("pre_tool", tool_name="file_system.bash", tool_input=LS, tool_call_id="1"),
           PRE, "Bash", LS, {"tool_use_id": "1"}),
    Sample("vibe", "post_tool",
           vibe("post_tool", tool_name="file_system.bash", tool_input=LS, tool_output={"stdout": ""}),
           POST, "Bash", LS, {"tool_response": {"stdout": ""}}),
    Sample("vibe", "post_agent", vibe("post_agent"), "Stop"),
    Sample("cursor", "preToolUse", cursor("preToolUse", tool_name="Shell", tool_input=LS, cwd="/srv/app"),
           PRE, "Bash", LS),
    Sample("cursor", "beforeShellExecution", cursor("beforeShellExecution", command="ls", cwd="/srv/app"),
           PRE, "Bash", LS),
    Sample("cursor", "beforeMCPExecution", cursor("beforeMCPExecution", tool_name="go", tool_input='{"a": 1}'),
           PRE, "mcp__cursor__go", {"a": 1}),
    Sample("cursor", "beforeReadFile", cursor("beforeReadFile", file_path="/x", content="secret"),
           PRE, "Read", {"file_path": "/x"}),
    Sample("cursor", "postToolUse", cursor("postToolUse", tool_name="Shell", tool_input=LS, tool_output="{}"),
           POST, "Bash", LS),
    Sample("cursor", "beforeSubmitPrompt", cursor("beforeSubmitPrompt", prompt="go"), "UserPromptSubmit"),
    Sample("cursor", "sessionStart", cursor("sessionStart"), "SessionStart"),
    Sample("cursor", "stop", cursor("stop", status="completed"), "Stop"),
    Sample("cocode", PRE, cocode(PRE, tool_name="Bash", tool_input=LS), PRE, "Bash", LS),
    Sample("cocode", POST, cocode(POST, tool_name="Bash", tool_input=LS, tool_output="a"), POST, "Bash", LS),
    Sample("cocode", "UserPromptSubmit", cocode("UserPromptSubmit", user_prompt="go"), "UserPromptSubmit",
           fields={"prompt": "go"}),
    Sample("cocode", "Stop", cocode("Stop"), "Stop"),
    Sample("opencode", "session.created", opencode("session.created"), "SessionStart"),
    Sample("opencode", "chat.message", opencode("chat.message", prompt="go"), "UserPromptSubmit",
           fields={"prompt": "go"}),
    Sample("opencode", "tool.execute.before",
           opencode("tool.execute.before", {"tool": "bash", "callID": "1"}, {"args": LS}), PRE, "Bash", LS,
           {"tool_use_id": "1"}),
    Sample("opencode", "tool.execute.before",
           opencode("tool.execute.before", {"tool": "edit"}, {"args": {"filePath": "/x", "oldString": "a"}}),
           PRE, "Edit", {"file_path": "/x", "old_string": "a"}),
    Sample("opencode", "tool.execute.after",
           opencode("tool.execute.after", {"tool": "bash", "args": LS}, {"output": "a"}), POST, "Bash", LS,
           {"tool_response": "a"}),
    Sample("opencode", "session.idle", opencode("session.idle"), "Stop"),
    Sample("grok", "SessionStart", grok("SessionStart", source="new"), "SessionStart"),
    Sample("grok", "UserPromptSubmit", grok("UserPromptSubmit", prompt="go"), "UserPromptSubmit"),
    Sample("grok", PRE, grok(PRE, tool_name="run_terminal_command", tool_input=LIST, tool_use_id="1"),
           PRE, "Bash", LIST),
    Sample("grok", PRE, grok(PRE, tool_name="read_file", tool_input={"target_file": "/x"}),
           PRE, "Read", {"file_path": "/x"}),
    Sample("grok", POST, grok(POST, tool_name="run_terminal_command", tool_input=LS, tool_response={"exit_code": 0}),
           POST, "Bash", LS),
    Sample("grok", "Stop", grok("Stop", reason="end_turn", stop_hook_active=False), "Stop"),
    Sample("grok", "Stop", grok("Stop", reason="shutdown"), ""),
    Sample("grok", "SessionEnd", grok("SessionEnd", reason="shutdown"), "SessionEnd"),
    Sample("goose", "SessionStart", goose("SessionStart"), "SessionStart", cwd="/here"),
    Sample("goose", "UserPromptSubmit", goose("UserPromptSubmit", "go", message="go"), "UserPromptSubmit",
           fields={"prompt": "go"}, cwd="/here"),
    Sample("goose", PRE, goose(PRE, "shell", tool_name="shell", tool_input=LS, working_dir="/srv/app"),
           PRE, "Bash", LS),
    Sample("goose", PRE, goose(PRE, "edit", tool_name="edit", working_dir="/srv/app",
                               tool_input={"path": "/x", "before": "a", "after": "b"}),
           PRE, "Edit", {"file_path": "/x", "old_string": "a", "new_string": "b"}),
    Sample("goose", POST, goose(POST, "shell", tool_name="shell", tool_input=LS, working_dir="/srv/app"),
           POST, "Bash", LS),
    Sample("auggie", PRE, auggie(PRE, tool_name="launch-process", tool_input={**LS, "cwd": "/srv/app/x", "wait": True},
                                 is_mcp_tool=False), PRE, "Bash", {**LS, "wait": True}, cwd="/srv/app/x"),
    Sample("auggie", PRE, auggie(PRE, tool_name="save-file", tool_input={"path": "/x", "file_content": "t"}),
           PRE, "Write", {"file_path": "/x", "content": "t"}),
    Sample("auggie", POST, auggie(POST, tool_name="launch-process", tool_input=LS, tool_output="a"), POST, "Bash", LS),
    Sample("auggie", "Stop", auggie("Stop"), "Stop"),
    Sample("crush", PRE, crush(tool_name="bash", tool_input=LS), PRE, "Bash", LS),
    Sample("crush", PRE, crush(tool_name="view", tool_input={"file_path": "/x"}), PRE, "Read", {"file_path": "/x"}),
    Sample("kilo", "tool.execute.before",
           opencode("tool.execute.before", {"tool": "bash", "callID": "1"}, {"args": LS}), PRE, "Bash", LS),
    Sample("pi", "session_start", pi("session_start"), "SessionStart"),
    Sample("pi", "input", pi("input", prompt="go"), "UserPromptSubmit", fields={"prompt": "go"}),
    Sample("pi", "tool_call", pi("tool_call", tool="bash", id="1", input=LS), PRE, "Bash", LS, {"tool_use_id": "1"}),
    Sample("pi", "tool_call", pi("tool_call", tool="write", input={"path": "/x", "content": "t"}),
           PRE, "Write", {"file_path": "/x", "content": "t"}),
    Sample("pi", "tool_result", pi("tool_result", tool="bash", input=LS, output="a"), POST, "Bash", LS,
           {"tool_response": "a"}),
    Sample("pi", "agent_end", pi("agent_end"), "Stop"),
    Sample("amp", "session.start", amp("session.start"), "SessionStart"),
    Sample("amp", "agent.start", amp("agent.start", prompt="go"), "UserPromptSubmit", fields={"prompt": "go"}),
    Sample("amp", "tool.call", amp("tool.call", tool="Bash", id="1", input={"cmd": "ls"}), PRE, "Bash", LS,
           {"tool_use_id": "1"}),
    Sample("amp", "tool.call", amp("tool.call", tool="edit_file", input={"path": "/x", "old_str": "a", "new_str": "b"}),
           PRE, "Edit", {"file_path": "/x", "old_string": "a", "new_string": "b"}),
    Sample("amp", "tool.result", amp("tool.result", tool="Bash", input={"cmd": "ls"}, output="a"), POST, "Bash", LS,
           {"tool_response": "a"}),
    Sample("amp", "agent.end", amp("agent.end"), "Stop"),
    Sample("goose", "Stop", goose("Stop", working_dir="/srv/app", last_assistant_message="bye"), "Stop"),
    Sample("letta", PRE, letta(PRE, tool_name="Bash", tool_input=LS, tool_call_id="1"), PRE, "Bash", LS,
           {"tool_use_id": "1"}),
    Sample("letta", POST, letta(POST, tool_name="Bash", tool_input=LS, tool_result={"status": "success"}), POST, "Bash",
           LS, {"tool_response": {"status": "success"}}),
    Sample("letta", "UserPromptSubmit", letta("UserPromptSubmit", prompt="go", is_command=False), "UserPromptSubmit"),
    Sample("letta", "Stop", letta("Stop"), "Stop"),
    Sample("kiro", PRE, kiro(PRE, tool_name="execute_bash", tool_input=LS), PRE, "Bash", LS),
    Sample("kiro", PRE, kiro(PRE, tool_name="fs_write", tool_input={"path": "/x", "file_text": "t"}),
           PRE, "Write", {"file_path": "/x", "content": "t"}),
    Sample("junie", PRE, junie(PRE, tool_name="Bash", tool_input=LS), PRE, "Bash", LS),
    Sample("junie", "Stop", junie("Stop"), "Stop"),
    Sample("hermes", "pre_tool_call", hermes("pre_tool_call", extra={"tool_call_id": "1"}), PRE, "Bash", LS,
           {"tool_use_id": "1"}),
    Sample("hermes", "post_tool_call", hermes("post_tool_call", extra={"result": "a"}), POST, "Bash", LS,
           {"tool_response": "a"}),
    Sample("hermes", "pre_verify", hermes("pre_verify", tool_name=None, tool_input=None), "Stop"),
    Sample("agy", PRE, agy(toolCall={"name": "run_command", "args": {"CommandLine": "ls", "Cwd": "/srv/app"}}),
           PRE, "Bash", LS),
    Sample("agy", PRE, agy(toolCall={"name": "write_to_file", "args": {"TargetFile": "/x", "CodeContent": "t"}}),
           PRE, "Write", {"file_path": "/x", "content": "t"}),
    Sample("agy", "Stop", agy(executionNum=1, terminationReason="model_stop", fullyIdle=True), "Stop"),
)  # fmt: skip

# Agents without a file in hookkit/agents, from their documents: a call is judged, and a deny said in every usual way.
UNCLAIMED = (
    Sample("devin", "preToolUse", {"hook_event_name": "preToolUse", "cwd": "/srv/app", "tool_name": "execute_bash",
                                  "tool_input": LS}, PRE, "Bash", LS),
    Sample("devin", PRE, {"hook_event_name": PRE, "cwd": "/srv/app", "tool_name": "fs_write",
                         "tool_input": {"path": "/x", "file_text": "t"}},
           PRE, "Write", {"file_path": "/x", "content": "t"}),
    Sample("crush", PRE, crush(tool_name="bash", tool_input=LS), PRE, "Bash", LS),
    Sample("windsurf", "pre_run_command", {"agent_action_name": "pre_run_command", "trajectory_id": "t",
                                           "tool_info": {"command_line": "ls", "cwd": "/srv/app"}}, PRE, "Bash", LS),
    Sample("devin", PRE, {"hook_event_name": PRE, "cwd": "/srv/app", "tool_name": "exec", "tool_input": LS,
                         "transcript_path": "/home/u/.devin/1.json"}, PRE, "Bash", LS),
    Sample("openclaw", "before_tool_call", {"toolName": "exec", "params": LS}, PRE, "Bash", LS),
    Sample("nested", "before_tool", {"event": "before_tool", "data": {"name": "bash", "args": LS}}, PRE, "Bash", LS),
    Sample("short", "", {"tool": "shell", "input": {"cmd": "ls"}}, PRE, "Bash", LS),
)  # fmt: skip


def claude(native: str, **more: Any) -> dict[str, Any]:
    base = {"session_id": "1", "transcript_path": "/home/u/.claude/projects/-srv-app/1.jsonl", "cwd": "/srv/app"}
    return {**base, "hook_event_name": native, **more}


# Claude Code's own events, also with its directory moved by a variable, of a future release, and made by hand.
CLAUDES = (
    claude("SessionStart", source="startup"),
    claude(PRE, tool_name="Bash", tool_input=LS, tool_use_id="1", permission_mode="default"),
    claude(PRE, tool_name="mcp__x__run", tool_input=LS),
    {**claude(PRE, tool_name="Bash", tool_input=LS), "transcript_path": "/srv/state/projects/1.jsonl"},
    claude("MessageDisplay", turn_id="t"),
    claude("BrandNewEvent", note="n"),
    {"hook_event_name": PRE, "tool_name": "Bash", "tool_input": LS},
    {"tool_name": "Bash", "tool_input": LS},
    {"hook_event_name": "UserPromptSubmit", "prompt": "go"},
)
