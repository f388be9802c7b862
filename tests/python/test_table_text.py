# SPDX-License-Identifier: Apache-2.0
"""Tables as text, JSON and HTML, with any characters in names."""

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import runs
import threadmodel
from table_runs import runs_of_all_types


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
    assert [line["name"] for line in lines] == list(table["name"])
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


def test_repr_fits_its_width_and_reports_what_is_hidden(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    shown = repr(model.locks())
    assert shown.startswith("locks: 3 rows\n")
    assert all(len(line) <= 70 for line in shown.splitlines())
    assert "demo.Account" in shown
    assert "more columns: " in shown
    assert "blocked_p99_ns" in shown
    assert "caveat: " in shown
    assert "and 2 more rows" in repr(runs_of_all_types()[:22])


def test_repr_writes_numbers_to_be_read_and_ids_as_they_are(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert "16,000,000" in repr(model.locks())
    lines = repr(model.blame(("owner",))).splitlines()
    assert all(len(word) < 12 for word in lines[2].split())
    big = threadmodel.Model()
    big.define_thread(123456, "main")
    assert "123456 " in repr(big.threads())


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
    assert list(table["name"]) == names
    assert [row["name"] for row in json.loads(table.to_json() or "")] == names
    text = io.StringIO(table.to_csv() or "", newline="")
    assert [line["name"] for line in csv.DictReader(text)] == names
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(table)["name"].to_pylist() == names
