# SPDX-License-Identifier: Apache-2.0
"""Findings about runnable threads without a processor, and about wake-ups."""

import pytest

from story import ALL_KINDS, KIND, LOCK, MS, TRANSFER, Row, Story
from threadmodel import Run
from threadmodel.calm import calm


def computing(threads: int, ran_ms: int, waited_ms: int) -> Story:
    """Threads that compute for 100 ms and have a processor for part of that time."""
    story = Story(threads, kinds=ALL_KINDS)
    for thread in range(1, threads + 1):
        story.at(0, thread, KIND.THREAD_START)
        for part in (2, 1):
            now = 100 / part
            story.at(now, thread, KIND.CPU_TIME, value=ran_ms * MS // part)
            story.at(now, thread, KIND.CPU_WAIT, value=waited_ms * MS // part)
        story.at(100, thread, KIND.THREAD_END)
    return story


def threads_of(story: Story) -> dict[str, Row]:
    return {row["name"]: row for row in story.model.threads()}


def test_more_threads_than_processors_wait_for_them() -> None:
    story = computing(16, 12, 88)
    (row,) = story.findings()
    assert row["kind"] == "too_few_processors"
    assert row["title"] == "16 threads wait for processors"
    assert (row["impact_ns"], row["bound_ns"]) == (16 * 88 * MS, 88 * MS)
    assert row["waits"] == (
        "16 threads could run and had no processor for 1.41 s in all, 14.1 on average; "
        "t1 for 88.0 ms."
    )
    assert row["holds"] == (
        "The program's threads had 1.9 processors on average. t1 had one longest, for "
        "12.0 ms."
    )
    assert not row["minor"]
    assert not row["suspected"]
    evidence = story.model.evidence(row)
    assert sum(evidence["cpu_wait_ns"]) == row["impact_ns"]
    assert len(evidence) == 16


def test_counters_are_of_the_thread_and_not_of_its_states() -> None:
    story = computing(2, 30, 60)
    story.findings()
    row = threads_of(story)["t2"]
    assert (row["cpu_time_ns"], row["cpu_wait_ns"]) == (30 * MS, 60 * MS)
    assert row["runnable_total_ns"] == 0


def test_what_is_not_counted_is_null() -> None:
    story = Story().at(0, 1, KIND.THREAD_START).at(9, 1, KIND.THREAD_END)
    story.findings()
    row = threads_of(story)["t1"]
    assert (row["cpu_time_ns"], row["cpu_wait_ns"]) == (None, None)


def test_the_number_of_processors_is_named() -> None:
    story = computing(16, 12, 88)
    story.model.define_run(Run(processors=2))
    (row,) = story.findings()
    assert "had 1.9 of 2 processors on average." in row["holds"]
    story.model.define_run(Run(processors=8))
    assert story.findings()[0]["minor"]


def test_the_thread_that_had_a_processor_longest_is_named() -> None:
    story = computing(16, 12, 88)
    story.at(100, 20, KIND.THREAD_START)
    story.at(101, 20, KIND.CPU_TIME, value=90 * MS)
    (row,) = story.findings()
    assert row["holds"].endswith("thread 20 had one longest, for 90.0 ms.")


def test_a_program_that_others_kept_from_the_processors_gains_nothing() -> None:
    (row,) = computing(4, 10, 90).findings()
    assert row["minor"]
    assert row["advice"].startswith("Other programs, or a limit on this one,")


@pytest.mark.parametrize(
    ("threads", "ran", "waited"), [(2, 99, 1), (16, 95, 4), (3, 85, 9), (4, 89, 11)]
)
def test_threads_that_mostly_run_have_processors_enough(
    threads: int, ran: int, waited: int
) -> None:
    assert computing(threads, ran, waited).findings("too_few_processors") == []


def test_of_an_instant_there_are_no_shares() -> None:
    story = Story(2, kinds=ALL_KINDS)
    for thread in (1, 2):
        story.at(0, thread, KIND.THREAD_START)
        story.at(0, thread, KIND.CPU_WAIT, value=5 * MS)
    assert story.findings() == []


def test_runnable_intervals_count_where_nothing_is_counted() -> None:
    story = Story(kinds=ALL_KINDS)
    for thread in (1, 2):
        story.at(0, thread, KIND.THREAD_START)
        story.at(10, thread, KIND.OFF_CPU).at(50, thread, KIND.ON_CPU, value=1)
        story.at(100, thread, KIND.THREAD_END)
    (row,) = story.findings("too_few_processors")
    assert row["impact_ns"] == 2 * 40 * MS
    # A thread that runs is on a processor then.
    assert row["holds"] == (
        "The program's threads had 1.2 processors on average. t1 had one longest, for "
        "60.0 ms."
    )


def test_without_counters_and_switches_it_is_not_looked_for() -> None:
    story = Story(kinds=ALL_KINDS - {KIND.CPU_WAIT, KIND.RUNNABLE, KIND.ON_CPU})
    story.at(0, 1, KIND.THREAD_START).findings()
    rows = {row["kind"]: row for row in story.model.finding_kinds()}
    assert not rows["too_few_processors"]["looked_for"]


def test_a_thread_that_waited_for_a_processor_did_not_run() -> None:
    story = computing(4, 10, 90)
    story.findings()
    assert "No thread ran for half of the run" in calm(story.model)


def handoffs(latency_ms: float) -> Story:
    """Thread 1 hands a lock to thread 2 ten times; each time takes this long."""
    story = Story(kinds=ALL_KINDS)
    for ms in range(0, 200, 20):
        story.at(ms, 1, KIND.ACQUIRED, object=LOCK, stack=TRANSFER)
        story.at(ms + 1, 2, KIND.CONTENDED_ENTER, object=LOCK, stack=TRANSFER)
        story.at(ms + 11 - latency_ms, 1, KIND.RELEASED, object=LOCK)
        story.at(ms + 11, 2, KIND.CONTENDED_ENTERED, object=LOCK)
        story.at(ms + 12, 2, KIND.RELEASED, object=LOCK)
    return story


def test_a_lock_that_nobody_owns_for_long_waits_for_wake_ups() -> None:
    (row,) = handoffs(8).findings()
    assert row["kind"] == "wake_up_latency"
    assert row["title"] == "1 thread blocked by Lock while its next owner wakes"
    assert "For 80 % of that time nobody held it" in row["holds"]


def test_a_lock_that_is_held_meanwhile_is_hot() -> None:
    (row,) = handoffs(2).findings()
    assert row["kind"] == "hot_lock"


def test_the_recorder_and_threads_that_no_event_shows_have_no_processor() -> None:
    story = Story(kinds=ALL_KINDS)
    story.model.define_run(Run(policy=1, start_ns=1, kinds=ALL_KINDS, processors=2))
    story.model.define_thread(30, "writer", agent=True)
    story.model.define_thread(31, "never seen")
    story.at(0, 30, KIND.THREAD_START)
    for thread in (1, 2):
        story.at(0, thread, KIND.THREAD_START)
        story.at(10, thread, KIND.OFF_CPU).at(60, thread, KIND.ON_CPU, value=1)
        story.at(61, thread, KIND.OFF_CPU).at(100, thread, KIND.ON_CPU, value=1)
        story.at(101, thread, KIND.THREAD_END)
    (row,) = story.findings("too_few_processors")
    assert row["holds"].startswith(
        "The program's threads had 0.2 of 2 processors on average. t1 had one longest"
    )
    assert row["minor"]
