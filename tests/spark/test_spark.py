# SPDX-License-Identifier: Apache-2.0
"""Many recordings in Spark, by workers in processes of their own, beside Dask."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import distributed
import pytest

import threadmodel
from threadmodel import fleet, fleet_dask
from threadmodel.fleet_dataset import Dataset

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SPARK = Path(os.environ.get("TM_TEST_SPARK", ROOT / ".venv/spark"))
PACKAGE = Path(threadmodel.__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "docs/examples").glob("*/*.tmt"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings of real programs, one of them cut, one twice, and another file."""
    folder = tmp_path_factory.mktemp("runs")
    for number, path in enumerate(EXAMPLES):
        shutil.copy(path, folder / f"{number}.tmt")
    whole = EXAMPLES[0].read_bytes()
    (folder / "cut.tmt").write_bytes(whole[: len(whole) * 2 // 3])
    (folder / "none.tmt").write_text("no trace")
    (folder / "twice.tmt").write_bytes(whole)
    return folder


@pytest.fixture(scope="module")
def results(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[fleet.Result]:
    if not SPARK.exists():
        pytest.skip(f"no Spark in {SPARK}: ./dev check spark brings it")
    output = tmp_path_factory.mktemp("spark") / "results"
    files = [*map(str, sorted(folder.iterdir())), str(folder / "gone.tmt")]
    done = subprocess.run(
        [sys.executable, HERE / "job.py", output, *files],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd=output.parent,
        env={
            **os.environ,
            "PYTHONPATH": f"{PACKAGE}{os.pathsep}{SPARK}",
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [fleet.Result(*row) for row in pickle.loads(output.read_bytes())]


def test_spark_gives_the_bytes_that_a_worker_of_dask_gives(
    results: list[fleet.Result], folder: Path
) -> None:
    assert len(results) == len(EXAMPLES) + 4
    assert results == [fleet.summarize_url(result.url) for result in results]
    failed = {Path(result.url).name for result in results if result.error}
    assert failed == {"gone.tmt", "none.tmt"}


def test_a_dataset_of_either_is_the_same_file_by_file(
    results: list[fleet.Result], folder: Path, tmp_path: Path
) -> None:
    marks = fleet_dask.find([str(folder)])
    labels = fleet_dask.labels_by(marks, None, {})
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        by_dask = Dataset(str(tmp_path / "dask"))
        fleet_dask.summarize(marks, by_dask, labels, client)
    by_spark = Dataset(str(tmp_path / "spark"))
    found = [result for result in results if result.url in marks]
    by_spark.add(found, marks, labels)
    by_spark.finish()
    files = {
        path.relative_to(tmp_path / "dask"): path.read_bytes()
        for path in (tmp_path / "dask").rglob("*")
        if path.is_file()
    }
    assert files
    for name, content in files.items():
        assert (tmp_path / "spark" / name).read_bytes() == content, name
