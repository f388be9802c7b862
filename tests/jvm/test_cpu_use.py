# SPDX-License-Identifier: Apache-2.0
"""What the scheduler counts of threads: never less than what a thread saw itself."""

from pathlib import Path

import pytest

from conftest import Java


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
