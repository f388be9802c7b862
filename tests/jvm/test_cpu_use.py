# SPDX-License-Identifier: Apache-2.0
"""What the scheduler counts of threads: never less than what a thread saw itself."""

from pathlib import Path
from typing import Any

import pytest

from conftest import Java
from threadmodel import EventKind


@pytest.mark.every_release
def test_a_threads_processor_time_is_that_which_it_saw_itself(java: Java):
    if not Path("/proc/thread-self/schedstat").exists():
        pytest.skip("this kernel counts nothing of threads")
    run = java.record("Used", 3, 200)
    found = {row["name"]: row for row in run.model.threads()}
    for number in range(3):
        row = found[f"used-{number}"]
        # What it used before its first event is not counted.
        assert row["cpu_time_ns"] >= run.said[f"used{number}"] * 3 / 4
        assert row["cpu_wait_ns"] >= 0
    kinds = {row["kind"]: row["looked_for"] for row in run.model.finding_kinds()}
    assert kinds["too_few_processors"]


RUNS = 3
NOT_RUNNING = (
    *("blocked", "waiting", "reentering", "joining", "sleeping", "parked"),
    *("runnable", "io", "native"),
)


def differs(row: dict[str, Any]) -> bool:
    """Whether a thread's time in states is not what the scheduler counted."""
    whole = row["end_ns"] - row["start_ns"]
    running = whole - sum(row[f"{state}_total_ns"] for state in NOT_RUNNING)
    counted = row["cpu_time_ns"]
    return (
        abs(running - counted) > max(counted / 50, 4_000_000)
        or row["runnable_total_ns"] > row["cpu_wait_ns"] * 1.02 + 4_000_000
    )


@pytest.mark.every_release
def test_running_is_what_the_scheduler_counts_and_no_read_is_part_of_it(java: Java):
    # A thread that loses its processor between two readings of a clock is off by as
    # much as it then waits: a busy machine may need another run.
    for _ in range(RUNS):
        run = java.record("Switched", 400, 10, 30, options="switches=y")
        if any("perf_event_open failed" in text for text in run.model.caveats):
            pytest.skip("the kernel does not let this user record switches")
        found = {row["name"]: row for row in run.model.threads()}
        spinners = [it for name, it in found.items() if name.startswith("spinner")]
        assert spinners
        wrong = [row for row in spinners if differs(row)]
        if not wrong:
            break
    assert not wrong
    reader = found["reader"]
    in_kernel = reader["io_total_ns"] + reader["native_total_ns"]
    assert in_kernel + reader["runnable_total_ns"] >= run.said["waited"] * 0.98


def test_switches_are_recorded_on_demand_alone(java: Java):
    run = java.record("Switched", 50, 2, 5)
    assert not {EventKind.ON_CPU, EventKind.OFF_CPU} & set(run.model.run.kinds)
    assert all(row["native_total_ns"] == 0 for row in run.model.threads())
