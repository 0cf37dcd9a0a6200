"""Pausing hookkit."""

import os
import time

from hookkit.cli._console import fail, report, stop
from hookkit.settings import layers, pause
from hookkit.system import agents

AGENT = "an agent runs this, and only a person can pause hookkit: run it in a terminal of your own"
UNITS = {"m": 60, "h": 3600}
NONE = "hookkit is not paused. To pause it: hookkit pause 1h"


def run(duration: str, *, end: bool, as_json: bool) -> None:
    environ = layers.load(os.getcwd(), dict(os.environ)).environ
    if (duration or end) and agents.agent(os.environ):
        fail(AGENT)
    if not duration and not end:
        found = pause.until(environ, time.time())
        report(pause.message(found) if found else NONE, {"until": found or None}, as_json=as_json)
    elif end:
        said = "The pause is over: hookkit is on." if pause.end(environ) else NONE
        report(said, {"until": None}, as_json=as_json, style="green")
    else:
        _begin(environ, _seconds(duration), as_json=as_json)


def _begin(environ: dict[str, str], seconds: float, *, as_json: bool) -> None:
    managed = [path for layer, path in layers.layers("", environ) if layer == "managed" and os.path.exists(path)]
    if managed:
        fail(f"{managed[0]} holds your organisation's settings: hookkit cannot be paused here")
    found = pause.begin(environ, seconds)
    report(pause.message(found), {"until": found}, as_json=as_json, style="yellow")


def _seconds(text: str) -> float:
    number, unit = text[:-1], text[-1:]
    if unit not in UNITS or not number.isdigit() or not 0 < int(number) * UNITS[unit] <= pause.LONGEST:
        stop(f"{text}: not a time. Give 30m or 1h, at most 24h")
    return float(int(number) * UNITS[unit])
