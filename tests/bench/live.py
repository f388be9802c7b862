# SPDX-License-Identifier: Apache-2.0
"""What a live view costs the process that it shows, and how soon it names a lock.
usage: live.py [ROUNDS [SECONDS]]

A program with a planted lock runs; in each round its processor time is taken over some
seconds without `top` and over as many with it, in an order that alternates. The work
of the JVM's programs is paced by a clock, so it is the same in both. Named is when the
first screen with the lock is drawn in a terminal, counted from the command's start.
"""

import fcntl
import math
import os
import pty
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
JAVA = Path(os.environ.get("JAVA_HOME", "/usr")) / "bin"
TICKS = os.sysconf("SC_CLK_TCK")
TOP = [sys.executable, "-m", "threadmodel", "top"]
WARM_S = 4.0
SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
# By name: the command, and what the line of its lock looks like.
PROGRAMS: dict[str, tuple[list[str], str]] = {
    "JVM, an owner that sleeps": (["Queueing", "4"], r"Queueing\$Till +Queueing\.pay"),
    "JVM, 800 turns a second": (["Paced", "8", "100", "400000"], r"Paced\$Till"),
    "native, an owner that sleeps": (
        [str(ROOT / "build/tests/native/native_hangs"), "queue", "normal", "3"],
        r"native_hangs\.in_queue",
    ),
}


def processor_s(pid: int) -> float:
    """Return the processor time of a process."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / TICKS


@contextmanager
def running(command: list[str], classes: Path) -> Iterator[int]:
    if not command[0].startswith("/"):
        command = [str(JAVA / "java"), "-cp", str(classes), *command]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        time.sleep(WARM_S)
        yield process.pid
    finally:
        process.kill()
        process.wait()


def share(pid: int, seconds: float) -> float:
    """Return what a process uses of one processor for some seconds."""
    begin, before = time.monotonic(), processor_s(pid)
    time.sleep(seconds)
    return (processor_s(pid) - before) / (time.monotonic() - begin)


@contextmanager
def watched(pid: int, lock: str) -> Iterator[float]:
    """Show it live in a terminal; how long it took until the lock was named."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 110, 0, 0))
    begin = time.monotonic()
    process = subprocess.Popen(
        [*TOP, str(pid)], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL
    )
    os.close(theirs)
    shown = ""
    while not re.search(lock, SEQUENCE.sub("", shown)):
        shown += os.read(ours, 1 << 16).decode(errors="replace")
    named_s = time.monotonic() - begin
    # The screens are read, as a terminal does.
    reader = subprocess.Popen(
        ["cat"], stdin=ours, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield named_s
    finally:
        process.terminate()
        process.wait()
        os.close(ours)
        reader.kill()
        reader.wait()


def half_interval(values: list[float]) -> float:
    """Return half of the 95 % interval of a mean."""
    import scipy.stats

    quantile = float(scipy.stats.t.ppf(0.975, len(values) - 1))
    return quantile * statistics.stdev(values) / math.sqrt(len(values))


def measure(name: str, rounds: int, seconds: float, classes: Path) -> None:
    command, lock = PROGRAMS[name]
    without, costs, named = [], [], []
    with running(command, classes) as pid:
        for number in range(rounds):
            alone = share(pid, seconds) if number % 2 else 0.0
            with watched(pid, lock) as named_s:
                named.append(named_s)
                seen = share(pid, seconds)
            time.sleep(1)
            alone = alone or share(pid, seconds)
            without.append(alone)
            costs.append(seen - alone)
    half = half_interval(costs)
    mean = statistics.mean(costs)
    print(
        f"{name:30} named in {statistics.median(named):.1f} s ({max(named):.1f} at "
        f"most); of a processor {statistics.mean(without):.2%} alone, with top "
        f"{mean:+.2%} ({mean - half:+.2%} to {mean + half:+.2%})",
        flush=True,
    )


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 8.0
    with tempfile.TemporaryDirectory() as folder:
        sources = [
            HERE / "programs/Paced.java",
            ROOT / "tests/jvm/programs/Queueing.java",
        ]
        subprocess.run([JAVA / "javac", "-d", folder, *sources], check=True)
        for name in PROGRAMS:
            measure(name, rounds, seconds, Path(folder))


if __name__ == "__main__":
    main()
