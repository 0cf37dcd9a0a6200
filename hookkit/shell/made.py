"""Files made by the line itself: their content, the links to them, and the names of pipes.

A line can write a script and then run the script, so the content of a written file is as good as part of the line.
"""

import os

from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Context
    from hookkit.shell.syntax import Redirect

FILE_TEXT = UNKNOWN + "\1"  # the content of a file on disk: unknown here, and no more suspicious than the file
STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
HOPS = 8  # links to other links


class Made:
    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.fetched: set[str] = set()  # files with content from elsewhere
        self.links: dict[str, str] = {}  # symbolic links: name to target, both absolute
        self.pipes = 63

    def place(self, path: str, context: "Context") -> str:
        """The absolute name of a path, through links made by the line."""
        return self.resolve(os.path.normpath(os.path.join(context.shell.directory or "", path)))

    def resolve(self, path: str) -> str:
        for _ in range(HOPS if self.links else 0):
            parts = path.split("/")
            heads = ("/".join(parts[:size]) for size in range(len(parts), 0, -1))
            head = next((head for head in heads if head in self.links), None)
            if head is None:
                break
            path = os.path.normpath(self.links[head] + path[len(head) :])
        return path

    def write(self, path: str, text: str, context: "Context", *, append: bool = False) -> str:
        place = self.place(path, context)
        before = self.files.get(place, FILE_TEXT) if append else ""
        self.files[place] = before + text
        return place

    def link(self, target: str, path: str, context: "Context") -> None:
        """`ln -s target path`; a directory as path takes the name of the target."""
        place = os.path.normpath(os.path.join(context.shell.directory or "", path))
        if path.endswith("/") or path in (".", "..") or context.shell.is_directory(place):
            place = f"{place}/{target.rstrip('/').rpartition('/')[2]}"
        self.links[place] = os.path.normpath(os.path.join(os.path.dirname(place), target))

    def find(self, path: str, context: "Context") -> str | None:
        """The content of a file made by the line, or None."""
        if path in STDIN:
            return context.stdin
        return self.files.get(self.place(path, context))

    def text(self, path: str, context: "Context") -> str:
        """The content of any file, FILE_TEXT for a file on disk."""
        found = self.find(path, context)
        return FILE_TEXT if found is None else found

    def matching(self, pattern: str, context: "Context") -> list[str]:
        """Files made by the line that match a glob."""
        from hookkit.shell.globs import fits

        wanted = self.place(pattern, context)
        start, deep, name = wanted.partition("/**/")
        if deep:  # find looks at every depth
            return [path for path in self.files if path.startswith(f"{start}/") and fits(name, path.rpartition("/")[2])]
        return [path for path in self.files if fits(wanted, path)]

    def pipe(self, text: str) -> str:
        """A name for the pipe of `<(command)`; reading the pipe gives the text."""
        path = f"/dev/fd/{self.pipes}"
        self.pipes -= 1
        self.files[path] = text
        return path


def opens(redirect: "Redirect") -> bool:
    """Whether the redirection opens a file: not a copy of another descriptor, nor text."""
    if redirect.operator in ("<<", "<<-", "<<<"):
        return False
    text = redirect.target.text or ""
    return not (redirect.operator in ("<&", ">&") and (text.rstrip("-").isdigit() or text == "-"))
