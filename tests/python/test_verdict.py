# SPDX-License-Identifier: Apache-2.0
"""The verdict of a run, from Python."""

from pathlib import Path

import scenario
from threadmodel import Event, EventKind, Model

SCENARIOS = Path(__file__).parents[1] / "scenarios"


def test_a_run_without_events_cannot_be_judged() -> None:
    (row,) = Model().verdict()
    assert row["kind"] == "cannot_tell"
    assert row["title"] == "Cannot tell: the data has no event."
    assert row["threads"] == 0
    assert row["remedy"] is not None
    assert len(Model().verdict_members()) == 0


def test_the_first_line_names_those_who_wait_for_permits_of_nobody_known() -> None:
    path = SCENARIOS / "healthy-that-waits-for-permits-of-nobody-known.txt"
    (row,) = scenario.fill(scenario.read(path), None).verdict()
    assert row["title"] == (
        "No thread is known to be stuck, but clerk and other wait for locks or "
        "permits, the last since 20 ns, and no event shows who has them."
    )


def test_a_run_of_samples_alone_cannot_be_judged() -> None:
    model = Model()
    model.ingest([Event(time, 1, EventKind.CPU_SAMPLE) for time in (10, 20)])
    (row,) = model.verdict()
    assert row["kind"] == "cannot_tell"
    assert "samples" in str(row["title"])
