"""After a tool ran, and at a prompt: warns near the limit of a session's budget, and stops the session at the limit.

It also tells the agent when the same command fails again and again.
"""

from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings
    from hookkit.verdicts.budgets import Spending


FAILED = "PostToolUseFailure"
EVENTS = ("PostToolUse", FAILED, "UserPromptSubmit", "SubagentStop")


def run(event: Event, settings: "Settings") -> Decision | None:
    """None while the session is far from its limits."""
    limits = {name: settings[f"budget.{name}"] for name in ("tokens", "dollars")}
    often = settings["budget.failures"]
    if not event.session_id or not (any(limits.values()) or often):
        return None
    from hookkit.verdicts.budgets import Spending  # late: off by default

    budget = Spending(settings.environ, event.session_id)
    if any(limits.values()):
        budget.take(event.text("transcript_path"))
    warning = _spent(budget, limits, settings["budget.warn"])
    if warning is None and often and event.command:
        warning = _repeated(budget, event, often)
    budget.keep()
    return warning


def _spent(budget: "Spending", limits: dict[str, float], warn: int) -> Decision | None:
    for name, limit in limits.items():
        used = getattr(budget, name)
        if limit and used >= limit:
            decision = Decision()
            decision.stop = (
                f"hookkit: this session has used {_amount(name, used)}, and its budget is {_amount(name, limit)}. "
                f"To go on, raise budget.{name} in hookkit.toml, or start a new session."
            )
            return decision
        if limit and used >= limit * warn / 100 and name not in budget.told:
            budget.told.append(name)
            message = f"hookkit: this session has used {_amount(name, used)} of its budget of {_amount(name, limit)}."
            return Decision(message=message)
    return None


def _amount(name: str, amount: float) -> str:
    return f"${amount:,.2f}" if name == "dollars" else f"{amount:,} {name}"


def _repeated(budget: "Spending", event: Event, often: int) -> Decision | None:
    from binascii import crc32

    mark = f"{crc32(event.command.encode('utf-8', 'surrogatepass')):08x}"
    last, count = [*budget.failed, "", 0][:2]
    if event.name != FAILED:
        budget.failed = ["", 0] if last == mark else budget.failed
        return None
    count = count + 1 if last == mark and isinstance(count, int) else 1
    budget.failed = [mark, count]
    if count % often:
        return None
    told = f"This command has failed {count} times in a row. Stop repeating it: read the error, and try another way."
    return Decision(context=told, message=f"hookkit: the same command has failed {count} times in a row.")
