"""Whether a command with computed words could be the command of a pattern."""

from hookkit.programs.options import Parsed
from hookkit.programs.stages import Stage, shaped
from hookkit.programs.words import ALL, UNKNOWN, glob


def may_match(stage: Stage, parsed: Parsed) -> bool:
    """A computed word may be any option and any number of operands; all known words must fit the pattern."""
    if not stage.program or stage.program != parsed.operands[0]:
        return False
    wanted, values, globs = shaped(stage, parsed.record)
    plain = [glob_ for glob_ in globs[1:] if glob_ != ALL]
    if (not wanted and not values and not plain) or any(word.startswith("every-") for word in plain):
        return False  # `every-process` and its like are words of hookkit's own, and never computed
    missing = [flag for flag in wanted if flag not in parsed.flags]
    operands = parsed.operands[1:]
    known = [word for word in operands if word[:1] != UNKNOWN]
    if len(operands) == len(known):
        return False  # the computed word is the value of an option
    return _fits(globs[1:], operands) and (bool(missing) or len(known) < len(plain))


def _fits(globs: list[str], words: list[str]) -> bool:
    """Globs against words where either side may have a part that stands for any number of the other's."""
    reachable = {0}
    for word in words:
        wild = word[:1] == UNKNOWN
        following: set[int] = set()
        for at in _skipped(globs, reachable):
            if wild:
                following.update(range(at, len(globs) + 1))
            elif at < len(globs) and globs[at] == ALL:
                following.add(at)
            elif at < len(globs) and glob(globs[at], word):
                following.add(at + 1)
        reachable = following
    return len(globs) in _skipped(globs, reachable)


def _skipped(globs: list[str], places: set[int]) -> set[int]:
    """A lone star may stand for no word at all."""
    found = set(places)
    for place in places:
        at = place
        while at < len(globs) and globs[at] == ALL:
            at += 1
            found.add(at)
    return found
