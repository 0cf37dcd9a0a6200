"""Settings broken in many ways, in the real client: doctor is right about each, and `--fix` brings the hooks back."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.doctor.breaks import BREAKS

from .harness import Run, bash, environment, home_of
from .test_init import ALLOWED, call, doctor, off_path

__all__ = ["off_path"]
Drive = Callable[..., Run]
TURNS = [bash("git push -f nowhere main; touch ran.txt"), "done"]


def is_guarded(drive: Drive, project: Path) -> bool:
    """Whether a call that hookkit denies is stopped in a session of the client."""
    drive(project, "go", turns=TURNS, arguments=ALLOWED)
    marker = project / "ran.txt"
    if not marker.exists():
        return True
    marker.unlink()
    return False


@pytest.mark.usefixtures("off_path")
@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_setup_is_dead_named_and_mended(
    name: str, drive: Drive, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = BREAKS[name]
    for variable, value in environment(home_of(project)).items():
        monkeypatch.setenv(variable, value)
    assert call(project, "init", "--agent", "claude", "--yes").returncode == 0
    case.apply(home_of(project) / "config" / "settings.json", project)
    assert is_guarded(drive, project) != case.is_dead
    assert (case.id, case.severity) in {(each["id"], each["severity"]) for each in doctor(project)["problems"]}
    assert (case.id in {each["id"] for each in doctor(project, "--fix")["mended"]}) == case.is_mended
    if case.is_mended:
        assert case.id not in {each["id"] for each in doctor(project)["problems"]}
        assert is_guarded(drive, project)
