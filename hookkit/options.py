"""The options of a hook command. Loaded only where the command line has any."""

from hookkit import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.pipeline import Invocation

VARIABLES = {"--actor": "HOOKKIT_ACTOR", "--limit": "HOOKKIT_LIMIT"}  # options that other rooms read as variables


def read(call: "Invocation", words: list[str]) -> list[str]:
    """Set the options of the command line; return the mistakes in them.

    --on-error is no setting, because the settings file may be what is broken; a mistake in it counts as `ask`.
    """
    slips: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--later":  # for the launcher, which could not store this event
            continue
        name, _, value = word.partition("=")
        if name not in (*VARIABLES, "--agent", "--on-error") and (name != "--hooks" or call.hook != "run"):
            slips.append(f"unknown option {word}")
            continue
        value = value or next(rest, "")
        if name in VARIABLES:
            call.environ[VARIABLES[name]] = value
        elif name == "--agent":
            slips += _speak(call, value)
        elif name == "--hooks":
            slips += _choose(call, value)
        else:
            call.on_error = {"open": None, "deny": "deny"}.get(value, "ask")
            slips += [] if value in ("open", "ask", "deny") else [f"--on-error takes open, ask or deny, not {value!r}"]
    return slips


def _speak(call: "Invocation", agent: str) -> list[str]:
    """An agent that hookkit does not know is told to the person; the event itself then tells the agent."""
    if not registry.exists("agents", agent):
        return [f"--agent takes {', '.join(registry.names('agents'))}, not {agent!r}"]
    call.agent, call.dialect = agent, registry.find("agents", agent)
    return []


def _choose(call: "Invocation", names: str) -> list[str]:
    """A name that is no hook counts as a mistake, and then every hook runs."""
    wanted = names.split(",")
    strange = [name for name in wanted if not registry.exists("hooks", name)]
    call.only = [] if strange else wanted
    return [f"--hooks: there is no hook {strange[0]!r}, so every hook runs"] if strange else []
