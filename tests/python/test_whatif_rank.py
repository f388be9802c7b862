# SPDX-License-Identifier: Apache-2.0
"""The ranking of what-ifs where there are requests: by requests, not by the run."""

import shlex
from pathlib import Path

import pytest

import threadmodel
from conftest import Cli
from service import Service
from threadmodel import Ending, EventKind


@pytest.fixture(scope="module")
def service() -> Service:
    """Each request holds one lock for two of its seven milliseconds."""
    return Service(hold_ms=2, query_ms=5)


def test_what_requests_wait_for_is_tried(service: Service) -> None:
    model = service.model()
    ranked = list(model.whatif_rank())
    assert [row["class"] for row in ranked][:1] == ["app.Stock"]
    asked = next(iter(model.whatif("app.Stock")))
    for column in ("throughput_now", "throughput", "throughput_low", "gain_ns"):
        assert ranked[0][column] == asked[column], column
    assert ranked[0]["throughput_now"] == pytest.approx(service.rate(), rel=0.05)
    changed = Service(hold_ms=0, query_ms=5).rate()
    assert ranked[0]["throughput_low"] <= changed <= ranked[0]["throughput_high"]


def test_the_largest_gain_of_requests_comes_first() -> None:
    model = Service(hold_ms=1, query_ms=1, loads_ms=1, loads_each=True).model()
    rates = [row["throughput"] for row in model.whatif_rank()]
    assert len(rates) > 1
    assert rates == sorted(rates, reverse=True)


def test_no_replay_stands_behind_a_service(service: Service) -> None:
    caveats = " ".join(service.model().whatif_rank().caveats)
    assert "as long as its load" in caveats
    assert "replay" not in caveats


def test_a_program_that_went_on_is_measured_by_its_requests(service: Service) -> None:
    asked = {}
    for ending in (Ending.UNKNOWN, Ending.WENT_ON):
        model = threadmodel.Model()
        # Without it, nothing shows that requests come from outside.
        service.fill(model, ending=ending, without={EventKind.CPU_TIME})
        asked[ending] = next(iter(model.whatif("app.Stock")))
    by_length, by_requests = asked.values()
    assert by_requests["throughput"] == by_length["throughput"]
    now, then = by_requests["throughput_now"], by_requests["throughput"]
    length_ns = by_requests["length_ns"] + by_requests["gain_ns"]
    assert by_requests["gain_ns"] / length_ns == pytest.approx(1 - now / then, rel=0.01)
    assert by_length["gain_ns"] < by_requests["gain_ns"] / 4


def test_requests_are_shown_before_the_run(
    cli: Cli, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "run.tmt"
    with threadmodel.Writer(path) as writer:
        service.fill(writer)
    lines = cli("whatif", path).stdout.decode().splitlines()
    assert lines[1].strip().startswith("Requests: ")
    assert "app.Stock" in lines[3]


def test_what_a_card_leads_to_answers(cli: Cli, tmp_path: Path) -> None:
    """The command of a card predicts the change that the card is about."""
    for number, service in enumerate((Service(permits=3), Service(hold_ms=2))):
        path = tmp_path / f"run-{number}.tmt"
        with threadmodel.Writer(path) as writer:
            service.fill(writer)
        lines = cli("report", path).stdout.decode().splitlines()
        (command,) = (line for line in lines if " whatif " in line)
        done = cli(*shlex.split(command[command.index("whatif ") :]))
        assert done.returncode == 0
        assert b"Requests: " in done.stdout
        assert b"cannot tell" not in done.stdout
