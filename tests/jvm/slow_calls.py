# SPDX-License-Identifier: Apache-2.0
"""Programs whose workers make one kind of slow call, in Java and in C, compared with
the workers' own measurements. A worker prints its name, its time in these calls, its
processor time in them, and its total time of waiting for a processor; in ns."""

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import threadmodel

WORKERS = 2
#: the workers, the calls of each, and the microseconds of computing before each call
READ = ("2", "100", "50")
SYNC = ("2", "50", "200")
NAME = ("2", "40", "200")
#: a block of the file; each call reads one
BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class Slow:
    """A run: its model, and the bounds of each worker's time of waiting in calls."""

    model: threadmodel.Model
    bounds: dict[str, tuple[int, int]]

    @property
    def title(self) -> str:
        return str(self.model.verdict()[0]["title"])

    @property
    def cards(self) -> list[dict[str, Any]]:
        return [row for row in self.model.findings() if not row["minor"]]


def slow(model: threadmodel.Model, printed: str) -> Slow:
    lines = [line.split()[1:] for line in printed.splitlines() if "worker " in line]
    bounds = {
        name: (int(calls) - int(cpu) - int(delay), int(calls))
        for name, calls, cpu, delay in lines
    }
    assert len(bounds) == WORKERS
    return Slow(model, bounds)


def file_to_read(folder: Path) -> str:
    """Make a file, on disk, that can be read without the page cache."""
    path = folder / "pages"
    with path.open("wb") as file:
        for _ in range(int(READ[0]) * int(READ[1])):
            file.write(bytes(BLOCK_BYTES))
        os.fsync(file)
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
    except OSError:
        pytest.skip("no reads around the cache in this file system")
    return str(path)


def assert_measured(it: Slow, method: str, thing: str) -> None:
    """Check that each worker's I/O, of that method and with such objects, is as the
    worker measured, within 2 %. Processor time, and the wait for a processor, within a
    call may count as I/O or not."""
    io: defaultdict[str, int] = defaultdict(int)
    for row in it.model.statistics(by=("thread", "object", "method")):
        if thing in str(row["object"]) and str(row["method"]).endswith(method):
            io[row["thread"]] += row["io_total_ns"]
    for worker, (least, most) in it.bounds.items():
        assert least * 0.98 <= io[worker] <= most * 1.02, (worker, least, most)


def assert_found(it: Slow, method: str, thing: str) -> None:
    """Check that the first card about I/O names the cause and the method."""
    card = next(row for row in it.cards if row["kind"] == "io_wait")
    assert thing in card["title"], card["title"]
    assert card["title"].endswith(method), card["title"]
    evidence = it.model.evidence(card)
    assert sum(row["end_ns"] - row["start_ns"] for row in evidence) == card["impact_ns"]


def assert_bound(it: Slow, method: str, thing: str) -> None:
    """Check that the first line and the first of all cards name them."""
    assert it.title.startswith(f"Bound by I/O with {thing} in "), it.title
    assert f"{method}:" in it.title
    assert it.cards[0]["kind"] == "io_wait"
    assert_found(it, method, thing)
