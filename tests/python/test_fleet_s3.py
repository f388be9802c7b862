# SPDX-License-Identifier: Apache-2.0
"""Recordings and summaries in an object store: a real S3 server on this machine."""

import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import fsspec
import pytest
from moto.server import ThreadedMotoServer

from fleet_runs import client as client
from fleet_runs import content, record
from threadmodel import fleet_dask
from threadmodel.fleet_dataset import DONE, Dataset


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    # Its content lives in this process, and would outlive the server.
    urllib.request.urlopen(f"{url}/moto-api/reset", b"").close()
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    boto3.client("s3").create_bucket(Bucket="bucket")
    fsspec.filesystem("s3").clear_instance_cache()
    yield boto3.client("s3")
    fsspec.filesystem("s3").clear_instance_cache()
    server.stop()


def summarized(url: str, to: str, client: Any, pattern: str = "{host}/*.tmt") -> int:
    marks = fleet_dask.find([url])
    labels = fleet_dask.labels_by(marks, pattern, {})
    return sum(fleet_dask.summarize(marks, Dataset(to), labels, client))


def test_recordings_in_a_store_make_the_dataset_that_files_make(
    store: Any, tmp_path: Path, client: Any
) -> None:
    for number in range(4):
        name = f"host{number % 2}/{number}.tmt"
        path = record(tmp_path / "runs" / name, number, number)
        store.upload_file(str(path), "bucket", f"runs/{name}")
    there = "s3://bucket/runs/**/*.tmt"
    assert summarized(there, "s3://bucket/set", client) == 4
    assert summarized(there, "s3://bucket/set", client) == 0
    assert summarized(str(tmp_path / "runs"), str(tmp_path / "set"), client) == 4
    stored, local = Dataset("s3://bucket/set"), Dataset(str(tmp_path / "set"))
    assert content(stored.summary()) == content(local.summary())


def test_an_object_that_changes_is_read_again_and_one_that_vanishes_is_an_error(
    store: Any, tmp_path: Path, client: Any
) -> None:
    for number in range(2):
        path = record(tmp_path / f"{number}.tmt", number, number)
        store.upload_file(str(path), "bucket", f"runs/h/{number}.tmt")
    summarized("s3://bucket/runs/h", "s3://bucket/set", client)
    longer = record(tmp_path / "longer.tmt", 7, 7)
    store.upload_file(str(longer), "bucket", "runs/h/0.tmt")
    fsspec.filesystem("s3").invalidate_cache()
    marks = fleet_dask.find(["s3://bucket/runs/h"]) | {"s3://bucket/gone.tmt": []}
    dataset = Dataset("s3://bucket/set")
    assert fleet_dask.summarize(marks, dataset, {}, client) == (1, 1)
    assert len(dataset.replaced) == 1
    names = [item["Key"] for item in store.list_objects(Bucket="bucket")["Contents"]]
    assert f"set/{DONE}" in names
    assert "set/unfinished.json" not in names
    assert any(name.endswith("errors.parquet") for name in names)
