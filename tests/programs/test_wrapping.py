"""A program behind a wrapper is seen, whatever options the wrapper has: mistakes of the past, then every record."""

import pytest

from hookkit.programs import catalogue
from hookkit.programs.catalogue import SHIPPED, Program
from hookkit.shell.resolve import resolve

BEHIND = ["rm", "-rf", "x"]
PATHS = {"time": "/usr/bin/time"}  # the keyword of bash has one option alone: -p
# Lines whose program was not seen: a record said wrongly whether an option takes the next word, or did not know it.
HIDDEN = """
    perf record -g rm -rf x
    perf record -I rm -rf x
    perf record --user-regs rm -rf x
    perf record -j any,u rm -rf x
    perf stat --percore-show-thread rm -rf x
    perf trace -F all rm -rf x
    perf trace --call-graph dwarf rm -rf x
    numactl -l rm -rf x
    numactl --dump rm -rf x
    nsenter -t 1 -r rm -rf x
    script -q /dev/null rm -rf x
    env --block-signal rm -rf x
    env --ignore-signal rm -rf x
    strace --kill-on-exit rm -rf x
    strace --decode-pids comm rm -rf x
    xargs --replace rm -rf x
    xargs --max-lines rm -rf x
    kubectl run a --image b --command rm -rf x
    kubectl exec --pod-running-timeout 1m a -- rm -rf x
    kubectl --as-uid 1 exec a -- rm -rf x
    docker --tlscacert ca exec a rm -rf x
    podman --root r run --umask 022 image rm -rf x
    pnpm -w exec rm -rf x
    pnpm --loglevel warn exec rm -rf x
    uv --color never run rm -rf x
    hatch -e test run rm -rf x
    xterm -t -e rm -rf x
    nix --option a b develop -c rm -rf x
    docker container exec a rm -rf x
    docker container run -it --cpus 2 image rm -rf x
    npm --an-option-of-tomorrow value exec rm -rf x
"""
# Lines whose program was seen with a doubt, because no column of the record named the option.
DOUBTED = """
    strace --inject all:error=EPERM rm -rf x
    cpulimit -l 20 -s SIGTERM rm -rf x
    docker run --health-start-interval 1s image rm -rf x
    pnpm dlx -C d rm -rf x
    uv run --fork-strategy fewest rm -rf x
    pdm run -k post_run rm -rf x
    pipx run --python-args=-I rm -rf x
    poetry run -C d rm -rf x
    screen -dmS name rm -rf x
    gnome-terminal -e 'rm -rf x'
    gdb -core c --args rm -rf x
"""
# Neighbours of these lines that were always right.
RIGHT = """
    perf record -b rm -rf x
    perf stat -d -d rm -rf x
    env --default-signal=INT rm -rf x
    kubectl run a --image b --command -- rm -rf x
    kubectl debug a --share-processes -- rm -rf x
    screen -d -m rm -rf x
    git --exec-path=d bisect run rm -rf x
    npm exec -w a rm -rf x
"""


def runs(line: str) -> bool:
    return any(command.words[:3] == BEHIND for command in resolve(line).commands)


def rows(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("line", rows(HIDDEN + RIGHT))
def test_the_program_is_in_sight(line: str) -> None:
    assert runs(line)


@pytest.mark.parametrize("line", rows(DOUBTED))
def test_the_program_is_in_sight_without_a_doubt(line: str) -> None:
    assert runs(line)
    assert [command.doubt for command in resolve(line).commands if command.doubt] == []


def wrappers(column: str) -> list[str]:
    return [name for name in catalogue.names() if SHIPPED.get(name).name == name and SHIPPED.get(name).has(column)]


def lines(record: Program) -> list[str]:
    """The wrapper with each of its options: alone, or with a value."""
    special = {*record.words_of("refuses"), *record.words_of("commands"), record.text("entry")}
    alone = [*((record.flags | record.attached) - special), ""]
    valued = [f"{option} value" for option in record.value - special]
    equal = [f"{option}=value" for option in record.value - special if option[:2] == "--"]
    return [wrapping(record, options) for options in (*alone, *valued, *equal)]


def wrapping(record: Program, options: str) -> str:
    operands = ["o"] * int(record.text("wraps"))
    return " ".join([PATHS.get(record.name, record.name), options, *operands, *BEHIND])


@pytest.mark.parametrize("name", wrappers("wraps"))
def test_every_option_of_a_wrapper_leaves_the_program_in_sight(name: str) -> None:
    assert [line for line in lines(SHIPPED.get(name)) if not runs(line)] == []


@pytest.mark.parametrize("name", wrappers("wraps"))
def test_an_option_of_a_record_is_no_doubt(name: str) -> None:
    commands = [command for line in lines(SHIPPED.get(name)) for command in resolve(line).commands]
    assert [str(command) for command in commands if "does not know the option" in command.doubt] == []


@pytest.mark.parametrize("name", [name for name in wrappers("wraps") if SHIPPED.get(name).has("flags")])
def test_an_unknown_option_of_a_wrapper_is_a_doubt(name: str) -> None:
    line = wrapping(SHIPPED.get(name), "--no-such-option")
    assert any(command.doubt for command in resolve(line).commands)


@pytest.mark.parametrize("name", wrappers("flags"))
def test_no_option_has_two_ways_to_take_a_value(name: str) -> None:
    record = SHIPPED.get(name)
    assert [
        option
        for option in record.value | record.attached | record.number | record.flags
        if sum(option in column for column in (record.value, record.attached, record.number, record.flags)) > 1
    ] == []


@pytest.mark.parametrize("name", wrappers("commands"))
def test_a_command_line_in_an_option_is_in_sight(name: str) -> None:
    record = SHIPPED.get(name)
    start = next(iter(record.words_of("begins")), "")
    options = [option for option in record.words_of("commands") if option in record.value]
    assert options
    assert [option for option in options if not runs(f"{name} {option} '{start}rm -rf x'")] == []


@pytest.mark.parametrize("name", [name for name in wrappers("wraps") if " " in name])
def test_every_option_of_a_program_leaves_its_sub_command_in_sight(name: str) -> None:
    program, _, sub = name.partition(" ")
    above, behind = SHIPPED.get(program), " ".join(["o"] * int(SHIPPED.get(name).text("wraps")) + BEHIND)
    options = [*above.flags, *above.attached, *(f"{option} value" for option in above.value)]
    assert [option for option in options if not runs(f"{program} {option} {sub} {behind}")] == []
