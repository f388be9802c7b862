# SPDX-License-Identifier: Apache-2.0
"""Requests: inferred ones compared with the service's own log, and what-if compared
with the service that was really changed."""

import json
import re
from pathlib import Path

import pytest

from conftest import Cli
from service import Service
from threadmodel import Event, EventKind, Frame, Model, Selection, Writer


def main_kind(model: Model) -> dict[str, object]:
    (row,) = [row for row in model.unit_kinds() if row["main"]]
    return dict(row)


@pytest.mark.parametrize("choices", [{"permits": 2}, {"hold_ms": 2}, {"clients": 4}])
def test_inferred_units_are_those_of_the_log(choices: dict[str, int]) -> None:
    service = Service(**choices)
    kind = main_kind(service.model())
    assert kind["kind"] == "app.Order.handle"
    assert kind["provenance"] == "inferred"
    assert kind["count"] == pytest.approx(len(service.log), rel=0.02)
    assert kind["rate"] == pytest.approx(service.rate(), rel=0.02)
    total = sum(it.end_ns - it.start_ns for it in service.log)
    assert kind["mean_ns"] == pytest.approx(total / len(service.log), rel=0.02)
    assert kind["p99_ns"] == pytest.approx(service.p99_ns(), rel=0.05)


@pytest.mark.parametrize("choices", [{}, {"turns": 6}, {"turns": 6, "permits": 3}])
def test_requests_without_an_idle_wait_between_them_are_units(
    choices: dict[str, int],
) -> None:
    service = Service(kept=0.4, **choices)
    kind = main_kind(service.model())
    assert kind["count"] == pytest.approx(len(service.log), rel=0.02)
    total = sum(it.end_ns - it.start_ns for it in service.log)
    assert kind["mean_ns"] == pytest.approx(total / len(service.log), rel=0.05)
    assert kind["p99_ns"] == pytest.approx(service.p99_ns(), rel=0.1)


def test_a_service_of_several_endpoints_is_measured_by_all_of_them() -> None:
    service = Service(permits=2, cancels=0.4)
    model = service.model()
    kinds = {row["kind"]: row for row in model.unit_kinds()}
    order, cancel = kinds["app.Order.handle"], kinds["app.Order.cancel"]
    assert order["main"]
    assert cancel["main"]
    assert order["count"] + cancel["count"] == pytest.approx(len(service.log), rel=0.01)
    assert cancel["count"] == pytest.approx(0.4 * len(service.log), rel=0.1)


def test_workers_that_find_a_request_of_another_endpoint_waiting_do_two() -> None:
    service = Service(clients=8, cancels=0.4, kept=0.5)
    kinds = {row["kind"]: row for row in service.model().unit_kinds()}
    order, cancel = kinds["app.Order.handle"], kinds["app.Order.cancel"]
    assert order["count"] == pytest.approx(0.6 * len(service.log), rel=0.05)
    assert cancel["count"] == pytest.approx(0.4 * len(service.log), rel=0.05)


@pytest.mark.parametrize("share", [0.5, 1])
def test_what_waits_before_the_endpoint_is_called_is_no_other_request(
    share: float,
) -> None:
    service = Service(clients=8, checks=share, kept=0.5)
    kinds = service.model().unit_kinds()
    assert sum(kinds["count"]) == pytest.approx(len(service.log), rel=0.05)


def test_what_is_seen_in_some_requests_alone_does_not_divide_them() -> None:
    service = Service(clients=8, asks=True, kept=0.6, sends=0.9)
    kind = main_kind(service.model())
    assert kind["count"] == pytest.approx(len(service.log), rel=0.05)
    assert kind["p99_ns"] == pytest.approx(service.p99_ns(), rel=0.1)


def test_a_pool_s_own_code_is_no_request() -> None:
    service = Service(permits=2, in_vain=0.3)
    model = service.model()
    kinds = {row["kind"]: row["count"] for row in model.unit_kinds()}
    assert "java.util.concurrent.ThreadPoolExecutor.processWorkerExit" not in kinds
    assert kinds["app.Order.handle"] == pytest.approx(len(service.log), rel=0.02)


@pytest.mark.parametrize("share", [0.04, 0.5])
def test_the_program_s_method_names_what_the_server_reads_first(share: float) -> None:
    service = Service(permits=2, reads=share)
    kind = main_kind(service.model())
    assert kind["kind"] == "app.Order.handle"
    assert kind["count"] == pytest.approx(len(service.log), rel=0.02)


def test_a_service_may_start_for_longer_than_it_serves() -> None:
    service = Service(permits=2, starts_s=30)
    kind = main_kind(service.model())
    assert kind["kind"] == "app.Order.handle"
    assert kind["rate"] == pytest.approx(service.rate(), rel=0.05)


def test_stated_units_are_exactly_those_of_the_log() -> None:
    service = Service(permits=2, states_units=True)
    model = service.model()
    rows = [row for row in model.units() if row["finished"]]
    assert {row["kind"] for row in rows} == {"app.order"}
    assert {row["label"] for row in rows} == {"GET /order"}
    assert {row["provenance"] for row in rows} == {"reported"}
    known = sorted((row["start_ns"], row["end_ns"]) for row in rows)
    ended = max(event.time_ns for event in service.events)
    assert known == sorted(
        (it.start_ns, it.end_ns) for it in service.log if it.end_ns < ended
    )
    assert model.unit_kinds(inferred=False)["main"][0]
    assert main_kind(model)["provenance"] == "reported"


def test_a_service_is_bound_by_its_pool_while_that_is_too_small() -> None:
    (small,) = Service(permits=1, clients=8).model().verdict()
    (large,) = Service(permits=8, clients=8).model().verdict()
    assert small["kind"] == "bound"
    assert small["title"].startswith("Bound by waits for ")
    assert "the units of work of Order.handle spend" in small["title"]
    assert small["threads"] == 0
    assert small["advice"] is not None
    assert not large["title"].startswith("Bound by waits for ")


def test_units_of_a_window_end_in_it() -> None:
    model = Service(permits=2).model()
    rows = model.units(Selection(window=(1_000_000_000, 2_000_000_000)))
    ends = [row["end_ns"] for row in rows if row["finished"]]
    assert len(ends) > 100
    assert min(ends) >= 1_000_000_000
    assert max(ends) <= 2_000_000_000


def test_without_units_there_are_no_rows() -> None:
    model = Service(permits=2).model()
    assert not len(model.units(inferred=False))
    assert not len(model.unit_kinds(inferred=False))
    assert not len(model.unit_parts(inferred=False))


@pytest.mark.parametrize("outermost", [(1, "__clone3"), (2, "_start")])
def test_a_native_thread_of_one_request_is_named_by_its_function(
    outermost: tuple[int, str],
) -> None:
    """Not by how threads or programs start, which all share."""
    requests = 20
    model = Model()
    model.define_class(1, "libc.so.6")
    model.define_class(2, "server")
    for number, (owner, name) in enumerate(
        ((1, "clock_nanosleep"), (2, "answer"), (1, "start_thread"), outermost), 1
    ):
        model.define_method(number, owner, name)
    model.define_stack(1, [Frame(method) for method in (1, 2, 3, 4)])
    events = []
    for at in range(requests):
        thread, begin = 10 + at, 1_000_000 * at
        model.define_thread(thread, "worker")
        events += [
            Event(begin, thread, EventKind.THREAD_START),
            Event(begin + 1000, thread, EventKind.SLEEP, stack=1),
            Event(begin + 500_000, thread, EventKind.SLEPT),
            Event(begin + 600_000, thread, EventKind.THREAD_END),
        ]
    model.ingest(events)
    (kind,) = model.unit_kinds()
    assert (kind["kind"], kind["count"]) == ("server.answer", requests)


def test_parts_show_what_requests_wait_for() -> None:
    model = Service(permits=2).model()
    first = next(iter(model.unit_parts()))
    assert (first["state"], first["class"], first["method"]) == (
        "parked",
        "app.Pool",
        "app.Pool.borrow",
    )
    assert first["share"] > 0.6


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    ("before", "after", "question"),
    [
        (
            {"permits": 2},
            {"permits": 8},
            {"method": "app.Pool.borrow", "change": "permits", "permits": 6},
        ),
        (
            {"permits": 3, "clients": 16},
            {"permits": 4, "clients": 16},
            {"method": "app.Pool.borrow", "change": "permits", "permits": 1},
        ),
        (
            {"permits": 2, "cancels": 0.4},
            {"permits": 6, "cancels": 0.4},
            {"method": "app.Pool.borrow", "change": "permits", "permits": 4},
        ),
        ({"hold_ms": 2}, {}, {"class_name": "app.Stock", "factor": 0}),
        (
            {"hold_ms": 2, "cancels": 0.4},
            {"hold_ms": 1, "cancels": 0.4},
            {"class_name": "app.Stock", "factor": 0.5},
        ),
        (
            {"hold_ms": 3, "clients": 8},
            {"hold_ms": 1.5, "clients": 8},
            {"class_name": "app.Stock", "factor": 0.5},
        ),
        (
            {"query_ms": 10},
            {"query_ms": 5},
            {"method": "app.Query.run", "change": "method", "factor": 0.5},
        ),
    ],
)
def test_what_if_predicts_the_service_that_was_changed(
    before: dict[str, int],
    after: dict[str, int],
    question: dict[str, object],
    seed: int,
) -> None:
    service = Service(**before, seed=seed)
    changed = Service(**after, seed=seed + 10)
    (row,) = service.model().whatif(**question)
    assert row["unit_kind"] == (None if "cancels" in before else "app.Order.handle")
    assert row["throughput_now"] == pytest.approx(service.rate(), rel=0.02)
    assert row["throughput_low"] <= changed.rate() <= row["throughput_high"]
    assert row["throughput"] == pytest.approx(changed.rate(), rel=0.15)
    assert row["latency_p99_ns"] == pytest.approx(changed.p99_ns(), rel=0.25)
    # The run is as long as its load: the gain is for the same requests.
    factor = (row["length_ns"] + row["gain_ns"]) / row["length_ns"]
    assert factor == pytest.approx(row["throughput"] / row["throughput_now"], rel=0.01)


# The start-up takes longer than the rest, in which few requests are served.
LATE = {"clients": 4, "query_ms": 50, "loads_ms": 3000}


def recorded(service: Service, path: Path) -> Path:
    with Writer(path) as writer:
        service.fill(writer)
    return path


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ({"permits": 2}, {"permits": 6}, "better"),
        ({"permits": 6}, {"permits": 2}, "worse"),
        ({"permits": 2}, {"permits": 2, "seed": 5}, "equal"),
        # More requests, which queue longer: no locks before, some now.
        ({"permits": 2}, {"permits": 8, "hold_ms": 0.3}, "better"),
        ({"hold_ms": 0.2}, {"hold_ms": 3}, "worse"),
        ({"query_ms": 5}, {"query_ms": 5.1, "seed": 7}, "equal"),
        ({**LATE, "permits": 2}, LATE, "better"),
        (LATE, {**LATE, "permits": 2}, "worse"),
    ],
)
def test_rate_and_latency_decide_whether_a_service_is_worse(
    before: dict[str, float],
    after: dict[str, float],
    verdict: str,
    tmp_path: Path,
    cli: Cli,
) -> None:
    old = recorded(Service(**before), tmp_path / "old.tmt")
    new = recorded(Service(**after), tmp_path / "new.tmt")
    done = cli("check", new, "--no-regression", old)
    assert done.returncode == (1 if verdict == "worse" else 0)
    assert f"requests are {verdict}" in done.stdout.decode()
    done = cli("diff", old, new, "--json")
    (row,) = json.loads(done.stdout)["requests"]
    assert row["verdict"] == verdict
    assert f"requests are {verdict}" in cli("diff", old, new).stdout.decode()


def test_a_diff_shows_where_the_time_of_requests_was_saved(
    tmp_path: Path, cli: Cli
) -> None:
    old = recorded(Service(permits=2), tmp_path / "old.tmt")
    new = recorded(Service(permits=6), tmp_path / "new.tmt")
    (line,) = [
        line
        for line in cli("diff", old, new).stdout.decode().splitlines()
        if "a request is" in line
    ]
    found = re.search(
        r"parked for app.Pool in app.Pool.borrow for (.*), (.*) bef", line
    )
    assert found
    assert [it.endswith(" ms") for it in found.groups()] == [True, True]
    now_ms, before_ms = (float(it.split()[0]) for it in found.groups())
    assert now_ms < before_ms / 4


def test_a_limit_of_the_99th_percentile(tmp_path: Path, cli: Cli) -> None:
    service = Service(permits=2)
    path = recorded(service, tmp_path / "run.tmt")
    p99_ms = service.p99_ns() / 1e6
    assert cli("check", path, "--max-p99", f"{p99_ms * 1.2:.2f}").returncode == 0
    done = cli("check", path, "--max-p99", f"{p99_ms * 0.8:.2f}")
    assert done.returncode == 1
    assert b"max-p99: the 99th percentile of app.Order.handle is" in done.stdout
