"""Cmdlets that change the session, run a text, or give back something known. All others are records alone."""

import os

from hookkit.programs.words import UNKNOWN
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.expand import is_pattern
from hookkit.shell.powershell.names import Bound, BoundWord, path_of
from hookkit.shell.powershell.values import ANY, Instance, Items, joined, narrowed, text_of, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.commands import Command
    from hookkit.shell.powershell.calls import CmdletCall

    Special = Callable[[CmdletCall, Bound, Command], Items]

TESTERS = ("Where-Object", "Sort-Object", "Group-Object", "Measure-Command", "Compare-Object")


def _expression(call: "CmdletCall", bound: Bound, command: "Command") -> Items:
    text = joined(bound.value("-Command"), "\n")
    return call.session.inner(text, command, call.context, "Invoke-Expression")


def _start(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    """`Start-Process file arguments`: the arguments may be one text."""
    from hookkit.shell.powershell import cmd_words

    arguments = [word for text in texts(bound.value("-ArgumentList")) for word in cmd_words(text)]
    context = call.context.inside("Start-Process")
    inner = type(call)(call.session, [BoundWord("", [word]) for word in arguments], None, context)
    for text in texts(bound.value("-FilePath")):
        inner.run(text)
    return [UNKNOWN]


def _open(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    """`Invoke-Item file` runs a program, or opens a document with its program."""
    for text in texts(bound.value("-Path")):
        if text.lower().endswith((".exe", ".bat", ".cmd", ".ps1", ".com", ".msi", ".vbs", ".sh")):
            type(call)(call.session, [], None, call.context.inside("Invoke-Item")).run(text)
    return []


def _alias(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    call.session.aliases[bound.text("-Name").lower()] = bound.text("-Value")
    return []


def _variable(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    call.session.put(bound.text("-Name").lower(), bound.value("-Value"))
    return []


def _get_variable(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    return call.session.variables.get(bound.text("-Name").lower(), [UNKNOWN])


def _move(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    shell = call.context.shell
    path = path_of(bound.text("-Path"))
    is_known = UNKNOWN not in path and shell.directory is not None and bool(path)
    shell.move(os.path.normpath(os.path.join(shell.directory or "", path)) if is_known else None)
    return []


def _back(call: "CmdletCall", _: Bound, __: "Command") -> Items:
    call.context.shell.move(call.context.shell.old)
    return []


def _location(call: "CmdletCall", _: Bound, __: "Command") -> Items:
    return [call.context.shell.directory or UNKNOWN]


def _children(_: "CmdletCall", bound: Bound, __: "Command") -> Items:
    """The files of a directory: as a pattern, which stands for all of them."""
    chosen = [text for option in ("-Filter", "-Include") for text in texts(bound.value(option))]
    output: Items = []
    for text in texts(bound.value("-Path")) or ["."]:
        path = path_of(text)
        name = path.rpartition("/")[2]
        if is_pattern(name) and name.strip("*"):
            output.append(path)
        else:
            start = path.removesuffix(ANY) if path != ANY else ""
            output += [f"{start.rstrip('/')}/{choice}" for choice in chosen] or [f"{start.rstrip('/')}{ANY}"]
    return output


def _paths(_: "CmdletCall", bound: Bound, __: "Command") -> Items:
    return [path_of(text) for text in texts(bound.value("-Path"))] or [UNKNOWN]


def _join(_: "CmdletCall", bound: Bound, __: "Command") -> Items:
    options = ("-Path", "-ChildPath", "-AdditionalChildPath")
    first, *more = [path_of(text) for option in options for text in texts(bound.value(option))] or [UNKNOWN]
    return ["/".join([first.rstrip("/"), *(part.strip("/") for part in more)]) if more else first]


def _split(_: "CmdletCall", bound: Bound, __: "Command") -> Items:
    paths = [path_of(text).rstrip("/") for text in texts(bound.value("-Path"))]
    return [path.rpartition("/")[2 if "-Leaf" in bound.flags else 0] or "." for path in paths]


def _content(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    return [call.line.made.text(path_of(text), call.context) for text in texts(bound.value("-Path"))] or [FILE_TEXT]


def _echo(_: "CmdletCall", bound: Bound, __: "Command") -> Items:
    return [*bound.value("-InputObject"), *bound.rest]


def _nothing(_: "CmdletCall", __: Bound, ___: "Command") -> Items:
    return []


def _write(call: "CmdletCall", bound: Bound, command: "Command") -> Items:
    """`Set-Content`, `Out-File`: the text of the file is known if the value is. `alias:` and `function:` are drives."""
    items = bound.value("-Value") or bound.value("-InputObject")
    for text in texts(bound.value("-Path")):
        path = path_of(text)
        if path.startswith(("alias:", "function:")):
            call.session.put(path.replace("/", "").replace("\\", ""), items)
            continue
        append = command.words[0] == "Add-Content" or "-Append" in bound.flags
        call.line.made.write(path, joined(items, "\n"), call.context, append=append)
    return list(call.stdin or []) if command.words[0] == "Tee-Object" else []


def _new_item(call: "CmdletCall", bound: Bound, command: "Command") -> Items:
    kind = bound.text("-ItemType").lower()
    names = texts(bound.value("-Path"))
    if kind in ("symboliclink", "junction", "hardlink"):
        for name in names:
            call.line.made.link(path_of(bound.text("-Value")), path_of(name), call.context)
    elif kind != "directory" and bound.value("-Value"):
        _write(call, bound, command)
    return [path_of(name) for name in names]


def _fetch(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    for text in texts(bound.value("-OutFile")):
        place = call.line.made.write(path_of(text), UNKNOWN, call.context)
        call.line.made.fetched.add(place)
    return [UNKNOWN]


def _copied(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    """A copy of a file that the line made or fetched is as much a part of the line."""
    made = call.line.made
    for source in texts(bound.value("-Path")):
        for goal in texts(bound.value("-Destination")):
            text = made.find(path_of(source), call.context)
            if text is not None:
                place = made.write(path_of(goal), text, call.context)
                made.fetched |= {place} if made.place(path_of(source), call.context) in made.fetched else set()
    return []


def _where(call: "CmdletCall", _: Bound, __: "Command") -> Items:
    return narrowed(call.stdin or [])


def _select(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    items = list(call.stdin or [])
    limits = ("-First", "-Last", "-Skip", "-Index", "-SkipLast")
    return narrowed(items) if any(option in bound.values for option in limits) else items


def _same(call: "CmdletCall", _: Bound, __: "Command") -> Items:
    return list(call.stdin or [])


def _for_each(call: "CmdletCall", bound: Bound, _: "Command") -> Items:
    """`% { … }` gives back what its blocks gave; `% FullName` and `% Delete` name a member."""
    from hookkit.shell.powershell import methods

    given = [item for items in (*bound.values.values(), bound.rest) for item in items]
    if not all(isinstance(item, str) for item in given):
        return call.blocks_output
    items = list(call.stdin or [UNKNOWN])
    member = text_of(given[0]).lower() if given else ""
    methods.invoke(call.session, items, member, [], call.context)
    return methods.member(items, member)


def _new_object(_: "CmdletCall", bound: Bound, __: "Command") -> Items:
    if bound.value("-ComObject"):
        return [Instance(f"com:{bound.text('-ComObject')}")]
    name = bound.text("-TypeName")
    arguments = [*bound.value("-ArgumentList"), *bound.rest]
    if name.lower().removeprefix("system.") in ("io.fileinfo", "io.directoryinfo", "string", "uri"):
        return arguments or [UNKNOWN]
    return [Instance(name)]


def _command(_: "CmdletCall", bound: Bound, __: "Command") -> Items:
    names = texts(bound.value("-Name"))
    return [UNKNOWN if is_pattern(name) else name for name in names] or [UNKNOWN]


def _add_type(_: "CmdletCall", bound: Bound, command: "Command") -> Items:
    if any(option in bound.values for option in ("-TypeDefinition", "-MemberDefinition", "-Path")):
        command.doubt = "Add-Type compiles and loads code that hookkit does not read"
    return []


def _wmi(call: "CmdletCall", bound: Bound, command: "Command") -> Items:
    """`Invoke-CimMethod Win32_Process Create`: starts the program in CommandLine."""
    from hookkit.shell.powershell import follow_cmd

    values = [item for items in bound.values.values() for item in items]
    tables = [item for item in values if isinstance(item, dict)]
    for text in [joined(table["commandline"]) for table in tables if "commandline" in table]:
        follow_cmd(call.line, text, command, call.context)
    if not tables and "create" in [text_of(item).lower() for item in values]:
        follow_cmd(call.line, joined(bound.value("-ArgumentList")), command, call.context)
    return [UNKNOWN]


SPECIAL: "dict[str, Special]" = {
    "Invoke-Expression": _expression,
    "Start-Process": _start,
    "Invoke-Item": _open,
    **dict.fromkeys(("Set-Alias", "New-Alias"), _alias),
    **dict.fromkeys(("Set-Variable", "New-Variable"), _variable),
    "Get-Variable": _get_variable,
    **dict.fromkeys(("Set-Location", "Push-Location"), _move),
    "Pop-Location": _back,
    "Get-Location": _location,
    "Get-ChildItem": _children,
    **dict.fromkeys(("Get-Item", "Resolve-Path", "Convert-Path"), _paths),
    "Join-Path": _join,
    "Split-Path": _split,
    "Get-Content": _content,
    "Write-Output": _echo,
    **dict.fromkeys(("Write-Host", "Out-Null", "Out-Host", "Out-Default", "Write-Verbose"), _nothing),
    **dict.fromkeys(("Set-Content", "Add-Content", "Out-File", "Tee-Object", "Set-Item"), _write),
    "New-Item": _new_item,
    **dict.fromkeys(("Invoke-WebRequest", "Invoke-RestMethod", "Start-BitsTransfer"), _fetch),
    **dict.fromkeys(("Copy-Item", "Move-Item", "Rename-Item"), _copied),
    "Where-Object": _where,
    "Select-Object": _select,
    **dict.fromkeys(("Sort-Object", "Get-Unique", "Out-String"), _same),
    "ForEach-Object": _for_each,
    "New-Object": _new_object,
    "Get-Command": _command,
    "Add-Type": _add_type,
    **dict.fromkeys(("Invoke-CimMethod", "Invoke-WmiMethod"), _wmi),
}
