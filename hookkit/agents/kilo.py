"""Kilo Code: a copy of OpenCode, with the same plugin in other places."""

from hookkit.agents import opencode
from hookkit.agents.opencode import CAN, EVENTS, FORM, PLUGIN, TOOLS, WIRED
from hookkit.model import Decision, Event

__all__ = ["CAN", "EVENTS", "FORM", "PLUGIN", "TOOLS", "WIRED"]

NAME, TITLE, TRIED = "kilo", "Kilo Code", "7.7.9"
PROGRAMS = ("kilo", "kilocode")
HOME, HOME_VARIABLE = ".config/kilo", ""
CONFIG = (("user", "plugins/hookkit.js"), ("project", ".kilo/plugins/hookkit.js"))
SWITCHES = (
    "~/.config/kilo/kilo.json", "~/.config/kilo/kilo.jsonc", "kilo.json", "kilo.jsonc",
    "~/.config/kilo/plugins/*", "~/.config/kilo/plugin/*", ".kilo/plugins/*", ".kilocode/plugins/*",
)  # fmt: skip
TIMEOUT = ("", 1, 0)
NOTES = (
    *opencode.NOTES[:1],
    "`kilo --pure` and `KILO_PURE` switch plugins off, and hookkit with them.",
    *opencode.NOTES[2:],
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    event = opencode.parse(value, environ, usual, here)
    event.agent = NAME
    return event


def render(event: Event, decision: Decision) -> str:
    return opencode.render(event, decision)
