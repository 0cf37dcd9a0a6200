"""The changes of `doctor --fix`, as functions from text to text."""

from hookkit import registry
from hookkit.doctor.setup import SettingsFile, Setup
from hookkit.documents.json_edit import JsonEditor
from hookkit.wiring import change, launcher
from hookkit.wiring.formats import Wired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.doctor.problem import Mend

JSON = ("claude", "copilot", "cursor")  # file formats for JsonEditor


def rewired(setup: Setup, file: SettingsFile) -> "Mend | None":
    """The same as `hookkit init` for this file: the pinned command on every event."""
    if file.place.scope == "managed":
        return None
    options = change.Options(setup.launcher, setup.script)
    options.needs = setup.needs
    form = registry.find("wiring/formats", file.place.form)

    def mend(text: str) -> str:
        if not file.place.is_shared:
            launcher.write(options.script, change.launcher_text(options.launcher))
        return str(form.wire(file.path, text, change.wanted(file.place, options)))

    return mend


def replaced(file: SettingsFile, each: Wired, field: str, value: "Any") -> "Mend | None":
    """Another value for a field of a handler."""
    if file.place.form not in JSON or file.place.scope == "managed":
        return None

    def mend(text: str) -> str:
        editor = JsonEditor(file.path, text, comments=True)
        editor.replace((*each.path, field), value)
        return editor.text

    return mend


def added(file: SettingsFile, each: Wired, field: str, value: "Any") -> "Mend | None":
    """A further field of a handler."""
    if file.place.form != "claude" or file.place.scope == "managed":
        return None

    def mend(text: str) -> str:
        editor = JsonEditor(file.path, text, comments=True)
        if field in each.fields:
            editor.replace((*each.path, field), value)
        else:
            editor.add(each.path, field, value)
        return editor.text

    return mend


def without(file: SettingsFile, path: "tuple[str | int, ...]") -> "Mend | None":
    """The file without a field of a handler or of its group."""
    if file.place.form != "claude" or file.place.scope == "managed":
        return None

    def mend(text: str) -> str:
        editor = JsonEditor(file.path, text, comments=True)
        editor.remove(path)
        return editor.text

    return mend
