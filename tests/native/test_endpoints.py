# SPDX-License-Identifier: Apache-2.0
"""Services in C that wait for a database, and that do not."""

import sys
from pathlib import Path

from recording import environment, program

from slow_endpoint import assert_bound_by, assert_not_bound, database, serve


def recorded(folder: Path, answer_ms: float, compute_ms: int, clients: int = 4) -> int:
    """Record the service to run.tmt, and return the port of its database."""
    with database(answer_ms) as port:
        record = [sys.executable, "-m", "threadmodel", "record", "--native"]
        record += ["-o", str(folder / "run.tmt"), "--", str(program("endpoint"))]
        serve([*record, str(port), str(compute_ms)], environment(), clients)
        return port


def test_a_service_that_waits_for_its_database_is_bound_by_it(tmp_path: Path) -> None:
    port = recorded(tmp_path, 10, 0)
    assert_bound_by(tmp_path / "run.tmt", f"127.0.0.1:{port}", "query")


def test_a_service_that_computes_for_longer_is_not(tmp_path: Path) -> None:
    recorded(tmp_path, 0, 12, clients=1)
    assert_not_bound(tmp_path / "run.tmt")
