# SPDX-License-Identifier: Apache-2.0
"""Services in Java that wait for a database, and services that do not."""

from pathlib import Path

from conftest import Java
from slow_endpoint import assert_bound_by, assert_not_bound, database, serve


def recorded(
    java: Java, folder: Path, answer_ms: float, compute_ms: int, clients: int = 4
) -> int:
    """Record the service to run.tmt, and return the port of its database."""
    with database(answer_ms) as port:
        agent = f"file={folder / 'run.tmt'}"
        serve(java.command("Endpoint", port, compute_ms, agent=agent), clients=clients)
        return port


def test_a_service_that_waits_for_its_database_is_bound_by_it(
    java: Java, tmp_path: Path
):
    port = recorded(java, tmp_path, 10, 0)
    assert_bound_by(tmp_path / "run.tmt", f"127.0.0.1:{port}", "Endpoint.query")


def test_a_service_that_computes_for_longer_is_not(java: Java, tmp_path: Path):
    recorded(java, tmp_path, 0, 12, clients=1)
    assert_not_bound(tmp_path / "run.tmt")
