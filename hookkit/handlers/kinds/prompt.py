"""A question to a language model about the event; its verdict is {"ok": true} or {"ok": false, "reason": "…"}."""

from hookkit.handlers import models
from hookkit.handlers.handler import HandlerCall
from hookkit.handlers.replies import Reply
from hookkit.system.programs import ProgramResult, UserProgram


def program(call: HandlerCall) -> tuple[UserProgram, bytes] | None:
    return models.program(call, agent=False) if models.provider(call) == "claude" else None


def finish(_: HandlerCall, result: ProgramResult) -> Reply:
    return models.finish(result)


def run(call: HandlerCall) -> Reply:
    return models.ask(call, models.provider(call))
