# SPDX-License-Identifier: Apache-2.0
"""Other people's files against other people's readers of them.

usage: formats.py BENCH_JFR [SECONDS], with the built package in PYTHONPATH

Records a lock-heavy program with JFR for so many seconds (25), thresholds at nothing,
and reads the recording with the library, with the whole terminal report, and with the
JDK's own views and its own reader, in turns. The least of each is what counts, and
processor time more than wall time on a machine that is busy.
"""

import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/jvm"))

import recordings  # noqa: E402
from conftest import PROGRAMS  # noqa: E402
from jdks import JDKS  # noqa: E402

VIEWS_SINCE = 21
PUTS_A_SECOND = 130_000
ROUNDS = 3


@dataclass
class Least:
    """The least that a command took in several runs."""

    cpu_s: float = math.inf
    wall_s: float = math.inf
    memory_kib: float = math.inf
    failed: bool = False

    def run(self, command: list[object]) -> None:
        """Run it once more."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        child = subprocess.Popen(
            [str(word) for word in command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.wall_s = min(self.wall_s, time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.cpu_s = min(self.cpu_s, cpu)
        self.memory_kib = min(self.memory_kib, used.ru_maxrss)
        self.failed |= status != 0


def compare(commands: dict[str, list[object]]) -> None:
    """Run each in turn, and print the least of each."""
    least = {name: Least() for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            least[name].run(command)
    for name, it in least.items():
        print(
            f"{name:32} {it.cpu_s:6.2f} s of processor {it.wall_s:6.2f} s in all "
            f"{it.memory_kib / 1024:6.0f} MiB{'  FAILED' if it.failed else ''}"
        )


def main() -> int:
    bench = Path(sys.argv[1]).resolve()
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    jdks = [jdk for jdk in JDKS if jdk.release >= VIEWS_SINCE]
    if not jdks:
        print("no JDK with jfr view")
        return 0
    jdk = jdks[-1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = [PROGRAMS / f"{name}.java" for name in ("Storm", "Truth")]
        subprocess.run([jdk.tool("javac"), "-d", folder, *sources], check=True)
        file = folder / "storm.jfr"
        chosen = recordings.settings(folder)
        subprocess.run(
            [jdk.tool("java"), "-cp", folder]
            + [f"-XX:StartFlightRecording=filename={file},settings={chosen}"]
            + ["Storm", str(seconds * PUTS_A_SECOND)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        print(f"{jdk}, {file.stat().st_size / 1e6:.0f} MB")
        subprocess.run([bench, file], check=True)
        consume = Path(__file__).with_name("Consume.java")
        subprocess.run([jdk.tool("javac"), "-d", folder, consume], check=True)
        jfr = jdk.tool("jfr")
        commands: dict[str, list[object]] = {
            "contention by class, ours": [bench, file, "class"],
            "jfr view contention-by-class": [jfr, "view", "contention-by-class", file],
            "threadmodel report": [sys.executable, "-m", "threadmodel", "report", file],
            "jfr view contention-by-site": [jfr, "view", "contention-by-site", file],
            "jdk.jfr.consumer": [jdk.tool("java"), "-cp", folder, "Consume", file],
            "jfr summary": [jfr, "summary", file],
        }
        compare(commands)
    return 0


if __name__ == "__main__":
    sys.exit(main())
