"""The readers of benchmarks/options.py: what completion files, manuals and --help say about an option."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from judges import bash, fish, helps, manuals, zsh

HELP: list[tuple[str, dict[str, str]]] = [
    ("  -k, --kill-after=DURATION  also send", {"-k": "value", "--kill-after": "value"}),
    ("      --color[=WHEN]  colour", {"--color": "attached"}),
    (" -t, --target <pid>     target process", {"-t": "value", "--target": "value"}),
    (" -m, --mount[=<file>]   enter", {"-m": "attached", "--mount": "attached"}),
    ("    -i, --stdin=false:", {"-i": "none", "--stdin": "none"}),
    ("  --env KEY=VALUE       Set variables", {"--env": "value"}),
    ("  -q, --quiet           no output", {"-q": "none", "--quiet": "none"}),
]
ZSH: list[tuple[str, dict[str, str]]] = [
    ("'(-C)'{-C+,--close-from=}'[close]:fd'", {"-C": "value", "--close-from": "value"}),
    ("'--preserve-env=-[keep]::variable'", {"--preserve-env": "attached"}),
    ("'(-b)-b[background]'", {"-b": "none"}),
    ('\\*{-l,--list}"[list user\'s rights]"', {"-l": "none", "--list": "none"}),
]
MANUAL: list[tuple[str, dict[str, str]]] = [
    ('.TP\n.BI \\-q " queue"\n', {"-q": "value"}),
    (".TP\n\\fB\\-p\\fR, \\fB\\-\\-pid\\fR=\\fIPID\\fR\n", {"-p": "value", "--pid": "value"}),
    (".It Fl A , -askpass\n", {"-A": "none", "--askpass": "none"}),
    (".It Fl u Ar user , Fl -user Ns = Ns Ar user\n", {"-u": "value", "--user": "value"}),
]


def single(claims: dict[str, set[str]]) -> dict[str, str]:
    return {option: kind for option, kinds in claims.items() for kind in kinds}


@pytest.mark.parametrize(("line", "kinds"), HELP)
def test_help(line: str, kinds: dict[str, str]) -> None:
    assert single(helps.options_of(line)) == kinds


@pytest.mark.parametrize(("spec", "kinds"), ZSH)
def test_zsh(spec: str, kinds: dict[str, str]) -> None:
    assert single(zsh.read({"_p": f"#compdef p\n_arguments {spec}\n"}, {}, {"p"})["p"]) == kinds


@pytest.mark.parametrize(("text", "kinds"), MANUAL)
def test_manual(text: str, kinds: dict[str, str]) -> None:
    assert single(manuals.read({"p.1": text}, ["p"])["p"]) == kinds


def test_fish_tells_sub_commands_apart() -> None:
    text = "complete -c p -s k -l kill -x\ncomplete -c p -n '__fish_seen_subcommand_from run' -l rm -d 'Remove'\n"
    claims = fish.read({"p.fish": text}, {"p": {"run"}})
    assert {name: single(options) for name, options in claims.items()} == {
        "p": {"-k": "value", "--kill": "value"},
        "p run": {"--rm": "none"},
    }


def test_bash_names_options_with_a_value_before_the_word() -> None:
    text = "case $prev in\n    --help) return ;;\n    --signal|-!(-*)s)\n        return\n        ;;\nesac\n"
    assert single(bash.read({"p": text}, {})["p"]) == {"--signal": "value", "-s": "value"}
