"""Command lines for the fuzzers: assignments, loops, branches, here-documents, expansions, put together at random."""

from hypothesis import strategies as st

NAMES = ("A", "B", "x", "y", "PATH", "IFS", "HOME")
name = st.sampled_from(NAMES)
atom = st.sampled_from(
    ("a", "~", "/", "$A", "$B", "${x}", "${A:-b}", "${A:=$B}", "${#A}", "${A/a/$B}", "${A,,}", "${!A}", "${A[@]}",
     "${A:1:2}", "$((A+1))", "$(echo $A)", "`echo b`", "{a,b}", "{1..9}", "*", "$1", "$@", "'q'", '"$A $B"',
     "<(echo $A)", "-rf", "\\a")
)  # fmt: skip
word = st.lists(atom, min_size=1, max_size=4).map("".join)
words = st.lists(word, max_size=4).map(" ".join)
assignment = st.one_of(
    st.builds("{}={}".format, name, word),
    st.builds("{}+={}".format, name, word),
    st.builds("{}=({})".format, name, words),
    st.builds("export {}={}".format, name, word),
    st.builds("{0}=${0}${0}${0}".format, name),
    st.builds('read {} <<< "{}"'.format, name, word),
    st.builds("printf -v {} '%s%s' {}".format, name, words),
    st.builds("mapfile {} <<E\n{}\nE\n".format, name, words),
)
program = st.sampled_from(
    ("echo", "rm", "cat", "eval", "sh -c", "xargs", "find .", "git", "printf '%s'", "source", "env", "cd", "set --",
     "tee f", "python3 -c", "curl -d", "parallel", "awk", "sed", "tar", "docker", "psql -c", "kill")
)  # fmt: skip
simple = st.one_of(assignment, st.builds("{} {}".format, program, words))
TEXTS = (
    "for {n} in {w}; do {a}; {b}; done", "while {a}; do {b}; done", "if {a}; then {b}; else {c}; fi",
    "case {w} in a) {a};; *) {b};; esac", "f() {{ {a}; {b}; }}; f {w}", "{{ {a}; {b}; }}", "({a}; {b})",
    "{a} && {b} || {c}",
    "{a} | {b}", "{a} <<E\n{w}\nE\n", "eval '{n}=$A$A'", "{a} > f; sh f", "{a} & {b}", "x=$({a}); {b}",
    "until {a}; do {b}; done",
    "select {n} in {w}; do {a}; done", "[[ {w} == a ]] && {a}", "coproc {a}", "(( {n}++ )); {a}",
)  # fmt: skip


def _compound(inner: "st.SearchStrategy[str]") -> "st.SearchStrategy[str]":
    return st.builds(
        lambda form, n, w, a, b, c: form.format(n=n, w=w, a=a, b=b, c=c),
        st.sampled_from(TEXTS),
        name,
        words,
        inner,
        inner,
        inner,
    )


statement = st.recursive(simple, _compound, max_leaves=12)
lines = st.lists(statement, min_size=1, max_size=6).map("\n".join)
# The same statements many times: growth that a single turn does not show.
repeated = st.builds(lambda text, times: "\n".join([text] * times), lines, st.integers(2, 40))


def bombs(scale: int = 1) -> list[str]:
    """Short lines that grow without bound in a naive analysis; `scale` makes each longer."""
    return [
        "A=a;" + "A=$A$A;" * 40 * scale,
        "A=a;B=b;" + "A=$A$B;B=$B$A;" * 20 * scale,
        "a=x;" + "a+=$a;" * 40 * scale,
        "A=a;" + 'read A <<< "$A$A";' * 30 * scale,
        "A=a;" + "read A <<E\n$A$A\nE\n" * 30 * scale,
        "A=a;" + "eval 'A=$A$A';" * 40 * scale,
        "a[0]=a;" + "a[0]=${a[0]}${a[0]};" * 40 * scale,
        "x=a;" + "for i in 1 2 3 4 5 6 7 8; do " * 6 + "x=$x$x;" + "done;" * 6,
        "printf '' " + "{,}$(printf '' " * 12 + "x" + ")" * 12,
        "case $1 in " + " ".join(f"{n}) a{n}=$x$x;;" for n in range(500 * scale)) + " esac",
        "x=" + "a" * 4_000 + "; y=" + "$x" * 200 + "; z=" + "$y" * 200,
        "printf -v x '" + "a" * 4_000 + "%s'" + " b" * 200 + "; y=$x$x$x$x",
        "echo " + "a" * 4_000 + " | xargs -I% a " + "%" * 4_000,
        "rm " + " ".join(f"a{n}*" for n in range(2_000 * scale)),
        "eval " * 100 * scale + "true",
        "{a," * 1_000 * scale + "b",
        "env " * 1_000 * scale + "true",
    ]
