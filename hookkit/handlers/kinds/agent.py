"""A sub-agent that looks into the event with tools that only read, at most 50 turns; its verdict is like a prompt's."""

from hookkit.handlers import agent_loop, models
from hookkit.handlers.handler import HandlerCall
from hookkit.handlers.replies import Reply
from hookkit.system.programs import ProgramResult, UserProgram


def program(call: HandlerCall) -> tuple[UserProgram, bytes] | None:
    return models.program(call, agent=True) if models.provider(call) == "claude" else None


def finish(_: HandlerCall, result: ProgramResult) -> Reply:
    return models.finish(result)


def run(call: HandlerCall) -> Reply:
    return agent_loop.run(call, models.provider(call))
