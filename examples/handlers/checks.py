"""A handler as a function: it runs inside hookkit, without a process of its own."""

from hookkit.model import Decision, Event


def no_secrets(event: Event) -> Decision | None:
    """Block writes to sensitive paths."""
    path = str(event.tool_input.get("file_path", ""))
    if ".env" in path or "credentials" in path:
        return Decision("deny", "Cannot write to sensitive files")
    return None
