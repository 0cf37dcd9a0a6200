"""ROWS about languages, package managers and other tools."""

from hookkit.approve.row import NONE, TEXT, VERSION, Row

_VERSION = Row("--version", operands=NONE, check=VERSION)
_PIP = {
    "list": Row("-lev --local --editable --user --not-required", "--format --exclude", operands=NONE),
    "show": Row("-fv --files --verbose", operands=TEXT),
    "freeze": Row("-l --local --user --all --exclude-editable", operands=NONE),
    "check": Row(operands=NONE),
}
_NPM = Row("-agl --all --global --long --json --parseable", "--depth", operands=TEXT)
_GH = Row(
    "--comments --draft --patch --name-only --log --log-failed --verbose",
    "-LsRAlBHSa --limit --state --repo --author --label --base --head --json --search --assignee --branch --color",
    operands=TEXT,
)

ROWS = {
    **dict.fromkeys(
        "python python3 python2 pip pip3 ruby cargo rustc rustup gem bundle make cmake gcc g++ clang tox mypy ruff"
        " black pytest uv poetry pipenv docker kubectl helm terraform gh npm pnpm yarn bun deno node java git".split(),
        _VERSION,
    ),
    "go version": Row(operands=NONE),
    **{f"{pip} {command}": row for pip in ("pip", "pip3") for command, row in _PIP.items()},
    "npm ls": _NPM,
    "npm list": _NPM,
    "conda list": Row("--json", "-n --name", operands=TEXT),
    "conda info": Row("-e --envs --json", operands=NONE),
    "rustup show": Row(operands=NONE),
    "docker ps": Row("-aqls --all --quiet --latest --size --no-trunc", "-nf --filter --format --last", operands=NONE),
    "docker images": Row("-aq --all --quiet --no-trunc --digests", "-f --filter --format", operands=TEXT),
    "docker version": Row(operands=NONE),
    **{
        f"gh {thing} {command}": _GH
        for thing in ("pr", "issue", "run", "release")
        for command in ("list", "view", "status", "diff", "checks")
    },
}
