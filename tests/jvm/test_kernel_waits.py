# SPDX-License-Identifier: Apache-2.0
"""Waits in the kernel, beside what each thread measured round the same calls. Both
include the wait for a processor at their end."""

from collections import defaultdict

import pytest

import threadmodel
from conftest import Java

CLIENTS = 4


def distance(found: int, least: int, most: int) -> float:
    """How far a length is off the range in which it lies, as a part of it."""
    return max(least - found, found - most, 0) / least


def is_near(found: int, least: int, most: int) -> bool:
    return distance(found, least, most) < 0.1 or abs(found - least) < 3_000_000


def io_of(model: threadmodel.Model) -> dict[tuple[str, str], int]:
    """By thread and object, how long a thread was in I/O."""
    found: defaultdict[tuple[str, str], int] = defaultdict(int)
    for row in model.statistics(by=("thread", "object")):
        found[row["thread"], row["object"]] += row["io_total_ns"]
    return found


@pytest.mark.every_release
def test_a_thread_is_in_io_for_as_long_as_it_measured_itself(java: Java):
    run = java.record("KernelWaits", 10, CLIENTS)
    io, port, said = io_of(run.model), run.said["port"], run.said
    sides = {"client": f"127.0.0.1:{port}", "server": f"clients of :{port}"}
    for side, thing in sides.items():
        far = []
        for thread in (f"{side}-{i}" for i in range(CLIENTS)):
            read, written = said[f"read_{thread}"], said[f"written_{thread}"]
            # A write that was preempted may count. A thread may be preempted between
            # its own look at the clock and the call.
            assert is_near(io[thread, thing], read, read + written)
            far.append(distance(io[thread, thing], read, read + written))
        assert sorted(far)[CLIENTS // 2] < 0.05
    assert io["acceptor", f"connections to :{port}"] > 0
    waited = said["selected_selector"]
    assert is_near(io["selector", "a selector"], waited, waited)
    # The start of a process reads a pipe as well.
    assert io["child", "a pipe"] >= said["read_child"] * 0.95
    # A sync that found nothing to wait for does not wait: the longest is one.
    rows = run.model.statistics(by=("thread",))
    longest = max(row["io_max_ns"] or 0 for row in rows if row["thread"] == "writer")
    assert longest >= said["synced_writer"] * 0.9
    assert not run.odd()


def test_a_read_of_what_a_client_sends_next_is_idle_and_one_of_an_answer_is_not(
    java: Java,
):
    run = java.record("KernelWaits", 4, 2)
    port = run.said["port"]
    idle = defaultdict(set)
    names = {row["thread_id"]: row["name"] for row in run.model.threads()}
    for row in run.model.timeline():
        if row["state"] == "io":
            idle[names[row["thread_id"]], row["object"]].add(row["idle"])
    assert idle["acceptor", f"connections to :{port}"] == {True}
    assert idle["selector", "a selector"] == {True}
    assert True in idle["server-0", f"clients of :{port}"]
    assert idle["client-0", f"127.0.0.1:{port}"] == {False}
    assert idle["child", "a pipe"] == {False}


def test_no_wait_in_the_kernel_is_recorded_where_that_is_not_wanted(java: Java):
    run = java.record("KernelWaits", 2, 2, options="io=n")
    assert set(io_of(run.model).values()) <= {0}
