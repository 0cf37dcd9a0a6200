"""One file for each agent: `parse` turns its JSON into an Event, `render` turns a Decision into its JSON.

Only these files know an agent's field names. May import `events`, `errors`, `model`, `registry` and `system`.

    parse(value, environ, usual, here) -> Event    `usual`, `here`: event name and directory if the agent sends none
    render(event, decision) -> str                 the reply on stdout; an empty text is "no opinion"
    exit_code(event, decision) -> (int, str)       only where an agent obeys exit codes: the code, and text for stderr

Data that `init`, `doctor` and docs/agents.md read from every file:

    NAME      the word of --agent, and the name of the file
    TITLE     the name that people know
    TRIED     the release that was run with hookkit, or "" where the agent's documentation is the only source
    PROGRAMS  names of its program on the PATH
    HOME      its directory below the home directory; `HOME_VARIABLE` names the variable that moves it, or ""
    EVENTS    {the agent's event: hookkit's event}; an event without an equal in hookkit is left out
    WIRED     the agent's events that `init` connects, in the order of a session
    TOOLS     {the agent's tool: (hookkit's tool, {the agent's field: hookkit's field})}
    CONFIG    rows of (scope, path, form): scope is user, project or local; a user's path is below HOME, any other path
              is below the project
    TIMEOUT   (field, units in a second, default in seconds): ("timeout", 1000, 60) is a field in milliseconds. A
              field "" says that the form has no timeout
    TRUST     what a person must do before the agent runs the hooks, as one sentence, or ""
    CAN       {hookkit's event: words of "allow ask deny rewrite context message output"}: what a reply can express
    NOTES     sentences for people about limits of the agent

Forms of CONFIG:

    claude    JSON: {"hooks": {EVENT: [{"matcher"?, "hooks": [{"type": "command", "command", "timeout"}]}]}}
    copilot   JSON: {"version": 1, "hooks": {EVENT: [{"type": "command", "bash", "timeoutSec"}]}}
    cursor    JSON: {"version": 1, "hooks": {EVENT: [{"command", "timeout"}]}}
    kimi      TOML: [[hooks]] event, command, timeout (no other key is allowed but matcher)
    vibe      TOML: [[hooks]] name, type = EVENT, command, timeout, strict
    cocode    TOML: [[hooks]] event, timeout_sec, then [hooks.shell] command, pass_context = true, parse_result = true
    cline     a directory with one executable file for each event, named like the event
    crush     JSON: {"hooks": {EVENT: [{"name", "command", "timeout"}]}}
    opencode  the JavaScript plugin `opencode.js` of this room, with the launcher's path filled in
    pi        the TypeScript extension `pi.ts` of this room, the same way
"""

from hookkit import registry
from hookkit.events import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

# Fields that Claude Code never sends at the top of an event.
FOREIGN = frozenset(
    "timestamp turn_id client_type cursor_version conversation_id conversationId hookName hookEventName"
    " sessionId taskId parent_session_id hook event event_type matcher_context agent_action_name toolName toolCall"
    " extension".split()
)
UNKNOWN = "_unknown"  # the file that answers a tool call of an agent that no other file knows


def foreign(value: object, environ: "Mapping[str, str]") -> str:
    """The file for the agent that sent this event, or "" for Claude Code, whose events leave at the first line."""
    if not isinstance(value, dict):
        return ""
    path, name = value.get("transcript_path"), value.get("hook_event_name")
    is_named = name is None or (isinstance(name, str) and name in EVENTS)
    if is_named and FOREIGN.isdisjoint(value) and (_is_own(path) if path else not _is_lower(value.get("tool_name"))):
        return ""
    from hookkit.dialects import _detect  # late: only for agents other than Claude Code

    return _detect.agent(value, environ)


def load(name: str) -> "ModuleType":
    """The file of an agent, by the word of `foreign`."""
    if name != UNKNOWN:
        return registry.find("dialects", name)
    from hookkit.dialects import _unknown

    return _unknown


def _is_own(path: object) -> bool:
    return not isinstance(path, str) or "/.claude/" in path


def _is_lower(tool: object) -> bool:
    """Whether the tool has another spelling than Claude Code's: `execute_bash`, but neither `Bash` nor `mcp__x__y`."""
    return isinstance(tool, str) and tool[:1].islower() and not tool.startswith("mcp__")
