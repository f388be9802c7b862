# SPDX-License-Identifier: Apache-2.0
"""The stacks that the agent records, and its report when it samples them."""

import math
from collections import Counter
from itertools import pairwise

from conftest import Java, Recording

SHORTS, LONGS = 40_000, 8
FRESH = 15_000
# The tolerance in standard deviations: chance exceeds it once in 15,000 times.
DEVIATIONS = 4
STORM = ("Callers", SHORTS, LONGS)


def parks(run: Recording) -> list[dict[str, object]]:
    return run.rows("timeline", state="parked", thread="storm")


def is_reported(run: Recording) -> bool:
    return any("drawn at random" in caveat for caveat in run.model.caveats)


def test_every_stack_is_walked_where_that_was_asked_for(java: Java):
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
    assert not is_reported(run)


def assert_three_of_four_are_often(rows: list[dict[str, object]]) -> None:
    """Within the noise of the draw. A stack that was walked stands for all up to the
    next one, so that many draws at the beginning and few later are less precise."""
    short = [
        row for row in rows if row["method"] in ("Callers.often", "Callers.seldom")
    ]
    walked = [i for i, row in enumerate(short) if not row["sampled"]]
    assert len(walked) >= 100
    stands_for = [b - a for a, b in pairwise([0, *walked[1:], len(short)])]
    draws = len(short) ** 2 / sum(n * n for n in stands_for)
    often = sum(row["method"] == "Callers.often" for row in short) / len(short)
    assert abs(often - 3 / 4) <= DEVIATIONS * math.sqrt(3 / 16 / draws)


def test_callers_of_a_storm_come_out_in_proportion_and_the_estimate_is_reported(
    java: Java,
):
    run = java.record("Callers", 2 * SHORTS, LONGS, options="buffer=65536")
    rows = parks(run)
    assert len(rows) == 2 * SHORTS + LONGS + 1
    assert is_reported(run) == any(row["sampled"] for row in rows)
    assert_three_of_four_are_often(rows)
    assert {row["method"] for row in rows} <= {
        "Callers.often",
        "Callers.seldom",
        "Callers.atLength",
        "Callers.forGood",
    }


def test_callers_of_waits_for_an_object_each_are_those_of_its_class(java: Java):
    run = java.record("Callers", FRESH, LONGS, "fresh", options="buffer=65536")
    rows = parks(run)
    assert_three_of_four_are_often(rows)
    assert sum(row["method"] is None for row in rows) <= FRESH // 100
    own = Counter(row["method"] for row in rows if not row["sampled"])
    assert own["Callers.atLength"] == LONGS


def test_long_blocking_intervals_have_their_own_stack_in_a_storm(java: Java):
    run = java.record(*STORM)
    own = Counter(row["method"] for row in parks(run) if not row["sampled"])
    assert own["Callers.atLength"] == LONGS
    assert own["Callers.forGood"] == 1
    (last,) = run.rows("timeline", state="parked", thread="storm", open=True)
    assert last["method"] == "Callers.forGood"


def sleeps_by_thread(run: Recording, threads: int) -> list[list[dict[str, object]]]:
    return [
        run.rows("timeline", state="sleeping", thread=f"sleeper-{i}")
        for i in range(threads)
    ]


def test_sleeps_of_other_lengths_do_not_share_their_stacks(java: Java):
    """A thread sleeps at two places in turn."""
    threads, turns = 16, 300
    run = java.record("Sleeps", threads, turns, 2, 3, options="buffer=65536")
    sleeps = sleeps_by_thread(run, threads)
    assert [len(rows) for rows in sleeps] == [2 * turns] * threads
    for rows in sleeps:
        for rest, name in enumerate(("Sleeps.first", "Sleeps.second")):
            assert {row["method"] for row in rows[rest::2]} <= {name, None}
    named = sum(row["method"] is not None for rows in sleeps for row in rows)
    assert named > threads * turns


def test_sleeps_of_one_length_at_two_places_share_no_stack(java: Java):
    threads, turns = 16, 300
    run = java.record("Sleeps", threads, turns, 2, 2, options="buffer=65536")
    wrong = 0
    for rows in sleeps_by_thread(run, threads):
        for i, row in enumerate(rows):
            right = ("Sleeps.first", "Sleeps.second")[i % 2]
            assert row["sampled"] or row["method"] in (right, None)
            wrong += row["method"] not in (right, None)
    # Wrong until a thread's walks have met both places, which rarely takes eight.
    assert wrong <= threads * turns // 50


def test_no_stacks_are_walked_where_none_are_wanted(java: Java):
    run = java.record("Callers", 1000, 1, options="stacks=none")
    assert len(run.model.stacks()) == 0
    assert len(parks(run)) == 1000 + 2
