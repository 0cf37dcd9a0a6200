"""Pausing hookkit."""

import os
import time
from typing import Annotated

from hookkit.cli._command import Argument, Option
from hookkit.cli._console import Output, fail, only_a_person, stop
from hookkit.cli._here import seconds
from hookkit.settings import layers, pause

NONE = "hookkit is not paused. To pause it: hookkit pause 1h"


def command(
    duration: Annotated[str, Argument(metavar="TIME", help="How long: 30m, 1h. At most 24h.")] = "",
    *,
    end: Annotated[bool, Option("--end", help="End the pause now.")] = False,
) -> Output:
    """Switch hookkit off for a while: it answers no event, tells every session so, and comes back by itself.

    The ledger still records each call. Without a time it says whether a pause is on.

    Exits 1 if an agent runs this, or if your organisation's settings forbid it.

    Example: hookkit pause 1h
    """
    environ = layers.load(os.getcwd(), dict(os.environ)).environ
    if duration or end:
        only_a_person("pause hookkit")
    if duration and not end:
        return _begin(environ, _span(duration))
    if end:
        return Output(
            {"until": None}, "The pause is over: hookkit is on." if pause.end(environ) else NONE, style="green"
        )
    until = pause.until(environ, time.time())
    return Output({"until": until or None}, pause.message(until) if until else NONE)


def _begin(environ: dict[str, str], span: float) -> Output:
    managed = [path for layer, path in layers.layers("", environ) if layer == "managed" and os.path.exists(path)]
    if managed:
        fail(f"{managed[0]} holds your organisation's settings: hookkit cannot be paused here")
    until = pause.begin(environ, span)
    return Output({"until": until}, pause.message(until), style="yellow")


def _span(text: str) -> float:
    span = seconds(text, "mh")
    if not span or span > pause.LONGEST:
        stop(f"{text}: not a time. Give 30m or 1h, at most 24h. To end a pause: hookkit pause --end")
    return span
