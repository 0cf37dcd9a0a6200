"""Two failures are the same if only times, sizes or temporary paths differ."""

import pytest

from hookkit.work.gates.counts import key

ENVIRON = {"TMPDIR": "/scratch/me"}
SAME = [
    ("1 failed in 0.12s", "1 failed in 1.05s"),
    ("1 failed in 59.9 seconds", "1 failed in 1m 12s"),
    ("FAIL pkg 0.004s", "FAIL pkg 12.3s"),
    ("ok (1,204 ms)", "ok (88 ms)"),
    ("built 12.4 kB", "built 13 kB"),
    ("sent 10 MB/s", "sent 2.5 MB/s"),
    ("wrote 812 bytes", "wrote 9,001 bytes"),
    ("at 2026-11-17T22:18:29Z", "at 2026-11-18 01:02:03.5"),
    ("[22:18:29] x", "[9:01:02.123] x"),
    ("E  /tmp/pytest-of-a/pytest-12/test_x0/out: no", "E  /tmp/pytest-of-a/pytest-13/test_x0/out: no"),
    ("see /scratch/me/x1y2.log", "see /scratch/me/q9.log"),
    ("see /private/var/folders/ab/T/x.log", "see /private/var/folders/cd/T/y.log"),
    ("<Thing at 0x7f00a1>", "<Thing at 0x55de00>"),
]
DIFFERENT = [
    ("3 failed in 1s", "2 failed in 1s"),
    ("line 12: no", "line 13: no"),
    ("a.py:1: error", "a.py:2: error"),
    ("coverage 80%", "coverage 81%"),
    ("test_a failed", "test_b failed"),
    ("/srv/app/1: no", "/srv/app/2: no"),
    ("expected 4 hats", "expected 5 hats"),
    ("v1.2.3 is old", "v1.2.4 is old"),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_values_that_change_with_every_run_do_not_count(one: str, two: str) -> None:
    assert key(one, ENVIRON) == key(two, ENVIRON)


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_everything_else_counts(one: str, two: str) -> None:
    assert key(one, ENVIRON) != key(two, ENVIRON)
