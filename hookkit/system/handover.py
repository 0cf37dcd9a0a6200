"""A program that goes on past the reply: another process of hookkit's takes its pipes and waits for it."""

import os
import selectors
import time

from hookkit.system.programs import KEPT, LATE, ProgramResult
from hookkit.system.running import GRACE, READ, outcome


def take_over(left: list[int], seconds: float) -> ProgramResult:
    """Wait for a program that another process handed over (`ProgramResult.left`), and end it when its time is over."""
    lifeline, stdout, stderr, result = left
    began = time.monotonic()
    output = {stdout: b"", stderr: b""}
    with selectors.DefaultSelector() as selector:
        for descriptor in {stdout, stderr, result} - {-1}:
            os.set_blocking(descriptor, False)
            selector.register(descriptor, selectors.EVENT_READ)
        while (left_over := began + seconds - time.monotonic()) > 0:
            ready = [key.fd for key, _ in selector.select(left_over)]
            for descriptor in ready:
                if descriptor != result and not _take(descriptor, output):
                    selector.unregister(descriptor)
            if result in ready:
                break
        is_late = left_over <= 0
        os.close(lifeline)
        if is_late:
            selector.select(GRACE)
    code, problem = outcome(os.read(result, 64).decode()) if not is_late else (None, f"{LATE} {seconds:g} s")
    for descriptor in {stdout, stderr} - {-1}:
        _take(descriptor, output)
    found = ProgramResult(code, output[stdout], output.get(stderr, b""), problem)
    found.seconds = time.monotonic() - began
    return found


def _take(descriptor: int, output: dict[int, bytes]) -> bool:
    """Whether there may be more to read."""
    try:
        chunk = os.read(descriptor, READ)
    except BlockingIOError:
        return True
    output[descriptor] = (output[descriptor] + chunk)[:KEPT]
    return bool(chunk)
