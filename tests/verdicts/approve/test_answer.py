"""policy.approve: nothing dangerous is approved, alone or wrapped; harmless lines are."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit.hooks import guard
from hookkit.model import Decision, Event
from hookkit.play.rows import conformance
from hookkit.policy.judge import Judge
from hookkit.redirect import tree
from hookkit.settings import compiling, trust
from hookkit.settings.layers import Settings
from hookkit.verdicts import approve
from hookkit.verdicts.approve import Approval
from tests.conftest import HOOKKIT

ROOT = Path(__file__).parents[3]
ENVIRON = {"HOME": "/home/dev", "PATH": os.environ["PATH"], "XDG_STATE_HOME": "/nonexistent/state"}
PROJECT = "/home/dev/work/app"  # does not exist: nothing in it can be lost
LEVELS = ("reads", "work")


def made(level: str, **more: Any) -> Settings:
    values = {"policy.approve": level, **more}
    return Settings(dict(ENVIRON), {"untrusted": [], "broken": [], **compiling.compile_values(values, ENVIRON)})


SETTINGS = {level: made(level) for level in LEVELS}


def event(command: str, cwd: str = PROJECT, **fields: Any) -> Event:
    given = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": cwd, **fields}
    found = Event("PreToolUse", given)
    found.project = cwd
    return found


def approval(command: str, level: str, cwd: str = PROJECT) -> Approval:
    """Without the rules: approval must not lean on them."""
    settings = SETTINGS[level]
    return approve.approval(event(command, cwd), Judge(settings.policy, settings.environ), settings)


def verdict(command: str, level: str) -> str | None:
    settings = SETTINGS[level]
    said = Judge(settings.policy, settings.environ).answer(event(command))
    if said is None and approval(command, level).yes:
        return "allow"
    return said.verdict if said else None


def dangerous() -> list[str]:
    lines = [json.loads(line) for line in (ROOT / "benchmarks/peers/commands.jsonl").read_text().splitlines()]
    found = [row["command"] for row in lines if row["kind"] == "dangerous"]
    found += [
        row["command"]
        for row in conformance()
        if row.get("expect") in ("deny", "ask") and isinstance(row.get("command"), str) and not row.get("files")
    ]
    return list(dict.fromkeys(found))


def listed(name: str) -> list[str]:
    """The lines of a file beside this one, without its comments."""
    lines = Path(__file__).with_name(name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("# ")]


DANGEROUS = dangerous()
UNSEEN = listed("dangerous.txt")  # written without a look at the table
HARMLESS = (
    "ls -la", "cat README.md", "git status", "git log --oneline -5", "grep -rn foo src", "head -20 a.py", "wc -l a.py",
    "find . -name '*.py'", "sed -n '1,5p' a.py", "echo done", "pwd", "true", "git diff --stat", "sort a | uniq -c",
)  # fmt: skip
AROUND = (
    "{harmless} && {other}", "{other} && {harmless}", "{harmless}; {other}", "{harmless} | {other}", "{other} | cat",
    "({other})", "{{ {harmless}; {other}; }}", "if true; then {other}; fi", "for i in 1 2; do {other}; done",
    "timeout 5 {other}", "{harmless} || {other}", "echo $({other})", "{harmless} & {other}", "nice {other}",
    "while false; do {other}; done", "cat <({other})", "time {other}", "! {other}", "{other} 2>/dev/null",
)  # fmt: skip
WRAPPERS = (
    "sudo {}", "env {}", "xargs {}", "sh -c '{}'", 'bash -c "{}"', "eval '{}'", "ssh host {}", "docker run x {}",
    "{} > /etc/passwd", "{} > ~/.bashrc", "python -c 'import os; os.system(\"{}\")'", "{}; rm -rf /", "PATH=. {}",
    "LD_PRELOAD=./x.so {}", "alias ls=rm; {}", "ls() {{ rm x; }}; {}", "{} | sh", "{} | tee ~/.ssh/authorized_keys",
    "nohup {}", "parallel {}", "watch {}", "strace {}", "{} `rm -rf x`", "{} $(rm -rf x)", "{} > x; sh x",
    "export PATH=.; {}", "source x; {}", "trap 'rm x' EXIT; {}", "unknown-program {}", "chroot / {}", "su -c '{}'",
)  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
def test_no_dangerous_command_is_approved(level: str) -> None:
    assert len(DANGEROUS) > 400
    assert [command for command in DANGEROUS if verdict(command, level) == "allow"] == []


@pytest.mark.parametrize("level", LEVELS)
def test_a_line_that_writes_runs_sends_or_shows_a_secret_is_not_approved(level: str) -> None:
    """Most lines misuse an option of a program that is known to read; the rules are not asked."""
    assert len(UNSEEN) > 400
    assert [line for line in UNSEEN if approval(line, level).yes] == []


@pytest.mark.parametrize("level", LEVELS)
def test_nearly_every_line_of_an_ordinary_session_is_approved(level: str) -> None:
    lines = listed("harmless.txt")
    assert len(lines) > 300
    left = [(line, approval(line, level).reason) for line in lines if not approval(line, level).yes]
    assert len(left) / len(lines) < 0.05, left


@pytest.mark.parametrize("level", LEVELS)
def test_every_harmless_command_is_approved(level: str) -> None:
    assert [(line, approval(line, level).reason) for line in HARMLESS if not approval(line, level).yes] == []


@given(
    other=st.sampled_from([*DANGEROUS, *UNSEEN]),
    harmless=st.sampled_from(HARMLESS),
    form=st.sampled_from(AROUND),
    level=st.sampled_from(LEVELS),
)
def test_a_dangerous_command_among_harmless_ones_is_not_approved(
    other: str, harmless: str, form: str, level: str
) -> None:
    assert verdict(form.format(other=other, harmless=harmless), level) != "allow"


@given(line=st.sampled_from(HARMLESS), form=st.sampled_from(WRAPPERS), level=st.sampled_from(LEVELS))
def test_a_harmless_command_in_a_wrapper_is_not_approved(line: str, form: str, level: str) -> None:
    """A wrapper, a redirection or a variable can make another program of the same words."""
    assert not approval(form.format(line), level).yes


@given(
    words=st.lists(st.sampled_from("ls cat git sed -i -e -n s/a/b/e w -exec rm ; | && > /etc/passwd $(id) `id` {} find "
                                   "-delete ~/.ssh/id_rsa $x -o --output=x awk system sort tee a.py".split()),
                   min_size=1, max_size=7),
    level=st.sampled_from(LEVELS),
)  # fmt: skip
def test_an_approved_line_has_no_word_that_runs_or_writes(words: list[str], level: str) -> None:
    line = " ".join(words)
    if approval(line, level).yes:
        spoils = {"$(id)", "`id`", "~/.ssh/id_rsa", "$x"}
        runs_sed = any(command[:1] in (["sed"], ["find"]) and "sed" in command for command in commands(words))
        spoils |= {"s/a/b/e"} if runs_sed else set()  # for other programs a path: `ls sed s/a/b/e`
        spoils |= {"-delete"} if "find" in words else set()
        assert not spoils & set(words), line
        assert not any("/etc/passwd" in command and not shows_names(command) for command in commands(words)), line


def commands(words: list[str]) -> list[list[str]]:
    """The words of each command of a line."""
    found: list[list[str]] = [[]]
    for word in words:
        if word in (";", "|", "&&"):
            found.append([])
        else:
            found[-1].append(word)
    return found


def shows_names(command: list[str]) -> bool:
    """`ls /etc/passwd` shows the name of the file alone, and in `sed /etc/passwd` the word is a script."""
    operands = [word for word in command[1:] if word[0] != "-"]
    is_script = command[0] == "sed" and operands[0] == "/etc/passwd" and operands.count("/etc/passwd") == 1
    return (command[0] in ("ls", "find") or is_script) and not {">", "-exec", "-e"} & set(command)


class TestWrites:
    """`work` in a real repository."""

    @pytest.fixture
    def repository(self, tmp_path: Path) -> Path:
        directory = tmp_path / "app"
        (directory / "src").mkdir(parents=True)
        (directory / "src/a.py").write_text("a\n")
        (directory / "untracked.txt").write_text("u\n")
        (directory / "dirty.py").write_text("d\n")
        (directory / ".gitignore").write_text("ignored.txt\n")
        (directory / "ignored.txt").write_text("i\n")
        subprocess.run(["git", "init", "-q"], cwd=directory, check=True)
        (directory / "unseen.py").write_text("u\n")
        subprocess.run(["git", "add", "src", "dirty.py", "unseen.py", ".gitignore"], cwd=directory, check=True)
        me = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *me, "commit", "-qm", "x"], cwd=directory, check=True)
        (directory / "dirty.py").write_text("changed\n")
        subprocess.run(["git", "update-index", "--assume-unchanged", "unseen.py"], cwd=directory, check=True)
        (directory / "unseen.py").write_text("changed\n")
        os.symlink("/etc", directory / "out")
        os.symlink("src/a.py", directory / "link.py")
        os.symlink("../up.txt", directory / "src/up.py")
        (directory / "config").mkdir()
        (directory / "config/.env").write_text("x\n")
        (directory / "keys").mkdir()
        (directory / "keys/server.pem").write_text("x\n")
        return directory

    @pytest.mark.parametrize(
        ("command", "yes"),
        [
            ("sed -i s/a/b/ src/a.py", True),
            ("echo x > src/a.py", True),
            ("rm src/a.py", True),
            ("mv src/a.py src/b.py", True),
            ("cp untracked.txt copy.txt", True),
            ("mkdir -p src/deep && touch src/deep/new.py", True),
            ("chmod +x src/a.py", True),
            ("echo x > link.py", True),
            ("rm untracked.txt", False),
            ("echo x > ignored.txt", False),
            ("echo x >> dirty.py", False),
            ("echo x > out/motd", False),
            ("touch out/x", False),
            ("rm -rf src", False),
            ("cp src/a.py untracked.txt", False),
            ("mv untracked.txt other.txt", False),
            ("mv src/a.py src/b.py /tmp", False),
            ("sed -i.bak s/a/b/ src/a.py", False),
            ("echo x > .git/config", False),
            ("echo x > hookkit.toml", False),
            ("tee .claude/settings.json < src/a.py", False),
            ("mv src/up.py up.py && echo x > up.py", False),
            ("cat keys/*", False),
            ("grep -r x config", False),
            ("grep -r x .", False),
            ("grep -r x src", True),
            ("grep -r x keys", False),
            ("echo x > unseen.py", False),
            ("diff src config", False),
        ],
    )
    def test_a_write_is_approved_where_git_can_bring_it_back(
        self,
        repository: Path,
        command: str,
        yes: bool,  # noqa: FBT001 - a table's column
    ) -> None:
        found = approval(command, "work", str(repository))
        assert found.yes == yes, found.reason

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("config", "[core]\n\tfsmonitor = ./evil\n"),
            ("config", '[core] fsmonitor="./evil"\n'),
            ("config", "[core]\n\tfsmonitor=\\\n./evil\n"),
            ("config", '[filter "x"]\n\tclean = ./evil\n'),
            ("config", "[diff]\n\texternal = ./evil\n"),
            ("config", "[include]\n\tpath = ../evil\n"),
            ("config", "[core]\n\thooksPath = .evil\n"),
            ("config", "[CORE]\n\tHOOKSPATH = .evil # a comment\n"),
            ("config", '[core] hooksPath = .ev"il"\n'),
            ("config", "[core]\n\thooksPath = Capital\n"),
            ("config", "[core]\n\thooksPath = .e\\\nvil\n"),
            ("config", "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = ./evil\n"),
            ("config", "[core]\n\tworktree = /home\n"),
            ("config", '[remote "o"]\n\tpromisor = true\n\tuploadpack = ./evil\n'),
            ("config", "[core]\n\tpager = ./evil\n"),
            ("hooks/post-index-change", "#!/bin/sh\n"),
            ("config", "#" * 300_000),
        ],
        ids=lambda value: value[:30],
    )
    def test_a_repository_that_brings_its_own_programs_is_not_asked(
        self, repository: Path, name: str, content: str
    ) -> None:
        """An unpacked archive may have a `.git` directory; git would start a program at `git status`."""
        (repository / ".evil").mkdir()
        (repository / ".evil/post-index-change").write_text("#!/bin/sh\n")
        (repository / "Capital").mkdir()
        (repository / "Capital/post-index-change").write_text("#!/bin/sh\n")
        path = repository / ".git" / name
        path.parent.mkdir(exist_ok=True)
        with path.open("a") as file:
            file.write(content)
        assert not approval("git status", "reads", str(repository)).yes
        assert not approval("git add -A", "work", str(repository)).yes

    @pytest.mark.parametrize("content", ["[core]\n\tfsmonitor = true\n", "[core]\n\thooksPath = .husky\n"])
    def test_plain_settings_of_a_repository_are_no_obstacle(self, repository: Path, content: str) -> None:
        with (repository / ".git/config").open("a") as file:
            file.write(content)
        assert approval("git status", "reads", str(repository)).yes
        assert approval("git add src", "work", str(repository)).yes
        assert not approval("git add src", "reads", str(repository)).yes

    def test_an_index_that_claims_endless_submodules_is_not_followed(self, repository: Path) -> None:
        """Each entry costs a look at the disk, and an index of some megabytes has a million of them."""
        (repository / ".git/index").write_bytes(b"DIRC\0\0\0\2" + b"\0\0\xe0\0" * 2_000_000)
        found = approval("git status", "reads", str(repository))
        assert "too many submodules" in found.reason

    def test_a_pattern_that_looks_everywhere_is_not_followed(self, repository: Path) -> None:
        for number in range(90):
            for inner in range(90):
                (repository / f"deep/{number}/{inner}").mkdir(parents=True)
        found = approval("cat deep/*/*/*/zzz", "reads", str(repository))
        assert "too many files" in found.reason

    @pytest.mark.parametrize(
        ("address", "yes"),
        [
            ("https://example.com/a/b.git", True),
            ("git@example.com:a/b.git", True),
            ("https://token@example.com/a/b.git", False),
            ("https://me:token@example.com/a/b.git", False),
        ],
    )
    def test_the_address_of_a_remote_is_shown_unless_it_holds_a_token(
        self,
        repository: Path,
        address: str,
        yes: bool,  # noqa: FBT001 - a table's column
    ) -> None:
        subprocess.run(["git", "remote", "add", "origin", address], cwd=repository, check=True)
        for line in ("git remote -v", "git remote get-url origin"):
            assert approval(line, "reads", str(repository)).yes == yes

    def test_a_work_tree_has_the_settings_of_its_repository(self, repository: Path) -> None:
        subprocess.run(["git", "worktree", "add", "-q", "../other"], cwd=repository, check=True)
        other = str(repository.parent / "other")
        assert approval("git status", "reads", other).yes
        with (repository / ".git/config").open("a") as file:
            file.write("[core]\n\tfsmonitor = ./evil\n")
        assert not approval("git status", "reads", other).yes

    def test_a_submodule_may_bring_programs_too(self, repository: Path) -> None:
        """`git status` starts git in each submodule, with the submodule's own settings."""
        inner = repository / "src/lib"
        me = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "init", "-q", str(inner)], check=True)
        subprocess.run(["git", *me, "commit", "-qm", "x", "--allow-empty"], cwd=inner, check=True)
        subprocess.run(["git", "add", "src/lib"], cwd=repository, check=True, capture_output=True)
        assert approval("git status", "reads", str(repository)).yes
        subprocess.run(["git", "config", "core.fsmonitor", "./evil"], cwd=inner, check=True)
        assert not approval("git status", "reads", str(repository)).yes

    def test_the_settings_of_a_repository_around_the_project_count(self, repository: Path) -> None:
        assert approval("git status", "reads", str(repository / "src")).yes
        subprocess.run(["git", "config", "core.fsmonitor", "./evil"], cwd=repository, check=True)
        assert not approval("git status", "reads", str(repository / "src")).yes

    def test_a_file_named_like_an_option_spoils_a_pattern(self, repository: Path) -> None:
        lines = ("find * -name x", "sort *.txt", "ls | xargs wc -l", "tree [a-z]*")
        assert all(approval(line, "reads", str(repository)).yes for line in lines)
        (repository / "-delete").write_text("")
        assert not any(approval(line, "reads", str(repository)).yes for line in lines)
        assert approval("find . -name x", "reads", str(repository)).yes

    def test_a_directory_of_path_is_not_written(self, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        line = "echo x > tools/ls"
        assert approval(line, "work", str(repository)).yes
        for settings in SETTINGS.values():
            monkeypatch.setitem(settings.environ, "PATH", f"{repository}/tools:{ENVIRON['PATH']}")
        assert not approval(line, "work", str(repository)).yes

    def test_a_repository_inside_the_project_is_not_asked(self, repository: Path) -> None:
        """Its settings could name a program that git runs."""
        inner = repository / "inner"
        inner.mkdir()
        (inner / "HEAD").write_text("ref: refs/heads/main\n")
        assert not approval("cd inner && git status", "reads", str(repository)).yes
        assert approval("git status", "reads", str(repository)).yes


def test_a_trusted_projects_own_command_is_approved(project: Path, home: Path) -> None:
    makefile = project / "Makefile"
    makefile.write_text("test:\n\ttrue\n")
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    settings = made("work")
    settings.environ = environ
    found = event("make test && git status", str(project))

    def said() -> Decision | None:
        found.call = None
        return approve.decision(found, Judge(settings.policy, environ), settings)

    assert said() is None
    trust.pin(environ, {trust.trust_key(str(makefile)): trust.digest(makefile.read_text())})
    tree.keep(str(project), environ)
    allowed = said()
    assert allowed is not None
    assert allowed.reason == "approved: 1 command only reads; make test is a command of this trusted project"
    written = project / "tests" / "test_x.py"
    written.parent.mkdir()
    written.write_text("def test_x():\n    assert True\n")
    still = said()
    assert still is not None
    assert still.reason == allowed.reason  # code that only computes
    written.write_text("import shutil\nshutil.rmtree('/home/dev')\n")
    assert said() is None  # the client would ask nobody: the mode is not known
    found.fields["permission_mode"] = "default"
    asked = said()
    assert asked is not None
    why = "tests/test_x.py is new since hookkit trust, and its code has shutil"
    assert asked.reason == f"hookkit does not approve this: make test runs files of the project: {why}"
    assert asked.verdict == "ask"
    makefile.write_text("test:\n\trm -rf x\n")
    assert said() is None


@pytest.mark.parametrize(
    ("command", "yes"),
    [
        ("pytest -q tests", True),
        ("pytest -rA tests", True),
        ("pytest -p evil", False),
        ("pytest @args.txt", False),
        ("cargo test -- --nocapture", True),
        ("cargo test -- --logfile=/home/dev/.bashrc", False),
        ("cargo clippy -- -D warnings", True),
        ("cargo clippy -- -C linker=./evil", False),
        ("cargo fmt -- --check", True),
        ("cargo fmt -- /home/dev/other.rs", False),
        ("mypy @args", False),
    ],
)
def test_options_of_the_projects_own_commands(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    yes: bool,  # noqa: FBT001 - a table's column
) -> None:
    monkeypatch.setattr(approve.Commands, "_is_trusted", lambda *_: True)
    assert approval(command, "work", str(project)).yes == yes


def test_a_search_tool_for_files_with_secrets_is_not_approved(project: Path) -> None:
    settings = SETTINGS["reads"]
    for glob, yes in (("*.py", True), ("**/.env", False), ("*.pem", False)):
        given = {"pattern": "x", "path": str(project), "glob": glob}
        found = event("", str(project), tool_name="Grep", tool_input=given)
        assert approve.approval(found, Judge(settings.policy, settings.environ), settings).yes == yes


def test_the_room_is_not_loaded_while_the_setting_is_off(project: Path) -> None:
    raw = json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "cat <<< a"},
                      "cwd": str(project)}).encode()  # fmt: skip
    command = ["python", "-X", "importtime", HOOKKIT, "guard"]
    command[0] = str(Path(HOOKKIT).parent / "python")
    done = subprocess.run(command, input=raw, capture_output=True, check=True, cwd=project)
    assert b"hookkit.policy.judge" in done.stderr
    assert b"hookkit.verdicts.approve" not in done.stderr


def test_a_dialog_is_not_answered_where_the_call_was_judged_before(project: Path, home: Path) -> None:
    """The dialog may come from an ask of the person's own settings, which an approval must not overrule."""
    settings = made("reads")
    settings.environ = {"HOME": str(home)}
    first = event("ls", str(project), session_id="s")
    second = Event("PermissionRequest", dict(first.fields))
    second.project = first.project
    assert getattr(guard.run(first, settings), "verdict", None) == "allow"
    assert guard.run(second, settings) is None


@pytest.mark.parametrize(
    ("level", "reason"),
    [
        ("reads", "not approved: git commit is not known to only read"),
        ("work", "not approved: git commit is not known to only read, or to change only what git can bring back"),
    ],
)
def test_a_refusal_names_what_its_level_would_approve(level: str, reason: str) -> None:
    assert approval("git commit -m x", level).reason == reason


@pytest.mark.parametrize("line", ["cat **/*.json", "find . -name '*.json' -exec cat {} +", "cat **/*.txt"])
def test_a_pattern_at_any_depth_is_looked_at(line: str, tmp_path: Path) -> None:
    """A file that speaks of a secret, and a link that leads out of the project."""
    project = tmp_path / "app"
    (project / "sub").mkdir(parents=True)
    (project / "sub/data.json").write_text("{}")
    (project / "sub/notes.txt").write_text("")
    assert approval(line, "reads", str(project)).yes
    (project / "sub/credentials.json").write_text("{}")
    (project / "sub/link.txt").symlink_to("/home/dev/.ssh/id_rsa")
    assert not approval(line, "reads", str(project)).yes
