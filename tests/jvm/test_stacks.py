# SPDX-License-Identifier: Apache-2.0
"""Which stacks the agent takes, and what it says where it takes a sample of them."""

from collections import Counter

import pytest

from conftest import Java, Recording

SHORTS, LONGS = 40_000, 8
FRESH = 15_000
STORM = ("Callers", SHORTS, LONGS)


def parks(run: Recording) -> list[dict[str, object]]:
    return run.rows("timeline", state="parked", thread="storm")


def is_said(run: Recording) -> bool:
    return any("drawn at random" in limit for limit in run.model.limits)


def test_every_stack_is_taken_where_that_was_asked_for(java: Java):
    run = java.record(*STORM, options="stacks=all,buffer=65536")
    assert run.odd() == {}
    by_method = Counter(row["method"] for row in parks(run))
    assert by_method == {
        "Callers.often": SHORTS * 3 // 4,
        "Callers.seldom": SHORTS // 4,
        "Callers.atLength": LONGS,
        "Callers.forGood": 1,
    }
    assert not any(row["sampled"] for row in parks(run))
    assert not is_said(run)


def test_callers_of_a_storm_come_out_in_proportion_and_the_estimate_is_told(
    java: Java,
):
    run = java.record(*STORM, options="buffer=65536")
    rows = parks(run)
    assert len(rows) == SHORTS + LONGS + 1
    sampled = [row for row in rows if row["sampled"]]
    assert is_said(run) == bool(sampled)
    by_method = Counter(row["method"] for row in rows)
    assert by_method["Callers.often"] == pytest.approx(SHORTS * 3 / 4, rel=0.1)
    assert by_method["Callers.seldom"] == pytest.approx(SHORTS / 4, rel=0.3)
    assert set(by_method) <= {
        "Callers.often",
        "Callers.seldom",
        "Callers.atLength",
        "Callers.forGood",
    }


def test_callers_of_waits_for_an_object_each_are_those_of_its_class(java: Java):
    run = java.record("Callers", FRESH, LONGS, "fresh", options="buffer=65536")
    by_method = Counter(row["method"] for row in parks(run))
    assert by_method["Callers.often"] == pytest.approx(FRESH * 3 / 4, rel=0.1)
    assert by_method["Callers.seldom"] == pytest.approx(FRESH / 4, rel=0.3)
    assert by_method["Callers.atLength"] == LONGS


def test_long_hold_ups_have_their_own_stack_in_a_storm(java: Java):
    run = java.record(*STORM)
    own = Counter(row["method"] for row in parks(run) if not row["sampled"])
    assert own["Callers.atLength"] == LONGS
    assert own["Callers.forGood"] == 1
    (last,) = run.rows("timeline", state="parked", thread="storm", open=True)
    assert last["method"] == "Callers.forGood"


def test_no_stacks_are_taken_where_none_are_wanted(java: Java):
    run = java.record("Callers", 1000, 1, options="stacks=none")
    assert len(run.model.stacks()) == 0
    assert len(parks(run)) == 1000 + 2
