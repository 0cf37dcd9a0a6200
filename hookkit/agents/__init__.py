"""One folder for each agent, or one file for a small one: all that hookkit knows about the agent is there.

    __init__.py     the tables below, `parse` and `render`: all that an event needs
    disk.py         optional, what people's commands read of the agent: its trust, its own rules, its transcripts;
                    hookkit/agents/_disk.py says how
    plugin.js, .ts  a program of hookkit's own that the agent loads

Only these files know an agent's field names. Shared by all agents: modules with an underscore, `wiring/` (hookkit in
the settings files of an agent, and out again), `transcripts/` (the readers of their logs) and `doctor/`. May import
ledger, settings, system and what these import; an agent's `__init__.py` imports only events, errors, model, registry
and system.

    parse(value, environ, usual, here) -> Event    `usual`, `here`: event name and directory if the agent sends none
    render(event, decision) -> str                 the reply on stdout; an empty text leaves the call to the client
    exit_code(event, decision) -> (int, str)       only where an agent obeys exit codes: the code, and text for stderr
    probe(event, command, project) -> dict         only where doctor's usual event would not be understood

Data that `init`, `doctor` and docs/agents.md read:

    NAME      the word of --agent, and the name of the file or folder
    TITLE     the name that people know
    TRIED     the release that was run with hookkit, or "" where the agent's documentation is the only source
    PROGRAMS  names of its program on the PATH, if NAME alone is not right
    HOME      its directory below the home directory; `HOME_VARIABLE` names the variable that moves it, or ""
    EVENTS    {the agent's event: hookkit's event}; an event without an equal in hookkit is left out
    WIRED     the agent's events that `init` connects, in the order of a session
    TOOLS     {the agent's tool: (hookkit's tool, {the agent's field: hookkit's field})}
    CONFIG    rows of (scope, path): scope is user, project or local; a user's path is below HOME, any other path is
              below the project
    FORM      the form of these files, a row of FORMS in wiring/json_forms.py or text_forms.py
    SWITCHES  other settings files that can switch its hooks or its questions off, if there are any: `~/…`, or a path
              below the project
    TIMEOUT   (field, units in a second, default in seconds): ("timeout", 1000, 60) is a field in milliseconds. A
              field "" says that the form has no timeout
    TRUST     what a person must do before the agent runs the hooks, as one sentence, if anything
    CAN       {hookkit's event: words of "allow ask deny rewrite context message output"}: what a reply can express
    NOTES     sentences for people about limits of the agent
    QUIET     the reply that says nothing, for an agent that takes an empty reply for a deny
    ALSO_RUNS the scopes of Claude Code's settings whose hooks this agent runs too; most agents have none

Forms, and what they read in the agent's module:

    groups    JSON: {"hooks": {EVENT: [{"matcher"?, "hooks": [{"type": "command", "command", "timeout"}]}]}}
    flat      JSON: {"hooks": {EVENT: [HANDLER]}}; `entry(command, timeout)` is the handler, `HEAD` starts a new file
    rows      TOML: a [[hooks]] row for each event; `ROW` is its text, `EVENT` the field of the event, `CLOSED` an
              optional line that refuses a call if the command fails
    listed    JSON: {"hooks": [HANDLER]}, a file of hookkit's own; `entry(event, command, timeout)`, `HEAD`
    named     JSON: {"hookkit": {EVENT: [...]}}; handlers of an event in `GROUPED` have a matcher
    yaml      YAML: {hooks: {EVENT: [{command, timeout}]}} beside other settings
    scripts   a directory with one executable file for each event, named like the event
    plugin    `PLUGIN`, a program in the agent's folder, with the launcher's path filled in
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
    " extension project_path tool tool_info".split()
)
UNKNOWN = "_unknown"  # the module that answers a tool call of an agent that hookkit does not know


def foreign(value: object, environ: "Mapping[str, str]") -> str:
    """The name of the agent that sent this event, or "" for Claude Code, whose events leave at the first line."""
    if not isinstance(value, dict):
        return ""
    path, name = value.get("transcript_path"), value.get("hook_event_name")
    is_named = name is None or (isinstance(name, str) and name in EVENTS)
    if is_named and FOREIGN.isdisjoint(value) and (_is_own(path) if path else not is_lower(value.get("tool_name"))):
        return ""
    from hookkit.agents import _detect  # late: only for agents other than Claude Code

    return _detect.agent(value, environ)


def load(name: str) -> "ModuleType":
    """The module of an agent, by the word of `foreign`."""
    if name != UNKNOWN:
        return registry.find("agents", name)
    from hookkit.agents import _unknown

    return _unknown


def _is_own(path: object) -> bool:
    return not isinstance(path, str) or "/.claude/" in path


def is_lower(tool: object) -> bool:
    """Whether the tool has another spelling than Claude Code's: `execute_bash`, but neither `Bash` nor `mcp__x__y`."""
    return isinstance(tool, str) and tool[:1].islower() and not tool.startswith("mcp__")
