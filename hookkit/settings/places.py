"""Own directories inside a project: hookkit falls back to the home of the user account."""

import os

from hookkit.settings.layers import PLACES, is_inside


def without(environ: dict[str, str], projects: set[str]) -> tuple[dict[str, str], list[str]]:
    """The environment without the wrong directories, and a message about each of them.

    A project around the real home is no reason to refuse anything: then every own directory is inside.
    """
    home = _home()
    projects = {project for project in projects if not is_inside(home, {project})}
    wrong = [name for name in PLACES if is_inside(environ.get(name, ""), projects)]
    messages = [f"{name}={environ[name]} is inside the project, so hookkit ignores this variable" for name in wrong]
    trusted = {name: value for name, value in environ.items() if name not in wrong}
    if "HOME" in wrong:
        trusted["HOME"] = home or "-"  # no absolute path: hookkit works without a home
    return trusted, messages


def _home() -> str:
    """The home of the user account. The environment has no say."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""
