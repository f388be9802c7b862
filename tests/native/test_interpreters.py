# SPDX-License-Identifier: Apache-2.0
"""Programs that an interpreter runs: its global lock has its usual name."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from recording import environment, record, recorder

import threadmodel
from threadmodel import native

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


LOCKING = """
import threading, time
lock = threading.Lock()
def use():
    for _ in range(20):
        with lock:
            time.sleep(0.002)
threads = [threading.Thread(target=use) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="its locks are words, not semaphores"
)
def test_locks_of_python_have_their_name(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    assert record(trace, sys.executable, "-c", LOCKING).returncode == 0
    model = threadmodel.open(trace)
    waited = {row["class"]: row["waiting_count"] for row in model.statistics(["class"])}
    assert waited["Python lock"] >= 20
    assert "semaphore" not in waited


HANGING = """
import os, threading
lock = threading.Lock()
lock.acquire()
print(os.getpid(), flush=True)
lock.acquire()
"""


@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="its locks are words, not semaphores"
)
def test_a_dump_of_a_recorded_program_is_of_the_program(tmp_path: Path) -> None:
    command = recorder(tmp_path / "run.tmt", sys.executable, "-c", HANGING)
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        pid = int(process.stdout.readline())
        try:
            text = dump_until(pid, "waits for Python lock", tmp_path)
        finally:
            os.kill(pid, signal.SIGKILL)
    assert "1 waiter" in text
    # The recorder's own frames are left out.
    assert "PyThread_acquire_lock_timed" in text
    assert "libthreadmodel" not in text


def dump_until(pid: int, what: str, folder: Path) -> str:
    """The thread may still be on its way to the lock."""
    for number in range(100):
        text = native.dump(pid, str(folder / f"dump-{number}.tmt"))
        if what in text:
            break
        time.sleep(0.05)
    return text
