# SPDX-License-Identifier: Apache-2.0
"""Findings of thread dumps other than locks: waits, reads, processors, pools."""

from pathlib import Path
from typing import Any

import pytest

import threadmodel
from dump_text import (
    ASLEEP,
    BLOCKED,
    PARK,
    PARKED,
    RUNNABLE,
    SLEEP,
    dump,
    thread,
    write,
)

LOCK = "<0x00000000f0000010> (a shop.Till)"
QUEUE = "<0x00000000f0000020> (a java.util.concurrent.SynchronousQueue$TransferQueue)"
CONDITION = (
    "<0x00000000f0000060> "
    "(a java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject)"
)
SHARED = (
    "<0x00000000f0000070> "
    "(a java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync)"
)
READ = "sun.nio.ch.SocketDispatcher.read0(java.base@17.0.12/Native Method)"
WORKER = "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1)"
GET = "java.util.concurrent.FutureTask.get(FutureTask.java:190)"
TASK = "<0x00000000f0000030> (a java.util.concurrent.FutureTask)"


def findings(folder: Path, *dumps: str) -> dict[str, dict[str, Any]]:
    model = threadmodel.open(write(folder, *dumps))
    assert not list(model.critical_path())
    return {row["kind"]: row for row in model.findings()}


def borrower(number: int) -> str:
    return thread(
        f"exec-{number}",
        number,
        PARKED,
        PARK,
        f"- parking to wait for  {QUEUE}",
        "java.util.concurrent.SynchronousQueue.poll(SynchronousQueue.java:902)",
        "shop.Pool.borrow(Pool.java:30)",
        "shop.Orders.handle(Orders.java:12)",
    )


def reader(number: int) -> str:
    return thread(
        f"exec-{number}", number, RUNNABLE, READ, "shop.Orders.query(Orders.java:50)"
    )


def idler(number: int) -> str:
    return thread(
        f"idle-{number}",
        number,
        PARKED,
        PARK,
        f"- parking to wait for  {QUEUE}",
        "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)",
        WORKER,
    )


def taker(number: int, *below: str) -> str:
    return thread(
        f"taker-{number}",
        number,
        PARKED,
        PARK,
        f"- parking to wait for  {CONDITION}",
        "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
        "shop.Pool.take(Pool.java:30)",
        *(
            below
            or ("shop.Mailer.loop(Mailer.java:12)", "shop.Mailer.run(Mailer.java:9)")
        ),
    )


def acceptor(number: int) -> str:
    accept = "sun.nio.ch.Net.accept(java.base@17.0.12/Native Method)"
    poll = "sun.nio.ch.EPoll.wait(java.base@17.0.12/Native Method)"
    call = accept if number % 2 else poll
    return thread(
        f"http-{number}", number, RUNNABLE, call, "shop.Server.serve(Server.java:9)"
    )


def test_one_dump_names_the_thread_that_blocks_others(tmp_path: Path) -> None:
    other = "<0x00000000f0000040> (a shop.Book)"
    found = findings(
        tmp_path,
        dump(
            thread("owner", 10, RUNNABLE, READ, "shop.Till.count(Till.java:5)",
                   f"- locked {LOCK}"),
            thread("clerk", 11, BLOCKED, "shop.Till.sell(Till.java:8)",
                   f"- waiting to lock {LOCK}", f"- locked {other}"),
            thread("guest", 12, BLOCKED, "shop.Book.read(Book.java:3)",
                   f"- waiting to lock {other}"),
        ),
    )  # fmt: skip
    row = found["blocking_thread"]
    assert (row["title"], row["thread"]) == ("owner blocks 2 threads", "owner")
    assert row["waits"] == (
        "clerk wants Till@0xf0000010 in Till.sell:8; guest wants Book@0xf0000040 in "
        "Book.read:3, through clerk."
    )
    assert row["holds"] == "owner waited for a socket in Till.count:5."
    assert not row["suspected"]


def test_a_park_behind_an_owner_in_all_dumps_is_one_for_a_lock(tmp_path: Path) -> None:
    gate = "<0x00000000f0000050> (a java.util.concurrent.locks.ReentrantLock$FairSync)"
    lock = "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)"
    keeper = thread("keeper", 10, ASLEEP, SLEEP, "shop.Gate.keep(Gate.java:5)",
                    synchronizers=[gate])  # fmt: skip
    visitor = thread("visitor", 11, PARKED, PARK, f"- parking to wait for  {gate}",
                     lock, "shop.Gate.pass(Gate.java:8)")  # fmt: skip
    found = findings(tmp_path, dump(keeper, visitor), dump(keeper, visitor, second=5))
    row = found["sampled_block"]
    title = "keeper blocks 1 thread by ReentrantLock$FairSync in several thread dumps"
    assert (row["title"], row["impact_ns"]) == (title, 5 * 10**9)
    assert row["waits"] == (
        "visitor was parked in 2 of 2 dumps at the same line, Gate.pass:8, for "
        "ReentrantLock$FairSync."
    )
    assert "keeper was asleep in Gate.keep:5" in row["holds"]


def test_threads_that_wait_for_nobody_known_are_no_blocked_ones(tmp_path: Path) -> None:
    assert findings(tmp_path, dump(borrower(10), idler(11), acceptor(12))) == {}


def test_the_same_wait_in_all_dumps_and_what_others_read_meanwhile(
    tmp_path: Path,
) -> None:
    seen = (*map(borrower, range(10, 16)), *map(reader, (20, 21)), idler(30))
    found = findings(tmp_path, dump(*seen), dump(*seen, second=5))
    row = found["sampled_wait"]
    assert row["title"] == "6 threads wait in Pool.borrow"
    assert row["suspected"]
    assert (row["impact_ns"], row["bound_ns"]) == (30 * 10**9, 5 * 10**9)
    assert "in 2 of 2 dumps, Pool.borrow:30" in row["waits"]
    assert "2 threads wait for a socket in Orders.query:50" in row["holds"]
    assert found["sampled_io"]["title"] == "2 threads wait for a socket in Orders.query"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([borrower(10)], [borrower(10)]),
        ([borrower(10), borrower(11)], [reader(10), reader(11)]),
        ([idler(10), idler(11)], [idler(10), idler(11)]),
        ([acceptor(10), acceptor(11)], [acceptor(10), acceptor(11)]),
        ([taker(10), taker(11)], [taker(10), taker(11)]),
    ],
    ids=["one thread", "once", "idle", "accept and poll", "own queue"],
)
def test_what_servers_do_is_no_wait(
    tmp_path: Path, first: list[str], second: list[str]
) -> None:
    found = findings(tmp_path, dump(*first), dump(*second, second=5))
    assert "sampled_wait" not in found
    assert "sampled_io" not in found


def test_tasks_that_take_from_a_pool_are_no_consumers(tmp_path: Path) -> None:
    seen = [taker(number, "shop.Orders.handle(Orders.java:12)", WORKER)
            for number in (10, 11)]  # fmt: skip
    found = findings(tmp_path, dump(*seen), dump(*seen, second=5))
    assert found["sampled_wait"]["title"] == "2 threads wait in Pool.take"


@pytest.mark.parametrize(
    ("of", "call"),
    [
        (CONDITION, "java.util.concurrent.ArrayBlockingQueue.put(Queue.java:1)"),
        (SHARED, "java.util.concurrent.locks.ReentrantLock.lock(A.java:1)"),
    ],
    ids=["put", "lock"],
)  # fmt: skip
def test_one_thread_that_cannot_be_idle_is_named(
    tmp_path: Path, of: str, call: str
) -> None:
    seen = thread("giver", 10, PARKED, PARK, f"- parking to wait for  {of}", call,
                  "shop.Orders.give(Orders.java:5)")  # fmt: skip
    found = findings(tmp_path, dump(seen), dump(seen, second=5))
    row = found["sampled_wait"]
    assert row["title"] == "1 thread waits in Orders.give"
    assert row["suspected"]


def test_a_thread_that_burns_a_processor_is_named(tmp_path: Path) -> None:
    def spinner(name: str, number: int, cpu: str) -> str:
        return thread(name, number, RUNNABLE, "shop.Spin.run(Spin.java:7)", cpu=cpu)

    found = findings(
        tmp_path,
        dump(spinner("spins", 10, "500.00ms"), spinner("rests", 11, "9000.00ms")),
        dump(
            spinner("spins", 10, "4500.00ms"),
            spinner("rests", 11, "9100.00ms"),
            second=5,
        ),
    )
    row = found["sampled_processor"]
    assert row["title"] == "spins used a processor for 80 % of the time"
    assert row["impact_ns"] == 4 * 10**9


def waiter(number: int) -> str:
    return thread(
        f"pool-1-thread-{number}",
        number,
        PARKED,
        PARK,
        f"- parking to wait for  {TASK}",
        GET,
        "shop.Jobs.outer(Jobs.java:3)",
        WORKER,
    )


def test_a_pool_whose_threads_all_wait_for_tasks_may_starve_itself(
    tmp_path: Path,
) -> None:
    asleep = thread("main", 1, ASLEEP, SLEEP, "shop.Main.main(Main.java:1)")
    row = findings(tmp_path, dump(asleep, waiter(10), waiter(11)))["pool_starved"]
    assert row["title"] == "All 2 threads of pool-1 wait for tasks"
    assert row["suspected"]


def test_a_pool_with_a_worker_left_is_not_starved(tmp_path: Path) -> None:
    free = idler(12).replace("idle-12", "pool-1-thread-12")
    assert "pool_starved" not in findings(tmp_path, dump(waiter(10), waiter(11), free))


def carrier(number: int, *, carries: bool) -> str:
    name = f"ForkJoinPool-1-worker-{number}"
    lines = ["java.util.concurrent.ForkJoinPool.runWorker(ForkJoinPool.java:1)"]
    if not carries:
        lines = [PARK, "java.util.concurrent.ForkJoinPool.awaitWork(F.java:1)", *lines]
    text = thread(name, number, PARKED, *lines)
    if carries:
        text = text.replace(
            f"java.lang.Thread.State: {PARKED}",
            f"Carrying virtual thread #{100 + number}",
        )
    return text


def test_carriers_that_are_all_taken_are_counted(tmp_path: Path) -> None:
    taken = [carrier(number, carries=True) for number in range(1, 5)]
    model = threadmodel.open(write(tmp_path, dump(*taken)))
    assert "undefined_thread" not in {row["cause"] for row in model.diagnostics()}
    (row,) = (row for row in model.findings() if row["kind"] == "carriers_taken")
    assert row["title"] == "All 4 carriers are taken"
    assert row["waits"].startswith("4 of 4 carriers carry a virtual thread")
    free = findings(tmp_path, dump(*taken, carrier(5, carries=False)))
    assert "carriers_taken" not in free


def test_a_dump_has_no_critical_path(tmp_path: Path) -> None:
    model = threadmodel.open(
        write(tmp_path, dump(reader(10)), dump(reader(10), second=5))
    )
    assert len(model.critical_path()) == 0
    assert any("no critical path" in text for text in model.critical_path().caveats)
    assert list(model.path_rollup(("thread",))) == []
