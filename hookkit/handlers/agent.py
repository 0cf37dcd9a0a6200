"""A sub-agent that looks into the event with tools that only read, at most 50 turns; its verdict is like a prompt's."""

from hookkit.engine import models
from hookkit.engine.handler import HandlerCall
from hookkit.engine.replies import Reply
from hookkit.errors import HandlerError
from hookkit.system.programs import Program, ProgramResult


def program(call: HandlerCall) -> tuple[Program, bytes] | None:
    return models.program(call, agent=True) if models.provider(call) == "claude" else None


def finish(_: HandlerCall, result: ProgramResult) -> Reply:
    return models.finish(result)


def run(_: HandlerCall) -> Reply:
    raise HandlerError('an agent handler needs llm.provider = "claude"')
