"""Opening the page. The secret reaches the browser through a private file: other users can see command lines."""

import html
import os
from typing import Annotated

from hookkit.cli._command import Option
from hookkit.cli._console import Output, fail, only_a_person
from hookkit.errors import HookkitError
from hookkit.server import process
from hookkit.system import files

IDLE = "30m"
REDIRECT = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={address}"><title>hookkit</title>
<p><a href="{address}">Open the page</a></p>
"""


def command(
    *,
    show: Annotated[bool, Option("--print", help="Print the address in place of opening a browser.")] = False,
) -> Output:
    """Open the page in your browser: live calls, their reasons, numbers, agents, approvals.

    Starts the background server if none is running. The address holds a secret of this server: do not share it.

    Example: hookkit dashboard
    """
    environ = dict(os.environ)
    only_a_person("open the page, which can approve")
    try:
        server, _ = process.start(environ, ["--idle", IDLE])
        address = f"{server.address}/{server.page}/"
        path = os.path.join(process.make_directory(environ), "open.html")
        files.write(path, REDIRECT.format(address=html.escape(address)).encode())
    except (OSError, HookkitError) as error:
        fail(error)
    return Output({"address": address}, address if show else lambda: _open(path))


def _open(path: str) -> str:
    import webbrowser

    if webbrowser.open(f"file://{path}"):
        return "Opened the page in your browser."
    return f"No browser found here. Print the address with: hookkit dashboard --print ({path} leads there too)"
