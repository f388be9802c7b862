# SPDX-License-Identifier: Apache-2.0
"""Workers that wait with a time limit, or for an answer, until the recording ends: none
is stuck, and the first line names the object of the wait. Workers that wait for the
program itself are starved."""

from typing import Any

import pytest

from threadmodel import (
    Ending,
    Event,
    EventFlag,
    EventKind,
    Frame,
    Model,
    ObjectKind,
    Run,
)

KIND = EventKind
MS = 1_000_000
IDLE, CALL, OTHER = 1, 2, 3
PERMITS, REMOTE, OWN, LISTENER, QUEUE = 10, 11, 12, 13, 14
RUN = [
    ("java.util.concurrent.ThreadPoolExecutor", "runWorker"),
    ("java.lang.Thread", "run"),
]
PARK = ("jdk.internal.misc.Unsafe", "park")
STACKS = {
    IDLE: [PARK, ("java.util.concurrent.ThreadPoolExecutor", "getTask"), *RUN],
    CALL: [PARK, ("app.Pool", "take"), ("app.Orders", "order"), *RUN],
    OTHER: [PARK, ("app.Report", "write"), *RUN],
}
LIMIT = {"object": PERMITS, "value": 30_000 * MS}


class Pool:
    """Workers of a service, and the objects of their waits."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.names: dict[int, str] = {}

    def at(self, ms: float, thread: int, kind: EventKind, **values: Any) -> None:
        self.events.append(Event(1 + round(ms * MS), thread, kind, **values))

    def workers(self, name: str, first: int, count: int) -> range:
        """Start threads that have waited for work, until 100 ms."""
        threads = range(first, first + count)
        for number, thread in enumerate(threads):
            self.names[thread] = f"{name}-{number}"
            self.at(0, thread, KIND.THREAD_START)
            self.at(1, thread, KIND.PARK, object=QUEUE, stack=IDLE)
            self.at(100, thread, KIND.UNPARKED)
        return threads

    def waits(self, ms: float, thread: int, to_ms: float = 0, **values: Any) -> None:
        kind = KIND.AWAIT if values["object"] != PERMITS else KIND.PARK
        self.at(ms, thread, kind, **{"stack": CALL} | values)
        if to_ms:
            ended = KIND.AWAITED if kind == KIND.AWAIT else KIND.UNPARKED
            late = to_ms - ms >= values.get("value", 1e18) / MS
            flags = EventFlag.TIMED_OUT if late else 0
            self.at(to_ms, thread, ended, flags=flags, object=values["object"])

    def idles(self, ms: float, thread: int, to_ms: float = 0) -> None:
        self.at(ms, thread, KIND.PARK, object=QUEUE, stack=IDLE)
        if to_ms:
            self.at(to_ms, thread, KIND.UNPARKED)

    def model(self, end_ms: float, ending: Ending = Ending.SIGNALLED) -> Model:
        """Return the recording, which ends when the program is killed."""
        model = Model()
        kinds = frozenset(KIND)
        model.define_run(Run(start_ns=1, kinds=kinds))
        methods: dict[tuple[str, str], int] = {}
        for stack, frames in STACKS.items():
            for frame in frames:
                if frame not in methods:
                    methods[frame] = len(methods) + 1
                    model.define_class(methods[frame], frame[0])
                    model.define_method(methods[frame], methods[frame], frame[1])
            model.define_stack(stack, [Frame(methods[frame]) for frame in frames])
        model.define_class(99, "app.Connection")
        model.define_object(PERMITS, 99)
        for thing, kind, name in (
            (REMOTE, ObjectKind.SOCKET, "10.0.0.7:80"),
            (OWN, ObjectKind.SOCKET, "127.0.0.1:8080"),
            (LISTENER, ObjectKind.ACCEPT, "connections to :8080"),
        ):
            model.define_object(thing, 99, kind=kind, name=name)
        for thread, name in self.names.items():
            model.define_thread(thread, name)
        model.ingest(sorted(self.events, key=lambda event: event.time_ns))
        model.define_run(Run(end_ns=1 + round(end_ms * MS), ending=ending, kinds=kinds))
        return model


def verdict(pool: Pool, end_ms: float = 5000) -> dict[str, Any]:
    model = pool.model(end_ms)
    (row,) = model.verdict()
    return {**row, "members": {str(it["thread"]) for it in model.verdict_members()}}


def test_the_first_line_names_what_all_wait_for_with_a_limit() -> None:
    pool = Pool()
    for number, worker in enumerate(pool.workers("exec", 1, 3)):
        pool.waits(200 + 10 * number, worker, **LIMIT)
    row = verdict(pool)
    assert (row["kind"], row["suspected"], row["members"]) == ("bound", False, set())
    assert row["title"] == (
        "Bound since 220 ms by waits for Connection in Pool.take, called by "
        "Orders.order: all 3 threads that are in a task wait there, and none has gone "
        "on."
    )
    assert row["text"].startswith(
        "exec-0 has waited for 4.80 s. The waits have a time limit."
    )
    assert row["since_ns"] == pytest.approx(220 * MS, abs=MS)
    assert (row["thread"], row["method"]) == ("exec-0", "app.Pool.take")
    assert "never given back" in row["advice"]


def test_the_first_line_names_the_endpoint_that_does_not_answer() -> None:
    pool = Pool()
    first, second, third = pool.workers("exec", 1, 3)
    pool.waits(110, first, 115, object=REMOTE)
    for worker in (first, second):
        pool.waits(200, worker, object=REMOTE)
    pool.waits(200, third, stack=OTHER, **LIMIT)
    row = verdict(pool)
    assert row["title"] == (
        "Bound since 200 ms by I/O with 10.0.0.7:80 in Pool.take: 2 of 3 threads that "
        "are in a task wait there, and none has gone on."
    )
    assert "an earlier wait there took 5.00 ms" in row["text"]
    assert row["object"] == "10.0.0.7:80"


def test_waits_whose_tasks_failed_are_not_the_usual_ones() -> None:
    pool = Pool()
    limit = {"object": PERMITS, "value": 1000 * MS}
    for worker in pool.workers("exec", 1, 2):
        for ms in (200, 1300, 2400):
            pool.waits(ms, worker, ms + 1000, **limit)
            pool.idles(ms + 1001, worker, ms + 1050)
        pool.waits(3500, worker, **limit)
    assert verdict(pool)["since_ns"] == pytest.approx(3500 * MS, abs=MS)


def polls() -> Pool:
    """Return tasks that wait for a while again and again."""
    pool = Pool()
    for worker in pool.workers("exec", 1, 2):
        for ms in (200, 1700):
            pool.waits(ms, worker, ms + 1500, object=PERMITS, value=1500 * MS)
        pool.waits(3201, worker, object=PERMITS, value=1500 * MS)
    return pool


def usual() -> Pool:
    """Return a recording that ends during waits like earlier ones."""
    pool = Pool()
    for worker in pool.workers("exec", 1, 2):
        pool.waits(200, worker, 2000, object=REMOTE)
        pool.waits(2500, worker, object=REMOTE)
    return pool


def few() -> Pool:
    """Return a service most of whose workers do something else."""
    pool = Pool()
    for worker in list(pool.workers("exec", 1, 6))[:2]:
        pool.waits(200, worker, object=REMOTE)
    return pool


def without_work() -> Pool:
    pool = Pool()
    for worker in pool.workers("exec", 1, 4):
        pool.idles(200, worker)
    return pool


@pytest.mark.parametrize("pool", [polls(), usual(), few(), without_work()])
def test_others_are_not_accused(pool: Pool) -> None:
    row = verdict(pool)
    assert row["kind"] in ("healthy", "idle")
    assert row["since_ns"] is None


def calls_itself(**values: Any) -> Pool:
    pool = Pool()
    pool.names[50] = "acceptor"
    pool.at(0, 50, KIND.THREAD_START)
    pool.at(1, 50, KIND.AWAIT, object=LISTENER, stack=OTHER, flags=EventFlag.IDLE)
    for number, worker in enumerate(pool.workers("exec", 1, 3)):
        pool.waits(200 + 10 * number, worker, object=OWN, **values)
    return pool


def test_requests_that_need_another_worker_each_starve() -> None:
    row = verdict(calls_itself())
    assert (row["kind"], row["suspected"]) == ("starved", True)
    assert row["members"] == {"exec-0", "exec-1", "exec-2"}
    assert row["since_ns"] == pytest.approx(220 * MS, abs=MS)
    assert "has waited for 127.0.0.1:8080 in Pool.take since 200 ms" in row["text"]
    assert "where this program answers" in row["text"]
    assert "own service" in row["advice"]


def with_a_free_worker() -> Pool:
    pool = calls_itself()
    (worker,) = pool.workers("exec", 9, 1)
    pool.idles(150, worker)
    return pool


def with_a_busy_worker() -> Pool:
    pool = calls_itself()
    (worker,) = pool.workers("exec", 9, 1)
    pool.waits(150, worker, object=REMOTE)
    return pool


def with_another_pool() -> Pool:
    """Return a service whose requests to itself another pool may be answering."""
    pool = calls_itself()
    (worker,) = pool.workers("admin", 9, 1)
    pool.at(300, worker, KIND.SLEEP, stack=OTHER)
    return pool


@pytest.mark.parametrize(
    "pool", [with_a_free_worker(), with_a_busy_worker(), with_another_pool()]
)
def test_requests_that_another_thread_may_answer_do_not_starve(pool: Pool) -> None:
    row = verdict(pool)
    assert (row["kind"], row["members"]) == ("bound", set())
    assert row["title"].startswith("Bound since 220 ms by I/O with 127.0.0.1:8080")


def test_a_request_of_a_moment_does_not_starve() -> None:
    assert verdict(calls_itself(), 900)["members"] == set()


def test_what_comes_after_a_shutdown_has_begun_is_not_counted() -> None:
    pool = Pool()
    for worker in pool.workers("exec", 1, 2):
        pool.at(150, worker, KIND.OFF_CPU)
        pool.at(180, worker, KIND.ON_CPU)
        for ms in range(300, 4000, 100):
            pool.at(ms, worker, KIND.OFF_CPU)
            pool.at(ms + 90, worker, KIND.ON_CPU)
    pool.at(200, 1, KIND.SHUTDOWN)
    model = pool.model(5000, Ending.EXITED)
    (row,) = model.verdict()
    assert row["title"] == (
        "Bound by processors: 2 threads could run and had none for 30 % of the time in "
        "which they were not idle."
    )
