"""ROWS about languages, package managers and other tools."""

from hookkit.approve.row import NONE, TEXT, VERSION, Row

# Without programs that start files of the project for any option: yarn (yarnPath), pnpm and bundle (another version of
# themselves), cargo and rustc (the path of a toolchain), tox (toxfile.py), pytest (conftest.py), poetry (plugins in
# .poetry). `docker compose` fetches the files that a compose file includes, from any address.
_VERSION = Row("--version", operands=NONE, check=VERSION)
_SHORT = Row("--version -v", operands=NONE, check=VERSION)
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
    check="gh",
)

ROWS = {
    **dict.fromkeys(
        "pip pip3 gem make cmake gcc g++ clang mypy ruff black uv docker kubectl helm terraform gh bun"
        " deno git curl bash zsh".split(),
        _VERSION,
    ),
    **dict.fromkeys(("node", "npm", "ruby", "php"), _SHORT),
    **dict.fromkeys(("python", "python2", "python3"), Row("--version -V", operands=NONE, check=VERSION)),
    "java": Row("--version -version", operands=NONE, check=VERSION, single=True),
    "go version": Row(operands=NONE),
    "terraform version": Row(operands=NONE),
    **{f"{pip} {command}": row for pip in ("pip", "pip3") for command, row in _PIP.items()},
    "npm ls": _NPM,
    "npm list": _NPM,
    "conda list": Row("--json", "-n --name", operands=TEXT),
    "conda info": Row("-e --envs --json", operands=NONE),
    "conda env list": Row("--json", operands=NONE),
    "docker ps": Row("-aqls --all --quiet --latest --size --no-trunc", "-nf --filter --format --last", operands=NONE),
    "docker images": Row("-aq --all --quiet --no-trunc --digests", "-f --filter --format", operands=TEXT),
    "docker version": Row(operands=NONE),
    "docker logs": Row("-t --timestamps --details", "-n --tail --since --until", operands=TEXT),
    **{
        f"gh {thing} {command}": _GH
        for thing in ("pr", "issue", "run", "release")
        for command in ("list", "view", "status", "diff", "checks")
    },
}
