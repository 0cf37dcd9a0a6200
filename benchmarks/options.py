"""Judge the option columns of hookkit/programs/*.toml by sources that others keep: completions, manuals, --help.

    python benchmarks/options.py [--cache DIR] [--only NAME ...] [--unlisted] [--all]

Debian packages are downloaded by name (`apt-get download`) and unpacked into the cache, never installed. Prints every
disagreement without a reason in judges/reasons.toml, and exits 1 if there is one; `--all` prints those with a reason, too.
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
from hookkit.programs.catalogue import SHIPPED
from hookkit.programs.program import Program

HERE = Path(__file__).parent
CACHE = Path.home() / ".cache" / "hookkit-options"
RUNS = ("wraps", "feeds")  # columns of a program that runs the program behind it
SWALLOWS = "takes no next word; the record says it does"
MISSES = "takes the next word; the record says it does not"
CLUSTERS = "may have a value attached; the record has it in flags"
UNLISTED = "is in no column of the record"
# Sub-commands whose --help only prints: never `direnv exec --help`, which may run a program of that name.
ASKED = """
    docker run,docker exec,kubectl exec,kubectl run,npm exec,uv run,uv tool run,pipx run,pnpm dlx,pnpm exec,pip list,pip show,pip freeze,
    poetry run,conda run,hatch run,pdm run,pipenv run,perf record,perf stat,perf trace
""".strip().replace("\n    ", "").split(",")
OTHERS: dict[str, list[str]] = {}  # other names of a program's record
for _name in catalogue.names():
    if SHIPPED.get(_name).name != _name and " " not in _name:
        OTHERS.setdefault(SHIPPED.get(_name).name, []).append(_name)


class Disagreement:
    """One option of a record about which sources say something else."""

    def __init__(self, record: str, option: str, what: str, sources: list[str]) -> None:
        self.record, self.option, self.what, self.sources = record, option, what, sources


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
    return "" if own or not is_judged_whole(record) else UNLISTED


def is_judged_whole(record: Program) -> bool:
    """Whether the next word may be a program, or a sub-command that runs one: an unknown option would hide it."""
    below = [SHIPPED.below(record, word) for word in record.words_of("below")]
    runs = any(column in record.row for column in RUNS)
    return runs or any(sub is not None and is_judged_whole(sub) for sub in below)


def spellings(name: str) -> list[str]:
    """The name of a record, and of the same record for other programs: `docker run`, `podman run`."""
    program, blank, sub = name.partition(" ")
    return [name, *(f"{other}{blank}{sub}" for other in OTHERS.get(program, []))]


def judged_records() -> dict[str, Program]:
    """The records with options, by their first name."""
    records = {name: SHIPPED.get(name) for name in catalogue.names()}
    columns = ("value", "attached", "number", "flags", "same", "below", *RUNS)
    return {
        name: record
        for name, record in records.items()
        if record.name == name and any(column in record.row for column in columns)
    }


def sub_commands() -> dict[str, set[str]]:
    return {name: set(SHIPPED.get(name).words_of("below")) for name in catalogue.names() if SHIPPED.get(name).has("below")}


def gather(directories: list[Path], records: dict[str, Program]) -> dict[str, Claims]:
    """The claims of all sources."""
    subs = sub_commands()
    asked = [name for name, record in records.items() if is_judged_whole(record) or "harmless" in record.row]
    return {
        "fish": fish.read(packages.texts(directories, "fish"), subs),
        "zsh": zsh.read(packages.texts(directories, "zsh"), subs, {name.partition(" ")[0] for name in records}),
        "bash": bash.read(packages.texts(directories, "bash"), subs),
        "manual": manuals.read(packages.texts(directories, "man"), [word for name in records for word in spellings(name)]),
        "help": helps.read([name for name in asked if " " not in name or name in ASKED]),
    }


def compare(records: dict[str, Program], sources: dict[str, Claims]) -> list[Disagreement]:
    rows = []
    for name, record in sorted(records.items()):
        for option, kinds in sorted(claims_about(name, sources).items()):
            against: dict[str, list[str]] = {}
            for source, known in kinds.items():
                against.setdefault(conflict(record, option, known), []).append(source)
            agreeing = against.pop("", [])
            rows += [
                Disagreement(name, option, what, names)
                for what, names in against.items()
                if not is_outvoted(names, agreeing)
            ]
    return rows


def claims_about(name: str, sources: dict[str, Claims]) -> dict[str, dict[str, set[str]]]:
    """For each option of a record the kinds by source."""
    options: dict[str, dict[str, set[str]]] = {}
    for source, claims in sources.items():
        for spelling in spellings(name):
            for option, kinds in claims.get(spelling, {}).items():
                options.setdefault(option, {}).setdefault(source, set()).update(kinds)
    return options


def is_outvoted(against: list[str], agreeing: list[str]) -> bool:
    """More sources agree with the record. fish loses a tie: its authors often forget to say that there is a value."""
    return len(agreeing) > len(against) or (against == ["fish"] and bool(agreeing))


class Reasons:
    """Disagreements that stand: rows of `program`, `options` (or `*`), `why`, and `sources` if only these are wrong."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self.rows = tomllib.load(file)["reason"]
        self.unused = list(range(len(self.rows)))

    def find(self, row: Disagreement) -> str:
        for place, reason in enumerate(self.rows):
            covers = row.record in reason["program"].split(", ") and bool({row.option, "*"} & {*reason["options"].split()})
            if covers and set(row.sources) <= set(reason.get("sources", "").split() or row.sources):
                self.unused = [other for other in self.unused if other != place]
                return str(reason["why"])
        return ""


def fetched(cache: Path) -> list[Path]:
    """The directories of all packages; a package that is missing is named, and the others are judged."""
    directories = []
    for name in (*packages.COMPLETIONS, *packages.MANUALS):
        try:
            directories.append(packages.fetch(name, cache))
        except packages.Missing as error:
            print(f"left out: {error}", file=sys.stderr)
    return directories


def report(records: dict[str, Program], sources: dict[str, Claims]) -> None:
    print("source | programs | options\n--|--:|--:")
    for source, claims in sources.items():
        names = records.keys() & claims.keys()
        print(f"{source} | {len(names)} | {sum(len(claims[name]) for name in names)}")
    print(f"any | {len(records.keys() & {name for claims in sources.values() for name in claims})} of {len(records)} |\n")


def report_unlisted(records: dict[str, Program], sources: dict[str, Claims]) -> None:
    """Options that keep hookkit from approving a harmless program. Many do more than read, so this is no mistake."""
    print("\nharmless record | options that no column names\n--|--")
    for name, record in records.items():
        if "harmless" in record.row and not is_judged_whole(record):
            options = [option for option in claims_about(name, sources) if not own_kind(record, option)]
            print(f"{name} | {' '.join(sorted(options))}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the option columns of the records with other sources.")
    parser.add_argument("--cache", type=Path, default=CACHE, help="directory of unpacked packages")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="some records")
    parser.add_argument("--unlisted", action="store_true", help="print the unlisted options of harmless programs")
    parser.add_argument("--all", action="store_true", help="print disagreements that have a reason, too")
    options = parser.parse_args()
    records = {name: row for name, row in judged_records().items() if not options.only or name in options.only}
    sources = gather(fetched(options.cache), records)
    report(records, sources)
    reasons = Reasons(HERE / "judges" / "reasons.toml")
    rows = [(row, reasons.find(row)) for row in compare(records, sources)]
    print("record | option | disagreement | sources | reason\n--|--|--|--|--")
    for row, why in rows:
        if options.all or not why:
            print(f"{row.record} | {row.option} | {row.what} | {' '.join(row.sources)} | {why}")
    if options.unlisted:
        report_unlisted(records, sources)
    open_rows = sum(not why for _, why in rows)
    print(f"\n{len(rows)} disagreements, {len(rows) - open_rows} with a reason, {open_rows} without")
    return 1 if open_rows else 0


if __name__ == "__main__":
    sys.exit(main())
