# SPDX-License-Identifier: Apache-2.0
"""The gain of a finding: its value where it is known, else that it is unknown."""

import re

import pytest

from campaign import campaign, run_of
from service import Service
from story import ALL_KINDS, JDK, KIND, MS, OTHER, SLOW, TAKE, Story
from threadmodel import Frame

HOLD = 10


def in_turn(rounds: int) -> Story:
    """Two threads hold a lock in turn, 10 ms each, and sleep meanwhile; both end."""
    story = Story(2)
    for turn in range(rounds):
        owner, other = 1 + turn % 2, 2 - turn % 2
        begin = HOLD * turn + 0.001
        story.at(begin, owner, KIND.SLEEP, stack=SLOW)
        story.at(begin + HOLD - 0.01, owner, KIND.SLEPT)
        if turn + 1 < rounds:
            story.block(begin, HOLD * (turn + 1), other, owner=owner)
    story.at(HOLD * (rounds - 1), 2 - rounds % 2, KIND.THREAD_END)
    return story.at(HOLD * rounds + 0.1, 1 + (rounds - 1) % 2, KIND.THREAD_END)


def beside_a_long_task(story: Story, rounds: int = 10) -> Story:
    """Threads 2 and 3 are blocked by a lock while thread 1 computes for longer."""
    for turn in range(rounds):
        begin = HOLD * turn
        story.block(begin + 1, begin + HOLD, 2 + turn % 2, owner=3 - turn % 2)
    return story.at(2 * HOLD * rounds, 1, KIND.THREAD_END)


def test_without_the_queue_two_threads_are_done_in_half_the_time() -> None:
    story = in_turn(20)
    (row,) = story.findings("held_while_sleeping")
    half = story.model.length_ns / 2
    assert row["gain_ns"] == pytest.approx(half, rel=0.1)
    assert row["gain_low_ns"] <= row["gain_ns"] <= row["gain_high_ns"]
    assert row["gain"].startswith("The run would be ")
    assert " shorter if nobody had to wait for it (" in row["gain"]


def test_a_gain_is_what_whatif_answers() -> None:
    story = in_turn(20)
    (row,) = story.findings("held_while_sleeping")
    (asked,) = story.model.whatif(
        change="permits", method="demo.Lock.transfer", permits=8
    )
    for column in ("gain_ns", "gain_low_ns", "gain_high_ns"):
        assert row[column] == asked[column]


def test_a_gain_without_sleeps_is_of_these_and_not_of_what_is_called() -> None:
    story = Story(1)
    story.model.define_stack(50, [Frame(TAKE, line=5), Frame(SLOW, line=11)])
    for turn in range(5):
        begin = 60 * turn
        story.at(begin, 1, KIND.SLEEP, stack=SLOW).at(begin + 20, 1, KIND.SLEPT)
        story.at(begin + 25, 1, KIND.SLEEP, stack=50).at(begin + 55, 1, KIND.SLEPT)
    story.at(300, 1, KIND.THREAD_END)
    gains = {
        row["method"]: row["gain_ns"]
        for row in story.findings("sleep_on_critical_path")
    }
    assert gains["demo.Lock.slow"] == pytest.approx(100 * MS, rel=0.01)
    assert gains["demo.Queue.take"] == pytest.approx(150 * MS, rel=0.01)


def test_what_decides_nothing_goes_below_the_line() -> None:
    story = beside_a_long_task(Story(3))
    story.at(HOLD * 10 + 1, 2, KIND.THREAD_END).at(HOLD * 10 + 1, 3, KIND.THREAD_END)
    (row,) = story.findings("hot_lock")
    assert row["minor"]
    assert row["gain_ns"] == 0
    assert row["gain"].startswith("The run would be hardly shorter if nobody ")


def test_a_worker_that_would_only_idle_longer_is_no_proof_of_little_gain() -> None:
    story = beside_a_long_task(Story(3))
    for thread in (2, 3):
        story.at(HOLD * 10 + 1, thread, KIND.WAIT, object=OTHER, stack=JDK)
        story.at(HOLD * 15, thread, KIND.WAITED, object=OTHER)
    (row,) = story.findings("hot_lock")
    assert not row["minor"]
    assert row["gain_ns"] is None
    assert row["gain"].endswith("how much shorter the run would be is unknown.")


def test_a_run_whose_length_was_given_has_a_bound_and_no_gain() -> None:
    story = beside_a_long_task(Story(3))
    story.at(0, 1, KIND.SLEEP, stack=SLOW).at(2 * HOLD * 10 - 1, 1, KIND.SLEPT)
    rows = [row for row in story.findings() if row["class"] == "demo.Lock"]
    assert [row["gain_ns"] for row in rows] == [None]
    assert rows[0]["gain"].startswith("Threads lost 90.0 ms to it in all.")
    assert "One wait decides how long the run is" in rows[0]["gain"]


def test_what_gains_comes_before_what_gains_nothing() -> None:
    story = in_turn(20)
    for turn in range(6):
        begin = 30.0 * turn
        story.block(begin, begin + 7, 3, owner=4, lock=OTHER)
    story.at(181, 3, KIND.THREAD_END).at(181, 4, KIND.THREAD_END)
    assert [(row["class"], row["minor"]) for row in story.findings()] == [
        ("demo.Lock", False),
        ("demo.Other", True),
    ]


def test_little_gain_is_not_believed_of_what_took_most_of_the_run() -> None:
    story = in_turn(20)
    for turn in range(6):
        begin = 30.0 * turn
        story.block(begin, begin + 29.9, 3, owner=4, lock=OTHER)
    story.at(181, 3, KIND.THREAD_END).at(181, 4, KIND.THREAD_END)
    (other,) = [row for row in story.findings() if row["class"] == "demo.Other"]
    assert not other["minor"]
    assert other["gain_ns"] is None


@campaign(150, 2000)
def test_a_gain_is_an_interval_or_unknown(seed: int) -> None:
    model = run_of(seed)
    for row in model.findings():
        gains = [row[f"gain_{part}ns"] for part in ("low_", "", "high_")]
        of_units = re.match(r"If |\d+ % of the time of ", row["gain"] or "")
        if None in gains:
            assert gains == [None, None, None]
            lost = row["gain"] is None or row["gain"].startswith("Threads lost ")
            assert lost or of_units, row["gain"]
            continue
        assert gains == sorted(gains)
        assert gains[2] <= model.length_ns
        begins = row["gain"].startswith(("The run would be ", "There would "))
        assert begins or of_units, row["gain"]
        little = gains[1] < model.length_ns // 100 and gains[2] < model.length_ns // 20
        assert row["minor"] or not little


def test_nothing_is_gained_from_a_finding_that_costs_nothing() -> None:
    story = Story(kinds=ALL_KINDS)
    for ms in range(150):
        story.at(ms, 1, KIND.NOTIFY, object=OTHER, stack=SLOW)
    (row,) = story.findings("useless_notify")
    assert (row["gain"], row["gain_ns"], row["bound_ns"]) == (None, None, 0 * MS)


@pytest.mark.parametrize("permits", [2, 4])
def test_a_card_of_a_service_gives_requests_now_and_predicted(permits: int) -> None:
    service = Service(permits=permits, seconds=3)
    free = Service(seconds=3)
    rows = [row for row in service.model().findings() if not row["minor"]]
    gain = rows[0]["gain"]
    found = re.fullmatch(
        r"(?P<share>\d+) % of the time of requests goes there\. If none had to wait "
        r"for it, there would be (?P<low>[\d,.]+) to (?P<high>[\d,.]+) requests a "
        r"second instead of (?P<now>[\d,.]+), and 99 % of them would take .* at most "
        r"instead of .*\.",
        gain,
    )
    assert found, gain
    low, high, now = (
        float(found[key].replace(",", "")) for key in ("low", "high", "now")
    )
    assert now == pytest.approx(len(service.log) / 3, rel=0.1)
    assert low <= len(free.log) / 3 * 1.05
    assert len(free.log) / 3 * 0.95 <= high
    waited = 1 - len(service.log) / len(free.log)
    assert int(found["share"]) / 100 == pytest.approx(waited, abs=0.1)
    assert rows[0]["method"] == "app.Pool.borrow"
