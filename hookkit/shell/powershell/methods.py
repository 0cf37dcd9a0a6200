"""Members and methods of .NET: those that touch files, the environment, processes and scripts come to a cmdlet."""

import binascii

from hookkit.programs.words import UNKNOWN
from hookkit.shell.powershell.names import path_of
from hookkit.shell.powershell.reader import ScriptNode
from hookkit.shell.powershell.values import Instance, Items, joined, text_of, texts, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.commands import Context
    from hookkit.shell.powershell.session import ScriptSession

# A type's methods: the cmdlet with the same effect, and its parameters in the order of the method's arguments.
CMDLETS: dict[str, dict[str, str]] = {
    "io.file": {
        "delete": "Remove-Item -Path",
        **dict.fromkeys(("writealltext", "writealllines", "writeallbytes"), "Set-Content -Path -Value"),
        **dict.fromkeys(("create", "createtext", "openwrite"), "Set-Content -Path"),
        **dict.fromkeys(("appendalltext", "appendalllines", "appendtext"), "Add-Content -Path -Value"),
        **dict.fromkeys(("readalltext", "readalllines", "readallbytes", "readlines"), "Get-Content -Path"),
        **dict.fromkeys(("open", "openread", "opentext"), "Get-Content -Path"),
        "copy": "Copy-Item -Path -Destination",
        **dict.fromkeys(("move", "replace"), "Move-Item -Path -Destination"),
        "createsymboliclink": "New-Item -Path -Value",
    },
    "io.directory": {
        "delete": "Remove-Item -Path",
        "createdirectory": "New-Item -Path",
        "move": "Move-Item -Path -Destination",
        **dict.fromkeys(
            ("getfiles", "enumeratefiles", "getdirectories", "enumeratedirectories", "getfilesystementries"),
            "Get-ChildItem -Path -Filter",
        ),
        "setcurrentdirectory": "Set-Location -Path",
    },
    "io.compression.zipfile": {
        "extracttodirectory": "Expand-Archive -Path -DestinationPath",
        "createfromdirectory": "Compress-Archive -Path -DestinationPath",
    },
    "environment": {
        "setenvironmentvariable": "Set-EnvironmentVariable -Name -Value -Target",
    },
    "diagnostics.process": {"start": "Start-Process -FilePath -ArgumentList"},
    "net.webclient": {
        **dict.fromkeys(("downloadstring", "downloaddata", "openread"), "Invoke-WebRequest -Uri"),
        "downloadfile": "Invoke-WebRequest -Uri -OutFile",
        **dict.fromkeys(("uploadstring", "uploaddata", "uploadvalues"), "Invoke-WebRequest -Uri -Body"),
        "uploadfile": "Invoke-WebRequest -Uri -InFile",
    },
    "net.http.httpclient": {
        **dict.fromkeys(("getstring", "get", "getbytearray", "getstream"), "Invoke-WebRequest -Uri"),
        **dict.fromkeys(("post", "put", "patch"), "Invoke-WebRequest -Uri -Body"),
        "delete": "Invoke-WebRequest -Method -Uri",
    },
    "microsoft.win32.registry": {"setvalue": "Set-ItemProperty -Path -Name -Value"},
    "reflection.assembly": dict.fromkeys(("load", "loadfile", "loadfrom", "unsafeloadfrom"), "Add-Type -Path"),
    "com:shell.application": {"shellexecute": "Start-Process -FilePath -ArgumentList"},
}
# Methods of a file or directory that Get-Item or Get-ChildItem gave.
OF_FILES = {
    "delete": "Remove-Item -Path",
    "moveto": "Move-Item -Path -Destination",
    "copyto": "Copy-Item -Path -Destination",
    "kill": "Stop-Process -Name",
}
OF_SCRIPTS = ("invokescript", "addscript", "newscriptblock")  # their first argument is a script
ENCODINGS = {"unicode": "utf-16-le", "utf8": "utf-8", "ascii": "ascii", "bigendianunicode": "utf-16-be",
             "default": "utf-8", "utf32": "utf-32-le", "latin1": "latin-1"}  # fmt: skip
LONGEST = 200_000  # characters of an encoded text


class Bytes:
    """The bytes of a decoded text."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


def member(items: Items, name: str) -> Items:
    """A property: paths of files, values of hash tables, encodings. Everything else is known only in a run."""
    values: Items = []
    for item in items:
        if isinstance(item, dict):
            values += item.get(name, [UNKNOWN])
        elif isinstance(item, Instance):
            is_encoding = item.type == "text.encoding" and name in ENCODINGS
            values.append(Instance(f"text.encoding.{name}") if is_encoding else UNKNOWN)
        elif isinstance(item, str) and name in PARTS:
            values.append(PARTS[name](path_of(item)))
        else:
            values.append(UNKNOWN)
    return values or [UNKNOWN]


def _parent(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0] or "."


PARTS: "dict[str, Callable[[str], str]]" = {
    **dict.fromkeys(("fullname", "path", "pspath", "providerpath", "definition", "source"), lambda path: path),
    **dict.fromkeys(("name", "basename"), lambda path: path.rpartition("/")[2]),
    **dict.fromkeys(("directoryname", "directory", "parent", "psparentpath"), _parent),
}


def invoke(session: "ScriptSession", targets: Items, name: str, given: list[Items], context: "Context") -> Items:
    """Call a method of a type or of an object."""
    target = targets[0] if targets else UNKNOWN
    if isinstance(target, ScriptNode):
        return _of_block(session, target, name, given, context)
    if name in ("foreach", "where") and given and given[0] and isinstance(given[0][0], ScriptNode):
        return _each(session, targets, name, given[0][0], context)
    if name in OF_SCRIPTS and given:
        return _script(session, joined(given[0]), name, context)
    if isinstance(target, Instance):
        return _of_type(session, target, name, given, context)
    if name in OF_FILES:
        row = OF_FILES[name].split()
        return _cmdlet(session, row, [targets, *given], context)
    texts_given = [text_of(values[0]) if values else "" for values in given]
    return [_of_text(text_of(item), name, texts_given) for item in targets]


def _of_block(session: "ScriptSession", block: ScriptNode, name: str, given: list[Items], context: "Context") -> Items:
    from hookkit.shell.powershell.names import BoundWord

    if not name.startswith("invoke"):
        return [block] if name in ("getnewclosure", "clone") else [UNKNOWN]
    return session.call_block(block, [BoundWord("", items) for items in given], context)


def _each(session: "ScriptSession", targets: Items, name: str, block: ScriptNode, context: "Context") -> Items:
    from hookkit.shell.powershell.calls import CmdletCall
    from hookkit.shell.powershell.values import narrowed

    output = CmdletCall(session, [], targets, context).block(block)
    return narrowed(targets) if name == "where" else output


def _script(session: "ScriptSession", text: str, name: str, context: "Context") -> Items:
    if name == "newscriptblock":
        return [session.block_from(text)]
    command = session.line.add(["Invoke-Expression", "-Command", text], context)
    command.followed = True
    return session.inner(text, command, context, name)


def _of_type(session: "ScriptSession", target: Instance, name: str, given: list[Items], context: "Context") -> Items:
    kind = target.type
    plain = name.removesuffix("async").removesuffix("task")
    row = CMDLETS.get(kind, {}).get(plain, "").split()
    if row:
        return _cmdlet(session, row, given, context)
    if kind == "com:wscript.shell" and name in ("run", "exec") and given:
        from hookkit.shell.powershell import cmd_words

        first, *rest = cmd_words(joined(given[0])) or [UNKNOWN]
        return _cmdlet(session, ["Start-Process", "-FilePath", "-ArgumentList"], [[first], [*rest]], context)
    if name == "new":
        is_path = kind in ("io.fileinfo", "io.directoryinfo", "uri")
        return given[0] if is_path and given else [Instance(kind)]
    if name == "create" and kind in ("scriptblock", "management.automation.scriptblock") and given:
        return [session.block_from(joined(given[0]))]
    if name == "create":
        return [Instance(kind)]
    known = STATIC.get((kind, name))
    if known is not None:
        return known([" ".join(texts(items)) for items in given])
    if kind == "environment":
        return _environment(session, name, given, context)
    if kind.startswith("text.encoding.") and name == "getstring" and given and isinstance(given[0][0], Bytes):
        return [given[0][0].data.decode(ENCODINGS[kind.rpartition(".")[2]], "replace").replace(UNKNOWN, "")]
    return [UNKNOWN]


def _cmdlet(session: "ScriptSession", row: list[str], given: list[Items], context: "Context") -> Items:
    from hookkit.shell.powershell.calls import CmdletCall

    values = dict(zip(row[1:], given, strict=False))
    return CmdletCall(session, [], None, context).named(row[0], values)


def _environment(session: "ScriptSession", name: str, given: list[Items], context: "Context") -> Items:
    if name == "getfolderpath":
        return [context.shell.home or UNKNOWN]
    if name in ("getenvironmentvariable", "getenvironmentvariables", "expandenvironmentvariables"):
        variable = joined(given[0]).strip("%") if given and name == "getenvironmentvariable" else ""
        known = session.variables.get(f"env:{variable.lower()}")
        if known is None and name != "expandenvironmentvariables":
            session.line.add(["Get-Content", "-Path", f"env:{variable.upper()}"], context)
        return known or [UNKNOWN]
    return [UNKNOWN]


def _of_text(text: str, name: str, given: list[str]) -> str:
    """Methods that build one text from another."""
    if name in ("tostring", "normalize", "clone"):
        return text
    if name in ("tolower", "tolowerinvariant"):
        return text.lower()
    if name in ("toupper", "toupperinvariant"):
        return text.upper()
    if name in ("trim", "trimend", "trimstart") and not given:
        return text.strip()
    if name == "replace" and len(given) > 1 and given[0]:
        return text.replace(given[0], given[1])[:LONGEST]
    if name == "substring" and given:
        start, size = whole_number(given[0]), whole_number(given[1]) if len(given) > 1 else len(text)
        return text[start : start + size] if start is not None and size is not None and start >= 0 else UNKNOWN
    if name == "insert" and len(given) > 1:
        place = whole_number(given[0])
        return text[:place] + given[1] + text[place:] if place is not None else UNKNOWN
    return UNKNOWN


def decoded(text: str) -> bytes:
    """Base64, as far as it can be read."""
    try:
        return binascii.a2b_base64(text[:LONGEST].encode("ascii", "ignore"))
    except binascii.Error:
        return b""


def _combine(given: list[str]) -> Items:
    parts = [path_of(text) for text in given]
    return ["/".join([*(part.rstrip("/") for part in parts[:-1]), *parts[-1:]])]


STATIC: "dict[tuple[str, str], Callable[[list[str]], Items]]" = {
    ("convert", "frombase64string"): lambda given: [Bytes(decoded("".join(given)))],
    ("io.path", "combine"): _combine,
    ("io.path", "join"): _combine,
    ("io.path", "getfullpath"): lambda given: [path_of(given[0]) if given else UNKNOWN],
    ("io.path", "gettemppath"): lambda _: ["/tmp"],  # noqa: S108 - compared with rules, never opened
    ("io.path", "getfilename"): lambda given: [path_of(given[0]).rpartition("/")[2] if given else UNKNOWN],
    ("io.path", "getdirectoryname"): lambda given: [_parent(path_of(given[0])) if given else UNKNOWN],
    ("string", "join"): lambda given: [given[0].join(given[1:])] if len(given) > 1 else [UNKNOWN],
    ("string", "concat"): lambda given: ["".join(given)],
    ("string", "format"): lambda _: [UNKNOWN],
}
