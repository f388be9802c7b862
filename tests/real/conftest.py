# SPDX-License-Identifier: Apache-2.0
"""Programs that others wrote, under load, recorded by our agent and by the JVM's own
recorder at once.

Each program runs once a JDK; all tests ask about that run. TM_TEST_REAL_SECONDS says
how long the loads last, 20 s by default.
"""

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import flight
import generate
import maven
import threadmodel
from jdks import AGENT, JDKS, Jdk

# The programs that the tests start use the package that they use themselves.
os.environ["PYTHONPATH"] = str(Path(threadmodel.__file__).parents[1])

HERE = Path(__file__).resolve().parent
POM = HERE / "pom.xml"
SECONDS = int(os.environ.get("TM_TEST_REAL_SECONDS", "20"))
CLASSES = 300
CLERKS, READERS = 8, 4
SERVERS, CUSTOMERS = 6, 8
ANY = 1_000_000
COMPILERS = 4
NAMES = ("javac", "compile", "bank", "site")


def pytest_report_header() -> str:
    names = ", ".join(f"{jdk.release} ({jdk.home})" for jdk in JDKS)
    return f"JDKs: {names or 'none'}; loads of {SECONDS} s"


@dataclass(frozen=True)
class Tally:
    """What the VM itself says of a thread: ThreadInfo's two counts."""

    thread_id: int
    blocked: int
    waited: int
    name: str


@dataclass
class Run:
    """One run of one program, as both recorders saw it."""

    program: str
    jdk: Jdk
    trace: Path
    model: threadmodel.Model
    flight: flight.Flight
    said: dict[str, int] = field(default_factory=dict)
    tallies: list[Tally] = field(default_factory=list)

    def since_start_ns(self, wall_ns: int) -> int:
        return wall_ns - self.model.run.start_wall_ns


def fetched(pom: Path = POM) -> Path:
    """The folder of the jars that the file names; without them a test is skipped."""
    try:
        return maven.fetch(pom)
    except maven.NotFetchedError as reason:
        pytest.skip(str(reason))


class Workshop:
    """Command lines of the programs for one JDK, in a folder of their own."""

    def __init__(self, jdk: Jdk, jars: Path, folder: Path) -> None:
        self.jdk = jdk
        self.folder = folder
        self.sources = folder / "sources"
        self.classpath = f"{folder / 'classes'}{os.pathsep}{jars}/*"
        sources = sorted(map(str, (HERE / "programs").glob("*.java")))
        generate.write_classes(self.sources, CLASSES)
        subprocess.run(
            [jdk.tool("javac"), "-d", folder / "classes", "-cp", f"{jars}/*", *sources],
            check=True,
        )

    def command(
        self, program: str, flags: list[str], seconds: int, work: int = ANY
    ) -> list[str]:
        """A program under its load until the time is up or the work is done: so many
        transfers of the bank, or requests to the site."""
        out = str(self.folder / "out")
        os.makedirs(out, exist_ok=True)
        if program == "javac":
            files = sorted(map(str, self.sources.glob("*.java")))
            options = ["-proc:none", "-d", out]
            return [
                self.jdk.tool("javac"),
                *(f"-J{flag}" for flag in flags),
                *options,
                *files,
            ]
        arguments: dict[str, list[object]] = {
            "compile": ["Compile", self.sources, out, COMPILERS],
            "bank": ["Bank", CLERKS, READERS, work, seconds],
            "site": ["Site", SERVERS, CUSTOMERS, work, seconds, out],
        }
        java = [self.jdk.tool("java"), *flags, "-cp", self.classpath]
        return [*java, *map(str, arguments[program])]


@pytest.fixture(scope="session", params=JDKS or [None], ids=str)
def workshop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Workshop:
    if request.param is None:
        pytest.skip("no JDK in JAVA_HOME or /usr/lib/jvm")
    if not AGENT.exists():
        pytest.skip(f"no agent in {AGENT}")
    return Workshop(request.param, fetched(), tmp_path_factory.mktemp("real"))


def record(workshop: Workshop, program: str, folder: Path) -> Run:
    trace = folder / "run.tmt"
    flag, file = flight.flag(folder)
    command = workshop.command(
        program, [f"-agentpath:{AGENT}=file={trace}", flag], SECONDS
    )
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=SECONDS + 300,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said, tallies = {}, []
    for line in done.stdout.splitlines():
        key, equal, value = line.partition("=")
        if key == "tally":
            id_, blocked, waited, name = value.split(" ", 3)
            tallies.append(Tally(int(id_), int(blocked), int(waited), name))
        elif equal and value.isdigit():
            said[key] = int(value)
    return Run(
        program,
        workshop.jdk,
        trace,
        threadmodel.open(trace),
        flight.read(workshop.jdk, file),
        said,
        tallies,
    )


@pytest.fixture(scope="session")
def runs(
    workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Run]:
    """Gives the run of a program on the JDK of this round; runs it the first time."""
    found: dict[str, Run] = {}

    def get(program: str) -> Run:
        if program not in found:
            found[program] = record(workshop, program, tmp_path_factory.mktemp(program))
        return found[program]

    return get


@pytest.fixture(params=NAMES)
def run(request: pytest.FixtureRequest, runs: Callable[[str], Run]) -> Run:
    return runs(request.param)
