# SPDX-License-Identifier: Apache-2.0
"""I/O of goroutines: by the functions of Go on their stacks."""

import shutil
import subprocess
from pathlib import Path

import pytest

import threadmodel
from slow_endpoint import assert_bound_by, assert_not_bound, database, serve

PROGRAM = Path(__file__).resolve().parents[1] / "go/endpoint"
GO = shutil.which("go")

pytestmark = pytest.mark.skipif(GO is None, reason="there is no go")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("go") / "endpoint"
    subprocess.run([str(GO), "build", "-o", path, "."], cwd=PROGRAM, check=True)
    return path


def recorded(
    program: Path, folder: Path, answer_ms: float, compute_ms: int, clients: int = 4
) -> Path:
    trace = folder / "trace.out"
    with database(answer_ms) as port:
        serve([str(program), str(trace), str(port), str(compute_ms)], None, clients)
    return trace


def test_a_service_that_waits_for_its_database_is_bound_by_it(
    program: Path, tmp_path: Path
) -> None:
    trace = recorded(program, tmp_path, 10, 0)
    assert_bound_by(trace, "the network in main.(*server).query:", "(*server).query")


def test_a_service_that_computes_for_longer_is_not(
    program: Path, tmp_path: Path
) -> None:
    assert_not_bound(recorded(program, tmp_path, 0, 12, clients=1))


def test_what_others_begin_is_idle(program: Path, tmp_path: Path) -> None:
    model = threadmodel.open(recorded(program, tmp_path, 5, 0))
    idle: dict[str, set[bool]] = {}
    for row in model.timeline():
        if row["state"] == "io":
            name = str(row["object"]).rpartition(":")[0]
            idle.setdefault(name, set()).add(row["idle"])
    assert idle["connections in main.(*server).accept"] == {True}
    assert True in idle["the network in main.(*server).serve"]
    assert idle["the network in main.(*server).query"] == {False}
