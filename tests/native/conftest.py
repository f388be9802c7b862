# SPDX-License-Identifier: Apache-2.0
"""Recordings that several tests look at."""

from pathlib import Path

import pytest
from recording import PROGRAMS, program, record

import threadmodel


@pytest.fixture(scope="session", autouse=True)
def _recorder() -> None:
    if not (PROGRAMS / "native_contended").exists():
        pytest.skip("no native recorder is built")


@pytest.fixture(scope="module")
def contended(tmp_path_factory: pytest.TempPathFactory) -> threadmodel.Model:
    trace = tmp_path_factory.mktemp("native") / "run.tmt"
    assert record(trace, program("contended")).returncode == 0
    return threadmodel.open(str(trace))


@pytest.fixture(scope="module")
def cplusplus(tmp_path_factory: pytest.TempPathFactory) -> threadmodel.Model:
    if not Path(program("cplusplus")).exists():
        pytest.skip("no compiler of C++")
    trace = tmp_path_factory.mktemp("native") / "run.tmt"
    assert record(trace, program("cplusplus")).returncode == 0
    return threadmodel.open(str(trace))
