"""Commands that a client calls for its screen: the status line, and the files offered after `@`.

One file = one command: `answer(fields, settings) → text`; `SECONDS` is its limit and `SETTING` the setting of a command
that replaces it. May import every room of a feature, never cli or play.
"""

from hookkit import registry
from hookkit.errors import HookkitError
from hookkit.settings import layers
from hookkit.system import jsons


def answer(name: str, raw: bytes, environ: dict[str, str], here: str) -> str:
    """The user's own command where there is one, else hookkit's answer; nothing without a question."""
    import os

    fields = jsons.loads(raw) if raw.strip() else None
    if fields is None:
        return ""
    fields = fields if isinstance(fields, dict) else {}
    directory = fields.get("cwd")
    settings = layers.load(directory if isinstance(directory, str) and os.path.isabs(directory) else here, environ)
    if settings.values.get("disable_all_hooks"):
        return ""
    module = registry.find("hooks/_screen", name)
    own = settings.values.get(module.SETTING)
    if not own:
        return str(module.answer(fields, settings))
    from hookkit.system.user_programs import UserProgram

    result = UserProgram(own, here, settings.environ, module.SECONDS).run(jsons.dumps(fields).encode())
    if result.problem or result.code:
        raise HookkitError(f"{module.SETTING} {result.problem or f'exited with {result.code}'}")
    return result.stdout.decode("utf-8", "replace").rstrip("\n")
