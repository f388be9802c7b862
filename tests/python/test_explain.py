# SPDX-License-Identifier: Apache-2.0
"""Why a thread did not run at an instant, in runs whose truth is constructed."""

from typing import Any

import pytest

from campaign import campaign, run_of
from story import KIND, LOCK, MS, OTHER, PUT, QUEUE, SLOW, TAKE, Story
from threadmodel import EventFlag, Frame, Model
from threadmodel.errors import InvalidArgumentError, NotFoundError

Row = dict[str, Any]
STEPS = 10
LEADS_ON = ("owner", "joined", "waker", "starter")


def chain(story: Story, thread: int | str, ms: float) -> list[tuple[str, str]]:
    """The threads of the chain, and why each did not run."""
    story.findings()
    rows = story.model.explain(thread=thread, at_ns=round(ms * MS))
    return [(row["thread"], row["reason"]) for row in rows]


def idle_in(story: Story) -> int:
    """Return a stack at which a pool's worker waits for work."""
    story.model.define_class(8, "java.util.concurrent.ThreadPoolExecutor", None)
    story.model.define_method(8, 8, "getTask")
    story.model.define_stack(8, [Frame(8, line=1062)])
    return 8


def test_a_lock_within_a_lock_within_a_sleep() -> None:
    story = Story(3)
    story.at(1, 3, KIND.SLEEP, stack=SLOW).at(40, 3, KIND.SLEPT)
    story.block(5, 41, 2, owner=3, lock=OTHER)
    story.block(10, 42, 1, owner=2)
    assert chain(story, "t1", 20) == [
        ("t1", "owner"),
        ("t2", "owner"),
        ("t3", "asleep"),
    ]
    texts = [row["text"] for row in story.model.explain(thread=1, at_ns=20 * MS)]
    assert texts == [
        "t1 was blocked by Lock#100 in Lock.transfer:20 for 32.0 ms; t2 owned it.",
        "t2 was blocked by Other#300 in Lock.transfer:20 for 36.0 ms; t3 owned it.",
        "t3 was asleep in Lock.slow:10 for 39.0 ms: the root cause.",
    ]


def test_a_pool_is_waited_for_by_way_of_who_gives_back() -> None:
    story = Story(2)
    story.at(1, 1, KIND.PARK, object=QUEUE, stack=TAKE)
    story.at(2, 2, KIND.SLEEP, stack=SLOW).at(30, 2, KIND.SLEPT)
    story.at(31, 2, KIND.UNPARK_CALLED, peer=1, stack=PUT)
    story.at(32, 1, KIND.UNPARKED, object=QUEUE)
    assert chain(story, 1, 10) == [("t1", "waker"), ("t2", "asleep")]
    first = story.model.explain(thread=1, at_ns=10 * MS)[0]
    assert first["text"] == (
        "t1 waited for Queue#200 in Queue.take:30 for 31.0 ms, until t2 woke it"
        f"{', inferred' if first['provenance'] == 'inferred' else ''}."
    )
    assert (first["start_ns"], first["end_ns"]) == (1 * MS, 32 * MS)


def test_a_join_leads_to_the_thread_that_is_waited_for() -> None:
    story = Story(2)
    story.at(1, 2, KIND.THREAD_START)
    story.at(2, 1, KIND.JOIN, peer=2, stack=TAKE)
    story.at(3, 2, KIND.SLEEP, stack=SLOW).at(20, 2, KIND.SLEPT)
    story.at(30, 2, KIND.THREAD_END).at(31, 1, KIND.JOINED, peer=2)
    assert chain(story, 1, 10) == [("t1", "joined"), ("t2", "asleep")]
    assert chain(story, 1, 25) == [("t1", "joined"), ("t2", "running")]


def test_a_deadlock_is_the_root_cause() -> None:
    story = Story(2)
    reported = EventFlag.PEER_REPORTED
    for thread, owner, lock in ((1, 2, LOCK), (2, 1, OTHER)):
        story.at(
            thread,
            thread,
            KIND.CONTENDED_ENTER,
            object=lock,
            peer=owner,
            flags=reported,
            stack=SLOW,
        )
    story.at(50, 3, KIND.THREAD_END)
    assert chain(story, 1, 40) == [("t1", "owner"), ("t2", "deadlock")]
    last = story.model.explain(thread=1, at_ns=40 * MS)[-1]
    assert last["text"].endswith("circle: a suspected deadlock, the root cause.")
    assert last["end_ns"] is None


def test_a_thread_that_runs_was_not_blocked() -> None:
    story = Story(1).at(1, 1, KIND.THREAD_START).at(50, 1, KIND.THREAD_END)
    assert chain(story, 1, 20) == [("t1", "running")]
    assert story.model.explain(thread=1, at_ns=20 * MS)[0]["text"] == "t1 was running."
    assert list(story.model.explain()) == []


def test_a_worker_without_work_is_idle() -> None:
    story = Story(2)
    story.at(1, 1, KIND.WAIT, object=QUEUE, stack=idle_in(story))
    story.at(40, 2, KIND.NOTIFY, object=QUEUE, stack=PUT)
    story.at(41, 1, KIND.WAITED, object=QUEUE)
    assert chain(story, 1, 20) == [("t1", "idle")]


@pytest.mark.parametrize(
    ("begin", "end", "reason"),
    [
        (KIND.CONTENDED_ENTER, KIND.CONTENDED_ENTERED, "no_owner"),
        (KIND.PARK, KIND.UNPARKED, "no_waker"),
    ],
)
def test_what_no_event_shows_is_not_guessed(begin: Any, end: Any, reason: str) -> None:
    story = Story(1)
    story.at(1, 1, begin, object=LOCK, stack=SLOW).at(40, 1, end, object=LOCK)
    assert chain(story, 1, 20) == [("t1", reason)]
    assert "no event shows" in story.model.explain(thread=1, at_ns=20 * MS)[0]["text"]


def test_before_it_began_and_after_it_ended() -> None:
    story = Story(2)
    story.at(0, 1, KIND.THREAD_START)
    story.at(10, 2, KIND.THREAD_START).at(20, 2, KIND.THREAD_END)
    story.at(30, 1, KIND.THREAD_END)
    assert chain(story, 2, 5) == [("t2", "not_started")]
    assert chain(story, 2, 25) == [("t2", "ended")]


def test_a_wait_whose_time_was_up_has_no_waker() -> None:
    story = Story(1)
    story.at(1, 1, KIND.WAIT, object=LOCK, stack=SLOW, value=20 * MS)
    story.at(21, 1, KIND.WAITED, object=LOCK, flags=EventFlag.TIMED_OUT)
    assert chain(story, 1, 10) == [("t1", "timeout")]


def test_without_a_choice_it_is_the_longest_block_that_is_no_idle_worker() -> None:
    story = Story(3)
    story.at(0, 3, KIND.WAIT, object=QUEUE, stack=idle_in(story))
    story.at(90, 3, KIND.WAITED, object=QUEUE)
    story.at(0, 2, KIND.THREAD_START)
    story.block(10, 40, 1, owner=2).block(50, 55, 2, owner=1)
    story.at(100, 1, KIND.THREAD_END)
    story.findings()
    (first, second) = story.model.explain()
    assert (first["thread"], first["start_ns"]) == ("t1", 10 * MS)
    assert (second["thread"], second["reason"]) == ("t2", "running")
    assert [row["thread"] for row in story.model.explain(at_ns=52 * MS)] == ["t2", "t1"]


def test_the_longest_blocks_have_a_chain_each() -> None:
    story = Story(3)
    story.at(0, 3, KIND.WAIT, object=QUEUE, stack=idle_in(story))
    story.at(90, 3, KIND.WAITED, object=QUEUE)
    story.block(50, 55, 2, owner=1).block(10, 40, 1, owner=2).block(70, 76, 1, owner=2)
    story.at(100, 1, KIND.THREAD_END)
    story.findings()
    rows = list(story.model.explain(count=2))
    asked = [(row["chain"], row["thread"], row["at_ns"]) for row in rows]
    assert asked == [
        (1, "t1", 25 * MS),
        (1, "t2", 25 * MS),
        (2, "t1", 73 * MS),
        (2, "t2", 73 * MS),
    ]
    assert len({row["chain"] for row in story.model.explain(count=99)}) == 3
    # The question about one thread; and about those that were blocked at an instant.
    assert {row["thread"] for row in story.model.explain(thread=2, count=9)} == {
        "t1",
        "t2",
    }
    assert [row["chain"] for row in story.model.explain(at_ns=52 * MS, count=9)] == [
        1,
        1,
    ]
    with pytest.raises(InvalidArgumentError):
        story.model.explain(count=0)


@campaign(100, 1500)
def test_many_chains_are_those_that_are_asked_for_one_by_one(seed: int) -> None:
    model = run_of(seed)
    every = list(model.explain(count=10**6))
    for count in (1, 7, 10**6):
        rows = list(model.explain(count=count))
        assert rows == [row for row in every if row["chain"] <= count]
    for chain in {row["chain"] for row in every}:
        rows = [row for row in every if row["chain"] == chain]
        (at_ns,) = {row["at_ns"] for row in rows}
        alone = list(model.explain(thread=rows[0]["thread_id"], at_ns=at_ns))
        assert [{**row, "chain": chain} for row in alone] == rows


def test_a_long_chain_ends_after_ten_threads_with_a_caveat() -> None:
    story = Story(20)
    for thread in range(1, 15):
        lock = 1000 + thread
        story.model.define_object(lock, 1)
        story.block(thread, 100 - thread, thread, owner=thread + 1, lock=lock)
    story.at(200, 1, KIND.THREAD_END)
    story.findings()
    found = story.model.explain(thread=1, at_ns=50 * MS)
    assert len(found) == STEPS
    assert "The chain goes on after ten threads." in found.caveats


def test_what_is_not_there_is_refused() -> None:
    story = Story(1).at(10, 1, KIND.THREAD_END)
    story.findings()
    with pytest.raises(NotFoundError, match="there is no thread 77"):
        story.model.explain(thread=77)
    with pytest.raises(InvalidArgumentError, match="is after the end of the run"):
        story.model.explain(thread=1, at_ns=10**12)
    assert list(Model().explain()) == []


@campaign(200, 3000)
def test_every_step_is_of_the_thread_that_the_one_before_leads_to(seed: int) -> None:
    model = run_of(seed)
    for at_ns in (1, model.length_ns // 3 + 1, model.length_ns // 2 + 1):
        if at_ns > model.length_ns:
            continue
        rows = list(model.explain(at_ns=at_ns))
        assert len(rows) <= STEPS
        assert [row["step"] for row in rows] == list(range(1, len(rows) + 1))
        assert len({row["thread_id"] for row in rows}) == len(rows)
        assert all(row["reason"] in LEADS_ON for row in rows[:-1])
        for row in rows:
            # All of them at the same instant.
            assert row["start_ns"] is None or row["start_ns"] <= at_ns
            assert row["end_ns"] is None or at_ns <= row["end_ns"]
            assert row["text"].endswith(".")
