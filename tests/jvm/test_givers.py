# SPDX-License-Identifier: Apache-2.0
"""Producers whose consumers have all ended, beside a thread that goes on; and healthy
programs that look like them."""

import subprocess
import time

import threadmodel
from conftest import TIMEOUT_S, Java

# The threads that cannot go on, and the advice.
HUNG = {
    "array": ({"producer-0"}, "Keep the threads that take from the queue alive"),
    "linked": (
        {"producer-0", "producer-1"},
        "Keep the threads that take from the queue alive",
    ),
    "handed": ({"producer-0"}, "Keep the threads that take from the queue alive"),
    "initialiser": (
        {"initialiser", "ForkJoinPool-1-worker-1"},
        "Do not wait for other threads in an initialiser.",
    ),
    "owner": (
        {"owner", "ForkJoinPool-1-worker-1"},
        "Do not wait for others with a lock held that they need.",
    ),
}
HEALTHY = ("slow", "computes", "takers", "burst", "hook")
# The suspicion is reported after a second.
LONG_S = 1.5


def test_producers_whose_consumers_have_all_ended_are_stuck(
    java: Java,
) -> None:
    names = (*HUNG, *HEALTHY)
    running = {
        name: subprocess.Popen(
            java.command("Givers", name, agent=f"file={java.folder / name}.tmt"),
            stdout=subprocess.PIPE,
            text=True,
            cwd=java.folder,
        )
        for name in names
    }
    for process in running.values():
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    time.sleep(LONG_S)
    for process in running.values():
        process.terminate()
    for process in running.values():
        process.communicate(timeout=TIMEOUT_S)
    for name in names:
        model = threadmodel.open(java.folder / f"{name}.tmt")
        (row,) = model.verdict()
        members = {str(member["thread"]) for member in model.verdict_members()}
        if name in HUNG:
            expected, advice = HUNG[name]
            assert row["kind"] == "partly_stuck", (name, row["title"], row["text"])
            assert row["suspected"]
            assert members == expected, name
            assert row["advice"].startswith(advice), (name, row["advice"])
        else:
            assert members == set(), (name, row["title"], row["text"])
            assert row["kind"] not in ("stuck", "starved", "deadlocked"), row["title"]
        if name in ("burst", "hook"):
            # On a busy machine it waited for processors, too.
            assert row["kind"] in ("idle", "healthy"), (name, row["title"])
