# SPDX-License-Identifier: Apache-2.0
"""Findings about workers, event loops, classes, virtual threads and stragglers."""

from collections.abc import Mapping
from typing import Any

from story import KIND, LOCK, MS, QUEUE, SLOW, TAKE, Story
from threadmodel import Frame, ObjectKind

RUN_WORKER, LOOP, INITIALISER, LOAD = 31, 32, 33, 34
DB = 401


def with_methods(threads: int = 8) -> Story:
    """Return a story with stacks of workers, event loops and class loaders."""
    story = Story(threads)
    sink = story.model
    for number, class_name, method in (
        (RUN_WORKER, "java.util.concurrent.ThreadPoolExecutor", "getTask"),
        (LOOP, "io.netty.channel.nio.NioEventLoop", "run"),
        (INITIALISER, "demo.Catalog", "<clinit>"),
        (LOAD, "java.lang.ClassLoader", "loadClass"),
    ):
        sink.define_class(number, class_name, "X.java")
        sink.define_method(number, number, method)
    sink.define_stack(RUN_WORKER, [Frame(RUN_WORKER, line=1)])
    for number in (LOOP, INITIALISER):
        sink.define_stack(number, [Frame(SLOW, line=7), Frame(number, line=1)])
    sink.define_stack(LOAD, [Frame(LOAD, line=1), Frame(TAKE, line=5)])
    return story


def executor(rounds: int, idle_ms: float) -> Story:
    """Two workers wait for work, sleep so often, idle in between, and wait again."""
    story = with_methods()
    for thread in (1, 2):
        story.model.define_thread(thread, f"pool-1-worker-{thread}")
        story.at(0, thread, KIND.PARK, object=QUEUE, stack=RUN_WORKER)
        story.at(5, thread, KIND.UNPARKED, object=QUEUE)
        now = 5.1
        for _ in range(rounds):
            story.at(now, thread, KIND.SLEEP, stack=SLOW)
            story.at(now + 10, thread, KIND.SLEPT)
            now += 10.1
            if idle_ms:
                story.at(now, thread, KIND.PARK, object=QUEUE, stack=RUN_WORKER)
                story.at(now + idle_ms, thread, KIND.UNPARKED, object=QUEUE)
                now += idle_ms + 0.1
        story.at(now, thread, KIND.PARK, object=QUEUE, stack=RUN_WORKER)
    return story.at(now + 100, 3, KIND.THREAD_END)


def test_workers_that_are_never_idle_are_too_few() -> None:
    (row,) = executor(20, 0).findings("executor_too_small")
    assert row["title"].startswith("All 2 workers of an executor are hardly idle: ")
    assert row["impact_ns"] == 2 * 20 * 10 * MS
    assert row["bound_ns"] == 20 * 10 * MS
    assert "were idle for 0 % of 202 ms, and asleep in Lock.slow:10" in row["holds"]


def test_workers_that_wait_for_an_endpoint_are_not_too_few() -> None:
    story = executor(20, 0)
    story.model.define_object(DB, 0, name="db:1", kind=ObjectKind.SOCKET)
    instead = {KIND.SLEEP: KIND.AWAIT, KIND.SLEPT: KIND.AWAITED}
    story.events = [
        it._replace(kind=instead[it.kind], object=DB) if it.kind in instead else it
        for it in story.events
    ]
    (row,) = (it for it in story.findings() if not it["minor"])
    assert row["kind"] == "io_wait"
    assert row["title"] == "2 threads wait for db:1 in Lock.slow"


def spent(story: Story, row: Mapping[str, Any]) -> int:
    """Return the total time of the rows that a finding names as its evidence."""
    rows = story.model.evidence(row)
    return sum(one["end_ns"] - one["start_ns"] for one in rows)


def test_evidence_of_workers_is_what_these_workers_did_there() -> None:
    story = executor(20, 0)
    story.at(400, 4, KIND.SLEEP, stack=SLOW).at(500, 4, KIND.SLEPT)
    (row,) = story.findings("executor_too_small")
    assert spent(story, row) == row["impact_ns"]
    assert len(story.model.evidence(row)) == 2 * 20


def with_another(idle_ms: float) -> Story:
    """Two workers that are never idle, and one that is idle or accepts all the time."""
    story = executor(20, 0)
    story.model.define_thread(5, "pool-1-worker-5")
    story.at(0, 5, KIND.PARK, object=QUEUE, stack=RUN_WORKER)
    story.at(1, 5, KIND.UNPARKED, object=QUEUE)
    if idle_ms:
        story.at(10, 5, KIND.PARK, object=QUEUE, stack=RUN_WORKER)
        story.at(10 + idle_ms, 5, KIND.UNPARKED, object=QUEUE)
    return story


def test_a_thread_that_accepts_all_the_time_is_no_idle_worker() -> None:
    (row,) = with_another(0).findings("executor_too_small")
    assert row["title"].startswith("All 2 workers of an executor are hardly idle: ")
    assert row["holds"].endswith(
        " 1 more of its threads never did such a task, and was hardly idle."
    )
    assert row["impact_ns"] == 2 * 20 * 10 * MS


def test_a_worker_that_is_idle_while_others_are_not_is_enough() -> None:
    assert with_another(150).findings("executor_too_small") == []


def test_workers_that_wait_for_work_now_and_then_are_enough() -> None:
    assert executor(20, 5).findings("executor_too_small") == []


def test_a_few_tasks_make_no_executor_too_small() -> None:
    assert executor(9, 0).findings("executor_too_small") == []


def test_an_event_loop_that_sleeps_is_blocked() -> None:
    story = with_methods()
    for ms in range(0, 100, 20):
        story.at(ms, 1, KIND.SLEEP, stack=LOOP).at(ms + 10, 1, KIND.SLEPT)
    story.at(200, 2, KIND.THREAD_END)
    (row,) = story.findings("event_loop_blocked")
    assert row["title"] == "Event loop t1 is asleep in Lock.slow"
    assert row["impact_ns"] == 50 * MS
    assert story.findings("sleep_on_critical_path") == []


def test_a_class_that_takes_long_to_be_initialised_is_named() -> None:
    story = with_methods()
    story.at(0, 1, KIND.SLEEP, stack=INITIALISER).at(60, 1, KIND.SLEPT)
    story.at(1000, 2, KIND.THREAD_END)
    (row,) = story.findings("class_initialisation")
    assert row["title"] == "Catalog takes 60.0 ms to be initialised"
    assert (row["class"], row["impact_ns"]) == ("demo.Catalog", 60 * MS)


def test_evidence_whose_method_is_too_long_to_be_named_is_no_row() -> None:
    story = executor(20, 0)
    story.model.define_method(SLOW, SLOW, "slow" * 300)
    (row,) = story.findings("executor_too_small")
    assert row["evidence_where"] == ""
    assert len(story.model.evidence(row)) == 0


def test_evidence_of_an_initialiser_leaves_out_what_its_thread_did_later() -> None:
    story = with_methods()
    story.at(0, 1, KIND.SLEEP, stack=INITIALISER).at(60, 1, KIND.SLEPT)
    story.at(70, 1, KIND.SLEEP, stack=SLOW).at(90, 1, KIND.SLEPT)
    story.at(1000, 2, KIND.THREAD_END)
    (row,) = story.findings("class_initialisation")
    assert spent(story, row) == row["impact_ns"] == 60 * MS


def test_locks_of_classes_that_are_loaded_are_no_hot_locks() -> None:
    story = with_methods()
    for number in range(6):
        ms = 20.0 * number
        story.at(ms, 2, KIND.CONTENDED_ENTER, object=LOCK, stack=LOAD)
        story.at(ms + 10, 2, KIND.CONTENDED_ENTERED, object=LOCK)
    story.at(500, 1, KIND.THREAD_END)
    rows = story.findings()
    assert [(row["kind"], row["impact_ns"]) for row in rows] == [
        ("class_loading", 60 * MS)
    ]


def test_evidence_of_class_loading_is_all_of_its_blocks_and_no_other() -> None:
    story = with_methods()
    for number in range(6):
        ms = 20.0 * number
        story.at(ms, 2, KIND.CONTENDED_ENTER, object=LOCK, stack=LOAD)
        story.at(ms + 10, 2, KIND.CONTENDED_ENTERED, object=LOCK)
        story.at(ms + 11, 2, KIND.CONTENDED_ENTER, object=QUEUE, stack=TAKE)
        story.at(ms + 12, 2, KIND.CONTENDED_ENTERED, object=QUEUE)
    story.at(130, 3, KIND.CONTENDED_ENTER, object=LOCK, stack=LOAD)
    story.at(135, 3, KIND.CONTENDED_ENTERED, object=LOCK)
    story.at(500, 1, KIND.THREAD_END)
    (row,) = story.findings("class_loading")
    assert spent(story, row) == row["impact_ns"] == 65 * MS
    assert len(story.model.evidence(row)) == 7


def carriers(slept: bool) -> Story:
    """Four virtual threads: two begin at once, the others when these have ended."""
    story = with_methods(1)
    for thread in (11, 12, 13, 14):
        story.model.define_thread(thread, "", virtual=True)
        story.at(0, 1, KIND.THREAD_START_CALLED, peer=thread)
        begin = 0.1 if thread < 13 else 100
        story.at(begin, thread, KIND.THREAD_START, peer=1)
        if slept:
            story.at(begin + 1, thread, KIND.SLEEP, stack=SLOW)
            story.at(begin + 98, thread, KIND.SLEPT)
        story.at(begin + 99, thread, KIND.THREAD_END)
    return story.at(200, 1, KIND.THREAD_END)


def test_carriers_of_sleeping_threads_are_kept() -> None:
    (row,) = carriers(slept=True).findings("virtual_threads_pinned")
    assert row["title"] == "2 virtual threads wait for carriers pinned in Lock.slow"
    assert row["impact_ns"] == 2 * 100 * MS
    assert "inferred" in row["caveat"]


def test_evidence_of_kept_carriers_is_the_time_before_the_others_began() -> None:
    story = carriers(slept=True)
    (row,) = story.findings("virtual_threads_pinned")
    assert spent(story, row) == row["impact_ns"]
    assert set(story.model.evidence(row)["thread_id"]) == {13, 14}


def test_carriers_of_running_threads_are_just_busy() -> None:
    assert carriers(slept=False).findings("virtual_threads_pinned") == []


def stragglers(last_ms: float) -> Story:
    """Thread 1 starts three, and waits at a latch for all."""
    story = Story()
    for thread in (2, 3, 4):
        story.at(0, 1, KIND.THREAD_START_CALLED, peer=thread, stack=SLOW)
        story.at(0.1, thread, KIND.THREAD_START, peer=1)
    story.at(1, 1, KIND.PARK, object=QUEUE, stack=TAKE)
    for thread, end in ((2, 100), (3, 110)):
        story.at(end, thread, KIND.THREAD_END)
    story.at(last_ms, 4, KIND.UNPARK_CALLED, peer=1, stack=SLOW)
    story.at(last_ms + 0.1, 1, KIND.UNPARKED, object=QUEUE)
    return story.at(last_ms + 1, 4, KIND.THREAD_END)


def test_the_last_of_several_is_a_straggler() -> None:
    (row,) = stragglers(400).findings("straggler")
    assert row["title"] == "t1 waits for t4, last of 3"
    assert row["impact_ns"] == 290.1 * MS
    assert (row["thread"], row["method"]) == ("t4", "demo.Queue.take")


def test_one_that_had_no_processor_is_no_straggler() -> None:
    story = stragglers(400).at(90, 3, KIND.CPU_WAIT, value=MS)
    story.at(90, 4, KIND.CPU_WAIT, value=250 * MS)
    assert story.findings("straggler") == []


def test_one_that_is_a_little_later_is_no_straggler() -> None:
    assert stragglers(118).findings("straggler") == []
