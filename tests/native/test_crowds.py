# SPDX-License-Identifier: Apache-2.0
"""Many threads at once, and threads that come and go."""

import os
from pathlib import Path

import pytest
from recording import program, record

import threadmodel

COUNT = 10_000 if "TM_TEST_FULL" in os.environ else 1_000


@pytest.mark.parametrize(
    "how", [["together"], ["apart", "5000"]], ids=["together", "apart"]
)
def test_of_thousands_of_threads_each_waits_for_as_long_as_it_measured(
    how: list[str], tmp_path: Path
) -> None:
    done = record(tmp_path / "run.tmt", program("crowd"), how[0], str(COUNT), *how[1:])
    assert done.returncode == 0, done.stderr
    waited_ns = int(done.stdout.split()[0])
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    rows = list(model.threads())
    assert len(rows) == COUNT + 1
    # The first thread is there to the end of the process.
    assert [row["end_ns"] is None for row in rows].count(True) == 1
    # What a thread measured contains its wait for a processor at the end.
    wanted_ns = sum(row["runnable_total_ns"] + row["native_total_ns"] for row in rows)
    found_ns = sum(row["io_total_ns"] for row in rows)
    assert waited_ns * 0.98 - wanted_ns <= found_ns <= waited_ns * 1.02
    # The ring of a thread that starts or joins thirty others each ms may be full: that
    # is counted, and nothing is odd without it.
    odd = {row["cause"] for row in model.diagnostics() if row["count"]}
    assert not odd or "lost_by_producer" in odd
