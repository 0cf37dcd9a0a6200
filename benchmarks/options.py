"""Judge the option columns of hookkit/programs/*.toml by sources that others keep: completions, manuals, --help.

    python benchmarks/options.py [--cache DIR] [--only NAME ...] [--unlisted] [--all]

Debian packages are downloaded by name (`apt-get download`) and unpacked into the cache, never installed; `--help` is
asked of the programs on PATH. Prints every disagreement that has no reason in judges/reasons.toml, and exits 1 if
there is one, or 2 if there is no source. `--all` prints those with a reason, too.
"""

import argparse
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from judges import ATTACHED, NONE, VALUE, Claims, bash, fish, helps, manuals, packages, zsh

from hookkit.programs import catalogue
from hookkit.programs.catalogue import SHIPPED, Program

CACHE = Path.home() / ".cache" / "hookkit-options"
REASONS = Path(__file__).parent / "judges" / "reasons.toml"
RUNS = ("wraps", "feeds")  # columns of a program that runs the program behind it
OPTIONS = ("value", "attached", "number", "flags", "same")
SWALLOWS = "takes no next word; the record says it does"
MISSES = "takes the next word; the record says it does not"
CLUSTERS = "may have a value attached; the record has it in flags"
UNLISTED = "is in no column of the record"
KINDS = {"swallows": SWALLOWS, "misses": MISSES, "clusters": CLUSTERS, "unlisted": UNLISTED}
# Sub-commands whose --help only prints: never `direnv exec --help`, which may run a program of that name.
ASKED = frozenset(
    """
    docker run; docker exec; kubectl exec; kubectl run; npm exec; uv run; uv tool run; pipx run; pnpm dlx; pnpm exec;
    pip list; pip show; pip freeze; poetry run; conda run; hatch run; pdm run; pipenv run; perf record; perf stat;
    perf trace
    """.strip()
    .replace("\n    ", " ")
    .split("; ")
)
Opinions = dict[str, dict[str, set[str]]]  # option → source → kinds


class Disagreement:
    """One option of a record about which sources say something else."""

    def __init__(self, record: str, option: str, what: str, sources: list[str]) -> None:
        self.record, self.option, self.what, self.sources = record, option, what, sources


class Reasons:
    """Disagreements that stand: rows of `program`, `options`, `why`, and `sources` if only these are wrong.

    `about` in place of `options` covers every option, but these kinds of disagreement alone.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self.rows = tomllib.load(file)["reason"]

    def find(self, row: Disagreement) -> str:
        for reason in self.rows:
            options, kinds = reason.get("options", "").split(), reason.get("about", "").split()
            covers = row.option in options or row.what in [KINDS[kind] for kind in kinds]
            if (
                covers
                and row.record in reason["program"].split(", ")
                and set(row.sources) <= set(reason.get("sources", "").split() or row.sources)
            ):
                return str(reason["why"])
        return ""


def own_kind(record: Program, option: str) -> str:
    """How the record reads an option; "" if no column names it."""
    if option in record.value:
        return VALUE
    if option in record.attached or option in record.number:
        return ATTACHED
    known = {*record.flags, *record.same, *record.words_of("known")}
    is_cluster = option[:2] != "--" and len(option) > 2 and not record.words
    return NONE if option in known or (is_cluster and {f"-{letter}" for letter in option[1:]} <= known) else ""


def conflict(record: Program, option: str, kinds: set[str]) -> str:
    """What a source says against the record; "" if they agree."""
    own = own_kind(record, option)
    if own == VALUE:
        return "" if VALUE in kinds else SWALLOWS
    if own and kinds == {VALUE}:
        return MISSES
    if own == NONE and kinds == {ATTACHED} and option[:2] != "--" and not record.words:
        return CLUSTERS
    return "" if own or not runs_a_program(record) else UNLISTED


def runs_a_program(record: Program) -> bool:
    """Whether the next word may be a program, or a sub-command that runs one: an unknown option would hide it."""
    below = [SHIPPED.below(record, word) for word in record.words_of("below")]
    runs = any(column in record.row for column in RUNS)
    return runs or any(sub is not None and runs_a_program(sub) for sub in below)


def is_harmless(record: Program) -> bool:
    return "harmless" in record.row


def judged_records() -> dict[str, Program]:
    """The records with options or sub-commands, by their first name."""
    records = {name: SHIPPED.get(name) for name in catalogue.names()}
    columns = (*OPTIONS, *RUNS, "below")
    return {
        name: record
        for name, record in records.items()
        if record.name == name and any(column in record.row for column in columns)
    }


def other_names() -> dict[str, list[str]]:
    """Programs that share a record, by the name of the record: docker → nerdctl, podman."""
    others: dict[str, list[str]] = {}
    for name in catalogue.names():
        if SHIPPED.get(name).name != name and " " not in name:
            others.setdefault(SHIPPED.get(name).name, []).append(name)
    return others


OTHERS = other_names()


def spellings(name: str) -> list[str]:
    """The name of a record, and of the same record for other programs: `docker run`, `podman run`."""
    program, blank, sub = name.partition(" ")
    return [name, *(f"{other}{blank}{sub}" for other in OTHERS.get(program, []))]


def gather(directories: list[Path], records: dict[str, Program]) -> dict[str, Claims]:
    """The claims of all sources."""
    every = {name: SHIPPED.get(name) for name in catalogue.names()}
    subs = {name: set(record.words_of("below")) for name, record in every.items() if record.has("below")}
    names = [spelling for name in records for spelling in spellings(name)]
    asked = [name for name, record in records.items() if runs_a_program(record) or is_harmless(record)]
    return {
        "fish": fish.read(packages.texts(directories, "fish"), subs),
        "zsh": zsh.read(packages.texts(directories, "zsh"), subs, {name.partition(" ")[0] for name in names}),
        "bash": bash.read(packages.texts(directories, "bash"), subs),
        "manual": manuals.read(packages.texts(directories, "man"), names),
        "help": helps.read([name for name in asked if " " not in name or name in ASKED]),
    }


def opinions(name: str, sources: dict[str, Claims]) -> Opinions:
    """What the sources say about the options of a record."""
    options: Opinions = {}
    for source, claims in sources.items():
        for spelling in spellings(name):
            for option, kinds in claims.get(spelling, {}).items():
                options.setdefault(option, {}).setdefault(source, set()).update(kinds)
    return options


def compare(record: Program, options: Opinions) -> list[Disagreement]:
    rows = []
    for option, kinds in sorted(options.items()):
        against: dict[str, list[str]] = {}
        for source, known in kinds.items():
            against.setdefault(conflict(record, option, known), []).append(source)
        agreeing = against.pop("", [])
        rows += [
            Disagreement(record.name, option, what, names)
            for what, names in against.items()
            if not is_outvoted(names, agreeing)
        ]
    return rows


def is_outvoted(against: list[str], agreeing: list[str]) -> bool:
    """More sources agree with the record. fish loses a tie: its files often leave out that there is a value."""
    return len(agreeing) > len(against) or (against == ["fish"] and bool(agreeing))


def fetch_all(cache: Path) -> list[Path]:
    """The directories of all packages. Packages that are missing are named by reason, and the others are judged."""
    directories = []
    missing: dict[str, list[str]] = {}
    for name in (*packages.COMPLETIONS, *packages.MANUALS):
        path, problem = packages.fetch(name, cache)
        if problem:
            missing.setdefault(problem, []).append(name)
        else:
            directories.append(path)
    for problem, names in missing.items():
        print(f"left out: {' '.join(names)}: {problem}", file=sys.stderr)
    return directories


def print_sources(records: dict[str, Program], sources: dict[str, Claims]) -> None:
    print("source | programs | options\n--|--:|--:")
    judged = set()
    for source, claims in sources.items():
        names = {name for name in records if any(spelling in claims for spelling in spellings(name))}
        judged |= names
        print(f"{source} | {len(names)} | {sum(len(claims.get(name, {})) for name in names)}")
    print(f"any | {len(judged)} of {len(records)} |\n")


def print_unlisted(record: Program, options: Opinions) -> None:
    """Options that keep hookkit from approving a harmless program: many do more than read, so this is no mistake."""
    names = [option for option in sorted(options) if not own_kind(record, option)]
    if names:
        print(f"{record.name} | {' '.join(names)} | hookkit does not approve it | |")


def judge(records: dict[str, Program], sources: dict[str, Claims], *, every: bool, unlisted: bool) -> int:
    """Print the disagreements; how many have no reason."""
    reasons = Reasons(REASONS)
    total = without = 0
    print("record | option | disagreement | sources | reason\n--|--|--|--|--")
    for name, record in sorted(records.items()):
        options = opinions(name, sources)
        for row in compare(record, options):
            why = reasons.find(row)
            total, without = total + 1, without + (not why)
            if every or not why:
                print(f"{row.record} | {row.option} | {row.what} | {' '.join(row.sources)} | {why}")
        if unlisted and is_harmless(record) and not runs_a_program(record):
            print_unlisted(record, options)
    print(f"\n{total} disagreements, {total - without} with a reason, {without} without")
    return without


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the option columns of the records with other sources.")
    parser.add_argument("--cache", type=Path, default=CACHE, help="directory of unpacked packages")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="some records")
    parser.add_argument("--unlisted", action="store_true", help="print the unlisted options of harmless programs, too")
    parser.add_argument("--all", action="store_true", help="print disagreements that have a reason, too")
    options = parser.parse_args()
    records = {name: record for name, record in judged_records().items() if not options.only or name in options.only}
    if not records:
        parser.error(f"no record with options has the name {' '.join(options.only)}")
    directories = fetch_all(options.cache)
    if not directories:
        print("Nothing to judge by: get the packages above with `apt-get download NAME`.", file=sys.stderr)
        return 2
    sources = gather(directories, records)
    print_sources(records, sources)
    return 1 if judge(records, sources, every=options.all, unlisted=options.unlisted) else 0


if __name__ == "__main__":
    sys.exit(main())
