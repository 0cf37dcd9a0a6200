"""Cosmetic arguments: they change how a run looks, not what runs. Only these may be dropped."""


class Cosmetics:
    """`flags` stand alone, `valued` take a value, `letters` may be clustered (`-qx`), `everything` is the default."""

    __slots__ = ("everything", "flags", "letters", "valued", "whole")

    def __init__(
        self, flags: str = "", valued: str = "", letters: str = "", everything: str = "", whole: str = ""
    ) -> None:
        self.flags = flags.split()
        self.valued = valued.split()
        self.letters = letters
        self.everything = everything.split()
        self.whole = whole  # without this operand the command covers only a part of the project


COSMETICS = {
    "pytest": Cosmetics(
        "--quiet --verbose --exitfirst --showlocals --no-header --no-summary --disable-warnings --full-trace --tb"
        " --no-showlocals --disable-pytest-warnings -ra -rA -rf -rs -rx -rX -rp -rP -rE -rN",
        "--tb --color --maxfail --capture --show-capture --verbosity -n --numprocesses",
        letters="qvxsl",
    ),
    "cargo test": Cosmetics("--quiet --verbose --no-fail-fast", "--color -j --jobs --message-format", letters="qv"),
    "cargo build": Cosmetics("--quiet --verbose", "--color -j --jobs --message-format", letters="qv"),
    "cargo clippy": Cosmetics("--quiet --verbose", "--color -j --jobs --message-format", letters="qv"),
    "go test": Cosmetics("-v -failfast -fullpath -count=1", "-p -parallel", everything="./...", whole="./..."),
    "go build": Cosmetics("-v -x", "-p", everything="./...", whole="./..."),
    "go vet": Cosmetics("-v -x", "-p", everything="./...", whole="./..."),
    "ruff check": Cosmetics("--quiet --verbose --no-cache", "--output-format", letters="qv", everything="."),
    "script": Cosmetics("--silent --quiet --verbose", "--loglevel", letters="s"),
    "jest": Cosmetics(
        "--verbose --silent --colors --ci --runInBand --no-cache --bail", "--reporters --maxWorkers", "i"
    ),
    "vitest": Cosmetics("--run --silent --no-color", "--reporter --bail"),
    "mocha": Cosmetics("--bail --color --no-color --parallel", "--reporter -R", letters="b"),
    "eslint": Cosmetics("--quiet --color --no-color --cache", "--format -f", everything="."),
    "flake8": Cosmetics("--quiet --verbose --count", "--format -j --jobs", letters="qv", everything="."),
    "golangci-lint": Cosmetics("--verbose", "--color --out-format", letters="v", everything="./..."),
    "gradle": Cosmetics("--quiet --info --stacktrace --no-daemon --continue --parallel", "--console", letters="q"),
    "maven": Cosmetics("--quiet --batch-mode --no-transfer-progress --errors", letters="qBe"),
    "ctest": Cosmetics("--verbose --output-on-failure --quiet", "-j --parallel", letters="VQ"),
    "make": Cosmetics("--silent --quiet --no-print-directory", "-j --jobs", letters="s"),
}


def is_cosmetic(words: list[str | None], family: str) -> bool:
    """Whether a run with these arguments is the same run as a run without them."""
    known = COSMETICS.get(family, Cosmetics())
    if known.whole and known.whole not in words:
        return False
    rest = iter(words)
    for word in rest:
        if word is None:
            return False
        name, equals, _ = word.partition("=")
        if word in known.everything or (word in known.flags and word not in known.valued):
            continue
        if name in known.valued:
            if not equals and next(rest, None) is None:
                return False
        elif not (word[:1] == "-" and len(word) > 1 and all(letter in known.letters for letter in word[1:])):
            return False
    return True
