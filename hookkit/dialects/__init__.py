"""One file for each agent: `parse` turns its JSON into an Event, `render` turns a Decision into its JSON.

Only these files know an agent's field names. May import `events`, `errors`, `model`, `registry` and `system`.

    parse(value, environ, usual, here) -> Event    `usual`, `here`: event name and directory if the agent sends none
    render(event, decision) -> str                 the reply on stdout; an empty text is "no opinion"

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
    opencode  a directory for the JavaScript plugin `opencode.js` of this room, with the launcher's path filled in
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Fields that Claude Code never sends at the top of an event, and events that it does not have.
FOREIGN = frozenset(
    "timestamp turn_id client_type cursor_version conversation_id hookName sessionId taskId parent_session_id hook"
    " event".split()
)
NATIVE = frozenset("BeforeTool AfterTool BeforeAgent AfterAgent PreCompress pre_tool post_tool post_agent".split())


def foreign(value: object, environ: "Mapping[str, str]") -> str:
    """The agent that sent this event, or "" for Claude Code; Claude Code's events leave at the first line."""
    if not isinstance(value, dict):
        return ""
    path, name = value.get("transcript_path"), value.get("hook_event_name")
    elsewhere = isinstance(path, str) and "/.claude/" not in path
    if not elsewhere and FOREIGN.isdisjoint(value) and not (isinstance(name, str) and name in NATIVE):
        return ""
    from hookkit.dialects import _detect  # late: only for agents other than Claude Code

    return _detect.agent(value, environ)
