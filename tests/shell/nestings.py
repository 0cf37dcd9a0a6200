"""Random command lines with made-up programs: bash runs some of them, the names of the others are only text."""

import random

BRANCHES = 0.3
DOUBLE = '$`"'  # characters escaped in backquotes between double quotes


class Nesting:
    """`text` is the command line, `quiet` are the names of programs in it that bash does not run."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.quiet: set[str] = set()
        self.text = self.lines(self.random.randint(1, 4))

    def name(self, letter: str = "p") -> str:
        self.count += 1
        return f"{letter}{self.count}z"

    def silent(self) -> str:
        name = self.name("q")
        self.quiet.add(name)
        return name

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    # -- programs --------------------------------------------------------------------------------

    def spelled(self, name: str) -> str:
        """The same word in another spelling."""
        head, tail = name[0], name[1:]
        return self.pick(
            name,
            name,
            f"'{name}'",
            f'"{name}"',
            f"\\{name}",
            f"{head}''{tail}",
            f'{head}"{tail}"',
            f"$'{name}'",
            f"$'\\x{ord(head):x}{tail}'",
            f"$'\\{ord(head):03o}'{tail}",
            f'$"{name}"',
            f"{head}\\\n{tail}",
            f'"{head}\\\n{tail}"',
            f"{head}\\{tail}",
        )

    def program(self) -> str:
        before = self.pick(
            "", "", "", "A=1 ", "A= B+=2 ", "2>&1 ", ">&-", "<&- ", ">f ", "a[1 + 1]=x ", "{fd}>f ", "A=(1 2) "
        )
        after = self.pick(
            "",
            "",
            " x",
            " 'a b' \"c;d\"",
            " >f x",
            " x 2>f",
            " <<<x y",
            " if then {",
            " a#b",
            " &>f",
            " \\\n x",
            " 3<&- x",
        )
        return before + self.spelled(self.name()) + after

    def text_only(self) -> str:
        """A command with the name of a program as text."""
        name = self.silent()
        return self.pick(
            f"echo {name}",
            f"echo 'a; {name}'",
            f'echo "a && {name}"',
            f"echo \\; {name}",
            f"echo \\$\\({name}\\)",
            f"echo '$({name})'",
            f'echo "\\$({name})" "\\`{name}\\`"',
            f"echo $'a;\\'{name}'",
            f": # {name}\n",
            f"echo a \\\n {name}",
            f"x={name} : ",
            f": >{name}",
            f"x=({name} b)",
            f"for x in {name}; do :; done",
            f"case {name} in {name}) :;; esac",
            f"[[ {name} == {name}* && ( -n {name} ) ]]",
            f": ${{x:-{name}}}",
            f': "${{x:-a; {name}}}"',
            f"{{ :\n}} <<E\n{name}\nE\n",
            f"{{ :\n}} <<-'E'\n\t$({name})\n\tE\n",
            f": $((x{name} + 1))",
            f"(( x{name} ))",
        )

    # -- lists -----------------------------------------------------------------------------------

    def lines(self, depth: int) -> str:
        first = self.command(depth)
        while self.random.random() < BRANCHES:
            following = self.command(depth)
            operator = self.pick(
                " && ", " || ", " & ", "; ", "\n", "\n\n# it's a (comment\n", " | ", " |& ", "&&\n", ";#c'\n"
            )
            first = joined(first, operator, following)
        return first

    def command(self, depth: int) -> str:
        if self.random.random() < BRANCHES / 2:
            return self.text_only()
        if depth <= 0:
            return self.program()
        inner = self.lines(depth - 1)
        kind = self.random.randrange(6)
        if kind < 2:
            return self.compound(inner)
        if kind == 2:
            return self.prefixed(inner)
        if inner.startswith("time") or "<<" in inner.replace("<<<", ""):  # bash 5.2 misreads these directly inside $(…)
            function = self.name("f")
            wrapper = self.expansion if kind < 5 else self.document
            return f"{{ {function}() {{\n{inner}\n}}\n{wrapper(function)}\n}}"
        return self.expansion(inner) if kind < 5 else self.document(inner)

    def prefixed(self, inner: str) -> str:
        return self.pick("! ", "time ", "time -p ", "! time -- ", "", "coproc ", "\\\n") + grouped(inner)

    def compound(self, inner: str) -> str:
        ended = closed(inner)
        function = self.name("f")
        return self.pick(
            f"({inner})" if not inner.startswith("(") else f"( {inner})",
            f"{{ {ended} }}",
            f"if {ended} then :; fi",
            f"if :; then {ended} fi",
            f"if ! :; then :; elif :; then {ended} else :; fi",
            f"if ! :\nthen :\nelse\n{ended}fi",
            f"while {ended} ! :; do :; done",
            f"while :; do {ended} break; done",
            f"until {ended} :; do :; done",
            f"for x in a; do {ended} done",
            f"for x in a\ndo {ended} done",
            f"for x in a; {{ {ended} }}",
            f"for ((x = 0; x < 1; x++)); do {ended} done",
            f"for ((x = 0; x < 1; x++)) {{ {ended} }}",
            f"case x in x) {ended} esac",
            f"case x in (y | x) {terminated(inner)};; esac",
            f"case x in x) :;& y) {ended} esac",
            f"case x in x) :;;& *) {terminated(inner)};; esac",
            f"{function}() {{ {ended} }}; {function}",
            f"function {function} {{ {ended} }}; {function}",
            f"{function} () ( {inner} ); {function}",
            f"function {function}\n{{ {ended} }} >f; {function}",
            f"{{ {ended} }} 2>&1",
            f"[[ -n x ]] && {grouped(inner)}",
            f"((1)) && {grouped(inner)}",
        )

    def expansion(self, inner: str) -> str:
        space = " " if inner.startswith("(") else ""
        command = self.pick(f"$({space}{inner})", f"$( {inner} )", f"$(\n{inner}\n)", backquoted(inner))
        quoted = self.pick(f'"a$( {inner}) b"', f'"{backquoted(inner, DOUBLE)}"')
        number = command if "case" not in inner and "#" not in inner else ""  # shells match parentheses differently
        return self.pick(
            f": {command}",
            f": a{command}b",
            f": {quoted}",
            f"x={command}",
            f"x={quoted} : ",
            f"x=(a {command} b)",
            f"x[0{command}]=1",
            f"declare x={quoted}",
            f": ${{x-y{command}}}${{y:-{command}}}",
            f': "${{y:-{command}}}"',
            f': "${{y:-"$( {inner})"}}"',
            f": ${{z#{command}}} ${{y:-${{y:-{command}}}}}",
            f": ${{x[0{command}]}}",
            f": $((1 + 0{number}))",
            f"((1 + 0{number}))",
            f": $[0{command}]",
            f"[[ -z {command} ]]",
            f"[[ x == {quoted} || x =~ (a{number}) ]]",
            f": <( {inner})",
            f": > >( {inner})",
            f": 2>&1 <<<{quoted}",
            f"case {command} in *) :;; esac",
            f"case x in {quoted}) :;; *) :;; esac",
            f"for x in {command}; do :; done",
            f": >f{command}",
        )

    def document(self, inner: str) -> str:
        """An expanded here-document, in braces so that any text may follow."""
        word = self.name("E")
        command = self.pick(f"$( {inner}\n)", backquoted(inner))
        return self.pick(
            f"{{ : <<{word}\na {command} b\n{word}\n}}",
            f"{{ : <<-{word}\n\ta {command}\n\t{word}\n}}",
            f"{{ : <<{word} | : <<'{word}'\n${{y:-{command}}}\n{word}\n$(no) `no`\n{word}\n}}",
            f"{{ : $( : <<{word}\n{command}\n{word}\n)\n}}",
        )


def joined(first: str, operator: str, following: str) -> str:
    if "|" in operator and following.startswith(("!", "time")):
        following = grouped(following)
    if first.endswith("\n") or "<<" in first:  # a `;` behind a here-document is lost in some shells' $(…)
        return (
            f"{first}\n{following}"
            if operator.strip(" \n;#c'") in ("", "# it's a (comment")
            else f"{grouped(first)}{operator}{following}"
        )
    return first + operator + following


def closed(inner: str) -> str:
    """The commands, with the separator needed before `}` or `done`."""
    return inner + ("\n" if "<<" in inner or "#" in inner else ";" if not inner.endswith("\n") else "")


def terminated(inner: str) -> str:
    return inner + ("\n" if "<<" in inner or "#" in inner else "")


def grouped(inner: str) -> str:
    return f"{{ {closed(inner)} }}"


def backquoted(inner: str, escaped: str = "$`") -> str:
    """A command substitution in backquotes, with the escapes it needs."""
    return "`" + "".join("\\" + char if char in escaped + "\\" else char for char in inner) + "`"
