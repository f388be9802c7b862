# SPDX-License-Identifier: Apache-2.0
"""Context beside the states of threads: it is listed, summed up, bounded, kept in
traces, and does not change any other answer."""

from pathlib import Path

import pytest

import runs
import threadmodel
from conftest import Cli
from threadmodel import Event, EventKind, Frame, Selection

MS = runs.MS
CONTEXT = [
    Event(20 * MS, 0, EventKind.GC_PAUSE, value=3 * MS),
    Event(22 * MS, runs.WORKER, EventKind.INFLATED, object=runs.FORK_A, value=2),
    Event(30 * MS, 0, EventKind.GC_PAUSE, value=1 * MS),
    Event(31 * MS, runs.LEFT, EventKind.PINNED, value=5 * MS, stack=3),
    Event(33 * MS, runs.LEFT, EventKind.SUBMIT_FAILED),
    Event(34 * MS, runs.MAIN, EventKind.CPU_SAMPLE, stack=1),
]
QUESTIONS = (
    "timeline",
    "locks",
    "callers",
    "interactions",
    "deadlocks",
    "critical_path",
    "blockers",
    "findings",
)


def fill(sink: threadmodel.Sink) -> None:
    runs.define(sink)
    sink.ingest(sorted([*runs.events(), *CONTEXT], key=lambda event: event.time_ns))


@pytest.fixture
def with_context() -> threadmodel.Model:
    model = threadmodel.Model()
    fill(model)
    return model


def test_rows_report_what_when_who_and_where(with_context: threadmodel.Model) -> None:
    rows = [
        (row["kind"], row["start_ns"], row["end_ns"], row["thread"], row["cause"])
        for row in with_context.context()
    ]
    assert rows == [
        ("gc_pause", 12 * MS, 15 * MS, None, None),
        ("inflated", 17 * MS, 17 * MS, "worker", "wait"),
        ("gc_pause", 24 * MS, 25 * MS, None, None),
        ("pinned", 21 * MS, 26 * MS, "left", None),
        ("submit_failed", 28 * MS, 28 * MS, "left", None),
        ("cpu_sample", 29 * MS, 29 * MS, "main", None),
    ]
    by_kind = {row["kind"]: row for row in with_context.context()}
    assert by_kind["inflated"]["class"] == "demo.Fork"
    assert by_kind["pinned"]["method"] == "demo.Fork.eat"
    assert by_kind["pinned"]["line"] == 77
    assert by_kind["cpu_sample"]["method"] == "demo.Account.transfer"


def test_a_selection_of_threads_keeps_what_is_of_all(
    with_context: threadmodel.Model,
) -> None:
    kinds = [row["kind"] for row in with_context.context(Selection(threads=["left"]))]
    assert kinds == ["gc_pause", "gc_pause", "pinned", "submit_failed"]
    kinds = [
        row["kind"]
        for row in with_context.context(Selection(window=(16 * MS, 22 * MS)))
    ]
    assert kinds == ["inflated", "pinned"]
    kinds = [
        row["kind"] for row in with_context.context(Selection(classes=["demo.Fork"]))
    ]
    assert kinds == ["inflated"]


def test_totals_are_by_kind_and_share_of_the_run(
    with_context: threadmodel.Model,
) -> None:
    rows = {row["kind"]: row for row in with_context.context_totals()}
    pause = rows["gc_pause"]
    assert (pause["count"], pause["total_ns"], pause["max_ns"]) == (2, 4 * MS, 3 * MS)
    assert pause["share"] == pytest.approx(4 * MS / with_context.length_ns)
    assert rows["submit_failed"]["count"] == 1
    assert rows["submit_failed"]["total_ns"] == 0


def test_no_other_answer_changes(with_context: threadmodel.Model) -> None:
    model = threadmodel.Model()
    runs.define(model)
    sample = [event for event in CONTEXT if event.kind == EventKind.CPU_SAMPLE]
    model.ingest(sorted([*runs.events(), *sample], key=lambda event: event.time_ns))
    for question in QUESTIONS:
        assert list(getattr(with_context, question)()) == list(
            getattr(model, question)()
        )


def test_a_trace_keeps_it(with_context: threadmodel.Model, tmp_path: Path) -> None:
    path = tmp_path / "run.tmt"
    with threadmodel.Writer(path) as writer:
        fill(writer)
    copy = threadmodel.open(path)
    assert list(copy.context()) == list(with_context.context())
    assert list(copy.context_totals()) == list(with_context.context_totals())


def test_a_memory_limit_drops_rows_and_keeps_sums() -> None:
    limit, pauses = 1 << 16, 10_000
    model = threadmodel.Model(memory_limit_bytes=limit)
    model.define_stack(1, [Frame(0)])
    for number in range(pauses):
        model.ingest([Event(number * MS, 0, EventKind.GC_PAUSE, value=10)])
        assert model.memory_bytes < 2 * limit
    (row,) = model.context_totals()
    assert row["count"] == pauses
    assert row["total_ns"] == 10 * pauses
    kept = len(model.context())
    assert 0 < kept < pauses
    odd = {row["cause"]: row["count"] for row in model.diagnostics()}
    assert odd["evicted"] == pauses - kept


def test_the_report_shows_how_long_the_collector_stopped_all(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "run.tmt"
    with threadmodel.Writer(path) as writer:
        fill(writer)
    said = cli("report", "--all", path).stdout.decode()
    share = 4 * MS / threadmodel.open(path).length_ns
    assert f"2, 4.00 ms in all, the longest 3.00 ms, {share:.1%} of the run" in said
    assert "pinned    1, 5.00 ms in all" in said
    assert "refused   1" in said
