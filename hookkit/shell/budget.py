"""How much work a command line may cause. Beyond the limit the answer is "could not tell", never a long wait."""

from hookkit.errors import ShellError

STEPS = 30_000  # commands followed, values looked up, alternatives compared: each counts
CHARACTERS = 600_000  # total length of the texts from expansions, files and outputs


class Budget:
    """A counter of work and a counter of characters, shared by all analyses of the same tool call."""

    __slots__ = ("characters", "steps")

    def __init__(self, steps: int = STEPS, characters: int = CHARACTERS) -> None:
        self.steps = steps
        self.characters = characters

    def spend(self, steps: int = 1, characters: int = 0) -> None:
        self.steps -= steps
        self.characters -= characters
        if self.steps < 0 or self.characters < 0:
            raise ShellError("this line would take more work to analyse than hookkit spends on one call", 0)
