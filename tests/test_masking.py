"""What is a secret and what is not, and that telling them apart stays cheap."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit.masking import MASK, line, mask

PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + ("A" * 64 + "\n") * 5 + "ab==\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("AKIAIOSFODNN7EXAMPLE", "[masked]"),
    ("id ASIAIOSFODNN7EXAMPLE.", "id [masked]."),
    ("ghp_0123456789abcdefghijklmnopqrstuvwxyzAB", "[masked]"),
    ("github_pat_11ABCDEFG0aaaaaaaaaaaaaaaaa_bbbbbbbb", "[masked]"),
    ("glpat-0123456789abcdefghij", "[masked]"),
    ("xoxb-1234567890-abcdefgh", "[masked]"),
    ("https://hooks.slack.com/services/T00/B00/XXXX", "https://hooks.slack.com/services/[masked]"),
    ("sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA", "[masked]"),
    ("sk-proj-abcdEFGH1234567890abcdEFGH", "[masked]"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "[masked]"),
    ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "[masked]"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF_-123", "[masked]"),
    (f"a\n{PEM}\nb", "a\n[masked]\nb"),
    (PEM[:100], "[masked]"),
    ("…\n" + PEM[97:], "…\n[masked]\n-----END RSA PRIVATE KEY-----"),
    ("password=hunter2", "password=[masked]"),
    ("password=123456", "password=[masked]"),
    ("passwd=p@ss,word)x rest", "passwd=[masked] rest"),
    ("MY_PASSWORD='it is' ls", "MY_PASSWORD=[masked] ls"),
    ('password="never closed', "password=[masked]"),
    ('password: "a\\"b c" d', "password: [masked] d"),
    ("--token abc", "--token [masked]"),
    ("--db-password 'a b c' -x", "--db-password [masked] -x"),
    ("--api-key=xyz", "--api-key=[masked]"),
    ("FOO_SECRET=abc cmd", "FOO_SECRET=[masked] cmd"),
    ('export API_KEY="a b"', "export API_KEY=[masked]"),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPx", "AWS_SECRET_ACCESS_KEY=[masked]"),
    ("aws_secret_access_key = wJalrXUtnFEMIK7MDENG", "aws_secret_access_key = [masked]"),
    ("GITHUB_PAT=abc STRIPE_KEY=def", "GITHUB_PAT=[masked] STRIPE_KEY=[masked]"),
    ("https://x/?access_token=abc&x=1", "https://x/?access_token=[masked]&x=1"),
    ('{"password": "hunter2", "a": 1}', '{"password": [masked], "a": 1}'),
    (r'curl -d "{\"password\": \"hunter2\"}" x', r'curl -d "{\"password\": [masked]}" x'),
    ("clientSecret: 'abc'", "clientSecret: [masked]"),
    ("db:\n  password: correcthorse\n  port: 1", "db:\n  password: [masked]\n  port: 1"),
    ("Authorization: Bearer abc.def", "Authorization: Bearer [masked]"),
    ('curl -H "authorization: Basic dXNlcjpwYXNz" x', 'curl -H "authorization: Basic [masked]" x'),
    ("use Bearer abc123def456", "use Bearer [masked]"),
    ("curl -H 'X-Api-Key: abcdefgh' x", "curl -H 'X-Api-Key: [masked]' x"),
    ("Cookie: session=abc; b=c", "Cookie: [masked]"),
    ("postgres://bob:hunter2@db/x", "postgres://bob:[masked]@db/x"),
    ("redis://:hunter2@h", "redis://:[masked]@h"),
    ("https://0123456789abcdef0123@host/x", "https://[masked]@host/x"),
    ("curl -u bob:hunter2 https://x", "curl -u bob:[masked] https://x"),
    ("mysql -u root -psecret db", "mysql -u root -p[masked] db"),
    ("sshpass -p secret ssh x", "sshpass -p [masked] ssh x"),
]

ORDINARY = [
    "git show 67b118e1d1a83a1e67b118e1d1a83a1e67b118e1",
    "550e8400-e29b-41d4-a716-446655440000",
    "/home/dev/secret/token.txt and src/tokens/password.py",
    "the token is a word, pass the token to the parser",
    "fix the password reset page",
    "max_tokens=4096 and input_tokens: 123456",
    "--token is the flag to use",
    '--token $GITHUB_TOKEN --password "$PW"',
    "TOKEN=$(gh auth token) ls",
    "token = lexer.next()",
    'if token == "x": pass',
    "docker run -u 1000:1000 img",
    "git push -u origin main",
    "npm run token:generate",
    "cd task-runner && ls",
    "bypass=1 PWD=/home/x OLDPWD=/",
    "pass=12 fail=0",
    "http://localhost:8080/a@b",
    "git@github.com:org/repo.git",
    "https://github.com/org/repo",
    "Bearer of bad news",
    "authorization: required for this",
    "token: invalid",
    "sk-circle-fade-dot-animation",
    "secret_name=foo password=None",
]


@pytest.mark.parametrize(("text", "masked"), SECRETS, ids=lambda text: text[:40])
def test_a_secret_is_masked_and_what_is_around_it_stays(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize("masked", [masked for _, masked in SECRETS], ids=lambda text: text[:40])
def test_masking_what_is_masked_changes_nothing(masked: str) -> None:
    assert mask(masked) == masked


@pytest.mark.parametrize("text", ORDINARY, ids=lambda text: text[:40])
def test_ordinary_text_stays(text: str) -> None:
    assert mask(text) == text


HOSTILE = [
    "password=", 'password="', "password='", 'password="\\', "password : ", "password:", "pass\n", "--token ", "://a:",
    "eyJ", "eyJaaaaaaaa.", "sk-", "-sk-", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY", "A" * 64 + "\n",
    "authorization: ", "bearer ", "x-", "x-key:", "cookie: a", "mysql -", "secret_", "--", " -u a",
    "SG.aaaaaaaaaaaaaaaa",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    """Eight times the text takes about eight times as long; a quadratic pattern would take sixty-four."""

    def cost(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.process_time()
        mask(text)
        return time.process_time() - started

    mask(piece * 2)  # compiled once
    small = min(cost(8_000) for _ in range(3))
    assert min(cost(64_000) for _ in range(3)) < small * 30 + 0.05


@given(st.text())
def test_any_text_can_be_masked(text: str) -> None:
    assert isinstance(mask(text), str)


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
