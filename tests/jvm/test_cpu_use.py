# SPDX-License-Identifier: Apache-2.0
"""Processor times of the scheduler: never less than those a thread measured itself."""

import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import threadmodel
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
        # Processor time before its first event is not counted.
        assert row["cpu_time_ns"] >= run.said[f"used{number}"] * 3 / 4
        assert row["cpu_wait_ns"] >= 0
    kinds = {row["kind"]: row["looked_for"] for row in run.model.finding_kinds()}
    assert kinds["too_few_processors"]


RUNS = 5
NOT_RUNNING = (
    *("blocked", "waiting", "reentering", "joining", "sleeping", "parked"),
    *("runnable", "io", "native"),
)


def difference_ns(row: dict[str, Any]) -> int:
    """Between a thread's time in states and what the scheduler counted."""
    whole = row["end_ns"] - row["start_ns"]
    running = whole - sum(row[f"{state}_total_ns"] for state in NOT_RUNNING)
    return abs(running - row["cpu_time_ns"])


def tolerated_ns(row: dict[str, Any]) -> float:
    return max(row["cpu_time_ns"] / 50, 4_000_000)


def differs(model: threadmodel.Model) -> bool:
    """Whether the time of spinners in states is not what the scheduler counted. A
    thread that loses its processor between two readings of a clock, as it begins or
    ends, is off by as much as it then waits: most of them are not."""
    longest_ns: Counter[str] = Counter()
    for row in model.timeline():
        if row["state"] == "runnable":
            length_ns = row["end_ns"] - row["start_ns"]
            longest_ns[row["thread"]] = max(longest_ns[row["thread"]], length_ns)
    spinners = [it for it in model.threads() if it["name"].startswith("spinner")]
    beyond = [difference_ns(row) - tolerated_ns(row) for row in spinners]
    return statistics.median(beyond) > 0 or any(
        beyond_ns > 2 * longest_ns[row["name"]]
        or row["runnable_total_ns"] > row["cpu_wait_ns"] * 1.02 + 4_000_000
        for row, beyond_ns in zip(spinners, beyond, strict=True)
    )


@pytest.mark.every_release
def test_running_is_what_the_scheduler_counts_and_no_read_is_part_of_it(java: Java):
    # On a busy machine another run may be needed.
    for _ in range(RUNS):
        run = java.record("Switched", 400, 10, 30)
        if any("perf_event_open failed" in text for text in run.model.caveats):
            pytest.skip("the kernel does not let this user record switches")
        if not differs(run.model):
            break
    assert not differs(run.model), list(run.model.threads())
    reader = next(it for it in run.model.threads() if it["name"] == "reader")
    in_kernel = reader["io_total_ns"] + reader["native_total_ns"]
    assert in_kernel + reader["runnable_total_ns"] >= run.said["waited"] * 0.98


def test_no_switch_is_recorded_where_that_is_not_wanted(java: Java):
    run = java.record("Switched", 50, 2, 5, options="switches=n")
    assert not {EventKind.ON_CPU, EventKind.OFF_CPU} & set(run.model.run.kinds)
    assert all(row["native_total_ns"] == 0 for row in run.model.threads())


def test_switches_of_the_last_moments_are_of_the_thread_that_ended(java: Java):
    """The VM attaches another to its thread of the system, before they are read."""
    for _ in range(RUNS):
        assert java.record("Preempted", 100).odd() == {}
