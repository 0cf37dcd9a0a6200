"""KEYS: one row for each setting. The defaults, the checks (`mistakes`) and docs/settings.md come from these rows."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookkit.settings.documents.kinds import Fields, KindName


class Key:
    """`trust` marks a setting that can loosen, rewrite or run something: a project's file needs trust to set it.

    `tighten` keeps the strict part of a value: the strict part applies before trust. `strictest` picks one of two
    values: an untrusted file never replaces a stricter value of the person's. `own` marks a setting that only the
    person's own or the managed file can loosen: a project's file never can, trusted or not.
    `run_default` is the default in `hookkit run`, where it differs from the default of the hook called alone.
    """

    __slots__ = (
        "_fields", "about", "default", "kind", "name", "options", "own", "run_default", "strictest", "tighten", "trust",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - a table's row is as wide as the table
        self,
        name: str,
        kind: "KindName",
        default: "Any",
        about: str,
        *,
        trust: bool = False,
        own: bool = False,
        options: tuple[str, ...] = (),
        fields: "Fields | Callable[[], Fields] | None" = None,
        tighten: "Callable[[Any], Any] | None" = None,
        strictest: "Callable[[Any, Any], Any] | None" = None,
        run_default: "Any" = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.about = about
        self.trust = trust
        self.own = own
        self.options = options
        self._fields = fields or {}
        self.tighten = tighten
        self.strictest = strictest
        self.run_default = default if run_default is None else run_default

    @property
    def fields(self) -> "Fields":
        """The fields of a row."""
        return self._fields if isinstance(self._fields, dict) else self._fields()


STRICT = ("deny", "ask")  # verdicts that can only make things stricter
HOLDING = (*STRICT, "approval_gate")  # types of rules that can only hold a call or a stop back
UNEXPLAINED = "The project's approval gate gives no reason"
OWN_ONLY = "only your own or the managed settings can switch shipped rules off"
OWN_SETTING = "only your own or the managed settings can set this"
LONGEST_REASON = 200  # characters that the model sees of the reason in an untrusted rule
LONGEST_NAME, MOST_APPROVERS = 60, 10  # of untrusted rules and approval gates: the model and the person see these names
UNNAMED = "untrusted"  # a rule whose name is a message

# Fields of rows; a leading "*" marks a required field.
TOOLCHAIN: "Fields" = {
    "*name": "text", "*marker": "text", "test": "text", "build": "text", "lint": "text", "e2e": "text",
    "smoke": "text",
}  # fmt: skip
DETECTOR: "Fields" = {"*command": "text", "*action": "text"}
RULE: "Fields" = {
    "*type": "text", "name": "text", "match": "patterns", "reason": "text", "instead": "text", "unless": "texts",
    "actors": "texts",
    "field": "text", "replace": "text", "regex": "text", "with": "any text", "run": "text", "timeout": "count",
    "config": "json",
}  # fmt: skip
ARTEFACT: "Fields" = {"*agent": "text", "*files": "texts", "message": "text"}
APPROVAL: "Fields" = {
    "*program": "text", "command": "text", "options": "text", "valued": "text", "operands": "text", "names": "flag",
}  # fmt: skip
HANDLER: "Fields" = {
    "*event": "text", "matcher": "any text", "tool_matcher": "any text", "if": "text", "name": "text",
    "timeout_sec": "seconds", "once": "flag", "async": "flag", "mode": "text", "on_failure": "text", "scope": "text",
    "batch": "flag", "session": "text", "project": "text", "plugin": "text", "status_message": "text",
    "shell": "json", "command": "json", "webhook": "json", "prompt": "json", "agent": "json",
    "inline": "json",
}  # fmt: skip
SKILL: "Fields" = {
    "*name": "text", "phases": "texts", "preload": "texts", "template": "text", "context": "text", "config": "json",
}  # fmt: skip
TOOL: "Fields" = {
    "*name": "text", "runs": "texts", "reads": "texts", "writes": "texts", "deletes": "texts", "sends": "texts",
    "ignores": "texts",
}  # fmt: skip
WRAPPER: "Fields" = {"*name": "text", "valued": "text", "operands": "count", "joins": "flag"}


def _program() -> "Fields":
    from hookkit.programs import catalogue  # late: most readers of a default need no fields

    return {
        "*name": "text",
        **dict.fromkeys(sorted(catalogue.TEXTS - {"wraps", "also", "like"}), "text"),
        **dict.fromkeys(sorted(catalogue.SWITCHES), "flag"),
        **dict.fromkeys(catalogue.VERBS, "effect"),
        "wraps": "count",
    }


def _strict_rules(rows: "list[dict[str, Any]]") -> "list[dict[str, Any]]":
    """Rules that hold back, with a reason in one line, without advice.

    No regular expressions, as these may never end.
    """
    strict = [{name: _strict_field(name, value) for name, value in row.items() if name != "instead"}
              for row in rows if row["type"] in HOLDING]  # fmt: skip
    for row in strict:
        if row["type"] not in STRICT:
            row.setdefault("reason", UNEXPLAINED)  # else the text of its condition would speak to the model
    return [row for row in strict if row.get("match") not in ([], "")]


def _strict_field(name: str, value: "Any") -> "Any":
    if name == "config" and isinstance(value, dict):
        config = {key: item for key, item in value.items() if key != "remote"}  # asking elsewhere needs trust
        return {**config, "approvers": _names(config["approvers"])} if "approvers" in config else config
    if name in ("match", "unless"):
        return _without_regex(value) if isinstance(value, list) else "".join(_without_regex([value]))
    if name == "name":
        return "".join(_names([value])) or UNNAMED
    return _quiet(name, value)


def _names(texts: list[str]) -> list[str]:
    """The texts that look like names of approvers or a rule, not like a message to the model."""
    return [text for text in texts if len(text) <= LONGEST_NAME and _is_name(text)][:MOST_APPROVERS]


def _is_name(text: str) -> bool:
    return all(char.isalnum() or char in "._:@+/-" for char in text)


def _without_regex(patterns: list[str]) -> list[str]:
    return [pattern for pattern in patterns if not pattern.lstrip().startswith("^")]


def _quiet(name: str, value: "Any") -> "Any":
    return " ".join(value.split())[:LONGEST_REASON] if name == "reason" else value


def _strict_lists(actors: "dict[str, Any]") -> "dict[str, Any]":
    stricter: dict[str, Any] = {}
    for actor, lists in actors.items():
        strict = {name: _without_regex(lists[name]) for name in STRICT if name in lists}
        reason = {"reason": _quiet("reason", lists["reason"])} if "reason" in lists else {}
        stricter[actor] = {**strict, **reason}
    return stricter


def _only(*strict: "Any") -> "Callable[[Any], Any]":
    """Only these values apply before trust."""
    return lambda value: value if value in strict else None


def _stricter_verdict(value: str, weaker: str) -> str:
    return next((verdict for verdict in STRICT if verdict in (value, weaker)), value)


def _only_limit(value: float) -> float | None:
    return value or None


def _lower_limit(value: float, weaker: float) -> float:
    """0 is no limit."""
    return min(value, weaker) if weaker else value


def _without(field: str) -> "Callable[[Any], Any]":
    """An untrusted file may not set this field of a row."""
    return lambda rows: [{name: value for name, value in row.items() if name != field} for row in rows]


def _only_effects(rows: "list[dict[str, Any]]") -> "list[dict[str, Any]]":
    """An untrusted file may say that a program destroys or publishes something, and nothing that calms a rule."""
    from hookkit.programs.catalogue import VERBS

    return [{name: value for name, value in row.items() if name == "name" or name in VERBS} for row in rows]


HEARTBEAT = (
    "{count} tool calls without a log entry. Write one, then go on: hookkit effort log 'what was done, what comes next'"
)
# Parts of `sessions`, by the older settings that switched each on.
PARTS = {
    "sessions.context": "prompts",
    "sessions.dehydration": "notes",
    "sessions.preload": "files",
    "sessions.injections": "messages",
    "sessions.dialogues": "questions",
    "sessions.directives": "documents",
    "sessions.guards": "rules",
    "sessions.subagents": "subagents",
    "sessions.agents": "status",
    "sessions.artefacts": "log",
}
KEYS = (
    Key("redirect.enabled", "flag", True, "rewrite commands to the project's own toolchain", trust=True,
        tighten=_only(False)),
    Key("redirect.arguments", "text", "auto", "how to treat arguments that the new command does not take",
        trust=True, options=("auto", "drop", "pass-through")),
    Key("redirect.allow", "approval", "always", "approve a line that consists only of the project's own command: "
        "always, never, or only if the files that define it are trusted", trust=True, tighten=_only("never", False),
        run_default="trusted"),
    Key("redirect.tell", "flag", False, "tell the person and the model about each rewrite", trust=True,
        tighten=_only(True), run_default=True),
    Key("redirect.detectors", "rows", (), "more commands that mean an action", trust=True, fields=DETECTOR),
    Key("toolchains", "rows", (), "your own toolchains, tried before the built-in ones", trust=True, fields=TOOLCHAIN),
    Key("policy.base", "flag", True, "use the shipped policy", trust=True, own=True, tighten=_only(True)),
    Key("policy.off", "texts", (), "names of shipped rules to switch off, from `hookkit policy base`", trust=True,
        own=True),
    Key("policy.actor", "text", "", "the agent's name, if neither the command line nor the event gives one",
        trust=True),
    Key("policy.unattended", "flag", False, "no person can answer: deny every command that hookkit cannot analyse",
        trust=True, tighten=_only(True)),
    Key("policy.default", "text", "none", "the verdict on calls without a matching rule", trust=True,
        options=("none", "ask", "deny"), tighten=_only(*STRICT), strictest=_stricter_verdict),
    Key("policy.approve", "text", "none", "approve calls without a question: none, reads (the call only reads), or "
        "work (also writes in the project that git can bring back, and the project's own trusted commands)", trust=True,
        options=("none", "reads", "work"), tighten=_only("none")),
    Key("approvals", "rows", (), "your own programs that only read: write [[programs]] with harmless", trust=True,
        fields=APPROVAL),
    Key("taint.mode", "text", "ask", "once a session has read a secret: ask about, deny or ignore (off) calls that "
        "send data out of the machine", trust=True, options=("off", "ask", "deny"), tighten=_only(*STRICT),
        strictest=_stricter_verdict),
    Key("shield.enabled", "flag", False, "mask secrets in the output of tools before the model sees them", trust=True,
        tighten=_only(True)),
    Key("undo.enabled", "flag", True, "before a call deletes or overwrites files, keep them for hookkit undo",
        trust=True),
    Key("undo.megabytes", "count", 50, "largest size of a snapshot", trust=True),
    Key("budget.tokens", "count", 0, "stop a session at this many tokens, sub-agents included; 0 is no limit",
        trust=True, tighten=_only_limit, strictest=_lower_limit),
    Key("budget.dollars", "amount", 0, "stop a session at this cost in US dollars; 0 is no limit", trust=True,
        tighten=_only_limit, strictest=_lower_limit),
    Key("budget.warn", "count", 80, "tell the person once at this percentage of a limit", trust=True),
    Key("budget.failures", "count", 0, "tell the agent when the same command fails so often in a row; 0 is off",
        trust=True),
    Key("rules", "rows", (), "rules that deny, ask, allow or change calls", trust=True, fields=RULE,
        tighten=_strict_rules),
    Key("actors", "lists", {}, "lists of allow, ask and deny patterns for each actor, with a reason", trust=True,
        tighten=_strict_lists),
    Key("programs", "rows", (), "what your own programs do: options, files, other programs, effects", trust=True,
        fields=_program, tighten=_only_effects),
    Key("wrappers", "rows", (), "your own programs that run another program: write [[programs]] with wraps",
        trust=True, fields=WRAPPER),
    Key("tools", "rows", (), "fields of your own tools that run, read, write, delete or send something", trust=True,
        fields=TOOL, tighten=_without("ignores")),  # which take effects away
    Key("guard.schemas", "flag", True, "check the input of a tool call against the tool's schema", trust=True,
        tighten=_only(True)),
    Key("schemas", "schemas", {}, "JSON Schemas of tool inputs, added to the shipped schemas", trust=True,
        tighten=lambda tools: tools),  # they can only refuse; the reader has left regular expressions out
    Key("hooks", "rows", (), "your own handlers of events: commands, webhooks, prompts, agents, functions", trust=True,
        fields=HANDLER),
    Key("disable_all_hooks", "flag", False, "run no handlers and no status line; in the managed file also no handlers "
        "of the managed file", trust=True),
    Key("allow_managed_hooks_only", "flag", False, "run only handlers of the managed file", trust=True),
    Key("rewrites", "text", "any", "who may rewrite the input of a call: any handler, or only handlers of the managed "
        "file", trust=True, options=("any", "policy")),
    Key("statusline.command", "text", "", "a command of yours that prints the status line instead of hookkit",
        trust=True),
    Key("suggest_files.command", "text", "", "a command of yours that prints the files offered after @", trust=True),
    Key("claude_hooks", "text", "auto", "run the hooks of Claude Code's settings, plugins and skills: for agents that "
        "do not know them (auto), always, or never", trust=True, options=("auto", "always", "never")),
    Key("llm.provider", "text", "claude", "who answers prompt and agent handlers: claude -p, the Anthropic Messages "
        "API, or an OpenAI-compatible server", trust=True, options=("claude", "anthropic", "openai")),
    Key("llm.model", "text", "", "the model of prompt and agent handlers without a model of their own", trust=True),
    Key("llm.base_url", "text", "", "the address of the provider's server, such as http://127.0.0.1:11434/v1",
        trust=True),
    Key("llm.key_env", "text", "", "the environment variable that holds the provider's key", trust=True),
    Key("llm.command", "text", "claude", "the program of the provider claude", trust=True),
    Key("llm.history", "count", 8000, "characters of the recent conversation that a prompt handler gets, 0 for none; "
        "secrets are masked", trust=True),
    Key("hint.enabled", "flag", True, "after a failure, point to the next step"),
    Key("gate.commit", "flag", False, "tell the agent once about uncommitted files", trust=True, tighten=_only(True)),
    Key("gate.checks", "texts", (), "commands that must pass before the agent stops", trust=True),
    Key("gate.check_seconds", "count", 60, "seconds for each check", trust=True),
    Key("gate.promise", "text", "", "a command: the agent goes on until the command passes", trust=True),
    Key("gate.promise_budget", "count", 20, "largest number of rounds, over all sessions", trust=True),
    Key("gate.blocks", "count", 8, "how often in a row the gates hold the agent back, at most 8", trust=True),
    Key("gate.artefacts", "rows", (), "files that a sub-agent must write", trust=True, fields=ARTEFACT,
        tighten=_without("message")),  # which would speak to the sub-agent
    Key("nudge.targets", "text", "all", "point prompts to every agent and command, to those whose file is under "
        ".claude/agents, commands or skills (existing), or to none (off)", options=("off", "existing", "all"),
        run_default="existing"),
    Key("nudge.keywords", "targets", {}, 'more keywords, tried before the built-in ones: word = "/command"'),
    Key("nudge.builtin", "flag", True, "use the built-in keywords"),
    Key("nudge.fuzzy", "flag", True, "forgive typing mistakes"),
    Key("nudge.skills", "flag", True, "give the model the skill under .claude/skills that fits a prompt"),
    Key("nudge.skill_characters", "count", 4000, "largest number of characters of a skill"),
    Key("local.enabled", "flag", True, "inject LOCAL.md and the rules"),
    Key("local.file", "text", "LOCAL.md", "the file to inject, searched upward to the repository's root"),
    Key("local.rules", "texts", (), "rules injected after the file, one on each line", trust=True),
    Key("local.triggers", "texts", ("continue", "recap"), "words in a prompt that inject the file again",
        run_default=("recap",)),
    Key("local.summary", "flag", True, "give the file to the summariser of a compaction too; the client also prints it "
        "on the screen", run_default=False),
    Key("learn.enabled", "flag", True, "write a report when a session ends or is compacted"),
    Key("restore.enabled", "flag", True, "carry the state of the work over a compaction"),
    Key("ledger.enabled", "flag", True, "write down every event as a row of the ledger", trust=True),
    Key("ledger.content", "flag", True, "keep the changes of each tool call to files, as diffs", trust=True),
    Key("ledger.output", "count", 2_000, "how many characters of a tool's stdout and stderr to keep", trust=True),
    Key("ledger.sync", "flag", True, "wait for the disk once a second, so that rows survive a power cut", trust=True),
    Key("ledger.days", "count", 30, "delete rows older than this; 0 keeps all rows", trust=True),
    Key("ledger.megabytes", "count", 200, "delete the oldest rows above this size; 0 means no limit", trust=True),
    Key("fleet.to", "text", "", "another address of the hub than the one that this machine joined, or an "
        "OpenTelemetry receiver: otlp+https://…", trust=True, own=True),
    Key("fleet.send", "text", "calls", "what leaves the machine: verdicts, calls (also masked command, path, reason) "
        "or all (also prompts, outputs, diffs)", trust=True, own=True, options=("verdicts", "calls", "all")),
    Key("fleet.projects", "texts", ("*",), "git remotes whose sessions are sent, such as example.com/team/*",
        trust=True, own=True),
    Key("fleet.policy", "text", "", "where the signed policy is: an https, git or file address; {team} is filled in",
        trust=True, own=True),
    Key("fleet.signers", "text", "", "the file of allowed signers of the policy, as ssh-keygen reads it", trust=True,
        own=True),
    Key("sessions.parts", "choices", (), "what to keep of the work beyond one conversation: track (sessions, efforts "
        "and tasks), or more of it; all means every part", trust=True, options=("track", *PARTS.values(), "all")),
    Key("sessions.directive_files", "texts", ("AGENTS.md", "DIRECTIVES.md"), "names of directive files", trust=True),
    Key("skills", "rows", (), "phases, files, log template and config of the efforts of a skill", trust=True,
        fields=SKILL),
    Key("sessions.commands", "texts", (), "slash commands that begin an effort", trust=True),
    Key("heartbeat.enabled", "flag", False, "hold the work until a log entry is written", trust=True),
    Key("heartbeat.limit", "count", 10, "tool calls until a log entry is due", trust=True),
    Key("heartbeat.message", "text", HEARTBEAT, "the message to the agent", trust=True),
    Key("overflow.enabled", "flag", False, "have the work written down before the context is full", trust=True),
    Key("overflow.percent", "count", 90, "percent of the context that counts as full", trust=True),
    Key("overflow.window", "count", 0, "tokens in the context; 0 means the size that the client tells its status line",
        trust=True),
    Key("restore.prompts", "count", 5, "how many of the last prompts to carry over"),
)  # fmt: skip
BY_NAME = {key.name: key for key in KEYS}
# Older settings, true or false: each stands for a value of a newer one, or for a word more in a list of choices.
OLDER: "dict[str, tuple[str, dict[bool, str]]]" = {
    "nudge.only_existing": ("nudge.targets", {True: "existing", False: "all"}),
    "nudge.enabled": ("nudge.targets", {False: "off"}),
    "sessions.enabled": ("sessions.parts", {True: "track"}),
    **{name: ("sessions.parts", {True: part}) for name, part in PARTS.items()},
}
