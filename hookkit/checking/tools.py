"""Names of tools: which exist, and which was meant by one that does not."""

from hookkit.documents.finding import guess
from hookkit.policy.pattern import RENAMED, SUBJECTS

# Claude Code's own; servers and plugins add theirs, so an unknown name is a mistake only if it is nearly a known one.
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
    """The tool that was meant, or nothing: the name is a known one, or somebody else's."""
    if name in KNOWN or "*" in name or name.startswith("mcp__"):
        return ""
    return guess(name, KNOWN, CLOSE)


def server_only(name: str) -> str:
    """What names every tool of a server, where the name is the server's alone."""
    is_server = name.startswith("mcp__") and "__" not in name[5:] and "*" not in name and len(name) > len("mcp__")
    return f"{name}__" if is_server else ""
