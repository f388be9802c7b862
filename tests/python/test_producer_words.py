# SPDX-License-Identifier: Apache-2.0
"""Facts of a runtime that a producer in Python states, through a trace."""

from pathlib import Path

import pytest

import threadmodel
from threadmodel import Event, EventKind, ObjectKind, Run, Sink, Writer

LOCKED, TAKEN = 1, 2
REPORTED = (
    EventKind.ACQUIRED,
    EventKind.RELEASED,
    EventKind.CONTENDED_ENTER,
    EventKind.CONTENDED_ENTERED,
)


def produce(sink: Sink) -> None:
    sink.define_run(Run(kinds=REPORTED))
    sink.define_class(1, "rt.sync", library=True)
    sink.define_class(2, "shop", build_id="5f0e12ab")
    sink.define_method(1, 1, "lock")
    sink.define_method(2, 2, "pay")
    sink.define_method(3, 2, "next", idles=True)
    sink.define_stack(LOCKED, [(1, -1), (2, -1)])
    sink.define_stack(TAKEN, [(3, -1)])
    sink.define_thread(1, "till")
    sink.define_thread(2, "worker", pid=4711)
    sink.define_object(5, 2, name="orders.lock", kind=ObjectKind.MUTEX)
    sink.define_object(6, 2, kind=ObjectKind.CHANNEL)
    sink.ingest(
        [
            Event(10, 1, EventKind.ACQUIRED, object=5, stack=LOCKED),
            Event(20, 2, EventKind.CONTENDED_ENTER, object=5, peer=1, stack=LOCKED),
            Event(60, 1, EventKind.RELEASED, object=5),
            Event(61, 2, EventKind.CONTENDED_ENTERED, object=5),
            Event(70, 2, EventKind.RELEASED, object=5),
            Event(80, 2, EventKind.AWAIT, object=6, stack=TAKEN),
            Event(95, 2, EventKind.AWAITED, object=6),
        ]
    )


@pytest.fixture
def model(tmp_path: Path) -> threadmodel.Model:
    path = tmp_path / "run.tmt"
    with Writer(path) as writer:
        produce(writer)
    return threadmodel.open(path)


def test_answers_follow_the_producers_words(model: threadmodel.Model) -> None:
    assert {(row["object"], row["kind"]) for row in model.holds()} == {
        ("orders.lock", "mutex")
    }
    (blamed,) = [row for row in model.blame() if row["share"] == "owner"]
    assert (blamed["object"], blamed["method"]) == ("orders.lock", "shop.pay")
    waits = {row["state"]: row for row in model.timeline() if row["object"]}
    assert waits["waiting"]["idle"]
    assert not waits["blocked"]["idle"]
    assert [(row["name"], row["pid"]) for row in model.threads()] == [
        ("till", None),
        ("worker", 4711),
    ]
    assert [tuple(row.values()) for row in model.modules()] == [("shop", "5f0e12ab")]


def test_an_unknown_kind_is_refused() -> None:
    unknown = max(ObjectKind) + 1
    with pytest.raises(
        threadmodel.InvalidArgumentError, match=f"kind is out of range: {unknown}"
    ):
        threadmodel.Model().define_object(1, kind=unknown)  # type: ignore[arg-type]
