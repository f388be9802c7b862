# SPDX-License-Identifier: Apache-2.0
"""Many threads at once, and threads that come and go."""

import os
from typing import Any

import pytest

from conftest import Java

COUNT = 10_000 if "TM_TEST_FULL" in os.environ else 1_000


def running_ns(row: dict[str, Any]) -> int:
    """The time for which a thread had a processor or waited for one."""
    others = sum(row[column] for column in row if column.endswith("_total_ns"))
    return row["end_ns"] - row["start_ns"] - others


@pytest.mark.parametrize(("ms", "rate"), [(1000, 0), (2, 5_000)])
def test_of_thousands_of_threads_each_sleeps_for_as_long_as_it_measured(
    java: Java, ms: int, rate: int
):
    run = java.record("Crowds", COUNT, ms, rate)
    rows = [row for row in run.model.threads() if str(row["name"]).startswith("crowd-")]
    assert len(rows) == COUNT
    assert all(row["end_ns"] is not None for row in rows)
    # The time that a thread measured includes its wait for a processor at the end. If
    # there are too many switches to record, that wait is a part of running.
    wanted_ns = sum(row["runnable_total_ns"] + row["native_total_ns"] for row in rows)
    if any(text.startswith("When threads had") for text in run.model.caveats):
        wanted_ns += sum(running_ns(row) for row in rows)
    found_ns = sum(row["sleeping_total_ns"] for row in rows)
    slept_ns = run.said["slept"]
    assert slept_ns * 0.98 - wanted_ns <= found_ns <= slept_ns * 1.02
    assert not run.odd()
