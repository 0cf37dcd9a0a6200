"""Variables that make a program run code: a single table, used by assignments, `export` and `env`."""

from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.follow import shells
from hookkit.shell.follow.git import is_running_key
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

# The value is a command line.
COMMANDS = (
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS",
    "GIT_PROXY_COMMAND", "SSH_ASKPASS", "PAGER", "MANPAGER", "EDITOR", "VISUAL", "KUBE_EDITOR", "LESSOPEN", "RSYNC_RSH",
    "PROMPT_COMMAND", "LESSCLOSE", "SUDO_EDITOR", "SUDO_ASKPASS", "FCEDIT", "SYSTEMD_EDITOR", "PERLDB_OPTS",
)  # fmt: skip
# The value is a program, or a program with options: `CC=clang` is usual, a file of one's own is a doubt.
TOOLS = (
    "BROWSER", "CC", "CXX", "LD", "AR", "SHELL", "MAKE", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER", "CMAKE_C_COMPILER_LAUNCHER", "npm_config_script_shell", "NPM_CONFIG_SCRIPT_SHELL",
)  # fmt: skip
NEAR = ("./", "../", "/tmp/", "/var/tmp/")  # noqa: S108 - named, not used
PROMPTS = ("PS0", "PS1", "PS2", "PS4")  # bash expands the commands in them
SOURCED = ("BASH_ENV", "ENV")  # a file run by a shell at its start
LIBRARIES = ("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES")
SYSTEM = ("/usr/", "/lib", "/opt/", "/nix/store/", "/snap/")
# Variables with options of programs: words of the value for loading or running code.
OPTIONS = {
    "NODE_OPTIONS": ("./", "data:", " /", "=/"),
    "PERL5OPT": ("-M", "-m", "-I", "-d"),
    "RUBYOPT": ("-r", "-I", "-e"),
    "TAR_OPTIONS": ("checkpoint-act", "to-command", "compress-program", "-I", "-F", "info-script", "rsh-command"),
    "MAKEFLAGS": ("eval", "-f", "-I"),
    **dict.fromkeys(("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"), ("-javaagent", "-agent", ":On")),
    "GOFLAGS": ("-toolexec", "-exec"),
    "DOTNET_STARTUP_HOOKS": ("",),
    "BASH_LOADABLES_PATH": ("",),
    "PERL5DB": ("",),
    "MAKEFILES": ("",),
    "PYTHONBREAKPOINT": ("",),
    "GIT_ALLOW_PROTOCOL": ("ext",),
    "GIT_CONFIG_PARAMETERS": ("",),
    "GIT_EXEC_PATH": ("",),
    "GCONV_PATH": ("",),
}
FILES = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG", "PYTHONSTARTUP", "INPUTRC")
# Where package managers fetch from.
SOURCES = (
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "UV_INDEX_URL", "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL", "NPM_CONFIG_REGISTRY", "npm_config_registry", "YARN_NPM_REGISTRY_SERVER", "GOPROXY",
    "GONOSUMDB", "GOINSECURE", "GEM_SOURCE", "HOMEBREW_BOTTLE_DOMAIN", "HOMEBREW_API_DOMAIN", "CONDA_CHANNELS",
    "RUSTUP_DIST_SERVER", "RUSTUP_UPDATE_ROOT",
)  # fmt: skip
USUAL = (
    "pypi.org",
    "registry.npmjs.org",
    "proxy.golang.org",
    "download.pytorch.org",
    "direct",
    "off",
    "localhost",
    "127.0.0.1",
)
CUSTOM = ("sitecustomize.py", "usercustomize.py", "conftest.py")
NAMES = frozenset((*COMMANDS, *TOOLS, *PROMPTS, *SOURCED, *LIBRARIES, *OPTIONS, *FILES, *SOURCES, "PYTHONPATH"))
PREFIXES = ("GIT_CONFIG_KEY_", "BASH_FUNC_")


def watches(name: str) -> bool:
    return name in NAMES or name.startswith(PREFIXES)


def check(line: "Resolution", name: str, value: str, command: "Command | None", context: "Context") -> None:
    """Follow the command in the variable's value; a value that loads unknown code is a doubt."""
    if not value:
        return
    if name in PROMPTS:
        line.again(value, context)
        return
    if name in COMMANDS and shells.is_plain(value):
        return
    if name in TOOLS and " " not in value and not value.startswith(NEAR):
        return
    if name in SOURCED:
        line.again(value, context)  # bash expands the name of the file
    exported = command or line.add(["export", f"{name}={value}"], context)
    if name in TOOLS:
        tool(line, name, value, exported, context)
    elif name in COMMANDS:
        shells.passed(line, value, exported, context, name)
    elif name in SOURCED or name in FILES:
        _file(line, name, value, exported, context)
    elif name.startswith("BASH_FUNC_"):
        shells.code(line, f"{name[10:].rstrip('%()')} {value}; {name[10:].rstrip('%()')}", exported, context, name)
    elif _loads(line, name, value):
        exported.doubt = (
            f"{name} makes programs {'fetch from elsewhere' if name in SOURCES else 'load or run other code'}"
        )


def tool(line: "Resolution", name: str, value: str, command: "Command", context: "Context") -> None:
    """A compiler or shell of one's own, as a variable or behind `make`."""
    if " " in value:
        shells.code(line, value, command, context, name)
    if value.startswith(NEAR):
        command.doubt = command.doubt or f"{name} names the program that is run"


def _file(line: "Resolution", name: str, path: str, command: "Command", context: "Context") -> None:
    text = line.made.find(path, context)
    if text is None and name in SOURCED and path.startswith(NEAR):
        command.doubt = command.doubt or f"{name} names a file that every new shell runs"
    if text is None or text == FILE_TEXT:
        return
    if name in SOURCED:
        shells.code(line, text, command, context, name)
    else:
        command.doubt = f"{name} names a file that this line wrote"


def _loads(line: "Resolution", name: str, value: str) -> bool:
    if UNKNOWN in value and name not in ("NODE_OPTIONS", "PYTHONPATH", "MAKEFLAGS"):
        return True
    if name in SOURCES:
        return not any(host in value for host in USUAL)
    if name in LIBRARIES:
        return not all(path.startswith(SYSTEM) for path in value.replace(":", " ").split())
    if name == "PYTHONPATH":
        return any(path.endswith(CUSTOM[:2]) for path in line.made.files)
    if name.startswith("GIT_CONFIG_KEY_"):
        return is_running_key(value)
    return any(word in value for word in OPTIONS.get(name, ()))
