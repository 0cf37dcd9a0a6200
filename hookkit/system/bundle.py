"""The byte code of all modules that hooks load, in one file.

Python's own finder spends about as long on a module as the module's code takes to load, and a hook pays for sixty
modules on every tool call. The file lies beside Python's files of byte code and holds the same content. A module whose
source has changed is loaded in the usual way, and goes into the next file. The modules that a module imports at its top
are loaded before it, past the finder and its locks. docs/adr/0023-one-file-of-byte-code.md
"""

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec  # both are loaded at every start of Python
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _thread import _count as _thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType

    # Is a package; time and size of the source; modules imported at the top; start and length of the code.
    Row = tuple[bool, int, int, tuple[str, ...], int, int]
    Code = tuple[bool, int, int, tuple[str, ...], bytes]
else:
    ModuleType = type(sys)  # the module `types` need not be loaded

HERE = os.path.dirname(os.path.dirname(__file__))
TAG = sys.implementation.cache_tag
PATH = f"{HERE}/__pycache__/hooks.{TAG}.bundle"
PEOPLE = f"{HERE}/__pycache__/people.{TAG}.bundle"  # the same for people's commands: hooks would read them in vain
MARK = b"hookkit2" + MAGIC_NUMBER
HEAD = len(MARK) + 8  # the mark, and the length of the table of contents
CODE = 16  # where the code begins in one of Python's files


class Bundle:
    """A finder for `sys.meta_path`."""

    def __init__(self, path: str = "") -> None:
        self.path = path or PATH
        self.rows: dict[str, Row] = {}
        self.file = -1
        self.begun: set[str] = set()  # modules whose own imports are loaded, or under way
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
        spec = self._spec(name)
        if spec is not None and spec.submodule_search_locations is None and not _thread_count():
            self._make_needed(spec)  # only without other threads, which would see half a module
        return spec

    def _spec(self, name: str) -> ModuleSpec | None:
        row = self.rows.get(name)
        if row is None:
            self.missed.append(name)
            return None
        is_package, changed, size, needs, start, length = row
        source = _source(name, is_package=is_package)
        try:
            info = os.stat(source)
        except OSError:
            return None
        if info.st_mtime_ns != changed or info.st_size != size:
            self.missed.append(name)
            return None
        loader = Loader(name, source, (self.file, length, start), self.path)
        spec = _spec(name, source, loader, is_package=is_package)
        spec.loader_state = needs
        return spec

    def _make_needed(self, spec: ModuleSpec) -> None:
        self.begun.add(spec.name)
        for name in spec.loader_state:
            if name not in sys.modules and name not in self.begun:
                self._make(name)

    def _make(self, name: str) -> None:
        """Load a module as the import system would, which then finds it in sys.modules."""
        spec = self._spec(name)
        if spec is None or spec.loader is None:
            return
        module = ModuleType(name)
        facts = {"__spec__": spec, "__loader__": spec.loader, "__package__": spec.parent}
        module.__dict__.update(facts, __file__=spec.origin, __cached__=spec.cached)
        if spec.submodule_search_locations is not None:
            module.__path__ = spec.submodule_search_locations
        sys.modules[name] = module
        is_loaded = False
        try:
            self._make_needed(spec)
            spec.loader.exec_module(module)
            is_loaded = True
        finally:
            if not is_loaded:  # a timeout's signal may interrupt it, too: half a module must not be found
                del sys.modules[name]
        above, _, last = name.rpartition(".")
        setattr(sys.modules[above], last, module)

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

    def _found(self, name: str) -> "Code | None":
        """A module as it is in the old file, or in Python's own file if that is newer than the source."""
        if name in self.rows and name not in self.missed:
            is_package, changed, size, needs, start, length = self.rows[name]
            return is_package, changed, size, needs, os.pread(self.file, length, start)
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
        needs = _needs(marshal.loads(code))  # noqa: S302 - Python has just loaded it
        return hasattr(module, "__path__"), state.st_mtime_ns, state.st_size, needs, code


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
        os.unlink(path or PATH)
    except OSError:
        return  # another hook has removed it, or the directory is the system's


def _needs(code: "CodeType") -> tuple[str, ...]:
    """The modules of hookkit that a module imports at its top, in order; names of its functions among them."""
    import dis  # late: only a new file needs it

    names: dict[str, None] = {}
    package, skipped, is_condition = "", 0, False
    for step in dis.get_instructions(code):
        if step.offset < skipped:
            continue
        if step.opname == "LOAD_NAME":
            is_condition = step.argval == "TYPE_CHECKING"
        elif is_condition and "JUMP" in step.opname and step.opname.endswith("IF_FALSE"):
            skipped = step.argval
        elif step.opname == "IMPORT_NAME":
            package = step.argval
            names |= dict.fromkeys(_above(package))
        elif step.opname == "IMPORT_FROM":
            names[f"{package}.{step.argval}"] = None
    return tuple(name for name in names if name.startswith("hookkit."))


def _above(name: str) -> list[str]:
    """The packages around a module, from the outside in, and the module."""
    parts = name.split(".")
    return [".".join(parts[: number + 1]) for number in range(len(parts))]


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


def _write(codes: "dict[str, Code]", path: str) -> None:
    rows: dict[str, Row] = {}
    table = b""
    while True:  # the length of the table moves the codes, and the codes' places are in the table
        start = HEAD + len(table)
        for name, (is_package, changed, size, needs, code) in codes.items():
            known = tuple(sys.intern(needed) for needed in needs if needed in codes)
            rows[name] = (is_package, changed, size, known, start, len(code))
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
