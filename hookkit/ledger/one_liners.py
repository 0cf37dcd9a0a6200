"""Files written or deleted by a one-liner of Python, Node, Ruby, Perl or PHP, if the path is a literal."""

import re

LONGEST = 4_000  # characters of a one-liner to search
# Calls in other languages to write or delete a file, with the path as a literal.
TEXT = r"""\(\s{0,4}[rbf]{0,2}(["'])([^"'\n]{1,300})\1"""
WRITES = re.compile(
    rf"""(?:\bopen{TEXT}\s{{0,4}},\s{{0,4}}(?:mode=)?["'][rbt+]{{0,2}}[wax]"""
    r"""|(?:writeFile(?:Sync)?|appendFile(?:Sync)?|File\.write|IO\.write|file_put_contents)"""
    r"""\(\s{0,4}(["'])([^"'\n]{1,300})\3"""
    r"""|Path\(\s{0,4}(["'])([^"'\n]{1,300})\5\)\.(?:write_|touch))"""
)
DELETES = re.compile(
    r"""(?:\b(?:unlink(?:Sync)?|rmSync|rmtree|remove|File\.delete|removedirs|rm_rf)"""
    r"""[\s(]{1,4}(["'])([^"'\n]{1,300})\1|Path\(\s{0,4}(["'])([^"'\n]{1,300})\3\)\.(?:unlink|rmdir))"""
)


def traces(code: str) -> list[tuple[str, str]]:
    """The kind of change, and the path as written in the code."""
    words: list[tuple[str, str]] = []
    for kind, pattern in (("changes", WRITES), ("deletes", DELETES)):
        for match in pattern.finditer(code[:LONGEST]):
            path = next((group for group in match.groups()[1::2] if group), "")
            words += [(kind, path)] if path else []
    return words
