"""KEYS: one row a setting. From these rows come the defaults, the checks (`mistakes`) and the documentation."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# What a value may be. Rows of a table name their own fields.
TEXT, FLAG, COUNT, WORDS, ROWS = "text", "true or false", "a whole number from 0", "a list of texts", "rows"
TABLE = 'words, each with a "/command" or an "@agent"'
ANYTHING = "text, numbers, true or false, lists and tables"
LISTS = "tables of allow, ask and deny lists"
SCHEMAS = "tools, each with a table or the name of a JSON file"
APPROVAL = '"always", "trusted" or "never"'  # true and false, the older spelling, mean always and never


class Key:
    """`trust` says that the setting can loosen, rewrite or run something: a project's own file may set it once trusted.

    `tighten` is what holds of it before that: the part that can only make things stricter. `run_default` is the default
    in `hookkit run`, where it differs from the default of the hook called alone.
    """

    __slots__ = ("default", "fields", "help", "kind", "name", "options", "run_default", "tighten", "trust")

    def __init__(  # noqa: PLR0913 - a table's row is as wide as the table
        self,
        name: str,
        kind: str,
        default: "Any",
        about: str,
        *,
        trust: bool = False,
        options: tuple[str, ...] = (),
        fields: "dict[str, str] | None" = None,
        tighten: "Callable[[Any], Any] | None" = None,
        run_default: "Any" = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.help = about
        self.trust = trust
        self.options = options
        self.fields = fields or {}
        self.tighten = tighten
        self.run_default = default if run_default is None else run_default


LONGEST_REASON = 200  # characters of what a stranger's rule may say to the model

# Fields of rows; a leading "*" marks one that must be there.
TOOLCHAIN = {
    "*name": TEXT, "*marker": TEXT, "test": TEXT, "build": TEXT, "lint": TEXT, "e2e": TEXT, "smoke": TEXT,
}  # fmt: skip
DETECTOR = {"*command": TEXT, "*action": TEXT}
RULE = {
    "*type": TEXT, "name": TEXT, "match": TEXT, "reason": TEXT, "instead": TEXT, "unless": WORDS, "actors": WORDS,
    "field": TEXT, "replace": TEXT, "regex": TEXT, "with": "any text", "run": TEXT, "timeout": COUNT,
    "config": ANYTHING,
}  # fmt: skip
ARTEFACT = {"*agent": TEXT, "*files": WORDS, "message": TEXT}
WRAPPER = {"*name": TEXT, "valued": TEXT, "operands": COUNT, "joins": FLAG}


def _strict_rules(rows: "list[dict[str, Any]]") -> "list[dict[str, Any]]":
    """What tightens, with a reason in one line and no advice, and without a pattern that may never end."""
    kept = [row for row in rows if row["type"] in ("deny", "ask") and not row.get("match", "").startswith("^")]
    return [{name: _quiet(name, value) for name, value in row.items() if name != "instead"} for row in kept]


def _quiet(name: str, value: "Any") -> "Any":
    return " ".join(value.split())[:LONGEST_REASON] if name == "reason" else value


def _strict_lists(actors: "dict[str, Any]") -> "dict[str, Any]":
    return {
        actor: {
            name: [match for match in lists[name] if not match.startswith("^")]
            for name in ("deny", "ask")
            if name in lists
        }
        for actor, lists in actors.items()
    }


def _only_false(value: bool) -> bool | None:  # noqa: FBT001 - a setting's value
    return None if value else False


def _only_never(value: "Any") -> "Any":
    return value if value in ("never", False) else None


def _only_true(value: bool) -> bool | None:  # noqa: FBT001 - a setting's value
    return value or None


def _without_messages(rows: "list[dict[str, Any]]") -> "list[dict[str, Any]]":
    """A stranger's file may name what a sub-agent must leave behind; it may not speak to it."""
    return [{name: value for name, value in row.items() if name != "message"} for row in rows]


def _tame_schemas(tools: "dict[str, Any]") -> "dict[str, Any]":
    from hookkit.inputs import user_schemas

    return user_schemas.tame(tools)


HEARTBEAT = (
    "{count} tool calls without a log entry. Write one, then go on: hookkit effort log 'what was done, what comes next'"
)
KEYS = (
    Key("redirect.enabled", FLAG, True, "rewrite commands to the project's own toolchain", trust=True,
        tighten=_only_false),
    Key("redirect.arguments", TEXT, "auto", "what happens to arguments that the new command cannot take",
        trust=True, options=("auto", "drop", "pass-through")),
    Key("redirect.allow", APPROVAL, "always", "approve a line that consists only of the project's own command: always, "
        "never, or only if the files that define it are trusted", trust=True, tighten=_only_never,
        run_default="trusted"),
    Key("redirect.tell", FLAG, False, "tell the person and the model about each rewrite", trust=True,
        tighten=_only_true, run_default=True),
    Key("redirect.detectors", ROWS, (), "more commands that stand for an action", trust=True, fields=DETECTOR),
    Key("toolchains", ROWS, (), "your own toolchains, tried before the built-in ones", trust=True, fields=TOOLCHAIN),
    Key("policy.base", FLAG, True, "use the policy that ships", trust=True, tighten=_only_true),
    Key("policy.actor", TEXT, "", "who the agent is, where neither the command line nor the event says", trust=True),
    Key("policy.unattended", FLAG, False, "nobody is there to ask: what cannot be told is denied",
        trust=True, tighten=_only_true),
    Key("policy.default", TEXT, "none", "what no rule is about", trust=True, options=("none", "ask", "deny")),
    Key("rules", ROWS, (), "what is denied, asked, allowed, changed", trust=True, fields=RULE, tighten=_strict_rules),
    Key("actors", LISTS, {}, "the same as lists of patterns, for each actor", trust=True, tighten=_strict_lists),
    Key("wrappers", ROWS, (), "programs of yours that run another", trust=True, fields=WRAPPER),
    Key("guard.schemas", FLAG, True, "check the input of a tool call against the tool's schema", trust=True,
        tighten=_only_true),
    Key("schemas", SCHEMAS, {}, "what the inputs of tools must look like, beyond what ships", trust=True,
        tighten=_tame_schemas),
    Key("hint.enabled", FLAG, True, "after a failure, point to the next step"),
    Key("gate.commit", FLAG, False, "tell the agent once what is not committed", trust=True),
    Key("gate.checks", WORDS, (), "commands that must pass before the agent stops", trust=True),
    Key("gate.check_seconds", COUNT, 60, "how long each may take", trust=True),
    Key("gate.promise", TEXT, "", "a command: the agent goes on until it passes", trust=True),
    Key("gate.promise_budget", COUNT, 20, "for how many rounds at most, over all sessions", trust=True),
    Key("gate.blocks", COUNT, 8, "how often in a row the agent is held back at most; 8 is the most", trust=True),
    Key("gate.artefacts", ROWS, (), "files that a sub-agent must leave behind", trust=True, fields=ARTEFACT,
        tighten=_without_messages),
    Key("nudge.enabled", FLAG, True, "point prompts to agents and commands"),
    Key("nudge.keywords", TABLE, {}, 'more keywords, tried before the built-in ones: word = "/command"'),
    Key("nudge.builtin", FLAG, True, "use the built-in keywords"),
    Key("nudge.fuzzy", FLAG, True, "forgive typing mistakes"),
    Key("nudge.only_existing", FLAG, False, "only nudge to what is under .claude/agents, commands or skills",
        run_default=True),
    Key("nudge.skills", FLAG, True, "give the model the skill under .claude/skills that a prompt is about"),
    Key("nudge.skill_characters", COUNT, 4000, "how much of a skill it is given at most"),
    Key("local.enabled", FLAG, True, "inject LOCAL.md and the rules"),
    Key("local.file", TEXT, "LOCAL.md", "the file to inject, searched upward to the repository's root"),
    Key("local.rules", WORDS, (), "rules that go with it, one a line"),
    Key("local.triggers", WORDS, ("continue", "recap"), "words in a prompt that ask for it again",
        run_default=("recap",)),
    Key("local.summary", FLAG, True, "give it to the summariser of a compaction too; the client also prints it on the "
        "screen", run_default=False),
    Key("learn.enabled", FLAG, True, "write a report when a session ends or is compacted"),
    Key("restore.enabled", FLAG, True, "carry the state of the work over a compaction"),
    Key("ledger.enabled", FLAG, True, "write down every event as a row of the ledger", trust=True),
    Key("ledger.content", FLAG, True, "keep what a tool changed in a file, as a diff", trust=True),
    Key("ledger.output", COUNT, 0, "how many characters of a tool's output to keep", trust=True),
    Key("ledger.days", COUNT, 30, "rows older than this are let go; 0 keeps them", trust=True),
    Key("ledger.megabytes", COUNT, 200, "the oldest rows are let go above this size; 0 has no limit", trust=True),
    Key("sessions.enabled", FLAG, False, "keep track of sessions, efforts and tasks", trust=True),
    Key("sessions.context", FLAG, False, "say with each prompt where the session stands", trust=True),
    Key("sessions.dehydration", FLAG, False, "start a session with what the last one wrote down", trust=True),
    Key("sessions.preload", FLAG, False, "start a session with the effort's files", trust=True),
    Key("sessions.injections", FLAG, False, "tell the agent what was left for its effort", trust=True),
    Key("sessions.dialogues", FLAG, False, "keep the questions to the person, with the answers", trust=True),
    Key("sessions.directives", FLAG, False, "find the documents that hold where the agent works", trust=True),
    Key("sessions.directive_files", WORDS, ("AGENTS.md", "DIRECTIVES.md"), "what they are called", trust=True),
    Key("sessions.guards", FLAG, False, "hold calls against the rules of the effort", trust=True),
    Key("sessions.subagents", FLAG, False, "give sub-agents sessions of their own", trust=True),
    Key("sessions.agents", FLAG, False, "keep each agent's status", trust=True),
    Key("sessions.commands", WORDS, (), "slash commands that begin an effort", trust=True),
    Key("heartbeat.enabled", FLAG, False, "hold the work until a log entry is written", trust=True),
    Key("heartbeat.limit", COUNT, 10, "tool calls after which one is due", trust=True),
    Key("heartbeat.message", TEXT, HEARTBEAT, "what the agent is told then", trust=True),
    Key("overflow.enabled", FLAG, False, "have the work written down before the context is full", trust=True),
    Key("overflow.percent", COUNT, 90, "how full that is", trust=True),
    Key("overflow.window", COUNT, 200_000, "tokens that the context holds", trust=True),
    Key("restore.prompts", COUNT, 5, "how many of the last prompts to carry over"),
)  # fmt: skip
BY_NAME = {key.name: key for key in KEYS}
