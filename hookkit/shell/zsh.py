"""What zsh reads otherwise than bash, where the agent's shell is zsh: why hookkit cannot analyse a line, or nothing.

`=rm`, `zf_rm` and arrays as commands are followed by `runners` and `resolve`. What is here changes the meaning of a
whole line, or reads a file without a command.
"""

MODULES = ("zsh/mapfile", "zsh/files", "zsh/system", "zsh/net", "zsh/zftp", "zsh/zpty", "zsh/sched")
LONGEST = 40  # characters of flags, and of a name between brackets


def doubt(text: str) -> str:
    """The first reason why hookkit cannot tell what zsh makes of the text."""
    if any("e" in text[place : place + LONGEST].partition(")")[0] for place in _behind(text, "${(")):
        return "with the flag e, zsh runs commands in the value of a variable"
    for place in _behind(text, "alias -"):
        options = text[place : place + LONGEST].split(None, 1)
        if options and not {*"gs"}.isdisjoint(options[0]):
            return "a global alias or a suffix alias changes what later words mean"
    if any(_is_path(text[place : place + 4 * LONGEST].partition("]")[0]) for place in _behind(text, "mapfile[")):
        return "zsh reads a file through the variable mapfile"
    for place in _behind(text, "zmodload"):
        if any(module in text[place : place + 4 * LONGEST].partition("\n")[0] for module in MODULES):
            return "a module of zsh brings commands of its own"
    for name in ("aliases[", "functions["):
        if any("]=" in text[place : place + LONGEST] for place in _behind(text, name)):
            return "the line defines a command through a variable of zsh"
    return ""


def _behind(text: str, mark: str) -> list[int]:
    """The places behind each mark."""
    places: list[int] = []
    place = text.find(mark)
    while place >= 0:
        places.append(place + len(mark))
        place = text.find(mark, place + len(mark))
    return places


def _is_path(subscript: str) -> bool:
    return "/" in subscript or "." in subscript
