# SPDX-License-Identifier: Apache-2.0
"""Findings: each kind is found where it is, with its figures, and not elsewhere."""

from typing import Any

import pytest

import random_runs
import runs
from threadmodel import Event, EventFlag, EventKind, Frame, Model, Run

Row = dict[str, Any]
MS = 1_000_000
LOCK, QUEUE, OTHER = 100, 200, 300
SLOW, TRANSFER, TAKE, PUT = 1, 2, 3, 4
KIND = EventKind


class Story:
    """A model, told event by event at times in ms."""

    def __init__(self, threads: int = 8) -> None:
        self.model = Model()
        sink = self.model
        sink.define_run(Run(policy=1, start_ns=1))
        names = ("demo.Lock", "demo.Queue", "demo.Other")
        for number, name in enumerate(names, 1):
            sink.define_class(number, name, f"{name.partition('.')[2]}.java")
            sink.define_object(number * 100, number)
        sink.define_class(9, "java.util.Timer", "Timer.java")
        for method, name in ((SLOW, "slow"), (TRANSFER, "transfer")):
            sink.define_method(method, 1, name)
        for method, name in ((TAKE, "take"), (PUT, "put")):
            sink.define_method(method, 2, name)
        sink.define_method(9, 9, "mainLoop")
        for number in (SLOW, TRANSFER, TAKE, PUT, 9):
            sink.define_stack(number, [Frame(number, line=10 * number)])
        for thread in range(1, threads + 1):
            sink.define_thread(thread, f"t{thread}")
        self.events: list[Event] = []

    def at(self, ms: float, thread: int, kind: EventKind, **fields: int) -> "Story":
        self.events.append(Event(1 + round(ms * MS), thread, kind, **fields))
        return self

    def findings(self, kind: str | None = None) -> list[Row]:
        self.events.sort(key=lambda event: event.time_ns)
        self.model.ingest(self.events)
        self.events = []
        rows = list(self.model.findings())
        return rows if kind is None else [row for row in rows if row["kind"] == kind]

    def block(
        self, begin: float, end: float, thread: int, owner: int = 0, lock: int = LOCK
    ) -> "Story":
        flags = EventFlag.PEER_REPORTED if owner else 0
        self.at(
            begin,
            thread,
            KIND.CONTENDED_ENTER,
            object=lock,
            peer=owner,
            stack=TRANSFER,
            flags=flags,
        )
        return self.at(end, thread, KIND.CONTENDED_ENTERED, object=lock)


def hot_story() -> Story:
    """Thread 1 gets the lock in slow() and keeps it 8 ms, six times."""
    story = Story()
    for ms in range(0, 120, 20):
        story.at(ms, 1, KIND.CONTENDED_ENTER, object=LOCK, stack=SLOW)
        story.at(ms + 0.1, 1, KIND.CONTENDED_ENTERED, object=LOCK)
        story.block(ms + 2, ms + 8, 2, owner=1)
    return story


def test_a_hot_lock_names_its_holder() -> None:
    (row,) = hot_story().findings("hot_lock")
    assert row["at_stake_ns"] == pytest.approx(36.6 * MS)
    assert (row["class"], row["method"], row["line"]) == (
        "demo.Lock",
        "demo.Lock.slow",
        10,
    )
    assert row["thread"] == "t1"
    assert not row["suspected"]
    assert row["text"].startswith(
        "Hot lock demo.Lock (demo.Lock#100): 2 threads were blocked 12 times for "
        "36.6 ms in all, 34 % of the run's length, most in demo.Lock.transfer:20. "
        "It was held by demo.Lock.slow:10 for 98 % of that, most by thread t1 (98 %)."
    )


def test_a_few_short_blocks_are_no_finding() -> None:
    story = Story()
    for ms in range(0, 1000, 100):
        story.block(ms, ms + 0.5, 2, owner=1)
    assert story.findings() == []


def test_blocked_by_a_sleeping_owner() -> None:
    story = Story()
    story.at(5, 1, KIND.SLEEP, stack=SLOW).at(45, 1, KIND.SLEPT)
    story.block(10, 50, 2, owner=1).at(100, 1, KIND.THREAD_END)
    (row,) = story.findings("held_while_sleeping")
    assert row["at_stake_ns"] == 35 * MS
    assert (row["method"], row["thread"]) == ("demo.Lock.slow", "t1")
    assert row["text"] == (
        "thread t1 slept in demo.Lock.slow:10 while it held demo.Lock (demo.Lock#100); "
        "meanwhile others were blocked by that for 35.0 ms in all."
    )
    assert not row["suspected"]


@pytest.mark.parametrize(
    ("begin", "end", "kind"),
    [
        (KIND.PARK, KIND.UNPARKED, "held_while_parked"),
        (KIND.WAIT, KIND.WAITED, "held_while_waiting"),
        (KIND.CONTENDED_ENTER, KIND.CONTENDED_ENTERED, "held_while_blocked"),
    ],
)
def test_blocked_by_an_owner_that_is_held_up(
    begin: EventKind, end: EventKind, kind: str
) -> None:
    story = Story()
    story.at(5, 1, begin, object=OTHER, stack=SLOW).at(45, 1, end, object=OTHER)
    story.block(10, 50, 2, owner=1).at(100, 1, KIND.THREAD_END)
    (row,) = story.findings(kind)
    assert row["at_stake_ns"] == 35 * MS
    assert row["class"] == "demo.Lock"


def test_an_inferred_owner_is_only_suspected() -> None:
    story = Story()
    story.at(0, 1, KIND.CONTENDED_ENTER, object=LOCK, stack=SLOW)
    story.at(1, 1, KIND.CONTENDED_ENTERED, object=LOCK)
    story.at(5, 1, KIND.SLEEP, stack=SLOW).at(45, 1, KIND.SLEPT)
    story.block(10, 50, 2).at(100, 1, KIND.THREAD_END)
    (row,) = story.findings("held_while_sleeping")
    assert row["suspected"]
    assert row["text"].startswith("Suspected: thread t1 slept")


def queue_story(threads: int, rounds: int, hold: float) -> Story:
    """Threads that take a lock in turn, each queueing again at once."""
    story = Story(threads)
    now = 0.0
    for number in range(rounds):
        thread = 1 + number % threads
        entered = now + hold * threads
        story.block(now + 0.001, entered, thread)
        now += hold
    return story


def test_a_queue_that_never_drains_is_a_convoy() -> None:
    (row,) = queue_story(5, 200, 0.1).findings("lock_convoy")
    assert "5 threads queued for it 200 times" in row["text"]
    assert row["class"] == "demo.Lock"


def test_many_in_the_queue_oversubscribe_a_lock() -> None:
    (row,) = queue_story(6, 60, 1).findings("oversubscribed_lock")
    assert row["text"].startswith("Oversubscribed lock demo.Lock#100: on average 5.")
    assert "6 at once at most" in row["text"]


def test_two_in_turn_are_neither() -> None:
    story = queue_story(2, 300, 0.1)
    assert story.findings("lock_convoy") == []
    assert story.findings("oversubscribed_lock") == []


def herd(back: bool) -> Story:
    story = Story()
    for ms in range(0, 240, 20):
        for thread in (2, 3, 4):
            story.at(ms + thread, thread, KIND.WAIT, object=QUEUE, stack=TAKE)
        story.at(ms + 10, 1, KIND.NOTIFY_ALL, object=QUEUE, stack=PUT)
        for thread in (2, 3, 4):
            story.at(ms + 10 + thread, thread, KIND.WAITED, object=QUEUE)
            if back and thread != 2:
                again = ms + 10 + thread
                story.at(again + 0.01, thread, KIND.WAIT, object=QUEUE, stack=TAKE)
                story.at(
                    again + 1,
                    thread,
                    KIND.WAITED,
                    object=QUEUE,
                    flags=EventFlag.TIMED_OUT,
                )
    return story


def test_a_herd_is_counted_by_use() -> None:
    (row,) = herd(back=True).findings("notify_all_herd")
    assert (row["class"], row["method"], row["thread"]) == (
        "demo.Queue",
        "demo.Queue.put",
        "t1",
    )
    assert (
        "woke 36 waiters, 3.0 each; only 12 had use of it and 24 waited"
        in (row["text"])
    )
    assert row["at_stake_ns"] == 12 * (3 + 4) * MS


def test_waiters_that_find_work_are_no_herd() -> None:
    assert herd(back=False).findings("notify_all_herd") == []


def test_a_lost_notify_names_both_threads() -> None:
    story = Story()
    story.at(10, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    story.at(20, 2, KIND.WAIT, object=QUEUE, stack=TAKE)
    story.at(5000, 1, KIND.THREAD_END)
    (row,) = story.findings()
    assert row["kind"] == "lost_notify"
    assert row["at_stake_ns"] == 4980 * MS
    assert (row["method"], row["thread"]) == ("demo.Queue.take", "t2")
    assert (
        "thread t1 notified demo.Queue#200 in demo.Queue.put:40 at 10.0 ms"
        in (row["text"])
    )


def test_useless_notifies_have_nothing_at_stake() -> None:
    story = Story()
    for ms in range(150):
        story.at(ms, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    (row,) = story.findings()
    assert (row["kind"], row["at_stake_ns"]) == ("useless_notify", 0)
    assert row["text"].startswith("150 of 150 notifies on demo.Queue in demo.Queue.put")


def waits(lengths: list[float], flags: int = 0, stack: int = TAKE) -> Story:
    story = Story()
    now = 0.0
    for length in lengths:
        story.at(now, 2, KIND.WAIT, object=QUEUE, stack=stack, value=MS)
        story.at(now + length, 2, KIND.WAITED, object=QUEUE, flags=flags)
        now += length + 1
    return story


def test_one_long_wait_among_many() -> None:
    (row,) = waits([1.0] * 25 + [500.0]).findings("long_wait")
    assert row["at_stake_ns"] == pytest.approx(499 * MS, rel=0.01)
    assert "waited 500 ms for demo.Queue in demo.Queue.take:30" in row["text"]


def test_alike_waits_are_no_finding() -> None:
    assert waits([30.0] * 30).findings() == []


def test_waits_that_always_time_out() -> None:
    (row,) = waits([5.0] * 6, EventFlag.TIMED_OUT).findings()
    assert row["kind"] == "wait_always_times_out"
    assert row["at_stake_ns"] == 30 * MS
    assert row["text"].startswith("All 6 waits for demo.Queue in demo.Queue.take:30")


def test_waits_of_the_jdk_itself_are_left_out() -> None:
    assert waits([5.0] * 6, EventFlag.TIMED_OUT, stack=9).findings() == []


def test_a_wait_without_end_is_suspected() -> None:
    story = Story()
    story.at(10, 2, KIND.WAIT, object=QUEUE, stack=TAKE).at(3010, 1, KIND.THREAD_END)
    (row,) = story.findings()
    assert (row["kind"], row["suspected"]) == ("long_wait", True)
    assert "waits without end for demo.Queue#200" in row["text"]


def joins(last_ms: int) -> Story:
    story = Story()
    for thread in (2, 3, 4):
        story.at(1, thread, KIND.THREAD_START, peer=1)
    ends = {2: 100, 3: 110, 4: last_ms}
    story.at(2, 1, KIND.JOIN, peer=2, stack=SLOW)
    for thread, end in ends.items():
        story.at(end, thread, KIND.THREAD_END)
        story.at(end + 0.1, 1, KIND.JOINED, peer=thread)
        if thread < 4:
            story.at(end + 0.2, 1, KIND.JOIN, peer=thread + 1, stack=SLOW)
    return story


def test_an_unbalanced_join_names_the_slowest() -> None:
    (row,) = joins(400).findings()
    assert row["kind"] == "unbalanced_join"
    assert row["thread"] == "t4"
    assert row["at_stake_ns"] == pytest.approx(290 * MS, rel=0.01)
    assert "joined 3 threads in demo.Lock.slow:10" in row["text"]


def test_an_even_join_is_no_finding() -> None:
    assert joins(118).findings() == []


# The VM named the owner of the first lock while that owner still ran.
def test_a_deadlock_tells_who_wants_what_of_whom() -> None:
    model = Model()
    runs.fill(model)
    rows = list(model.findings())
    (row,) = [row for row in rows if row["kind"] == "deadlock"]
    assert all(row["kind"] != "lock_inversion" for row in rows)
    assert row["at_stake_ns"] == 2 * 19 * MS
    assert row["text"] == (
        "Suspected deadlock of 2 threads at 81.0 ms, for ever: "
        "thread right wants demo.Fork@1 in demo.Fork.eat:77, which is held by thread "
        "left; thread left wants demo.Fork@2 in demo.Fork.eat:77, which is held by "
        "thread right."
    )
    assert (row["evidence"], row["suspected"]) == ("deadlocks", True)


def test_an_inversion_has_nothing_at_stake_yet() -> None:
    story = Story()
    for begin, thread, held, wanted in ((0, 1, LOCK, OTHER), (10, 2, OTHER, LOCK)):
        story.at(begin, thread, KIND.CONTENDED_ENTER, object=wanted, stack=SLOW)
        story.at(begin + 1, thread, KIND.HELD)
        story.at(begin + 1, thread, KIND.HELD, object=held)
        story.at(begin + 2, thread, KIND.CONTENDED_ENTERED, object=wanted)
    story.at(10_000, 3, KIND.THREAD_START)
    (row,) = story.findings("lock_inversion")
    assert row["at_stake_ns"] == 0
    assert row["text"].startswith("Inversion of lock order, which may deadlock: ")


def test_an_inversion_that_is_only_inferred_is_no_finding() -> None:
    story = Story()
    for begin, thread, held, wanted in ((0, 1, LOCK, OTHER), (10, 2, OTHER, LOCK)):
        for step, lock in enumerate((held, wanted)):
            at = begin + 3 * step
            story.at(at, thread, KIND.CONTENDED_ENTER, object=lock, stack=SLOW)
            story.at(at + 1, thread, KIND.CONTENDED_ENTERED, object=lock)
    story.at(10_000, 3, KIND.THREAD_START)
    assert story.findings("lock_inversion") == []
    assert len(story.model.lock_order()) == 2


def test_findings_are_ranked_by_what_is_at_stake() -> None:
    for seed in range(40):
        model = Model()
        random_runs.fill(model, seed, threads=6, objects=3, count=800)
        rows = list(model.findings())
        stakes = [row["at_stake_ns"] for row in rows]
        assert stakes == sorted(stakes, reverse=True)
        assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
        assert all(row["text"].endswith(".") for row in rows)
        for kind in {row["kind"] for row in rows}:
            assert sum(row["kind"] == kind for row in rows) <= 5


def test_a_model_without_events_has_no_findings() -> None:
    assert len(Model().findings()) == 0
