"""Programs that run the program named after them. One row a wrapper; users will add their own."""


class Wrapper:
    """`valued` are its options that take a value, `operands` how many words stand before the program."""

    __slots__ = ("assigns", "operands", "refuses", "valued")

    def __init__(self, valued: str = "", operands: int = 0, *, assigns: bool = False, refuses: str = "") -> None:
        self.valued = valued.split()
        self.operands = operands
        self.assigns = assigns  # NAME=value words may stand before the program
        self.refuses = refuses.split()  # with one of these it runs something else, or nothing


WRAPPERS = {
    "command": Wrapper(refuses="-v -V"),
    "env": Wrapper("-u --unset -C --chdir", assigns=True, refuses="-S --split-string -C --chdir"),
    "exec": Wrapper("-a"),
    "nice": Wrapper("-n --adjustment"),
    "nohup": Wrapper(),
    "stdbuf": Wrapper("-i -o -e --input --output --error"),
    "time": Wrapper("-f --format -o --output"),
    "timeout": Wrapper("-k --kill-after -s --signal", 1),
}


def peel(words: list[str | None]) -> int:
    """How many words stand before the program that really runs; len(words) where that cannot be told."""
    at = 0
    while at < len(words) and (wrapper := WRAPPERS.get(words[at] or "")) is not None:
        at += 1
        operands = wrapper.operands
        while at < len(words):
            word = words[at]
            if word is None or word in wrapper.refuses:
                return len(words)
            if word == "--":
                at += 1
                break
            if word.startswith("-") and len(word) > 1:
                at += 2 if word in wrapper.valued else 1
            elif wrapper.assigns and "=" in word:
                at += 1
            else:
                break
        at += operands
    return at
