"""Progress of handlers for a person who waits (`hookkit simulate`). Hooks of an agent have no listener."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.engine.handler import HandlerRun

    Listener = Callable[[str, "HandlerRun | None"], None]  # the name, and the run once it has ended

listener: "Listener | None" = None


def tell(name: str, run: "HandlerRun | None" = None) -> None:
    if listener is not None:
        listener(name, run)
