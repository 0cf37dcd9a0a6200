"""The one setting that init writes into the person's own hookkit.toml."""

from pathlib import Path

import pytest

from hookkit.agents.wiring import backups
from hookkit.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", '#:schema ./hookkit.schema.json\n[policy]\napprove = "reads"\n'),
        ("# mine\n[nudge]\nfuzzy = false\n", '# mine\n[nudge]\nfuzzy = false\n\n[policy]\napprove = "reads"\n'),
        ("[policy]  # rules\nbase = true\n", '[policy]  # rules\napprove = "reads"\nbase = true\n'),
        ('[policy]\napprove = "reads"\n', '[policy]\napprove = "reads"\n'),
    ],
)
def test_the_rest_of_the_file_stays(text: str, after: str) -> None:
    assert backups.with_approval("f", text, "reads") == after


@pytest.mark.parametrize("text", ['[policy]\napprove = "work"\n', "x = [", "policy = {base = true}\n"])
def test_a_file_with_another_choice_or_a_mistake_is_left_alone(text: str) -> None:
    with pytest.raises(ConfigError):
        backups.with_approval("f", text, "reads")


def test_the_file_and_its_schema_are_written(home: Path) -> None:
    environ = {"HOME": str(home)}
    written = Path(backups.approve(environ, "reads"))
    assert written == home / ".config" / "hookkit" / "hookkit.toml"
    assert (written.parent / "hookkit.schema.json").exists()
    assert backups.approve(environ, "reads") == ""
