# SPDX-License-Identifier: Apache-2.0
"""Findings of a part of a run count what lies in that part, and nothing else."""

import pytest

import random_runs
from story import KIND, LOCK, MS, OTHER, SLOW, Story
from threadmodel import InvalidArgumentError, Model, Selection

SECOND = 1000 * MS
THREADS = 8
OWNER = 1


def part(from_ns: int | None, to_ns: int | None = None) -> Selection:
    return Selection(window=(from_ns, to_ns))


def service() -> Model:
    """Ten minutes: all the time two threads queue a little, and in the second
    minute four wait for an owner that sleeps."""
    story = Story(THREADS)
    for second in range(600):
        at = second * 1000
        for thread in (2, 3):
            story.block(at, at + 400, thread, owner=OWNER)
        if 60 <= second < 120:
            story.at(at, OWNER, KIND.HELD, object=OTHER, stack=SLOW)
            story.at(at + 10, OWNER, KIND.SLEEP, stack=SLOW)
            story.at(at + 900, OWNER, KIND.SLEPT)
            for thread in (4, 5, 6, 7):
                story.block(at + 20, at + 910, thread, owner=OWNER, lock=OTHER)
    story.at(600_000, 8, KIND.THREAD_END)
    story.findings()
    return story.model


def test_the_bad_minute_begins_with_its_own_card() -> None:
    model = service()
    whole, minute = model.findings(), model.findings(part(60 * SECOND, 120 * SECOND))
    assert (whole[0]["class"], minute[0]["class"]) == ("demo.Lock", "demo.Other")
    assert minute[0]["kind"] == "held_while_sleeping"
    assert minute[0]["impact_ns"] == 60 * 4 * 890 * MS
    assert "240 times" in minute[0]["waits"]
    assert minute[0]["gain_ns"] is None
    assert minute[0]["gain"] == "Threads lost 214 s to it in this part of the run."
    later = model.findings(part(120 * SECOND))
    assert "demo.Other" not in list(later["class"])
    assert not any("Only the part" in text for text in whole.caveats)
    (caveat,) = [text for text in minute.caveats if text.startswith("Only the part")]
    assert caveat.startswith("Only the part from 60.0 s to 120 s was examined")


def test_a_block_over_the_edge_of_a_part_is_cut() -> None:
    story = Story()
    for thread in range(2, 8):
        story.block(0, 10_000, thread, owner=OWNER)
    story.at(20_000, 8, KIND.THREAD_END)
    story.findings()
    (row,) = story.model.findings(part(4 * SECOND, 6 * SECOND))
    assert row["class"] == "demo.Lock"
    assert (row["impact_ns"], row["bound_ns"]) == (6 * 2 * SECOND, 2 * SECOND)
    assert not story.model.findings(part(11 * SECOND))


@pytest.mark.parametrize("seed", range(40))
def test_no_cost_exceeds_the_part_and_all_of_the_run_is_the_run(seed: int) -> None:
    model = Model()
    random_runs.fill(model, seed, threads=6, objects=3, count=600)
    length = model.length_ns
    whole = list(model.findings())
    for window in ((0, None), (0, length), (0, length + 1), (None, 10 * length)):
        assert list(model.findings(part(*window))) == whole
    for start, end in (
        (0, length // 2),
        (length // 3, length // 2),
        (length // 2, None),
    ):
        for row in model.findings(part(start, end)):
            span = (length if end is None else end) - start
            assert 0 <= row["bound_ns"] <= span, row
            assert 0 <= row["impact_ns"] <= span * len(model.threads()), row
            assert row["gain_ns"] is None


def test_a_part_without_events_has_no_findings() -> None:
    story = Story()
    for number in range(20):
        story.block(number * 200, number * 200 + 150, 2, owner=OWNER)
    story.at(60_000, 8, KIND.THREAD_END)
    assert story.findings()
    assert not story.model.findings(part(10 * SECOND, 20 * SECOND))


def test_a_deadlock_is_found_where_it_stands() -> None:
    story = Story()
    story.at(0, 2, KIND.HELD, object=LOCK).at(0, 3, KIND.HELD, object=OTHER)
    story.block(1000, 9000, 2, owner=3, lock=OTHER)
    story.events.pop()
    story.block(1000, 9000, 3, owner=2)
    story.events.pop()
    story.at(10_000, 8, KIND.THREAD_END)
    (whole,) = story.findings("deadlock")
    assert whole["impact_ns"] == 2 * 9 * SECOND
    (row,) = story.model.findings(part(6 * SECOND, 8 * SECOND))
    assert (row["kind"], row["impact_ns"]) == ("deadlock", 2 * 2 * SECOND)
    assert row["waits"] == whole["waits"]
    assert not story.model.findings(part(0, SECOND))


@pytest.mark.parametrize(
    "selection", [Selection(threads=2), Selection(classes="demo.Lock"), part(10**12)]
)
def test_a_selection_that_is_no_part_of_the_time_is_an_error(
    selection: Selection,
) -> None:
    story = Story()
    story.block(0, 10, 2)
    story.findings()
    with pytest.raises(InvalidArgumentError):
        story.model.findings(selection)
