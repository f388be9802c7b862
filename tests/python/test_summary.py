# SPDX-License-Identifier: Apache-2.0
"""Summaries of many runs, merged in any order."""

import random
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import threadmodel
from threadmodel import Event, EventKind, Frame, errors, summary

CLASSES = ("app.Pool", "app.Cache", "java.lang.Object")


def fill(sink: threadmodel.Sink, seed: int, process: int = 0) -> None:
    """A process whose threads contend for locks, one after the other.

    Processes run at times of their own; their threads and objects are never the same.
    """
    chance = random.Random(seed)
    for number, name in enumerate(CLASSES, 1):
        sink.define_class(number, name, "App.java")
        sink.define_method(number, number, "take")
        sink.define_stack(number, [Frame(number, line=10 * number)])
        sink.define_object(10 * process + number, number)
    time = process * 10**9
    for thread in range(10 * process + 1, 10 * process + 1 + chance.randint(1, 4)):
        sink.define_thread(thread, f"worker-{thread}")
        for _ in range(chance.randint(0, 5)):
            lock = chance.randint(1, len(CLASSES))
            object_ = 10 * process + lock
            length = chance.randint(1, 1_000_000)
            events = [
                Event(time, thread, EventKind.CONTENDED_ENTER, object_, stack=lock),
                Event(time + length, thread, EventKind.CONTENDED_ENTERED, object_),
            ]
            sink.ingest(events)
            time += length


def summary_of(seed: int) -> summary.Summary:
    model = threadmodel.Model()
    fill(model, seed)
    return summary.summarize(model)


def content(whole: summary.Summary) -> dict[str, str | None]:
    return {name: table.to_csv() for name, table in whole.items()}


def arrow_bytes(whole: summary.Summary) -> bytes:
    sink = pyarrow.BufferOutputStream()
    for table in whole.values():
        arrow = table.to_arrow()
        with pyarrow.ipc.new_stream(sink, arrow.schema) as writer:
            writer.write_table(arrow)
    return bytes(sink.getvalue())


def test_a_summary_has_every_table_and_no_id(model: threadmodel.Model) -> None:
    whole = summary.summarize(model)
    assert tuple(whole) == summary.TABLES
    for table in whole.values():
        assert table.columns[-2:] == ("rows", "runs")
        assert not [name for name in table.columns if name.endswith(("_id", "stack"))]
        assert set(table["runs"]) <= {1}


def test_a_summary_has_the_numbers_of_the_run(model: threadmodel.Model) -> None:
    whole = summary.summarize(model)
    for state in ("blocked", "waiting", "parked"):
        for column in (f"{state}_count", f"{state}_total_ns"):
            assert sum(whole["callers"][column]) == sum(model.callers()[column])
        assert sum(whole[f"histogram_{state}"]["count"]) == sum(
            model.callers()[f"{state}_count"]
        )


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.randoms())
def test_any_order_and_grouping_make_the_same_bytes(
    seeds: list[int], chance: random.Random
) -> None:
    parts = [summary_of(seed) for seed in seeds]
    whole = arrow_bytes(summary.merge(parts))
    while len(parts) > 1:
        chance.shuffle(parts)
        count = chance.randint(2, len(parts))
        parts = [summary.merge(parts[:count]), *parts[count:]]
    assert arrow_bytes(summary.merge(parts)) == whole


@pytest.mark.parametrize("seed", range(5))
def test_a_fleet_equals_one_model_over_all_of_it(seed: int) -> None:
    together, parts = threadmodel.Model(), []
    for number in range(3):
        alone = threadmodel.Model()
        for sink in (alone, together):
            fill(sink, seed + number, number)
        parts.append(summary.summarize(alone))
    fleet, one = summary.merge(parts), summary.summarize(together)
    for name in ("callers", "histogram_blocked"):
        columns = [column for column in one[name].columns if column != "runs"]
        assert fleet[name].columns == one[name].columns
        # A row of the single model stands for up to three rows, one from each run.
        for column in (c for c in columns if c != "rows"):
            assert list(fleet[name][column]) == list(one[name][column]), column
        assert list(fleet[name]["rows"]) == list(fleet[name]["runs"])


def test_what_parquet_stores_merges_as_before(
    model: threadmodel.Model, tmp_path: Path
) -> None:
    whole = summary.summarize(model)
    stored: summary.Summary = {}
    for name, table in whole.items():
        path = tmp_path / f"{name}.parquet"
        arrow = table.to_arrow().append_column("host", [["a"] * len(table)])
        pyarrow.parquet.write_table(arrow, path)
        parts = [
            summary.from_arrow(name, batch)
            for batch in pyarrow.parquet.read_table(path).to_batches()
        ]
        if parts:
            stored[name] = parts[0]
    again = summary.merge([stored])
    assert content(again) == content({name: whole[name] for name in again})
    assert content(summary.merge([again, whole])) == content(
        summary.merge([whole, stored])
    )


def test_nothing_merges_to_nothing() -> None:
    assert summary.merge([]) == {}


def test_what_is_no_summary_is_refused(model: threadmodel.Model) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="no table of summaries: x"):
        summary.merge([{"x": model.callers()}])
    with pytest.raises(errors.InvalidArgumentError, match="timeline cannot be merged"):
        summary.from_arrow("timeline", model.timeline().to_arrow().to_batches()[0])
    batch = pyarrow.RecordBatch.from_pydict({"caveat": [1]})
    with pytest.raises(errors.InvalidArgumentError, match="caveat is of another type"):
        summary.from_arrow("caveats", batch)
