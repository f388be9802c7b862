# SPDX-License-Identifier: Apache-2.0
"""Questions to a model of a run whose answers are known."""

import gc
import threading
from collections.abc import Callable

import pytest

import runs
import threadmodel
from threadmodel import Event, EventKind, Selection

MS = runs.MS


def test_run_is_what_was_reported(model: threadmodel.Model) -> None:
    run = model.run
    assert run.vm == "Test VM 1"
    assert run.command == "demo.Main"
    assert run.pid == 4711
    assert run.start == "2023-11-14T22:13:20.000000000Z"
    assert {1, 7} <= run.kinds
    assert model.length_ns == 100 * MS
    assert model.event_count == len(runs.events())
    assert model.memory_bytes > 0


def test_locks_sum_up_by_class(model: threadmodel.Model) -> None:
    rows = {row["class"]: row for row in model.locks()}
    account = rows["demo.Account"]
    assert account["objects"] == 1
    assert account["threads"] == 2
    assert account["blocked_count"] == 3
    assert account["blocked_total_ns"] == 16 * MS
    assert account["blocked_min_ns"] == 2 * MS
    assert account["blocked_max_ns"] == 10 * MS
    assert account["waiting_count"] == 0
    assert account["waiting_p50_ns"] is None
    assert rows["demo.Queue"]["waiting_total_ns"] == 20 * MS


def test_callers_name_method_and_line(model: threadmodel.Model) -> None:
    rows = [row for row in model.callers() if row["class"] == "demo.Account"]
    assert len(rows) == 1
    assert rows[0]["method"] == "demo.Account.transfer"
    assert rows[0]["source"] == "Account.java"
    assert rows[0]["line"] == 42
    assert rows[0]["blocked_count"] == 3


def test_objects_and_other_keys(model: threadmodel.Model) -> None:
    assert {"object", "class"} <= set(model.objects().columns)
    by_thread = {
        (row["class"], row["thread"]): row["blocked_total_ns"]
        for row in model.statistics(by=("class", "thread"))
    }
    assert by_thread["demo.Account", "worker"] == 6 * MS
    assert by_thread["demo.Account", "writer"] == 10 * MS
    with pytest.raises(ValueError, match=r"no such key: 'colour'.*class"):
        model.statistics(by=("colour",))


def test_libraries_change_who_is_the_caller(model: threadmodel.Model) -> None:
    table = model.statistics(by=("caller",), libraries=["demo."])
    assert "java.lang.Thread.run" in table["method"]


def test_the_deadlock_is_found_with_its_stacks(model: threadmodel.Model) -> None:
    rows = list(model.deadlocks())
    assert {row["thread"] for row in rows} == {"left", "right"}
    assert {row["owner"] for row in rows} == {"left", "right"}
    # The VM's report on left is older than right's wait, so left's owner is inferred.
    assert [row["provenance"] for row in rows] == ["reported", "inferred"]
    frames = [row for row in model.stacks() if row["stack"] == rows[0]["stack"]]
    assert [row["depth"] for row in frames] == [0, 1]
    assert frames[0]["method"] == "demo.Fork.eat"


def test_timeline_reports_states_by_time(model: threadmodel.Model) -> None:
    rows = [row for row in model.timeline() if row["thread_id"] == runs.WORKER]
    starts = [row["start_ns"] for row in rows]
    assert starts == sorted(starts)
    blocked = [
        (row["state"], row["start_ns"], row["end_ns"])
        for row in rows
        if row["state"] in ("blocked", "waiting")
    ]
    assert blocked == [
        ("blocked", 10 * MS, 12 * MS),
        ("blocked", 20 * MS, 24 * MS),
        ("waiting", 50 * MS, 70 * MS),
    ]


def test_interactions_name_who_started_whom(model: threadmodel.Model) -> None:
    starts = {
        (row["from_thread"], row["to_thread"])
        for row in model.interactions()
        if row["kind"] == "start"
    }
    assert ("main", "worker") in starts


def test_selections_narrow_an_answer(model: threadmodel.Model) -> None:
    account = {"classes": ["demo.Account"]}
    assert model.locks(Selection(**account))["class"].to_list() == ["demo.Account"]
    by_id = model.locks(Selection(threads=[runs.WRITER], **account))
    by_name = model.locks(Selection(threads=["writer"], **account))
    assert by_id["blocked_total_ns"].to_list() == [10 * MS]
    assert list(by_id) == list(by_name)
    early = model.locks(Selection(window=(None, 15 * MS), **account))
    assert early["blocked_total_ns"].to_list() == [2 * MS]
    late = model.timeline(Selection(threads=["worker"], window=(60 * MS, None)))
    assert min(late["start_ns"]) >= 60 * MS


def test_a_selection_of_nothing_is_empty(model: threadmodel.Model) -> None:
    assert len(model.locks(Selection(threads=[]))) == 0
    assert len(model.locks(Selection(classes=[]))) == 0
    assert len(model.timeline(Selection(threads=iter(())))) == 0


def test_a_selection_of_what_is_not_there_is_a_lookup_error(
    model: threadmodel.Model,
) -> None:
    with pytest.raises(LookupError, match="nobody"):
        model.threads(Selection(threads=["nobody"]))
    with pytest.raises(LookupError, match="999"):
        model.threads(Selection(threads=[999]))
    with pytest.raises(LookupError, match=r"no\.Such"):
        model.locks(Selection(classes=["no.Such"]))


@pytest.mark.parametrize(
    "selection",
    [
        {"threads": [-1]},
        {"threads": [2**64]},
        {"threads": [1.5]},
        {"classes": [7]},
        {"classes": ["a\0b"]},
        {"window": 5},
        {"window": (10, 10)},
        {"window": (-1, 10)},
        {"window": (0, 2**63)},
        {"window": (1, 2, 3)},
    ],
)
def test_a_selection_that_cannot_be_is_a_value_error(
    model: threadmodel.Model, selection: dict[str, object]
) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        model.locks(Selection(**selection))


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.define_thread(0, "x"),
        lambda m: m.define_thread(2**64, "x"),
        lambda m: m.define_thread(1, "a\0b"),
        lambda m: m.define_thread(1, b"bytes"),
        lambda m: m.define_stack(2**32, []),
        lambda m: m.define_stack(0, []),
        lambda m: m.define_object(1, hash=2**32),
        lambda m: m.ingest([Event(0, 0, 2**16)]),
        lambda m: m.ingest([Event(2**63, 1, 1)]),
        lambda m: m.ingest([1, 2]),
        lambda m: m.ingest(7),
        lambda m: m.ingest(b"x" * 47),
        lambda m: m.add_caveat(None),
        lambda m: threadmodel.Model(policy=-1),
        lambda m: threadmodel.Model(memory_limit_bytes="much"),
    ],
)
def test_definitions_that_cannot_be_are_value_errors(
    model: threadmodel.Model, call: Callable[[threadmodel.Model], None]
) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        call(model)
    assert model.event_count == len(runs.events())


def test_numpy_events_yield_the_same_model(model: threadmodel.Model) -> None:
    numpy = pytest.importorskip("numpy")
    dtype = threadmodel.event_dtype()
    array = numpy.zeros(len(runs.events()), dtype)
    for row, event in zip(array, runs.events(), strict=True):
        for field in Event._fields:
            row[field] = getattr(event, field)
    for events in (array, bytes(array), array.tobytes(), memoryview(array.tobytes())):
        other = threadmodel.Model()
        runs.define(other)
        other.ingest(events)
        assert list(other.timeline()) == list(model.timeline())
        assert list(other.locks()) == list(model.locks())
    shifted = memoryview(b"x" + array.tobytes())[1:]
    other = threadmodel.Model()
    other.ingest(shifted)
    assert other.event_count == len(array)


def test_numpy_arrays_of_another_layout_are_refused() -> None:
    numpy = pytest.importorskip("numpy")
    model = threadmodel.Model()
    dtype = threadmodel.event_dtype()
    for wrong in (
        numpy.zeros(6, "i8"),
        numpy.zeros(3, [("a", "S48")]),
        numpy.zeros(4, dtype)[::2],
        numpy.zeros(3, dtype.newbyteorder()),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            model.ingest(wrong)
    assert model.event_count == 0


def test_generators_and_empty_lists_are_events() -> None:
    model = threadmodel.Model()
    model.ingest(event for event in runs.events())
    model.ingest([])
    model.ingest(b"")
    assert model.event_count == len(runs.events())


def test_odd_events_are_counted_and_accepted() -> None:
    model = threadmodel.Model()
    model.ingest([Event(1, 1, EventKind.WAITED, object=5), Event(2, 1, 60000)])
    causes = {row["cause"]: row["count"] for row in model.diagnostics()}
    assert causes["waited_without_wait"] == 1
    assert causes["unknown_kind"] == 1


def test_caveats_reach_the_answers() -> None:
    model = threadmodel.Model()
    model.add_caveat("nothing is known of parks")
    assert "nothing is known of parks" in model.caveats
    assert "nothing is known of parks" in model.locks().caveats


def test_a_model_shows_itself(model: threadmodel.Model) -> None:
    assert repr(model) == "<Model of events: 5 threads, 17 events, 100 ms>"
    assert "Test VM 1" in model._repr_html_()


def test_hostile_facts_are_escaped() -> None:
    model = threadmodel.Model()
    model.define_run(threadmodel.Run(vm="<script>", source="\x1b[2J"))
    model.add_caveat("<img>")
    shown = model._repr_html_()
    assert "<script>" not in shown
    assert "<img>" not in shown
    assert "\x1b" not in shown + repr(model)


def test_answers_do_not_change_and_outlive_the_model() -> None:
    model = threadmodel.Model()
    runs.fill(model)
    table = model.locks()
    before = list(table)
    model.ingest([Event(10**9, runs.MAIN, EventKind.CONTENDED_ENTER, object=9)])
    assert list(table) == before
    del model
    gc.collect()
    assert list(table) == before


def test_objects_die_in_any_order_and_any_thread() -> None:
    pytest.importorskip("numpy")
    kept: list[object] = []
    for _ in range(20):
        model = threadmodel.Model()
        runs.fill(model)
        table = model.timeline()
        stream = table.__arrow_c_stream__()
        column = table["start_ns"]
        kept += [column, stream, model, table]
        del model, table, stream, column

    def drop(step: int) -> None:
        while kept:
            try:
                kept.pop(step)
            except IndexError:
                return

    droppers = [threading.Thread(target=drop, args=(step,)) for step in (0, -1, 3)]
    for dropper in droppers:
        dropper.start()
    for dropper in droppers:
        dropper.join()
    kept.clear()
    gc.collect()


def test_threads_that_share_a_model_alternate() -> None:
    model = threadmodel.Model()
    batch = threadmodel.event.pack(
        [Event(t, 1 + t % 7, EventKind.NOTIFY, object=1) for t in range(500)]
    )

    def feed() -> None:
        for _ in range(40):
            model.ingest(batch)
            model.locks()
            len(model.timeline())

    feeders = [threading.Thread(target=feed) for _ in range(4)]
    for feeder in feeders:
        feeder.start()
    for feeder in feeders:
        feeder.join()
    assert model.event_count == 4 * 40 * 500


def test_answers_are_the_same_for_any_number_of_workers() -> None:
    batch = threadmodel.event.pack(
        [
            Event(2 * t + end, 1 + t % 8, kind, object=t % 3)
            for t in range(20_000)
            for end, kind in enumerate((EventKind.PARK, EventKind.UNPARKED))
        ]
    )
    one, many = threadmodel.Model(workers=1), threadmodel.Model(workers=200)
    for model in (one, many):
        model.ingest(batch)
    for keys in ((), ("class", "caller"), ("object", "thread")):
        assert one.statistics(keys).to_json() == many.statistics(keys).to_json()
    assert one.whatif_rank().to_json() == many.whatif_rank().to_json()
    assert one.findings().to_json() == many.findings().to_json()


@pytest.mark.parametrize("workers", [-1, 1.5, "two", 2**31])
def test_a_number_of_workers_that_cannot_be_is_refused(workers: object) -> None:
    with pytest.raises(threadmodel.InvalidArgumentError, match="workers"):
        threadmodel.Model(workers=workers)  # type: ignore[arg-type]


def test_events_out_of_order_are_a_caveat() -> None:
    model = threadmodel.Model()
    model.ingest(
        [
            threadmodel.Event(time_ns=90, thread=1, kind=threadmodel.EventKind.SLEEP),
            threadmodel.Event(time_ns=50, thread=1, kind=threadmodel.EventKind.SLEPT),
        ]
    )
    (caveat,) = (text for text in model.caveats if "later event" in text)
    assert caveat.startswith("1 of 2 events came after a later event of their thread")
