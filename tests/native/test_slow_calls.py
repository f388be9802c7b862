# SPDX-License-Identifier: Apache-2.0
"""Native programs whose workers wait for a file, a disk, or a name server."""

from pathlib import Path

import pytest
from recording import completed, program, recorder

import slow_names
import threadmodel
from slow_calls import (
    NAME,
    READ,
    SYNC,
    Slow,
    assert_bound,
    assert_found,
    assert_measured,
    file_to_read,
    slow,
)


def run_of(folder: Path, *arguments: str, names_ms: int | None = None) -> Slow:
    command = recorder(folder / "run.tmt", program("slow_calls"), *arguments)
    done = completed(
        command if names_ms is None else slow_names.isolated(names_ms, *command)
    )
    assert done.returncode == 0, done.stderr
    return slow(threadmodel.open(str(folder / "run.tmt")), done.stdout)


def test_reads_of_a_file_are_the_cause_and_last_as_long_as_each_worker_measured(
    tmp_path: Path,
) -> None:
    it = run_of(tmp_path, "read", file_to_read(tmp_path), *READ)
    assert_measured(it, "load_page", "file ")
    assert_found(it, "load_page", "file ")


def test_syncs_are_the_cause_and_last_as_long_as_each_worker_measured(
    tmp_path: Path,
) -> None:
    it = run_of(tmp_path, "sync", str(tmp_path / "log"), *SYNC)
    assert_measured(it, "commit", "file ")
    assert_found(it, "commit", "file ")


@pytest.mark.skipif(not slow_names.is_possible(), reason="no network of one's own")
def test_look_ups_are_the_cause_and_last_as_long_as_each_worker_measured(
    tmp_path: Path,
) -> None:
    it = run_of(tmp_path, "name", slow_names.DOMAIN, *NAME, names_ms=30)
    assert_measured(it, "resolve", slow_names.DOMAIN)
    assert_bound(it, "resolve", "80 host names")
