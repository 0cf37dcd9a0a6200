"""The records: every column is known, every name is found, a new program needs nothing but a record."""

import re
import shutil
from pathlib import Path

import pytest

from hookkit.ledger import side_effects
from hookkit.model import Event
from hookkit.policy.call import Call
from hookkit.policy.judge import Judge, decide
from hookkit.policy.rules import compile_rules
from hookkit.programs import catalogue, compiling
from hookkit.programs.catalogue import SHIPPED, VERBS, Program
from hookkit.programs.effects import ROLES
from hookkit.programs.options import parse
from hookkit.settings import compiling as compiling_of_settings
from hookkit.settings.layers import Settings
from hookkit.verdicts import outgoing, undo
from hookkit.verdicts.approve import approval

NAMES = catalogue.names()
WITHOUT_EFFECT = {"text", "names", "tracked", "none"}  # roles of operands beside those of files


def records() -> list[Program]:
    return [record for name in NAMES if (record := SHIPPED.find(name)) is not None]


def test_every_name_leads_to_a_record() -> None:
    assert len(NAMES) > 1_000
    assert [name for name in NAMES if SHIPPED.find(name) is None] == []


@pytest.mark.parametrize("path", catalogue.sources(), ids=lambda path: Path(path).name)
def test_a_file_says_what_belongs_there(path: str) -> None:
    assert Path(path).read_text().startswith("# ")


def test_every_operand_has_a_role_that_is_known() -> None:
    roles = {role.rstrip("*") for record in records() for role in record.words_of("operands")}
    assert roles - WITHOUT_EFFECT - set(ROLES) == set()


def test_an_option_is_read_in_a_single_way() -> None:
    """An option under two columns would be read by chance: `-U` of git diff takes its value in the same word alone."""
    twice = [
        (record.name, option)
        for record in records()
        for option in record.value
        if option in record.attached or option in record.number or option in record.flags
    ]
    assert twice == []


def test_every_effect_of_a_shipped_record_has_a_rule() -> None:
    """Nothing is known and asked about by nobody; undo alone reads what git rewrites."""
    index = compile_rules({})["index"]
    effects = {(kind, object_) for record in records() for kind, object_, _ in record.verbs() if kind != "Rewrite"}
    effects.remove(("Print", "environment"))  # a line that shows it has the effect Print(variables)
    assert [effect for effect in sorted(effects) if f"={effect[1]}" not in index.get(effect[0], {})] == []


def examples(pattern: str) -> list[str]:
    """Words that the pattern should match: a star may have to be a name, an address or a path."""
    text = pattern.replace("**", "x").replace("*.*/*@*", "example.com/b@1")
    alone = re.compile(r"(?<!\S)\*(?!\S)")
    return [alone.sub(word, text).replace("*", "x") for word in ("x", "https://example.com/x", "a/b")]


def start(name: str, pattern: str) -> str:
    """The words before the pattern, which may begin with those of the sub-command."""
    program, _, inner = name.partition(" ")
    return program if pattern.startswith(inner) else name


def effects() -> set[tuple[str, str]]:
    """Words before a pattern, and the pattern of commands with an effect that a rule asks about."""
    unseen = ("Rewrite", "environment")  # undo alone reads the first; a line shows the second
    return {
        (start(record.name, pattern), pattern)
        for record in records()
        for kind, object_, patterns in record.verbs()
        if kind not in unseen and object_ not in unseen
        for pattern in patterns or ["*"]
        if "\\" not in pattern  # paths of PowerShell
    }


def test_every_command_with_an_effect_is_stopped() -> None:
    """A pattern in a record is dead if no command matches it, as where an option takes the word that it names."""
    policy = compile_rules({})

    def is_stopped(line: str) -> bool:
        call = Call("Bash", {"command": line}, cwd="/srv/app", project="/srv/app", home="/home/dev")
        return decide(policy, call, "").verdict is not None

    rows = sorted(effects())
    assert [row for row in rows if not any(is_stopped(f"{row[0]} {words}") for words in examples(row[1]))] == []


def test_a_suffix_is_no_sub_command() -> None:
    """`[x.sh]` in TOML is a table in a table: the name of a script is quoted."""
    suffixes = {"sh", "py", "pl", "rb", "js", "exe", "com", "bat", "cmd"}
    assert [
        record.name for record in records() if " " in record.name and record.name.rpartition(" ")[2] in suffixes
    ] == []


def test_every_rule_about_an_effect_has_a_program() -> None:
    effects = {(kind, f"={object_}") for record in records() for kind, object_, _ in record.verbs()}
    index = compile_rules({})["index"]
    ruled = {(kind, label) for kind in VERBS.values() for label in index.get(kind, {})}
    own_objects = {("Stop", "=remote"), ("Open", "=remote")}  # for a person's own programs
    lines = {("Print", "=variables"), ("Publish", "=commits"), ("Publish", "=drop"), ("Change", "=space")}
    other = {("Publish", "=secret"), ("Run", "=package")}  # of MCP tools, and of the column `fetches`
    other.add(("Destroy", "=unknown"))  # programs without a record
    assert ruled - effects - own_objects - lines - other == set()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[x]\nvalues = "-a"\n', "x.values: hookkit does not know this column"),
        ("[x]\nvalue = 5.5\n", "x.value: expected a text"),
        ("[x]\nharmless = 1\n", "x.harmless: expected true or false"),
        ('[x]\n[y]\n[y.z]\ntalks = "yes"\n', "y z.talks: expected true or false"),
    ],
)
def test_a_mistake_in_a_record_names_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(compiling.ProgramError, match=message):
        compiling.compiled([str(path)])


def test_a_name_has_one_record(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text("[x]\ntalks = true\n")
    with pytest.raises(compiling.ProgramError, match="x has a record already"):
        compiling.compiled([str(tmp_path / "a.toml"), str(tmp_path / "b.toml")])


def test_the_text_is_compiled_again_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(tmp_path, monkeypatch, {})
    assert SHIPPED.find("newtool") is None
    (tmp_path / "new.toml").write_text("[newtool]\ntalks = true\n")
    forget(monkeypatch)
    assert SHIPPED.get("newtool").has("talks")
    built = tmp_path / "__pycache__" / "catalogue.txt"
    whole = built.read_text()
    for damaged in ("damaged\n", "", whole[: len(whole) // 2], whole.partition("\n")[0] + "\n"):
        built.write_text(damaged)
        forget(monkeypatch)
        assert SHIPPED.get("newtool").has("talks")
        assert SHIPPED.get("zip").has("secret")
        assert built.read_text() == whole


# -- three programs nobody has a row for: a file each, and every feature knows them -----------------------------------

NEW = {
    "shipit": """
        [shipit]
        value = "--env --token"
        secret = "--token"
        talks = true
        changes.remote = ["rollout *"]
        destroys.remote = ["wipe *"]
    """,
    "peekdb": """
        [peekdb]
        value = "-n --limit"
        flags = "-q --json"
        operands = "text reads*"
        harmless = true
    """,
    "tidyup": """
        [tidyup]
        flags = "-v"
        same = "--recursive=-r"
        operands = "deletes*"

        [withlock]
        value = "-t"
        flags = "-q"
        wraps = 1
    """,
}


def use(place: Path, monkeypatch: pytest.MonkeyPatch, more: dict[str, str]) -> None:
    """The catalogue with more files."""
    for path in catalogue.sources():
        shutil.copy(path, place)
    for name, text in more.items():
        (place / f"{name}.toml").write_text("\n".join(line.strip() for line in text.splitlines()))
    monkeypatch.setattr(catalogue, "HERE", str(place))
    monkeypatch.setattr(catalogue, "PLACES", (str(place / "x.txt"), str(place / "__pycache__" / "catalogue.txt")))
    forget(monkeypatch)


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a new process would start."""
    monkeypatch.setattr(catalogue, "_text", "")
    monkeypatch.setattr(catalogue, "_records", {})
    monkeypatch.setattr(catalogue, "_lines_by_name", {})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "programs").mkdir()
    use(tmp_path / "programs", monkeypatch, NEW)
    directory = tmp_path / "home" / "app"
    directory.mkdir(parents=True)
    (directory / "notes.txt").write_text("n\n")
    return directory


def call(command: str, project: Path) -> Call:
    return Call("Bash", {"command": command}, cwd=str(project), project=str(project), home=str(project.parent))


def test_the_guard_knows_a_new_program(project: Path) -> None:
    policy = compile_rules({})
    verdicts = {
        "shipit --env prod rollout web": "remote.change",
        "shipit wipe web": "remote.destroy",
        "tidyup ~": "delete.home",
        "withlock -q a.lock rm -rf ~": "delete.home",
        "peekdb user ~/.ssh/id_rsa": "secrets.ssh-keys",
        "shipit status": "",
        "peekdb user notes.txt": "",
    }
    for command, name in verdicts.items():
        rule = decide(policy, call(command, project), "").rule
        assert (rule["name"] if rule else "") == name, command


def test_approve_taint_undo_ledger_and_masking_know_a_new_program(project: Path) -> None:
    environ = {"HOME": str(project.parent), "PATH": "/usr/bin"}
    settings = Settings(environ, compiling_of_settings.compile_values({"policy.approve": "reads"}, environ))
    for command, yes in {"peekdb -q user notes.txt": True, "peekdb --write user notes.txt": False}.items():
        event = Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(project)})
        event.project = str(project)
        assert approval(event, Judge(settings.policy, environ), settings).yes is yes
    sends = call("shipit status", project)
    event = Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "shipit status"}, "cwd": str(project)})
    assert outgoing.target(event, sends) == "shipit"
    deletes = call("tidyup notes.txt", project)
    found = undo.scope_of(deletes, str(project), environ)
    assert found is not None
    assert list(found.paths) == [str(project / "notes.txt")]
    assert side_effects.traces_of(deletes) == [["deletes", str(project / "notes.txt")]]
    assert catalogue.secrets()["shipit"] == ["--token"]


# -- a person's own ----------------------------------------------------------------------------------------------------


def test_own_rows_add_to_a_shipped_record() -> None:
    rows = compiling.records(
        {"programs": [{"name": "kubectl nuke", "destroys": "remote"}, {"name": "make", "talks": True}]}
    )
    more = catalogue.Catalogue(rows)
    assert parse(["kubectl", "-n", "x", "nuke", "all"], more).record.text("destroys") == "remote"
    assert parse(["kubectl", "delete", "pod"], more).record.name == "kubectl delete"
    assert more.get("make").has("talks")
    assert more.get("make").number == SHIPPED.get("make").number


def test_older_spellings_are_the_same_records() -> None:
    values = {
        "wrappers": [{"name": "withenv", "valued": "-e", "operands": 1}],
        "approvals": [{"program": "tool", "command": "show", "options": "-q", "valued": "-n", "operands": "paths"}],
    }
    written = [
        {"name": "withenv", "value": "-e", "wraps": 1},
        {"name": "tool show", "flags": "-q", "value": "-n", "operands": "reads*", "harmless": True},
    ]
    assert compiling.records(values) == compiling.records({"programs": written})


@pytest.mark.parametrize(
    ("row", "command"),
    [
        ({"name": "lvremove", "destroys": "books"}, "lvremove vg/data"),
        ({"name": "aws", "destroys": {"aws": []}}, "aws s3 rb s3://b"),
        ({"name": "aws", "destroys": {"aws": ["x *"]}}, "aws s3 rb s3://b"),
        ({"name": "kubectl delete", "changes": "remote"}, "kubectl delete ns prod"),
    ],
)
def test_an_own_row_takes_no_effect_away(row: dict[str, object], command: str) -> None:
    """An untrusted project may name effects, so naming one again must not replace the shipped one."""
    policy = compile_rules({"programs": [row]})
    more = catalogue.Catalogue(policy["programs"])
    judged = Call("Bash", {"command": command}, cwd="/p", project="/p", home="/home/u", catalogue=more)
    assert decide(policy, judged, "").verdict == "ask"


def test_an_own_sub_command_leaves_the_net_under_its_program() -> None:
    """A program that is known by one sub-command may still run the shell behind it."""
    policy = compile_rules({"programs": [{"name": "foo bar", "changes": "remote"}]})
    more = catalogue.Catalogue(policy["programs"])
    for command in ("foo sh -c 'rm -rf ~'", "foo rm -rf ~"):
        judged = Call("Bash", {"command": command}, cwd="/p", project="/p", home="/home/u", catalogue=more)
        assert decide(policy, judged, "").verdict in ("ask", "deny"), command
