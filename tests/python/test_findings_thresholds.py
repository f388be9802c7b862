# SPDX-License-Identifier: Apache-2.0
"""Each kind of finding at the thresholds of its header, and just below them."""

from collections.abc import Callable

import pytest

from story import KIND, PUT, QUEUE, SLOW, TAKE, Story
from threadmodel import EventFlag

Tell = Callable[[], Story]
CALLER, LAST = 1, 20


def ended(story: Story, ms: float) -> Story:
    """Set the length of the run."""
    return story.at(ms, LAST, KIND.THREAD_END)


def blocks(count: int, each_ms: float, run_ms: float) -> Story:
    story = Story(LAST)
    for number in range(count):
        story.block(number * 20, number * 20 + each_ms, 2)
    return ended(story, run_ms)


def queue(waiters: int, each_ms: float, run_ms: float) -> Story:
    """Threads that queue from the start on, and get the lock one after another."""
    story = Story(LAST)
    for number in range(waiters):
        story.block(0, each_ms * (number + 1), 2 + number)
    return ended(story, run_ms)


def herd(calls: int, waiters: int, back: int, after_ms: float = 0.01) -> Story:
    """Calls of notifyAll, after which some of the woken wait again."""
    story = Story(LAST)
    woken = range(2, 2 + waiters)
    for ms in range(0, calls * 40, 40):
        for thread in woken:
            story.at(ms + thread, thread, KIND.WAIT, object=QUEUE, stack=TAKE)
        story.at(ms + 10, CALLER, KIND.NOTIFY_ALL, object=QUEUE, stack=PUT)
        for thread in woken:
            entered = ms + 10 + thread
            story.at(entered, thread, KIND.WAITED, object=QUEUE)
            if thread - 2 < back:
                begin, flags = entered + after_ms, EventFlag.TIMED_OUT
                story.at(begin, thread, KIND.WAIT, object=QUEUE, stack=TAKE)
                story.at(entered + 0.9, thread, KIND.WAITED, object=QUEUE, flags=flags)
    return story


def notifies(calls: int, useless: int) -> Story:
    """Notifies; all but the first `useless` of them meet a waiter."""
    story = Story(LAST)
    for number in range(calls):
        ms = number * 4
        if number >= useless:
            story.at(ms, 2, KIND.WAIT, object=QUEUE, stack=TAKE)
            story.at(ms + 2, 2, KIND.WAITED, object=QUEUE)
        story.at(ms + 1, CALLER, KIND.NOTIFY, object=QUEUE, stack=PUT)
    return story


def waits(lengths_ms: list[float], run_ms: float, flags: int = 0) -> Story:
    story = Story(LAST)
    now = 0.0
    for length in lengths_ms:
        story.at(now, 2, KIND.WAIT, object=QUEUE, stack=TAKE, value=1)
        story.at(now + length, 2, KIND.WAITED, object=QUEUE, flags=flags)
        now += length + 1
    return ended(story, run_ms)


def joins(ends_ms: list[float], run_ms: float, start_ms: float = 0) -> Story:
    """Threads of one start, joined in turn."""
    story = Story(LAST)
    for thread in range(2, 2 + len(ends_ms)):
        story.at(start_ms, thread, KIND.THREAD_START, peer=CALLER)
    now = start_ms + 0.01
    for thread, end in enumerate(ends_ms, 2):
        story.at(end, thread, KIND.THREAD_END)
        story.at(now, CALLER, KIND.JOIN, peer=thread, stack=SLOW)
        now = max(now, end) + 0.01
        story.at(now, CALLER, KIND.JOINED, peer=thread)
        now += 0.01
    return ended(story, run_ms)


def slept(ms: float, run_ms: float) -> Story:
    """The only thread sleeps, then works."""
    story = Story(1)
    story.at(0, 1, KIND.THREAD_START).at(10, 1, KIND.SLEEP, stack=SLOW)
    return story.at(10 + ms, 1, KIND.SLEPT).at(run_ms, 1, KIND.THREAD_END)


def owner_blocked(ms: float, run_ms: float) -> Story:
    """Other threads are blocked by an owner that sleeps."""
    story = Story(LAST)
    story.block(0, 1, 3)
    story.at(2, 3, KIND.SLEEP, stack=SLOW).at(2 + ms, 3, KIND.SLEPT)
    return ended(story.block(2, 2 + ms, 4, owner=3), run_ms)


TIMED_OUT = EventFlag.TIMED_OUT
CASES: dict[str, list[tuple[Tell, bool]]] = {
    "hot_lock": [
        (lambda: blocks(5, 2, 1000), True),
        (lambda: blocks(4, 10, 1000), False),
        (lambda: blocks(5, 1.9, 1000), False),
    ],
    "oversubscribed_lock": [
        (lambda: queue(5, 100, 5000), True),
        (lambda: queue(4, 100, 4000), False),
        (lambda: queue(5, 100, 5010), False),
    ],
    "held_while_sleeping": [
        (lambda: owner_blocked(10, 1000), True),
        (lambda: owner_blocked(9.9, 1000), False),
    ],
    "notify_all_herd": [
        (lambda: herd(10, 3, 2), True),
        (lambda: herd(10, 4, 2), True),
        (lambda: herd(9, 3, 3), False),
        (lambda: herd(10, 2, 2), False),
        (lambda: herd(10, 4, 1), False),
        (lambda: herd(10, 3, 3, after_ms=0.2), False),
    ],
    "useless_notify": [
        (lambda: notifies(100, 90), True),
        (lambda: notifies(100, 89), False),
        (lambda: notifies(99, 99), False),
    ],
    "wait_always_times_out": [
        (lambda: waits([2] * 5, 1000, TIMED_OUT), True),
        (lambda: waits([10] * 4, 1000, TIMED_OUT), False),
        (lambda: waits([1.9] * 5, 1000, TIMED_OUT), False),
        (lambda: waits([2] * 5, 1000), False),
    ],
    "long_wait": [
        (lambda: waits([5] * 19 + [101], 2000), True),
        (lambda: waits([5] * 18 + [101], 2000), False),
        (lambda: waits([5] * 19 + [95], 1900), False),
        (lambda: waits([1] * 19 + [99], 1900), False),
        (lambda: waits([5] * 19 + [101], 2100), False),
    ],
    "sleep_on_critical_path": [
        (lambda: slept(50, 1000), True),
        (lambda: slept(49, 1000), False),
    ],
    "unbalanced_join": [
        (lambda: joins([60, 100], 500), True),
        (lambda: joins([100, 60], 500), True),
        (lambda: joins([100], 500), False),
        (lambda: joins([77, 100], 400), False),
        (lambda: joins([60, 100], 810), False),
    ],
}


@pytest.mark.parametrize(
    ("kind", "number"),
    [(kind, number) for kind, cases in CASES.items() for number in range(len(cases))],
)
def test_a_finding_begins_at_its_threshold(kind: str, number: int) -> None:
    tell, is_found = CASES[kind][number]
    found = [row["kind"] for row in tell().findings()]
    assert found.count(kind) == is_found
