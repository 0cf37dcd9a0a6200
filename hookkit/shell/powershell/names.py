"""Names: aliases of cmdlets, names that are programs on one system and aliases on another, known variables.

Parameters are bound here, abbreviations included.
"""

from hookkit.programs.catalogue import Program
from hookkit.shell.powershell.values import Items, text_of, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.programs.catalogue import Catalogue


ALIASES = {
    alias: name
    for name, aliases in {
        "Add-Content": "ac",
        "Clear-Content": "clc",
        "Clear-Host": "cls clear",
        "Clear-Item": "cli",
        "Clear-ItemProperty": "clp",
        "Clear-RecycleBin": "",
        "Compare-Object": "compare diff",
        "Copy-Item": "copy cp cpi",
        "Copy-ItemProperty": "cpp",
        "Export-Csv": "epcsv",
        "ForEach-Object": "foreach %",
        "Format-List": "fl",
        "Format-Table": "ft",
        "Format-Wide": "fw",
        "Format-Hex": "fhx",
        "Get-Alias": "gal",
        "Get-ChildItem": "dir gci ls",
        "Get-Clipboard": "gcb",
        "Get-Command": "gcm",
        "Get-Content": "cat gc type",
        "Get-Help": "help man",
        "Get-History": "ghy h history",
        "Get-Item": "gi",
        "Get-ItemProperty": "gp",
        "Get-ItemPropertyValue": "gpv",
        "Get-Job": "gjb",
        "Get-Location": "gl pwd",
        "Get-Member": "gm",
        "Get-Module": "gmo",
        "Get-Process": "gps ps",
        "Get-Service": "gsv",
        "Get-Unique": "gu",
        "Get-Variable": "gv",
        "Get-WmiObject": "gwmi",
        "Get-CimInstance": "gcim",
        "Group-Object": "group",
        "Import-Csv": "ipcsv",
        "Import-Module": "ipmo",
        "Invoke-Command": "icm",
        "Invoke-Expression": "iex",
        "Invoke-History": "ihy r",
        "Invoke-CimMethod": "icim",
        "Invoke-WmiMethod": "iwmi",
        "Invoke-Item": "ii",
        "Invoke-RestMethod": "irm",
        "Invoke-WebRequest": "iwr curl wget",
        "Measure-Object": "measure",
        "Move-Item": "mi move mv",
        "Move-ItemProperty": "mp",
        "New-Alias": "nal",
        "New-Item": "ni md mkdir",
        "New-PSDrive": "ndr mount",
        "New-Variable": "nv",
        "Out-Host": "oh",
        "Out-GridView": "ogv",
        "Out-Printer": "lp",
        "Pop-Location": "popd",
        "Push-Location": "pushd",
        "Receive-Job": "rcjb",
        "Remove-Item": "del erase rd ri rm rmdir",
        "Remove-ItemProperty": "rp",
        "Remove-Job": "rjb",
        "Remove-Module": "rmo",
        "Remove-PSDrive": "rdr",
        "Remove-PSSession": "rsn",
        "Remove-Variable": "rv",
        "Remove-WmiObject": "rwmi",
        "Remove-CimInstance": "rcim",
        "Rename-Item": "ren rni",
        "Rename-ItemProperty": "rnp",
        "Resolve-Path": "rvpa",
        "Restart-Service": "",
        "Select-Object": "select",
        "Select-String": "sls",
        "Set-Alias": "sal",
        "Set-CimInstance": "scim",
        "Set-Clipboard": "scb",
        "Set-Content": "sc",
        "Set-Item": "si",
        "Set-ItemProperty": "sp",
        "Set-Location": "cd chdir sl",
        "Set-Variable": "set sv",
        "Set-WmiInstance": "swmi",
        "Show-Command": "shcm",
        "Sort-Object": "sort",
        "Start-Job": "sajb",
        "Start-Process": "saps start",
        "Start-Service": "sasv",
        "Start-Sleep": "sleep",
        "Stop-Job": "spjb",
        "Stop-Process": "kill spps",
        "Stop-Service": "spsv",
        "Tee-Object": "tee",
        "Wait-Job": "wjb",
        "Where-Object": "where ?",
        "Write-Output": "echo write",
        "Enter-PSSession": "etsn",
        "New-PSSession": "nsn",
    }.items()
    for alias in aliases.split()
}
# Aliases of Windows PowerShell that are programs elsewhere, and `sc`, which PowerShell 7 leaves to the program.
PROGRAMS = frozenset("cat cp curl kill ls mkdir mv rm rmdir sc sort tee wget".split())
# The verbs that Microsoft lists: `Verb-Noun` with one of them is a cmdlet, whether or not it has a record.
VERBS = frozenset(
    """
    add approve assert backup block build checkpoint clear close compare complete compress confirm connect convert
    convertfrom convertto copy debug deny deploy disable disconnect dismount edit enable enter exit expand export find
    foreach format get grant group hide import initialize install invoke join limit lock measure merge mount move new
    open optimize out ping pop protect publish push read receive redo register remove rename repair request reset resize
    resolve restart restore resume revoke save search select send set show skip sort split start step stop submit
    suspend switch sync tee test trace unblock undo uninstall unlock unprotect unpublish unregister update use wait
    watch where write
    """.split()
)


FILES = ("reads", "writes", "deletes", "paths")  # columns of parameters whose value is a path
# Parameters of every cmdlet.
FLAGS = ("-Verbose", "-Debug", "-WhatIf", "-Confirm")
VALUES = (
    "-ErrorAction", "-WarningAction", "-InformationAction", "-ProgressAction", "-ErrorVariable", "-WarningVariable",
    "-OutVariable", "-OutBuffer", "-PipelineVariable", "-InformationVariable",
)  # fmt: skip
SHORT = {"-ea": "-ErrorAction", "-wa": "-WarningAction", "-infa": "-InformationAction", "-ev": "-ErrorVariable",
         "-ov": "-OutVariable", "-wi": "-WhatIf", "-cf": "-Confirm", "-vb": "-Verbose", "-db": "-Debug"}  # fmt: skip


class BoundWord:
    """`name` is a parameter as written, with its dash; `items` is None where no value is glued to the parameter."""

    __slots__ = ("items", "name")

    def __init__(self, name: str, items: Items | None) -> None:
        self.name = name
        self.items = items


class Bound:
    """`flags` and `values` by full names; `rest` are arguments that the record has no place for."""

    def __init__(self, record: Program) -> None:
        self.record = record
        self.flags: list[str] = []
        self.values: dict[str, Items] = {}
        self.rest: Items = []

    def value(self, name: str) -> Items:
        return self.values.get(name, [])

    def text(self, name: str) -> str:
        return " ".join(texts(self.value(name)))

    def path_options(self) -> set[str]:
        return {option for column in FILES for option in self.record.words_of(column)}

    def words(self) -> list[str]:
        """Flags first, then each value with its parameter; a path has slashes, and begins at home or at a drive."""
        paths = self.path_options()
        words = list(self.flags)
        for name, items in self.values.items():
            for item in items:
                text = text_of(item)
                words += [name, path_of(text) if name in paths else text]
        return [*words, *texts(self.rest)]


def full_name(name: str, catalogue: "Catalogue") -> str:
    r"""`Remove-Item` for `ri`, `REMOVE-ITEM` and `Microsoft.PowerShell.Management\Remove-Item`; empty for a program."""
    module, _, base = name.rpartition("\\")
    if module and ("/" in name or module[:1] in (".", "\\") or ":" in module or "." in base):
        return ""
    lowered = base.lower()
    if lowered in ALIASES:
        return ALIASES[lowered]
    verb, dash, noun = lowered.partition("-")
    if not dash or not noun or verb not in VERBS or "." in noun or "/" in noun:
        return ""
    record = catalogue.find(lowered)
    return record.name if record is not None else f"{verb.capitalize()}-{base[len(verb) + 1 :]}"


def bind(record: Program, arguments: list[BoundWord], stdin: Items | None) -> Bound:
    bound = Bound(record)
    loose: list[Items] = []
    place = 0
    while place < len(arguments):
        argument = arguments[place]
        place += 1
        if not argument.name:
            loose.append(argument.items or [])
            continue
        name = parameter(argument.name, record)
        takes = name in record.value or name in VALUES
        if takes:
            items = argument.items
            if items is None and place < len(arguments) and not arguments[place].name:
                items = arguments[place].items
                place += 1
            bound.values[name] = items or []
        elif argument.items is None or text_of((argument.items or [""])[0]).lower() != "false":
            bound.flags.append(name)
    order = [name for name in record.words_of("positional") if name not in bound.values]
    for name, items in zip(order, loose, strict=False):
        bound.values[name] = items
    bound.rest = [item for items in loose[len(order) :] for item in items]
    if order and bound.rest and order[-1] in bound.path_options():  # one path too many is a path as well
        bound.values[order[-1]], bound.rest = [*bound.values[order[-1]], *bound.rest], []
    piped = record.text("piped")
    if piped and stdin is not None and piped not in bound.values:
        bound.values[piped] = stdin
    return bound


def parameter(given: str, record: Program) -> str:
    """The full name of a parameter: an alias, another case, or a beginning that only one parameter has."""
    lowered = f"-{given[1:].lower()}"
    known = {name.lower(): record.same.get(name, name) for name in (*record.value, *record.flags, *record.same)}
    if lowered in known:
        return known[lowered]
    if lowered in SHORT:
        return SHORT[lowered]
    longer = {full for name, full in known.items() if name.startswith(lowered)}
    longer.update(name for name in (*FLAGS, *VALUES) if name.lower().startswith(lowered))
    return longer.pop() if len(longer) == 1 else given


def path_of(text: str) -> str:
    """A path of Windows as this machine writes paths; drives that are no disks keep their names in lower case."""
    provider, double, rest = text.partition("::")
    text = rest if double and provider.lower().endswith(("filesystem", "registry")) else text
    if text.startswith(("\\\\?\\", "\\\\.\\")):
        text = text[4:]
    text = text.replace("\\", "/")
    drive, colon, rest = text.partition(":")
    if colon and len(drive) > 1 and drive.isalnum():
        return f"{drive.lower()}:{rest.upper() if drive.lower() == 'env' else rest}"
    return text


def home_path(text: str, home: str) -> str:
    return home + text[1:] if text == "~" or text[:2] in ("~/", "~\\") else text
