"""Finds modules: one of a drawer by its file's name, and the byte code of all that hooks load in one file.

To add a file or a folder is to register it.

Python's own finder spends about as long on a module as the module's code takes to load, and a hook pays for dozens of
modules on every tool call. The bundle lies beside Python's files of byte code and holds the same content. A module
whose source has changed is loaded in the usual way, and goes into the next bundle.
docs/adr/0023-one-file-of-byte-code.md
"""

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec  # both are loaded at every start of Python
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType

    Row = tuple[bool, int, int, int, int]  # is a package; time and size of the source; start and length of the code

HERE = os.path.dirname(__file__)
SHARED = frozenset({"agents/doctor", "agents/transcripts", "agents/wiring"})  # no part of the drawer that they stand in


def names(folder: str) -> list[str]:
    files = os.listdir(os.path.join(HERE, folder))
    stems = (file.removesuffix(".py") for file in files if not file.startswith("_"))
    return sorted({name for name in stems if exists(folder, name)})  # a module's old folder may still hold byte code


def exists(folder: str, name: str) -> bool:
    """A single stat for a file, since every start asks; names are identifiers, so a name cannot leave the folder."""
    path = os.path.join(HERE, folder, name)
    is_name = name.isidentifier() and name[0] != "_" and f"{folder}/{name}" not in SHARED
    return is_name and (os.path.exists(path + ".py") or os.path.exists(os.path.join(path, "__init__.py")))


def find(folder: str, name: str) -> "ModuleType":
    """Load a single module of a folder."""
    module = f"hookkit.{folder}.{name}".replace("/", ".")
    if module not in sys.modules:
        if not exists(folder, name):
            from hookkit.errors import HookkitError  # late: the bundle has it

            raise HookkitError(f"no {name!r} in hookkit/{folder}")
        __import__(module)
    return sys.modules[module]


# -- the bundle ------------------------------------------------------------------------------------------------------

TAG = sys.implementation.cache_tag
BUNDLE = f"{HERE}/__pycache__/hooks.{TAG}.bundle"
PEOPLE = f"{HERE}/__pycache__/people.{TAG}.bundle"  # the same for people's commands: hooks would read them in vain
MARK = b"hookkit1" + MAGIC_NUMBER
HEAD = len(MARK) + 8  # the mark, and the length of the table of contents
CODE = 16  # where the code begins in one of Python's files


class Bundle:
    """A finder for `sys.meta_path`."""

    def __init__(self, path: str = "") -> None:
        self.path = path or BUNDLE
        self.rows: dict[str, Row] = {}
        self.file = -1
        self.missed: list[str] = []  # modules that the file lacks, or has of an older source

    def use(self) -> None:
        """Take modules from the file, if there is one of this Python."""
        if TAG is None or sys.flags.optimize or sys.pycache_prefix is not None:
            return
        sys.meta_path.insert(0, self)
        try:
            self.file = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            size = os.fstat(self.file).st_size
            head = os.read(self.file, HEAD)
            length = int.from_bytes(head[-8:], "little")
            if head.startswith(MARK) and HEAD + length <= size:
                rows = marshal.loads(os.read(self.file, length))  # noqa: S302 - as trusted as a .pyc beside it
                if isinstance(rows, dict) and all(start + more <= size for *_, start, more in rows.values()):
                    self.rows = rows
        except (OSError, ValueError, EOFError, TypeError):
            return  # no file yet, or a damaged file: Python's own files are there

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if not name.startswith("hookkit."):
            return None
        row = self.rows.get(name)
        if row is None:
            self.missed.append(name)
            return None
        is_package, changed, size, start, length = row
        source = _source(name, is_package=is_package)
        try:
            info = os.stat(source)
        except OSError:
            return None
        if info.st_mtime_ns != changed or info.st_size != size:
            self.missed.append(name)
            return None
        return _spec(name, source, Loader(name, source, (self.file, length, start), self.path), is_package=is_package)

    def keep(self) -> None:
        """Write the file anew with the modules that it lacked: after an upgrade, or for an event of another kind."""
        if not self.missed or sys.dont_write_bytecode:
            return
        try:
            codes = {name: code for name in {*self.rows, *self.missed} if (code := self._found(name)) is not None}
            if not codes.keys().isdisjoint(self.missed):
                _write(codes, self.path)
        except OSError:
            return  # a directory of the system's, or a full disk

    def _found(self, name: str) -> "tuple[bool, int, int, bytes] | None":
        """A module as it is in the old file, or in Python's own file if that is newer than the source."""
        if name in self.rows and name not in self.missed:
            is_package, changed, size, start, length = self.rows[name]
            return is_package, changed, size, os.pread(self.file, length, start)
        module = sys.modules.get(name)
        if module is None or not module.__file__:
            return None
        try:
            state = os.stat(module.__file__)
            with open(module.__cached__ or "", "rb") as file:
                head, code = file.read(CODE), file.read()
        except OSError:
            return None
        if head[:4] != MAGIC_NUMBER or head[4:8] != bytes(4) or head[8:] != _stamp(state):
            return None
        return hasattr(module, "__path__"), state.st_mtime_ns, state.st_size, code


class Loader(SourceFileLoader):
    """Takes the code from the file; in all other matters Python's own loader."""

    def __init__(self, name: str, source: str, place: tuple[int, int, int], bundle: str) -> None:
        self.name = name
        self.path = source
        self.place = place
        self.bundle = bundle

    def get_code(self, fullname: str) -> "CodeType":
        try:
            code: CodeType = marshal.loads(os.pread(*self.place))  # noqa: S302 - as trusted as a .pyc beside it
        except (OSError, ValueError, EOFError, TypeError):
            remove(self.bundle)  # a damaged file; the next hook writes another
            return super().get_code(fullname)  # type: ignore[return-value]
        return code


def remove(path: str = "") -> None:
    try:
        os.unlink(path or BUNDLE)
    except OSError:
        return  # another hook has removed it, or the directory is the system's


def _source(name: str, *, is_package: bool) -> str:
    path = name.replace(".", "/").removeprefix("hookkit")
    return f"{HERE}{path}/__init__.py" if is_package else f"{HERE}{path}.py"


def _spec(name: str, source: str, loader: Loader, *, is_package: bool) -> ModuleSpec:
    spec = ModuleSpec(name, loader, origin=source, is_package=is_package)
    directory, _, file = source.rpartition("/")
    if is_package and spec.submodule_search_locations is not None:
        spec.submodule_search_locations.append(directory)
    spec.has_location = True
    spec.cached = f"{directory}/__pycache__/{file[:-3]}.{TAG}.pyc"
    return spec


def _stamp(state: os.stat_result) -> bytes:
    """The time and size of a source as Python writes them."""
    return b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in (int(state.st_mtime), state.st_size))


def _write(codes: "dict[str, tuple[bool, int, int, bytes]]", path: str) -> None:
    rows: dict[str, Row] = {}
    table = b""
    while True:  # the length of the table moves the codes, and the codes' places are in the table
        start = HEAD + len(table)
        for name, (is_package, changed, size, code) in codes.items():
            rows[name] = (is_package, changed, size, start, len(code))
            start += len(code)
        if len(fresh := marshal.dumps(rows)) == len(table):
            break
        table = fresh
    content = b"".join((MARK, len(fresh).to_bytes(8, "little"), fresh, *(code for *_, code in codes.values())))
    temporary = f"{path}.{os.getpid()}"
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    try:
        try:
            while content:
                content = content[os.write(file, content) :]
            os.fsync(file)  # a power cut must not leave a file of zeros under the name
        finally:
            os.close(file)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
