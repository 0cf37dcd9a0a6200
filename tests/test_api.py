"""The public Python API is stable: names, parameters, types. A change here is a change for every user's handlers."""

import inspect
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import get_type_hints

import pytest

import hookkit
from hookkit import Decision, Event, judge
from hookkit.pipeline import Invocation
from hookkit.system import jsons
from tests.conftest import Run

SIGNATURES = {
    "judge": "(call: str | collections.abc.Mapping[str, object], tool: str = 'Bash', *,"
    " cwd: str | os.PathLike[str] | None = None, actor: str = '',"
    " environ: collections.abc.Mapping[str, str] | None = None) -> hookkit.model.Decision",
    "Decision": "(verdict: str | None = None, reason: str = '', *, updated_input: dict[str, object] | None = None,"
    " context: str = '', message: str = '') -> None",
    "Event": "(name: str, fields: dict[str, object]) -> None",
}
EVENT = (
    "agent", "command", "cwd", "fields", "name", "project", "prompt", "session_id", "tool_input", "tool_name",
)  # fmt: skip
DECISION = ("context", "evidence", "message", "reason", "rule", "updated_input", "verdict")


def test_the_names_are_these() -> None:
    assert hookkit.__all__ == ["Decision", "Event", "__version__", "judge"]
    with pytest.raises(ImportError):
        from hookkit import guess  # type: ignore[attr-defined]  # noqa: F401


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_parameters_are_these(name: str) -> None:
    assert str(inspect.signature(getattr(hookkit, name))) == SIGNATURES[name]


def test_the_attributes_are_these() -> None:
    event, decision = (
        Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
        Decision("deny", "no"),
    )
    assert [name for name in EVENT if not hasattr(event, name)] == []
    assert [name for name in DECISION if not hasattr(decision, name)] == []
    assert (event.command, decision.verdict, decision.reason) == ("ls", "deny", "no")
    assert get_type_hints(judge)["return"] is Decision
    assert repr(decision) == "Decision('deny', 'no')"
    assert repr(Decision(message="Hm.")) == "Decision(None, '', message='Hm.')"


def test_a_hook_loads_nothing_of_the_api() -> None:
    """Every hook of every user imports the package first."""
    code = "import sys; before = set(sys.modules); import hookkit; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['hookkit']\n"


@pytest.mark.parametrize(
    ("call", "tool", "verdict"),
    [
        ("rm -rf ~", "Bash", "deny"),
        ("git status", "Bash", None),
        ({"command": "rm -rf ~"}, "Bash", "deny"),
        ("hookkit.toml", "Write", "ask"),
        ({"file_path": "src/x.py"}, "Write", None),
    ],
)
def test_judge_answers_as_the_policy_does(
    project: Path, call: str | dict[str, object], tool: str, verdict: str
) -> None:
    decision = judge(call, tool, cwd=project)
    assert decision.verdict == verdict
    assert bool(decision.reason) == bool(verdict)


def test_judge_uses_the_settings_of_the_directory_and_notices_a_change(project: Path) -> None:
    assert judge("make release", cwd=project).verdict is None
    rules = project / "hookkit.toml"
    rules.write_text('[[rules]]\ntype = "deny"\nmatch = "Bash(make release)"\n')
    assert judge("make release", cwd=project).verdict == "deny"
    rules.write_text('[[rules]]\ntype = "deny"\nmatch = "Bash(make release)"\nactors = ["agent:writer"]\n')
    assert judge("make release", cwd=project).verdict is None
    assert judge("make release", cwd=project, actor="agent:writer").verdict == "deny"


def test_a_warm_judge_opens_no_file(project: Path) -> None:
    """So a call costs well under a millisecond; the figures come from benchmarks/api.py."""
    code = textwrap.dedent("""
        import sys
        from hookkit import judge
        judge("git push --force")
        opened = []
        sys.addaudithook(lambda name, args: opened.append(args[0]) if name == "open" else None)
        judge("git push --force")
        print(opened)
    """)
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_program_that_asks_leaves_the_settings_of_the_hooks_as_they_are(
    project: Path, home: Path, hookkit: Run
) -> None:
    """Else each run of the program would make the next hook compile all rules anew, and the other way round."""
    (project / "hookkit.toml").write_text('[[rules]]\ntype = "deny"\nmatch = "Bash(make release)"\n')
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(project), "tool_name": "Bash"}

    def kept() -> dict[str, int]:
        hookkit("run", stdin={**event, "tool_input": {"command": "make release"}}, cwd=project)
        return {path.name: path.stat().st_mtime_ns for path in (home / ".local/state/hookkit/settings").iterdir()}

    before = kept()
    code = "from hookkit import judge; print(judge('make release').verdict, judge('make release', cwd='/').verdict)"
    for flags in ((), ("-X", "utf8")):
        done = subprocess.run(
            [sys.executable, *flags, "-c", code], cwd=project, capture_output=True, text=True, check=True
        )
        assert done.stdout == "deny None\n"
    assert kept() == before


def test_judge_answers_where_the_working_directory_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = "import os; from hookkit import judge; os.rmdir(os.getcwd()); print(judge('rm -rf ~').verdict)"
    done = subprocess.run([sys.executable, "-c", code], cwd=gone, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("deny\n", "")


def test_a_function_of_a_handler_may_ask_the_policy(project: Path, home: Path) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[[hooks]]\nevent = "PreToolUse"\n[hooks.inline]\nfunction = "checks.py:second_look"\n')
    (path.parent / "checks.py").write_text(
        "from hookkit import Decision, Event, judge\n\n\n"
        "def second_look(event: Event) -> Decision | None:\n"
        "    inner = event.tool_input.get('script', '')\n"
        "    return judge(inner, cwd=event.cwd) if inner else None\n"
    )
    call = {"hook_event_name": "PreToolUse", "cwd": str(project), "session_id": "s", "tool_name": "mcp__x__run"}
    raw = jsons.dumps({**call, "tool_input": {"script": "rm -rf ~"}}).encode()
    assert '"permissionDecision":"deny"' in Invocation("run", [], dict(os.environ)).answer(raw).replace(" ", "")


def test_the_examples_of_the_page_say_what_comes_out(project: Path) -> None:
    """Each `print` of docs/api.md with a comment prints the comment's first word."""
    page = (Path(__file__).parent.parent / "docs" / "api.md").read_text()
    example = page.split("```python\n")[3].split("```")[0]
    done = subprocess.run([sys.executable, "-c", example], cwd=project, capture_output=True, text=True, check=True)
    expected = [line.partition("# ")[2].split()[0].rstrip(":") for line in example.splitlines() if "# " in line]
    assert [line.split()[0] for line in done.stdout.splitlines()[: len(expected)]] == expected
