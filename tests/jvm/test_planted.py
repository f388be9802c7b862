# SPDX-License-Identifier: Apache-2.0
"""The benchmark of findings about programs with a known bottleneck: it runs, with a
small program that needs no jars, and derives its verdicts correctly."""

import json
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from bench_findings import Verdict, judge
from cases import CASES, LOCAL
from healthy import HEALTHY, HEALTHY_SERVICES, Healthy
from jdks import Jdk
from planted import benchmark, need_compiler
from rounds import PROGRAMS, REMOVED, Gain, Workshop, runs_on

# The work that the clients of the local case do one after the other.
SERIAL_NS = 6 * 25 * 15_000_000
SECOND = 1_000_000_000
GAIN = Gain([3 * SECOND], [1 * SECOND])


def finding(rank: int, text: str, **more: Any) -> dict[str, Any]:
    row = {"rank": rank, "kind": "hot_lock", "text": text, "impact_ns": 5 * SECOND}
    return {**row, "class": None, "method": None, "thread": None, **more}


def verdict(*findings: dict[str, Any]) -> Verdict:
    return judge(LOCAL, 17, GAIN, 3 * SECOND, list(findings))


@pytest.fixture(scope="module")
def workshop(jdk: Jdk, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    need_compiler(jdk)
    return Workshop(jdk, tmp_path_factory.mktemp("planted"), [LOCAL])


def test_benchmark_runs_a_case_with_its_bottleneck_and_without_and_judges_it(
    jdk: Jdk, tmp_path: Path
):
    answers, pages = tmp_path / "answers.json", tmp_path / "pages"
    said = benchmark(
        "findings", jdk, "--json", answers, "--pages", pages, "--rounds", 1, "local"
    )
    answer = json.loads(answers.read_text())
    (verdict,) = answer["planted"]
    assert min(verdict["gain"]["before_ns"]) >= SERIAL_NS
    assert len(verdict["gain"]["after_ns"]) == 1
    assert verdict["recorded_ns"] >= SERIAL_NS
    assert verdict["rank"] is not None
    assert verdict["named"]["lock"]
    assert answer["healthy"] == {}
    assert "java.lang.Object" in (pages / f"local-{jdk}.txt").read_text()
    assert all(finding["text"] in said for finding in verdict["findings"])


def test_setting_that_a_program_does_not_have_is_refused(workshop: Workshop):
    with pytest.raises(RuntimeError, match="no such settings"):
        workshop.run(LOCAL, ("--planted", "clerks=3"))


def test_every_case_has_its_program_and_a_name_of_its_own():
    cases = (*CASES, *HEALTHY)
    assert len({case.name for case in cases}) == len(cases)
    assert all((PROGRAMS / f"{case.program}.java").exists() for case in cases)


def test_first_finding_about_the_cause_counts_and_what_it_names():
    found = verdict(
        finding(1, "threads slept in Local.journal:7"),
        finding(2, "blocked by java.lang.Object", method="Local.deposit"),
        finding(3, "java.lang.Object was held by Local.journal"),
    )
    assert found.rank == 2
    assert found.named == {"lock": True, "place": True, "holder": False}


def test_finding_of_little_or_of_another_trouble_is_not_the_cause():
    found = verdict(
        finding(1, "java.lang.Object", impact_ns=SECOND // 2),
        finding(2, "java.lang.Object", kind="lock_inversion"),
    )
    assert found.rank is None
    assert not any(found.named.values())


@pytest.mark.parametrize(
    ("predicted_ns", "right"), [(None, False), (2 * SECOND, True), (SECOND, False)]
)
def test_predicted_gain_is_right_within_a_quarter(
    predicted_ns: int | None, right: bool
):
    found = verdict(finding(1, "java.lang.Object", gain_ns=predicted_ns))
    assert found.predicted_right is right


def test_gain_is_measured_pair_by_pair():
    gain = Gain([30, 40, 50], [10, 10, 10])
    assert gain.pairs_ns == [20, 30, 40]
    assert gain.median_ns == 30
    assert gain.error_ns == pytest.approx(10 / 3**0.5)
    assert gain.share == 0.75


# A consumer waits for what a producer brings, and equal numbers of rounds may be equal
# shares of a given amount of work: whether such a loop is slow or paced is unknown.
UNKNOWN = ("service-paced", "service-flusher")


@pytest.mark.parametrize(
    "service",
    [it for it in HEALTHY_SERVICES if it.name not in UNKNOWN],
    ids=lambda it: it.name,
)
def test_service_that_is_paced_has_no_card_above_the_line(
    jdk: Jdk, service: Healthy, tmp_path: Path
):
    need_compiler(jdk)
    if not runs_on(service, jdk):
        pytest.skip(f"not on {jdk}")
    shop = Workshop(jdk, tmp_path, [service])
    trace, _ = shop.record(service, (*REMOVED, *service.settings, "lasts_ms=1500"))
    findings = threadmodel.open(trace).findings()
    assert [row["title"] for row in findings if not row["minor"]] == []
