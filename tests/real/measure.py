# SPDX-License-Identifier: Apache-2.0
"""What docs/performance.md says of real programs, measured on this machine.

    ./dev bench --list
    export PYTHONPATH=build-release/bindings/python:tests/jvm
    export TM_TEST_AGENT=$PWD/build-release/agent/jvm/libthreadmodel-agent.so
    .venv/bin/python tests/real/measure.py [PAIRS [PROGRAM...]]

Each program does the same work with the agent and without, in pairs whose order
alternates, and is recorded once beside JFR. Printed are the medians of the pairs'
ratios, with the least and the greatest: of the time that the work took, and of the
processor time of the whole process, which says more where others share the machine.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import agreement
import threadmodel
from conftest import NAMES, POM, Workshop, record
from jdks import AGENT, JDKS
from maven import fetch

WORK = {"bank": 100_000, "site": 8_000}
ENOUGH_SECONDS = 300
# Classes with fewer blocking intervals than this say nothing about a share.
MANY = 50


@dataclass(frozen=True)
class Cost:
    wall_s: float
    cpu_s: float


def run(workshop: Workshop, program: str, flags: list[str]) -> Cost:
    """One run to the end of its work; its time is what the program says that the
    work took, or else that of the whole process."""
    command = workshop.command(program, flags, ENOUGH_SECONDS, WORK.get(program, 0))
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    wall_s = time.monotonic() - began
    for line in said.splitlines():
        if line.startswith("took_ns="):
            wall_s = int(line.partition("=")[2]) / 1e9
    return Cost(wall_s, usage.ru_utime + usage.ru_stime)


def pair(workshop: Workshop, program: str, trace: Path, first: bool) -> list[Cost]:
    flags = [[], [f"-agentpath:{AGENT}=file={trace}"]]
    order = (0, 1) if first else (1, 0)
    costs = {which: run(workshop, program, flags[which]) for which in order}
    return [costs[0], costs[1]]


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def worst(workshop: Workshop, program: str, folder: Path) -> list[str]:
    """The greatest difference in time of a class with many blocks, by state."""
    recorded = record(workshop, program, folder)
    cells = []
    for state in ("blocked", "waiting", "parked"):
        lines = agreement.lines(recorded, state)
        many = [line for line in lines if line.jfr.count >= MANY]
        count = sum(line.jfr.count for line in lines)
        off = sum(abs(line.ours.count - line.jfr.count) for line in lines)
        share = max((abs(line.relative) for line in many), default=None)
        cells.append(f"{count:,} ({off}), {'-' if share is None else f'{share:.2%}'}")
    return cells


def measure(workshop: Workshop, program: str, pairs: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "run.tmt"
        costs = [pair(workshop, program, trace, i % 2 == 0) for i in range(pairs)]
        model = threadmodel.open(trace)
        cells = [
            program,
            str(workshop.jdk.release),
            f"{costs[0][0].wall_s:.1f} s",
            f"{model.event_count:,}",
            f"{trace.stat().st_size:,}",
            spread([with_.wall_s / without.wall_s for without, with_ in costs]),
            spread([with_.cpu_s / without.cpu_s for without, with_ in costs]),
            *worst(workshop, program, Path(folder)),
        ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for jdk in JDKS:
        with tempfile.TemporaryDirectory() as folder:
            workshop = Workshop(jdk, fetch(POM), Path(folder))
            for program in sys.argv[2:] or NAMES:
                print(measure(workshop, program, pairs), flush=True)


if __name__ == "__main__":
    main()
