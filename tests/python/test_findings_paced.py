# SPDX-License-Identifier: Apache-2.0
"""Sleeps that pace a loop: they are a cause of others only if these wait meanwhile."""

import pytest

from story import ALL_KINDS, KIND, LOCK, QUEUE, SLOW, TAKE, TRANSFER, Row, Story
from threadmodel import Frame

SLEEPS = "sleep_on_critical_path"
PACES = "They pace the thread, and no other waits for it meanwhile"


def ticks(
    story: Story, thread: int, rounds: int, ms: float = 9, begin: float = 1
) -> float:
    """A thread sleeps and works for 1 ms in turn. @return when the last round ends"""
    for turn in range(rounds):
        now = begin + turn * (ms + 1)
        story.at(now, thread, KIND.SLEEP, stack=SLOW).at(now + ms, thread, KIND.SLEPT)
    return begin + rounds * (ms + 1)


def starts(story: Story, *threads: int) -> Story:
    story.at(0, 1, KIND.THREAD_START)
    for thread in threads:
        story.at(0, 1, KIND.THREAD_START_CALLED, peer=thread)
        story.at(0.001, thread, KIND.THREAD_START, peer=1)
    return story


def card(story: Story) -> Row:
    (row,) = story.findings(SLEEPS)
    return row


@pytest.mark.parametrize(("rounds", "is_paced"), [(30, True), (12, False)])
def test_a_loop_that_its_sleeps_pace_is_below_the_line(
    rounds: int, is_paced: bool
) -> None:
    story = Story()
    end = ticks(story, 1, rounds)
    row = card(story.at(end, 1, KIND.THREAD_END))
    assert row["minor"] == is_paced
    assert (PACES in row["advice"]) == is_paced
    # What ends the loop is not known: a flag, a time, or the number of its rounds.
    assert (row["gain_ns"] is None) == is_paced


def test_a_loop_bounds_nothing_by_the_sleeps_that_pace_it() -> None:
    story = Story(kinds=ALL_KINDS)
    end = 1.0
    for turn in range(40):
        end = 1 + 10.0 * turn
        story.at(end, 1, KIND.SLEEP, stack=SLOW).at(end + 9, 1, KIND.SLEPT)
    story.at(end + 10, 1, KIND.THREAD_END).findings()
    (verdict,) = story.model.verdict()
    assert verdict["kind"] != "bound"
    assert "Bound by" not in verdict["title"]


def test_a_poller_that_another_thread_waits_for_has_a_card() -> None:
    story = starts(Story(), 2)
    for turn in range(30):
        begin = 1 + 10.0 * turn
        story.at(begin + 0.1, 1, KIND.PARK, object=LOCK, stack=TRANSFER)
        story.at(begin + 9.1, 2, KIND.UNPARK_CALLED, peer=1, stack=SLOW)
        story.at(begin + 9.2, 1, KIND.UNPARKED, object=LOCK)
    story.at(ticks(story, 2, 30), 2, KIND.THREAD_END)
    assert not card(story.at(302, 1, KIND.THREAD_END))["minor"]


def test_a_poller_that_is_joined_in_its_last_round_paces_itself() -> None:
    story = starts(Story(), 2)
    end = ticks(story, 2, 30)
    story.at(end, 2, KIND.THREAD_END)
    story.at(end - 5, 1, KIND.JOIN, peer=2, stack=TAKE).at(end, 1, KIND.JOINED, peer=2)
    assert card(story.at(end + 1, 1, KIND.THREAD_END))["minor"]


def joined(rounds: dict[int, int], ms: dict[int, float]) -> Story:
    """Thread 1 joins threads that sleep in one method, from the begin to their end."""
    story = starts(Story(), *rounds)
    now = 1.0
    for thread in rounds:
        end = ticks(story, thread, rounds[thread], ms[thread])
        story.at(end, thread, KIND.THREAD_END)
        if end <= now:
            continue
        story.at(now, 1, KIND.JOIN, peer=thread, stack=TAKE)
        story.at(end, 1, KIND.JOINED, peer=thread)
        now = end
    return story.at(now + 1, 1, KIND.THREAD_END)


def test_sleeps_of_work_that_is_joined_have_a_card() -> None:
    assert not card(joined({2: 30, 3: 30}, {2: 9, 3: 9}))["minor"]
    # Less work than the other, and done earlier.
    assert not card(joined({2: 30, 3: 22}, {2: 9, 3: 9}))["minor"]


def test_threads_that_end_at_one_time_after_other_rounds_are_paced() -> None:
    row = card(joined({2: 30, 3: 33}, {2: 10, 3: 9}))
    assert row["minor"]
    assert PACES in row["advice"]


def bound(story: Story) -> str:
    story.findings()
    (verdict,) = story.model.verdict()
    return str(verdict["title"])


def test_the_sleeps_of_threads_that_are_joined_bound_a_run() -> None:
    """Also of those that had ended when they were joined."""
    story = starts(Story(kinds=ALL_KINDS), 2, 3, 4)
    end = max(ticks(story, thread, 30) for thread in (2, 3, 4))
    story.at(1, 1, KIND.JOIN, peer=2, stack=TAKE).at(end, 1, KIND.JOINED, peer=2)
    for thread in (2, 3, 4):
        story.at(end, thread, KIND.THREAD_END)
    story.at(end + 1, 1, KIND.THREAD_END)
    assert bound(story).startswith("Bound by sleeps in Lock.slow")


def test_a_worker_that_does_tasks_is_not_paced_by_its_sleeps() -> None:
    """Its queue is never empty, so that it never waits for the next one."""
    story = Story(kinds=ALL_KINDS)
    story.model.define_class(900, "java.util.concurrent.ThreadPoolExecutor", None)
    story.model.define_method(900, 900, "runWorker")
    story.model.define_stack(SLOW, [Frame(SLOW, line=10), Frame(900, line=1)])
    story.at(ticks(story, 1, 40), 1, KIND.THREAD_END)
    assert not card(story)["minor"]


def test_a_thread_that_waited_for_work_once_is_not_paced() -> None:
    """As one of a program's own pool, before the load that keeps it busy."""
    story = Story(kinds=ALL_KINDS)
    story.model.define_class(900, "java.util.concurrent.ThreadPoolExecutor", None)
    story.model.define_method(900, 900, "getTask")
    story.model.define_stack(900, [Frame(900, line=1)])
    story.at(0, 1, KIND.PARK, object=QUEUE, stack=900)
    story.at(0.5, 1, KIND.UNPARKED, object=QUEUE)
    story.at(ticks(story, 1, 40), 1, KIND.THREAD_END)
    assert bound(story).startswith("Bound by sleeps in Lock.slow")
