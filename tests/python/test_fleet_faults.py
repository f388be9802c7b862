# SPDX-License-Identifier: Apache-2.0
"""A dataset of many recordings after bad files, killed workers and interruptions."""

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
import pytest

from fleet_runs import add, column, record
from fleet_runs import client as client
from fleet_runs import folder as folder
from threadmodel import errors, fleet, fleet_dask
from threadmodel.fleet_dataset import DONE, UNFINISHED, Dataset


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
    # Root may read any file, so opening refuses this one.
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
    # Readers do not see the unfinished part.
    assert Dataset(str(to)).parts == ()
    assert add(folder, to, client) == 2
    assert not (to / UNFINISHED).exists()
    assert column(to, "select count(*) from runs") == [6]


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
    """A worker that is killed when a file exceeds its memory."""

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
