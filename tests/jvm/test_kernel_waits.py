# SPDX-License-Identifier: Apache-2.0
"""Waits in the kernel, compared with each thread's own measurement of the calls. Both
include the wait for a processor at their end."""

from collections import defaultdict
from statistics import median

import pytest

import threadmodel
from conftest import Java, Recording

CLIENTS = 4

Calls = dict[tuple[str, str], list[tuple[float, set[str]]]]


def calls_of(run: Recording) -> Calls:
    """By thread and call: for each call, the part of it in which the thread was
    recorded in I/O, and the objects. No wait that begins in a call outlasts it."""
    names = {row["thread_id"]: row["name"] for row in run.model.threads()}
    waits = defaultdict(list)
    for row in run.model.timeline():
        if row["state"] == "io":
            start = run.model.run.start_ns + row["start_ns"]
            length = row["end_ns"] - row["start_ns"]
            waits[names[row["thread_id"]]].append((start, length, row["object"]))
    calls = defaultdict(list)
    for line in run.stdout.splitlines():
        if not line.startswith("call "):
            continue
        _, thread, what, begun, ns = line.split()
        least, most = int(begun), int(begun) + int(ns)
        found = [wait for wait in waits[thread] if least <= wait[0] <= most]
        assert all(start + length <= most for start, length, _ in found)
        part = sum(length for _, length, _ in found) / int(ns)
        calls[thread, what].append((part, {name for _, _, name in found}))
    return calls


@pytest.mark.every_release
def test_a_thread_is_in_io_for_as_long_as_it_measured_itself(java: Java):
    """A thread may be preempted between its own look at the clock and the call, but not
    in half of its calls."""
    run = java.record("KernelWaits", 10, CLIENTS)
    calls, port = calls_of(run), run.said["port"]
    things = {("selector", "select"): "a selector", ("child", "read"): "a pipe"}
    for i in range(CLIENTS):
        things[f"client-{i}", "read"] = f"127.0.0.1:{port}"
        things[f"server-{i}", "read"] = f"clients of :{port}"
    for key, thing in things.items():
        assert median(part for part, _ in calls[key]) > 0.98, key
        assert set.union(*(names for _, names in calls[key])) == {thing}
    # A sync that found nothing to wait for does not wait.
    waits = calls["writer", "wait"]
    assert not waits or median(part for part, _ in waits) > 0.9
    assert all(str(name).startswith("file ") for _, names in waits for name in names)
    assert io_of(run.model)["acceptor", f"connections to :{port}"] > 0
    assert not run.odd()


def io_of(model: threadmodel.Model) -> dict[tuple[str, str], int]:
    """By thread and object: the time of the thread in I/O."""
    found: defaultdict[tuple[str, str], int] = defaultdict(int)
    for row in model.statistics(by=("thread", "object")):
        found[row["thread"], row["object"]] += row["io_total_ns"]
    return found


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
