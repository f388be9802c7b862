# SPDX-License-Identifier: Apache-2.0
"""How much of the time of threads is in a state that is known: 13 programs and servers.
usage: classed.py AGENT FOLDER-OF-NATIVE-PROGRAMS

Of each: for how long its threads lived, which part of that is unknown, and which is
native, a wait for what is not known. Then running beside the processor time that the
scheduler counted, of threads with 0.1 s of it or more. The recorder's own threads count
as well.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import threadmodel

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "jvm"), str(HERE)]

import native_processes  # noqa: E402
import native_servers  # noqa: E402

from jdks import JDKS  # noqa: E402
from slow_endpoint import database, serve  # noqa: E402

GOAL = 0.99
LEAST_NS = 100_000_000
ROUNDS = 300
NATIVE = [sys.executable, "-m", "threadmodel", "record", "--native", "-o"]
JAVA_PROGRAMS = ("Endpoint", "Times")
GO_PROGRAMS = ("waits", "tasks", "endpoint")


@dataclass(frozen=True)
class Program:
    name: str
    #: from where the trace is to be
    record: Callable[[Path], None]


def java(agent: str, home: Path, release: int, folder: Path) -> list[Program]:
    programs = HERE.parent / "jvm/programs"
    classes = folder / f"classes-{release}"
    sources = [programs / f"{name}.java" for name in JAVA_PROGRAMS]
    compiler = str(home / "bin/javac")
    subprocess.run([compiler, "-d", classes, *sources], check=True)

    def command(trace: Path, *arguments: object) -> list[str]:
        loaded = f"-agentpath:{agent}=file={trace}"
        java = str(home / "bin/java")
        return [java, loaded, "-cp", str(classes), *map(str, arguments)]

    def serving(trace: Path) -> None:
        with database(8) as port:
            serve(command(trace, "Endpoint", port, 1))

    def times(trace: Path) -> None:
        mapped = folder / "mapped"
        quiet(command(trace, "Times", 20, 1000, 500, mapped))

    def compiling(trace: Path) -> None:
        loaded = f"-J-agentpath:{agent}=file={trace}"
        quiet([compiler, loaded, "-d", str(folder / "out"), *map(str, sources)])

    return [
        Program(f"service, JDK {release}", serving),
        Program(f"connections and loops, JDK {release}", times),
        Program(f"javac, JDK {release}", compiling),
    ]


def quiet(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def native(programs: Path, folder: Path) -> Iterator[Program]:
    def serving(trace: Path) -> None:
        program = str(programs / "native_endpoint")
        with database(8) as port:
            serve([*NATIVE, str(trace), "--", program, str(port), "1"])

    def xz(trace: Path) -> None:
        data = folder / "data"
        data.write_bytes(os.urandom(1 << 23))
        quiet([*NATIVE, str(trace), "--", "xz", "-T2", "-k", "-f", str(data)])

    yield Program("service, C", serving)
    if shutil.which("xz"):
        yield Program("xz", xz)
    for server in native_servers.SERVERS[:3]:
        if shutil.which(server.program):
            yield Program(server.program, lambda trace, it=server: loaded(it, trace))


def loaded(server: native_servers.Server, trace: Path) -> None:
    """Record a server of others under a load."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        port = native_processes.free_port()
        command = [*NATIVE, str(trace), "--", *server.command(port, folder)]
        with native_processes.running(command) as it:
            started = native_servers.Started(server, port, it)
            started.serve(ROUNDS)
            started.stop()
            with contextlib.suppress(subprocess.TimeoutExpired):
                it.wait(10)


def go(folder: Path) -> Iterator[Program]:
    if not shutil.which("go"):
        return
    for name in GO_PROGRAMS:
        built = folder / f"go-{name}"
        source = HERE.parent / "go" / name
        subprocess.run(["go", "build", "-o", built, "."], cwd=source, check=True)

    def serving(trace: Path) -> None:
        with database(8) as port:
            serve([str(folder / "go-endpoint"), str(trace), str(port), "1"])

    yield Program("service, Go", serving)
    for name in GO_PROGRAMS[:2]:
        built = str(folder / f"go-{name}")
        yield Program(f"{name}, Go", lambda trace, it=built: quiet([it, str(trace)]))


@dataclass(frozen=True)
class Classed:
    states: Counter[str]
    #: of threads that had a processor for long: how far running is off, as a share
    off: list[float]

    @property
    def lived_ns(self) -> int:
        return sum(self.states.values())

    def share(self, state: str) -> float:
        return self.states[state] / max(self.lived_ns, 1)


def classed(trace: Path) -> Classed:
    model = threadmodel.open(trace)
    states: Counter[str] = Counter()
    running: Counter[int] = Counter()
    for row in model.timeline():
        if row["state"] in ("new", "dead"):
            continue
        length = row["end_ns"] - row["start_ns"]
        states[row["state"]] += length
        if row["state"] == "running":
            running[row["thread_id"]] += length
    off = [
        running[row["thread_id"]] / row["cpu_time_ns"] - 1
        for row in model.threads()
        if row["cpu_time_ns"] is not None and row["cpu_time_ns"] >= LEAST_NS
    ]
    return Classed(states, off)


def main() -> int:
    agent, programs = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        every = [
            program
            for jdk in JDKS
            if jdk.release in (17, 25)
            for program in java(agent, jdk.home, jdk.release, folder)
        ]
        every += [*native(programs, folder), *go(folder)]
        print(f"{'':34} {'lived':>9} {'classed':>8} {'native':>7} running, off by")
        missed = 0
        for program in every:
            trace = folder / "run.tmt"
            program.record(trace)
            found = classed(trace)
            known = 1 - found.share("unknown")
            missed += known < GOAL
            worst = max(found.off, key=abs, default=0.0)
            off = f"{worst:+.1%} of {len(found.off)}" if found.off else "-"
            print(
                f"{program.name:34} {found.lived_ns / 1e9:7.2f} s {known:8.2%} "
                f"{found.share('native'):7.1%} {off}",
                flush=True,
            )
            trace.unlink()
    print(f"{len(every) - missed} of {len(every)} have {GOAL:.0%} classed")
    return missed != 0


if __name__ == "__main__":
    sys.exit(main())
