"""Opening the page. The secret reaches the browser through a private file: other users can see command lines."""

import html
import os
import webbrowser

from hookkit.cli._console import echo, echo_json, fail, say
from hookkit.daemon import door, process
from hookkit.errors import HookkitError
from hookkit.system import files

IDLE = "30m"
REDIRECT = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={address}"><title>hookkit</title>
<p><a href="{address}">Open the page</a></p>
"""


def open_(*, is_printed: bool, as_json: bool) -> None:
    environ = dict(os.environ)
    try:
        found, _ = process.start(environ, ["--idle", IDLE])
        address = f"{found.address}/{found.page}/"
        if as_json or is_printed:
            echo_json({"address": address}) if as_json else echo(address)
            return
        path = os.path.join(door.make_directory(environ), "open.html")
        files.write(path, REDIRECT.format(address=html.escape(address)).encode())
    except (OSError, HookkitError) as error:
        fail(error)
    if webbrowser.open(f"file://{path}"):
        say("Opened the page in your browser.")
    else:
        say(f"No browser found here. Print the address with: hookkit dashboard --print ({path} leads there too)")
