"""What hookkit's policy costs: the tables that need no peer. Here is what they share: rules, commands, the sheet."""

from typing import Any

COUNTS = (10, 100, 1_000, 10_000)
PROGRAMS = (
    "git docker kubectl helm terraform aws gcloud az npm yarn pnpm npx node python3 pip uv poetry cargo go make cmake "
    "mvn gradle dotnet bundle rails php composer curl wget ssh scp rsync psql mysql mongosh redis-cli systemctl snap "
    "journalctl apt brew service chmod chown rm mv cp ln tar unzip sed grep find cat tee crontab mount kill pkill"
).split()
# Eighty characters each: a list with a pipe, a plain command, one that writes a file, and one that is denied.
COMMANDS = (
    "cd packages/api && git log --oneline --since=2.weeks origin/main | grep -v 'wip'",
    "npx eslint src/components src/pages src/hooks --ext .ts,.tsx --max-warnings 0 -f",
    "python3 scripts/report.py --since 2024-01-01 --format csv > out/weekly-sales.csv",
    "cd services/billing && sh -c 'kubectl delete namespace production --wait=false '",
)
VERDICTS = [None, None, None, "deny"]


class Sheet:
    """Prints the tables, and remembers which targets were missed."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def table(self, title: str, header: str, rows: list[list[str]]) -> None:
        names = header.split(" | ")
        print(f"\n### {title}\n\n| {' | '.join(names)} |\n|---|{'---:|' * (len(names) - 1)}")
        for row in rows:
            print(f"| {' | '.join(row)} |", flush=True)

    def target(self, name: str, value: float, limit: float | None) -> str:
        """The target's cell; one that does not hold stands out."""
        if limit is None:
            return ""
        if value > limit:
            self.missed.append(f"{name}: {value:.2f} > {limit}")
        return f"≤ {limit}" if value <= limit else f"**over {limit}**"


def rules(count: int, programs: list[str]) -> list[dict[str, Any]]:
    """Spread over real programs, a tenth about files: a company's list, not one made-up program for each rule."""
    found = [{"type": "deny", "match": "Bash(kubectl delete namespace *)", "reason": "Namespaces are shared."}]
    for number in range(1, count):
        program = programs[number % len(programs)]
        match = f"Bash({program} task-{number} --level *)"
        if number % 10 == 9:
            match = f"{('Read', 'Write', 'Edit')[number % 3]}(deploy/stage-{number}/*.yaml)"
        found.append({"type": ("deny", "ask", "allow")[number % 3], "match": match, "reason": f"Line {number}."})
    return found
