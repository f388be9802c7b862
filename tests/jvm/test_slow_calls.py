# SPDX-License-Identifier: Apache-2.0
"""Java programs whose workers wait for a file, a disk, or a name server."""

from pathlib import Path

import pytest

import slow_names
import threadmodel
from conftest import Java
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


def run_of(java: Java, *arguments: str, names_ms: int | None = None) -> Slow:
    trace = java.folder / "run.tmt"
    command = java.command("SlowCalls", *arguments, agent=f"file={trace}")
    done = java.run(
        command if names_ms is None else slow_names.isolated(names_ms, *command)
    )
    assert done.returncode == 0, done.stderr
    return slow(threadmodel.open(trace), done.stdout)


def test_reads_of_a_file_are_the_cause_and_last_as_long_as_each_worker_measured(
    java: Java, tmp_path: Path
):
    it = run_of(java, "read", file_to_read(tmp_path), *READ)
    assert_measured(it, "loadPage", "file ")
    assert_found(it, "loadPage", "file ")


def test_syncs_are_the_cause_and_last_as_long_as_each_worker_measured(
    java: Java, tmp_path: Path
):
    it = run_of(java, "sync", str(tmp_path / "log"), *SYNC)
    assert_measured(it, "commit", "file ")
    assert_found(it, "commit", "file ")


@pytest.mark.skipif(not slow_names.is_possible(), reason="no network of one's own")
def test_look_ups_are_the_cause_and_last_as_long_as_each_worker_measured(java: Java):
    it = run_of(java, "name", slow_names.DOMAIN, *NAME, names_ms=30)
    assert_measured(it, "resolve", slow_names.DOMAIN)
    assert_bound(it, "resolve", "80 host names")
