# SPDX-License-Identifier: Apache-2.0
"""Verdicts, critical paths and what-ifs of a part of a run."""

import pytest

import random_runs
from story import KIND, LOCK, MS, OTHER, Story
from threadmodel import InvalidArgumentError, Model, Selection

SECOND = 1000 * MS
HUNG = ("stuck", "partly_stuck", "starved")


def part(from_ns: int | None, to_ns: int | None = None) -> Selection:
    return Selection(window=(from_ns, to_ns))


def deadlocked() -> Story:
    """Two threads run for a second, and then wait for one another."""
    story = Story()
    story.at(0, 2, KIND.HELD, object=LOCK).at(0, 3, KIND.HELD, object=OTHER)
    story.block(1000, 9000, 2, owner=3, lock=OTHER)
    story.events.pop()
    story.block(1000, 9000, 3, owner=2)
    story.events.pop()
    story.at(10_000, 8, KIND.THREAD_END)
    return story


def test_a_deadlock_is_the_verdict_from_when_it_stands() -> None:
    story = deadlocked()
    story.findings()
    (before,) = story.model.verdict(part(0, SECOND // 2))
    (during,) = story.model.verdict(part(4 * SECOND, 5 * SECOND))
    (whole,) = story.model.verdict()
    assert before["kind"] != "deadlocked"
    assert during["kind"] == whole["kind"] == "deadlocked"
    assert during["since_ns"] == whole["since_ns"] == SECOND
    assert len(story.model.verdict_members(part(4 * SECOND, 5 * SECOND))) == 2


def test_a_lock_bounds_the_part_in_which_threads_queue_for_it() -> None:
    story = Story()
    for thread in (2, 3, 4, 5):
        for number in range(20):
            at = 10_000 + number * 500
            story.block(at, at + 490, thread, owner=1)
    story.at(60_000, 8, KIND.THREAD_END)
    story.findings()
    model = story.model
    (during,) = model.verdict(part(10 * SECOND, 20 * SECOND))
    assert (during["kind"], during["class"]) == ("bound", "demo.Lock")
    for other in (part(0, 10 * SECOND), part(21 * SECOND), Selection()):
        (row,) = model.verdict(other)
        assert row["kind"] != "bound", row["title"]
    (caveat,) = [
        text
        for text in model.verdict(part(10 * SECOND, 20 * SECOND)).caveats
        if text.startswith("Only the part")
    ]
    assert caveat == "Only the part from 10.0 s to 20.0 s was examined."


@pytest.mark.parametrize("seed", range(30))
def test_the_whole_run_as_a_part_is_the_run(seed: int) -> None:
    model = Model()
    random_runs.fill(model, seed, threads=6, objects=3, count=600)
    length = model.length_ns
    window = (0, length + 1)
    whole = Selection(window=window)
    assert list(model.verdict(whole)) == list(model.verdict())
    assert list(model.verdict_members(whole)) == list(model.verdict_members())
    assert list(model.critical_path(from_ns=0)) == list(model.critical_path())
    assert list(model.path_rollup(from_ns=0)) == list(model.path_rollup())
    assert list(model.whatif_rank(window=window)) == list(model.whatif_rank())


@pytest.mark.parametrize("seed", range(30))
def test_no_thread_is_stuck_in_a_part_whose_wait_ended_later(seed: int) -> None:
    model = Model()
    random_runs.fill(model, seed, threads=6, objects=3, count=600)
    length = model.length_ns
    ended = {
        (row["thread_id"], row["start_ns"]): row["end_ns"]
        for row in model.timeline()
        if row["end_ns"] is not None and row["end_ns"] < length
    }
    for end in (length // 4, length // 2, 3 * length // 4):
        (row,) = model.verdict(part(0, end))
        if row["kind"] not in HUNG:
            continue
        for member in model.verdict_members(part(0, end)):
            assert (member["thread_id"], member["start_ns"]) not in ended, member


@pytest.mark.parametrize("seed", range(30))
def test_a_part_of_the_path_has_no_gap_and_adds_up(seed: int) -> None:
    model = Model()
    random_runs.fill(model, seed, threads=6, objects=3, count=600)
    start, end = model.length_ns // 3, 2 * model.length_ns // 3
    rows = list(model.critical_path(from_ns=start, to_ns=end))
    edges = [row["start_ns"] for row in rows] + [rows[-1]["end_ns"]]
    assert (edges[0], edges[-1]) == (start, end)
    assert edges[1:] == [row["end_ns"] for row in rows]
    sums = model.path_rollup(from_ns=start, to_ns=end)
    assert sum(sums["total_ns"]) == end - start
    assert sum(sums["share"]) == pytest.approx(1)
    later = [row for row in model.critical_path(to_ns=end) if row["end_ns"] > start]
    assert rows[1:] == later[1:]


@pytest.mark.parametrize("seed", range(30))
def test_a_change_of_two_parts_is_of_all_holds_once(seed: int) -> None:
    model = Model()
    random_runs.fill(model, seed, threads=6, objects=3, count=600)
    names = {row["class"] for row in model.holds() if row["class"]}
    middle = model.length_ns // 2
    for name in names:
        (whole,) = model.whatif(name)
        (first,) = model.whatif(name, window=(None, middle))
        (second,) = model.whatif(name, window=(middle, None))
        assert first["scaled"] + second["scaled"] == whole["scaled"]
        assert first["scaled_ns"] + second["scaled_ns"] == whole["scaled_ns"]


def test_what_is_no_part_of_the_time_is_an_error() -> None:
    story = deadlocked()
    story.findings()
    model = story.model
    for selection in (
        Selection(threads=2),
        Selection(classes="demo.Lock"),
        part(10**12),
    ):
        for ask in (model.verdict, model.verdict_members):
            with pytest.raises(InvalidArgumentError):
                ask(selection)
    with pytest.raises(InvalidArgumentError, match="after its end"):
        model.critical_path(from_ns=3 * SECOND, to_ns=2 * SECOND)
    with pytest.raises(InvalidArgumentError):
        model.whatif("demo.Lock", window=(10**12, None))
