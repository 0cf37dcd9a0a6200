"""The streams of a command: the text on its stdin, and the files that its output goes to."""

from hookkit.shell.commands import Command, Context, opens
from hookkit.shell.state import UNKNOWN
from hookkit.shell.syntax import PROCESS, Redirect, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.resolve import Resolution


def stdin(line: "Resolution", redirects: list[Redirect], context: Context) -> str | None:
    """The text on stdin: a here-document, a here-string, a file, or the stdin of the command around."""
    for redirect in reversed(redirects):
        if redirect.operator in ("<<", "<<-") and redirect.body is not None:
            return line.expander(context).text(redirect.body)
        if redirect.operator == "<<<":
            return line.expander(context).text(redirect.target) + "\n"
        if redirect.operator in ("<", "<>") and redirect.fd in ("", "0"):
            return line.made.text(line.expander(context).text(redirect.target), context)
        if redirect.operator == "<&" and redirect.fd in ("", "0"):
            return UNKNOWN
    return context.stdin


def files(line: "Resolution", redirects: list[Redirect], context: Context) -> list[tuple[str, str]]:
    if not redirects:
        return []
    expander = line.expander(context)
    return [
        (redirect.operator, expander.text(redirect.target))
        for redirect in redirects
        if opens(redirect) and not _is_fed(redirect)
    ]


def redirected(
    line: "Resolution",
    redirects: list[Redirect],
    files: list[tuple[str, str]],
    text: str,
    holder: Command | None,
    context: Context,
) -> str:
    """Note the redirect targets of a command; return the rest of the output for the next command."""
    if holder is not None:
        holder.files += files
        if holder.words == ["exec"]:
            _opened(line, redirects, context)
            return ""
    left = text
    for redirect in redirects:
        if redirect.operator[-1] == "<" or not opens(redirect) or redirect.operator == "<>":
            continue
        if _is_fed(redirect):
            _feed(line, redirect.target, text, context)
        elif redirect.fd in ("", "1"):
            path = line.expander(context).text(redirect.target)
            line.made.write(path, text, context, append=redirect.operator in (">>", "&>>"))
        left = "" if redirect.fd in ("", "1") else left
    return left


def _opened(line: "Resolution", redirects: list[Redirect], context: Context) -> None:
    """`exec 3> file`, `exec 3<<< text`: later commands write the file, or read the text."""
    for redirect in redirects:
        if redirect.operator[0] == "<" and redirect.fd.isdigit():
            text = stdin(line, [redirect], context) if redirect.operator != "<" else None
            path = line.expander(context).text(redirect.target)
            line.made.files[f"/dev/fd/{redirect.fd}"] = line.made.text(path, context) if text is None else text
        elif _is_fed(redirect):
            _feed(line, redirect.target, UNKNOWN, context)
        elif opens(redirect):
            path = line.expander(context).text(redirect.target)
            if not path.startswith("/dev/"):
                line.made.write(path, UNKNOWN, context)


def _feed(line: "Resolution", word: Word, text: str, context: Context) -> None:
    """`command > >(sh)`: the output is the stdin of another command line."""
    for part in word.parts:
        for script in part.scripts:
            inner = context.inside("", context.shell.copy())
            inner.stdin = text or UNKNOWN
            line.script(script, inner)


def _is_fed(redirect: Redirect) -> bool:
    """`> >(command)`."""
    return any(part.kind == PROCESS and part.text == ">" for part in redirect.target.parts)
