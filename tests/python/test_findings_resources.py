# SPDX-License-Identifier: Apache-2.0
"""Findings about resources without an owner: pools and queues with many waiters."""

from story import JDK, KIND, MS, OTHER, PUT, QUEUE, SLOW, TAKE, Story
from threadmodel import Event, EventFlag, Frame, ObjectKind

CLIENTS = 400


def pool(
    threads: int,
    turns: int,
    stack: int = TAKE,
    calls: dict[int, list[str]] | None = None,
) -> Story:
    """Threads use the one permit in turn, 10 ms each, and queue for it otherwise.

    Args:
        calls: callers of the one frame of a stack, the innermost first
    """
    story = Story(threads + 1)
    for inner, names in (calls or {}).items():
        frames = [Frame(inner, line=10 * inner)]
        for name in names:
            class_name, _, method_name = name.rpartition(".")
            number = 1000 + len(frames) + 100 * inner
            story.model.define_class(number, class_name, None)
            story.model.define_method(number, number, method_name)
            frames.append(Frame(number, line=number))
        story.model.define_stack(inner + 50, frames)
    for thread in range(1, threads + 1):
        story.at(0, thread, KIND.PARK, object=QUEUE, stack=stack)
    user, now = threads + 1, 1.0
    for turn in range(turns):
        thread = 1 + turn % threads
        gives = PUT + 50 if calls else PUT
        story.at(now, user, KIND.UNPARK_CALLED, peer=thread, stack=gives)
        story.at(now + 0.1, thread, KIND.UNPARKED, object=QUEUE)
        story.at(now + 1, thread, KIND.SLEEP, stack=SLOW)
        story.at(now + 10, thread, KIND.SLEPT)
        if user <= threads:
            story.at(now + 0.5, user, KIND.PARK, object=QUEUE, stack=stack)
        user, now = thread, now + 10.1
    return story.at(now, threads + 1, KIND.THREAD_END)


def test_a_pool_reports_permits_uses_and_what_they_are_spent_on() -> None:
    (row,) = pool(4, 20).findings("resource_wait")
    assert (row["class"], row["method"], row["line"]) == (
        "demo.Queue",
        "demo.Queue.take",
        30,
    )
    assert not row["suspected"]
    assert row["title"] == "4 threads wait for a permit in Queue.take, 1 seen in use"
    assert row["waits"].startswith("4 threads waited ")
    assert row["holds"] == (
        "A use takes 10.0 ms (median of the 19 seen), 90 % of it in Lock.slow; "
        "1 seen at once; released in Queue.put."
    )


def cut(story: Story, slice_ms: float) -> Story:
    """Let each park end by its time and begin again at once, until it is over."""
    begun: dict[int, Event] = {}
    for event in sorted(story.events, key=lambda it: it.time_ns):
        if event.kind == KIND.PARK:
            begun[event.thread] = event
        elif event.kind == KIND.UNPARKED:
            park = begun[event.thread]
            now = park.time_ns + int(slice_ms * MS)
            while now < event.time_ns - MS:
                story.events += [
                    Event(
                        now,
                        event.thread,
                        KIND.UNPARKED,
                        object=QUEUE,
                        flags=EventFlag.TIMED_OUT,
                    ),
                    Event(
                        now + MS // 100,
                        event.thread,
                        KIND.PARK,
                        object=QUEUE,
                        stack=park.stack,
                    ),
                ]
                now += int(slice_ms * MS)
    return story


def test_a_wait_in_slices_is_one_wait() -> None:
    """Each park has a timeout and begins again at once, as with Python's locks."""
    (whole,) = pool(4, 20).findings("resource_wait")
    (sliced,) = cut(pool(4, 20), 5).findings("resource_wait")
    assert whole["waits"].split(",")[0] == sliced["waits"].split(",")[0]
    assert abs(whole["impact_ns"] - sliced["impact_ns"]) < whole["impact_ns"] / 100


def named(taken: list[str], given: list[str]) -> tuple[str, str]:
    """Title and waits of a pool whose queue is called from there."""
    story = pool(4, 20, stack=TAKE + 50, calls={TAKE: taken, PUT: given})
    (row,) = story.findings("resource_wait")
    assert (row["method"], row["line"]) == ("demo.Queue.take", 30)
    title = (
        row["title"]
        .removeprefix("4 threads wait for a permit in ")
        .removesuffix(", 1 seen in use")
    )
    return title, row["waits"]


def test_a_pool_has_the_name_of_the_class_that_keeps_the_queue() -> None:
    title, waits = named(
        ["demo.Queue.poll", "demo.Pool.borrow", "demo.Source.get", "shop.Client.order"],
        ["demo.Lease.close", "shop.Client.order"],
    )
    assert title == "Pool.borrow"
    assert " in Pool.borrow:1302, " in waits
    assert waits.endswith(" for Queue in Queue.take:30.")


def test_a_pool_is_not_called_after_who_uses_it() -> None:
    user = ["demo.Client.order"]
    assert named(user, user)[0] == "Queue.take"
    assert named(["shop.Client.begin"], ["shop.Client.end"])[0] == "Queue.take"


def test_a_class_within_the_queue_s_is_the_queue() -> None:
    assert named(["demo.Queue$Head.get"], ["demo.Lease.close"])[0] == "Queue.take"


def test_the_sleep_within_a_use_is_not_reported_again() -> None:
    assert pool(4, 20).findings("sleep_on_critical_path") == []


def test_a_pool_that_is_seldom_waited_for_is_no_finding() -> None:
    story = pool(4, 20)
    story.at(20_000, 5, KIND.THREAD_END)
    assert story.findings("resource_wait") == []


def test_workers_that_wait_for_work_are_no_finding() -> None:
    assert pool(4, 20, stack=JDK).findings("resource_wait") == []


def full_queue(consumer_sleeps: bool) -> Story:
    """Three fill a queue that one empties."""
    story = Story(4)
    for turn in range(10):
        begin = 20.0 * turn
        for thread in (1, 2, 3):
            at = begin + thread
            story.at(at, thread, KIND.PARK, object=QUEUE, stack=PUT)
            story.at(at + 15, 4, KIND.UNPARK_CALLED, peer=thread, stack=TAKE)
            story.at(at + 15.1, thread, KIND.UNPARKED, object=QUEUE)
        if consumer_sleeps:
            story.at(begin, 4, KIND.SLEEP, stack=SLOW)
            story.at(begin + 14, 4, KIND.SLEPT)
    return story


def test_one_that_is_busy_releases_many_too_slowly() -> None:
    (row,) = full_queue(consumer_sleeps=True).findings("resource_wait")
    assert not row["suspected"]
    assert row["impact_ns"] == 30 * 15.1 * MS
    assert row["holds"] == (
        "t4 released them in Queue.take. t4 was stopped longest in Lock.slow, asleep."
    )


def test_one_that_may_be_idle_is_only_suspected() -> None:
    (row,) = full_queue(consumer_sleeps=False).findings("resource_wait")
    assert row["suspected"]
    assert row["title"] == "3 threads wait in Queue.put"
    assert "CPU samples of it would show" in row["caveat"]


def test_threads_that_a_listener_releases_wait_for_clients() -> None:
    """As those of a server that keeps threads without a connection."""
    story = Story(4)
    story.model.define_object(CLIENTS, 0, name="clients of :3306", kind=ObjectKind.POLL)
    for turn in range(10):
        begin = 20.0 * turn
        story.at(begin, 4, KIND.AWAIT, object=CLIENTS, stack=SLOW)
        for thread in (1, 2, 3):
            at = begin + thread
            story.at(at, thread, KIND.PARK, object=QUEUE, stack=PUT)
            story.at(at + 15, 4, KIND.UNPARK_CALLED, peer=thread, stack=TAKE)
            story.at(at + 15.1, thread, KIND.UNPARKED, object=QUEUE)
        story.at(begin + 14, 4, KIND.AWAITED, object=CLIENTS)
    assert story.findings("resource_wait") == []


def test_what_is_only_suspected_comes_last() -> None:
    story = full_queue(consumer_sleeps=False)
    for turn in range(6):
        story.block(10 * turn, 10 * turn + 3, 5, owner=6, lock=OTHER)
    # The run ends with it, so that the finding is not minor.
    story.at(300, 5, KIND.THREAD_END)
    rows = story.findings()
    assert [row["kind"] for row in rows] == ["hot_lock", "resource_wait"]
    assert rows[0]["impact_ns"] < rows[1]["impact_ns"]


def test_rubys_lock_is_known_by_the_function_that_waits_for_it() -> None:
    story = pool(4, 20)
    story.model.define_method(TAKE, 2, "gvl_acquire_common")
    (row,) = story.findings("resource_wait")
    assert row["title"] == (
        "4 threads wait for the interpreter's lock in Queue.gvl_acquire_common"
    )
    assert "use processes" in row["advice"]


def test_a_condition_is_named_by_the_queue_that_awaits_it() -> None:
    story = pool(4, 20, stack=TAKE + 50, calls={TAKE: [], PUT: []})
    names = (
        ("java.util.concurrent.locks.LockSupport", "park"),
        (
            "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
            "await",
        ),
        ("java.util.concurrent.ArrayBlockingQueue", "take"),
    )
    for number, (class_name, method) in enumerate(names, 900):
        story.model.define_class(number, class_name, None)
        story.model.define_method(number, number, method)
    frames = [Frame(number, line=1) for number in (900, 901, 902)]
    story.model.define_stack(TAKE + 50, [*frames, Frame(TAKE, line=30)])
    story.model.define_object(QUEUE, 901)
    (row,) = story.findings("resource_wait")
    assert row["method"] == "demo.Queue.take"
    assert row["waits"].endswith(" on average, for ArrayBlockingQueue.")
    # Options select the object by its own class.
    assert row["class"] == names[1][0]
