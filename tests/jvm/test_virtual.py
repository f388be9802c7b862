# SPDX-License-Identifier: Apache-2.0
"""Virtual threads are reported like platform threads."""

from collections import Counter

import pytest

from conftest import VIRTUAL_SINCE, Java, Recording
from threadmodel import EventKind

pytestmark = pytest.mark.every_release
ROUNDS = 10
MANY = 300
# If rings have a file, the VM then warns that a signal handler is not its own.
CHECKED = "-Xcheck:jni"


@pytest.fixture
def run(java: Java) -> Recording:
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    return java.record(
        "VirtualCalls",
        ROUNDS,
        flags=("-Xverify:all", CHECKED),
        options="stacks=all,rings=none",
    )


def test_virtual_threads_park_sleep_and_join_as_often_as_they_do(run: Recording):
    assert run.odd() == {}
    assert "WARNING" not in run.stdout + run.stderr
    assert run.stdout + run.stderr == ""
    for name, state, each in (
        ("parked", "parked", 1),
        ("dozer", "parked", 1),
        ("queued", "parked", 1),
        ("joined", "parked", 1),
        ("sleeper", "sleeping", 1),
        ("napper", "sleeping", 1),
        ("joiner", "joining", 2),
    ):
        rows = run.rows("threads", name=name)
        assert [row["virtual"] for row in rows] == [True] * ROUNDS
        assert [row[f"{state}_count"] for row in rows] == [each] * ROUNDS
        others = {"parked", "sleeping", "joining"} - {state}
        assert all(row[f"{other}_count"] == 0 for row in rows for other in others)
        assert all(row["start_ns"] < row["end_ns"] for row in rows)


def test_a_sleep_lasts_until_its_call_returns(java: Java):
    """Also where the thread, on its way out, is blocked by the JDK's own lock."""
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    run = java.record("VirtualInterrupted", MANY)
    assert run.odd() == {}
    rows = run.rows("threads", name="sleeper")
    assert [row["sleeping_count"] for row in rows] == [1] * MANY
    assert [row["blocked_count"] for row in rows] == [0] * MANY
    woken = run.interactions(to_thread="sleeper", effect="woke")
    assert woken == {"start": MANY, "interrupt": MANY}


def test_who_woke_a_virtual_thread_is_known(run: Recording):
    for name in ("parked", "queued", "joined"):
        rows = run.rows("interactions", kind="unpark", to_thread=name, effect="woke")
        assert [row["from_thread"] for row in rows] == ["main"] * ROUNDS
    assert run.interactions(to_thread="dozer", effect="woke")["timeout"] == ROUNDS
    assert run.interactions(to_thread="napper", effect="woke")["timeout"] == ROUNDS
    assert run.interactions(to_thread="sleeper", effect="woke")["interrupt"] == ROUNDS
    woken = run.interactions(to_thread="joiner", effect="woke")
    assert (woken["join"], woken["timeout"]) == (ROUNDS, ROUNDS)
    rows = run.rows("interactions", kind="join", to_thread="joiner")
    assert {row["from_thread"] for row in rows} == {"joined"}
    starts = run.rows("interactions", kind="start", effect="woke")
    starters = Counter((row["from_thread"], row["to_thread"]) for row in starts)
    assert starters["main", "joiner"] == starters["joiner", "joined"] == ROUNDS


def test_a_virtual_thread_knows_what_it_parks_for_and_where(run: Recording):
    parks = run.rows("timeline", state="parked", thread="queued")
    assert {row["class"] for row in parks} == {
        "java.util.concurrent.locks.ReentrantLock$NonfairSync"
    }
    assert {row["peer"] for row in parks} == {"main"}
    assert {row["method"] for row in parks} == {"VirtualCalls.lambda$queued$0"}
    frames = run.model.stacks()
    assert not any("ThreadmodelVirtual" in (row["method"] or "") for row in frames)


def test_a_stack_that_goes_through_our_class_does_not_show_it(java: Java):
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    run = java.record(
        "VirtualScheduler",
        flags=("--add-opens=java.base/java.lang=ALL-UNNAMED",),
        options="stacks=all",
    )
    (blocked,) = run.rows("timeline", state="blocked", thread="unparker")
    assert blocked["method"] == "VirtualScheduler.schedule"
    methods = [
        row["method"] for row in run.model.stacks() if row["stack"] == blocked["stack"]
    ]
    unparks = methods.index("java.util.concurrent.locks.LockSupport.unpark")
    assert methods[unparks + 1] == "VirtualScheduler.lambda$main$0"
    assert not any("ThreadmodelVirtual" in (method or "") for method in methods)


def test_a_join_has_the_thread_s_class_and_the_caller(run: Recording):
    joins = run.rows("timeline", state="joining", thread="joiner")
    assert {row["class"] for row in joins} == {"java.lang.VirtualThread"}
    assert {row["method"] for row in joins} == {"VirtualCalls.lambda$joined$0"}


def test_carriers_are_reported_where_they_are_asked_for(java: Java):
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    # The number of preemptions varies by chance.
    quiet = java.record("VirtualCalls", 2, options="switches=n")
    assert EventKind.VIRTUAL_MOUNT not in quiet.model.run.kinds
    mounts = java.record("VirtualCalls", 2, options="mount=y,switches=n")
    assert EventKind.VIRTUAL_MOUNT in mounts.model.run.kinds
    assert mounts.model.event_count > quiet.model.event_count
    assert mounts.odd() == {}


def test_the_container_that_a_thread_was_started_in_is_its_group(java: Java):
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no containers")
    run = java.record("VirtualContainers", flags=(CHECKED,), options="rings=none")
    names = [
        line.removeprefix("group=")
        for line in run.stdout.splitlines()
        if line.startswith("group=")
    ]
    assert "WARNING" not in run.stdout + run.stderr
    groups = {row["name"]: row["group"] for row in run.rows("threads")}
    assert [groups[name] for name in ("pooled", "one", "light")] == names
    assert groups["forked"] == "ForkJoinPool.commonPool"
    assert groups["alone"] == "VirtualThreads"
    assert groups["plain"] == "main"
