# SPDX-License-Identifier: Apache-2.0
"""What works against a recording: inside the program, beside it, and in its place."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from jdks import AGENT, ROOT, Jdk

VIRTUAL_SINCE = 21
LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
FAKETIME = LIBRARIES / "faketime/libfaketimeMT.so.1"
PAUSE_S = 0.1


@dataclass(frozen=True)
class Here:
    """Where a run takes place, and what it may load."""

    jdk: Jdk
    folder: Path
    trace: Path
    jar: Path
    profiler: Path | None


@dataclass(frozen=True)
class Antagonist:
    """Of any of these, what it needs.

    Attributes:
        inside: a thread of the program does it, by this name
        flags: of the VM
        environment: of the process
        steps: between two of them a tenth of a second passes
        prepare: in the process, before the VM is there
        lacks: why it cannot be here; None: it can
        spoils: the trace may end early, or be gone
        prints: lines that the VM then prints at one time and not at another
    """

    name: str
    inside: bool = False
    flags: Callable[[Here], list[str]] = lambda here: []
    environment: Callable[[Here], dict[str, str]] = lambda here: {}
    steps: Callable[[Here, int], Iterator[None]] = lambda here, pid: iter(())
    prepare: Callable[[], None] | None = None
    lacks: Callable[[Here], str | None] = lambda here: None
    spoils: bool = False
    only_recorded: bool = field(default=False)
    prints: str | None = None


def _old(here: Here) -> str | None:
    return None if here.jdk.release >= VIRTUAL_SINCE else "no virtual threads"


def _without(module: str, what: str) -> Callable[[Here], str | None]:
    """Why it cannot be here, where the runtime has no such module."""

    def lacks(here: Here) -> str | None:
        about = (here.jdk.home / "release").read_text()
        return None if module in about else f"this runtime has no {what}"

    return lacks


def _stop(here: Here, pid: int) -> Iterator[None]:
    for _ in range(20):
        yield
        os.kill(pid, signal.SIGSTOP)
        yield
        yield
        os.kill(pid, signal.SIGCONT)


def _mask(pid: int, name: str) -> int:
    """A set of signals of a process, as the kernel tells it; 0: it is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1], 16)
    return 0


def _signals(here: Here, pid: int) -> Iterator[None]:
    # Until the VM has a handler, SIGQUIT ends the process.
    caught = 1 << (signal.SIGQUIT - 1)
    while True:
        for number in (signal.SIGWINCH, signal.SIGCHLD, signal.SIGURG, signal.SIGQUIT):
            if number != signal.SIGQUIT or _mask(pid, "SigCgt") & caught:
                os.kill(pid, number)
            yield


def _remove(suffix: str) -> Callable[[Here, int], Iterator[None]]:
    def steps(here: Here, pid: int) -> Iterator[None]:
        for _ in range(5):
            yield
        here.trace.with_name(here.trace.name + suffix).unlink(missing_ok=True)

    return steps


def _cut(suffix: str) -> Callable[[Here, int], Iterator[None]]:
    def steps(here: Here, pid: int) -> Iterator[None]:
        path = here.trace.with_name(here.trace.name + suffix)
        for _ in range(5):
            yield
        with suppress(FileNotFoundError):
            os.truncate(path, path.stat().st_size // 2)

    return steps


def _dump(here: Here, pid: int) -> Iterator[None]:
    """Have the recording written out, again and again."""
    package = ROOT / "build/bindings/python"
    while True:
        yield
        subprocess.run(
            [sys.executable, "-m", "threadmodel", "control", str(pid), "dump"],
            check=False,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(package)},
            timeout=60,
        )


def _clock_file(here: Here) -> Path:
    return here.folder / "clock"


def _clock(here: Here, pid: int) -> Iterator[None]:
    while True:
        for step in ("+1h", "-1d", "+0"):
            yield
            new = here.folder / "clock.new"
            new.write_text(step + "\n")
            new.replace(_clock_file(here))


def _faked(here: Here) -> dict[str, str]:
    _clock_file(here).write_text("+0\n")
    return {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME_TIMESTAMP_FILE": str(_clock_file(here)),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def _full_disk() -> None:
    """No file of the process may be longer: a write then fails, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _second(here: Here) -> list[str]:
    copy = here.folder / "second.so"
    if not copy.exists():
        shutil.copy(AGENT, copy)
    return [f"-agentpath:{copy}=file={here.folder}/second.tmt"]


ANTAGONISTS = [
    *(
        Antagonist(name, inside=True)
        for name in ("threads", "classes", "garbage", "overflow", "fork", "locks")
    ),
    Antagonist("virtual", inside=True, lacks=_old),
    Antagonist(
        "memory",
        inside=True,
        flags=lambda here: ["-Xmx96m"],
        prints=r"\[[\d.,]+s\]\[\w+ *\]\[gc",
    ),
    Antagonist(
        "redefine",
        inside=True,
        flags=lambda here: [f"-javaagent:{here.jar}"],
    ),
    Antagonist("stop", steps=_stop),
    # Of SIGQUIT it dumps all threads.
    Antagonist("signals", steps=_signals, prints=".*"),
    Antagonist("trace-removed", steps=_remove(""), spoils=True, only_recorded=True),
    Antagonist("rings-removed", steps=_remove(".rings"), only_recorded=True),
    Antagonist("trace-cut", steps=_cut(""), spoils=True, only_recorded=True),
    Antagonist("rings-cut", steps=_cut(".rings"), only_recorded=True),
    Antagonist("dump", steps=_dump, only_recorded=True),
    Antagonist(
        "clock",
        environment=_faked,
        steps=_clock,
        lacks=lambda here: (
            None if FAKETIME.exists() else "no libfaketime (Debian: faketime)"
        ),
    ),
    Antagonist("disk-full", prepare=_full_disk, spoils=True),
    Antagonist("second-agent", flags=_second, only_recorded=True),
    Antagonist(
        "debugger",
        flags=lambda here: [
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0"
        ],
        lacks=_without("jdk.jdwp.agent", "debugger"),
    ),
    Antagonist(
        "flight-recorder",
        flags=lambda here: [
            f"-XX:StartFlightRecording:filename={here.folder}/run.jfr,settings=profile"
        ],
        lacks=_without("jdk.jfr", "flight recorder"),
        # Its messages when the disk is full.
        prints=r"\[[\d.,]+s\]\[(warning|error) *\]\[jfr",
    ),
    Antagonist(
        "profiler",
        flags=lambda here: [
            f"-agentpath:{here.profiler}=start,event=itimer,interval=1ms,file="
            f"{here.folder}/profile.txt,collapsed"
        ],
        lacks=lambda here: None if here.profiler else "async-profiler was not fetched",
        prints="Warning: SIGSEGV handler ",
    ),
]

COLLECTORS = {
    "serial": ["-XX:+UseSerialGC"],
    "parallel": ["-XX:+UseParallelGC"],
    "g1": ["-XX:+UseG1GC"],
    "z": ["-XX:+UseZGC"],
    "shenandoah": ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC"],
    "g1-small": ["-XX:+UseG1GC", "-XX:+UseStringDeduplication", "-Xmn8m"],
}
ALLOCATORS = {
    "glibc": "",
    "jemalloc": str(LIBRARIES / "libjemalloc.so.2"),
    "mimalloc": str(LIBRARIES / "libmimalloc.so.2.0"),
}
# Options of the agent, one of them a run.
OPTIONS = (
    "",
    "stacks=all",
    "stacks=none,rings=none",
    "held=y",
    "cpu=samples",
    "mount=y",
    "buffer=64",
    "budget=1%,memory=32",
    "doe=y",
)
# Flags by which the VM ends a program whose agent hands it a dead reference.
CHECKS = ("", "-Xcheck:jni")


def act(here: Here, process: subprocess.Popen[bytes], chosen: list[Antagonist]) -> None:
    """Take the steps of all, in turn, until the process is over."""
    going = [one.steps(here, process.pid) for one in chosen]
    while going and process.returncode is None:
        time.sleep(PAUSE_S)
        for one in list(going):
            try:
                next(one)
            except (StopIteration, ProcessLookupError):
                going.remove(one)
