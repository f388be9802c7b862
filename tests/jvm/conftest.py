# SPDX-License-Identifier: Apache-2.0
"""Every JDK of this machine, programs compiled by it, and their runs under the agent.
Tests here run real JVMs; none depends on their speed."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from jdks import AGENT, JDKS, MATRIX, PLAIN_RELEASES, ROOT, Jdk

UNIT = ROOT / "bindings/java/src/main/java/io/github/threadmodel/Unit.java"
PROGRAMS = Path(__file__).resolve().parent / "programs"
# A worker takes longer to compile the programs than to run most files of tests.
CLASSES = ROOT / "build/jvm-classes"
VIRTUAL_SINCE = 21
TIMEOUT_S = 120
# Flags of every VM that is recorded: other layouts of objects and monitors.
FLAGS = tuple(os.environ.get("TM_TEST_FLAGS", "").split())


def pytest_report_header() -> str:
    names = ", ".join(f"{jdk.release} ({jdk.home})" for jdk in MATRIX)
    return f"JDKs: {names or 'none'}"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "every_release: runs on 11 and 21 as well, also without --full"
    )
    config.addinivalue_line(
        "markers", "one_release: runs on the newest alone without --full"
    )


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """TM_TEST_JDKS=11,21 names releases. Otherwise most tests run on those that are in
    PLAIN_RELEASES or installed, and with TM_TEST_FULL on all."""
    left_out = [item for item in items if _is_left_out(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def _is_left_out(item: pytest.Item) -> bool:
    call = getattr(item, "callspec", None)
    jdk = call.params.get("jdk") if call else None
    if not isinstance(jdk, Jdk):
        return False
    if os.environ.get("TM_TEST_JDKS"):
        return str(jdk.release) not in os.environ["TM_TEST_JDKS"].split(",")
    if "TM_TEST_FULL" in os.environ:
        return False
    if item.get_closest_marker("one_release"):
        return jdk.release != max(one.release for one in MATRIX)
    return (
        jdk not in JDKS
        and jdk.release not in PLAIN_RELEASES
        and item.get_closest_marker("every_release") is None
    )


@pytest.fixture(scope="session", params=MATRIX or [None], ids=str)
def jdk(request: pytest.FixtureRequest) -> Jdk:
    if request.param is None:
        pytest.skip("no JDK in JAVA_HOME or /usr/lib/jvm")
    if not AGENT.exists():
        pytest.skip(f"no agent in {AGENT}")
    return request.param


@pytest.fixture(scope="session")
def classes(jdk: Jdk) -> Path:
    """The folder of the programs' classes; one for all workers and runs."""
    sources = [
        source
        for source in sorted(PROGRAMS.glob("*.java"))
        if jdk.release >= VIRTUAL_SINCE or not source.stem.startswith("Virtual")
    ]
    # The class by which a program states units.
    sources.append(UNIT)
    known = hashlib.sha256(" ".join(jdk.compiler()).encode())
    for source in sources:
        known.update(source.read_bytes())
    folder = CLASSES / f"{jdk}-{known.hexdigest()[:16]}"
    CLASSES.mkdir(exist_ok=True)
    with (CLASSES / f"{jdk}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            made = CLASSES / f"{jdk}-made"
            shutil.rmtree(made, ignore_errors=True)
            subprocess.run([*jdk.compiler(), "-d", made, *sources], check=True)
            made.rename(folder)
    return folder


@dataclass
class Recording:
    """The result of a run, and the model of its trace."""

    status: int
    stdout: str
    stderr: str
    trace: Path
    model: threadmodel.Model
    said: dict[str, int] = field(default_factory=dict)

    def rows(self, table: str, **equal: Any) -> list[dict[str, Any]]:
        """The rows of a table in which these columns have these values."""
        return [
            row
            for row in getattr(self.model, table)()
            if all(row[column] == value for column, value in equal.items())
        ]

    def one(self, table: str, **equal: Any) -> dict[str, Any]:
        rows = self.rows(table, **equal)
        assert len(rows) == 1, f"{len(rows)} rows of {table} with {equal}"
        return rows[0]

    def interactions(self, **equal: Any) -> Counter[str]:
        return Counter(row["kind"] for row in self.rows("interactions", **equal))

    def odd(self) -> dict[str, int]:
        """Inconsistencies of the events."""
        return odd(self.model)


def odd(model: threadmodel.Model) -> dict[str, int]:
    """Inconsistencies of the events, without the expected ones: an inferred owner that
    was wrong, a thread that an attach found blocked but that had already continued,
    two threads that needed a class at the same time, and a thread without a name that
    was started as the VM ended and never ran."""
    counts = {row["cause"]: row["count"] for row in model.diagnostics()}
    counts.pop("stale_owner", None)
    counts.pop("two_owners", None)
    counts.pop("initialisation_wait", None)
    never_ran = sum(
        row["state"] == "new" and row["name"] is None for row in model.threads()
    )
    if counts.get("undefined_thread") == never_ran:
        del counts["undefined_thread"]
    return counts


class Java:
    """Runs the programs of one JDK."""

    def __init__(self, jdk: Jdk, classes: Path, folder: Path) -> None:
        self.jdk = jdk
        self.classes = classes
        self.folder = folder

    def command(
        self, program: str, *arguments: object, agent: str, flags: tuple[str, ...] = ()
    ) -> list[str]:
        return [
            self.jdk.tool("java"),
            f"-agentpath:{AGENT}={agent}",
            *FLAGS,
            *flags,
            "-cp",
            str(self.classes),
            program,
            *map(str, arguments),
        ]

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            cwd=self.folder,
            check=False,
        )

    def record(
        self,
        program: str,
        *arguments: object,
        options: str = "",
        flags: tuple[str, ...] = (),
    ) -> Recording:
        """Run a program to its end, which must be successful, and read its trace."""
        trace = self.folder / f"{program}.tmt"
        agent = f"file={trace}{',' if options else ''}{options}"
        done = self.run(self.command(program, *arguments, agent=agent, flags=flags))
        assert done.returncode == 0, done.stderr
        said = dict(
            line.split("=", 1) for line in done.stdout.splitlines() if "=" in line
        )
        return Recording(
            done.returncode,
            done.stdout,
            done.stderr,
            trace,
            threadmodel.open(trace),
            {key: int(value) for key, value in said.items() if value.isdigit()},
        )


@pytest.fixture
def java(jdk: Jdk, classes: Path, tmp_path: Path) -> Java:
    return Java(jdk, classes, tmp_path)
