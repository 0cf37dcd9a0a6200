"""A compaction with a long LOCAL.md: the screen stays quiet, and the model gets the text once."""

import shutil
from collections.abc import Callable
from pathlib import Path

from .conftest import ROOT
from .harness import write
from .terminal import Sitting

Sit = Callable[..., Sitting]

NOTE = "The staging database is called heron."


def test_a_compaction_leaves_the_screen_quiet(sit: Sit, project: Path) -> None:
    lines = [f"{number}: ask before you touch table {number}." for number in range(250)]
    text = write(project / "LOCAL.md", "\n".join([NOTE, *lines]))
    assert 9_000 < len(text.read_text()) < 9_600
    shutil.copy(ROOT / "settings.example.json", write(project / ".claude" / "settings.json", ""))
    then = [("/compact", "Compacted ("), ("what else?", "All is well.")]
    sitting = sit(project, turns=["Hello there.", "All is well."], until="Hello there.", then=then)
    shown = [line for line in sitting.seen if "ask before you touch" in line or NOTE in line]
    assert shown == []
    [summary] = sitting.run.summaries()
    assert [prompt.added.count(NOTE) for prompt in sitting.run.prompts()] == [1, 1]
    assert NOTE not in summary.said.rpartition("create a detailed summary of the conversation")[2]
    assert sitting.run.faults() == []
