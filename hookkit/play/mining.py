"""Rules from the person's approvals: as few and as narrow as possible. And the shipped rules that stop incidents.

A rule has the words of approved commands. Only a single operand may become a pattern, of a program that reads or tests,
below a directory seen before. Rules covering a refused call, or a call stopped by the shipped policy, are dropped.
"""

from collections import Counter

from hookkit.agents.transcripts.past_calls import PastCall
from hookkit.errors import HookkitError, ShellError, Spoiled
from hookkit.play.past import from_row, ledger_rows, shown
from hookkit.play.rows import incidents, input_of
from hookkit.policy.call import HARMLESS, Call
from hookkit.policy.judge import decide
from hookkit.policy.pattern import parse
from hookkit.policy.rules import compile_rules
from hookkit.programs import effects
from hookkit.programs.catalogue import SHIPPED
from hookkit.programs.options import matches_words
from hookkit.programs.options import parse as parse_words
from hookkit.programs.sending import host_of
from hookkit.shell.state import UNKNOWN
from hookkit.system import files, jsons
from hookkit.verdicts.approve import readers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hookkit.policy.rules import Policy
    from hookkit.shell.commands import Command

LEAST = 3  # approvals of a rule
DISTINCT = 3  # values of an operand, enough for a pattern
EXAMPLES = 3
SPECIAL = "*()|\\'\"\n"  # characters with a meaning in a pattern
LONGEST = 200  # characters of a rule
PERSON = "person"
MASKED = "[masked]"  # a call with a masked part is not known whole
ENDS = ("PostToolUse", "PostToolUseFailure")


class Dialog:
    """A question to the person about a call."""

    __slots__ = ("call", "is_yes")

    def __init__(self, call: PastCall, *, is_yes: bool) -> None:
        self.call = call
        self.is_yes = is_yes


def read(environ: dict[str, str], since: int = 0) -> list[Dialog]:
    return paired(ledger_rows(environ, since))


def paired(rows: "Iterable[dict[str, Any]]") -> list[Dialog]:
    """An executed call had its dialog answered yes; a call without an outcome was refused, if a person was there.

    The row of a dialog may come after the call's outcome: the client takes the answer while the hook still runs.
    """
    requests: dict[str, dict[str, Any]] = {}
    latest: dict[tuple[str, str], str] = {}  # call of a session and its input
    shown: set[tuple[str, str]] = set()
    asked: set[str] = set()
    ends: dict[str, dict[str, Any]] = {}
    for row in rows:
        event, call = row.get("event"), str(row.get("call") or "")
        same = (str(row.get("session")), str(row.get("same") or ""))
        if event == "PreToolUse" and call:
            requests[call] = row
            latest[same] = call
        elif event == "PermissionRequest" and not row.get("unattended"):
            shown.add(same)
            if same in latest and row.get("verdict") != "allow":
                asked.add(latest[same])
        elif event in ENDS and call:
            ends[call] = row
    dialogs = []
    for id_, row in requests.items():
        end = ends.get(id_)
        approved = str(end.get("approved") or "") if end is not None else ""
        is_yes = approved == PERSON or (id_ in asked and approved.startswith("mode "))
        was_shown = (str(row.get("session")), str(row.get("same") or "")) in shown
        past = from_row(row)
        if past is not None and (is_yes or (was_shown and end is None)) and MASKED not in jsons.dumps(past.input):
            dialogs.append(Dialog(past, is_yes=is_yes))
    return dialogs


class Suggestion:
    """An allow rule, the number of saved prompts, and examples of them."""

    __slots__ = ("examples", "match", "saved")

    def __init__(self, match: str) -> None:
        self.match = match
        self.saved = 0
        self.examples: list[str] = []

    def as_dict(self) -> "dict[str, Any]":
        return {"match": self.match, "saved": self.saved, "examples": self.examples}


class Mine:
    """All dialogs of a history. `suggestions` are the rules, the most useful first."""

    def __init__(self, dialogs: list[Dialog], environ: dict[str, str], least: int = LEAST) -> None:
        self.home = files.home(environ)
        self.least = least
        self.base = compile_rules({}, is_watched=False)
        self.yes: list[tuple[Dialog, Call]] = []
        self.no: list[Call] = []
        for dialog in dialogs:
            call = self._call(dialog)
            stopped = decide(self.base, call, "").verdict in ("ask", "deny")
            if stopped or not dialog.is_yes:
                self.no.append(call)
            else:
                self.yes.append((dialog, call))
        self.prompts = len(self.yes)

    def _call(self, dialog: Dialog) -> Call:
        past = dialog.call
        return Call(past.tool, past.input, cwd=past.cwd, project=files.repository(past.cwd), home=self.home)

    def suggestions(self) -> list[Suggestion]:
        counts: Counter[str] = Counter()
        shapes: dict[str, Command] = {}
        for _, call in self.yes:
            for match, command in _exact(call):
                counts[match] += 1
                if command is not None:
                    shapes[match] = command
        wide = _widened(counts, shapes)
        known = {match for matches in wide.values() for match in matches}
        candidates = [*wide, *(match for match in counts if match not in known)]
        return self._kept([match for match in candidates if self._is_safe(match)])

    def _is_safe(self, match: str) -> bool:
        pattern = parse(match)
        for call in self.no:
            if call.shell is None and decide(self._policy([match]), call, "").verdict == "allow":
                return False
            if call.shell is not None and pattern.stages and any(
                matches_words(pattern.stages[0], call.parsed(command), wide=True) for command in call.commands
            ):  # fmt: skip
                return False
        return True

    def _kept(self, matches: list[str]) -> list[Suggestion]:
        """Rules saving enough prompts together; dropping a rule may make another rule useless, so this repeats."""
        while True:
            suggestions = self._saved(matches)
            useful = [one.match for one in suggestions if one.saved >= self.least]
            if len(useful) == len(matches):
                return sorted(suggestions, key=lambda one: (-one.saved, one.match))
            matches = useful

    def _saved(self, matches: list[str]) -> list[Suggestion]:
        """Each rule with the prompts saved by the rules and needing this rule."""
        policy = self._policy(matches)
        suggestions = {match: Suggestion(match) for match in matches}
        for dialog, call in self.yes:
            verdict = decide(policy, call, "")
            if verdict.verdict != "allow":
                continue
            used = {rule["match"] for rule, result in verdict.trace if rule["type"] == "allow" and result.yes}
            for match in used & suggestions.keys():
                one = suggestions[match]
                one.saved += 1
                text = shown(dialog.call)
                if len(one.examples) < EXAMPLES and text not in one.examples:
                    one.examples.append(text)
        return [*suggestions.values()]

    def _policy(self, matches: list[str]) -> "Policy":
        return compile_rules({"rules": [{"type": "allow", "match": match} for match in matches]}, is_watched=False)

    def covered(self, matches: list[str]) -> int:
        """How many approved prompts of this history the rules would have saved."""
        policy = self._policy(matches)
        return sum(decide(policy, call, "").verdict == "allow" for _, call in self.yes)

    def released(self, matches: list[str]) -> list[Call]:
        """Refused or stopped calls allowed by the rules: always none."""
        policy = self._policy(matches)
        return [call for call in self.no if decide(policy, call, "").verdict == "allow"]


def _exact(call: Call) -> "list[tuple[str, Command | None]]":
    """A rule for each command of the call, with exactly its words; none where a part is not known."""
    if call.tool == "WebFetch":
        host = host_of(call.subject).lower()
        return [(f"WebFetch(domain:{host})", None)] if host and not set(host) & set(SPECIAL) else []
    if call.shell is None or call.tool != "Bash" or call.doubt()[1]:
        return []
    needed = [command for command in call.commands if not command.transparent]
    exact = [(match, command) for command in needed if (match := _words(command))]
    return [*exact] if len(exact) == len(needed) else []


def _words(command: "Command") -> str:
    """`Bash(npm run build)`; empty for a command that runs others, writes a file, or has an odd word."""
    writes = any(operator != "<" and path not in HARMLESS for operator, path in command.files)
    is_odd = any(not word or UNKNOWN in word or set(word) & set(SPECIAL) or " " in word for word in command.words)
    if command.followed or command.code or command.defined or writes or is_odd or "/" in command.words[0]:
        return ""
    text = f"Bash({' '.join(command.words)})"
    return text if len(text) <= LONGEST and _says(text, command) else ""


def _says(text: str, command: "Command") -> bool:
    """Whether the pattern means this command and no other options."""
    try:
        stages = parse(text).stages
    except HookkitError:
        return False
    return len(stages) == 1 and not stages[0].open and matches_words(stages[0], parse_words(command.words), wide=False)


def _widened(counts: "Counter[str]", shapes: "dict[str, Command]") -> dict[str, list[str]]:
    """Patterns for commands differing in a single path below the same directory, each with the replaced rules."""
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for match in counts:
        command = shapes.get(match)
        if command is None:
            continue
        paths = [path for path in _read_files(command.words) if "/" in path and ".." not in path.split("/")]
        for at, word in enumerate(command.words):
            top = word.partition("/")[0]
            if at and word in paths and top.strip(".") and top[0] not in "-~.":
                rest = (*command.words[:at], f"{top}/*", *command.words[at + 1 :])
                groups.setdefault(rest, []).append((match, word))
    by_pattern: dict[str, list[str]] = {}
    for words, members in groups.items():
        if len({word for _, word in members}) >= DISTINCT:
            by_pattern[f"Bash({' '.join(words)})"] = [match for match, _ in members]
    return by_pattern


def _read_files(words: list[str]) -> list[str]:
    """The operands that are files to read or to test, if the command does no more: another path is another file."""
    parsed = parse_words(words)
    record = parsed.record
    if not (record.has("harmless") or record.has("task")):
        return []
    try:
        readers.known(words[0], words, parsed) if record.has("task") else readers.read(words, SHIPPED)
    except Spoiled:
        return []
    assigned = effects.assigned(effects.roles_of(record, parsed), parsed.operands[len(parsed.records) :])
    return [path for role, path in assigned if role in (*readers.SHOWN, "names")]


# -- incidents -------------------------------------------------------------------------------------------------------

PLACE, HOME = "/home/person/project", "/home/person"  # of no meaning: incidents name files of their own


def kinds() -> dict[str, str]:
    """Each shipped rule that stops an incident, with the incident's kind: `git.discard-changes` is git."""
    policy = compile_rules({})
    names: dict[str, str] = {}
    for row in incidents():
        call = Call(row["tool"], input_of(row["tool"], row["args"]), cwd=PLACE, project=PLACE, home=HOME)
        try:
            rule = decide(policy, call, "").rule
        except ShellError:  # a row of another version that this one cannot read
            continue
        if rule is not None and rule.get("name"):
            names.setdefault(rule["name"], row.get("class", ""))
    return names
