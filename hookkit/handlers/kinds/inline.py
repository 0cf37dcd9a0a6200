"""A function of the user's in this process: it gets the Event and returns a Decision, a reply as a dict, or None.

`checks.py:no_secrets` is a file beside the settings file, `package.module:function` an installed package. The working
directory is never on the import path.
"""

import os
import sys

from hookkit.errors import HandlerError
from hookkit.handlers import replies
from hookkit.handlers.handler import HandlerCall
from hookkit.handlers.replies import Reply
from hookkit.model import VERDICTS, Decision
from hookkit.settings import hook_rows
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

_loaded: "dict[str, tuple[list[int], ModuleType]]" = {}  # files of functions, loaded once while they do not change


def run(call: HandlerCall) -> Reply:
    call.check_trust()
    returned = function(call.handler.row)(call.event)
    if isinstance(returned, Decision):
        return Reply(_checked(returned))
    return replies.of_value(returned, call.event.name)


def _checked(decision: Decision) -> Decision:
    """A decision of the user's own making: one wrong field must not cost the answers of other handlers."""
    if decision.verdict not in VERDICTS:
        raise HandlerError(f"verdict: expected allow, ask, defer or deny, not {decision.verdict!r}")
    for name in ("reason", "context", "message", "stop"):
        value = getattr(decision, name)
        if not isinstance(value, str) and not (name == "stop" and value is None):
            raise HandlerError(f"{name}: expected text, not {value!r}"[:200])
    if decision.updated_input is not None and not isinstance(decision.updated_input, dict):
        raise HandlerError("updated_input: expected a dict")
    replies.check_json([decision.updated_input, decision.updated_output, decision.evidence, decision.more])
    return decision


def function(row: "dict[str, Any]") -> "Callable[[Any], Any]":
    source, _, name = row["body"]["function"].rpartition(":")
    path = hook_rows.inline_file(row)
    module = _file(path) if path else _installed(source)
    target = getattr(module, name, None)
    if not callable(target):
        raise HandlerError(f"{source} has no function {name}")
    return target  # type: ignore[no-any-return]


def _installed(name: str) -> "ModuleType":
    if sys.flags.no_site and "site" not in sys.modules:
        import site

        site.main()  # the wired line leaves `.pth` files out, and the package may be installed by one
    try:
        __import__(name)
    except ImportError as error:
        raise HandlerError(f"cannot import {name}: {error}") from None
    return sys.modules[name]


def _file(path: str) -> "ModuleType":
    """Compiled here, not by the import system: no __pycache__ appears beside the user's file."""
    from types import ModuleType

    stamp = files.stamp(path)
    if path in _loaded and _loaded[path][0] == stamp:
        return _loaded[path][1]
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec")
    except (OSError, SyntaxError, ValueError) as error:
        raise HandlerError(f"cannot load {path}: {error}") from None
    module = ModuleType(os.path.basename(path).removesuffix(".py"))
    module.__file__ = path
    exec(code, module.__dict__)  # noqa: S102 - the user's own function, of a trusted settings file
    _loaded[path] = (stamp, module)
    return module
