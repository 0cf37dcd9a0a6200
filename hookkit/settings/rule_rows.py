"""A row of `[[rules]]`: every mistake in it, beyond the kinds of its fields. The names of tools, for misspelt ones."""

from hookkit.errors import PatternError
from hookkit.policy import conditions
from hookkit.policy.pattern import RENAMED, SUBJECTS, TOUCHES, parse
from hookkit.policy.rules import EVENTS, MOMENTS, STOPS, TYPES, VERDICTS, moment
from hookkit.settings.documents.finding import VALUE, Defect, shown, shown_value
from hookkit.settings.documents.kinds import wrong, wrong_choice, wrong_regex
from hookkit.settings.keys import STRICT
from hookkit.system.suggestions import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.documents.finding import Fix

    Wrong = tuple[int, str, Fix]  # offset in the text, message, fix
    from collections.abc import Iterator
    from typing import Any

    from hookkit.settings.documents.kinds import Fields


# Claude Code's own tools. Servers and plugins add more, so an unknown name is a mistake only if a known name is close.
TOOLS = (
    "Agent Artifact AskUserQuestion Bash ClaudeDesign CronCreate CronDelete CronList Edit EndConversation EnterPlanMode"
    " EnterWorktree ExitPlanMode ExitWorktree Glob Grep ListAgents ListMcpResourcesTool LSP Monitor MultiEdit"
    " NotebookEdit OfferChromeSetup PowerShell Projects propose_skills ProposeGoal PushNotification Read"
    " ReadMcpResourceDirTool ReadMcpResourceTool ReadNotifications RefreshMcpTools RemoteTrigger ReportFindings"
    " ScheduleWakeup SendFeedback SendMessage SendUserFile SendUserMessage ShareOnboardingGuide"
    " ShowOnboardingRolePicker Skill SubagentHandback TaskCreate TaskGet TaskList TaskStop TaskUpdate TodoWrite"
    " ToolSearch WaitForMcpServers WebFetch WebSearch Workflow Write"
).split()
OLD_TOOLS = [*RENAMED, "ListPeers", "Brief", "ListMcpResources", "ReadMcpResource", "ReadMcpResourceDir",
       "BashOutput", "TaskOutput", "LS", "NotebookRead", "TodoRead", "SlashCommand"]  # fmt: skip
KNOWN_TOOLS = list(dict.fromkeys([*TOOLS, *OLD_TOOLS, *SUBJECTS]))
CLOSE = 0.72


def wrong_pattern(source: str) -> "Wrong | None":
    try:
        parse(source)
    except PatternError as error:
        text = error.source
        return error.at, f"{error}: {shown(source)}", lambda: mended(text)
    return None


def mended(source: str) -> str:
    """A guess at the intended pattern: the first small change that the parser accepts."""
    text = source.strip()
    if "||" in text:
        return "a rule is about one command or one pipeline: write two rules"
    swapped = text.replace("[", "(").replace("]", ")")
    guesses = [text + ")", swapped, swapped + ")", text.replace(")", ""), text.rstrip(")") + ")"]
    guesses.append(f"Bash{text}" if text.startswith("(") else f"Bash({text})")
    for guess in guesses:
        head, parenthesis, rest = guess.partition("(")
        right = "|".join(misspelt_tool(name) or name for name in head.split("|")) + parenthesis + rest
        try:
            parse(right)
        except PatternError:
            continue
        return f"did you mean {shown(right)}?"
    return "see docs/grammar.md"


def wrong_condition(source: str) -> "Wrong | None":
    try:
        conditions.parse(source)
    except PatternError as error:
        return error.at, f"condition: {error}: {shown(source)}", "see docs/gates.md"
    return None


def misspelt_tool(name: str) -> str:
    """The tool meant by a misspelt name; an empty text for a known or a foreign name."""
    if name in KNOWN_TOOLS or "*" in name or name.startswith("mcp__"):
        return ""
    return closest(name, KNOWN_TOOLS, CLOSE)


def tool_mistake(*names: str) -> str:
    """What is wrong with the first misspelt name, for a person; Delete and Send are heads of patterns, not tools."""
    for name in names:
        meant = misspelt_tool(name) if name not in TOUCHES else ""
        if meant:
            return f"there is no tool {name}: did you mean {meant}?"
    return ""


def server_only(name: str) -> str:
    """The prefix of all tools of a server, for a name that is only the server's; else an empty text."""
    is_server = name.startswith("mcp__") and "__" not in name[5:] and "*" not in name and len(name) > len("mcp__")
    return f"{name}__" if is_server else ""


NEEDS = {"modify": ("field", "with"), "command": ("run",)}
CALLS = ("PreToolUse", "PostToolUse")  # events at which a call can be modified: its input, or its output
LISTS = ("match", "unless")  # fields with lists of patterns: a wrong pattern costs this pattern alone
FIELDS: "Fields" = {  # of an approval gate's config
    "approvers": "texts", "condition": "any text", "remote": "flag", "wait": "count", "offline": "text",
}  # fmt: skip
OFFLINE = ("deny", "ask")  # where the fleet's hub cannot be reached


def defects(row: "dict[str, Any]", written: "set[str]") -> "Iterator[Defect]":
    """The mistakes, with paths from the row down. `row` has the fields of the right kind, `written` all names."""
    kind = row.get("type", "")
    yield from wrong_choice("type", row.get("type"), TYPES)
    if "match" not in written and kind in (*VERDICTS, *NEEDS) and moment(row) not in STOPS:
        yield Defect((), f"missing match: a rule of type {kind} needs a pattern")
    for name in NEEDS.get(kind, ()):
        if name not in written:
            yield Defect((), f"missing {name}: a rule of type {kind} needs it")
    if kind == "modify" and ("replace" in written) == ("regex" in written):
        yield Defect((), "a rule of type modify has either replace or regex")
    yield from patterns(row)
    if "regex" in row:
        message = wrong_regex(row["regex"], row.get("with", ""))
        yield from [Defect(("regex",), f"regex: {message}", at=VALUE)] if message else []
    yield from _config(kind, row.get("config", {}))


def patterns(row: "dict[str, Any]") -> "Iterator[Defect]":
    """Mistakes in the patterns of a rule and in its exceptions."""
    sources: dict[tuple[str | int, ...], str] = {}
    for name in LISTS:
        value = row.get(name, [])
        sources |= {(name,): value} if isinstance(value, str) else {(name, at): item for at, item in enumerate(value)}
    for path, source in sources.items():
        mistake = wrong_pattern(source)
        if mistake is not None:
            at, message, fix = mistake
            yield Defect(path, f"{path[0]}: {message}", fix, at)


def _config(kind: str, config: object) -> "Iterator[Defect]":
    """The parts of `config` that hookkit itself uses; other parts are for programs of the user."""
    if not isinstance(config, dict):
        return
    own = config.get("event") or "Stop"
    events = CALLS if kind == "modify" else (*EVENTS,)
    is_used = kind in (*MOMENTS, "command") or (kind == "modify" and "event" in config)
    if is_used and not (isinstance(own, str) and own in events):
        yield Defect(("config",), f"config.event: expected one of {', '.join(events)}, not {shown_value(own)}")
    if kind != "approval_gate":
        return
    for name, expected in FIELDS.items():
        problem = wrong(expected, config[name]) if name in config else ""
        if problem:
            yield Defect(("config", name), f"config.{name}: {problem}", at=VALUE)
    if isinstance(config.get("offline"), str) and config["offline"] not in OFFLINE:
        yield Defect(("config", "offline"), f"config.offline: expected {' or '.join(OFFLINE)}", at=VALUE)
    condition = config.get("condition")
    mistake = wrong_condition(condition) if isinstance(condition, str) else None
    if mistake is not None:
        at, problem, fix = mistake
        yield Defect(("config", "condition"), f"config.{problem}", fix, at)


def holds_without(row: "dict[str, Any]", defects: "list[Defect]") -> bool:
    """Whether a rule can do without its wrong parts: some patterns of a list, or a field of a deny or ask rule.

    Without the field such a rule only gets stricter.
    """
    if row.get("match") and without(row, defects).get("match") == []:
        return False
    fields = [defect for defect in defects if not is_of_list(defect) or defect.path[0] != "match"]
    return not fields or (
        row.get("type") in STRICT and all(defect.path and defect.path[0] not in ("type", "match") for defect in fields)
    )


def is_of_list(defect: "Defect") -> bool:
    return len(defect.path) > 1 and defect.path[0] in LISTS


def without(row: "dict[str, Any]", defects: "list[Defect]") -> "dict[str, Any]":
    """The rule without its wrong fields, and without the wrong patterns of its lists."""
    fields = {defect.path[0] for defect in defects if defect.path and not is_of_list(defect)}
    rest = {name: value for name, value in row.items() if name not in fields}
    for name in LISTS:
        wrong_items = {defect.path[1] for defect in defects if is_of_list(defect) and defect.path[0] == name}
        if wrong_items:
            rest[name] = [item for number, item in enumerate(row[name]) if number not in wrong_items]
    return rest
