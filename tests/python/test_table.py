# SPDX-License-Identifier: Apache-2.0
"""Tables as Python, numpy, Arrow, text and HTML."""

import csv
import gc
import io
import json
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path

import pytest

import runs
import threadmodel
from threadmodel import errors


def test_length_columns_and_rows_agree(model: threadmodel.Model) -> None:
    table = model.threads()
    rows = list(table.rows())
    assert table.name == "threads"
    assert len(table) == len(rows) == 5
    assert tuple(rows[0]) == table.columns
    assert [row["name"] for row in rows] == table.values("name")
    assert list(table.rows(2)) == rows[:2]
    assert list(table) == rows


def test_an_unknown_column_is_named(model: threadmodel.Model) -> None:
    with pytest.raises(KeyError, match=r"no column 'blocked'.*blocked_total_ns"):
        model.monitors()["blocked"]
    with pytest.raises(KeyError):
        model.monitors().values("nothing")


def test_values_have_python_types_and_none(model: threadmodel.Model) -> None:
    table = model.threads()
    by_name = {row["name"]: row for row in table}
    assert by_name["worker"]["daemon"] is False
    assert by_name["left"]["daemon"] is True
    assert by_name["left"]["end_ns"] is None
    assert by_name["worker"]["end_ns"] == 90 * runs.MS
    assert by_name["worker"]["thread_id"] == runs.WORKER


def test_numbers_reach_numpy_without_a_copy(model: threadmodel.Model) -> None:
    numpy = pytest.importorskip("numpy")
    table = model.monitors()
    column = table["blocked_total_ns"]
    assert column.dtype == numpy.dtype("int64")
    assert numpy.shares_memory(column, table["blocked_total_ns"])
    assert not column.flags.writeable
    expected = table.values("blocked_total_ns")
    del table
    gc.collect()
    assert column.tolist() == expected


def test_nulls_are_masked_in_numpy(model: threadmodel.Model) -> None:
    numpy = pytest.importorskip("numpy")
    table = model.threads()
    column = table["end_ns"]
    assert isinstance(column, numpy.ma.MaskedArray)
    assert column.tolist() == table.values("end_ns")
    assert table["daemon"].tolist() == table.values("daemon")
    assert table["name"].tolist() == table.values("name")


def test_without_numpy_columns_are_views_and_lists(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    table = model.monitors()
    column = table["blocked_total_ns"]
    assert isinstance(column, memoryview)
    assert column.readonly
    assert column.tolist() == table.values("blocked_total_ns")
    assert isinstance(model.threads()["end_ns"], list)
    assert isinstance(table["class"], list)
    with pytest.raises(ImportError, match=r"threadmodel\[numpy\]"):
        threadmodel.event_dtype()


@pytest.mark.parametrize("question", ["threads", "monitors", "timeline", "deadlocks"])
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


@pytest.mark.parametrize("question", ["threads", "monitors", "timeline", "deadlocks"])
def test_polars_sees_the_same_rows(model: threadmodel.Model, question: str) -> None:
    polars = pytest.importorskip("polars")
    table = getattr(model, question)()
    assert polars.DataFrame(table).to_dicts() == list(table)
    assert table.to_polars().to_dicts() == list(table)


@pytest.mark.parametrize("question", ["threads", "monitors", "timeline", "deadlocks"])
def test_pandas_sees_the_same_rows(model: threadmodel.Model, question: str) -> None:
    pandas = pytest.importorskip("pandas")
    table = getattr(model, question)()
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.columns)
    for column in table.columns:
        values = [None if pandas.isna(v) else v for v in frame[column]]
        assert values == table.values(column)


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
        getattr(model.monitors(), method)()


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


def test_empty_tables_are_tables() -> None:
    table = threadmodel.Model().timeline()
    assert len(table) == 0
    assert list(table) == []
    assert len(table["start_ns"]) == 0
    assert len(table["thread"]) == 0
    assert len(table["open"]) == 0
    assert table.to_json() == "[]"
    assert "0 rows" in repr(table)
    assert "<table" in table._repr_html_()


def test_csv_and_json_hold_the_same_rows(
    model: threadmodel.Model, tmp_path: Path
) -> None:
    table = model.threads()
    assert json.loads(table.to_json() or "") == list(table)
    lines = list(csv.DictReader(io.StringIO(table.to_csv() or "", newline="")))
    assert [line["name"] for line in lines] == table.values("name")
    table.to_json(tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text()) == list(table)
    memory = io.BytesIO()
    table.to_csv(memory)
    assert memory.getvalue().decode() == table.to_csv()


def test_what_a_file_raises_reaches_the_caller(model: threadmodel.Model) -> None:
    class Full:
        def write(self, data: bytes) -> None:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        model.threads().to_json(Full())
    with (
        pytest.raises(OSError, match="No space left"),
        open("/dev/full", "wb", buffering=0) as file,
    ):
        model.threads().to_csv(file)


def test_repr_fits_its_width_and_says_what_is_hidden(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    lines = repr(model.monitors()).splitlines()
    assert lines[0].startswith("monitors: ")
    grid = [line for line in lines[1:] if not line.startswith(("and ", "limit: "))]
    assert all(len(line) <= 70 for line in grid)
    assert "demo.Account" in repr(model.monitors())
    assert "more columns: " in repr(model.monitors())
    assert "blocked_p99_ns" in repr(model.monitors())


def test_hostile_names_stay_names_in_repr(hostile: threadmodel.Model) -> None:
    shown = repr(hostile.threads())
    assert not set(shown) & set("\x1b\x9b\x07\r\u2028\u202e")
    assert "\\x1b[31mred" in shown
    assert len(shown.splitlines()) <= 25
    assert max(map(len, shown.splitlines())) < 2000


class Tags(HTMLParser):
    """Collects tags and text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_hostile_names_stay_names_in_html(hostile: threadmodel.Model) -> None:
    parser = Tags()
    parser.feed(hostile.threads()._repr_html_())
    allowed = {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert parser.tags <= allowed
    assert runs.HOSTILE_NAMES["markup"] in parser.text


def test_hostile_names_survive_json_csv_and_arrow(hostile: threadmodel.Model) -> None:
    table = hostile.threads()
    names = list(runs.HOSTILE_NAMES.values())
    assert table.values("name") == names
    assert [row["name"] for row in json.loads(table.to_json() or "")] == names
    text = io.StringIO(table.to_csv() or "", newline="")
    assert [line["name"] for line in csv.DictReader(text)] == names
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(table)["name"].to_pylist() == names


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


def test_what_is_too_much_for_memory_is_said_in_numbers(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    table = model.threads()
    rows = len(table)
    with monkeypatch.context() as patch:
        patch.setattr(threadmodel.Table, "_buffer", fail)
        with pytest.raises(
            errors.OutOfMemoryError,
            match=f"threads: no memory for a list of {rows} values of column "
            f"start_ns, {8 * rows} bytes",
        ):
            table.values("start_ns")
    monkeypatch.setattr(threadmodel.Table, "_give", fail)
    for write in (table.to_csv, table.to_json):
        with pytest.raises(
            MemoryError, match=f"threads: no memory for {rows} rows as text"
        ):
            write()
