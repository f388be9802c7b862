# SPDX-License-Identifier: Apache-2.0
"""A small world of threads and fair locks, simulated to the nanosecond.

Programs are generators that yield their steps. A monitor goes to the thread that has
queued longest, and only time decides, so that a run with shorter holds is the truth for
what-if. Events are emitted as a JVM reports them, without enters that do not block and
without exits.
"""

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

from threadmodel import Event, EventFlag, EventKind, Run, Sink

Steps = Generator[tuple[Any, ...], None, None]
Program = Callable[["World"], Steps]
K = EventKind
ALL_KINDS = frozenset(int(kind) for kind in EventKind)


@dataclass
class Lock:
    id: int
    owner: "Thread | None" = None
    queue: deque["Thread"] = field(default_factory=deque)
    waiters: deque["Thread"] = field(default_factory=deque)


@dataclass
class Thread:
    id: int
    program: Any
    held: list[Lock] = field(default_factory=list)
    permit: bool = False
    parked: bool = False
    waiting: bool = False
    ended: bool = False
    joiners: list["Thread"] = field(default_factory=list)


class World:
    """Runs programs. Thread 1 exists from the beginning, and starts the others.

    Args:
        programs: by thread id, from 1
        scaled: ids of locks under which all work and sleep takes ``factor`` times as
            long
        factor: see scaled
    """

    def __init__(
        self,
        programs: dict[int, Program],
        scaled: Iterable[int] = (),
        factor: float = 1.0,
    ) -> None:
        self.now = 0
        self.events: list[Event] = []
        self.scaled = set(scaled)
        self.factor = factor
        self._heap: list[tuple[int, int, Thread]] = []
        self._order = itertools.count()
        self.locks: dict[int, Lock] = {}
        self.threads = {
            id: Thread(id, program(self)) for id, program in programs.items()
        }
        self._emit(self.threads[1], K.THREAD_START)
        self._go_on(self.threads[1])
        while self._heap:
            self.now, _, thread = heapq.heappop(self._heap)
            self._step(thread)

    @property
    def length_ns(self) -> int:
        return self.events[-1].time_ns - self.events[0].time_ns

    def fill(self, sink: Sink) -> None:
        sink.define_run(Run(policy=1, kinds=ALL_KINDS))
        for id in self.locks:
            sink.define_class(id, f"app.Lock{id}")
            sink.define_object(id, id)
        for id in self.threads:
            sink.define_thread(id, f"thread-{id}")
        sink.ingest(self.events)

    def _lock(self, id: int) -> Lock:
        return self.locks.setdefault(id, Lock(id))

    def _emit(self, thread: Thread, kind: EventKind, **fields: int) -> None:
        self.events.append(Event(1000 + self.now, thread.id, kind, **fields))

    def _go_on(self, thread: Thread, delay: int = 0) -> None:
        heapq.heappush(self._heap, (self.now + delay, next(self._order), thread))

    def _duration(self, thread: Thread, ns: int) -> int:
        if any(lock.id in self.scaled for lock in thread.held):
            return round(ns * self.factor)
        return ns

    def _step(self, thread: Thread) -> None:
        if thread.waiting == "sleep":
            thread.waiting = False
            self._emit(thread, K.SLEPT, flags=EventFlag.TIMED_OUT)
        elif thread.waiting == "start":
            thread.waiting = False
            self._emit(thread, K.THREAD_START)
        while True:
            try:
                what, *arguments = next(thread.program)
            except StopIteration:
                self._end(thread)
                return
            if not getattr(self, f"_do_{what}")(thread, *arguments):
                return

    def _end(self, thread: Thread) -> None:
        thread.ended = True
        self._emit(thread, K.THREAD_END)
        for joiner in thread.joiners:
            self._emit(joiner, K.JOINED, peer=thread.id)
            self._go_on(joiner)

    def _do_work(self, thread: Thread, ns: int) -> bool:
        self._go_on(thread, self._duration(thread, ns))
        return False

    def _do_sleep(self, thread: Thread, ns: int) -> bool:
        self._emit(thread, K.SLEEP, value=ns)
        thread.waiting = "sleep"
        self._go_on(thread, self._duration(thread, ns))
        return False

    def _do_enter(self, thread: Thread, id: int) -> bool:
        lock = self._lock(id)
        if lock.owner is None:
            lock.owner = thread
            thread.held.append(lock)
            return True
        self._emit(
            thread,
            K.CONTENDED_ENTER,
            object=id,
            peer=lock.owner.id,
            flags=EventFlag.PEER_REPORTED,
        )
        lock.queue.append(thread)
        return False

    def _release(self, thread: Thread, lock: Lock) -> None:
        thread.held.remove(lock)
        lock.owner = None
        if lock.queue:
            heir = lock.queue.popleft()
            lock.owner = heir
            heir.held.append(lock)
            kind = K.WAITED if heir.waiting else K.CONTENDED_ENTERED
            heir.waiting = False
            self._emit(heir, kind, object=lock.id)
            self._go_on(heir)

    def _do_exit(self, thread: Thread, id: int) -> bool:
        self._release(thread, self._lock(id))
        return True

    def _do_wait(self, thread: Thread, id: int) -> bool:
        lock = self._lock(id)
        self._emit(thread, K.WAIT, object=id)
        thread.waiting = True
        lock.waiters.append(thread)
        self._release(thread, lock)
        return False

    def _do_notify(self, thread: Thread, id: int) -> bool:
        lock = self._lock(id)
        self._emit(thread, K.NOTIFY, object=id)
        if lock.waiters:
            lock.queue.append(lock.waiters.popleft())
        return True

    def _do_notify_all(self, thread: Thread, id: int) -> bool:
        lock = self._lock(id)
        self._emit(thread, K.NOTIFY_ALL, object=id)
        lock.queue.extend(lock.waiters)
        lock.waiters.clear()
        return True

    def _do_start(self, thread: Thread, id: int) -> bool:
        self._emit(thread, K.THREAD_START_CALLED, peer=id)
        self.threads[id].waiting = "start"
        self._go_on(self.threads[id], 3)
        return True

    def _do_join(self, thread: Thread, id: int) -> bool:
        if self.threads[id].ended:
            return True
        self._emit(thread, K.JOIN, peer=id)
        self.threads[id].joiners.append(thread)
        return False

    def _do_park(self, thread: Thread) -> bool:
        self._emit(thread, K.PARK)
        if thread.permit:
            thread.permit = False
            self._emit(thread, K.UNPARKED)
            return True
        thread.parked = True
        return False

    def _do_unpark(self, thread: Thread, id: int) -> bool:
        target = self.threads[id]
        self._emit(thread, K.UNPARK_CALLED, peer=id)
        if target.parked:
            target.parked = False
            self._emit(target, K.UNPARKED)
            self._go_on(target)
        else:
            target.permit = True
        return True


def started_by_main(workers: dict[int, Program]) -> dict[int, Program]:
    """Add a thread 1 that starts the workers and joins them all."""

    def main(world: World) -> Generator[tuple[Any, ...], None, None]:
        for id in workers:
            yield "work", 2
            yield "start", id
        for id in workers:
            yield "join", id

    return {1: main, **workers}
