"""Rows played by several processes at once: the shipped rows take a minute on one core.

A child sends one line of JSON for each row. A row that fails, has a problem, or got no line (its child died) is played
again here, so that the report has all of it.
"""

import json
import os
import selectors
import signal
from collections.abc import Callable, Iterator
from typing import Any

from hookkit import play as cases

MANY = 200  # rows that are worth further processes
CHUNK = 1 << 16  # bytes

Results = dict[int, list[dict[str, Any]]]


def is_worth_it(rows: list[cases.Case]) -> bool:
    return len(rows) >= MANY and (os.cpu_count() or 1) > 1 and hasattr(os, "fork")


def play(
    rows: list[cases.Case], tell: Callable[[int], None], *, borrows: bool, trusted: bool
) -> Iterator[cases.Played]:
    """All rows in their order; `tell` takes the count of rows so far."""
    results = _collected(rows, tell, borrows=borrows, trusted=trusted)
    again = [row for number, row in enumerate(rows) if number not in results]
    played: dict[int, list[cases.Played]] = {}
    for step in cases.play_all(again, borrows=borrows, trusted=trusted):
        played.setdefault(id(step.row), []).append(step)
    for number, row in enumerate(rows):
        yield from [_played(row, result) for result in results[number]] if number in results else played[id(row)]


def _played(row: cases.Case, result: dict[str, Any]) -> cases.Played:
    made = cases.Played(row, result["reply"], result.get("expected", cases.MISSING))
    made.why, made.ms, made.hook = result["why"], result["ms"], result["hook"]
    return made


def _collected(rows: list[cases.Case], tell: Callable[[int], None], *, borrows: bool, trusted: bool) -> Results:
    """The rows that passed, by their numbers."""
    results: Results = {}
    children, count = {}, os.cpu_count() or 1
    with selectors.DefaultSelector() as waiting:
        try:
            for number in range(count):
                reader, writer = os.pipe()
                child = os.fork()
                if not child:
                    _work(rows, range(number, len(rows), count), writer, borrows=borrows, trusted=trusted)
                os.close(writer)
                children[child] = reader
                waiting.register(reader, selectors.EVENT_READ, [b""])
            _read(waiting, results, tell)
        finally:
            for child, reader in children.items():
                os.close(reader)  # a child that still plays ends with its next line
                os.waitpid(child, 0)
    return results


def _read(waiting: selectors.BaseSelector, results: Results, tell: Callable[[int], None]) -> None:
    done = 0
    while waiting.get_map():
        for key, _ in waiting.select():
            text = os.read(key.fd, CHUNK)
            if not text:
                waiting.unregister(key.fd)
                continue
            *lines, key.data[0] = (key.data[0] + text).split(b"\n")
            for line in lines:
                number, parts = json.loads(line)
                results.update({number: parts} if parts else {})
                done += 1
                tell(done)


def _work(rows: list[cases.Case], numbers: range, writer: int, *, borrows: bool, trusted: bool) -> None:
    """In the child: play a share of the rows, and never return."""
    code = 1
    try:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        played: dict[int, list[cases.Played]] = {}
        wanted = {id(rows[number]): number for number in numbers}
        before = -1
        for step in cases.play_all([rows[number] for number in numbers], borrows=borrows, trusted=trusted):
            number = wanted[id(step.row)]
            if before not in (-1, number):
                _send(writer, before, played.pop(before))
            played.setdefault(number, []).append(step)
            before = number
        for number, steps in played.items():
            _send(writer, number, steps)
        code = 0
    finally:
        os._exit(code)


def _send(writer: int, number: int, steps: list[cases.Played]) -> None:
    is_well = all(step.passed and not step.problems for step in steps)
    parts = [
        {"reply": step.reply, "why": step.why, "ms": step.ms, "hook": step.hook,
         **({"expected": step.expected} if step.is_checked else {})}
        for step in steps
    ]  # fmt: skip
    text = json.dumps([number, parts if is_well else []]).encode() + b"\n"
    while text:
        text = text[os.write(writer, text) :]
