"""The fast exit: a plain command line without a candidate rule needs no engine.

Most calls of an agent are plain: `ls -la`, `git status`, `npm test`. True promises that the engine has no opinion.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAMES = "/"  # the key of the names of files in rules; no program has this name
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_./:,@%+=")


def is_plain(command: str) -> bool:
    """One simple command with its words written out: nothing that a shell would expand, join or redirect."""
    return PLAIN.issuperset(command)


def is_quiet(command: str, watch: "dict[str, Any] | None") -> bool:
    """Whether no rule can be about this; `watch` was worked out when the policy was compiled."""
    if watch is None or not is_plain(command):
        return False
    whole = [word for word in command.split(" ") if word]
    words = [word.rpartition("/")[2] for word in whole]
    if not words or "=" in whole[0]:
        return False
    seconds = watch.get(words[0], ())
    if seconds is None or any(word in seconds for word in whole[1:]):
        return False
    heads = tuple(second[:-1] for second in seconds if second.endswith("*"))
    if heads and any(word.startswith(heads) for word in whole[1:]):
        return False
    if any(word in watch for word in words[1:]):
        return False  # an unknown program may run the words behind it
    return not (watch.get(NAMES) and any(_may_name(word, watch[NAMES]) for word in whole[1:])) or _ignores(words[0])


def _may_name(word: str, names: "list[str]") -> bool:
    """Whether a word may be a file that a rule is about: hidden, outside the project, or named by the rule."""
    path = word.rpartition("=")[2]
    if path[:1] == "/" or path[:3] == "../":
        return True
    parts = path.split("/")
    return any((part[:1] == "." and part.strip(".") != "") or part in names for part in parts)


def _ignores(program: str) -> bool:
    from hookkit.shell.data_programs import CONTENT_FREE  # late: few words may name a file of a rule

    return program in CONTENT_FREE
