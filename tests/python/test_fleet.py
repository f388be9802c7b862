# SPDX-License-Identifier: Apache-2.0
"""Many recordings as a dataset: what is in it, and what bad files and stops leave."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import pyarrow
import pytest

import threadmodel
from test_summary import fill
from threadmodel import errors, fleet, fleet_dask, summary
from threadmodel.fleet_dataset import DONE, UNFINISHED, Dataset
from threadmodel.fleet_report import Report
from threadmodel.run import Run


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Workers in this process: what is tested is not Dask."""
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def record(path: Path, seed: int, process: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with threadmodel.Writer(path) as writer:
        # By seed 2 no event is made, and such a run has no place in a dataset.
        fill(writer, 102 if seed == 2 else seed, process)
    return path


class Later:
    """Passes all on, events with a time that is later."""

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


def add(folder: Path, to: Path, client: Any, pattern: str | None = None) -> int:
    marks = fleet_dask.find([str(folder)])
    labels = fleet_dask.labels_by(marks, pattern, {})
    dataset = Dataset(str(to), resume=True)
    return sum(fleet_dask.summarize(marks, dataset, labels, client))


def column(dataset: Path, statement: str) -> list[Any]:
    return [row[0] for row in Dataset(str(dataset)).sql(statement).fetchall()]


def content(whole: summary.Summary) -> dict[str, str | None]:
    return {name: table.to_csv() for name, table in whole.items() if len(table)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(6):
        host = f"shop/host{number % 2}"
        record(tmp_path / "runs" / host / f"{number}.tmt", number, number)
    return tmp_path / "runs"


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
    # Right; never set, three days late, a year ahead.
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


def test_what_a_machine_lacks_is_no_fault_of_a_file(
    trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(*_: object) -> Any:
        raise errors.MissingExtraError("this needs pyarrow")

    monkeypatch.setattr(fleet, "_summarize", lacks)
    with pytest.raises(errors.MissingExtraError):
        fleet.summarize_url(str(trace))


def test_a_bad_file_is_a_row_of_errors(
    folder: Path, tmp_path: Path, client: Any
) -> None:
    to = tmp_path / "set"
    (folder / "noise.tmt").write_bytes(b"\x00\xff" * 500)
    (folder / "empty.tmt").write_bytes(b"")
    (folder / "again.tmt").write_bytes((folder / "shop/host0/0.tmt").read_bytes())
    marks = fleet_dask.find([str(folder)]) | {str(folder / "gone.tmt"): []}
    fleet_dask.summarize(marks, Dataset(str(to)), {}, client)
    assert column(to, "select count(*) from runs") == [6]
    found = dict(Dataset(str(to)).sql("from errors").fetchall())
    assert sorted(Path(url).name for url in found) in (
        ["again.tmt", "empty.tmt", "gone.tmt", "noise.tmt"],
        ["0.tmt", "empty.tmt", "gone.tmt", "noise.tmt"],
    )
    assert any("same content as" in error for error in found.values())


def test_an_error_is_that_of_the_last_try(
    folder: Path, tmp_path: Path, client: Any
) -> None:
    to, bad, worse = tmp_path / "set", folder / "bad.tmt", folder / "worse.tmt"
    for path in (bad, worse):
        path.write_bytes(b"no trace")
    add(folder, to, client)
    assert column(to, "select count(*) from errors") == [2]
    record(bad, 50, 50)
    worse.write_bytes(b"still no trace")
    add(folder, to, client)
    assert column(to, "select url from errors") == [str(worse)]
    record(worse, 51, 51)
    bad.write_bytes(b"no trace again")
    add(folder, to, client)
    assert column(to, "select url from errors") == [str(bad)]
    record(bad, 50, 50)
    add(folder, to, client)
    assert column(to, "select count(*) from errors") == [0]
    assert column(to, "select count(*) from runs") == [8]


def test_a_file_that_cannot_be_opened_is_a_row_of_errors(
    folder: Path, tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root may read all: so refuse it where files are opened.
    denied = str(folder / "shop/host0/0.tmt")
    copied = fleet._copied

    def refuse(url: str, limits: fleet.Limits) -> Any:
        if url == denied:
            raise PermissionError(13, "Permission denied", url)
        return copied(url, limits)

    monkeypatch.setattr(fleet, "_copied", refuse)
    add(folder, tmp_path / "set", client)
    (error,) = column(tmp_path / "set", "select error from errors")
    assert "Permission denied" in error
    assert column(tmp_path / "set", "select count(*) from runs") == [5]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"host\nh\n", "no column url"),
        (b"", "no column url"),
        (b"url,host\na\n", "row 2 has not 2 fields"),
        (b"url,host\na,b,c\n", "row 2 has not 2 fields"),
        (b"url,host\na,b\na,c\n", "a is in it twice"),
        (b"url,pid\na,1\n", "name of a fact, pid"),
        (b"url,run\na,1\n", "name of a fact, run"),
        (b"url,host,host\na,1,2\n", "label 'host' is not a valid name"),
        (b"url,\na,1\n", "label '' is not a valid name"),
        (b"url,host\n\xff,1\n", "can't decode"),
        (b'url,host\n"a,b\n', "unexpected end of data"),
    ],
)
def test_an_invalid_manifest_is_refused(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "manifest.csv"
    path.write_bytes(content)
    with pytest.raises(errors.InvalidArgumentError, match=said) as raised:
        fleet_dask.read_labels(str(path))
    assert str(path) in str(raised.value)
    with pytest.raises(errors.MissingFileError):
        fleet_dask.read_labels(str(tmp_path / "none.csv"))


def test_no_label_hides_a_fact(tmp_path: Path) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="name of a fact, pid"):
        fleet.labels_of("/a/b.tmt", "{pid}/*.tmt")


def test_a_cut_file_is_summed_up_with_its_damage(
    folder: Path, tmp_path: Path, client: Any
) -> None:
    path = folder / "shop/host1/1.tmt"
    path.write_bytes(path.read_bytes()[:-20])
    add(folder, tmp_path / "set", client)
    statement = f"select damage is not null from runs where url = '{path}'"
    assert column(tmp_path / "set", statement) == [True]


def test_what_is_wrong_with_a_file_names_no_copy_of_it(
    folder: Path, tmp_path: Path
) -> None:
    cut, none = folder / "shop/host1/1.tmt", tmp_path / "none.tmt"
    cut.write_bytes(cut.read_bytes()[:-20])
    none.write_text("no trace")
    # The same file gives the same bytes, wherever and whenever it is read.
    assert fleet.summarize_url(str(cut)) == fleet.summarize_url(str(cut))
    damage = json.loads(fleet.summarize_url(str(cut)).facts)["damage"]
    assert damage.startswith("bytes ")
    assert fleet.summarize_url(str(none)).error.startswith("not a recording of any")
    assert fleet.opened(str(cut)).damage == damage


def test_a_file_may_not_be_too_large_or_take_too_long(trace: Path) -> None:
    small = fleet.Limits(file_bytes=10)
    assert fleet.summarize_url(str(trace), small).error == "larger than 10 bytes"
    hasty = fleet.Limits(seconds=-1)
    assert fleet.summarize_url(str(trace), hasty).error == "not copied within -1 s"


def test_an_interruption_leaves_what_was_and_is_continued(
    folder: Path, tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "set"
    monkeypatch.setattr(fleet_dask, "PART", 2)

    def stop(done: int, _: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    marks = fleet_dask.find([str(folder)])
    with pytest.raises(KeyboardInterrupt):
        fleet_dask.summarize(marks, Dataset(str(to)), {}, client, progress=stop)
    assert not (to / DONE).exists()
    # Readers see nothing of it.
    assert Dataset(str(to)).parts == ()
    assert add(folder, to, client) == 2
    assert not (to / UNFINISHED).exists()
    assert column(to, "select count(*) from runs") == [6]


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


def test_a_killed_worker_costs_no_run(folder: Path, tmp_path: Path) -> None:
    for number in range(10, 40):
        record(folder / f"more/{number}.tmt", number, number)
    marks = fleet_dask.find([str(folder)])
    killed: list[int] = []
    with fleet_dask.connected(None, 2, 1 << 30) as client:

        def kill(done: int, _: int) -> None:
            if not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        dataset = Dataset(str(tmp_path / "set"))
        fleet_dask.summarize(marks, dataset, {}, client, progress=kill)
    assert column(tmp_path / "set", "select count(*) from runs") == [36]
    assert not (tmp_path / "set/part-000000/errors.parquet").exists()


@contextlib.contextmanager
def cluster(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A user's own cluster: a scheduler, which is lent, and two workers."""
    address = ["--host", "127.0.0.1", "--port", str(port)]
    python = [sys.executable, "-m"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen(
            [*python, "distributed.cli.dask_scheduler", *address, "--no-dashboard"],
            **quiet,  # type: ignore[call-overload]
        ) as scheduler,
        subprocess.Popen(
            [*python, "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}"]
            + ["--nworkers", "2", "--nthreads", "1", "--no-dashboard"],
            **quiet,  # type: ignore[call-overload]
        ) as workers,
    ):
        try:
            yield scheduler
        finally:
            workers.terminate()
            scheduler.terminate()


def test_a_scheduler_that_is_started_again_goes_on_where_the_first_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "set"
    for number in range(30):
        record(tmp_path / f"runs/{number}.tmt", number, number)
    marks = fleet_dask.find([str(tmp_path / "runs")])
    monkeypatch.setattr(fleet_dask, "PART", 4)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"

    def sum_up(progress: fleet_dask.Progress | None = None) -> int:
        with fleet_dask.connected(address, None, 0) as client:
            dataset = Dataset(str(to), resume=True)
            return sum(
                fleet_dask.summarize(marks, dataset, {}, client, progress=progress)
            )

    with cluster(port) as scheduler:

        def kill(done: int, _: int) -> None:
            if done == 9:
                scheduler.kill()

        with pytest.raises(errors.InputOutputError, match="scheduler was lost"):
            sum_up(kill)
    assert not (to / DONE).exists()
    with cluster(port):
        assert sum_up() <= 22
    assert column(to, "select count(*) from runs") == [30]


class DiesOfDeadlyFiles(distributed.WorkerPlugin):  # type: ignore[misc]
    """A worker that ends where a file is too much for it."""

    def setup(self, worker: Any) -> None:
        read = fleet._summarize

        def read_or_die(url: str, copy: str, limits: fleet.Limits) -> fleet.Result:
            if "deadly" in url:
                os._exit(1)
            return read(url, copy, limits)

        fleet._summarize = read_or_die


def test_a_file_that_ends_its_workers_is_a_row_of_errors_and_no_other_is(
    folder: Path, tmp_path: Path
) -> None:
    record(folder / "deadly.tmt", 99, 99)
    with fleet_dask.connected(None, 2, 1 << 30) as client:
        client.register_plugin(DiesOfDeadlyFiles())
        add(folder, tmp_path / "set", client)
    assert column(tmp_path / "set", "select count(*) from runs") == [6]
    (failed,) = column(tmp_path / "set", "select url from errors")
    assert failed.endswith("deadly.tmt")
