"""The files that a project's own commands run: scripts, tests, sources, settings that load code, installed programs.

`hookkit trust` notes all of them. Later a command is approved only if each of them is as it was, or holds new code
that was read and does no more than compute: code that starts programs, writes files, or reaches the network is left to
the person, who is told which file it is.
"""

import os
import re
import stat
import unicodedata

from hookkit.shell.languages.calls import CONNECT, DELETE, EVALUATE, MOVE, RUN
from hookkit.shell.languages.tokens import NAME, STRING, tokenize
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


FOLDER = "trees"  # of the notes, in hookkit's state
FOLDERS, MOST = 5_000, 20_000  # directories that are searched, files that are noted
LIMIT = 1 << 20  # bytes of a file that is noted
CODE = 40_000  # characters of code that are read
NOTE_LIMIT = 32 << 20
JUDGED = 60  # changed files that are read for one approval
SKIPPED = frozenset("node_modules target dist build vendor venv env __pycache__ site-packages".split())
PROGRAMS = ("node_modules/.bin", ".venv/bin", "venv/bin", "env/bin", "vendor/bin")  # of installed packages
# Languages whose tokens hookkit knows, by the ending of a file.
READ = {
    **dict.fromkeys((".py", ".pyi", ".pyw"), "python"), **dict.fromkeys((".rb", ".rake"), "ruby"), ".php": "php",
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts"), "js"), ".lua": "lua",
    **dict.fromkeys((".pl", ".pm", ".t"), "perl"),
}  # fmt: skip
COMPILED = tuple(
    ".go .rs .c .h .cc .cpp .hpp .java .kt .scala .swift .cs .zig .ex .exs .hs .ml .clj .erl .dart".split()
)
BINARY = (".so", ".pyd", ".dylib", ".dll", ".node", ".pyc", ".pyo")  # loaded before a source of the same name
SCRIPTS = tuple(".sh .bash .zsh .fish .ps1 .bat .mk .cmake .gradle .groovy .awk".split())
# Settings that name code to load, options of a test runner, or the programs of a command.
LOADING = frozenset(
    """
    pytest.ini .pytest.ini pytest.toml .pytest.toml
    tox.ini setup.cfg pyproject.toml .coveragerc .pylintrc .flake8 mypy.ini .npmrc .yarnrc .yarnrc.yml
    .pnpmfile.cjs .babelrc .mocharc.json .mocharc.yml .swcrc .eslintrc .eslintrc.json .eslintrc.yml .prettierrc
    .prettierrc.json tsconfig.json .rspec .rubocop.yml Gemfile Rakefile Cargo.toml config.toml go.mod phpunit.xml
    build.gradle pom.xml makefile Makefile GNUmakefile justfile Taskfile.yml CMakeLists.txt deno.json bunfig.toml
    pnpm-lock.yaml bun.lockb
    """.split()
)
MODULES = frozenset(
    """
    subprocess shutil socket ctypes urllib requests httpx aiohttp ftplib smtplib paramiko pickle marshal importlib
    builtins pty multiprocessing child_process fs net http https dgram vm worker_threads cluster open3 fileutils
    socketserver
    """.split()
)
# What new code may import beside files and packages that the project itself imported on the day of the trust.
SAFE = {
    "python": frozenset(
        """
        __future__ abc argparse array ast asyncio base64 bisect calendar collections contextlib copy csv dataclasses
        datetime decimal difflib enum fractions functools hashlib heapq hmac html hypothesis inspect io itertools json
        keyword locale logging math numbers operator os pathlib platform pprint pytest queue random re secrets
        statistics string struct sys tempfile textwrap threading time traceback types typing typing_extensions
        unicodedata unittest uuid warnings weakref zoneinfo
        """.split()
    ),
    "js": frozenset(
        """
        assert path util events url test querystring string_decoder timers perf_hooks vitest jest @jest/globals mocha
        chai
        """.split()
    ),
    "ruby": frozenset(
        "set json date time bigdecimal securerandom ostruct digest minitest rspec test test_helper spec_helper"
        " rails_helper".split()
    ),
    "perl": frozenset("strict warnings utf8 feature constant parent base Test::More".split()),
}
IMPORTS = {
    "python": re.compile(
        r"(?:^|[;:])[ \t\f]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import[ \t]+([\w., \t]+))", re.MULTILINE
    ),
    "js": re.compile(r"""\b(?:from|import|require)[ \t]*\(?[ \t\n]*['"`]([^'"`\n]+)['"`]()"""),
    "ruby": re.compile(r"""\brequire[ \t]*\(?[ \t]*['"]([^'"\n]+)['"]()"""),
    "perl": re.compile(r"^[ \t]*(?:use|require)[ \t]+([A-Za-z][\w:]*)()", re.MULTILINE),
    "lua": re.compile(r"""\brequire[ \t]*\(?[ \t]*['"]([^'"\n]+)['"]()"""),
}
# An import whose module only a run can tell: `require(name)`, `require("a" + "b")`, `load "x"`.
COMPUTED = {
    "js": re.compile(r"""\b(?:require|import)[ \t]*\([ \t\n]*(?!['"][^'"\n]*['"][ \t\n]*[,)])"""),
    "ruby": re.compile(r"""\b(?:require_relative|load|autoload)\b|\brequire\b(?![ \t]*\(?[ \t]*['"][^'"#\n]*['"])"""),
    "php": re.compile(r"\b(?:require|include)(?:_once)?\b"),
    "perl": re.compile(r"^[ \t]*use[ \t]+lib\b|\b(?:do|require)[ \t]+[^A-Za-z\s{]", re.MULTILINE),
    "lua": re.compile(r"""\b(?:dofile|loadfile)\b|\brequire\b(?![ \t]*\(?[ \t]*['"])"""),
}
ALIASES = ("@/", "~/", "#")  # of JavaScript, for directories of the project: its settings name them
WRITING = frozenset(
    """
    write_text write_bytes writefile writefilesync appendfile appendfilesync createwritestream urlopen fetch
    urlretrieve unlink rmdir mkdir touch symlink symlink_to chmod putenv fileio filehandler rotatingfilehandler
    open_connection to_csv to_pickle to_parquet to_excel savefig savetxt savez extractall kill websocket
    xmlhttprequest sendbeacon sharedworker webassembly binwrite
    """.split()
)
# Ways to a function by its name as text.
REFLECTING = frozenset(
    """
    __dict__ __builtins__ __subclasses__ __globals__ __reduce__ vars globals locals attrgetter functiontype codetype
    globalthis mainmodule const_get public_send __send__ module_eval
    """.split()
)
WHOLE = ("sys.path", "sys.modules", "sys.meta_path", "bun.", "deno.", "process.binding")
REPLACING = ("write", "new", "rename", "replace")  # functions of files
RUBY = frozenset("exec eval spawn fork system instance_eval class_eval binding".split())  # called without brackets
COMMON = frozenset(
    "run call execute shell spawn exec remove delete rm replace move rename mv truncate connect pipeline_r".split()
)
OWNED = frozenset(("os", "fs", "file", "dir", "kernel", "process", "builtins", "deno", "bun", "io", "path"))
# Words of compiled languages that start programs, change files or reach the network.
BEYOND = (
    "os/exec", "exec.", "syscall", "unsafe", "net/", "net.", "os.remove", "os.create", "os.openfile", "os.writefile",
    "os.rename", "os.chmod", "os.start", "os.symlink", "os.link", "os.truncate", "os.mkdir", "plugin", '"c"', "fs::",
    "net::", "libc", "execv", "execl", "fork(", "posix_spawn", "dlopen", "rename(", '"/', '"../', "java.nio",
    "filemanager", "std.fs", "std.posix", "port.open", "sys.", "unix.", "os:cmd", "file:", "dart:io", "spit",
    "ioutil", "go:generate", "cgo", "process", "std::fs", "std::net", "std::env", "reqwest", "runtime", "files.",
    "file(", "filewriter", "java.io", "java.net", "system", "popen", "exec", "unlink", "remove", "socket", "fopen",
    "asm", "open(", "http", "env::", "include!", "proc_macro", "foreign", "extern",
)  # fmt: skip


ACTING = RUN | DELETE | MOVE | CONNECT
BARE = ("exec", "eval", "__import__", "breakpoint")  # of Python: `run = exec`, `@eval`
ENCODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)  # on one of the first two lines
UTF_8 = ("utf-8", "utf8", "utf_8", "ascii", "us-ascii")


def _note(root: str, environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, FOLDER, f"{files.safe_name(os.path.realpath(root))}.json") if state else ""


def keep(root: str, environ: dict[str, str]) -> int:
    """Note the files as they are now; the return value is their number."""
    rows, imports = {}, set[str]()
    for path, whole in _walk(root):
        text = _text(whole)
        rows[path] = [_digest(text), files.stamp(whole)]
        language = READ.get(os.path.splitext(path)[1].lower(), "")
        imports.update(_top(name, language) for name in _imports(path, text or ""))
    path = _note(root, environ)
    files.private_dir(files.state_dir(environ))
    files.private_dir(os.path.dirname(path))
    note = {"root": os.path.realpath(root), "files": rows, "imports": sorted(imports)}
    files.keep(path, jsons.dumps(note).encode("utf-8", "surrogatepass"))
    return len(rows)


def doubt(root: str, environ: dict[str, str]) -> str:
    """Why the project's commands may run something else than on the day of the trust; empty if they do not."""
    note = _known(root, environ)
    if note is None:
        return "the files that it runs are not noted yet: run hookkit trust again"
    rows = note["files"]
    present = [*_walk(root)]
    changed = [(path, whole) for path, whole in present if _is_changed(rows.get(path), whole)]
    if len(changed) > JUDGED:
        return f"{len(changed)} files changed since hookkit trust, {changed[0][0]} is the first"
    known = {*note["imports"], *_local(path for path, _ in present)} if changed else set()
    for path, whole in changed:
        reason = _risk(path, whole, known)
        if reason:
            verb = "changed" if path in rows else "is new"
            return f"{path} {verb} since hookkit trust, and {reason}"
    return ""


def _known(root: str, environ: dict[str, str]) -> "dict[str, Any] | None":
    """The note of the trust: a row for each file, and the modules that the code imported."""
    note = jsons.read_own(_note(root, environ), NOTE_LIMIT)
    if note is None or note.get("root") != os.path.realpath(root):
        return None
    return note if isinstance(note.get("files"), dict) and isinstance(note.get("imports"), list) else None


def _is_changed(row: "list[Any] | None", path: str) -> bool:
    """The stamp first: the writer of a file cannot set its change time back."""
    if not row or len(row) != 2:  # noqa: PLR2004 - a digest and a stamp
        return True
    stamp = files.stamp(path)
    is_there = len(stamp) > 1  # else it is missing, or hidden from us
    return not is_there or bool(row[1] != stamp and (not row[0] or row[0] != _digest(_text(path))))


def _walk(root: str) -> "Iterator[tuple[str, str]]":
    """Every file that may run, below the project. A project with more files than `MOST` is never unchanged."""
    root = os.path.realpath(root)
    count = 0
    for number, (here, folders, names) in enumerate(os.walk(root)):
        if number >= FOLDERS or count >= MOST:
            yield "…", ""
            return
        folders[:] = sorted(name for name in folders if name not in SKIPPED and (name[0] != "." or name == ".cargo"))
        links = [name for name in folders if os.path.islink(os.path.join(here, name))]  # os.walk does not enter these
        yield from ((os.path.relpath(os.path.join(here, name), root), os.path.join(here, name)) for name in links)
        for name in sorted(names):
            path = os.path.join(here, name)
            if _may_run(name, path):
                count += 1
                yield os.path.relpath(path, root), path
    for folder in PROGRAMS:
        inside = os.path.join(root, folder)
        for name in sorted(os.listdir(inside))[:MOST] if os.path.isdir(inside) else ():
            yield f"{folder}/{name}", os.path.join(inside, name)


def _may_run(name: str, path: str) -> bool:
    ending = os.path.splitext(name)[1].lower()
    if ending in READ or ending in (*COMPILED, *SCRIPTS, *BINARY) or name in LOADING or ".config." in name:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & stat.S_IXUSR)


def _text(path: str) -> str | None:
    """A whole file, each byte a character; the goal of a link to a directory. None if too large or not readable."""
    try:
        if os.path.islink(path) and os.path.isdir(path):
            return os.path.realpath(path)
        data = files.read(path, LIMIT + 1)
    except (OSError, ValueError):
        return None
    return data.decode("latin-1") if len(data) <= LIMIT else None


def _digest(text: str | None) -> str:
    """The checksum; empty for a file without a text, which always counts as changed."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text is not None else ""


def _imports(path: str, text: str) -> "Iterator[str]":
    """The modules and packages that code names in its imports, as written."""
    language = READ.get(os.path.splitext(path)[1].lower(), "")
    if language in IMPORTS:
        for one, several in IMPORTS[language].findall(text.replace("\\\n", " ")):
            yield from (name.split()[0] for name in (one or several).split(",") if name.strip())


def _local(paths: "Iterator[str]") -> "Iterator[str]":
    """Names by which code of the project imports its own files."""
    for path in paths:
        *folders, name = path.split("/")
        yield from folders
        yield name.partition(".")[0]


def _top(name: str, language: str) -> str:
    """The package of an imported module: `django.db` is django, `@scope/name/x` is @scope/name."""
    if language == "python":
        return name.lstrip(".").partition(".")[0]
    parts = name.removeprefix("node:").split("/")
    return "/".join(parts[: 2 if name[:1] == "@" else 1])


def _strange(path: str, text: str, known: "set[str]") -> str:
    """The first import of a module that is neither the project's own, nor known, nor safe."""
    language = READ[os.path.splitext(path)[1].lower()]
    computed = COMPUTED[language].search(text) if language in COMPUTED else None
    if computed:
        return computed.group().partition("(")[0].strip()
    is_known = known.union(SAFE.get(language, ())).__contains__
    for name in _imports(path, text):
        if language == "js" and name[:1] == ".":
            parts = os.path.normpath(os.path.join(os.path.dirname(path), name)).split("/")
            is_own = parts[0] != ".." and SKIPPED.isdisjoint(parts) and not any(part[:1] == "." for part in parts)
        else:
            top = _top(name, language)
            is_alias = language == "js" and name.startswith(ALIASES)
            is_own = top not in SKIPPED and name[:1] != "/" and (is_alias or not top or is_known(top) or is_known(name))
        if not is_own:
            return name
    return ""


# -- new code --------------------------------------------------------------------------------------


def _risk(path: str, whole: str, known: "set[str]") -> str:
    """Why the new content of a file is more than a computation."""
    name, ending = os.path.basename(path), os.path.splitext(path)[1].lower()
    if path.startswith(PROGRAMS):
        return "it is a program of an installed package"
    try:
        text = files.read(whole, LIMIT + 1).decode("utf-8", "replace")
    except (OSError, ValueError):
        return "it cannot be read"
    if len(text) > CODE:
        return "it is too large to be read"
    if ending in READ and name not in LOADING:
        if READ[ending] == "python":
            encodings = [match[1].lower() for line in text.split("\n")[:2] if (match := ENCODING.match(line))]
            if not {*encodings} <= {*UTF_8}:
                return f"its encoding is {encodings[0]}"
            text = unicodedata.normalize("NFKC", text)  # Python reads a name in wide letters as the plain name
        word = _word(text, READ[ending], is_loaded=name in ("conftest.py", "sitecustomize.py", "usercustomize.py"))
        name = "" if word else _strange(path, text, known)
        return f"its code has {word}" if word else f"its code imports {name}, which is new" if name else ""
    if ending in COMPILED:
        lower = text.lower()
        return next((f"its code has {word}" for word in BEYOND if word in lower), "")
    return "hookkit cannot tell what it runs"


def _word(text: str, language: str, *, is_loaded: bool) -> str:
    """The first word of code that starts programs, evaluates code, writes files or reaches the network."""
    tokens = tokenize(text, language)
    for at, token in enumerate(tokens):
        is_code = token.mark == "command" or token.text.removeprefix("node:") in MODULES or token.text == "constructor"
        if token.kind == STRING and is_code:
            return token.text[:40]
        if token.kind == NAME and (_acts(tokens, at) or _acts_in(language, tokens, at)):
            return token.text
    return "pytest_plugins" if is_loaded and "pytest_plugins" in text else ""


def _acts(tokens: "list[Any]", at: int) -> bool:
    """Whether a name does more than compute, in any language."""
    text = tokens[at].text
    owner, _, last = text.lower().rpartition(".")
    owner = owner.rpartition(".")[2] or owner
    following = tokens[at + 1].text if at + 1 < len(tokens) else ""
    called = following == "("
    if text.lower().partition(".")[0] in MODULES and (called or "." in text or _is_import(tokens, at)):
        return True
    if last in WRITING or last in REFLECTING or f"{text.lower()}.".startswith(WHOLE):
        return True
    if called and last in EVALUATE and last not in ("compile", "function"):
        return True
    if (text in OWNED and following == "as") or (owner in ("file", "io", "path") and last in REPLACING):
        return True
    if last in ACTING and (last not in COMMON or owner in OWNED or _is_import(tokens, at)):
        return True
    if called and last in ("replace", "rename") and _has_one_argument(tokens, at):  # of a Path; a text's has two
        return True
    return called and last == "open" and _opens_to_write(tokens, at)


def _acts_in(language: str, tokens: "list[Any]", at: int) -> bool:
    """The same for names with a meaning in one language only."""
    text = tokens[at].text
    if language == "python":
        is_called = bool(tokens[at + 1 : at + 2]) and tokens[at + 1].text == "("
        return text in BARE or (text == "compile" and is_called) or (text in ("open", "getattr") and not is_called)
    if language == "js":
        is_compared = bool(tokens[at + 1 : at + 2]) and tokens[at + 1].text in ("=", "!")
        is_maker = ".constructor.constructor" in text or (text.endswith(".constructor") and not is_compared)
        return text in ("Function", "Worker", "$") or is_maker  # the constructor of a function is `Function`
    return language == "ruby" and text.lower().rpartition(".")[2] in RUBY


def _is_import(tokens: "list[Any]", at: int) -> bool:
    """`import subprocess`, `from shutil import rmtree`, `import a as b, socket`."""
    before = at - 1
    while before > 1 and tokens[before].text in (",", "as"):
        before -= 2
    return before >= 0 and tokens[before].text in ("import", "from", "require", "use")


def _has_one_argument(tokens: "list[Any]", at: int) -> bool:
    inside = []
    for token in tokens[at + 2 : at + 40]:
        if token.text == ")":
            break
        inside.append(token.text)
    return bool(inside) and {",", "="}.isdisjoint(inside)


def _opens_to_write(tokens: "list[Any]", at: int) -> bool:
    """`open(path, "w")`; a mode that is computed counts, too."""
    inside = []
    for token in tokens[at + 2 : at + 40]:
        if token.text == ")":
            break
        inside.append(token)
    commas = [number for number, token in enumerate(inside) if token.text == ","]
    if not commas:  # `path.open("w")`, `open(*words)`
        mode_alone = len(inside) == 1 and inside[0].kind == STRING and {*inside[0].text} <= {*"rwxab+tU"}
        return any(token.text in ("*", "**") for token in inside) or (
            mode_alone and not {*"wax+"}.isdisjoint(inside[0].text)
        )
    mode = inside[commas[0] + 1 :]
    modes = [token.text for token in mode if token.kind == STRING]
    return not modes or any(not {*"wax+"}.isdisjoint(text) for text in modes[:1])
