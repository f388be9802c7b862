# SPDX-License-Identifier: Apache-2.0
"""Tasks and regions of Go's runtime/trace, compared with the program's output."""

from collections import Counter
from pathlib import Path

import pytest

import threadmodel
from go_traces import GO, PROGRAMS, run
from test_go import RELEASES

# The program's clock and the trace's are read one after the other.
SLACK_NS = 100_000


@pytest.mark.parametrize("release", RELEASES[:2])
def test_tasks_and_regions_are_units(release: str, tmp_path: Path) -> None:
    if GO is None:
        pytest.skip("there is no go")
    folder = PROGRAMS / "tasks"
    said = run(
        "go", "run", ".", tmp_path / "run.trace", folder=folder, GOTOOLCHAIN=release
    )
    model = threadmodel.open(tmp_path / "run.trace")
    rows = [row for row in model.units() if row["provenance"] == "reported"]
    by_number = {row["unit"]: row for row in rows}
    tasks = [row for row in rows if row["id"]]
    lines = [line.split("\t") for line in said.splitlines()]
    assert Counter(row["kind"] for row in tasks) == Counter(line[0] for line in lines)
    for name in ("order/new", "order/old"):
        least = sorted(int(line[2]) for line in lines if line[0] == name)
        most = sorted(int(line[3]) for line in lines if line[0] == name)
        lengths = sorted(row["duration_ns"] for row in tasks if row["kind"] == name)
        for i, length in enumerate(lengths):
            assert least[i] - SLACK_NS <= length <= most[i] + SLACK_NS
    regions = [row for row in rows if not row["id"]]
    kinds = Counter(row["kind"] for row in regions)
    assert kinds == {"query": 10, "row": 10, "send": 10, "alone": 1}
    assert all(row["finished"] for row in rows)
    for row in regions:
        parent = by_number.get(row["parent"])
        if row["kind"] == "alone":
            assert parent is None
        else:
            assert parent
            # A region within another states its task, as all do.
            assert parent["kind"].startswith("order/")
            assert row["sleeping_ns"] > 0
    assert not model.diagnostics()
