"""One round with the hub: say how this machine is, send the rows that the hub lacks.

Run by the warm server every minute, after a session's end in the background, or by cron. No hook waits for it. Whatever
fails is tried again by the next round: the hub's heads say from where.
"""

import os
import time
from typing import Any

from hookkit import __version__
from hookkit.errors import HookkitError
from hookkit.ledger import segments
from hookkit.server import spool
from hookkit.server.fleet import batch, membership, policy, telemetry
from hookkit.server.fleet.batch import EVERY, Head, Unsent, ends
from hookkit.server.fleet.membership import BEFORE, MACHINE, SENT, STATUS, CutError, FleetError, LaterError
from hookkit.settings import layers
from hookkit.system import database, error_log, files
from hookkit.system.signatures import SignatureError

ROWS = 1_000  # rows of a request
SIZE = 4 << 20  # bytes of a request, before compression
GROWTH = 10  # rows that a request gets larger by, after a body was cut
TRIES = 3  # for a section that the hub does not take
HEALTH = 3_600  # seconds between two comparisons of transcripts with rows
STORED = 30.0  # seconds for stored events
DAY = 86_400


class Round:
    """What a sync did."""

    def __init__(self) -> None:
        self.sent = 0
        self.skew = 0
        self.problems: list[str] = []


class Sync:
    def __init__(self, environ: dict[str, str]) -> None:
        self.settings = layers.load("/", environ)
        self.environ = environ
        self.machine = membership.machine(environ)
        self.round = Round()
        self.status = membership.read(environ, STATUS) or {}
        self.hub = membership.own_hub(self.machine, self.settings)
        sent = membership.read(environ, SENT)
        self.is_known = sent is not None
        self.heads: dict[str, Head] = {}
        self._learn((sent or {}).get("heads"))
        self.policy: dict[str, Any] = {}
        self.done: set[str] = set((sent or {}).get("segments", ()))

    def run(self) -> Round:
        """Report, then send. What was confirmed is noted even if something fails later."""
        wait = self.status.get("not_before", 0)
        if isinstance(wait, int) and time.time() < wait < time.time() + DAY:
            raise LaterError(f"the hub asked to wait until {time.strftime('%H:%M:%S', time.localtime(wait))}")
        problem, seconds = "", 0
        try:
            # A policy that is refused, or cannot be reached, keeps no row from being sent.
            name, team = self.machine["machine"], str(self.machine.get("team", ""))
            self.policy = policy.refresh(self.environ, self.settings, name, team)
            self._report()
            self._ask()
            self._send()
        except LaterError as error:
            problem, seconds = str(error), error.seconds
            raise
        except FleetError as error:
            problem = str(error)
            raise
        finally:
            self._note(problem, seconds)
        return self.round

    # -- how this machine is -------------------------------------------------------------------------------------------

    def _report(self) -> None:
        own = ends(self.environ)
        version = (self.policy.get("active") or {}).get("version")
        report = {
            "turn": self.status.get("turn", ""),
            "clock": int(time.time() * 1000),
            "version": __version__,
            # Without all projects, a session without rows may be one that stays.
            "health": {**self._health(), "policy_old": bool(policy.problems(self.policy)),
                       "all_projects": EVERY in self.settings["fleet.projects"]},
            # The version of the fleet's policy, or the digest of all rules together.
            "policy": f"version {version}" if version else layers.load("/", self.environ).policy_digest,
            "heads": {writer: [*head] for writer, head in own.items() if writer in self.heads},
        }  # fmt: skip
        answer = self.hub.post("/fleet/sync", report)
        if answer.get("copied"):
            self._take_new_name()
            answer = self.hub.post("/fleet/sync", {**report, "turn": "", "heads": {}})
        if isinstance(answer.get("turn"), str):
            self.status["turn"] = answer["turn"]
            membership.keep(self.environ, STATUS, self.status)
        now = answer.get("now")
        self.round.skew = report["clock"] - now if isinstance(now, int) else 0
        self._learn(answer.get("heads"))
        if not self.is_known:
            self._learn(self.hub.get("/fleet/heads").get("heads"))

    def _take_new_name(self) -> None:
        """Another machine speaks with our secret: an image was copied. Sent rows stay where they are."""
        given = self.hub.post("/fleet/copied", {})
        self.machine = {**self.machine, "machine": str(given["machine"]), "secret": str(given["secret"])}
        membership.keep(self.environ, MACHINE, self.machine)
        self.status["turn"] = ""
        self.round.problems.append(f"this machine is a copy of another one: its id is now {self.machine['machine']}")
        self.hub.close()
        self.hub = membership.own_hub(self.machine, self.settings)

    def _learn(self, heads: Any) -> None:
        for writer, head in heads.items() if isinstance(heads, dict) else ():
            if isinstance(head, list) and len(head) >= 2 and isinstance(head[0], int) and head[0] > 0:  # noqa: PLR2004
                self.heads[writer] = (head[0], str(head[1]))

    def _health(self) -> dict[str, Any]:
        """Whether hooks really fire, compared once an hour."""
        last = self.status.get("health")
        if isinstance(last, dict) and abs(time.time() - self.status.get("looked", 0)) < HEALTH:
            return last
        state = health(self.environ)
        self.status |= {"health": state, "looked": int(time.time())}
        return state

    def _ask(self) -> None:
        """Answers to approvals. One that is not signed as it should be keeps no row from being sent."""
        rows = membership.waiting_requests(self.environ)
        try:
            if rows:
                membership.exchange_answers(self.hub, self.environ, rows)
        except SignatureError as error:
            self.round.problems.append(f"an answer to an approval was not taken: {error}")

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _send(self) -> None:
        before = membership.read(self.environ, BEFORE)
        if before is None:
            raise FleetError("before.json is lost: it says which rows are from before joining. Leave, and join again")
        unsent = Unsent(self.environ, self.heads, before)
        unsent.parts = batch.LEVELS[self.settings["fleet.send"]]
        unsent.projects = tuple(self.settings["fleet.projects"])
        for source in unsent.sources(self.done):
            waiting = dict(source.runs)
            while waiting:
                self._send_some(unsent, waiting)
            if source.name:  # pruning takes a segment whose rows the hub has before others
                self.done.add(source.name)
            self._note_sent()

    def _send_some(self, unsent: Unsent, waiting: dict[str, list[tuple[int, bytes]]]) -> None:
        """One request: rows of one or more chains. Chains without more rows leave `waiting`."""
        sections: list[batch.Section] = []
        size, most = 0, self.status.get("most", ROWS)
        for writer in [*waiting]:
            left = most - sum(len(section.rows) for section in sections)
            if left <= 0 or size > SIZE:
                break
            section = unsent.section(writer, waiting[writer], left)
            if section is None:
                del waiting[writer]
                continue
            size += sum(map(len, section.rows))
            sections.append(section)
        if sections:
            self._request(sections, waiting)

    def _request(self, sections: list[batch.Section], waiting: dict[str, list[tuple[int, bytes]]]) -> None:
        try:
            answer = self.hub.send("/fleet/rows", batch.pack(sections)).get("heads")
        except CutError:
            most = self.status.get("most", ROWS)
            if most <= 1:
                raise
            self.status["most"] = max(1, most // 4)  # something on the way cuts large bodies
            return
        heads = answer if isinstance(answer, dict) else {}
        for section in sections:
            head = heads.get(section.writer)
            if not isinstance(head, list) or head[2:] != ["taken"]:
                self._retry(section, head, waiting)
            else:
                self.round.sent += len(section.rows)
            self._learn({section.writer: head})
        if self.status.get("most", ROWS) < ROWS:  # what cut an earlier body may be gone: the next ones are larger again
            self.status["most"] = min(ROWS, self.status["most"] + GROWTH)

    def _retry(self, section: batch.Section, head: Any, waiting: dict[str, list[tuple[int, bytes]]]) -> None:
        """Not taken: the hub's head is elsewhere. It is learned, and tried again; a few times at most."""
        tries = self.status.setdefault("tries", {})
        tries[section.writer] = tries.get(section.writer, 0) + 1
        if tries[section.writer] >= TRIES:
            del tries[section.writer]
            waiting.pop(section.writer, None)
            why = head[2] if isinstance(head, list) and len(head) > 2 else "no answer"  # noqa: PLR2004
            self.round.problems.append(f"the hub does not take row {section.first} of {section.writer}: {why}")

    def _note_sent(self) -> None:
        there = set(segments.names(self.environ))
        self.done &= there
        own = set(ends(self.environ))
        heads = {writer: [*head] for writer, head in self.heads.items() if writer in own}
        membership.keep(self.environ, SENT, {"heads": heads, "segments": sorted(self.done)})
        path = os.path.join(segments.directory(self.environ), segments.SENT)
        if there:
            files.keep(path, "\n".join(sorted(self.done)).encode(), 0o600)

    def _note(self, problem: str, seconds: int) -> None:
        now = int(time.time())
        self.status |= {"tried": now, "problem": problem, "problems": self.round.problems, "not_before": 0}
        self.status["sent"] = self.status.get("sent", 0) + self.round.sent
        if seconds:
            self.status["not_before"] = now + min(seconds, DAY // 24)
        if not problem:
            self.status |= {"done": now, "skew": self.round.skew}
            self.status.pop("tries", None)
        membership.keep(self.environ, STATUS, self.status)


def health(environ: dict[str, str]) -> dict[str, Any]:
    """Doctor's comparison of the agents' transcripts with the rows."""
    from hookkit.agents.doctor import Setup, liveness

    counts: dict[str, Any] = {"silent": 0, "gaps": 0, "overruled": 0}
    try:
        for problem in liveness.check(Setup(environ, files.home(environ) or "/")):
            name = problem.id.partition(".")[2]
            counts[name] = counts.get(name, 0) + 1
    except (HookkitError, OSError) as error:
        counts["unknown"] = str(error)[:200]
    return counts


def run(environ: dict[str, str]) -> Round | None:
    """A round with the hub, with an OpenTelemetry receiver, or both, unless another process is at one.

    A machine without a hub looks for a policy, too.
    """
    settings = layers.load("/", environ)
    to_otlp, is_member = telemetry.endpoint(settings), membership.read(environ, MACHINE) is not None
    if not to_otlp and not settings["fleet.policy"]:
        membership.machine(environ)
    folder = files.private_dir(membership.directory(environ))
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(os.path.join(folder, "lock"), flags, 0o600)
    try:
        if not files.lock(handle):
            return None
        spool.play(environ, seconds=STORED)  # events of launchers are rows only then
        done = _with_hub(environ) if is_member else Round()
        if not is_member:
            policy.refresh_alone(environ, settings)
        if to_otlp:
            done.sent += telemetry.Export(environ, settings).run()
        return done
    finally:
        os.close(handle)


def _with_hub(environ: dict[str, str]) -> Round:
    sync = Sync(environ)
    try:
        return sync.run()
    finally:
        sync.hub.close()


def main() -> None:
    """In the background: an error is logged, and told by `hookkit fleet status`."""
    environ = dict(os.environ)
    try:
        run(environ)
    except LaterError:
        return
    except (HookkitError, OSError, database.StateError) as error:
        error_log.try_to_record(environ, "fleet", error)
