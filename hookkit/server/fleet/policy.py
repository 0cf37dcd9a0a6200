"""The fleet's policy on this machine: fetched, checked, and taken if it is this machine's turn.

Whatever is refused changes nothing: the last good policy holds, and `hookkit fleet status` says why.

    fleet/policy.toml    the policy that holds: a layer between the managed and the local settings
    fleet/policy.json    the highest version seen from each key, and what became of the last file
"""

import os
import subprocess
import tempfile
import time
from typing import Any

import httpx

from hookkit.errors import ConfigError
from hookkit.server.fleet import membership
from hookkit.server.fleet.membership import AGENT, CONNECT, READ, FleetError, LaterError
from hookkit.settings.layers import FLEET_POLICY, Settings
from hookkit.settings.reading import TomlFile
from hookkit.settings.signed import SignedPolicy, time_text
from hookkit.system import files, signatures

STATE = "policy.json"
LARGEST = 8 << 20  # bytes of a policy
CLONE = 60  # seconds
WAITING = 300  # seconds between two clones for a policy that is not for this machine yet
SCHEMES = ("https://", "file://", "git+")


class PolicyRefusedError(FleetError):
    """A policy that is not taken."""


def refresh(environ: dict[str, str], settings: Settings, machine: str, team: str) -> dict[str, Any]:
    """Look for a new policy; gives what became of it. Never raises for what comes from outside."""
    state = membership.read(environ, STATE) or {}
    address = settings["fleet.policy"].replace("{team}", team)
    is_early = state.get("waiting") and 0 <= time.time() - state.get("looked", 0) < WAITING
    if not address or (is_early and address.startswith("git+")):
        return state
    try:
        path = os.path.join(files.state_dir(environ), FLEET_POLICY)
        etag = state.get("etag", "") if state.get("address") == address and os.path.lexists(path) else ""
        content, state["etag"] = fetch(address, etag)
        state |= {"address": address, "problem": ""}
        if content is not None:
            state |= take(content, environ, settings, machine, state)
    except (LaterError, PolicyRefusedError) as error:
        state["problem"] = str(error)
        state["etag"] = ""
    state["looked"] = int(time.time())
    membership.keep(environ, STATE, state)
    return state


def refresh_alone(environ: dict[str, str], settings: Settings) -> dict[str, Any]:
    """For a machine without a hub: its place in a stage is of a random id, and it is in no team."""
    state = membership.read(environ, STATE) or {}
    if not isinstance(state.get("machine"), str):
        state["machine"] = os.urandom(8).hex()
        membership.keep(environ, STATE, state)
    return refresh(environ, settings, state["machine"], "")


def take(
    content: str, environ: dict[str, str], settings: Settings, machine: str, known: dict[str, Any]
) -> dict[str, Any]:
    """Check a policy, and let it hold if it is this machine's turn; PolicyRefusedError names the reason."""
    policy, signer = check(content, environ, settings)
    now = time.time()
    if policy.expires <= now:
        raise PolicyRefusedError(f"version {policy.version} had expired on {time_text(policy.expires)} when it arrived")
    seen = known.get("seen") if isinstance(known.get("seen"), dict) else {}
    highest, digest = seen.get(signer.key, (0, "")) if seen else (0, "")
    if policy.version < highest:
        raise PolicyRefusedError(f"version {policy.version} is older than version {highest}, signed by the same key")
    if policy.version == highest and digest != policy.digest:
        raise PolicyRefusedError(f"another file was signed as version {policy.version} before; sign a new version")
    state = {"seen": {**(seen or {}), signer.key: [policy.version, policy.digest]}, "etag": known.get("etag", "")}
    if not policy.is_for(machine, now):
        return {**state, "waiting": policy.version, "etag": ""}  # the next look may be after the next stage
    path = os.path.join(files.state_dir(environ), FLEET_POLICY)
    files.private_dir(os.path.dirname(path))
    files.keep(path, content.encode(), 0o600)
    active = {"version": policy.version, "digest": policy.digest, "signer": signer.name, "expires": int(policy.expires)}
    return {**state, "waiting": 0, "active": active}


def check(content: str, environ: dict[str, str], settings: Settings) -> tuple[SignedPolicy, signatures.Signer]:
    """The policy and who signed it, by the list of the setting fleet.signers."""
    path = settings["fleet.signers"]
    if not path:
        raise PolicyRefusedError("nobody is allowed to sign: set fleet.signers in your own or the managed settings")
    try:
        signers = files.read(os.path.expanduser(path), LARGEST).decode("utf-8", "replace")
        policy = SignedPolicy(content)
        signer = policy.verify(signers, environ)
        file = TomlFile("policy", policy.text)
    except OSError as error:
        raise PolicyRefusedError(f"{path}: {error.strerror or error}") from None
    except (ConfigError, signatures.SignatureError) as error:
        raise PolicyRefusedError(str(error)) from None
    if file.errors:
        raise PolicyRefusedError(f"it has mistakes: {file.findings[0]}")
    return policy, signer


# -- where it comes from -----------------------------------------------------------------------------------------------


def fetch(address: str, etag: str = "") -> tuple[str | None, str]:
    """The text at an address and its ETag; None in place of the text if it has not changed."""
    if address.startswith("https://"):
        return _fetch_https(address, etag)
    if address.startswith("git+"):
        return _fetch_git(address, etag)
    path = address.removeprefix("file://")
    if not os.path.isabs(path):
        raise PolicyRefusedError(
            f"fleet.policy = {address!r}: expected an address that begins with {', '.join(SCHEMES)}"
        )
    try:
        return _decoded(files.read(path, LARGEST), address), ""
    except OSError as error:
        raise LaterError(f"{path}: {error.strerror or error}") from None


def _fetch_https(address: str, etag: str) -> tuple[str | None, str]:
    headers = {**AGENT, "if-none-match": etag} if etag else AGENT
    try:
        with httpx.stream("GET", address, headers=headers, timeout=httpx.Timeout(READ, connect=CONNECT)) as answer:
            data = b""
            for chunk in answer.iter_bytes():
                data += chunk
                if len(data) > LARGEST:
                    raise PolicyRefusedError(f"{address}: larger than {LARGEST} bytes")
    except httpx.HTTPError as error:
        raise LaterError(f"{address} cannot be reached: {error or type(error).__name__}") from None
    if answer.status_code == httpx.codes.NOT_MODIFIED and etag:
        return None, etag
    if answer.status_code != httpx.codes.OK:
        raise LaterError(f"{address}: answer {answer.status_code}")
    return _decoded(data, address), answer.headers.get("etag", "")


def _fetch_git(address: str, etag: str) -> tuple[str | None, str]:
    """`git+https://host/repository#path/in/it`: the file at the tip of the default branch, if the tip is a new one."""
    url, _, path = address.removeprefix("git+").partition("#")
    if url.startswith("-") or not path:
        raise PolicyRefusedError(f"fleet.policy = {address!r}: expected git+https://host/repository#path")
    tip = _git(url, "ls-remote", "--", url, "HEAD").decode("ascii", "replace").partition("\t")[0]
    if tip and tip == etag:
        return None, etag
    with tempfile.TemporaryDirectory(prefix="hookkit-") as directory:
        _git(url, "clone", "-q", "--bare", "--depth", "1", "--", url, directory)
        data = _git(url, "--git-dir", directory, "cat-file", "blob", f"HEAD:{path}")
    return _decoded(data[:LARGEST], address), tip


def _git(url: str, *words: str) -> bytes:
    environ = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "https:ssh:file", "LC_ALL": "C"}
    try:
        done = subprocess.run(["git", *words], env=environ, capture_output=True, timeout=CLONE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaterError(f"{url}: git: {error}") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise LaterError(f"{url}: git: {lines[-1][:200] if lines else 'failed'}")
    return done.stdout


def _decoded(data: bytes, address: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise PolicyRefusedError(f"{address}: not UTF-8") from None


def problems(known: dict[str, Any]) -> list[str]:
    """What is wrong with the policy, for `fleet status`."""
    problems = [f"the policy was not taken: {known['problem']}"] if known.get("problem") else []
    active = known.get("active") or {}
    if active and active.get("expires", 0) < time.time():
        problems.append(f"policy version {active['version']} has expired; it goes on holding")
    return problems


def summary(known: dict[str, Any]) -> str:
    active = known.get("active") or {}
    text = f"version {active['version']}, signed by {active['signer']}" if active else "none"
    return text + (f"; version {known['waiting']} is being rolled out to others first" if known.get("waiting") else "")
