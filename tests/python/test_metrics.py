# SPDX-License-Identifier: Apache-2.0
"""Metrics of a live recording, read by Prometheus' own parser."""

import http.client
import socket
import time
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from conftest import Cli
from test_listen import connect, first_block_end, listening
from threadmodel import Event, EventKind
from threadmodel.cli import metrics

parser = pytest.importorskip("prometheus_client.parser")

STATES = ("blocked", "reentering", "waiting", "joining", "parked")


def parsed(text: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Return samples by name and by the values of their labels; each occurs once."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in parser.text_string_to_metric_families(text):
        assert family.documentation
        assert family.type in ("counter", "gauge")
        for sample in family.samples:
            assert sample.name.endswith("_total") == (family.type == "counter")
            values = found.setdefault(sample.name, {})
            key = tuple(sample.labels.values())
            assert key not in values
            values[key] = sample.value
    return found


def check(model: threadmodel.Model) -> None:
    found = parsed(metrics.Metrics(model).render())
    row: dict[str, Any] = next(iter(model.total()), {})
    for state in STATES:
        count = found["threadmodel_blocking_intervals_total"][(state,)]
        assert count == row.get(f"{state}_count", 0)
        seconds = found["threadmodel_blocking_seconds_total"][(state,)]
        assert seconds == pytest.approx(row.get(f"{state}_total_ns", 0) / 1e9)
    by_class = found.get("threadmodel_lock_blocked_seconds_total", {})
    queued = found["threadmodel_blocking_seconds_total"]
    assert sum(by_class.values()) == pytest.approx(
        queued[("blocked",)] + queued[("reentering",)]
    )
    alive = [row for row in model.threads() if row["state"] != "dead"]
    assert sum(found.get("threadmodel_threads", {}).values()) == len(alive)
    assert found["threadmodel_events_total"][()] == model.event_count


def test_metrics_are_the_sums_of_the_tables(
    model: threadmodel.Model, hostile: threadmodel.Model
) -> None:
    check(model)
    check(hostile)
    check(threadmodel.Model())


def test_a_counter_does_not_fall_when_a_wait_turns_out_to_be_a_block() -> None:
    kind = EventKind
    model = threadmodel.Model()
    page = metrics.Metrics(model)
    seen: dict[tuple[str, tuple[str, ...]], float] = {}
    for event in (
        Event(0, 1, kind.WAIT, object=1),
        Event(50, 2, kind.WAIT, object=2),
        Event(60, 3, kind.NOTIFY, object=1),
        Event(100, 1, kind.WAITED, object=1),
        Event(120, 2, kind.WAITED, object=2),
    ):
        model.ingest([event])
        for name, values in parsed(page.render()).items():
            if name.endswith("_total"):
                for labels, value in values.items():
                    assert value >= seen.get((name, labels), 0), (name, labels)
                    seen[name, labels] = value
    assert seen["threadmodel_blocking_seconds_total", ("waiting",)] > 0


def get(address: str, path: str = "/metrics") -> tuple[int, str]:
    peer = http.client.HTTPConnection(address, timeout=30)
    peer.request("GET", path)
    answer = peer.getresponse()
    return answer.status, answer.read().decode()


def test_a_live_recording_is_scraped_while_it_comes(
    trace: Path, tmp_path: Path
) -> None:
    whole = trace.read_bytes()
    half = first_block_end(whole)
    port = free_port()
    with listening(
        "127.0.0.1:0", "--metrics", f":{port}", folder=tmp_path, skip_lines=1
    ) as (process, at):
        with connect(at) as peer:
            peer.sendall(whole[:half])
            address = f"127.0.0.1:{port}"
            # A scraper that disconnects without a request does not delay others.
            socket.create_connection(("127.0.0.1", port)).close()
            assert events_at_least(address, 0) >= 0
            peer.sendall(whole[half:])
            least = threadmodel.open(trace).event_count
            assert events_at_least(address, least) == least
            assert get(address, "/secrets")[0] == 404
            # Nor do scrapers that stay without a request.
            silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(8)]
            began = time.monotonic()
            assert get(address)[0] == 200
            assert time.monotonic() - began < metrics.PATIENCE_S
            for one in silent:
                one.close()
        process.communicate(timeout=60)
    assert process.returncode == 0


def events_at_least(address: str, least: float) -> float:
    """Scrape until this many events have arrived."""
    deadline = time.monotonic() + 60
    while True:
        status, text = get(address)
        assert status == 200
        events = parsed(text)["threadmodel_events_total"][()]
        if events >= least or time.monotonic() > deadline:
            assert events >= least
            return events
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_an_address_that_cannot_be_is_named(cli: Cli) -> None:
    done = cli("listen", ":0", "--metrics", "unix:x")
    assert done.returncode == 2
    assert b"'unix:x' is neither HOST:PORT" in done.stderr
