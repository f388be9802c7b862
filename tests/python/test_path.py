# SPDX-License-Identifier: Apache-2.0
"""The critical path and what-if, against a slow definition and against simulation."""

import itertools
import random
from typing import Any

import pytest

import threadmodel
from campaign import campaign, fair_locks, run_of
from lockworld import Program, Steps, World, started_by_main
from path_reference import Reference, Segment
from threadmodel import Selection

# The place of the path if the block were short.
BEHIND = "behind an unexplained block"


def model_of(world: World) -> threadmodel.Model:
    model = threadmodel.Model()
    world.fill(model)
    return model


def segments(table: threadmodel.Table) -> list[Segment]:
    return [
        (
            row["start_ns"],
            row["end_ns"],
            row["thread_id"],
            row["state"],
            row["unexplained"] not in (None, BEHIND),
        )
        for row in table
    ]


def assert_tiles(path: list[Segment], end: int) -> None:
    assert [s[0] for s in path] == [0, *(s[1] for s in path[:-1])]
    assert all(s[0] < s[1] for s in path)
    assert path[-1][1] == end


def end_of_work(model: threadmodel.Model, path: list[Segment]) -> int:
    """Return the end of the path: the end of a thread, or of the whole run."""
    ends = {*model.threads()["end_ns"], model.length_ns}
    assert path[-1][1] in ends
    return path[-1][1]


def joined(path: list[Segment]) -> list[Segment]:
    """Merge adjacent segments that differ only in their times."""
    found: list[Segment] = []
    for segment in path:
        if found and found[-1][2:] == segment[2:]:
            found[-1] = (found[-1][0], *segment[1:])
        else:
            found.append(segment)
    return found


@campaign(150, 2000)
def test_paths_are_what_their_definition_reports(seed: int) -> None:
    model = fair_locks(seed)
    reference = Reference(model)
    for waited_for in (True, False):
        path = segments(model.critical_path(waited_for=waited_for))
        assert_tiles(path, end_of_work(model, path))
        for thread in (1, 2, 3):
            path = segments(model.critical_path(thread=thread, waited_for=waited_for))
            assert_tiles(path, path[-1][1])
            expected = reference.path(thread, path[-1][1], waited_for)
            assert joined(path) == joined(expected), f"seed {seed}"
    chance = random.Random(seed)
    for thread in (1, 2, 3):
        to_ns = chance.randint(1, model.length_ns)
        path = segments(model.critical_path(thread=thread, to_ns=to_ns))
        assert_tiles(path, to_ns)
        assert joined(path) == joined(reference.path(thread, to_ns, False))


@campaign(200, 3000)
def test_paths_of_any_run_tile_from_its_beginning_to_their_end(seed: int) -> None:
    model = run_of(seed)
    chance = random.Random(seed)
    ids = model.threads()["thread_id"].to_list()
    for thread in (None, *ids[: chance.randint(0, 2)]):
        for waited_for in (True, False):
            to_ns = chance.choice((None, chance.randint(1, max(model.length_ns, 1))))
            if not model.length_ns:
                to_ns = None
            path = segments(
                model.critical_path(thread=thread, to_ns=to_ns, waited_for=waited_for)
            )
            ended = None if thread is None else model.threads(Selection(thread))
            end = to_ns or model.length_ns
            if thread is None and to_ns is None and path:
                end = end_of_work(model, path)
            if ended and to_ns is None:
                (end,) = ended["end_ns"]
                end = model.length_ns if end is None else end
            if path or end:
                assert_tiles(path, end)


@campaign(100, 1000)
def test_sums_of_a_path_are_those_of_its_segments(seed: int) -> None:
    model = run_of(seed)
    rows = list(model.critical_path())
    for keys in itertools.chain.from_iterable(
        itertools.combinations(("thread", "method", "class", "state"), size)
        for size in range(1, 5)
    ):
        # Two threads may have one name, or none.
        columns = ["thread_id" if key == "thread" else key for key in keys]
        sums: dict[tuple[Any, ...], int] = {}
        for row in rows:
            key = tuple(row[name] for name in columns)
            sums[key] = sums.get(key, 0) + row["end_ns"] - row["start_ns"]
        found = {
            tuple(row[name] for name in columns): row["total_ns"]
            for row in model.path_rollup(by=keys)
            if row["segments"]
        }
        assert found == sums
        assert sum(found.values()) == (rows[-1]["end_ns"] if rows else 0)


@campaign(100, 1500)
def test_what_lies_on_the_path_has_no_slack(seed: int) -> None:
    model = fair_locks(seed)
    slack = {row["thread_id"]: row["slack_ns"] for row in model.path_rollup()}
    rows = list(model.critical_path())
    assert set(slack) == set(model.threads()["thread_id"])
    for row in rows:
        if row["unexplained"] is None:
            assert slack[row["thread_id"]] == 0
    assert all(value is None or value >= 0 for value in slack.values())


def convoy(hold: int, outside: int, rounds: int, sleeps: bool) -> Program:
    def run(world: World) -> Steps:
        for _ in range(rounds):
            yield "enter", 1
            yield "work", hold // 2
            yield ("sleep" if sleeps else "work"), hold - hold // 2
            yield "exit", 1
            yield "work", outside

    return run


def two_locks(first: int, second: int, rounds: int) -> Program:
    def run(world: World) -> Steps:
        for _ in range(rounds):
            yield "enter", 1
            yield "work", first
            yield "exit", 1
            yield "enter", 2
            yield "work", second
            yield "exit", 2

    return run


def nested_locks(outer: int, inner: int, rounds: int) -> Program:
    def run(world: World) -> Steps:
        for _ in range(rounds):
            yield "enter", 1
            yield "work", outer
            yield "enter", 2
            yield "work", inner
            yield "exit", 2
            yield "work", outer
            yield "exit", 1

    return run


def stage(lock_in: int, lock_out: int | None, ns: int, items: int) -> Program:
    """Take from one queue, work, put into the next; the counts are the world's."""

    def run(world: World) -> Steps:
        counts: dict[int, int] = world.__dict__.setdefault("counts", {})
        for _ in range(items):
            yield "enter", lock_in
            while not counts.get(lock_in):
                yield "wait", lock_in
            counts[lock_in] -= 1
            yield "exit", lock_in
            yield "work", ns
            if lock_out is not None:
                yield "enter", lock_out
                counts[lock_out] = counts.get(lock_out, 0) + 1
                yield "notify", lock_out
                yield "exit", lock_out

    return run


def source(lock: int, ns: int, items: int) -> Program:
    def run(world: World) -> Steps:
        counts: dict[int, int] = world.__dict__.setdefault("counts", {})
        for _ in range(items):
            yield "work", ns
            yield "enter", lock
            counts[lock] = counts.get(lock, 0) + 1
            yield "notify", lock
            yield "exit", lock

    return run


def alike(program: Program, count: int) -> dict[int, Program]:
    return started_by_main({2 + i: program for i in range(count)})


WORLDS: dict[str, tuple[dict[int, Program], int]] = {
    "convoy": (alike(convoy(1000, 500, 60, False), 4), 1),
    "convoy that sleeps": (alike(convoy(1000, 900, 60, True), 5), 1),
    "two locks, the slow one": (alike(two_locks(1000, 300, 60), 4), 1),
    "two locks, the fast one": (alike(two_locks(1000, 300, 60), 4), 2),
    "nested locks": (alike(nested_locks(400, 300, 60), 3), 1),
}


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("factor", [0.9, 0.75, 0.6, 0.5])
def test_predictions_come_true(name: str, factor: float) -> None:
    programs, lock = WORLDS[name]
    model = model_of(World(programs))
    truth = World(programs, scaled=[lock], factor=factor).length_ns
    rows = list(model.whatif(f"app.Lock{lock}", factor=factor))
    assert len(rows) == 1
    if rows[0]["scaled"] == 0:
        assert rows[0]["length_ns"] is None
        assert rows[0]["note"].startswith("cannot tell")
        return
    assert rows[0]["length_ns"] == pytest.approx(truth, rel=0.01)
    assert rows[0]["gain_ns"] == model.length_ns - rows[0]["length_ns"]
    assert rows[0]["gain_low_ns"] <= rows[0]["gain_ns"] <= rows[0]["gain_high_ns"]
    assert rows[0]["note"] is None


@campaign(60, 1000)
def test_predictions_of_any_convoy_come_true(seed: int) -> None:
    chance = random.Random(seed)
    count, hold = chance.randint(3, 8), chance.randint(500, 5000)
    factor = chance.uniform(0.5, 1.5)
    # Short enough that a thread always waits, even with the shorter hold.
    outside = chance.randint(1, int((count - 2) * hold * min(factor, 1)))
    programs = alike(convoy(hold, outside, 80, chance.random() < 0.5), count)
    model = model_of(World(programs))
    truth = World(programs, scaled=[1], factor=factor).length_ns
    (row,) = model.whatif("app.Lock1", factor=factor)
    assert row["length_ns"] == pytest.approx(truth, rel=0.01), f"seed {seed}"


@pytest.mark.parametrize("name", WORLDS)
def test_the_run_replayed_unchanged_is_as_long_as_it_was(name: str) -> None:
    programs, _ = WORLDS[name]
    model = model_of(World(programs))
    (row,) = model.whatif("app.Lock1", factor=1)
    # By how much it is not is what a gain may be more or less.
    assert row["gain_ns"] == 0
    assert row["gain_high_ns"] <= 0.01 * model.length_ns
    assert row["note"] is None


@campaign(150, 2000)
def test_a_factor_of_one_changes_nothing(seed: int) -> None:
    model = run_of(seed)
    for name in {row["class"] for row in model.locks()} - {None}:
        (row,) = answer = model.whatif(name, factor=1)
        is_image = not any(
            it.startswith("Without a change ") and "predict" in it
            for it in answer.caveats
        )
        assert row["gain_ns"] == (0 if row["scaled"] and is_image else None)


def test_a_pipeline_is_as_slow_as_its_slowest_stage() -> None:
    items, slow = 40, 5000
    programs = started_by_main(
        {
            2: source(1, 1000, items),
            3: stage(1, 2, slow, items),
            4: stage(2, None, 2000, items),
        }
    )
    model = model_of(World(programs))
    rollup = {row["thread_id"]: row["total_ns"] for row in model.path_rollup()}
    assert rollup[3] == pytest.approx(items * slow, rel=0.02)
    assert sum(rollup.values()) == list(model.critical_path())[-1]["end_ns"]


def test_the_rank_has_the_best_first_and_reports_the_same() -> None:
    programs, _ = WORLDS["two locks, the slow one"]
    model = model_of(World(programs))
    table = model.whatif_rank(factor=0.5)
    rows = list(table)
    gains = [row["gain_ns"] for row in rows]
    assert gains == sorted(gains, reverse=True)
    assert rows[0]["class"] == "app.Lock1"
    for row in rows:
        (alone,) = model.whatif(row["class"], factor=0.5)
        assert alone == row
    assert len(model.whatif_rank(1)) == 1
    assert any("replay of the run" in caveat for caveat in table.caveats)


def test_an_object_is_chosen_by_its_label() -> None:
    programs, _ = WORLDS["two locks, the slow one"]
    model = model_of(World(programs))
    label = next(value for value in model.objects()["object"] if "Lock1" in value)
    (one,) = model.whatif(object=label, factor=0.5)
    (all_,) = model.whatif("app.Lock1", factor=0.5)
    assert one["object"] == label
    assert one["gain_ns"] == all_["gain_ns"]
    (none,) = model.whatif("app.Lock2", object=label)
    assert (none["gain_ns"], none["length_ns"], none["scaled"]) == (None, None, 0)
    assert none["note"].startswith("cannot tell")


def test_wrong_questions_are_reported(model: threadmodel.Model) -> None:
    for factor in (-0.5, float("nan"), float("inf"), 1e9):
        with pytest.raises(ValueError, match="factor"):
            model.whatif("demo.Account", factor=factor)
    with pytest.raises(LookupError, match=r"no\.Such"):
        model.whatif("no.Such")
    with pytest.raises(LookupError, match=r"no\.such"):
        model.whatif(method="no.such")
    with pytest.raises(LookupError, match="nothing@1"):
        model.whatif(object="nothing@1")
    with pytest.raises(ValueError, match="nothing"):
        model.whatif()
    with pytest.raises(ValueError, match="count"):
        model.whatif_rank(0)
    with pytest.raises(ValueError, match="colour"):
        model.path_rollup(by=("colour",))
    with pytest.raises(LookupError, match="nobody"):
        model.critical_path(thread="nobody")
    with pytest.raises(LookupError, match="77"):
        model.critical_path(thread=77)
    with pytest.raises(ValueError, match="ends after the run"):
        model.critical_path(to_ns=model.length_ns + 1)


def test_a_thread_is_chosen_by_name(model: threadmodel.Model) -> None:
    path = model.critical_path(thread="worker")
    assert path["thread"][-1] == "worker"
    assert path["end_ns"][-1] == 90_000_000


def test_an_empty_run_has_empty_answers() -> None:
    model = threadmodel.Model()
    assert len(model.critical_path()) == 0
    assert len(model.path_rollup()) == 0
    assert len(model.whatif("any.Class")) == 0
    assert len(model.whatif_rank()) == 0
