# SPDX-License-Identifier: Apache-2.0
"""Blame of waits for resources without an owner: the users of a pool."""

import random_runs
from threadmodel import Event, EventKind, Model, Selection

MS = 1_000_000


def three_users() -> Model:
    """A pool of one connection: 1 has it from the start, 2 and 3 get it in turn."""
    model = Model()
    random_runs.define(model, 4, 2)
    take, give = 1, 2
    park, unparked = EventKind.PARK, EventKind.UNPARKED
    unpark = EventKind.UNPARK_CALLED
    model.ingest(
        [
            *(Event(1, thread, EventKind.THREAD_START) for thread in (1, 2, 3, 4)),
            Event(1 + 1 * MS, 2, park, object=100, stack=take),
            Event(1 + 2 * MS, 3, park, object=100, stack=take),
            Event(1 + 4 * MS, 1, unpark, peer=2, stack=give),
            Event(1 + 5 * MS, 2, unparked, object=100),
            Event(1 + 6 * MS, 4, park, object=100, stack=take),
            Event(1 + 9 * MS, 2, unpark, peer=3, stack=give),
            Event(1 + 10 * MS, 3, unparked, object=100),
            Event(1 + 14 * MS, 3, unpark, peer=4, stack=give),
            Event(1 + 15 * MS, 4, unparked, object=100),
        ]
    )
    return model


def test_a_wait_is_blamed_on_who_had_the_connection() -> None:
    rows = three_users().blame(of="resources", selection=Selection(threads=[3]))
    shares = [
        (row["start_ns"] // MS, row["end_ns"] // MS, row["share"], row["owner_id"])
        for row in rows
    ]
    assert shares == [
        (2, 4, "owner", 1),
        (4, 5, "latency", None),
        (5, 9, "owner", 2),
        (9, 10, "latency", None),
    ]


def test_users_are_named_whichever_threads_are_asked_about() -> None:
    model = three_users()
    whole = [row for row in model.blame(of="resources") if row["thread_id"] == 4]
    assert whole == list(model.blame(of="resources", selection=Selection(threads=[4])))
    cut = Selection(threads=[4], window=(8 * MS, 12 * MS))
    rows = list(model.blame(of="resources", selection=cut))
    assert [(r["start_ns"] // MS, r["end_ns"] // MS, r["owner_id"]) for r in rows] == [
        (8, 9, 2),
        (9, 10, None),
        (10, 12, 3),
    ]


def test_blame_of_resources_adds_up_by_user_and_place() -> None:
    rows = three_users().blame(("owner", "owner_method"), of="resources")
    sums = {row["owner_id"]: row for row in rows}
    # 1 is waited for by 2 and 3; 2 by 3 and 4; 3 by 4.
    assert {
        owner: (row["total_ns"] // MS, row["count"]) for owner, row in sums.items()
    } == {1: (3 + 2, 2), 2: (4 + 3, 2), 3: (4, 1), None: (1 + 2 + 2, 3)}
    assert sums[None]["latency_ns"] == 5 * MS
    assert sums[1]["owner_method"] is None
    assert sums[2]["owner_method"] == "app.B.m1"


def test_statistics_know_how_long_a_released_permit_was_nobodys() -> None:
    rows = list(three_users().statistics(("thread", "latency")))
    assert sum(row["parked_latency_ns"] for row in rows) == 5 * MS
    assert all(row["parked_latency_ns"] <= row["parked_total_ns"] for row in rows)
    assert "parked_latency_ns" not in three_users().statistics(("thread",)).columns


def test_the_path_knows_how_long_a_released_permit_was_nobodys() -> None:
    path = three_users().critical_path(thread=4)
    latency = [row for row in path if row["latency"]]
    # 4 was released at 14 and went on at 15, 3 before it at 9 and 10, 2 at 4 and 5.
    assert [
        (r["thread_id"], r["start_ns"] // MS, r["end_ns"] // MS) for r in latency
    ] == [
        (2, 4, 5),
        (3, 9, 10),
        (4, 14, 15),
    ]
    sums = three_users().path_rollup("state", thread=4)
    assert {
        row["state"]: row["latency_ns"] // MS for row in sums if row["latency_ns"]
    } == {"parked": 3}
