# SPDX-License-Identifier: Apache-2.0
"""Findings about locks: each kind where it is, with its figures, and not elsewhere."""

import pytest

from story import KIND, LOCK, MS, OTHER, PUT, SLOW, TAKE, Story
from threadmodel import EventKind, Frame, ObjectKind


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
    assert row["impact_ns"] == pytest.approx(36.6 * MS)
    assert (row["class"], row["method"], row["line"]) == (
        "demo.Lock",
        "demo.Lock.slow",
        10,
    )
    assert row["thread"] == "t1"
    assert not row["suspected"]
    assert row["title"] == "2 threads blocked by Lock"
    assert row["waits"] == (
        "2 threads were blocked 12 times, 36.6 ms in all, 3.05 ms on average, most in "
        "Lock.transfer:20."
    )
    assert row["holds"] == (
        "Owners acquired it in Lock.slow:10 for 98 % of that time. t1 had it longest, "
        "98 % of that time."
    )
    assert row["caveat"] is None
    assert row["bound_ns"] == 36 * MS


def test_objects_of_one_class_are_distinguished_by_where_threads_block() -> None:
    story = Story()
    story.model.define_object(101, 1)
    for ms in range(0, 100, 10):
        story.block(ms, ms + 2, 2, owner=1)
        story.at(ms + 3, 3, KIND.CONTENDED_ENTER, object=101, peer=1, stack=TAKE)
        story.at(ms + 6, 3, KIND.CONTENDED_ENTERED, object=101)
    rows = story.findings("hot_lock")
    assert [(row["impact_ns"], row["method"]) for row in rows] == [
        (30 * MS, "demo.Queue.take"),
        (20 * MS, "demo.Lock.transfer"),
    ]
    assert [row["waits"].split(",")[0] for row in rows] == [
        "1 thread was blocked 10 times"
    ] * 2


def test_locks_of_one_kind_at_one_place_are_one_cause() -> None:
    story = Story()
    story.model.define_class(7, "demo.Lock$Entry", "Lock.java")
    story.model.define_object(101, 7)
    for ms in range(0, 100, 10):
        story.block(ms, ms + 2, 2, owner=1)
        story.block(ms + 3, ms + 6, 3, owner=1, lock=101)
    (row,) = story.findings()
    assert row["title"] == "2 threads blocked by 2 Lock locks"
    assert row["impact_ns"] == 50 * MS
    assert {found["object"] for found in story.model.evidence(row)} == {
        "demo.Lock#100",
        "demo.Lock$Entry#101",
    }


def test_what_is_reported_of_one_lock_is_one_finding() -> None:
    story = queue_story(6, 60, 4)
    for number in range(60):
        now, owner = 4.0 * number, 1 + (number + 5) % 6
        story.at(now + 0.1, owner, KIND.SLEEP, stack=SLOW)
        story.at(now + 3.9, owner, KIND.SLEPT)
    kinds = [row["kind"] for row in story.findings() if row["class"] == "demo.Lock"]
    assert len(kinds) == 1


def test_sums_of_several_owners_name_no_one_alone() -> None:
    story = Story()
    for ms, owner in ((0, 1), (50, 3)):
        story.at(ms + 5, owner, KIND.SLEEP, stack=SLOW).at(ms + 45, owner, KIND.SLEPT)
        story.block(ms + 10, ms + 49, 2, owner=owner)
    story.at(100, 1, KIND.THREAD_END)
    (row,) = story.findings("held_while_sleeping")
    assert row["impact_ns"] == 78 * MS
    assert row["holds"].endswith(
        "Its owners were asleep in Lock.slow:10 meanwhile, for 70.0 ms of that time "
        "(90 %)."
    )


def half_unknown(unknown_ms: float) -> Story:
    """The owner is unknown at first, then a thread that sleeps for 40 of 50 ms."""
    story = Story().block(0, unknown_ms, 2)
    begin = unknown_ms + 1
    story.at(begin, 1, KIND.SLEEP, stack=SLOW).at(begin + 41, 1, KIND.SLEPT)
    for thread in (2, 3, 4, 5, 6):
        story.block(begin + 1, begin + 51, thread, owner=1)
    return story


def test_a_lock_is_held_asleep_if_that_is_half_of_what_is_known() -> None:
    (row,) = half_unknown(240).findings("held_while_sleeping")
    assert row["impact_ns"] == (240 + 250) * MS
    assert "(41 %)" in row["holds"]
    assert half_unknown(260).findings("held_while_sleeping") == []


def test_sleeps_without_a_stack_count_where_the_owner_held_the_lock_until_later() -> (
    None
):
    story = Story()
    for i in range(10):
        begin, stack = 20 * i, SLOW if i == 0 else 0
        story.at(begin + 1, 1, KIND.SLEEP, stack=stack).at(begin + 15, 1, KIND.SLEPT)
        story.block(begin + 2, begin + 16, 2, owner=1)
    (row,) = story.at(200, 1, KIND.THREAD_END).findings("held_while_sleeping")
    assert row["title"] == "1 thread blocked by Lock whose owner sleeps in Lock.slow"


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
    assert row["impact_ns"] == 40 * MS
    assert (row["method"], row["thread"]) == ("demo.Lock.slow", "t1")
    assert row["title"] == "1 thread blocked by Lock whose owner sleeps in Lock.slow"
    assert row["holds"] == (
        "t1 had it longest, 100 % of that time. t1 was asleep in Lock.slow:10 "
        "meanwhile, for 35.0 ms of that time (88 %)."
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
def test_blocked_by_an_owner_that_is_blocked(
    begin: EventKind, end: EventKind, kind: str
) -> None:
    story = Story()
    story.at(5, 1, begin, object=OTHER, stack=SLOW).at(45, 1, end, object=OTHER)
    story.block(10, 50, 2, owner=1).at(100, 1, KIND.THREAD_END)
    (row,) = story.findings(kind)
    assert row["impact_ns"] == 40 * MS
    assert row["class"] == "demo.Lock"


def test_an_owner_in_io_differs_from_one_that_waits_for_a_thread() -> None:
    story = Story()
    story.model.define_object(9, 0, name="10.0.0.7:5432", kind=ObjectKind.SOCKET)
    story.at(5, 1, KIND.AWAIT, object=9, stack=SLOW).at(45, 1, KIND.AWAITED, object=9)
    story.block(10, 50, 2, owner=1).at(100, 1, KIND.THREAD_END)
    (row,) = story.findings("held_while_io")
    assert row["impact_ns"] == 40 * MS
    assert "t1 was in I/O in Lock.slow:10 meanwhile" in row["holds"]
    assert story.findings("held_while_waiting") == []


def test_an_inferred_owner_is_only_suspected() -> None:
    story = Story()
    story.at(0, 1, KIND.CONTENDED_ENTER, object=LOCK, stack=SLOW)
    story.at(1, 1, KIND.CONTENDED_ENTERED, object=LOCK)
    story.at(5, 1, KIND.SLEEP, stack=SLOW).at(45, 1, KIND.SLEPT)
    story.block(10, 50, 2).at(100, 1, KIND.THREAD_END)
    (row,) = story.findings("held_while_sleeping")
    assert row["suspected"]
    assert row["caveat"].startswith("Suspected: the owner of the lock is inferred.")


@pytest.mark.parametrize(
    ("frames", "suspected"),
    [
        # In the method that acquired the lock, after its end, and at an unknown place.
        ([Frame(PUT, line=3), Frame(SLOW, line=12), Frame(TAKE, line=5)], [False]),
        ([Frame(PUT, line=3), Frame(TAKE, line=6)], []),
        ([], []),
    ],
)
def test_an_owner_had_the_lock_while_it_was_in_the_method_that_took_it(
    frames: list[Frame], suspected: list[bool]
) -> None:
    story = Story()
    story.model.define_stack(20, [Frame(SLOW, line=10), Frame(TAKE, line=5)])
    story.model.define_stack(21, frames)
    story.at(0, 1, KIND.CONTENDED_ENTER, object=LOCK, stack=20)
    story.at(1, 1, KIND.CONTENDED_ENTERED, object=LOCK)
    story.block(2, 50, 2, owner=1)
    story.at(5, 1, KIND.PARK, object=OTHER, stack=21 if frames else 0)
    story.at(45, 1, KIND.UNPARKED, object=OTHER).at(100, 1, KIND.THREAD_END)
    rows = story.findings("held_while_parked")
    assert [row["suspected"] for row in rows] == suspected


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
    assert row["waits"].startswith("5 threads were blocked 200 times")
    assert "at 100 % of the handoffs others still queued" in row["holds"]
    assert row["class"] == "demo.Lock"


def test_many_in_the_queue_oversubscribe_a_lock() -> None:
    (row,) = queue_story(6, 60, 1).findings("oversubscribed_lock")
    assert "On average 5." in row["holds"]
    assert "threads queued, 6 at most" in row["holds"]


def test_two_in_turn_are_neither() -> None:
    story = queue_story(2, 300, 0.1)
    assert story.findings("lock_convoy") == []
    assert story.findings("oversubscribed_lock") == []


def test_a_queue_that_drains_after_each_round_is_no_convoy() -> None:
    story = Story(3)
    for number in range(100):
        # Three queue, and are let in one by one: at one in three nobody waits any more.
        for thread in (1, 2, 3):
            story.block(2 * number + 0.001, 2 * number + 0.3 * thread, thread)
    assert story.findings("lock_convoy") == []


def test_three_at_once_do_not_oversubscribe_a_lock() -> None:
    assert queue_story(3, 60, 1).findings("oversubscribed_lock") == []


def test_an_owner_that_slept_before_others_came_blocked_nobody() -> None:
    story = Story()
    story.at(5, 1, KIND.SLEEP, stack=SLOW).at(45, 1, KIND.SLEPT)
    story.block(50, 90, 2, owner=1).at(100, 1, KIND.THREAD_END)
    assert [row for row in story.findings() if row["kind"].startswith("held_")] == []


def test_a_sleep_that_blocks_others_for_less_than_a_percent_is_none() -> None:
    story = Story()
    story.at(5, 1, KIND.SLEEP, stack=SLOW).at(12, 1, KIND.SLEPT)
    story.block(10, 13, 2, owner=1).at(1000, 1, KIND.THREAD_END)
    assert story.findings("held_while_sleeping") == []


def test_a_worker_that_waits_for_work_holds_no_lock() -> None:
    story = Story()
    story.model.define_class(8, "java.util.concurrent.ThreadPoolExecutor", None)
    story.model.define_method(8, 8, "getTask")
    story.model.define_stack(8, [Frame(8, line=1062)])
    story.at(0, 1, KIND.CONTENDED_ENTER, object=LOCK, stack=SLOW)
    story.at(1, 1, KIND.CONTENDED_ENTERED, object=LOCK)
    story.at(5, 1, KIND.PARK, object=OTHER, stack=8).at(45, 1, KIND.UNPARKED)
    story.block(10, 50, 2).at(100, 1, KIND.THREAD_END)
    assert story.findings("held_while_parked") == []
