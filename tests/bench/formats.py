# SPDX-License-Identifier: Apache-2.0
"""Other people's files against other people's readers of them.

usage: formats.py BENCH_JFR [SECONDS]

Records a lock-heavy program with JFR for so many seconds (25), thresholds at nothing,
and reads the recording with the library, with the whole terminal report, and with the
JDK's own views. Processor time tells more than wall time on a machine that is busy.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/jvm"))

import recordings  # noqa: E402
from conftest import PROGRAMS  # noqa: E402
from jdks import JDKS  # noqa: E402

VIEWS_SINCE = 21
PUTS_A_SECOND = 130_000


def measure(name: str, command: list[object], **variables: str) -> None:
    """Run a command; print what it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    child = subprocess.Popen(
        [str(word) for word in command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **variables},
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{name:32} {cpu:6.2f} s of processor {wall:6.2f} s in all "
        f"{used.ru_maxrss / 1024:6.0f} MiB{'' if status == 0 else '  FAILED'}"
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
        package = bench.parents[2] / "bindings/python"
        report = [sys.executable, "-m", "threadmodel", "report", file]
        measure("threadmodel report", report, PYTHONPATH=str(package))
        for view in ("contention-by-class", "contention-by-site"):
            measure(f"jfr view {view}", [jdk.tool("jfr"), "view", view, file])
        measure("jfr summary", [jdk.tool("jfr"), "summary", file])
    return 0


if __name__ == "__main__":
    sys.exit(main())
