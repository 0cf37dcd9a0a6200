"""Trusting the settings of a project: the content of every file behind them is pinned and shown."""

import json
import os
from typing import Annotated, Any

from hookkit.agents.wiring import events
from hookkit.cli._command import Argument, Option
from hookkit.cli._console import Output, draw, fail, only_a_person, stop, warn_each
from hookkit.cli._view import Wide, one_line
from hookkit.errors import ConfigError, HookkitError
from hookkit.handlers import project_trust
from hookkit.redirect import sources, tree
from hookkit.settings import hook_rows, layers, signed, trust
from hookkit.settings.keys import BY_NAME
from hookkit.system import files

DONE = "Trusted. If a file changes that these commands run, hookkit asks again."
SIGNED = "Signed in {path}. Commit it: it is trust for everybody who has added you with hookkit trust --signer."
ASK = "Ask {name} whether this is their key: whatever it signs is trusted here from now on."
NO_KEY = "you have no key in ~/.ssh: name one with --key, or make one with ssh-keygen -t ed25519"
UNSIGNED = "{path}: there is no signature here whose key could be learned: name a key with --key FILE.pub"
OTHER_KEY = (
    "this project is signed with the key {key}, and you know {name} by another one. Ask {name}; if the key is theirs, "
    "add it with --key FILE.pub"
)
WIDE = 80  # characters of a value that still fit a line
HARMLESS = ("pass_context", "parse_result", "status_message")  # fields of a handler that a person need not judge

Row = dict[str, Any]


def command(
    directory: Annotated[str, Argument(metavar="DIR", help="The project; by default the one you are in.")] = ".",
    *,
    revoke: Annotated[bool, Option("--revoke", help="Take the trust back.")] = False,
    sign: Annotated[bool, Option("--sign", help="Sign the project's files, for your whole team.")] = False,
    signer: Annotated[
        str, Option("--signer", metavar="NAME", help="Trust what this person signs, such as human:lead.")
    ] = "",
    key: Annotated[
        str, Option("--key", metavar="FILE", help="The SSH key: yours for --sign, a .pub file for --signer.")
    ] = "",
) -> Output:
    """Let a project's own settings allow, rewrite and run things, pinned to their current content.

    Until you trust them, and again after every change, only what holds back applies: rules that deny or ask, approval
    gates, limits. Programs and approvals of the project do not.

    For a team: a lead runs `hookkit trust --sign` and commits hookkit.trust. Who has run `hookkit trust --signer NAME`
    once in a clone needs no trust after later changes, as long as they are signed by the same key.

    Exits 1 if there is nothing to trust, or a file has a mistake.

    Example: hookkit trust

    Example: hookkit trust --sign --key ~/.ssh/id_ed25519

    Example: hookkit trust --signer human:lead
    """
    if revoke + sign + bool(signer) > 1:
        stop("give one of --revoke, --sign and --signer")
    if key and not (sign or signer):
        stop("--key goes with --sign or --signer")
    if not revoke:
        if not os.path.isdir(directory):  # the project around it is another one
            stop(f"no directory {directory}")
        only_a_person("trust a project")
    project = files.repository(os.path.abspath(directory))
    environ = layers.load(project, dict(os.environ)).environ  # without a state directory inside the project
    if revoke:
        return _revoke(project, environ)
    try:
        if signer:
            return _learn(project, signer, os.path.expanduser(key), environ)
        return _sign(project, os.path.expanduser(key), environ) if sign else _pin(project, environ)
    except HookkitError as error:
        fail(error)


def _pin(project: str, environ: dict[str, str]) -> Output:
    """The pins are written before a word is printed: a closed pipe must not cost the trust."""
    pinned = project_trust.pin(project, environ)
    if not pinned.pins:
        draw(_show(pinned))  # files that cannot be trusted, and why
        fail(f"there is nothing to trust in {project}: no hookkit.toml, and no file that defines commands")
    settings = [{"file": path, "settings": values} for path, values in pinned.settings.items()]
    hooks = {path: [_told(row) for row in rows] for path, rows in pinned.handlers.items()}
    warn_each(events.lacks(layers.load(project, environ), project))
    value = {"trusted": True, "files": settings, "hooks": hooks, "commands": pinned.commands}
    return Output(value, [*_show(pinned), Wide(DONE, "green")])


def _revoke(project: str, environ: dict[str, str]) -> Output:
    """Remove every pin inside the project."""
    inside = os.path.join(os.path.realpath(project), "")
    had = [path for path in trust.trusted(environ) if path.startswith(inside)]
    if had:
        trust.pin(environ, dict.fromkeys(had))
    message = "Trust taken back." if had else "Nothing here was trusted."
    return Output({"trusted": False, "revoked": had}, message, style="green")


# -- for a team ------------------------------------------------------------------------------------------------------


def _sign(project: str, key: str, environ: dict[str, str]) -> Output:
    """Sign the files of the project with a lead's key."""
    key = key or signed.usual_key(environ)
    if not key:
        fail(NO_KEY)
    listed = project_trust.ProjectTrust(project, environ)
    if not listed.pins:
        fail(f"there is nothing to sign in {project}: no hookkit.toml, and no file that defines commands")
    path = signed.write(project, listed.pins, key, environ)
    value = {"signed": sorted(listed.pins), "file": path, "key": key}
    return Output(value, [*_show(listed), Wide(SIGNED.format(path=path), "green")])


def _learn(project: str, name: str, key: str, environ: dict[str, str]) -> Output:
    """Learn whose signature counts. Without a key: the key of the signature in this project, which must fit.

    The files that the project's commands run are noted as they are now, as for a person's own trust.
    """
    if key:
        listed = signed.add_signer(name, signed.public_key(key), environ)
        return Output({"signer": name, "file": listed}, f"Added {name} to {listed}.", style="green")
    text = _signed_text(os.path.join(project, signed.NAME))
    public = signed.key_in(text)
    signer = signed.check_with(text, signed.signer_line(name, public), environ)
    if signed.has_other_key(name, public, environ):
        fail(OTHER_KEY.format(name=name, key=signer.key))
    listed = signed.add_signer(name, public, environ)
    tree.keep(project, environ)
    added = Wide(f"Added {name} with the key {signer.key} to {listed}.", "green")
    value = {"signer": name, "key": signer.key, "file": listed}
    return Output(value, [added, Wide(ASK.format(name=name), "dim")])


def _signed_text(path: str) -> str:
    try:
        return files.read(path, signed.LIMIT).decode()
    except FileNotFoundError:
        stop(UNSIGNED.format(path=path))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None


# -- for a person ----------------------------------------------------------------------------------------------------


def _show(listed: project_trust.ProjectTrust) -> list[Wide]:
    """Every file that is pinned: settings with their values, the files that run with their handlers."""
    lines = []
    for path, values in listed.settings.items():
        rows = [Wide(_setting(name, value), _style(name)) for name, value in values.items()]
        lines += [Wide(one_line(path), "bold"), *rows]
    for path, handlers in listed.handlers.items():
        lines += _show_handlers(path, handlers, listed.project)
    for path, names in listed.commands.items():
        if path in listed.handlers:
            continue
        is_whole = sources.content(path) is not None
        text = ", ".join(names) if is_whole else "cannot be trusted: too large, or not readable"
        lines.append(Wide(one_line(f"{os.path.relpath(path, listed.project)}  {text}".rstrip()), "yellow"))
    return lines


def _style(setting: str) -> str:
    return "yellow" if BY_NAME[setting].trust else "dim"


def _show_handlers(path: str, rows: list[Row], project: str) -> list[Wide]:
    if not all(row["source"] == path for row in rows):
        names = ", ".join(dict.fromkeys(row["name"] for row in rows))
        return [Wide(one_line(f"{os.path.relpath(path, project)}  for {names}"), "yellow")]
    # Claude Code's settings, a skill: its own handlers.
    lines = [Wide(one_line(f"  {_handler(row)}"), "yellow") for row in rows]
    return [Wide(one_line(path), "bold"), *(lines or [Wide("  no hooks for other agents", "dim")])]


def _handler(row: Row) -> str:
    """A handler in a line, never shortened: a person trusts the whole command."""
    main = hook_rows.MAIN[row["kind"]]
    does = row["body"][main]
    more = {name: value for name, value in row["body"].items() if name not in (main, *HARMLESS)}
    main_text = does if isinstance(does, str) else json.dumps(does, ensure_ascii=False)
    return f"{row['event']} {row['if'] or row['matcher'] or '*'}, {row['kind']}: {main_text}{_with(more)}"


def _told(row: Row) -> Row:
    return {name: row[name] for name in ("event", "matcher", "if", "kind", "body")}


def _setting(name: str, value: Any) -> str:
    """A rule or a handler in a line, another setting as in a file."""
    if name == "rules":
        lines = [f"{rule['type']} {_patterns(rule)}{_effect(rule)}" for rule in value]
    elif name == "hooks":
        rows = [hook_rows.normal(row, "project", "") for row in value]
        lines = [f"{row['name']}: {_handler(row)}" for row in rows]
    else:
        text = json.dumps(value, ensure_ascii=False)
        return f"  {name} = {text if len(text) <= WIDE else json.dumps(value, ensure_ascii=False, indent=2)}"
    return "\n".join([f"  {name}:", *(one_line(f"    {line}") for line in lines)])


def _patterns(rule: dict[str, Any]) -> str:
    match = rule.get("match", "*")
    return match if isinstance(match, str) else ", ".join(match)


def _effect(rule: dict[str, Any]) -> str:
    """The program that a rule would run, or the text for a modified field: here trust matters."""
    if rule["type"] == "command":
        return f", runs: {rule['run']}"
    if rule["type"] == "modify":
        return f", writes: {rule['with']!r} into {rule['field']}"
    return _with(rule.get("config"))


def _with(more: object) -> str:
    return f", with: {json.dumps(more, ensure_ascii=False)}" if more else ""
