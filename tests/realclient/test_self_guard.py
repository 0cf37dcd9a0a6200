"""Exploits against the guard itself, each in the real client with every Bash call allowed by the client's own rules."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .harness import Run, bash, home_of, person, use, wire, write

Drive = Callable[..., Run]
ALL = ("--allowedTools", "Bash,Write")
HOME_SETTINGS = json.dumps({"env": {"KEPT": "1"}})


@pytest.mark.parametrize(
    "line",
    [
        "dd if=/dev/null of=~/.claude/settings.json",
        "python3 <<'E'\nimport os\nopen(os.path.expanduser('~/.claude/settings.json'), 'w').write('{}')\nE",
        "chmod 000 ~/.claude/settings.json",
        "mv ~/.claude ~/.claude2",
        "echo x > ~/.cline/hooks/PreToolUse; echo '{}' > ~/.claude/settings.json",
    ],
)
def test_the_settings_of_the_guard_stay_as_they_are(drive: Drive, project: Path, line: str) -> None:
    """In print mode nobody can say yes, so the client denies what hookkit asks about."""
    settings = write(home_of(project) / ".claude" / "settings.json", HOME_SETTINGS)
    wire(project, PreToolUse="hookkit run")
    run = drive(project, "go", turns=[bash(line), bash("git push -f origin main"), "done"], arguments=ALL)
    assert (settings.read_text(), settings.stat().st_mode & 0o777 != 0) == (HOME_SETTINGS, True)
    assert "hookkit [git.force-push-main]" in str(run.prompts()[-1])  # the guard still answers
    assert run.faults() == []


def test_trust_does_not_run_code_that_was_written_since(drive: Drive, project: Path) -> None:
    """With `work`: the agent writes a test, then runs the trusted project's tests."""
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", '[policy]\napprove = "work"\n')
    write(project / "Makefile", "test:\n\tpython3 tests/test_x.py\n")
    wire(project, PreToolUse="hookkit run")
    assert person(project, "trust").returncode == 0
    outside = project.parent / "OUTSIDE"
    harmless = use("Write", file_path=str(project / "tests" / "test_x.py"), content="print('only computes')\n")
    code = f"open({str(outside)!r}, 'w').write('x')\n"
    written = bash(f"cat > tests/test_x.py <<'E'\n{code}E")
    run = drive(project, "go", turns=[harmless, bash("make test"), written, bash("make test"), "done"])
    results = [said for said, _ in run.prompts()[-1].tool_results]
    assert "only computes" in results[1]
    assert not outside.exists()
    assert run.faults() == []
