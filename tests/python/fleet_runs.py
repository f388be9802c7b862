# SPDX-License-Identifier: Apache-2.0
"""Recordings for a dataset, workers that sum them up, and the dataset's content."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import pytest

import threadmodel
from test_summary import fill
from threadmodel import fleet_dask, summary
from threadmodel.fleet_dataset import Dataset


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Workers in this process, as Dask is not tested."""
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
        # Seed 2 makes no events, and a dataset refuses such a run.
        fill(writer, 102 if seed == 2 else seed, process)
    return path


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
