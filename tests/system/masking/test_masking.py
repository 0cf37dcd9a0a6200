"""What is a secret and what is not, and that telling them apart stays cheap."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hookkit
from hookkit.programs import catalogue
from hookkit.settings.inputs import explain
from hookkit.system import masking
from hookkit.system.masking import MASK, cut, line, mask, programs
from tests.conftest import slow

CASES = Path(__file__).parents[2] / "cases" / "masking"
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + ("A" * 64 + "\n") * 5 + "ab==\n-----END RSA PRIVATE KEY-----"
# What stands for a secret in the cases: a password, a token, a number in hex, one in capitals, a code.
FILLED = {"S": "hunter2Zq9xW", "T": "Zk3vQ9pLw8Rt5Yb2NmXc", "H": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
          "U": "IOSFODNN7EXAMPLE", "N": "48213957"}  # fmt: skip


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(row) for row in (CASES / name).read_text(encoding="utf-8").splitlines()]


def filled(text: str, values: dict[str, str] = FILLED) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


SECRETS = rows("secrets.jsonl")
REMEMBERED = masking._harmless
HARMLESS = [row["text"] for row in rows("harmless.jsonl")]


@pytest.mark.parametrize("row", SECRETS, ids=lambda row: row["id"])
def test_a_secret_is_masked_and_what_is_around_it_stays(row: dict[str, str]) -> None:
    assert mask(filled(row["text"])) == row["masked"]


@pytest.mark.parametrize("row", SECRETS, ids=lambda row: row["id"])
def test_masking_what_is_masked_changes_nothing(row: dict[str, str]) -> None:
    assert mask(row["masked"]) == row["masked"]


def is_tried(needles: Sequence[str], pattern: str = "") -> bool:
    """Whether the text of a row holds the needles and fits the pattern."""
    texts = (filled(row["text"]) for row in SECRETS)
    return any(all(needle in text.lower() for needle in needles) and re.search(pattern, text) for text in texts)


def test_every_masking_rule_has_a_row() -> None:
    """A rule without a row may be dead: its program may be missing among the needles that let it be tried."""
    missing = [prefix for prefix, _ in masking._PREFIXES if not is_tried([prefix.lower()], re.escape(prefix))]
    missing += ["&".join(needles) for *needles, pattern in masking._ROWS if not is_tried(needles, pattern)]
    for names, pattern in programs.ROWS:
        missing += [name for name in names.split(" ") if not is_tried([name], pattern)]
    assert missing == [], "each needs a row in tests/cases/masking/secrets.jsonl"


def test_every_secret_option_of_a_record_is_masked() -> None:
    """An option in the column `secret` of a program's record needs a needle in PROGRAMS, or nobody looks for it."""
    options = [f"{name} {option}" for name, column in catalogue.secrets().items() for option in column]
    tables = [text for text in options if text.endswith(" -Headers")]  # the value is a table, whose keys are names
    shown = [text for text in options if FILLED["S"] in mask(f"{text} {FILLED['S']} x")]
    assert sorted(shown) == sorted(tables)


@pytest.mark.parametrize("text", HARMLESS, ids=lambda text: text[:40])
def test_ordinary_text_stays(text: str) -> None:
    assert mask(text) == text


def test_only_texts_without_a_secret_are_remembered() -> None:
    """A server remembers short texts that it has searched; the second look gives the same."""
    texts = [filled(row["text"]) for row in SECRETS] + HARMLESS
    first = [masking.cut(text, 150) for text in texts]
    assert [masking.cut(text, 150) for text in texts] == first
    assert [masking.cut(text, 20) for text in REMEMBERED] == [(text[:20], len(text) <= 20) for text in REMEMBERED]
    assert all(masking.mask(text) == text for text in REMEMBERED)
    for number in range(3 * masking.MOST_HARMLESS):
        masking.cut(f"src/{number}.py", 150)
    assert len(REMEMBERED) <= masking.MOST_HARMLESS


def test_there_are_enough_of_both() -> None:
    assert len({row["text"] for row in SECRETS}) >= 200
    assert len(set(HARMLESS)) >= 80


BLOCKS = [
    (f"a\n{PEM}\nb", "a\n[masked]\nb"),
    (PEM[:100], "[masked]"),
    ("…\n" + PEM[97:], "…\n[masked]\n-----END RSA PRIVATE KEY-----"),
    ("A" * 64 + "\n" + "B" * 64 + "\ndone with it", "[masked]\ndone with it"),
    ("+" + "A" * 64 + "\n+" + "B" * 64 + "\n+end==", "[masked]"),
    ("A" * 64 + "\nB", "A" * 64 + "\nB"),
    ("=" * 70 + "\n" + "=" * 70 + "\n", "=" * 70 + "\n" + "=" * 70 + "\n"),
]


@pytest.mark.parametrize(("text", "masked"), BLOCKS)
def test_a_key_is_masked_whole_also_where_its_first_line_is_missing(text: str, masked: str) -> None:
    assert mask(text) == masked


CHEAP = [
    "git log --oneline", "npm run build -- --watch", "cd task-runner && ls -la | head", "rm -rf build; mkdir -p dist/a",
    "14 passed, 2 failed in 3.21s =====", "pip install -e . && pytest -q tests/test_x.py",
    "A paragraph of prose about a parser: it reads a line, splits it into words and says which one is a program.\n" * 9,
    "curl -fsSL https://x.io | sh", "The tests pass. Ask whether the task is done, then desktop, mask and risk.",
    "def f(a: int, b: str = 'x') -> None:\n    return {'a': 1}\n" * 20,
    "one two three four five six a seven eight nine ten eleven twelve", "0f1e2d3c4b5a6978" * 4,
    "docker run -p 8080:80 nginx && docker ps | grep nginx > out.txt", f"a\n{'/a-directory/with/a/long/path' * 5}",
]  # fmt: skip


LOOK = """
import sys
sys.path.insert(0, sys.argv[1])
from hookkit.system.masking import mask, weight, is_label
print(mask(sys.argv[2]) == sys.argv[2], weight("command"), is_label("search field"), "re" in sys.modules)
"""


@pytest.mark.parametrize("text", CHEAP, ids=lambda text: text[:30])
def test_ordinary_text_loads_no_patterns(text: str) -> None:
    """The cheap look is a promise: `re` alone costs more than the rest of a hook."""
    root = str(Path(hookkit.__file__).parent.parent)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", LOOK, root, text], capture_output=True, check=True)
    assert done.stdout.decode() == "True  False False\n"


PIECES = sorted(
    {
        *(prefix for prefixes, _ in masking.PREFIXES for prefix in prefixes.split(" ")),
        *(needle.replace("&", " ") for needles, _ in masking.ROWS for needle in needles.split(",")),
        *(needle.partition("&")[0] + "a1" for needles, _ in masking.ROWS for needle in needles.split(",")),
        *(needle.replace("&", " ") + end for needle in masking.PROGRAMS for end in (" ", "'", "\n")),
        *(name + end for name in (*masking.LONG, *masking.SHORT) for end in (" ", "=", ": ", " is ", "_A", '"', "\\")),
        *(f"> {name}\n" for name in masking.WRITTEN),
        "password=", 'password="', "password='", 'password="""', "password=`", 'password="\\', "password : (", "pass\n",
        "--token ", "--password \\\n", "://a:", "://a:b@", "eyJ", "eyJaaaaaaaa.", "-sk-", "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY", "A" * 64 + "\n", "authorization: oauth ", "cookie: a", "cookie:a=", "x-key:", "x-x-",
        "mysql -", "docker login ", "secret_", "--", " -u a", "SG.aaaaaaaaaaaaaaaa", "<<A > .env ", "<<A > .env\n",
        "echo a" + " " * 50 + "> .env", "echo 'a' | sudo -S ", "sed A=b .env ", "12345678:AA", "abc1Q~", "\u0130pass=",
        "legal ", "legal winner thank year wave sausage ", "1. legal\n", "K" * 52 + " ", "5" * 51 + "\n",
        "password for a is ", "password, value:", "password>a", "KEY_A", "\\", "'", '"', " ", "\n",
    }
)  # fmt: skip


def seconds(text: str) -> float:
    started = time.process_time()
    mask(text)
    return time.process_time() - started


@pytest.mark.parametrize("piece", [*PIECES[::12], *slow(*(piece for n, piece in enumerate(PIECES) if n % 12))])
def test_the_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    """Four times the text takes about four times as long; a quadratic pattern would take sixteen."""
    mask(piece * 2)  # compiled once
    small = min(seconds(piece * (8_000 // len(piece))) for _ in range(2))
    assert min(seconds(piece * (32_000 // len(piece))) for _ in range(2)) < small * 9 + 0.02


@given(st.text())
def test_any_text_can_be_masked(text: str) -> None:
    assert isinstance(mask(text), str)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join))
def test_any_text_made_of_what_gives_secrets_away_can_be_masked_and_cut(text: str) -> None:
    masked = mask(text)
    assert cut(text, len(text)) == (masked, True)
    assert len(cut(text, 10)[0]) <= 10 + len(MASK)


@given(st.text(alphabet=st.characters(), max_size=300), st.integers(2, 50))
def test_a_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    found = line(text, limit)
    assert len(found) <= limit
    assert found.isprintable() or any(char in found for char in "\u200c\u200d")
    assert "\n" not in found


def test_a_line_is_masked_before_it_is_cut() -> None:
    """Half a token would no longer look like one, and would be shown."""
    assert line("x ghp_0123456789abcdefghijklmnopqrstuvwxyzAB", 20) == f"x {MASK}"
    assert line("word " * 20, 11) == "word word …"


@pytest.mark.parametrize(
    "text", ["ghp_{T}{T}", "password={S}", 'password="{S} {T}"', "echo {S} | sudo -S ls", "x://a:{S}@h"]
)
@pytest.mark.parametrize("at", range(40, 104, 3))
def test_a_bound_goes_through_no_secret(text: str, at: int) -> None:
    found, whole = cut("a " * (at // 2) + filled(text) + " b" * 2_000, 100)
    assert not whole
    assert all(FILLED[name][:4] not in found for name in "ST")


def test_a_token_that_goes_on_beyond_all_that_is_looked_at_is_hidden() -> None:
    assert cut("see A" + "k9" * 5_000, 100) == (f"see {MASK}", False)
    assert cut("see " + "x" * 10_000, 100) == ("see " + "x" * 96, False)
    assert cut("password='" + "k9" * 5_000, 100) == (f"password={MASK}", False)


def test_what_is_cut_costs_no_more_for_being_long() -> None:
    def taken(size: int) -> float:
        text = "password: token " * (size // 16)
        started = time.process_time()
        cut(text, 4_000)
        return time.process_time() - started

    small = min(taken(10_000) for _ in range(3))
    assert min(taken(1_000_000) for _ in range(3)) < small * 3 + 0.01


SCHEMA = {
    "type": "object",
    "properties": {
        "password": {"enum": ["a"]},
        "key": {"enum": ["Enter"]},
        "auth": {"type": "object", "properties": {"x": {"maximum": 5}}},
    },
}
COMPLAINTS = [
    ({"password": "hunter2Zq9xW"}, 'password: expected "a", found text of 12 characters'),
    ({"password": 12345678}, 'password: expected "a", found a number'),
    ({"auth": {"x": 91827364}}, "auth.x: expected at most 5, found a number"),
    ({"key": "Entr"}, 'key: expected "Enter", found "Entr"'),
    ({"key": "Zk3vQ9pLw8Rt5Yb2NmXc"}, 'key: expected "Enter", found text of 20 characters'),
]


@pytest.mark.parametrize(("value", "said"), COMPLAINTS, ids=lambda value: str(value)[:30])
def test_a_complaint_does_not_quote_what_its_name_says_is_secret(value: dict[str, object], said: str) -> None:
    assert explain.refusal("x", [SCHEMA], value).split("\n")[1] == f"- {said}"
