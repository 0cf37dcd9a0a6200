"""The drawer: each file says what is its own, and a file is told by its name and by what is in it."""

import pytest

from hookkit import registry
from hookkit.settings.formats import recognise


@pytest.mark.parametrize("name", registry.names("settings/formats"))
def test_a_format_claims_and_examines(name: str) -> None:
    module = registry.find("settings/formats", name)
    assert callable(module.claim)
    assert callable(module.examine)
    assert module.__doc__


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("hookkit.toml", "", "hookkit_toml"),
        ("a/hookkit.local.toml", "[[hooks]]\n", "hookkit_toml"),
        (".mentu/genesis.key", "", "genesis"),
        ("/x/test-genesis.key", "{", "genesis"),
        ("hooks.toml", "", "cocode"),
        (".claude/settings.json", "", "claude_settings"),
        (".claude/settings.local.json", "", "claude_settings"),
        ("plugin/hooks/hooks.json", "{}", "claude_settings"),
        ("/home/u/.config/cocode/hooks.json", "{}", "cocode"),
        ("other.toml", "[[hooks]]\nevent = 'Stop'\n", "cocode"),
        ("other.toml", "[[rules]]\n", "hookkit_toml"),
        ("policy", "[nudge]\nfuzzy = false\n", "hookkit_toml"),
        ("policy", 'version: "2.0"\nhooks: {}\n', "genesis"),
        ("policy", ' {"hooks": {}}', "claude_settings"),
        ("skills/x/SKILL.md", "", "claude_settings"),
        ("agents/x.md", "---\nname: x\nhooks: {}\n---\n", "claude_settings"),
        ("policy", "", None),
        ("README.md", "# Title\n", None),
    ],
)
def test_a_file_is_told_by_its_name_and_by_what_is_in_it(path: str, text: str, expected: str | None) -> None:
    module = recognise(path, text)
    assert (module and module.__name__.rpartition(".")[2]) == expected
