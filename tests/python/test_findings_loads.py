# SPDX-License-Identifier: Apache-2.0
"""Causes that are worth a card under load: time that requests lose to others.

Time that a request would need if it were alone is not lost, however long it takes. The
programs are simulated, so the cause of each wait is known.
"""

import random
from typing import Any

import pytest

from service import MS, US, Service
from threadmodel import Event, EventKind, Frame, Model, Run

KIND = EventKind
SENDER, FIRST_CLIENT = 1, 10
BATCHES, SEND, ANSWER, AWAIT = 1, 2, 3, 4
STACKS = {
    BATCHES: [("java.lang.Thread", "sleep"), ("app.Sender", "batches")],
    SEND: [("java.lang.Thread", "sleep"), ("app.Sender", "send")],
    ANSWER: [("java.lang.Thread", "sleep"), ("app.Client", "answer")],
    AWAIT: [("jdk.internal.misc.Unsafe", "park"), ("app.Client", "acknowledged")],
}


class Clients:
    """Clients of one process, which serve requests of their own until a given time.

    The answer to a request is a sleep; if there is a sender, the request then waits for
    it. The sender may linger; it sends all waiting answers at once.
    """

    def __init__(
        self,
        count: int = 8,
        *,
        answer_ms: float = 2,
        linger_ms: float | None = None,
        each: int = 0,
        slow: int = 0,
        seconds: float = 2,
    ) -> None:
        """Run it.

        Each client serves so many requests, if that is not 0, however long they take.
        So many slow clients take six times as long to answer.
        """
        self.random = random.Random(1)
        self.events: list[Event] = []
        self.end = round(seconds * 1000 * MS)
        self.log: list[int] = []
        now = dict.fromkeys(range(FIRST_CLIENT, FIRST_CLIENT + count), 0)
        made = dict.fromkeys(now, 0)
        waiting: dict[int, int] = {}
        free = 0
        for client in now:
            self.emit(0, client, KIND.THREAD_START)
        while now or waiting:
            client = min(now, key=lambda it: now[it]) if now else 0
            sends = max(free, min(waiting.values())) if waiting else 0
            if waiting and (not now or now[client] > sends + self.linger(linger_ms)):
                free = self.sends(waiting, sends, linger_ms, now)
                continue
            start = now.pop(client)
            if start > self.end if not each else made[client] == each:
                self.emit(start, client, KIND.THREAD_END)
                continue
            made[client] += 1
            self.emit(start, client, KIND.UNIT_BEGIN, value=client)
            at = start + self.sleeps(
                start + US,
                client,
                ANSWER,
                answer_ms * (6 if client < FIRST_CLIENT + slow else 1),
            )
            self.log.append(start)
            if linger_ms is None:
                self.emit(at + US, client, KIND.UNIT_END)
                now[client] = at + 2 * US
            else:
                self.emit(at + US, client, KIND.PARK, object=client, stack=AWAIT)
                waiting[client] = at + US

    def linger(self, linger_ms: float | None) -> int:
        return round((linger_ms or 0) * MS)

    def sends(
        self,
        waiting: dict[int, int],
        start: int,
        linger_ms: float | None,
        now: dict[int, int],
    ) -> int:
        """Send all waiting answers; return when the sender is free again."""
        at = start + 10 * US
        if linger_ms:
            at += self.sleeps(at, SENDER, BATCHES, linger_ms, vary=0)
        at += self.sleeps(at + US, SENDER, SEND, 1, vary=0) + 2 * US
        for client in [it for it, since in waiting.items() if since <= start]:
            self.emit(at, SENDER, KIND.UNPARK_CALLED, peer=client, stack=SEND)
            self.emit(at + 20 * US, client, KIND.UNPARKED)
            self.emit(at + 30 * US, client, KIND.UNIT_END)
            del waiting[client]
            now[client] = at + 40 * US
            at += US
        return at

    def emit(self, now: int, thread: int, kind: EventKind, **fields: Any) -> None:
        self.events.append(Event(1 + now, thread, kind, **fields))

    def sleeps(
        self, now: int, thread: int, stack: int, ms: float, vary: float = 0.4
    ) -> int:
        length = round(ms * MS * self.random.uniform(1 - vary, 1 + vary))
        self.emit(now, thread, KIND.SLEEP, stack=stack)
        self.emit(now + length, thread, KIND.SLEPT)
        return length

    def model(self) -> Model:
        """Return the model of the recording."""
        model = Model()
        model.define_run(Run(start_ns=1, kinds=frozenset(EventKind), processors=4))
        number = 0
        for stack, frames in STACKS.items():
            lines = []
            for class_name, method in frames:
                number += 1
                model.define_class(number, class_name)
                model.define_method(number, number, method)
                lines.append(Frame(number))
            model.define_stack(stack, lines)
        threads = sorted({event.thread for event in self.events})
        model.define_class(100, "app.Acknowledgement")
        for thread in threads:
            model.define_thread(thread, f"client-{thread}")
            model.define_object(thread, 100)
        model.ingest(sorted(self.events, key=lambda event: event.time_ns))
        return model


def above(model: Model) -> list[str]:
    """Return the titles of all cards above the line."""
    return [row["title"] for row in model.findings() if not row["minor"]]


def of_method(model: Model, method: str) -> dict[str, Any]:
    """Return the first card that names a method."""
    return next(
        row
        for row in model.findings()
        if method in f"{row['method']} {row['title']} {row['text']}"
    )


def test_permits_that_requests_hardly_queue_for_have_no_card() -> None:
    service = Service(permits=9, seconds=3)
    free = Service(seconds=3)
    assert len(service.log) > 0.75 * len(free.log)
    assert above(service.model()) == []
    assert above(Service(permits=3, seconds=3).model()) != []


def test_a_lock_for_which_requests_queue_after_a_long_start_has_a_card() -> None:
    model = Service(4, hold_ms=3, loads_ms=3000, seconds=3.5).model()
    (row,) = [it for it in model.findings() if it["class"] == "app.Stock"]
    assert row["bound_ns"] < model.length_ns / 20
    assert not row["minor"]


def test_classes_that_are_loaded_before_the_load_are_below_the_line() -> None:
    start = Service(loads_ms=200, seconds=3).model()
    (row,) = [it for it in start.findings() if it["kind"] == "class_loading"]
    assert row["minor"]
    each = Service(loads_ms=4, loads_each=True, seconds=3).model()
    (row,) = [it for it in each.findings() if it["kind"] == "class_loading"]
    assert not row["minor"]


def test_a_worker_that_wakes_the_next_one_submits_nothing() -> None:
    service = Service(permits=3, cascades=0.8, seconds=3)
    assert (
        "% of the time of requests goes there"
        in of_method(service.model(), "app.Pool.borrow")["gain"]
    )


def test_requests_own_sleeps_are_no_trouble_of_a_load() -> None:
    model = Clients().model()
    row = of_method(model, "app.Client.answer")
    assert row["kind"] == "sleep_on_critical_path"
    assert row["gain"] == (
        "0 % of the time of units of work is lost to others there: what they do "
        "themselves takes more."
    )
    assert above(model) == []


def test_sleeps_that_a_run_is_longer_by_have_a_card() -> None:
    model = Clients(each=300).model()
    (title,) = above(model)
    assert "Client.answer" in title


def test_a_sender_that_lingers_has_a_card_and_what_is_gained_by_its_sleeps() -> None:
    model = Clients(linger_ms=10, slow=2).model()
    row = model.findings()[0]
    assert (row["kind"], row["minor"]) == ("resource_wait", False)
    assert "Make the sleep in Sender.batches shorter" in row["advice"]
    low, high = (len(Clients(linger_ms=linger_ms, slow=2).log) for linger_ms in (10, 0))
    assert row["gain_ns"] == pytest.approx((1 - low / high) * 2e9, rel=0.25)


def test_a_sender_that_takes_at_once_has_no_card() -> None:
    assert above(Clients(linger_ms=0).model()) == []
