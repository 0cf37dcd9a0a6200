"""No secret reaches a row, in whatever field it comes; a row fits into its place, whatever comes."""

import json
import os
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookkit.hooks import record
from hookkit.ledger import evidence, journal, lines, places
from hookkit.model import Answer, Decision, Event
from hookkit.settings.layers import Settings
from tests.conftest import slow
from tests.system.masking.test_masking import FILLED, SECRETS, filled, rows

LETTERS = string.ascii_letters + string.digits
quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def token(size: int) -> st.SearchStrategy[str]:
    """Mixed as real ones are: one of letters alone could be a word."""
    return st.text(LETTERS, min_size=size, max_size=size).map(lambda text: f"9{text[1:-2]}k7")


# A secret as it is planted, and the part of it that must not be found.
SHAPES: list[tuple[str, str]] = [
    ("ghp_{}", "{}"),
    ("sk-ant-api03-{}", "{}"),
    ("AKIA{U}", "{U}"),
    ("eyJhbGciOiJIUzI1NiJ9.{}.{}", "{}"),
    ("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", "{}"),
    ("https://user:{}@example.com/x.git", "{}"),
    ("curl -u admin:{} https://example.com", "{}"),
    ("curl -H 'Authorization: Bearer {}' https://example.com", "{}"),
    ("export DB_PASSWORD={}", "{}"),
    ("API_KEY={} npm run deploy", "{}"),
    ("mysql -uroot -p{} shop", "{}"),
    ("docker login --password {}", "{}"),
    ('{{"client_secret": "{}"}}', "{}"),
    ("https://hooks.slack.com/services/{}", "{}"),
]
# Where an agent's event can hold a text.
PLACES = [
    lambda text: ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": text}}),
    lambda text: ("PreToolUse", {"tool_name": "Write", "tool_input": {"file_path": "/p/a", "content": text}}),
    lambda text: ("PreToolUse", {"tool_name": "mcp__x__y", "tool_input": {"deep": [{"er": {"still": text}}]}}),
    lambda text: ("PostToolUse", {"tool_name": "Edit", "tool_input": {"old_string": "a", "new_string": text}}),
    lambda text: ("PostToolUse", {"tool_name": "Bash", "tool_input": {}, "tool_response": {"stdout": text}}),
    lambda text: (
        "PostToolUse",
        {
            "tool_name": "Write",
            "tool_response": {"structuredPatch": [{"lines": [f"+{line}" for line in text.split("\n")]}]},
        },
    ),
    lambda text: ("PostToolUseFailure", {"tool_name": "Bash", "tool_input": {}, "error": f"Exit code 1\n{text}"}),
    lambda text: ("UserPromptSubmit", {"prompt": text}),
    lambda text: ("Notification", {"message": text}),
    lambda text: ("Stop", {"last_assistant_message": text}),
    lambda text: ("NeverHeardOf", {"a": {"b": [text]}}),
]


def written(name: str, fields: dict[str, Any], environ: dict[str, str], **values: Any) -> str:
    """The journal's bytes after one event."""
    layers = Settings(environ)
    layers.values = {f"ledger.{key}": value for key, value in values.items()}
    for path in places.paths(environ):
        os.unlink(path)
    record.run(Event(name, {"session_id": "s", "cwd": "/p", **fields}), layers)
    (path,) = places.paths(environ)
    return Path(path).read_text(encoding="ascii")


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "TMPDIR": str(home)}


@pytest.mark.parametrize("shape", SHAPES, ids=[row[0][:24] for row in SHAPES])
@quick
@given(secret=token(40), place=st.sampled_from(PLACES), around=st.sampled_from(["", "make test\n", "see: "]))
def test_a_planted_secret_is_never_written(
    shape: tuple[str, str], secret: str, place: Any, around: str, environ: dict[str, str]
) -> None:
    upper = secret.upper()[:16]
    text = around + shape[0].replace("{U}", upper).replace("{}", secret).replace("{{", "{").replace("}}", "}")
    name, fields = place(text)
    said = written(name, fields, environ, output=4000)
    hidden = shape[1].replace("{U}", upper).replace("{}", secret)
    assert hidden not in said
    assert hidden[:12] not in said


@st.composite
def values(draw: st.DrawFn) -> dict[str, str]:
    """Something random for each that stands for a secret in the cases."""
    sizes = {"S": 12, "T": 20, "H": 40, "U": 16, "N": 8}
    alphabets = {"H": "0123456789abcdef", "U": string.ascii_uppercase + string.digits, "N": "123456789"}
    drawn = {
        name: draw(st.text(alphabets.get(name, LETTERS), min_size=size, max_size=size)) for name, size in sizes.items()
    }
    return {name: text if name in alphabets else f"9K{text[2:-2]}k7" for name, text in drawn.items()}


PLANTED = [row for row in SECRETS if filled(row["text"]) != row["text"]]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    row=st.sampled_from(PLANTED),
    secrets=values(),
    place=st.sampled_from(PLACES),
    before=st.sampled_from(["", "make\n"]),
)
def test_no_secret_of_any_case_is_in_a_row(
    row: dict[str, str], secrets: dict[str, str], place: Any, before: str, environ: dict[str, str]
) -> None:
    name, fields = place(before + filled(row["text"], secrets))
    layers = Settings(environ)
    layers.values = {"ledger.output": 4000}
    said = evidence.row(Event(name, {"session_id": "s", "cwd": "/p", **fields}), layers)
    told = json.dumps({key: value for key, value in said.items() if key != "same"})
    assert not [secret for key, secret in secrets.items() if f"{{{key}}}" in row["text"] and secret[:8] in told]


@pytest.mark.parametrize("row", rows("inputs.jsonl"), ids=lambda row: row["id"])
def test_an_input_is_shown_without_what_its_names_or_its_file_give_away(
    row: dict[str, Any], environ: dict[str, str]
) -> None:
    asked, shown = (json.loads(filled(json.dumps(row[name]))) for name in ("input", "shown"))
    said = evidence.row(Event("PreToolUse", {"tool_name": row["tool"], "tool_input": asked}), Settings(environ))
    assert said["input"] == shown


def test_a_reason_that_quotes_the_command_is_masked_as_the_command_is(environ: dict[str, str]) -> None:
    """The policy's reason begins with the command's words, and nothing there gives the secret away."""
    command = f"echo 'h:5432:db:me:{FILLED['S']}' > ~/.pgpass"
    said = evidence.row(
        Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": command}}), Settings(environ)
    )
    assert said["verdict"] == "deny"
    assert said["reason"].startswith("hookkit [secrets.overwrite]: echo [masked]: ")


def test_what_a_command_shows_of_a_secret_file_is_hidden(environ: dict[str, str]) -> None:
    layers = Settings(environ)
    layers.values = {"ledger.output": 4000}
    shown = []
    for tool, asked, response in (
        ("Bash", {"command": "cat .env && make"}, {"stdout": f"A={FILLED['S']}\nmake: done"}),
        ("Bash", {"command": "cat ~/.netrc"}, {"stdout": FILLED["S"]}),
        ("Bash", {"command": "ssh -i ~/.ssh/id_rsa host ls"}, {"stdout": "a b"}),
        ("Read", {"file_path": "/p/id_rsa"}, {"file": {"content": FILLED["S"]}}),
    ):
        event = Event("PostToolUse", {"tool_name": tool, "tool_input": asked, "tool_response": response})
        shown.append(evidence.row(event, layers)["output"])
    assert shown == ["A=[masked]\nmake: done", "[masked]", "a b", "[masked]"]


def test_a_changed_input_is_masked_as_the_input_is(environ: dict[str, str]) -> None:
    event = Event("PreToolUse", {"tool_name": "Write", "tool_input": {"file_path": "/p/.env", "content": "A=1"}})
    changed: dict[str, object] = {"file_path": "/p/.env", "content": f"A={FILLED['S']}"}
    event.answers = [Answer("x", Decision(updated_input=changed), None, 0.0)]
    said = evidence.row(event, Settings(environ))
    assert said["changed"] == {"file_path": "/p/.env", "content": "A=[masked]"}


def test_texts_that_leave_little_in_the_row_are_not_searched_for_ever(environ: dict[str, str]) -> None:
    """Each is masked to a word, so that the row's room would last for thousands of them."""
    text = ("password='" + "x" * 80 + "' ") * 50
    asked = {f"k{number}": [text] * 50 for number in range(50)}
    said = evidence.row(Event("PreToolUse", {"tool_name": "x", "tool_input": asked}), Settings(environ))
    flat = [text for texts in said["input"].values() if isinstance(texts, list) for text in texts]
    assert sum(text != "…" for text in flat) <= evidence.SEARCHED // len(text) + 1


KEYS = ["password", "api_key", "ACCESS_TOKEN", "client-secret", "privateKey", "DB_PASS"]


@quick
@given(key=st.sampled_from(KEYS), secret=st.integers(8, 900).flatmap(token))
def test_a_value_under_a_telling_name_is_never_written(key: str, secret: str, environ: dict[str, str]) -> None:
    for fields in (
        {"tool_name": "mcp__x__y", "tool_input": {key: secret}},
        {"tool_name": "x", "tool_input": {"a": [{key: secret}]}},
    ):
        said = written("PreToolUse", fields, environ)
        assert secret not in said
        assert secret[:8] not in said


@pytest.mark.parametrize("path", ["/p/.env", "/p/.env.local", "/p/prod.env", ".envrc"])
@quick
@given(value=token(12), name=st.text(string.ascii_uppercase, min_size=1, max_size=8))
def test_no_value_of_an_environment_file_is_ever_written(
    path: str, value: str, name: str, environ: dict[str, str]
) -> None:
    text = f"# a note\n{name}={value}\nexport B={value}\n"
    patch = [{"lines": [f"+{line}" for line in text.split("\n")]}]
    for event, fields in (
        ("PreToolUse", {"tool_input": {"file_path": path, "content": text}}),
        ("PreToolUse", {"tool_input": {"file_path": path, "old_string": "a", "new_string": text}}),
        ("PostToolUse", {"tool_input": {"file_path": path, "old_string": "a", "new_string": text}}),
        ("PostToolUse", {"tool_input": {"file_path": path}, "tool_response": {"structuredPatch": patch}}),
    ):
        said = written(event, {"tool_name": "Write", **fields}, environ)
        assert value not in said
        assert f"{name}=[masked]" in said


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=12,
)
NAMES = ["session_id", "cwd", "tool_name", "tool_input", "tool_use_id", "tool_response", "error", "duration_ms",
         "prompt", "permission_mode", "agent_type", "agent_id", "anything"]  # fmt: skip


@quick
@given(fields=st.dictionaries(st.sampled_from(NAMES), json_values, max_size=8),
       name=st.sampled_from(["PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "\ud800"]))  # fmt: skip
def test_any_event_is_a_row(fields: dict[str, Any], name: str, environ: dict[str, str]) -> None:
    row = evidence.row(Event(name, fields), Settings(environ))
    assert len(json.dumps(row, allow_nan=False)) < journal.LONGEST - 1000


WIDE = "\U0001f600" * 100_000
HUGE = [
    {"tool_name": "x", "tool_input": {f"key {number}": WIDE for number in range(300)}},
    {"tool_name": "x", "tool_input": {"a": [[[[[1] * 100] * 100] * 100] * 100]}},
    {"tool_name": "x", "tool_input": {"a": [[[[["x"] * 50] * 50] * 50] * 50]}},
    dict.fromkeys(NAMES, WIDE),
    {f"field {number}": number for number in range(100_000)},
    {WIDE: WIDE},
    {"tool_name": "Write", "tool_input": {"file_path": WIDE}, "cwd": WIDE, "session_id": WIDE, "error": WIDE},
    {"tool_name": "x", "duration_ms": 10**400, "tool_input": {"a": 10**4000}},
]


@pytest.mark.parametrize("name", ["PreToolUse", *slow("PostToolUse", "PostToolUseFailure", "Stop")])
@pytest.mark.parametrize("fields", [*HUGE[1:], *slow(HUGE[0])], ids=range(len(HUGE)))
def test_the_largest_event_fits(fields: dict[str, Any], name: str, environ: dict[str, str]) -> None:
    said = written(name, {**fields}, environ, output=100_000)
    assert len(said) < journal.LONGEST
    assert lines.row(said.encode().rstrip(b"\n")) is not None


def test_a_long_text_is_cut_after_it_was_masked(environ: dict[str, str]) -> None:
    """A secret that the cut goes through is masked whole first."""
    text = "x" * (evidence.LONGEST - 12) + " ghp_" + "a1" * 20
    said = lines.row(written("UserPromptSubmit", {"prompt": text}, environ).encode().rstrip(b"\n"))
    assert said is not None
    assert said["more"]["prompt"] == "x" * (evidence.LONGEST - 12) + " [masked]"
