"""Signing a policy for a fleet, and looking at a signed one before machines do."""

import difflib
import os
import tempfile
import time
from typing import Any

from hookkit.cli._console import Output, fail, stop, warn
from hookkit.cli._times import seconds
from hookkit.cli._view import Text, View, Wide, diff_lines
from hookkit.errors import HookkitError
from hookkit.server.fleet import policy as fleet_policy
from hookkit.settings import layers, reading, signed_policy
from hookkit.settings.reading import TomlFile
from hookkit.settings.signed_policy import SignedPolicy, stamp
from hookkit.system import files, signatures


def sign(path: str, key: str, version: int, expires: str, stages: str, to: str) -> Output:
    """Only a policy without mistakes is signed. The version goes up by one, unless one is given."""
    text = reading.text_of(path)
    if signed_policy.FIRST.match(text):
        text = SignedPolicy(text, path).text.partition("\n")[2]
    file = TomlFile(path, text)
    if file.errors:
        stop(f"not signed: {file.findings[0]}")
    to = to or f"{path.removesuffix('.toml')}.signed.toml"
    now = time.time()
    span = seconds(expires, "hdw")
    if span is None:
        stop(f"--expires {expires}: write 48h, 90d or 12w")
    end, number = now + span, version or _next(to)
    line = signed_policy.first_line(number, now, end, stages or signed_policy.ALL)
    body = f"{line}\n{text.rstrip()}\n"
    signature = signatures.sign(body.encode(), os.path.expanduser(key), signed_policy.NAMESPACE, dict(os.environ))
    with open(to, "w", encoding="utf-8") as out:
        out.write(body + signature)
    value = {"file": to, "version": number, "expires": stamp(end)}
    return Output(value, f"Signed {to}: version {number}, until {stamp(end)}.", style="green")


def _next(to: str) -> int:
    return SignedPolicy(reading.text_of(to), to).version + 1 if os.path.lexists(to) else 1


def verify(path: str, signers: str, *, dry_run: bool) -> Output:
    environ = dict(os.environ)
    settings = layers.load("/", environ)
    if signers:
        settings.values["fleet.signers"] = os.path.abspath(signers)
    content = reading.text_of(path)
    try:
        policy, signer = fleet_policy.check(content, environ, settings)
    except HookkitError as error:
        fail(f"{path}: {error}")
    now = time.time()
    value: dict[str, Any] = {
        "version": policy.version, "signer": signer.name, "key": signer.key, "expires": stamp(policy.expires),
        "percent": policy.percent(now), "expired": policy.expires <= now,
    }  # fmt: skip
    parts: list[View] = [
        Wide(f"{path}: version {policy.version}, signed by {signer.name} ({signer.key}), until {value['expires']}, now"
             f" for {value['percent']} % of the machines.")
    ]  # fmt: skip
    if dry_run:
        changes, more = _compare(policy.text, environ)
        value, parts = {**value, **changes}, [*parts, *more]
    if value["expired"]:
        warn("it has expired: machines that do not have it yet will refuse it", "red")
    return Output(value, parts, 1 if value["expired"] else 0)


def _compare(text: str, environ: dict[str, str]) -> tuple[dict[str, Any], list[View]]:
    """The difference to the policy that holds here, and what it would have changed last week."""
    from hookkit.cli import replay  # late: the player is for a dry run alone

    path = os.path.join(files.state_dir(environ), layers.FLEET_POLICY)
    old = SignedPolicy(reading.text_of(path), path).text if os.path.lexists(path) else ""
    diff = list(difflib.unified_diff(old.splitlines(), text.splitlines(), "in force", "new", lineterm=""))
    with tempfile.TemporaryDirectory(prefix="hookkit-") as directory:
        names = [os.path.join(directory, name) for name in ("new.toml", "old.toml")]
        for name, content in zip(names, (text, old), strict=True):
            with open(name, "w", encoding="utf-8") as file:
                file.write(content)
        past = replay.command(since="7d", policy=names[0], against=names[1])
    head = Text("Calls of the last week that it would change:", "dim")
    return {"diff": diff, "replay": past.value}, [
        *diff_lines(diff),
        "",
        head,
        past.view() if callable(past.view) else past.view,
    ]
