"""Mistakes in wiring hookkit into the client: a misspelt program, and `hookkit run` on a single event."""

from difflib import SequenceMatcher

from hookkit.checking.claude.commands import is_hook, is_program
from hookkit.documents.finding import ERROR, WARNING, shown
from hookkit.events import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Remark = tuple[str, str, str]

NAME = "hookkit"
CLOSE = 0.75
EVERY = ("custom", "track", "record")  # these hooks answer every event
EXPECTED = [name for name, row in EVENTS.items() if set(row.hooks) - set(EVERY)]


def misspelt(acts: list[list[str]]) -> "Iterator[Remark]":
    """A program with nearly our name, and a hook as its first word: the client finds no such program, and goes on."""
    for words in acts:
        name = words[0].rpartition("/")[2]
        is_ours = len(words) > 1 and is_hook(words[1])
        if is_ours and not is_program(name) and SequenceMatcher(None, name.lower(), NAME).ratio() >= CLOSE:
            yield ERROR, f"there is no program {shown(name)}", f"did you mean {NAME} {words[1]}?"


def lonely(events: "list[str]") -> "Iterator[Remark]":
    """`events` are the events with `hookkit run`; a single one leaves most of hookkit without a call."""
    if len(set(events)) == 1 and events[0] in EXPECTED:
        missing = ", ".join(name for name in EXPECTED if name != events[0])
        said = f"hookkit run is wired on {events[0]} only, and would also answer {missing}"
        yield WARNING, said, "run: hookkit init"
