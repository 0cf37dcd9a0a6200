"""Names of functions in many languages that run, delete, move or evaluate something."""

QUERIES = ("sql", "mongo")
LOADERS = ("-r", "--require", "--import", "-M", "-m")  # options for loading a file of code first
# Functions for running a command: a text for the shell, or a list of words.
RUN = frozenset(
    "system popen popen2 popen3 popen4 exec execsync execfile execfilesync spawn spawnsync run call check_call "
    "check_output getoutput getstatusoutput shell_exec passthru proc_open execute startprocess spawnl spawnv spawnlp "
    "spawnvp execl execv execlp execvp execve execle execvpe posix_spawn create_subprocess_shell "
    "create_subprocess_exec capture2 capture3 capture2e pipeline_r shell pty.spawn".split()
)
# The same, where the name alone is too common: the object in front must be in this list.
OWNERS = {
    "run": ("subprocess", "sp", "deno", "trio", "anyio"),
    "call": ("subprocess", "sp"),
    "exec": ("child_process", "cp", "", "kernel", "process", "require"),
    "execute": ("os",),
    "shell": ("",),
    "spawn": ("child_process", "cp", "", "bun", "pty", "process", "kernel", "require"),
    "popen": ("os", "subprocess", "io", "sp", "", "open3"),
    "system": ("os", "", "kernel", "posix"),
}
DELETE = frozenset(
    "rmtree unlink remove rmdir removedirs rmsync unlinksync rmdirsync rm rm_rf rm_r remove_tree removesync rimraf "
    "remove_dir remove_entry delete rmtree_async emptydirsync".split()
)
DELETE_OWNERS = {
    "remove": ("os", "deno", "", "fs", "fse"),
    "delete": ("file", "dir", "filesystem"),
    "rm": ("fs", "fs/promises", "node:fs", "node:fs/promises", "promises", "fileutils", "fsp", "shelljs"),
    "unlink": ("os", "fs", "", "promises", "file", "fsp"),
    "rmdir": ("os", "fs", "", "promises", "dir", "fsp"),
}
MOVE = frozenset("rename renames replace move renamesync truncate truncatesync copyfilesync movesync mv".split())
MOVE_OWNERS = {
    "replace": ("os",),
    "move": ("shutil", "fileutils", "fs"),
    "rename": ("os", "fs", "", "promises", "file", "path", "p"),
    "renames": ("os",),
    "truncate": ("os", "fs", "", "file"),
    "mv": ("fileutils",),
}
WATCHED = RUN | DELETE | MOVE
EVALUATE = frozenset(
    "eval exec compile __import__ import_module instance_eval class_eval loadstring runinthiscontext runinnewcontext "
    "function getattr setattr dlopen cdll load_source memfd_create".split()
)
EVALUATE_OWNERS = {
    "exec": (), "compile": (), "function": ("new",), "getattr": ("os", "shutil", "subprocess", "builtins"),
    "setattr": ("builtins",), "import_module": ("importlib", ""), "eval": ("", "vm", "window", "globalthis"),
}  # fmt: skip
CONNECT = frozenset("socket create_connection connect tcpsocket fsockopen dial dialtimeout".split())
SUSPECT = frozenset(("-rf", "-fr", "rm", "sh", "bash", "/bin/sh", "/bin/bash", "eval", "/", "~", "/*", ".."))
LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - compared, not bound
# Words of programs for working with files.
OPENS = ("open", "read", "write", "file", "path", "getline", "copy", "unlink", "remove", "print >", "print>", "cp(",
         "truncate", "rename", "tarfile", "json.tool")  # fmt: skip
WRITES = ("write", "'w", '"w', "'a", '"a', "'x", '"x', "'r+", '"r+', ">", "unlink", "remove", "rename", "rm", "dump(",
          "copy", "mkdir", "touch", "chmod", "truncate", "replace(", "symlink", "delete")  # fmt: skip
# Words of a language without a model that delete files.
DELETING = ("rm_rf", "removeitem(", "delete-directory", "delete-file", "remove-directory", "rm(homedir", "unlink(",
            "deletedirectory", "removedirectory")  # fmt: skip
# Words of code that goes through the home and deletes: one of each row.
HOME = ("path.home()", "expanduser", "homedir", '"home"', "'home'", "env.home", "dir.home", "{home}")
EACH = ("glob", "iterdir", "walk(", "readdir", "scandir", "find(", "listdir")
GOES = ("unlink", "rmtree", "remove(", "rmsync", "rm_rf", "file.delete")
