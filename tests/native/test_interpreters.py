# SPDX-License-Identifier: Apache-2.0
"""Programs that an interpreter runs: its global lock has its usual name."""

import sys
from pathlib import Path

from recording import record

import threadmodel

SPINNING = """
import threading, time
end = time.monotonic() + 1
def spin():
    while time.monotonic() < end:
        pass
threads = [threading.Thread(target=spin) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_threads_of_python_wait_for_its_lock(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    assert record(trace, sys.executable, "-c", SPINNING).returncode == 0
    model = threadmodel.open(trace)
    waited = {
        row["class"]: row["waiting_total_ns"] for row in model.statistics(by=["class"])
    }
    # Two of three wait at any time.
    assert waited["GIL"] > 1_000_000_000
    card = next(row for row in model.findings() if row["class"] == "GIL")
    assert "wait for the interpreter's lock in " in str(card["title"])
    assert "use processes" in str(card["advice"])
    # The function around the wait for a condition says nothing.
    assert "PyCOND" not in str(card["title"])
