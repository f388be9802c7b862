# SPDX-License-Identifier: Apache-2.0
"""Findings about waits and notifies: where they are, with figures, else not."""

import pytest

from service import BORROW, CONDITION, IDLE, PERMITS, QUERY, Service
from story import ALL_KINDS, JDK, KIND, MS, PUT, QUEUE, SLOW, TAKE, Story
from threadmodel import EventFlag, Frame, Model, ObjectKind, Run


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
    assert row["title"] == "notifyAll on Queue wakes 3 threads for one"
    assert row["waits"].startswith(
        "12 calls woke 36 waiters, 3.0 each; 24 of these waited again at once, "
        "after queueing for 84.0 ms in all, in Queue.take:30."
    )
    assert row["impact_ns"] == 12 * (3 + 4) * MS


def test_waiters_that_find_work_are_no_herd() -> None:
    assert herd(back=False).findings("notify_all_herd") == []


def test_notifies_of_the_vms_own_threads_are_no_finding() -> None:
    story = Story()
    for ms in range(200):
        story.at(ms, 1, KIND.NOTIFY, object=QUEUE, stack=JDK)
    story.at(300, 2, KIND.WAIT, object=QUEUE, stack=JDK)
    assert story.at(5000, 1, KIND.THREAD_END).findings() == []


def test_a_signal_that_nobody_waited_for_is_named_where_it_was_missed() -> None:
    story = Story()
    story.at(10, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    story.at(20, 2, KIND.WAIT, object=QUEUE, stack=TAKE)
    story.at(5000, 1, KIND.THREAD_END)
    (row,) = story.findings()
    assert (row["kind"], row["suspected"]) == ("stuck", False)
    assert row["impact_ns"] == 4980 * MS
    assert (row["method"], row["thread"]) == ("demo.Queue.take", "t2")
    assert row["title"] == "No thread can go on: 1 thread waits"
    assert "which was signalled at 10.0 ms by t1, which has ended" in row["waits"]
    assert "when no thread waited" in row["waits"]


def test_a_notifier_that_goes_on_may_notify_again() -> None:
    story = Story()
    story.at(10, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    story.at(20, 2, KIND.WAIT, object=QUEUE, stack=TAKE)
    assert story.at(5000, 1, KIND.NOTIFY, object=200).findings() == []


def test_useless_notifies_are_minor() -> None:
    story = Story(kinds=ALL_KINDS)
    for ms in range(150):
        story.at(ms, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    (row,) = story.findings()
    assert (row["kind"], row["impact_ns"]) == ("useless_notify", 0)
    assert row["minor"]
    assert row["text"].startswith("150 of 150 notifies in Queue.put:40 found no waiter")


def test_a_signal_of_a_condition_needs_no_waiter() -> None:
    story = Story(kinds=ALL_KINDS)
    story.model.define_object(QUEUE, 2, kind=ObjectKind.CONDITION)
    for ms in range(150):
        story.at(ms, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    assert story.findings() == []


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
    assert row["impact_ns"] == pytest.approx(499 * MS, rel=0.01)
    assert "waited 500 ms for Queue in Queue.take:30" in row["text"]


def test_a_long_wait_by_other_calls_is_no_outlier() -> None:
    """All waits of an interpreter are at one place, called from elsewhere."""
    story = waits([1.0] * 25 + [500.0])
    story.model.define_stack(50, [Frame(TAKE, line=30), Frame(SLOW, line=10)])
    story.at(600, 3, KIND.WAIT, object=QUEUE, stack=50)
    story.at(1500, 3, KIND.WAITED, object=QUEUE)
    assert story.findings("long_wait") == []


def test_workers_without_work_wait_for_long_and_no_wait_is_an_outlier() -> None:
    story = waits([1.0] * 25 + [500.0])
    story.at(60, 3, KIND.WAIT, object=QUEUE, stack=TAKE)
    story.at(450, 3, KIND.WAITED, object=QUEUE)
    assert story.findings("long_wait") == []


def test_a_wait_elsewhere_at_the_time_leaves_a_long_one_an_outlier() -> None:
    story = waits([1.0] * 25 + [500.0])
    story.at(60, 3, KIND.WAIT, object=QUEUE, stack=PUT)
    story.at(450, 3, KIND.WAITED, object=QUEUE)
    assert len(story.findings("long_wait")) == 1


def test_a_long_wait_for_a_thread_that_works_is_minor() -> None:
    story = waits([1.0] * 25)
    story.at(100, 1, KIND.SLEEP).at(450, 1, KIND.SLEPT)
    story.at(500, 2, KIND.WAIT, object=QUEUE, stack=TAKE)
    story.at(1100, 1, KIND.NOTIFY, object=QUEUE, stack=TAKE)
    story.at(1100, 2, KIND.WAITED, object=QUEUE)
    (row,) = story.findings("long_wait")
    assert row["minor"]
    assert (
        row["holds"]
        == "t1 ended the wait; it ran or wanted a processor for 100 % of that time."
    )
    assert "Look at" not in row["text"]


def test_whom_nobody_notified_has_no_notifying_thread() -> None:
    story = waits([1.0] * 25)
    story.at(2000, 2, KIND.WAIT, object=QUEUE, stack=TAKE, value=500 * MS)
    story.at(2500, 2, KIND.WAITED, object=QUEUE, flags=EventFlag.TIMED_OUT)
    (row,) = story.findings("long_wait")
    assert "No thread notified it in time: it timed out." in row["text"]
    assert "notifying thread" not in row["text"]


def test_alike_waits_are_no_finding() -> None:
    assert waits([30.0] * 30).findings() == []


def test_waits_that_always_time_out() -> None:
    (row,) = waits([5.0] * 6, EventFlag.TIMED_OUT).findings()
    assert row["kind"] == "wait_always_times_out"
    assert row["impact_ns"] == 30 * MS
    assert row["text"].startswith("All 6 waits for Queue in Queue.take:30")


def test_a_thread_that_only_waits_by_the_clock_polls_nothing() -> None:
    """A background thread that wakes at times and delays nothing."""
    story = waits([5.0] * 6, EventFlag.TIMED_OUT)
    story.at(36, 2, KIND.WAIT, object=QUEUE, stack=TAKE, value=MS)
    assert story.findings("wait_always_times_out") == []


@pytest.mark.parametrize(
    ("kind", "found"), [(ObjectKind.CONDITION, 0), (ObjectKind.MONITOR, 1)]
)
def test_a_condition_that_ends_waits_elsewhere_is_notified(
    kind: ObjectKind, found: int
) -> None:
    """A background thread waits with a limit, or without one for the first work."""
    story = waits([5.0] * 6, EventFlag.TIMED_OUT)
    story.model.define_object(QUEUE, 2, kind=kind)
    story.at(500, 2, KIND.WAIT, object=QUEUE, stack=PUT)
    story.at(510, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    story.at(511, 2, KIND.WAITED, object=QUEUE)
    assert len(story.findings("wait_always_times_out")) == found


def test_a_clock_that_ends_polls_nothing() -> None:
    story = waits([5.0] * 6, EventFlag.TIMED_OUT)
    story.at(36, 2, KIND.THREAD_END).at(40, 1, KIND.THREAD_END)
    assert story.findings("wait_always_times_out") == []


def test_waits_of_the_jdk_itself_are_left_out() -> None:
    assert waits([5.0] * 6, EventFlag.TIMED_OUT, stack=JDK).findings() == []


def test_a_wait_that_no_thread_is_left_to_end_is_no_suspicion() -> None:
    story = Story()
    story.at(10, 2, KIND.WAIT, object=QUEUE, stack=TAKE).at(3010, 1, KIND.THREAD_END)
    (row,) = story.findings()
    assert (row["kind"], row["suspected"]) == ("stuck", False)
    assert "t2 has waited for Queue#200 in Queue.take:30 since 10.0 ms" in row["text"]


@pytest.mark.parametrize(
    ("os_id", "joined", "found"), [(12, False, 0), (12, True, 1), (11, False, 1)]
)
def test_a_thread_that_ends_with_its_program_may_wait_for_work(
    os_id: int, joined: bool, found: int
) -> None:
    """As threads of C do: the first thread, or one that is waited for, may not."""
    story = Story()
    story.model.define_run(Run(pid=11))
    story.model.define_thread(2, "logger", os_id=os_id)
    story.at(10, 2, KIND.WAIT, object=QUEUE, stack=TAKE, flags=EventFlag.NOT_OWNED)
    if joined:
        story.at(20, 1, KIND.JOIN, peer=2, flags=EventFlag.PEER_REPORTED)
    story.at(3010, 3, KIND.THREAD_END)
    assert len(story.findings("stuck")) == found


@pytest.mark.parametrize(("pid", "found"), [(11, 1), (21, 0)])
def test_of_two_processes_one_goes_on_without_its_first_thread(
    pid: int, found: int
) -> None:
    """A logger of 11 goes on; one of 21 goes on where 11 has ended."""
    story = Story()
    story.model.define_run(Run(pid=11))
    story.model.define_thread(2, "logger", os_id=32, pid=pid)
    story.model.define_thread(4, "main", os_id=11, pid=11)
    story.at(5, 4, KIND.THREAD_START)
    story.at(10, 2, KIND.WAIT, object=QUEUE, stack=TAKE, flags=EventFlag.NOT_OWNED)
    story.at(20, 4, KIND.THREAD_END)
    story.at(3010, 3, KIND.THREAD_END)
    assert len(story.findings("stuck")) == found


def test_a_notify_that_another_one_makes_good_is_not_lost() -> None:
    story = Story()
    story.at(10, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    story.at(20, 2, KIND.WAIT, object=QUEUE, stack=TAKE)
    story.at(30, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    story.at(31, 2, KIND.WAITED, object=QUEUE).at(5000, 1, KIND.THREAD_END)
    assert story.findings() == []


def test_notifies_that_often_wake_a_waiter_are_not_useless() -> None:
    story = Story()
    for ms in range(0, 300, 2):
        if ms % 10 == 0:
            story.at(ms, 2, KIND.WAIT, object=QUEUE, stack=TAKE)
            story.at(ms + 1.5, 2, KIND.WAITED, object=QUEUE)
        story.at(ms + 1, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    assert story.findings("useless_notify") == []


def test_a_wait_of_sixteen_medians_is_none_too_long() -> None:
    assert waits([30.0] * 25 + [480.0]).findings("long_wait") == []


def test_waits_of_which_one_was_notified_do_not_always_time_out() -> None:
    story = waits([5.0] * 6, EventFlag.TIMED_OUT)
    story.at(100, 2, KIND.WAIT, object=QUEUE, stack=TAKE, value=MS)
    story.at(102, 1, KIND.NOTIFY, object=QUEUE, stack=PUT)
    story.at(105, 2, KIND.WAITED, object=QUEUE)
    assert story.findings() == []


@pytest.mark.parametrize("end_ms", [900, 3010])
def test_a_wait_that_may_yet_end_is_not_suspected(end_ms: int) -> None:
    story = Story()
    story.at(10, 2, KIND.WAIT, object=QUEUE, stack=TAKE)
    story.at(5, 1, KIND.WAIT, object=QUEUE, stack=TAKE)
    # The older waiter is woken each time, but the notifies do arrive.
    if end_ms > 1000:
        story.at(20, 3, KIND.NOTIFY, object=QUEUE, stack=PUT)
        story.at(21, 1, KIND.WAITED, object=QUEUE)
    story.at(end_ms, 3, KIND.THREAD_END)
    assert story.findings("long_wait") == []


def used_up(
    workers: int,
    *,
    limit_ns: int = 30_000 * MS,
    ms: float = 4000,
    endpoint: int = 0,
) -> Service:
    """Return a service whose last requests wait until it is killed: for a permit, or
    for an endpoint."""
    service = Service(permits=2, clients=2, seconds=1)
    (end,) = (it.time_ns for it in service.events if it.kind == KIND.CPU_TIME)
    for worker in range(100, 100 + workers):
        service.emit(0, worker, KIND.THREAD_START)
        service.emit(1000, worker, KIND.PARK, object=CONDITION, stack=IDLE)
        service.emit(end, worker, KIND.UNPARKED)
        if endpoint:
            service.emit(end + MS, worker, KIND.AWAIT, object=endpoint, stack=QUERY)
            continue
        service.emit(
            end + MS, worker, KIND.PARK, object=PERMITS, stack=BORROW, value=limit_ns
        )
    service.emit(end + round(ms) * MS, 99, KIND.THREAD_START)
    service.events.sort(key=lambda event: event.time_ns)
    return service


def test_workers_that_wait_with_a_limit_to_the_end_are_named() -> None:
    rows = used_up(3).model().findings()
    (row,) = [row for row in rows if row["kind"] == "unended_wait"]
    assert row["title"] == "3 threads wait in Pool.borrow, and none has gone on"
    assert row["method"] == "app.Pool.borrow"
    assert row["impact_ns"] == pytest.approx(3 * 4000 * MS, rel=0.01)
    assert "2 other threads were there, too" in row["waits"]
    assert not row["minor"]


def test_workers_that_wait_for_an_answer_to_the_end_are_named() -> None:
    model = Model()
    model.define_object(900, kind=ObjectKind.SOCKET, name="10.0.0.7:80")
    used_up(3, endpoint=900).fill(model)
    (row,) = [row for row in model.findings() if row["kind"] == "unended_wait"]
    assert row["title"] == "3 threads wait for 10.0.0.7:80, and none has gone on"
    assert row["method"] == "app.Query.run"
    assert "had waited for 10.0.0.7:80 in Query.run for 4.00 s" in row["waits"]
    assert "does not answer" in row["advice"]
    assert len(model.evidence(row)) == 3


@pytest.mark.parametrize(
    "service", [used_up(1), used_up(3, ms=900), Service(permits=2, clients=8)]
)
def test_a_short_wait_or_a_single_one_may_just_end(service: Service) -> None:
    kinds = {row["kind"] for row in service.model().findings()}
    assert "unended_wait" not in kinds


def test_workers_that_wait_without_a_limit_are_the_verdict_s() -> None:
    model = used_up(3, limit_ns=0).model()
    kinds = {row["kind"] for row in model.findings()}
    assert "unended_wait" not in kinds
