"""The hook layer for coding agents; `from hookkit import Decision, Event, judge` is its Python API (docs/api.md).

Nothing is imported here: every hook of every user would pay for it. The names of the API are loaded on first use.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Decision, Event
    from hookkit.settings.judging import judge

__version__ = "0.1.0"
__all__ = ["Decision", "Event", "__version__", "judge"]

if not TYPE_CHECKING:  # a type checker would take every other name for a part of the API

    def __getattr__(name: str) -> object:
        if name in ("Decision", "Event"):
            from hookkit import model

            return getattr(model, name)
        if name == "judge":
            from hookkit.settings.judging import judge

            return judge
        raise AttributeError(f"module 'hookkit' has no attribute {name!r}")
