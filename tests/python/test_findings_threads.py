# SPDX-License-Identifier: Apache-2.0
"""Findings about threads: where they are, with their figures, and not elsewhere."""

import pytest

import runs
from story import JDK, KIND, LOCK, MS, OTHER, SLOW, TAKE, TRANSFER, Story
from threadmodel import Frame, Model


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
    assert row["impact_ns"] == pytest.approx(290 * MS, rel=0.01)
    assert "joined 3 threads in Lock.slow:10" in row["text"]


def test_threads_that_did_the_same_are_balanced() -> None:
    story = joins(400)
    for thread in (2, 3, 4):
        for turn in range(20):
            story.at(2 * turn + 20, thread, KIND.SLEEP, stack=SLOW)
            story.at(2 * turn + 21, thread, KIND.SLEPT)
    assert story.findings("unbalanced_join") == []


def without_processor(story: Story, late_ms: int, other_ms: int) -> Story:
    """The scheduler counts for how long threads 4 and 3 could run, and did not."""
    story.at(90, 3, KIND.CPU_WAIT, value=other_ms * MS)
    return story.at(90, 4, KIND.CPU_WAIT, value=late_ms * MS)


def test_a_thread_that_had_no_processor_has_no_more_work_than_others() -> None:
    assert without_processor(joins(400), 250, 5).findings("unbalanced_join") == []


def test_a_thread_that_had_one_as_others_had_may_have_more_work() -> None:
    assert without_processor(joins(400), 60, 50).findings("unbalanced_join")
    assert without_processor(joins(400), 5, 250).findings("unbalanced_join")


def started_together(*ends_ms: float) -> Story:
    """Threads of one loop. The first is joined after the others have ended."""
    story = Story()
    for thread, _ in enumerate(ends_ms, 2):
        story.at(1, 1, KIND.THREAD_START_CALLED, peer=thread, stack=TRANSFER)
        story.at(1.1, thread, KIND.THREAD_START)
    story.at(2, 1, KIND.JOIN, peer=2, stack=SLOW)
    for end, thread in sorted((end, thread) for thread, end in enumerate(ends_ms, 2)):
        story.at(end, thread, KIND.THREAD_END)
    story.at(ends_ms[0] + 0.1, 1, KIND.JOINED, peer=2)
    return story


def test_a_join_of_the_last_of_its_siblings_is_unbalanced() -> None:
    (row,) = started_together(400, 60, 100).findings("unbalanced_join")
    assert row["thread"] == "t2"
    assert row["impact_ns"] == pytest.approx(300 * MS, rel=0.01)
    assert row["waits"] == (
        "t1 joined it in Lock.slow:10 and waited 300 ms for t2 alone. "
        "All threads that were started with it had ended."
    )


def test_siblings_that_ended_just_before_make_a_join_balanced() -> None:
    assert started_together(400, 395, 390).findings("unbalanced_join") == []


def test_a_sibling_that_still_runs_makes_a_join_balanced() -> None:
    assert started_together(400, 60, 410).findings("unbalanced_join") == []


def test_threads_that_were_joined_elsewhere_are_not_the_others() -> None:
    story = Story()
    for thread in (2, 3):
        story.at(1, thread, KIND.THREAD_START, peer=1)
    story.at(2, 1, KIND.JOIN, peer=2, stack=TRANSFER)
    story.at(100, 2, KIND.THREAD_END)
    story.at(100.1, 1, KIND.JOINED, peer=2)
    story.at(100.2, 1, KIND.JOIN, peer=3, stack=SLOW)
    story.at(400, 3, KIND.THREAD_END)
    story.at(400.1, 1, KIND.JOINED, peer=3)
    assert story.findings("unbalanced_join") == []


def test_an_even_join_is_no_finding() -> None:
    assert joins(118).findings() == []


# The VM named the owner of the first lock while that owner still ran.
def test_a_deadlock_reports_who_wants_what_of_whom() -> None:
    model = Model()
    runs.fill(model)
    rows = list(model.findings())
    (row,) = [row for row in rows if row["kind"] == "deadlock"]
    assert all(row["kind"] != "lock_inversion" for row in rows)
    assert row["impact_ns"] == 2 * 19 * MS
    assert row["title"] == "Suspected deadlock of 2 threads"
    assert row["waits"] == (
        "Since 81.0 ms, for ever: right wants demo.Fork@1 in Fork.eat:77, held by "
        "left; left wants demo.Fork@2 in Fork.eat:77, held by right."
    )
    assert "A thread dump would confirm it" in row["caveat"]
    assert (row["evidence_table"], row["suspected"]) == ("deadlocks", True)


def test_an_inversion_has_cost_nothing_yet() -> None:
    story = Story()
    for begin, thread, held, wanted in ((0, 1, LOCK, OTHER), (10, 2, OTHER, LOCK)):
        story.at(begin, thread, KIND.CONTENDED_ENTER, object=wanted, stack=SLOW)
        story.at(begin + 1, thread, KIND.HELD)
        story.at(begin + 1, thread, KIND.HELD, object=held, stack=SLOW)
        story.at(begin + 2, thread, KIND.CONTENDED_ENTERED, object=wanted)
    story.at(10_000, 3, KIND.THREAD_START)
    (row,) = story.findings("lock_inversion")
    assert row["impact_ns"] == 0
    assert row["title"] == "Inversion of lock order: may deadlock"


def test_an_inversion_that_is_only_inferred_is_no_finding() -> None:
    story = Story()
    story.model.define_stack(51, [Frame(SLOW, line=11)])
    for begin, thread, held, wanted in ((0, 1, LOCK, OTHER), (10, 2, OTHER, LOCK)):
        for step, lock in enumerate((held, wanted)):
            at = begin + 3 * step
            stack = 51 if step else SLOW
            story.at(at, thread, KIND.CONTENDED_ENTER, object=lock, stack=stack)
            story.at(at + 1, thread, KIND.CONTENDED_ENTERED, object=lock)
    story.at(10_000, 3, KIND.THREAD_START)
    assert story.findings("lock_inversion") == []
    assert len(story.model.lock_order()) == 2


def test_a_lock_taken_at_the_place_that_is_come_to_again_is_not_held() -> None:
    story = Story()
    for begin, thread, first, second in ((0, 1, LOCK, OTHER), (10, 2, OTHER, LOCK)):
        for step, lock in enumerate((first, second)):
            at = begin + 3 * step
            story.at(at, thread, KIND.CONTENDED_ENTER, object=lock, stack=SLOW)
            story.at(at + 1, thread, KIND.CONTENDED_ENTERED, object=lock)
    assert len(story.model.lock_order()) == 0


def test_who_waits_for_an_owner_that_goes_on_is_in_no_deadlock() -> None:
    story = Story()
    story.block(10, 90, 1, owner=2).block(20, 80, 2, owner=3, lock=OTHER)
    story.at(100, 3, KIND.THREAD_END)
    assert story.findings("deadlock") == []


def sleeper(ms: float, *, joined: bool = True, stack: int = SLOW) -> Story:
    """Thread 1 waits for thread 2, which sleeps twice, and then for 3, which works."""
    story = Story()
    for thread in (2, 3):
        story.at(0, 1, KIND.THREAD_START_CALLED, peer=thread)
        story.at(0.001, thread, KIND.THREAD_START, peer=1)
    story.at(10, 2, KIND.SLEEP, stack=stack).at(10 + ms, 2, KIND.SLEPT)
    story.at(60, 2, KIND.SLEEP, stack=stack).at(60 + ms, 2, KIND.SLEPT)
    slowest = 2 if joined else 3
    story.at(200 if joined else 100, 2, KIND.THREAD_END)
    story.at(100 if joined else 200, 3, KIND.THREAD_END)
    story.at(1, 1, KIND.JOIN, peer=slowest, stack=TRANSFER)
    story.at(200, 1, KIND.JOINED, peer=slowest)
    return story.at(201, 1, KIND.THREAD_END)


def test_a_sleep_that_the_run_waits_for_is_on_the_critical_path() -> None:
    (row,) = sleeper(30).findings("sleep_on_critical_path")
    assert row["impact_ns"] == 60 * MS
    assert (row["method"], row["line"], row["source"]) == (
        "demo.Lock.slow",
        10,
        "Lock.java",
    )
    assert (row["thread"], row["evidence_table"]) == ("t2", "critical_path")
    assert not row["suspected"]
    assert row["title"] == "t2 sleeps in Lock.slow on the critical path"
    assert row["holds"] == (
        "t2 slept 2 times in Lock.slow:10 on the critical path, 60.0 ms in all, 30 % "
        "of the run's length."
    )


@pytest.mark.parametrize(("ms", "cards"), [(90, 0), (40, 1)])
def test_the_sleep_that_gives_the_run_its_length_has_no_card(
    ms: float, cards: int
) -> None:
    story = Story()
    story.at(5, 1, KIND.SLEEP, stack=SLOW).at(5 + ms, 1, KIND.SLEPT)
    story.at(100, 1, KIND.THREAD_END)
    assert len(story.findings("sleep_on_critical_path")) == cards


def asked(work_ms: float) -> Story:
    """t1 asks t2, which sleeps before it answers, and works before it waits."""
    story = Story(2)
    story.at(0, 2, KIND.PARK, object=OTHER, stack=TAKE)
    for turn in range(10):
        begin = 20.0 * turn + 1
        story.at(begin, 1, KIND.UNPARK_CALLED, peer=2, stack=TRANSFER)
        story.at(begin + 0.2, 2, KIND.UNPARKED, object=OTHER)
        story.at(begin + 1, 2, KIND.SLEEP, stack=SLOW)
        story.at(begin + work_ms, 1, KIND.PARK, object=LOCK, stack=TRANSFER)
        story.at(begin + 18, 2, KIND.SLEPT)
        story.at(begin + 18.1, 2, KIND.UNPARK_CALLED, peer=1, stack=SLOW)
        story.at(begin + 18.2, 1, KIND.UNPARKED, object=LOCK)
        story.at(begin + 18.3, 2, KIND.PARK, object=OTHER, stack=TAKE)
    story.at(200, 1, KIND.THREAD_END)
    return story


def test_sleeps_that_others_wait_for_are_no_polling() -> None:
    (row,) = sleeper(30).findings("sleep_on_critical_path")
    assert row["advice"].startswith("Wait for an event instead of polling;")
    (row,) = asked(2).findings("sleep_on_critical_path")
    assert row["title"] == "t1 waits in Lock.transfer for sleeps in Lock.slow"
    assert row["advice"].startswith("If the sleep stands for a disk or a server, ")


def test_a_sleep_counts_as_waited_for_while_that_lasts() -> None:
    (row,) = asked(17).findings("sleep_on_critical_path")
    assert row["title"] == "t2 sleeps in Lock.slow on the critical path"


def test_a_sleep_that_nobody_waits_for_is_none() -> None:
    assert sleeper(30, joined=False).findings("sleep_on_critical_path") == []


def test_short_sleeps_on_the_critical_path_are_none() -> None:
    assert sleeper(5).findings("sleep_on_critical_path") == []


def test_sleeps_of_the_jdk_itself_are_left_out() -> None:
    assert sleeper(30, stack=JDK).findings("sleep_on_critical_path") == []
