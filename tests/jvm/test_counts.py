# SPDX-License-Identifier: Apache-2.0
"""Counts of the agent, for programs that know the truth."""

import pytest

from conftest import PROGRAMS, VIRTUAL_SINCE, Java
from threadmodel import EventKind

ROUNDS = 20


@pytest.mark.every_release
def test_every_block_is_counted_and_lasts_as_long_as_the_program_reports(java: Java):
    run = java.record("Blocks", ROUNDS)
    gate = run.one("locks", **{"class": "Blocks$Gate"})
    assert gate["blocked_count"] == ROUNDS
    assert gate["objects"] == ROUNDS
    assert gate["threads"] == ROUNDS
    assert run.said["least_ns"] <= gate["blocked_total_ns"] <= run.said["most_ns"]
    assert gate["waiting_count"] == gate["reentering_count"] == 0
    assert run.odd() == {}


def test_a_class_that_is_locked_is_an_object_of_class_class(java: Java):
    run = java.record("Blocks", ROUNDS)
    shared = run.one("locks", **{"class": "java.lang.Class"})
    assert (shared["blocked_count"], shared["objects"]) == (ROUNDS, 1)


@pytest.mark.every_release
def test_stacks_name_the_method_that_blocked(java: Java):
    run = java.record("Blocks", 1)
    row = run.one("callers", **{"class": "Blocks$Gate"})
    assert row["method"] == "Blocks$Gate.pass"
    assert row["source"] == "Blocks.java"
    source = (PROGRAMS / "Blocks.java").read_text().splitlines()
    body = [i for i, line in enumerate(source, 1) if "synchronized void pass()" in line]
    assert row["line"] == body[0] + 1


def test_depth_cuts_stacks_and_depth_zero_takes_none(java: Java):
    full = java.record("Blocks", 1)
    cut = java.record("Blocks", 1, options="depth=1")
    none = java.record("Blocks", 1, options="depth=0")
    assert max(full.model.stacks()["depth"]) > 1
    assert set(cut.model.stacks()["depth"]) == {0}
    assert len(none.model.stacks()) == 0
    for run in (cut, none):
        gate = run.one("locks", **{"class": "Blocks$Gate"})
        assert gate["blocked_count"] == 1


@pytest.mark.parametrize(("frames", "is_cut"), [(100, False), (200, True)])
def test_a_long_block_has_128_frames_and_is_marked_where_there_are_more(
    java: Java, frames: int, is_cut: bool
):
    run = java.record("Deep", frames)
    stacks = list(run.model.stacks())
    deep = {row["stack"] for row in stacks if row["method"] == "Deep.descend"}
    assert len(deep) == 1
    found = [row for row in stacks if row["stack"] in deep]
    assert {row["truncated"] for row in found} == {is_cut}
    descended = sum(row["method"] == "Deep.descend" for row in found)
    if is_cut:
        assert len(found) == 128
    else:
        assert descended == frames


@pytest.mark.every_release
def test_waits_end_as_the_program_had_them_end(java: Java):
    run = java.record("Waits", ROUNDS)
    bell = {"class": "Waits$Bell"}
    row = run.one("locks", **bell)
    # One notified, three notified at once, one interrupted, one to be joined, one
    # timed out.
    assert row["waiting_count"] == 7 * ROUNDS
    assert row["objects"] == 5 * ROUNDS
    woken = run.interactions(**bell, effect="woke")
    woken.pop("handoff", None)
    assert woken == {
        "notify": 2 * ROUNDS,
        "notify_all": 3 * ROUNDS,
        "timeout": ROUNDS,
    }
    disturbed = run.interactions(to_thread="disturbed", effect="woke")
    assert disturbed == {"start": ROUNDS, "interrupt": ROUNDS}
    assert run.odd() == {}


@pytest.mark.every_release
def test_a_wait_knows_who_ended_it(java: Java):
    run = java.record("Waits", ROUNDS)
    rows = [
        row
        for row in run.rows("interactions", effect="woke")
        if row["kind"] in ("notify", "notify_all", "interrupt")
    ]
    assert len(rows) == 6 * ROUNDS
    for row in rows:
        assert row["from_thread"] == "main"
        assert row["provenance"] == "exact"
        assert row["candidates"] == 1


@pytest.mark.every_release
def test_notify_of_nobody_is_useless_and_that_of_a_stranger_none(java: Java):
    run = java.record("Waits", ROUNDS)
    bell = {"class": "Waits$Bell"}
    useless = run.interactions(**bell, effect="useless")
    assert useless == {"notify": ROUNDS}


@pytest.mark.every_release
def test_joins_are_seen_as_such(java: Java):
    run = java.record("Waits", ROUNDS)
    joins = run.rows("interactions", kind="join", from_thread="joined")
    assert {row["to_thread"] for row in joins} == {"joiner"}
    assert len(joins) == ROUNDS
    joiners = run.rows("threads", name="joiner")
    assert [row["joining_count"] for row in joiners] == [1] * ROUNDS
    assert all(row["waiting_count"] == 0 for row in joiners)


@pytest.mark.every_release
def test_calls_without_vm_events_are_reported(java: Java):
    run = java.record("Calls", ROUNDS)
    sync = "java.util.concurrent.locks.ReentrantLock$NonfairSync"
    queued = run.rows("threads", name="queued")
    assert len(queued) == ROUNDS
    assert all(row["parked_count"] == 1 for row in queued)
    lock = run.one("locks", **{"class": sync})
    assert (lock["parked_count"], lock["objects"]) == (ROUNDS, ROUNDS)
    blocker = run.one("locks", **{"class": "Calls"})
    assert (blocker["parked_count"], blocker["objects"]) == (2 * ROUNDS, ROUNDS)
    parks = run.rows("timeline", state="parked", thread="queued")
    assert {row["peer"] for row in parks} == {"main"}
    assert {row["provenance"] for row in parks} == {"reported"}
    for name in ("queued", "parked"):
        woken = run.rows("interactions", kind="unpark", to_thread=name, effect="woke")
        assert [row["from_thread"] for row in woken] == ["main"] * ROUNDS
    assert run.interactions(to_thread="dozer", effect="woke")["timeout"] == ROUNDS
    assert run.interactions(to_thread="sleeper", effect="woke")["interrupt"] == ROUNDS
    assert run.interactions(to_thread="napper", effect="woke")["timeout"] == ROUNDS
    sleepers = run.rows("threads", name="sleeper") + run.rows("threads", name="napper")
    assert [row["sleeping_count"] for row in sleepers] == [1] * 2 * ROUNDS
    assert run.interactions(effect="woke", from_thread="main")["start"] >= 5 * ROUNDS
    assert run.odd() == {}


@pytest.mark.every_release
def test_threads_have_names_groups_and_both_ends(java: Java):
    run = java.record("Stuck", 0)
    for name in ("one", "other"):
        row = run.one("threads", name=name)
        assert (row["group"], row["daemon"], row["virtual"]) == ("main", True, False)
        assert row["start_ns"] > 0
        assert row["end_ns"] is None
    main = run.one("threads", name="main")
    assert main["state"] == "dead"
    assert main["end_ns"] > 0
    handler = run.one("threads", name="Reference Handler")
    assert handler["group"] == "system"


@pytest.mark.every_release
def test_run_reports_what_was_recorded(java: Java):
    model = java.record("Stuck", 0).model
    run = model.run
    assert run.producer is not None
    assert run.producer.startswith("threadmodel-agent ")
    assert run.vm is not None
    assert str(java.jdk.release) in run.vm
    assert run.command == "Stuck 0"
    every = set(EventKind) - {
        # Of virtual threads: the program has none.
        EventKind.JOIN,
        EventKind.JOINED,
        EventKind.INTERRUPTED,
        EventKind.CPU_SAMPLE,
        EventKind.VIRTUAL_MOUNT,
        EventKind.VIRTUAL_UNMOUNT,
        EventKind.PINNED,
        EventKind.SUBMIT_FAILED,
        EventKind.INFLATED,
        # Of System.exit, which the program does not call.
        EventKind.SHUTDOWN,
        # Of other runtimes.
        EventKind.ACQUIRED,
        EventKind.NESTED,
        EventKind.POST,
        EventKind.RUNNABLE,
        EventKind.UNIT_BEGIN,
        EventKind.UNIT_END,
        EventKind.UNIT_RESUME,
        EventKind.UNIT_LEAVE,
    }
    # The kernel may not let this user record switches.
    if any("perf_event_open failed" in text for text in model.caveats):
        every -= {EventKind.ON_CPU, EventKind.OFF_CPU}
    assert run.kinds == every


@pytest.mark.parametrize("stay_ms", [0, 200])
def test_deadlock_of_monitors_that_nobody_queued_for_is_found(java: Java, stay_ms: int):
    run = java.record("Stuck", stay_ms)
    rows = run.rows("deadlocks")
    assert {(row["thread"], row["owner"], row["class"]) for row in rows} == {
        ("one", "other", "Stuck$Right"),
        ("other", "one", "Stuck$Left"),
    }
    assert {row["method"] for row in rows} == {"Stuck.one", "Stuck.other"}
    assert {row["provenance"] for row in rows} == {"reported"}
    assert {row["resolved_ns"] for row in rows} == {None}
    frames = run.model.stacks()
    for row in rows:
        assert any(frame["stack"] == row["stack"] for frame in frames)


def test_virtual_threads_block_wait_and_get_stuck(java: Java):
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    run = java.record("Virtual", ROUNDS)
    gate = run.one("locks", **{"class": "Virtual$Gate"})
    assert gate["blocked_count"] == ROUNDS
    assert gate["waiting_count"] == ROUNDS
    for name in ("blocked", "listener"):
        rows = run.rows("threads", name=name)
        assert len(rows) == ROUNDS
        assert all(row["virtual"] for row in rows)
    woken = run.rows("interactions", to_thread="listener", kind="notify")
    assert [row["from_thread"] for row in woken] == ["main"] * ROUNDS
    rows = run.rows("deadlocks")
    assert {(row["thread"], row["owner"]) for row in rows} == {
        ("one", "other"),
        ("other", "one"),
    }
    assert {row["method"] for row in rows} == {"Virtual.take"}
