"""What a line would do, one program at a time, and where in the line that is."""

from hookkit.shell.expand import UNKNOWN, Shell

SHOWN = 80


class Act:
    """One program that would run, or one that nobody can name (`doubt` says why)."""

    __slots__ = ("code", "directory", "doubt", "files", "followed", "places", "transparent", "via", "words")

    def __init__(self, words: list[str], step: "Step") -> None:
        self.words = words
        self.directory = step.shell.directory
        self.places = step.places
        self.via = step.via
        self.code = ""  # another language's program, as text
        self.followed = False  # we know what it runs in turn
        self.files: list[tuple[str, str]] = []  # redirections: operator and path
        self.doubt = ""
        self.transparent = False

    def __str__(self) -> str:
        """For people: one line, not too long."""
        line = " ".join(word.replace(UNKNOWN, "…") or "''" for word in self.words).replace("\n", " ")
        if len(line) <= SHOWN:
            return line
        from hookkit.masking import mask  # late: few are so long, and half a secret no longer looks like one

        return mask(line[: SHOWN * 4])[: SHOWN - 1] + "…"


class Step:
    """Where in the line we are."""

    __slots__ = ("bodies", "depth", "forks", "hidden", "made", "places", "shell", "stdin", "via")

    def __init__(self, shell: Shell, depth: int = 0, via: tuple[str, ...] = ()) -> None:
        self.shell = shell
        self.depth = depth
        self.via = via
        self.places: tuple[tuple[int, int], ...] = ()  # the pipelines around this, each with the stage in it
        self.bodies: tuple[int, ...] = ()  # of functions that we are in: a name may be given to another meanwhile
        self.forks = False  # this goes on beside something else
        self.hidden = False  # what comes in was text of this line, changed beyond recognition
        self.stdin: str | None = None  # what comes in, where that is certain
        self.made: str | None = None  # what a <(command) among the words prints, where that is certain

    def inside(self, name: str, shell: Shell | None = None) -> "Step":
        step = Step(shell or self.shell, self.depth + 1, (*self.via, name))
        step.places, step.stdin, step.hidden = self.places, self.stdin, self.hidden
        step.forks, step.bodies = self.forks, self.bodies
        return step
