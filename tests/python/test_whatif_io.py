# SPDX-License-Identifier: Apache-2.0
"""The gain from a faster endpoint, compared with services really changed."""

import json
import shlex
from pathlib import Path

import pytest

import threadmodel
from conftest import Cli, one_line
from service import ENDPOINT, Service
from story import KIND, Story
from threadmodel import Model, ObjectKind

# Half of a request is the query; then it needs a lock for less.
SLOW = {"query_ms": 5.0, "hold_ms": 0.2}
DATABASE, FILE = 10, 11


@pytest.mark.parametrize("query_ms", [2.5, 1.0])
def test_a_faster_endpoint_serves_as_many_requests_as_were_measured(
    query_ms: float,
) -> None:
    before = Service(**SLOW, asks=True)
    after = Service(query_ms=query_ms, hold_ms=0.2, asks=True)
    (row,) = before.model().whatif(
        object=ENDPOINT, change="io", factor=query_ms / SLOW["query_ms"]
    )
    assert row["throughput_now"] == pytest.approx(before.rate(), rel=0.05)
    assert row["throughput_low"] <= after.rate() <= row["throughput_high"]
    assert row["throughput"] == pytest.approx(after.rate(), rel=0.15)
    assert row["latency_p99_ns"] == pytest.approx(after.p99_ns(), rel=0.25)
    assert row["object"] == ENDPOINT


def test_it_is_the_change_of_a_method_in_which_all_of_the_io_is() -> None:
    model = Service(**SLOW, asks=True).model()
    (endpoint,) = model.whatif(object=ENDPOINT, change="io", factor=0.5)
    (method,) = model.whatif(method="app.Query.run", change="method", factor=0.5)
    for column in ("throughput", "latency_ns", "latency_p99_ns"):
        assert endpoint[column] == pytest.approx(method[column], rel=0.01), column


def test_a_lock_that_decides_leaves_little_to_gain_from_the_endpoint() -> None:
    """The lock is held for so long that no more than one request in 4 ms gets it."""
    busy = Service(query_ms=5, hold_ms=4, asks=True)
    faster = Service(query_ms=0.5, hold_ms=4, asks=True)
    (row,) = busy.model().whatif(object=ENDPOINT, change="io", factor=0.1)
    assert row["throughput"] == pytest.approx(faster.rate(), rel=0.1)
    assert row["throughput"] < row["throughput_now"] * 1.1


def batch() -> Model:
    """Thread 1 asks the database ten times for 8 of 10 ms, thread 2 waits for it."""
    story = Story(2)
    story.model.define_object(DATABASE, 2, kind=ObjectKind.SOCKET, name=ENDPOINT)
    story.model.define_object(FILE, 2, kind=ObjectKind.FILE, name="app.log")
    for turn in range(10):
        story.at(10 * turn + 1, 1, KIND.AWAIT, object=DATABASE)
        story.at(10 * turn + 9, 1, KIND.AWAITED, object=DATABASE)
    story.at(0.5, 2, KIND.AWAIT, object=FILE)
    story.at(3.5, 2, KIND.AWAITED, object=FILE)
    story.at(4, 2, KIND.THREAD_END)
    story.at(100, 1, KIND.THREAD_END).findings()
    return story.model


def test_a_batch_is_shorter_by_what_its_thread_no_longer_waits() -> None:
    (row,) = batch().whatif(object=ENDPOINT, change="io", factor=0.5)
    assert row["gain_ns"] == pytest.approx(40e6, rel=0.01)
    assert (row["scaled"], row["scaled_ns"]) == (10, 80_000_000)
    assert row["gain_low_ns"] <= row["gain_ns"] <= row["gain_high_ns"]


def test_io_with_another_endpoint_and_idle_io_stay_as_long() -> None:
    (row,) = batch().whatif(object="app.log", change="io")
    assert (row["gain_ns"], row["scaled"]) == (0, 1)
    story = Story(1)
    story.model.define_object(DATABASE, 2, kind=ObjectKind.SOCKET, name=ENDPOINT)
    story.at(1, 1, KIND.AWAIT, object=DATABASE, flags=threadmodel.EventFlag.IDLE)
    story.at(9, 1, KIND.AWAITED, object=DATABASE)
    story.at(10, 1, KIND.THREAD_END).findings()
    (row,) = story.model.whatif(object=ENDPOINT, change="io")
    assert row["gain_ns"] is None
    assert "cannot tell" in row["note"]


def test_an_endpoint_is_asked_of_by_its_name_and_alone() -> None:
    model = batch()
    with pytest.raises(threadmodel.NotFoundError, match=r"no object 10\.0\.0\.8"):
        model.whatif(object="10.0.0.8", change="io")
    for other in ({"method": "demo.Lock.transfer"}, {"class_name": "demo.Lock"}):
        with pytest.raises(threadmodel.InvalidArgumentError, match="alone"):
            model.whatif(object=ENDPOINT, change="io", **other)
    with pytest.raises(threadmodel.InvalidArgumentError, match="alone"):
        model.whatif(method="demo.Lock.transfer", change="io")


def written(service: Service, path: Path) -> Path:
    with threadmodel.Writer(path) as writer:
        service.fill(writer)
    return path


def test_a_ranking_has_what_findings_are_about_beside_locks(tmp_path: Path) -> None:
    model = Service(permits=3, hold_ms=0.5, asks=True).model()
    rows = list(model.whatif_rank(factor=0.5))
    found = {
        (row["change"], row["class"] or row["object"] or row["method"]) for row in rows
    }
    assert ("io", ENDPOINT) in found
    assert ("holds", "app.Stock") in found
    assert any(change == "permits" for change, _ in found)
    gains = [row["gain_ns"] for row in rows]
    assert gains == sorted(gains, reverse=True)
    (asked,) = model.whatif(object=ENDPOINT, change="io", factor=0.5)
    (ranked,) = (row for row in rows if row["change"] == "io")
    assert ranked == asked


def test_each_row_of_a_ranking_has_the_command_that_asks_for_it(
    cli: Cli, tmp_path: Path
) -> None:
    path = written(Service(permits=3, hold_ms=0.5, asks=True), tmp_path / "run.tmt")
    lines = cli("whatif", path, "--factor", "0.5").stdout.decode().splitlines()
    commands = [line.strip() for line in lines if " whatif " in line]
    assert len(commands) >= 3
    assert any(f"--endpoint {ENDPOINT} --factor 0.5" in it for it in commands)
    for command in commands:
        words = shlex.split(command[command.index("whatif ") :])
        done = cli(*words, "--json")
        assert done.returncode == 0, done.stderr
        (row,) = json.loads(done.stdout)
        assert row["throughput"] is not None, command


def test_the_card_of_an_endpoint_leads_to_what_it_predicts(
    cli: Cli, tmp_path: Path
) -> None:
    service = Service(**SLOW, asks=True)
    path = written(service, tmp_path / "run.tmt")
    lines = cli("report", path).stdout.decode().splitlines()
    assert ENDPOINT in lines[0]
    (command,) = (line for line in lines if " whatif " in line)
    assert f"--endpoint {ENDPOINT}" in command
    done = cli(*shlex.split(command[command.index("whatif ") :]))
    assert b"Requests: " in done.stdout
    (row,) = (it for it in service.model().findings() if it["kind"] == "io_wait")
    assert row["object"] == ENDPOINT
    assert not row["minor"]
    assert "99 % of them for " in row["waits"]
    assert "If it took no time, there would be " in row["gain"]


def test_what_cannot_be_asked_is_refused(cli: Cli, tmp_path: Path) -> None:
    path = written(Service(**SLOW, asks=True), tmp_path / "run.tmt")
    for options in (
        ("--endpoint", ENDPOINT, "--change", "holds"),
        ("--endpoint", ENDPOINT, "--object", ENDPOINT),
        ("--change", "io"),
    ):
        done = cli("whatif", path, *options)
        assert done.returncode == 2
        assert "--endpoint" in one_line(done.stderr)
