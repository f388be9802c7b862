# SPDX-License-Identifier: Apache-2.0
"""Fleet trusts no input: it refuses files that are not regular, damaged datasets, and a
second job on one dataset."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from fleet_runs import column, record
from threadmodel import errors, fleet, fleet_dask
from threadmodel.fleet_dataset import DONE, LOCK, UNFINISHED, Dataset

COMMAND = [sys.executable, "-m", "threadmodel", "fleet"]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return record(tmp_path / "run.tmt", 1)


@pytest.fixture
def dataset(tmp_path: Path, trace: Path) -> Path:
    """A dataset with a part of one run, and a part of one error."""
    to = tmp_path / "set"
    for url in (str(trace), str(tmp_path / "missing.tmt")):
        made = Dataset(str(to))
        made.add([fleet.summarize_url(url)], {url: [url]}, {})
        made.finish()
    return to


@pytest.mark.parametrize("target", ["/dev/zero", "/dev/urandom", "fifo"])
def test_what_is_no_regular_file_is_a_row_of_errors_at_once(
    tmp_path: Path, target: str
) -> None:
    os.mkfifo(tmp_path / "fifo")
    link = tmp_path / "link.tmt"
    link.symlink_to(tmp_path / target)
    began = time.monotonic()
    result = fleet.summarize_url(str(link))
    assert "not a regular file" in result.error
    assert time.monotonic() - began < 30


def test_a_file_larger_than_it_states_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of /proc have a size of 0."""
    stated = Path("/proc/self/maps")
    assert stated.stat().st_size == 0
    limits = fleet.Limits(file_bytes=100)
    assert fleet.summarize_url(str(stated), limits).error == "larger than 100 bytes"


def test_copying_has_a_time_limit(trace: Path) -> None:
    hasty = fleet.Limits(seconds=-1)
    assert "within -1 s" in fleet.summarize_url(str(trace), hasty).error


def test_a_killed_worker_leaves_no_copy(tmp_path: Path, trace: Path) -> None:
    """The copy has no name, so that there is nothing to clean up."""
    folder = tmp_path / "copies"
    folder.mkdir()
    code = (
        "import os, signal, sys; from threadmodel import fleet\n"
        "fleet._read = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "fleet.summarize_url(sys.argv[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, trace],
        env={**os.environ, "TMPDIR": str(folder)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert list(folder.iterdir()) == []
    assert tempfile.gettempdir() != str(folder)


def test_a_name_that_is_not_utf_8_is_a_row_of_errors(
    tmp_path: Path, trace: Path
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    shutil.copy(trace, os.path.join(os.fsencode(folder), b"a\xff.tmt"))
    shutil.copy(trace, folder / "good.tmt")
    to = str(tmp_path / "set")
    command = [*COMMAND, "summarize", folder, "-o", to, "--workers", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1 could not be read" in done.stderr
    assert column(Path(to), "select error from errors") == [fleet_dask.NOT_UTF8]
    assert column(Path(to), "select url from errors") == [rf"{folder}/a\xff.tmt"]


def test_a_name_with_signs_of_a_pattern_is_that_file(
    tmp_path: Path, trace: Path
) -> None:
    odd = tmp_path / "run[1].tmt"
    shutil.copy(trace, odd)
    assert list(fleet_dask.find([str(odd)])) == [str(odd)]


def test_of_two_jobs_on_one_dataset_one_is_refused(tmp_path: Path, trace: Path) -> None:
    to = tmp_path / "set"
    one, other = Dataset(str(to), resume=True), Dataset(str(to), resume=True)
    result = fleet.summarize_url(str(trace))
    with (
        one.writing(),
        pytest.raises(errors.InputOutputError, match="another job is adding"),
    ):
        other.add([result], {str(trace): []}, {})
    # The job began with the old content, which has changed since.
    one.add([result], {str(trace): []}, {})
    one.finish()
    with pytest.raises(errors.InputOutputError, match="another job has changed"):
        other.add([result], {str(trace): []}, {})
    assert len(column(to, "select run from runs")) == 1


def test_of_two_commands_on_one_dataset_no_run_is_lost(
    tmp_path: Path, trace: Path
) -> None:
    to = tmp_path / "set"
    another = record(tmp_path / "another.tmt", 2)
    jobs = [
        subprocess.Popen(
            [*COMMAND, "summarize", file, "-o", to, "--workers", "1"],
            stderr=subprocess.PIPE,
            text=True,
        )
        for file in (trace, another)
    ]
    said = [job.communicate(timeout=300)[1] for job in jobs]
    succeeded = [job for job in jobs if job.returncode == 0]
    assert succeeded, said
    assert len(column(to, "select run from runs")) == len(succeeded)
    for job, text in zip(jobs, said, strict=True):
        assert job.returncode == 0 or "another job" in text


def test_a_dataset_whose_name_is_a_pattern_is_that_one(
    tmp_path: Path, trace: Path
) -> None:
    for name, seed in (("st*r", 1), ("star", 2)):
        url = str(record(tmp_path / f"{seed}.tmt", seed))
        made = Dataset(str(tmp_path / name))
        made.add([fleet.summarize_url(url)], {url: []}, {})
        made.finish()
    assert column(tmp_path / "st*r", "select url from runs") == [
        str(tmp_path / "1.tmt")
    ]


def changed(**fields: Any) -> Any:
    def damage(folder: Path) -> None:
        state = json.loads((folder / DONE).read_text())
        (folder / DONE).write_text(json.dumps({**state, **fields}))

    return damage


def written(text: bytes) -> Any:
    return lambda folder: (folder / DONE).write_bytes(text)


def replaced(name: str, table: pyarrow.Table | bytes) -> Any:
    def damage(folder: Path) -> None:
        path = folder / "part-000000" / f"{name}.parquet"
        if isinstance(table, bytes):
            path.write_bytes(table)
        else:
            parquet.write_table(table, path)

    return damage


def fifo(folder: Path) -> None:
    (folder / DONE).unlink()
    os.mkfifo(folder / DONE)


DAMAGES = {
    "not JSON": written(b"{"),
    "not UTF-8": written(b'{"version": "\xff"}'),
    "an array": written(b"[]"),
    "a number": written(b"1"),
    "nested deeply": written(b"[" * 100_000),
    "nothing": written(b""),
    "no fields": written(b'{"version": 1}'),
    "a version as text": changed(version="1"),
    "a version below 1": changed(version=-1),
    "parts, not a list": changed(parts="part-000000"),
    "a part elsewhere": changed(parts=["../star"]),
    "a part that is a number": changed(parts=[1]),
    "a part that is gone": lambda folder: shutil.rmtree(folder / "part-000000"),
    "files, not an object": changed(files=[]),
    "a file without a run": changed(files={"a": {"mark": []}}),
    "replaced, not a list": changed(replaced={}),
    "a fifo": fifo,
    "a table of garbage": replaced("runs", b"PAR1 garbage"),
    "an empty table": replaced("findings", b""),
    "a table of other columns": replaced("runs", pyarrow.table({"a": [1]})),
    "findings of other columns": replaced("findings", pyarrow.table({"run": ["a"]})),
}


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("verb", [["report"], ["sql", "from runs"]])
def test_a_damaged_dataset_is_one_line_and_status_2(
    dataset: Path, cli: Any, name: str, verb: list[str]
) -> None:
    DAMAGES[name](dataset)
    done = cli("fleet", verb[0], dataset, *verb[1:])
    if name == "findings of other columns" and verb[0] == "sql":
        # The statement reads another table.
        assert done.returncode == 0
        return
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert b"Traceback" not in done.stderr


def test_a_job_refuses_a_damaged_dataset(dataset: Path, trace: Path, cli: Any) -> None:
    (dataset / UNFINISHED).write_text("{}")
    done = cli("fleet", "summarize", trace, "-o", dataset)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert (dataset / LOCK).exists()
