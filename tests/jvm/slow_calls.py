# SPDX-License-Identifier: Apache-2.0
"""Programs whose workers make one kind of slow call, in Java and in C, beside what each
worker measured. A worker prints its name, for how long it was in these calls, for how
long it had a processor in them, and for how long it wanted one in all; in ns."""

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import threadmodel

WORKERS = 2
#: how many workers, calls of each, and microseconds that it computes before each
READ = ("2", "100", "50")
SYNC = ("2", "50", "200")
NAME = ("2", "40", "200")
#: of the file that is read, a block for each call
BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class Slow:
    """A run: the calls of each worker, and the most and least of a wait in them."""

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
    """Give one that can be read around the cache; what was made is on the disk."""
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
    """Check that the I/O of each worker, of that method and with such things, is what
    the worker measured, within 2 %. What a call used a processor for, or wanted one
    for, may be a part of it or not."""
    io: defaultdict[str, int] = defaultdict(int)
    for row in it.model.statistics(by=("thread", "object", "method")):
        if thing in str(row["object"]) and str(row["method"]).endswith(method):
            io[row["thread"]] += row["io_total_ns"]
    for worker, (least, most) in it.bounds.items():
        assert least * 0.98 <= io[worker] <= most * 1.02, (worker, least, most)


def assert_found(it: Slow, method: str, thing: str) -> None:
    """Check that the first card about I/O names the cause and who asks for it."""
    card = next(row for row in it.cards if row["kind"] == "io_wait")
    assert thing in card["title"], card["title"]
    assert card["title"].endswith(method), card["title"]
    evidence = it.model.evidence(card)
    assert sum(row["end_ns"] - row["start_ns"] for row in evidence) == card["impact_ns"]


def assert_bound(it: Slow, method: str, thing: str) -> None:
    """Check that the first line does, and the first of all cards."""
    assert it.title.startswith(f"Bound by I/O with {thing} in "), it.title
    assert f"{method}:" in it.title
    assert it.cards[0]["kind"] == "io_wait"
    assert_found(it, method, thing)
