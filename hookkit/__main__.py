"""The one fork: a hook command goes to the pipeline, everything else to the people's commands."""

import os
import sys

from hookkit import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Event


def main() -> None:
    words = sys.argv[1:]
    name = words[0].replace("-", "_") if words else ""
    is_hook = name == "run" or (bool(name) and registry.exists("hooks", name))
    if (is_hook or (name and registry.exists("hooks/_screen", name))) and not _person_asks(words):
        import gc

        code = 0
        gc.disable()  # a process of some milliseconds leaves no garbage worth looking for
        bundle = registry.Bundle()
        bundle.use()
        try:
            from hookkit import pipeline

            first = _play_stored if name == "run" else None
            code = pipeline.serve(name, words[1:], first) if is_hook else pipeline.show(name)
            bundle.keep()
        except KeyboardInterrupt:
            pass  # the person left the client, and the key reached us too
        os._exit(code)  # nothing is buffered, and taking the interpreter down politely costs a tenth of its life
    from hookkit.cli import main as people

    people()


def _play_stored(event: "Event", environ: dict[str, str]) -> None:
    """Events that the launcher has stored count before this one: those of the session, at a start or end all."""
    from hookkit.system import files

    if not os.path.isdir(f"{files.state_dir(environ)}/spool"):
        return
    from hookkit.system import spooled

    session = "" if event.name in ("SessionStart", "SessionEnd", "Stop") else event.session_id
    if spooled.names(spooled.directory(environ), session):
        from hookkit.server import spool

        spool.play(environ, session)


def _person_asks(words: list[str]) -> bool:
    """Help is wanted, or a person typed the command at a terminal and would wait for ever."""
    if "--help" in words or "-h" in words:
        return True
    if not os.isatty(0):
        return False
    sys.argv[1:] = [words[0], "--help"]
    return True


if __name__ == "__main__":
    main()
