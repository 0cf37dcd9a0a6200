"""Whose files count: never a project's as the person's own, and the session's project wherever the agent works."""

import json
import os
from pathlib import Path

import pytest

from hookkit.settings import layers, trust
from hookkit.system import files
from tests.settings.test_settings import user_file

RULE = "[[rules]]\ntype = 'deny'\nmatch = 'Bash({} *)'\n"
STRONG = '[redirect]\narguments = "drop"\n'


def load(directory: Path, session: Path | str = "", **environ: str) -> layers.Settings:
    return layers.load(str(directory), {**os.environ, **environ}, str(session))


def denied(settings: layers.Settings) -> set[str]:
    """The programs of the rules in this test."""
    matches = [rule["match"] for rule in settings.policy["rules"] if rule["source"] != "base"]
    return {match.removeprefix("Bash(").removesuffix(" *)") for match in matches}


@pytest.fixture
def account(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the user account."""
    monkeypatch.setattr(trust, "_account_home", lambda: str(home))
    return home


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("name", ["XDG_CONFIG_HOME", "HOME"])
def test_a_config_directory_inside_the_project_is_a_strangers(
    project: Path,
    account: Path,
    name: str,
    link: bool,  # noqa: FBT001 - a case
) -> None:
    user_file(account, RULE.format("mine"))
    inside = project / "evil"
    config = inside / ".config" / "hookkit" if name == "HOME" else inside / "hookkit"
    config.mkdir(parents=True)
    (config / "hookkit.toml").write_text("[policy]\nbase = false\n")
    given = inside
    if link:
        given = project.parent / "link"
        given.symlink_to(inside)
    settings = load(project, **{name: str(given)})
    assert settings.broken == [f"{name}={given} is inside the project, so hookkit ignores this variable"]
    assert settings["policy.base"] is True
    assert denied(settings) == {"mine"}
    assert settings.environ.get(name) == (str(account) if name == "HOME" else None)


def test_a_state_directory_inside_the_project_holds_no_trust(project: Path, account: Path) -> None:
    (project / "hookkit.toml").write_text(STRONG)
    state = project / "state" / "hookkit"
    state.mkdir(parents=True, mode=0o700)
    key = trust.trust_key(str(project / "hookkit.toml"))
    files.write(str(state / "trust.json"), json.dumps({key: trust.digest(STRONG)}).encode())
    settings = load(project, XDG_STATE_HOME=str(project / "state"))
    assert settings["redirect.arguments"] == "auto"
    assert settings.environ["HOME"] == str(account)
    assert settings.broken == [
        f"XDG_STATE_HOME={project}/state is inside the project, so hookkit ignores this variable"
    ]
    assert not (state / "settings").exists()


def test_a_directory_that_is_not_made_yet_is_inside_too(project: Path, account: Path) -> None:
    settings = load(project, XDG_STATE_HOME=str(project / "not" / "yet"))
    assert "XDG_STATE_HOME" not in settings.environ
    assert account.exists()


def test_inside_the_sessions_project_is_inside(project: Path, account: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert load(elsewhere, project, XDG_CONFIG_HOME=str(project / "x")).broken != []
    assert account.exists()


def test_without_an_account_there_is_no_home(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "_account_home", lambda: "")
    settings = load(project, HOME=str(project))
    assert files.home(settings.environ) == ""
    assert settings.policy["rules"]


@pytest.mark.parametrize("where", [".", ".."])
def test_a_repository_around_the_home_is_nothing_to_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Dotfiles kept in a repository, or a session that starts above every home."""
    home = tmp_path / "all" / "me"
    home.mkdir(parents=True)
    (home / where / ".git").mkdir()
    monkeypatch.setattr(trust, "_account_home", lambda: str(home))
    user_file(home, RULE.format("mine"))
    settings = load(home, HOME=str(home), XDG_CONFIG_HOME=str(home / ".config"))
    assert (settings.broken, denied(settings)) == ([], {"mine"})


def test_a_new_repository_inside_the_project_switches_no_rule_off(project: Path) -> None:
    (project / "hookkit.toml").write_text(RULE.format("outer"))
    inner = project / "t"
    (inner / ".git").mkdir(parents=True)
    assert denied(load(inner)) == set()
    assert denied(load(inner, project)) == {"outer"}
    (inner / "hookkit.toml").write_text(RULE.format("inner"))
    assert denied(load(inner, project)) == {"inner", "outer"}
    assert denied(load(inner, inner)) == {"inner"}
    assert denied(load(project, project)) == {"outer"}


def test_the_sessions_trust_holds_inside_its_project_alone(project: Path, tmp_path: Path) -> None:
    path = project / "hookkit.toml"
    path.write_text(STRONG + RULE.format("outer"))
    trust.pin(dict(os.environ), {trust.trust_key(str(path)): trust.digest(path.read_text())})
    inner, elsewhere = project / "t", tmp_path / "elsewhere"
    for directory in (inner, elsewhere):
        (directory / ".git").mkdir(parents=True)
    assert load(inner, project)["redirect.arguments"] == "drop"
    settings = load(elsewhere, project)
    assert (settings["redirect.arguments"], denied(settings), settings.untrusted) == ("auto", {"outer"}, {})


def test_the_nearest_repository_has_the_last_word(project: Path) -> None:
    inner = project / "t"
    (inner / ".git").mkdir(parents=True)
    (project / "hookkit.toml").write_text('[local]\nfile = "OUTER.md"\n')
    assert load(inner, project)["local.file"] == "OUTER.md"
    (inner / "hookkit.toml").write_text('[local]\nfile = "INNER.md"\n')
    assert load(inner, project)["local.file"] == "INNER.md"
