"""The summary that `init` shows before its question: which files, how many hooks, what hookkit will do."""

from hookkit.system import files
from hookkit.wiring import change
from hookkit.wiring.change import Change

DOES = (
    ("stop or ask about dangerous commands", "hookkit why 'rm -rf ~'"),
    ("use the project's own test command", "hookkit why pytest"),
    ("log each call, with secrets hidden", "hookkit ledger list"),
    ("write a report on each session", "~/.claude/flow-reports"),
)
LAST = "It approves nothing unless you say so, and sends nothing anywhere."


def text(planned: list[Change], options: change.Options, environ: dict[str, str]) -> str:
    lines = ["Your agents will call hookkit:"]
    places = {each.place.path: each.place for each in planned if not each.is_empty}
    width = max(len(place.agent.title) for place in places.values())
    for place in places.values():
        count = len(change.wanted(place, options))
        lines.append(f"  {place.agent.title:{width}}  {count:2} hooks in {short(place.path, environ)}")
    if not all(place.is_shared for place in places.values()):
        lines.append(f"through {short(options.script, environ)}. hookkit keeps a backup of each file.")
    else:
        lines.append("by its name, so that the file works on every machine. hookkit keeps a backup of each file.")
    width = max(len(what) for what, _ in DOES)
    lines += ["", "Then it will", *(f"  {what:{width}}  {how}" for what, how in DOES), LAST]
    return "\n".join(lines)


def short(path: str, environ: dict[str, str]) -> str:
    """The path as a person writes it."""
    home = files.home(environ)
    return f"~{path[len(home) :]}" if home and path.startswith(f"{home}/") else path
