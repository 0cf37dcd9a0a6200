"""A real PostgreSQL for the tests of the hub, in a directory of its own, as an unprivileged user."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg

SCRIPT = Path(__file__).parent.parent / "scripts" / "install-postgres"


class Postgres:
    """One cluster; `database` makes an empty database in it."""

    def __init__(self) -> None:
        found = subprocess.run(["bash", SCRIPT], capture_output=True, text=True, check=False)
        assert found.returncode == 0, f"no PostgreSQL for these tests: {found.stderr}"
        self.bin = Path(found.stdout.strip())
        self.directory = Path(tempfile.mkdtemp(prefix="hk-pg-", dir="/tmp"))
        self.user: dict[str, object] = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            nobody = pwd.getpwnam("nobody")
            os.chown(self.directory, nobody.pw_uid, nobody.pw_gid)
            self.user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self.count = 0
        self._run("initdb", "-D", self.data, "-U", "hookkit", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        self.start()

    @property
    def data(self) -> str:
        return str(self.directory / "data")

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self.bin / program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            cwd=self.directory, timeout=120, check=False, **self.user,  # type: ignore[call-overload]
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()

    def start(self) -> None:
        options = (
            f"-c listen_addresses='' -c unix_socket_directories={self.directory} -c fsync=off -c max_connections=200"
        )
        self._run("pg_ctl", "-D", self.data, "-w", "-l", str(self.directory / "log"), "-o", options, "start")

    def stop(self, how: str = "fast") -> None:
        self._run("pg_ctl", "-D", self.data, "-w", "-m", how, "stop")

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.directory)

    def dsn(self, name: str) -> str:
        return f"postgresql://hookkit@/{name}?host={self.directory}"

    def database(self) -> str:
        self.count += 1
        name = f"hub{self.count}"
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.dsn(name)
