"""Who computes at once: a slow request keeps nobody waiting; beyond a number of slow ones, the cold command answers."""

import threading
from typing import cast

from hookkit.server.answering import Answering, Asked


class Stand:
    """A request that says when it began, and ends when it may."""

    def __init__(self, *, waits: bool) -> None:
        self.began, self.may_end = threading.Event(), threading.Event()
        if not waits:
            self.may_end.set()

    def answer(self) -> bytes:
        self.began.set()
        self.may_end.wait()
        return b"answered"


def start(answering: Answering, stand: Stand) -> threading.Thread:
    thread = threading.Thread(target=answering.answer, args=(cast("Asked", stand),))
    thread.start()
    assert stand.began.wait(60)
    return thread


def ask(answering: Answering) -> bytes | None:
    return answering.answer(cast("Asked", Stand(waits=False)))


def test_a_slow_request_loses_its_turn_to_the_next() -> None:
    answering, slow = Answering(), Stand(waits=True)
    thread = start(answering, slow)
    assert ask(answering) == b"answered"
    assert (answering.busy, answering.slow) == (1, 1)
    slow.may_end.set()
    thread.join()
    assert (answering.busy, answering.slow, answering.answered) == (0, 0, 2)


def test_beyond_the_limit_of_slow_requests_the_cold_command_answers_until_one_has_ended() -> None:
    answering, slow = Answering(most=2), [Stand(waits=True), Stand(waits=True)]
    threads = [start(answering, stand) for stand in slow]
    assert ask(answering) == b"answered"  # the first has lost its turn to the second, the second to this one
    assert answering.slow == len(slow)
    assert ask(answering) is None
    slow[0].may_end.set()
    threads[0].join()
    assert ask(answering) == b"answered"
    slow[1].may_end.set()
    threads[1].join()
    assert answering.slow == 0


def test_a_turn_is_given_back_by_many_at_once() -> None:
    answering = Answering()
    threads = [threading.Thread(target=lambda: [ask(answering) for _ in range(50)]) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (answering.busy, answering.slow, answering.answered) == (0, 0, 800)
