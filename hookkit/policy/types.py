"""The shapes of a rule and of a compiled policy. For type checkers alone: at run time both are plain dicts."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypedDict

    from hookkit.policy.index import Index
    from hookkit.policy.rules import Rules

    class _Typed(TypedDict):
        type: str  # deny, ask, allow, modify, command, …: TYPES in `rules`

    # The functional form, because `with` is a keyword. Every field but the type may be absent.
    _Fields = TypedDict(
        "_Fields",
        {
            "name": str,  # of a shipped rule: git.force-push
            "match": str,  # the pattern, as in docs/grammar.md
            "reason": str,
            "instead": str,  # a command to run instead
            "unless": list[str],  # patterns of commands that the rule spares
            "actors": list[str],
            "source": str,  # the file, layer or list of the rule
            "field": str,  # modify: the field of the input
            "replace": str,
            "regex": str,
            "with": str,
            "run": str,  # command: the program
            "timeout": int,
            "config": dict[str, Any],
        },
        total=False,
    )

    class Rule(_Typed, _Fields):
        """One rule of a settings file, of an actor's list, or of the shipped policy."""

    class Policy(TypedDict):
        """All rules of all layers, ready for `decide`."""

        rules: list[Rule] | Rules
        index: Index
        extra: dict[str, list[list[int]]]  # numbers of the rules of each type without a verdict, row by row
        due: list[str]  # `type:event` of these rules
        watch: dict[str, Any] | None  # programs for `quick`; None if a rule is about every command
        unattended: bool
        default: str
        actor: str
        programs: dict[str, dict[str, str]]  # the person's own records
        tools: list[dict[str, Any]]  # the effects of the person's own tools
