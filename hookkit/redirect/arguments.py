"""Arguments that only change how a run looks. Dropping them runs the same thing; dropping any other would not."""


class Looks:
    """`flags` stand alone, `valued` bring a value, `letters` may be clustered (`-qx`), `all` means everything."""

    __slots__ = ("everything", "flags", "letters", "valued", "whole")

    def __init__(
        self, flags: str = "", valued: str = "", letters: str = "", everything: str = "", whole: str = ""
    ) -> None:
        self.flags = flags.split()
        self.valued = valued.split()
        self.letters = letters
        self.everything = everything.split()
        self.whole = whole  # without this operand only a part is meant


LOOKS = {
    "pytest": Looks(
        "--quiet --verbose --exitfirst --showlocals --no-header --no-summary --disable-warnings --full-trace --tb"
        " --no-showlocals --disable-pytest-warnings -ra -rA -rf -rs -rx -rX -rp -rP -rE -rN",
        "--tb --color --maxfail --capture --show-capture --verbosity -n --numprocesses",
        letters="qvxsl",
    ),
    "cargo test": Looks("--quiet --verbose --no-fail-fast", "--color -j --jobs --message-format", letters="qv"),
    "cargo build": Looks("--quiet --verbose", "--color -j --jobs --message-format", letters="qv"),
    "cargo clippy": Looks("--quiet --verbose", "--color -j --jobs --message-format", letters="qv"),
    "go test": Looks("-v -failfast -fullpath -count=1", "-p -parallel", everything="./...", whole="./..."),
    "go build": Looks("-v -x", "-p", everything="./...", whole="./..."),
    "go vet": Looks("-v -x", "-p", everything="./...", whole="./..."),
    "ruff check": Looks("--quiet --verbose --no-cache", "--output-format", letters="qv", everything="."),
    "script": Looks("--silent --quiet --verbose", "--loglevel", letters="s"),
    "jest": Looks("--verbose --silent --colors --ci --runInBand --no-cache --bail", "--reporters --maxWorkers", "i"),
    "vitest": Looks("--run --silent --no-color", "--reporter --bail"),
    "mocha": Looks("--bail --color --no-color --parallel", "--reporter -R", letters="b"),
    "eslint": Looks("--quiet --color --no-color --cache", "--format -f", everything="."),
    "flake8": Looks("--quiet --verbose --count", "--format -j --jobs", letters="qv", everything="."),
    "golangci-lint": Looks("--verbose", "--color --out-format", letters="v", everything="./..."),
    "gradle": Looks("--quiet --info --stacktrace --no-daemon --continue --parallel", "--console", letters="q"),
    "maven": Looks("--quiet --batch-mode --no-transfer-progress --errors", letters="qBe"),
    "ctest": Looks("--verbose --output-on-failure --quiet", "-j --parallel", letters="VQ"),
    "make": Looks("--silent --quiet --no-print-directory", "-j --jobs", letters="s"),
}


def only_looks(words: list[str | None], family: str) -> bool:
    """Whether a run with these arguments is the same run as one without."""
    looks = LOOKS.get(family, Looks())
    if looks.whole and looks.whole not in words:
        return False
    rest = iter(words)
    for word in rest:
        if word is None:
            return False
        name, equals, _ = word.partition("=")
        if word in looks.everything or (word in looks.flags and word not in looks.valued):
            continue
        if name in looks.valued:
            if not equals and next(rest, None) is None:
                return False
        elif not (word[:1] == "-" and len(word) > 1 and all(letter in looks.letters for letter in word[1:])):
            return False
    return True
