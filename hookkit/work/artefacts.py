"""Files of an effort in the directory of its task: `1_BRAINSTORM_LOG.md`, `1_BRAINSTORM_PLAN.md`.

The number is the effort's ordinal in the task, so the files of several efforts stand side by side.
"""

import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.work.store import Work

    Row = dict[str, Any]

LONGEST = 60  # characters of a skill or a kind in a file's name
SHOWN = 20  # names of files in a text


def path_of(work: "Work", effort: "Row", kind: str) -> str:
    name = f"{effort['ordinal']}_{_word(effort['skill'])}_{_word(kind)}.md"
    return os.path.join(_directory(work, effort), name)


def names(work: "Work", effort: "Row") -> list[str]:
    """The names of the effort's files. A name in any other style is left out: the names are told to the model."""
    start = f"{effort['ordinal']}_{_word(effort['skill'])}_"
    try:
        files = sorted(name for name in os.listdir(_directory(work, effort)) if name.startswith(start))
    except OSError:
        return []
    kinds = [name[len(start) :].removesuffix(".md") for name in files if name.endswith(".md")]
    return [f"{start}{kind}.md" for kind in kinds if kind == _word(kind)][:SHOWN]


def create(work: "Work", effort: "Row", kind: str, template: str = "") -> str:
    """The path of the effort's file of a kind, made from the template unless it exists."""
    path = path_of(work, effort, kind)
    given = template or "# {skill}: {kind}\n\nEffort {effort}, begun {date}.\n"
    values = {
        "skill": effort["skill"],
        "mode": effort["mode"],
        "kind": kind,
        "effort": str(effort["id"]),
        "ordinal": str(effort["ordinal"]),
        "task": os.path.basename(_directory(work, effort)),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    for name, value in values.items():
        given = given.replace(f"{{{name}}}", value)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        return path
    with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(given)
    return path


def append(path: str, entry: str) -> None:
    """Adds a dated entry. A link or a device in place of the file is refused."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "a", encoding="utf-8", errors="backslashreplace") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "not a regular file", path)
        file.write(f"\n## {time.strftime('%Y-%m-%d %H:%M')}\n\n{entry}\n")


def _directory(work: "Work", effort: "Row") -> str:
    row = work.row("SELECT dir FROM tasks WHERE id = ?", effort["task"])
    return str(row["dir"]) if row else ""


def _word(text: str) -> str:
    """Upper-case letters, digits and dashes: safe in a file's name."""
    return "".join(char if char.isalnum() else "-" for char in text.upper())[:LONGEST].strip("-") or "EFFORT"
