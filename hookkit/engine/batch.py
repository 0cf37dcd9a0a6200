"""Whether a person is there: a batch session (`claude -p`, CI, no terminal) runs no prompt and agent handlers."""

import os

from hookkit.engine.handler import Handler

INSIDE = "HOOKKIT_INSIDE"  # set for a model's own client: no prompt or agent handler runs inside of another
ASKING = ("prompt", "agent")
TERMINAL = "/dev/tty"


def refusal(handler: Handler, environ: dict[str, str]) -> str:
    """Why the handler does not run here, or an empty text."""
    if handler.kind not in ASKING:
        return ""
    if environ.get(INSIDE):
        return f"{handler.kind} handlers do not run inside the model of another {handler.kind} handler"
    if handler.row["batch"] or not is_batch(environ):
        return ""
    return f"{handler.kind} handlers need an interactive session: this one is a batch run. Set batch = true to run it"


def is_batch(environ: dict[str, str]) -> bool:
    attended, entry = environ.get("CLAUDE_CODE_SESSION_ATTENDED", ""), environ.get("CLAUDE_CODE_ENTRYPOINT", "")
    if environ.get("CI") or attended == "0" or entry.startswith("sdk"):
        return True
    if attended or entry:
        return False
    try:
        os.close(os.open(TERMINAL, os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return True
    return False
