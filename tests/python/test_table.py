# SPDX-License-Identifier: Apache-2.0
"""Tables as Python, numpy, Arrow, text and HTML."""

import gc
import json
import sys
import threading
from types import NoneType

import pytest

import runs
import threadmodel
from table_runs import runs_of_all_types
from threadmodel import errors

KINDS = {
    "int32": {int, NoneType},
    "int64": {int, NoneType},
    "uint64": {int, NoneType},
    "double": {float, NoneType},
    "bool": {bool, NoneType},
    "string": {str, NoneType},
}


def test_length_columns_and_rows_agree(model: threadmodel.Model) -> None:
    table = model.threads()
    rows = list(table)
    assert table.name == "threads"
    assert len(table) == len(rows) == 5
    assert tuple(rows[0]) == table.columns
    assert [row["name"] for row in rows] == list(table["name"])
    assert [table[row] for row in range(-5, 5)] == rows + rows
    for row in (5, -6):
        with pytest.raises(IndexError):
            table[row]


def test_some_rows_are_a_table() -> None:
    table = runs_of_all_types()
    rows = list(table)
    assert len(rows) > 100
    for part in (
        slice(10, 20),
        slice(None, None, 7),
        slice(None, None, -1),
        slice(-3, None),
        slice(5, 5),
        slice(0, 10**9),
    ):
        taken = table[part]
        assert list(taken) == rows[part]
        assert (taken.name, taken.columns) == (table.name, table.columns)
        assert taken.caveats == table.caveats
        for column in table.columns:
            assert taken[column].type == table[column].type
            assert table[column][part] == list(taken[column])
    assert list(table.head()) == rows[:5]
    assert list(table.head(3)) == rows[:3]
    assert len(table.head(0)) == len(table.head(-1)) == 0
    assert list(table.head(10**9)) == rows
    assert list(table.gather([9, 2, 2])) == [rows[9], rows[2], rows[2]]
    assert json.loads(table[3:5].to_json() or "") == rows[3:5]
    for wrong in ([len(rows)], [-1], [2**64], [1.5]):
        with pytest.raises(errors.InvalidArgumentError):
            table.gather(wrong)  # type: ignore[arg-type]


def test_what_few_rows_name_is_all_that_they_keep() -> None:
    table = runs_of_all_types()
    (name,) = table[:1]["thread"].categories
    assert name == table["thread"][0]
    assert len(table["thread"].categories) > 1


def test_an_unknown_column_is_named(model: threadmodel.Model) -> None:
    with pytest.raises(KeyError, match=r"no column 'blocked'.*blocked_total_ns"):
        model.locks()["blocked"]
    with pytest.raises(KeyError):
        model.locks()["nothing"]


def test_values_have_python_types_and_none(model: threadmodel.Model) -> None:
    table = model.threads()
    by_name = {row["name"]: row for row in table}
    assert by_name["worker"]["daemon"] is False
    assert by_name["left"]["daemon"] is True
    assert by_name["left"]["end_ns"] is None
    assert by_name["worker"]["end_ns"] == 90 * runs.MS
    assert by_name["worker"]["thread_id"] == runs.WORKER


@pytest.mark.parametrize("has_numpy", [True, False])
def test_a_column_is_a_sequence_whatever_is_installed(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch, has_numpy: bool
) -> None:
    if not has_numpy:
        monkeypatch.setitem(sys.modules, "numpy", None)
    for table in (model.threads(), model.locks(), runs_of_all_types()):
        rows = list(table)
        for name in table.columns:
            column = table[name]
            assert isinstance(column, threadmodel.Column)
            assert column.name == name
            expected = [row[name] for row in rows]
            assert column.to_list() == list(column) == column[:] == expected
            assert [column[row] for row in range(len(column))] == expected
            assert column[-1] == expected[-1]
            assert column[::-2] == expected[::-2]
            assert list(reversed(column)) == expected[::-1]
            assert expected[0] in column
            assert {type(value) for value in column} <= KINDS[column.type]
            with pytest.raises(IndexError):
                column[len(column)]


def test_a_column_shows_itself(model: threadmodel.Model) -> None:
    table = model.threads()
    shown = repr(table["name"])
    assert shown == f"<Column name: 5 string: {', '.join(map(repr, table['name']))}>"
    timeline = runs_of_all_types()
    assert repr(timeline["start_ns"]).endswith(", ...>")


def test_without_numpy_what_needs_it_reports_it(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    for needs in (
        model.threads()["end_ns"].to_numpy,
        model.threads()["end_ns"].__array__,
        threadmodel.event_dtype,
    ):
        with pytest.raises(ImportError, match=r"threadmodel\[numpy\]"):
            needs()


def test_numbers_reach_numpy_without_a_copy(model: threadmodel.Model) -> None:
    numpy = pytest.importorskip("numpy")
    table = model.locks()
    array = table["blocked_total_ns"].to_numpy()
    assert array.dtype == numpy.dtype("int64")
    assert numpy.shares_memory(array, numpy.asarray(table["blocked_total_ns"]))
    assert not array.flags.writeable
    expected = list(table["blocked_total_ns"])
    del table
    gc.collect()
    assert array.tolist() == expected


def test_nulls_are_masked_in_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    table = runs_of_all_types()
    for name in table.columns:
        column = table[name]
        array = column.to_numpy()
        has_nulls = None in column and column.type != "string"
        assert isinstance(array, numpy.ma.MaskedArray) == has_nulls
        assert array.tolist() == list(column)
        # To numpy's own functions a null is None, and never a number.
        assert numpy.asarray(column).tolist() == list(column)
    ends = numpy.asarray(table["end_ns"], dtype=float)
    assert ends.dtype == numpy.dtype("float64")
    copy = numpy.array(table["end_ns"])
    assert copy.flags.writeable


def test_columns_reach_other_libraries_one_by_one() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    table = runs_of_all_types()
    for name in table.columns:
        column = table[name]
        expected = list(column)
        assert pyarrow.array(column).to_pylist() == expected
        column.to_arrow().validate(full=True)
        assert polars.Series(column).to_list() == expected
        series = column.to_pandas()
        assert series.name == name
        assert [None if pandas.isna(value) else value for value in series] == expected


def test_a_column_outlives_its_table() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    column = runs_of_all_types()["thread"]
    expected = list(column)
    array = pyarrow.array(column)
    gc.collect()
    assert list(column) == expected
    del column
    gc.collect()
    assert array.to_pylist() == expected


@pytest.mark.parametrize("question", ["threads", "locks", "timeline", "deadlocks"])
def test_arrow_readers_see_the_same_rows(
    model: threadmodel.Model, question: str
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = getattr(model, question)()
    assert pyarrow.table(table).to_pylist() == list(table)
    assert table.to_arrow().to_pylist() == list(table)
    batch = pyarrow.record_batch(table)
    batch.validate(full=True)
    assert batch.to_pylist() == list(table)
    assert pyarrow.schema(table).names == list(table.columns)


@pytest.mark.parametrize("question", ["threads", "locks", "timeline", "deadlocks"])
def test_polars_sees_the_same_rows(model: threadmodel.Model, question: str) -> None:
    polars = pytest.importorskip("polars")
    table = getattr(model, question)()
    assert polars.DataFrame(table).to_dicts() == list(table)
    assert table.to_polars().to_dicts() == list(table)


@pytest.mark.parametrize("question", ["threads", "locks", "timeline", "deadlocks"])
def test_pandas_sees_the_same_rows(model: threadmodel.Model, question: str) -> None:
    pandas = pytest.importorskip("pandas")
    table = getattr(model, question)()
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.columns)
    for column in table.columns:
        values = [None if pandas.isna(v) else v for v in frame[column]]
        assert values == list(table[column])


def test_large_ids_survive_pandas_beside_nulls() -> None:
    pandas = pytest.importorskip("pandas")
    model = threadmodel.Model()
    highest = 2**64 - 1
    model.ingest([threadmodel.Event(0, highest, threadmodel.EventKind.THREAD_START)])
    frame = model.threads().to_pandas()
    assert frame["thread_id"][0] == highest
    assert isinstance(frame, pandas.DataFrame)


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_a_missing_extra_is_named(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    method = "to_arrow" if package == "pyarrow" else f"to_{package}"
    with pytest.raises(errors.MissingExtraError, match=rf"threadmodel\[{package}\]"):
        getattr(model.locks(), method)()


def test_a_capsule_nobody_takes_is_released(model: threadmodel.Model) -> None:
    table = model.timeline()
    for _ in range(100):
        table.__arrow_c_stream__()
        table.__arrow_c_array__()
        table.__arrow_c_schema__()
    stream = table.__arrow_c_stream__()
    del table
    gc.collect()
    pyarrow = pytest.importorskip("pyarrow")

    class Holder:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return stream

    assert len(pyarrow.table(Holder())) > 0


def test_many_threads_read_one_table(model: threadmodel.Model) -> None:
    table = model.timeline()
    expected = list(table)
    wrong: list[object] = []

    def read() -> None:
        for _ in range(50):
            if list(table) != expected or table.to_json() is None:
                wrong.append(1)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert not wrong


def test_what_is_too_much_for_memory_is_reported_in_numbers(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    table = model.threads()
    rows = len(table)
    with monkeypatch.context() as patch:
        patch.setattr(threadmodel.Column, "_python", fail)
        with pytest.raises(
            errors.OutOfMemoryError,
            match=f"start_ns: no memory for a list of {rows} values, {8 * rows} bytes",
        ):
            table["start_ns"].to_list()
    monkeypatch.setattr(threadmodel.Table, "_give", fail)
    for write in (table.to_csv, table.to_json):
        with pytest.raises(
            MemoryError, match=f"threads: no memory for {rows} rows as text"
        ):
            write()
