# SPDX-License-Identifier: Apache-2.0
"""What-if of a second processor, for threads that share one."""

import os

import pytest

import threadmodel
from conftest import Java


@pytest.mark.parametrize("threads", [2, 4])
def test_an_even_number_of_threads_takes_half_as_long_on_two_processors(
    java: Java, threads: int
):
    """Computed by arithmetic; tests/bench/whatif.md has measured times."""
    trace = java.folder / "run.tmt"
    one = str(min(os.sched_getaffinity(0)))
    command = java.command("SharedProcessors", threads, 600, agent=f"file={trace}")
    done = java.run(["taskset", "-c", one, *command])
    assert done.returncode == 0, done.stderr
    took = int(done.stdout.partition("took=")[2])
    (row,) = threadmodel.open(trace).whatif(change="processors", permits=1)
    assert row["gain_low_ns"] <= took / 2 <= row["gain_high_ns"]
