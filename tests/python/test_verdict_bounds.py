# SPDX-License-Identifier: Apache-2.0
"""No verdict and no finding states a time that exceeds the run."""

import os
from pathlib import Path

import pytest

import random_runs
import scenario
import threadmodel
from threadmodel.judgement import HUNG

ROOT = Path(__file__).resolve().parents[2]
TRACES = sorted(
    [
        *(ROOT / "tests/fuzz/corpus/go").glob("*.trace"),
        *(ROOT / "tests/data/traces").glob("*.tmt"),
    ]
)
RUNS = 10_000 if "TM_TEST_FULL" in os.environ else 60


def violations(model: threadmodel.Model) -> list[str]:
    """Return the impossible statements of a verdict or finding."""
    (row,) = model.verdict()
    members = list(model.verdict_members())
    length_ns = model.length_ns
    threads = len(list(model.threads()))
    found = []
    if len(members) != row["threads"]:
        found.append(f"{row['threads']} threads, {len(members)} members")
    if (row["kind"] in HUNG) != bool(members):
        found.append(f"{row['kind']} with {len(members)} members")
    if row["since_ns"] is not None and not 0 <= row["since_ns"] <= length_ns:
        found.append(f"since {row['since_ns']} of {length_ns}")
    for member in members:
        if member["start_ns"] > length_ns:
            found.append(f"a member waits from {member['start_ns']} of {length_ns}")
        if member["state"] in ("dead", "new", "running", "sleeping"):
            found.append(f"a member is {member['state']}")
    for finding in model.findings():
        bound_ns, impact_ns = finding["bound_ns"], finding["impact_ns"]
        if bound_ns is not None and bound_ns > length_ns:
            found.append(f"{finding['kind']}: bound {bound_ns} of {length_ns}")
        if impact_ns is not None and impact_ns > length_ns * max(threads, 1):
            found.append(f"{finding['kind']}: {impact_ns} of {length_ns}, {threads}")
        if "for ever" in finding["title"] and row["kind"] not in HUNG:
            found.append(f"{finding['kind']}: for ever, though {row['kind']}")
    return found


def test_random_runs_are_within_bounds() -> None:
    for seed in range(RUNS):
        model = threadmodel.Model()
        random_runs.fill(
            model,
            seed,
            threads=2 + seed % 7,
            objects=1 + seed % 5,
            count=40 + seed % 160,
        )
        assert not violations(model), seed


@pytest.mark.parametrize("trace", TRACES, ids=lambda it: it.name)
def test_recorded_runs_are_within_bounds(trace: Path) -> None:
    assert not violations(threadmodel.open(trace))


SCENARIOS = sorted((ROOT / "tests/scenarios").glob("*.txt"))
# Inputs of fuzz targets that are files, valid or damaged, as a user may have them.
READERS = (
    *("contention", "go", "hprof_text", "jfr", "json", "jstack", "source", "tptp"),
)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda it: it.stem)
def test_scenarios_are_within_bounds(path: Path) -> None:
    assert not violations(scenario.fill(scenario.read(path), None))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_within_bounds(reader: str) -> None:
    opened = 0
    for path in sorted((ROOT / "tests/fuzz/corpus" / reader).iterdir()):
        try:
            model = threadmodel.open(path)
        except threadmodel.errors.ThreadmodelError:
            continue
        opened += 1
        assert not violations(model), path.name
    assert opened
