"""The index finds every rule that a call matches: a rule that is not found is dead without a sign."""

from pathlib import Path

import pytest

from hookkit.play import player
from hookkit.play.rows import Case
from hookkit.policy import index
from hookkit.policy.call import Call
from hookkit.policy.match import NO, UNSURE, matches
from hookkit.policy.pattern import parse
from tests.policy.test_corpus import CLASSES


def is_lost(row: Case) -> bool:
    """What nobody can tell is found without the index's help."""
    with player.Scratch(row) as scratch:
        call, pattern = player.call_of(row, scratch), parse(scratch.fill(row["pattern"]))
        found = matches(pattern, call)
        if found.yes == NO or (found.yes == UNSURE and call.doubt()[1]):
            return False
        return index.find(index.build([parse("Bash(never x)"), pattern]), call) != [1]


@pytest.mark.parametrize("name", [name for name in CLASSES if name not in ("base", "powershell", "zsh")])
def test_what_the_corpus_matches_is_found(name: str) -> None:
    assert [row["id"] for row in CLASSES[name] if is_lost(row)] == []


@pytest.mark.parametrize(
    ("pattern", "keys"),
    [
        ("Bash(git push --force *)", [("Bash:git", "push")]),
        ("Bash(git -C x push)", [("Bash:git", "push")]),
        ("Bash(/usr/bin/git * push)", [("Bash:git", "push")]),
        ("Bash(rm -rf ~/*)", [("Bash:rm", "")]),
        ("Bash(curl * | sh)", [("Bash:curl", "")]),
        ("Bash(* --force)", [("Bash:*", "")]),
        ("Bash", [("Bash", "")]),
        ("Bash(timeout:600000)", [("Bash", "")]),
        ("Write|Edit(src/a/*.py)", [("Write", "src/a"), ("Edit", "src/a")]),
        ("Read(.env)", [("Read", "=.env")]),
        ("Read(.env*)", [("Read", "^.en")]),
        ("Read(.e*)", [("Read", "")]),
        ("Read(*.Pem)", [("Read", "*.pem")]),
        ("Read(**/*.tar.gz)", [("Read", "*.gz")]),
        ("Read(*secret*)", [("Read", "")]),
        ("Read(//*/.aws/credentials)", [("Read", "=credentials")]),
        ("Read(//*/.ssh/*)", [("Read", ":.ssh")]),
        ("Read(**/.ssh/**)", [("Read", ":.ssh")]),
        ("Read(*\\*.pem)", [("Read", "")]),
        ("Read(~/.ssh/*)", [("Read", "~/.ssh")]),
        ("Read(~)", [("Read", "~")]),
        ("Read(/etc/Passwd)", [("Read", "/etc/passwd")]),
        ("Read(//etc/*)", [("Read", "/etc")]),
        ("Read(/*)", [("Read", "")]),
        ("Read(a/b/c/d/e/f)", [("Read", "a/b/c/d")]),
        ("Delete(!./*)", [("Delete", "")]),
        ("Read(../**/)", [("Read", "")]),
        ("mcp__*|Bash", [("*", "")]),
        ("WebFetch(domain:x.org)", [("WebFetch", "")]),
    ],
)
def test_where_a_rule_stands(pattern: str, keys: list[tuple[str, str]]) -> None:
    assert index.keys(parse(pattern)) == keys


def test_a_path_of_a_million_directories_is_asked_about_four_of_them() -> None:
    call = Call("Read", {"file_path": "/" + "a/" * 1_000_000}, cwd="/p", project="/p", home="/h")
    assert len(call.place.labels(call.subject, "/p")) <= 12


# Parts of patterns and of names: every pattern of up to three parts meets every name.
PIECES = ("*", "**", ".ssh", "*.pem", "id*", "id_rsa*", "*a*", "A.pem", r"\*.pem", ".", "x*y")
STARTS = ("", "/", "//", "~/", "./", "!")
NAMES = (".ssh", "id", "id_rsa", "a.pem", "A.PEM", "x", "xy", "x*y.pem", "b.a.pem", "id_rsa.pem", "..pem", "*.pem")


def all_patterns() -> list[str]:
    tails = [*PIECES, *(f"{a}/{b}" for a in PIECES for b in PIECES)]
    tails += [f"{a}/.ssh/{b}" for a in PIECES for b in PIECES] + [f"{a}/" for a in PIECES]
    return [start + tail for start in STARTS for tail in tails]


@pytest.mark.parametrize("folds", [False, True])
def test_every_rule_about_a_file_is_found(tmp_path: Path, *, folds: bool) -> None:
    """By its name as written, and as it really is; with the tool's own rules, and with those of other tools."""
    project, home = tmp_path / "p", tmp_path / "h"
    (project / "sub").mkdir(parents=True)
    (home / ".ssh").mkdir(parents=True)
    (project / "link").symlink_to(home / ".ssh")
    patterns = {source: parse(f"Read({source})") for source in all_patterns()}
    folders = ("", "sub/", ".ssh/", "link/", f"{home}/", f"{home}/.ssh/", "/", "/srv/.ssh/deep/")
    kept = index.build([*patterns.values()])
    count = 0
    for path in (f"{folder}{name}" for folder in folders for name in NAMES):
        call = Call("Read", {"file_path": path}, cwd=str(project), project=str(project), home=str(home))
        call.place.folds = folds
        found = {*index.find(kept, call)}
        wanted = {at for at, pattern in enumerate(patterns.values()) if matches(pattern, call).yes != NO}
        assert wanted <= found, [[*patterns][at] for at in wanted - found]
        count += len(wanted)
    assert count > 1000


CODE = 'python3 -c \'p = "{}"; open(p, "w").write("x")\''


@pytest.mark.parametrize("path", ["/srv/.ssh/id", "~/.aws/x", "a.pem", ".env.local", "plain.txt", "*.pem"])
def test_a_file_named_in_code_finds_its_rules(path: str) -> None:
    sources = ("//*/.ssh/*", "*.pem", "~/.aws/*", ".env.*", "/srv/*", "!./*", "*l*", "/*")
    patterns = [parse(f"{tool}({source})") for tool in ("Read", "Write|Edit", "Delete") for source in sources]
    call = Call("Bash", {"command": CODE.format(path.replace("~", "/h"))}, cwd="/p", project="/p", home="/h")
    assert any(command.code for command in call.commands)
    wanted = {at for at, pattern in enumerate(patterns) if matches(pattern, call).yes != NO}
    assert wanted <= {*index.find(index.build(patterns), call)}
    assert wanted


def test_every_path_of_a_call_finds_the_rules_of_its_tool() -> None:
    """Grep has a directory and a filter of names; a rule may be about either."""
    call = Call("Grep", {"pattern": "x", "path": "/srv", "glob": "*.pem"}, cwd="/p", project="/p", home="/h")
    patterns = [parse("Grep(*.pem)"), parse("Grep(/srv/*)"), parse("Grep(*.txt)")]
    wanted = {at for at, pattern in enumerate(patterns) if matches(pattern, call).yes != NO}
    assert wanted <= {*index.find(index.build(patterns), call)}
