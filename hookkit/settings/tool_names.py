"""The names of tools, to correct a misspelt name in a pattern."""

from hookkit.policy.pattern import RENAMED, SUBJECTS, TOUCHES
from hookkit.system.suggestions import closest

# Claude Code's own tools. Servers and plugins add more, so an unknown name is a mistake only if a known name is close.
BUILT_IN = (
    "Agent Artifact AskUserQuestion Bash ClaudeDesign CronCreate CronDelete CronList Edit EndConversation EnterPlanMode"
    " EnterWorktree ExitPlanMode ExitWorktree Glob Grep ListAgents ListMcpResourcesTool LSP Monitor MultiEdit"
    " NotebookEdit OfferChromeSetup PowerShell Projects propose_skills ProposeGoal PushNotification Read"
    " ReadMcpResourceDirTool ReadMcpResourceTool ReadNotifications RefreshMcpTools RemoteTrigger ReportFindings"
    " ScheduleWakeup SendFeedback SendMessage SendUserFile SendUserMessage ShareOnboardingGuide"
    " ShowOnboardingRolePicker Skill SubagentHandback TaskCreate TaskGet TaskList TaskStop TaskUpdate TodoWrite"
    " ToolSearch WaitForMcpServers WebFetch WebSearch Workflow Write"
).split()
OLD = [*RENAMED, "ListPeers", "Brief", "ListMcpResources", "ReadMcpResource", "ReadMcpResourceDir",
       "BashOutput", "TaskOutput", "LS", "NotebookRead", "TodoRead", "SlashCommand"]  # fmt: skip
KNOWN = list(dict.fromkeys([*BUILT_IN, *OLD, *SUBJECTS]))
CLOSE = 0.72


def misspelt(name: str) -> str:
    """The tool meant by a misspelt name; an empty text for a known or a foreign name."""
    if name in KNOWN or "*" in name or name.startswith("mcp__"):
        return ""
    return closest(name, KNOWN, CLOSE)


def mistake(*names: str) -> str:
    """What is wrong with the first misspelt name, for a person; Delete and Send are heads of patterns, not tools."""
    for name in names:
        meant = misspelt(name) if name not in TOUCHES else ""
        if meant:
            return f"there is no tool {name}: did you mean {meant}?"
    return ""


def server_only(name: str) -> str:
    """The prefix of all tools of a server, for a name that is only the server's; else an empty text."""
    is_server = name.startswith("mcp__") and "__" not in name[5:] and "*" not in name and len(name) > len("mcp__")
    return f"{name}__" if is_server else ""
