# SPDX-License-Identifier: Apache-2.0
"""Many recordings as a dataset: its content, and questions to it."""

import json
import os
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import threadmodel
from fleet_runs import add, column, content, record
from fleet_runs import client as client
from fleet_runs import folder as folder
from test_summary import fill
from threadmodel import errors, fleet, fleet_dask, summary
from threadmodel.fleet_dataset import DONE, Dataset
from threadmodel.fleet_report import Report
from threadmodel.run import Run


class Later:
    """Passes everything on, with the times of events shifted."""

    def __init__(self, sink: threadmodel.Sink, shift_ns: int) -> None:
        self._sink = sink
        self._shift_ns = shift_ns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sink, name)

    def ingest(self, events: list[threadmodel.Event]) -> None:
        self._sink.ingest(
            event._replace(time_ns=event.time_ns + self._shift_ns) for event in events
        )


def without_run(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "run"}


def test_a_dataset_is_the_merge_of_its_runs(
    folder: Path, tmp_path: Path, client: Any
) -> None:
    assert add(folder, tmp_path / "set", client) == 6
    paths = sorted(folder.rglob("*.tmt"))
    each = [summary.summarize(threadmodel.open(path)) for path in paths]
    assert content(Dataset(str(tmp_path / "set")).summary()) == content(
        summary.merge(each)
    )


def test_labels_come_from_the_path(folder: Path, tmp_path: Path, client: Any) -> None:
    add(folder, tmp_path / "set", client, "{service}/{host}/*.tmt")
    statement = "select host || ' ' || count(*) from runs group by host order by 1"
    assert column(tmp_path / "set", statement) == ["host0 3", "host1 3"]


def test_clocks_of_hosts_apart_change_no_answer(tmp_path: Path, client: Any) -> None:
    now_ns, day_ns = 1_795_000_000 * 10**9, 86400 * 10**9
    # Clocks that are right, never set, three days late, and a year ahead.
    clocks = {
        "together": [now_ns] * 4,
        "apart": [now_ns, 1, now_ns - 3 * day_ns, now_ns + 365 * day_ns],
    }
    found = {}
    for name, walls in clocks.items():
        folder, to = tmp_path / name, tmp_path / f"{name}.set"
        for number in range(12):
            wall_ns = walls[number % 4]
            path = folder / f"host{number % 4}" / f"{number % 2}.{number}" / "one.tmt"
            path.parent.mkdir(parents=True)
            with threadmodel.Writer(path) as writer:
                # Nor do two hosts' monotonic clocks begin together.
                shift_ns = wall_ns // 1000
                writer.define_run(
                    Run(pid=number + 1, start_wall_ns=wall_ns, start_ns=shift_ns + 1)
                )
                fill(Later(writer, shift_ns), number + 3, number)
            os.utime(path, ns=(wall_ns, wall_ns))
        assert add(folder, to, client, "{host}/{version}/*.tmt") == 12
        assert add(folder, to, client) == 0
        assert sorted(column(to, "select start_wall_ns from runs")) == sorted(walls * 3)
        report = Report(Dataset(str(to)))
        answers = [report.causes(50), report.by_label("host", 50), report.outliers()]
        answers += [report.orders(), report.changes("1.1")]
        rows = [[without_run(row) for row in answer.rows] for answer in answers]
        unknown = [answer.unknown for answer in answers]
        found[name] = content(Dataset(str(to)).summary()), rows, unknown
    assert found["apart"] == found["together"]
    assert found["apart"][0]


def test_only_new_and_changed_files_are_read_again(
    folder: Path, tmp_path: Path, client: Any
) -> None:
    to = tmp_path / "set"
    add(folder, to, client)
    assert add(folder, to, client) == 0
    record(folder / "shop/host0/new.tmt", 77, 77)
    grown = record(folder / "shop/host0/0.tmt", 78, 78)
    assert add(folder, to, client) == 2
    assert column(to, "select count(*) from runs") == [7]
    assert column(to, f"select count(*) from runs where url = '{grown}'") == [1]
    each = [summary.summarize(threadmodel.open(path)) for path in folder.rglob("*.tmt")]
    assert content(Dataset(str(to)).summary()) == content(summary.merge(each))


def test_a_file_that_is_as_it_once_was_counts_once(
    folder: Path, tmp_path: Path, client: Any
) -> None:
    to, path = tmp_path / "set", folder / "shop/host0/0.tmt"
    first = path.read_bytes()
    add(folder, to, client)
    record(path, 78, 78)
    add(folder, to, client)
    path.write_bytes(first)
    add(folder, to, client)
    assert column(to, "select count(*) from runs") == [6]
    assert column(to, f"select count(*) from runs where url = '{path}'") == [1]


def test_files_that_change_places_are_both_there(
    folder: Path, tmp_path: Path, client: Any
) -> None:
    to = tmp_path / "set"
    one, other = (folder / f"shop/host0/{number}.tmt" for number in (0, 2))
    add(folder, to, client)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    add(folder, to, client)
    assert column(to, "select count(*) from runs") == [6]


def test_a_label_may_have_the_name_of_a_column_of_findings(
    folder: Path, tmp_path: Path, client: Any
) -> None:
    to = tmp_path / "set"
    add(folder, to, client, "{kind}/{class}/*.tmt")
    rows = Report(Dataset(str(to))).by_label("kind", 5).rows
    assert [row["value"] for row in rows] == ["shop"]


def test_no_label_hides_a_fact(tmp_path: Path) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="name of a fact, pid"):
        fleet.labels_of("/a/b.tmt", "{pid}/*.tmt")


def test_the_same_rows_come_from_batches_as_spark_passes_them(folder: Path) -> None:
    urls = sorted(map(str, folder.rglob("*.tmt")))
    batches = [pyarrow.RecordBatch.from_pydict({"url": urls[:4]})]
    batches += [pyarrow.RecordBatch.from_pydict({"url": [*urls[4:], "/no/such"]})]
    made = list(fleet.summarize_batches(batches))
    assert all(batch.schema == fleet.schema() for batch in made)
    rows = [row for batch in made for row in batch.to_pylist()]
    results = fleet.from_rows(reversed(rows))
    assert results == [fleet.summarize_url(url) for url in sorted([*urls, "/no/such"])]


def test_a_newer_dataset_is_refused_by_name(tmp_path: Path) -> None:
    newer = {"version": summary.VERSION + 1}
    (tmp_path / DONE).write_text(json.dumps(newer))
    with pytest.raises(errors.NewerVersionError, match=f"version {newer['version']}"):
        Dataset(str(tmp_path))
    (tmp_path / DONE).write_text("{")
    with pytest.raises(errors.FormatError, match="damaged"):
        Dataset(str(tmp_path))


def test_no_file_and_no_label_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(errors.MissingFileError, match="no file"):
        fleet_dask.find([str(tmp_path / "*.tmt")])
    with pytest.raises(errors.InvalidArgumentError, match="not of the pattern"):
        fleet.labels_of("/a/b.tmt", "{service}/{host}/{version}/*.tmt")
    assert fleet.labels_of("/a/b/c.tmt", "{host}/*.tmt") == {"host": "b"}


def test_the_command_sums_up_and_asks(folder: Path, tmp_path: Path, cli: Any) -> None:
    to = str(tmp_path / "set")
    done = cli("fleet", "summarize", str(folder), "-o", to, "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert b"6 files read, 0 known" in done.stderr
    statement = "select count(*) as runs from runs"
    done = cli("fleet", "sql", to, statement, "--json")
    assert json.loads(done.stdout) == {"runs": 6}
    assert cli("fleet", "sql", to, statement, "--csv").stdout == b"runs\n6\n"
