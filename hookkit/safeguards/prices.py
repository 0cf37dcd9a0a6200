"""PRICES: US dollars for a million tokens, by the start of the model's name; the longest start counts.

Input, writing to the cache, reading from the cache, output. An unknown model costs as much as the dearest known one, so
that a limit never comes too late.
"""

PRICES = {
    "claude-opus-4-0": (15.0, 18.75, 1.5, 75.0),
    "claude-opus-4-1": (15.0, 18.75, 1.5, 75.0),
    "claude-opus-4-2025": (15.0, 18.75, 1.5, 75.0),
    "claude-opus": (5.0, 6.25, 0.5, 25.0),
    "claude-3-opus": (15.0, 18.75, 1.5, 75.0),
    "claude-sonnet": (3.0, 3.75, 0.3, 15.0),
    "claude-3-7-sonnet": (3.0, 3.75, 0.3, 15.0),
    "claude-3-5-sonnet": (3.0, 3.75, 0.3, 15.0),
    "claude-haiku": (1.0, 1.25, 0.1, 5.0),
    "claude-3-5-haiku": (0.8, 1.0, 0.08, 4.0),
    "claude-3-haiku": (0.25, 0.3, 0.03, 1.25),
}
DEAREST = max(PRICES.values(), key=sum)
MILLION = 1_000_000


def dollars(model: str, usage: list[int]) -> float:
    """The cost of a usage: input, cache writes, cache reads, output."""
    starts = [start for start in PRICES if model.startswith(start)]
    row = PRICES[max(starts, key=len)] if starts else DEAREST
    return sum(count * price for count, price in zip(usage, row, strict=True)) / MILLION
