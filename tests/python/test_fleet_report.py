# SPDX-License-Identifier: Apache-2.0
"""The report of a fleet, for runs whose answer is known."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from threadmodel import errors, fleet
from threadmodel.cli import fleet_page, hypertext
from threadmodel.fleet_dataset import Dataset
from threadmodel.fleet_report import LEAST_RUNS, Report

SECOND = 10**9


def stream(rows: Sequence[Mapping[str, Any]]) -> bytes:
    table = pyarrow.Table.from_pylist(list(rows))
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def finding(cost_ns: int, name: str = "app.Pool", **more: Any) -> dict[str, Any]:
    return {
        "kind": "hot_lock",
        "minor": False,
        "suspected": False,
        "class": name,
        "method": f"{name}.take",
        "impact_ns": cost_ns,
        **more,
    }


def order(held: str, wanted: str, provenance: str = "reported") -> dict[str, Any]:
    return {
        "held_class": held,
        "wanted_class": wanted,
        "method": f"{held}.call",
        "held_method": f"{held}.lock",
        "provenance": provenance,
        "count": 1,
    }


class Fleet:
    """A dataset of made-up runs of a second each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runs: list[tuple[fleet.Result, dict[str, str]]] = []

    def add(
        self,
        findings: Iterable[Mapping[str, Any]] = (),
        orders: Iterable[Mapping[str, Any]] = (),
        blocked_ns: int = 0,
        **labels: str,
    ) -> str:
        number = len(self._runs)
        facts: dict[str, Any] = dict.fromkeys(fleet.NUMBERS, 0)
        facts |= {"format": "tmt", "damage": None, "length_ns": SECOND}
        blamed = {"class": "app.Pool", "total_ns": blocked_ns}
        tables = {
            "blamed": stream([blamed]),
            **({"findings": stream(list(findings))} if findings else {}),
            **({"lock_edges": stream(list(orders))} if orders else {}),
        }
        url = f"/runs/{number}.tmt"
        text = json.dumps(facts)
        result = fleet.Result(url, f"{number:032x}", "", text, tables)
        self._runs.append((result, labels))
        return url

    def report(self, **only: str) -> Report:
        dataset = Dataset(str(self._path))
        marks: dict[str, list[Any]] = {result.url: [] for result, _ in self._runs}
        labels = {result.url: labels for result, labels in self._runs}
        dataset.add([result for result, _ in self._runs], marks, labels)
        dataset.finish()
        return Report(dataset, only)


@pytest.fixture
def many(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path / "set")


def test_the_dearest_cause_comes_first_with_the_run_that_paid_most(many: Fleet) -> None:
    many.add([finding(10), finding(30, "app.Cache")], service="a")
    dear = many.add([finding(25), finding(1_000, minor=True)], service="b")
    report = many.report()
    rows = report.causes(10).rows
    assert [(row["class"], row["cost_ns"], row["runs"]) for row in rows] == [
        ("app.Pool", 35, 2),
        ("app.Cache", 30, 1),
    ]
    assert report.url(rows[0]["run"]) == dear
    services = report.by_label("service", 10).rows
    assert [(row["value"], row["class"], row["cost_ns"]) for row in services] == [
        ("a", "app.Cache", 30),
        ("b", "app.Pool", 25),
    ]


def test_costs_beyond_64_bits_do_not_end_the_report(many: Fleet) -> None:
    for _ in range(3):
        many.add([finding(2**63 - 1)])
    assert many.report().causes(1).rows[0]["cost_ns"] == 3 * (2**63 - 1)


def test_only_the_runs_of_a_label_are_asked(many: Fleet) -> None:
    many.add([finding(10)], host="a")
    many.add([finding(30)], host="b")
    report = many.report(host="a")
    assert (report.runs, report.causes(1).rows[0]["cost_ns"]) == (1, 10)
    with pytest.raises(errors.InvalidArgumentError, match="no such run"):
        Report(Dataset(str(many._path)), {"host": "c"})
    with pytest.raises(errors.InvalidArgumentError, match="no label 'zone'"):
        Report(Dataset(str(many._path)), {"zone": "c"})


def versions(many: Fleet, means: Mapping[str, float], runs: int, seed: int = 1) -> None:
    chance = random.Random(seed)
    for version, mean in means.items():
        for _ in range(runs):
            cost = int(chance.gauss(mean, 0.01) * SECOND)
            even = int(chance.gauss(0.3, 0.01) * SECOND)
            found = [finding(cost), finding(even, "app.Cache")]
            many.add(found, version=version)


def test_a_cause_that_costs_more_since_a_version_has_its_interval(
    many: Fleet,
) -> None:
    # 1.10 is newer than 1.9, though a text that sorts before it.
    versions(many, {"1.8": 0.2, "1.9": 0.2, "1.10": 0.25}, 20)
    answer = many.report().changes("1.10")
    assert not answer.unknown
    by_class = {row["class"]: row for row in answer.rows}
    more, same = by_class["app.Pool"], by_class["app.Cache"]
    assert 0.03 < more["low"] < 0.05 < more["high"] < 0.07
    assert same["low"] < 0 < same["high"]


def test_a_run_without_the_finding_counts_as_nothing(many: Fleet) -> None:
    for number in range(LEAST_RUNS):
        many.add(version="1")
        many.add([finding(SECOND)] if number % 2 else (), version="2")
    (row,) = many.report().changes("2").rows
    assert (row["before"], row["since"]) == (0, 0.5)
    # Welch: (0.5, s² = 10/36) of 10 runs beside none, 9 degrees of freedom.
    assert row["low"] == pytest.approx(0.5 - 2.2621572 * (1 / 6), abs=1e-6)


def test_of_too_few_runs_a_change_is_unknown(many: Fleet) -> None:
    versions(many, {"1": 0.1, "2": 0.9}, LEAST_RUNS - 1)
    answer = many.report().changes("2")
    assert answer.rows == []
    assert f"{LEAST_RUNS - 1} before, {LEAST_RUNS - 1} since" in answer.unknown


def test_runs_that_are_all_alike_show_no_noise_and_so_no_change(many: Fleet) -> None:
    for version, cost in (("1", 100_000), ("2", 900_000)):
        for _ in range(LEAST_RUNS):
            many.add([finding(cost)], version=version)
    (row,) = many.report().changes("2").rows
    assert row["low"] is None
    assert row["high"] is None


def test_services_are_compared_with_themselves(many: Fleet) -> None:
    for service, version, cost in (("a", "1", 10**8), ("a", "2", 10**8), ("b", "2", 9)):
        for number in range(LEAST_RUNS):
            found = [finding(cost + 10**6 * number)]
            many.add(found, service=service, version=version)
    answer = many.report().changes("2")
    assert [row["service"] for row in answer.rows] == ["a"]
    assert answer.rows[0]["low"] < 0 < answer.rows[0]["high"]
    assert f"b: 0 before, {LEAST_RUNS} since" in answer.unknown


def test_versions_that_have_no_order_are_compared_by_name_only(many: Fleet) -> None:
    versions(many, {"c0ffee": 0.1, "beef": 0.2}, LEAST_RUNS)
    report = many.report()
    with pytest.raises(errors.InvalidArgumentError, match="name one by --before"):
        report.changes("beef")
    with pytest.raises(errors.InvalidArgumentError, match="no run of version 'x'"):
        report.changes("x")
    changed = {row["class"]: row for row in report.changes("beef", "c0ffee").rows}
    assert changed["app.Pool"]["low"] > 0


def test_intervals_of_skewed_costs_hold_as_often_as_promised(tmp_path: Path) -> None:
    """Alike versions, 60 causes in each of 8 fleets: a false alarm is rare."""
    alarms = 0
    for seed in range(8):
        chance, many = random.Random(seed), Fleet(tmp_path / str(seed))
        for version in ("1", "2"):
            for _ in range(LEAST_RUNS):
                costs = [chance.lognormvariate(0, 1) * 1e7 for _ in range(60)]
                found = [finding(int(c), f"app.C{i}") for i, c in enumerate(costs)]
                many.add(found, version=version)
        rows = many.report().changes("2").rows
        alarms += any(row["low"] > 0 or row["high"] < 0 for row in rows)
    assert alarms <= 1


def test_a_host_far_from_the_others_of_its_service_is_an_outlier(many: Fleet) -> None:
    for number in range(8):
        many.add(
            blocked_ns=10_000_000 + number * 100_000, service="a", host=f"a{number}"
        )
    slow = many.add(blocked_ns=500_000_000, service="a", host="slow")
    many.add(blocked_ns=10, service="b", host="b1")
    report = many.report()
    answer = report.outliers()
    assert [row["host"] for row in answer.rows] == ["slow"]
    assert report.url(answer.rows[0]["run"]) == slow
    assert "in 1 of 2 services" in answer.unknown


def test_few_hosts_and_hosts_that_are_alike_have_no_outlier(many: Fleet) -> None:
    for number in range(4):
        many.add(blocked_ns=10**number, host=str(number))
    answer = many.report().outliers()
    assert answer.rows == []
    assert "fewer than 5 hosts" in answer.unknown


def test_orders_of_several_runs_make_a_cycle_that_none_of_them_has(
    many: Fleet,
) -> None:
    urls = [
        many.add(orders=[order("app.A", "app.B")]),
        many.add(orders=[order("app.B", "app.C", "inferred")]),
        many.add(orders=[order("app.C", "app.A"), order("app.C", "app.D")]),
    ]
    report = many.report()
    answer = report.orders()
    assert [(row["held_class"], row["wanted_class"]) for row in answer.rows] == [
        ("app.A", "app.B"),
        ("app.B", "app.C"),
        ("app.C", "app.A"),
    ]
    assert [report.url(row["run"]) for row in answer.rows] == urls
    assert [row["inferred"] for row in answer.rows] == [False, True, False]
    assert {row["together"] for row in answer.rows} == {None}


def test_a_cycle_within_one_run_is_known_as_such(many: Fleet) -> None:
    many.add(orders=[order("app.A", "app.B")])
    url = many.add(orders=[order("app.A", "app.B"), order("app.B", "app.A")])
    report = many.report()
    rows = report.orders().rows
    assert len(rows) == 2
    assert {report.url(row["together"]) for row in rows} == {url}


def test_classes_that_any_program_has_prove_no_cycle(many: Fleet) -> None:
    lock = "java.util.concurrent.locks.ReentrantLock$NonfairSync"
    many.add(orders=[order("app.A", lock)])
    many.add(orders=[order(lock, "app.A")])
    answer = many.report().orders()
    assert answer.rows == []
    assert answer.unknown.startswith("2 of 2 lock orders are left out")


def test_a_dataset_without_runs_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="no such run"):
        Report(Dataset(str(tmp_path / "none")))


def test_the_page_shows_names_as_text_and_leads_to_the_reports_of_runs(
    many: Fleet,
) -> None:
    hostile = "<script>alert(1)</script>\x1b[31m"
    url = many.add([finding(10, hostile)], service=hostile)
    sections = fleet_page.sections(many.report(), 5)
    assert fleet_page.urls(sections) == [url]
    page = hypertext.render(sections, hostile, {url: 'x"><b>.html'})
    assert "<script" not in page
    assert "\x1b" not in page
    assert f'<a href="x&quot;&gt;&lt;b&gt;.html">{url}</a>' in page
    assert "script-src" not in page


def test_the_command_writes_the_page_and_the_reports_it_leads_to(
    trace: Path, tmp_path: Path, cli: Any
) -> None:
    runs = tmp_path / "runs/shop"
    runs.mkdir(parents=True)
    (runs / "one.tmt").write_bytes(trace.read_bytes())
    to = str(tmp_path / "set")
    labels = ("--labels", "{service}/*.tmt", "--workers", "1")
    assert cli("fleet", "summarize", str(runs), "-o", to, *labels).returncode == 0
    page, folder = tmp_path / "fleet.html", tmp_path / "own"
    wanted = ("-o", str(page), "--reports", str(folder))
    done = cli("fleet", "report", to, *wanted, "--only", "service=shop")
    assert done.returncode == 0, done.stderr
    for own in folder.iterdir():
        assert f'<a href="own/{own.name}">' in page.read_text()
    assert len(list(folder.iterdir())) == 1
    shown = cli("fleet", "report", to).stdout
    assert b"What costs most" in shown
    data = json.loads(cli("fleet", "report", to, "--json").stdout)
    assert (data["runs"], data["not_read"], data["changes"]) == (1, 0, None)
    assert data["causes"]["rows"] == [
        {**row, "url": str(runs / "one.tmt")}
        for row in Report(Dataset(to)).causes(20).rows
    ]
    assert set(data["by_label"]) == {"service"}
    assert data["outliers"]["unknown"]
    assert cli("fleet", "report", to, "--json", "--reports", "d").returncode == 2
    for wrong in (("--before", "1"), ("--only", "x"), ("--only", "zone=1")):
        assert cli("fleet", "report", to, *wrong).returncode == 2
    assert cli("fleet", "report", to, "--since", "2").returncode == 2
