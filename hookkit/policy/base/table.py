"""Helpers to write the tables of shipped rules: a name, a verdict and a reason for a list of patterns."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Rule

    Rows = list[Rule]

# With these options a program only explains or pretends.
PRETENDS = ("Bash(* --help *)", "Bash(* --dry-run *)")
# Programs with `-h` as a help option of every sub-command.
_CLI = (
    "kubectl oc helm gh glab doctl hcloud fly flyctl argocd flux velero pulumi eksctl op supabase stripe circleci az"
    " npm pnpm yarn cargo poetry uv brew"
)


def rules(
    name: str, verdict: str, reason: str, patterns: str, *, instead: str = "", unless: str = "", runs: bool = False
) -> "Rows":
    """A row for each line of `patterns`.

    `--help` and `--dry-run` spare a command. Not so with `runs`: the program hands its options on to another program,
    or acts on its words from left to right.
    """
    rows: Rows = []
    for match in _lines(patterns):
        spared = [*_lines(unless), *(PRETENDS if match.startswith("Bash(") and not runs else ())]
        row: Rule = {"name": name, "type": verdict, "match": match, "reason": reason}
        if instead:
            row["instead"] = instead
        if spared:
            row["unless"] = spared
        rows.append(row)
    return rows


def each(form: str, words: str) -> str:
    """The form repeated for each word, with the word in place of `{}`."""
    return "".join(f"{form}\n".replace("{}", word) for word in words.split())


HELP = each("Bash({} * -h *)", _CLI)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
