# SPDX-License-Identifier: Apache-2.0
"""Findings about waits for things outside of the program."""

import pytest

from story import ALL_KINDS, KIND, LOCK, MS, SLOW, TAKE, TRANSFER, Story
from threadmodel import EventFlag, ObjectKind, Run

DB, LOG, CLIENT = 11, 12, 13


def service(wait_ms: float = 8, flags: int = 0, kind: int = ObjectKind.SOCKET) -> Story:
    """Two threads ask a database ten times each and run 2 ms between."""
    story = Story()
    story.model.define_object(DB, 0, name="10.0.0.7:5432", kind=kind)
    for thread in (1, 2):
        for i in range(10):
            at = 10 * i
            where = TRANSFER if i == 9 else SLOW
            story.at(at, thread, KIND.AWAIT, object=DB, stack=where, flags=flags)
            story.at(at + wait_ms, thread, KIND.AWAITED, object=DB, flags=flags)
        story.at(100, thread, KIND.THREAD_END)
    return story


def test_a_service_that_waits_for_its_database_has_a_card() -> None:
    (row,) = service().findings()
    assert row["kind"] == "io_wait"
    assert row["title"] == "2 threads wait for 10.0.0.7:5432 in Lock.slow"
    assert row["waits"] == (
        "2 threads waited 20 times for 10.0.0.7:5432, 160 ms in all, 8.00 ms on "
        "average, most in Lock.slow:10."
    )
    assert row["holds"] == (
        "Of the time in which 2 threads were not idle, that is 80 %; t1 waited "
        "longest, for 80.0 ms."
    )
    assert row["advice"].startswith("Make the other side answer faster")
    assert (row["impact_ns"], row["bound_ns"]) == (160 * MS, 80 * MS)
    assert not row["minor"]
    assert not row["suspected"]


def test_its_evidence_is_the_waits_that_it_adds_up() -> None:
    story = service()
    story.at(100, 3, KIND.AWAIT, object=DB, flags=EventFlag.IDLE)
    story.at(150, 3, KIND.AWAITED, object=DB, flags=EventFlag.IDLE)
    (row,) = story.findings("io_wait")
    found = story.model.evidence(row)
    assert sum(it["end_ns"] - it["start_ns"] for it in found) == row["impact_ns"]


@pytest.mark.parametrize(
    ("flags", "kind"),
    [(EventFlag.IDLE, ObjectKind.SOCKET), (0, ObjectKind.ACCEPT), (0, ObjectKind.POLL)],
)
def test_idle_io_is_never_a_card(flags: int, kind: int) -> None:
    assert service(flags=flags, kind=kind).findings("io_wait") == []


def test_time_in_which_a_thread_was_idle_is_no_part_of_its_share() -> None:
    story = Story()
    story.model.define_object(DB, 0, name="10.0.0.7:5432", kind=ObjectKind.SOCKET)
    story.model.define_object(CLIENT, 0, name="clients", kind=ObjectKind.SOCKET)
    story.at(0, 1, KIND.AWAIT, object=CLIENT, stack=TAKE, flags=EventFlag.IDLE)
    story.at(80, 1, KIND.AWAITED, object=CLIENT, flags=EventFlag.IDLE)
    story.at(80, 1, KIND.AWAIT, object=DB, stack=SLOW)
    story.at(95, 1, KIND.AWAITED, object=DB).at(100, 1, KIND.THREAD_END)
    (row,) = story.findings("io_wait")
    assert row["title"] == "1 thread waits for 10.0.0.7:5432 in Lock.slow"
    assert row["holds"] == "Of the time in which 1 thread was not idle, that is 75 %."


def test_io_of_a_moment_has_no_card() -> None:
    assert service(wait_ms=0.2).findings("io_wait") == []


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        (ObjectKind.FILE, "Read or write more at once"),
        (ObjectKind.NAME, "Keep the addresses of names"),
        (ObjectKind.PROCESS, "Do something else until the process ends"),
    ],
)
def test_the_advice_is_for_the_kind_of_endpoint(kind: int, advice: str) -> None:
    (row,) = service(kind=kind).findings("io_wait")
    assert row["advice"].startswith(advice)


def many(kind: int, endpoints: int) -> Story:
    """Two threads ask one endpoint after the other, at one place."""
    story = Story()
    for i in range(endpoints):
        name = f"host-{i}.example"
        story.model.define_object(20 + i, 0, name=name, kind=kind)
    for thread in (1, 2):
        for i in range(40):
            thing, at = 20 + i % endpoints, 10 * i
            story.at(at, thread, KIND.AWAIT, object=thing, stack=SLOW)
            story.at(at + 8, thread, KIND.AWAITED, object=thing)
        story.at(400, thread, KIND.THREAD_END)
    return story


def test_many_endpoints_that_one_place_asks_are_one_cause() -> None:
    (row,) = many(ObjectKind.NAME, 40).findings()
    assert row["title"] == "2 threads wait for 40 host names in Lock.slow"
    assert row["waits"] == (
        "2 threads waited 80 times for 40 host names in Lock.slow:10, 640 ms in all, "
        "8.00 ms on average, 99 % of them for 8.00 ms at most."
    )
    assert row["object"] is None
    assert row["gain_ns"] == pytest.approx(320 * MS, rel=0.05)


def test_the_evidence_of_many_is_the_waits_that_it_adds_up() -> None:
    story = many(ObjectKind.FILE, 40)
    (row,) = story.findings("io_wait")
    assert "40 files" in row["title"]
    found = story.model.evidence(row)
    assert sum(it["end_ns"] - it["start_ns"] for it in found) == row["impact_ns"]


def test_a_few_endpoints_have_a_card_each() -> None:
    rows = many(ObjectKind.SOCKET, 4).findings("io_wait")
    assert {row["object"] for row in rows} == {f"host-{i}.example" for i in range(4)}


def requests(flags: int) -> Story:
    """Each unit reads from a connection for 9 of 10 ms, and writes to it."""
    story = Story()
    story.model.define_object(CLIENT, 0, name="clients of :80", kind=ObjectKind.SOCKET)
    for i in range(25):
        at = 10 * i
        story.at(at, 1, KIND.UNIT_BEGIN, object=LOCK)
        story.at(at, 1, KIND.AWAIT, object=CLIENT, stack=SLOW, flags=flags)
        story.at(at + 9, 1, KIND.AWAITED, object=CLIENT, flags=flags)
        story.at(at + 9.1, 1, KIND.AWAIT, object=CLIENT, stack=SLOW)
        story.at(at + 9.3, 1, KIND.AWAITED, object=CLIENT)
        story.at(at + 9.9, 1, KIND.UNIT_END)
    return story.at(250, 1, KIND.THREAD_END)


@pytest.mark.parametrize("flags", [0, EventFlag.IDLE])
def test_units_are_not_bound_by_idle_io(flags: int) -> None:
    story = requests(flags)
    story.findings()
    (row,) = story.model.verdict()
    assert (row["kind"] == "bound") == (not flags)


def looked_for(story: Story, *kinds: int) -> bool:
    story.model.define_run(
        Run(start_ns=1, kinds=ALL_KINDS, object_kinds=frozenset(kinds))
    )
    story.findings()
    rows = {row["kind"]: row for row in story.model.finding_kinds()}
    assert rows["io_wait"]["looked_for"] == rows["held_while_io"]["looked_for"]
    return bool(rows["io_wait"]["looked_for"])


def semaphore() -> Story:
    story = Story()
    story.model.define_object(DB, 0, kind=ObjectKind.SEMAPHORE)
    story.at(0, 1, KIND.AWAIT, object=DB, stack=SLOW).at(50, 1, KIND.AWAITED, object=DB)
    return story


def test_who_awaits_semaphores_alone_has_not_recorded_io() -> None:
    assert not looked_for(semaphore())
    assert not looked_for(semaphore(), ObjectKind.SEMAPHORE)


def test_a_producer_may_record_io_although_there_was_none() -> None:
    assert looked_for(semaphore(), ObjectKind.SEMAPHORE, ObjectKind.SOCKET)
    assert looked_for(service())


def tasks(wait_ms: float) -> Story:
    """Fifty units of 10 ms that ask a database, while thread 2 reads from a pipe."""
    story = Story()
    story.model.define_object(DB, 0, name="10.0.0.7:5432", kind=ObjectKind.SOCKET)
    story.model.define_object(LOG, 0, name="a pipe", kind=ObjectKind.FILE)
    story.at(0, 2, KIND.AWAIT, object=LOG, stack=TAKE)
    for i in range(50):
        at = 10 * i
        story.at(at, 1, KIND.UNIT_BEGIN, object=LOCK)
        story.at(at, 1, KIND.AWAIT, object=DB, stack=SLOW)
        story.at(at + wait_ms, 1, KIND.AWAITED, object=DB)
        story.at(at + 9.9, 1, KIND.UNIT_END)
    story.at(490, 2, KIND.AWAITED, object=LOG).at(500, 2, KIND.THREAD_END)
    return story.at(500, 1, KIND.THREAD_END)


def test_where_units_do_the_work_the_io_of_other_threads_has_no_card() -> None:
    (row,) = tasks(wait_ms=8).findings("io_wait")
    assert row["title"] == "1 thread waits for 10.0.0.7:5432 in Lock.slow"
    assert tasks(wait_ms=0.1).findings("io_wait") == []
