# SPDX-License-Identifier: Apache-2.0
"""Owners of a lock while others were blocked: shares that tile blocks, and holds."""

from typing import Any

import pytest

import random_runs
from campaign import any_events, campaign, fair_locks, run_of, simulated
from threadmodel import Event, EventFlag, EventKind, Model, Selection
from threadmodel.errors import InvalidArgumentError, NotFoundError

MS = 1_000_000


def random_model(seed: int) -> Model:
    model = Model()
    random_runs.fill(
        model, seed, threads=2 + seed % 7, objects=1 + seed % 4, count=40 + seed % 300
    )
    return model


@campaign(100, 1000)
def test_blame_and_holds_are_the_same_nanoseconds(seed: int) -> None:
    for model in (any_events(seed), fair_locks(seed), simulated(seed)):
        holds: dict[tuple[str, int], list[Any]] = {}
        for hold in model.holds():
            holds.setdefault((hold["object"], hold["thread_id"]), []).append(hold)
        for row in model.blame():
            if row["share"] != "owner" or row["start_ns"] == row["end_ns"]:
                continue
            # One hold of the owner, from its earliest to its latest, covers the share.
            assert any(
                (
                    hold["start_earliest_ns"] is None
                    or hold["start_earliest_ns"] <= row["start_ns"]
                )
                and (
                    hold["end_latest_ns"] is None
                    or row["end_ns"] <= hold["end_latest_ns"]
                )
                for hold in holds[row["object"], row["owner_id"]]
            ), (seed, row)


@campaign(100, 1000)
def test_what_if_scales_the_nanoseconds_of_the_holds(seed: int) -> None:
    for model in (any_events(seed), fair_locks(seed), simulated(seed)):
        end_ns = model.length_ns
        holds: dict[str, list[Any]] = {}
        for hold in model.holds():
            if hold["thread_id"] is not None:
                holds.setdefault(hold["object"], []).append(hold)
        for object_, rows in holds.items():
            (row,) = model.whatif(object=object_, factor=1.0)
            # One reader is listed if several enter together.
            is_shared = row["scaled"] > len(rows) and rows[0]["kind"] != "monitor"
            # Contradictory events do not occur in a real run.
            if is_shared or any(hold["contested"] for hold in rows):
                continue
            least_ns = sum(
                max((hold["end_earliest_ns"] or 0) - hold["start_latest_ns"], 0)
                for hold in rows
            )
            most_ns = sum(
                (end_ns if hold["end_latest_ns"] is None else hold["end_latest_ns"])
                - (hold["start_earliest_ns"] or 0)
                for hold in rows
            )
            assert least_ns <= row["scaled_ns"] <= most_ns, (seed, object_)
            assert row["scaled"] <= len(rows), (seed, object_)


@campaign(100, 1000)
def test_the_shares_of_a_block_tile_it(seed: int) -> None:
    for model in (any_events(seed), fair_locks(seed)):
        blocks: dict[Any, list[Any]] = {}
        for row in model.blame():
            names = ("thread_id", "block_start_ns", "block_end_ns")
            blocks.setdefault(tuple(row[name] for name in names), []).append(row)
        for (_, start_ns, end_ns), shares in blocks.items():
            at_ns = start_ns
            for row in shares:
                assert row["start_ns"] == at_ns
                at_ns = row["end_ns"]
                assert (row["owner_id"] is None) == (row["share"] != "owner")
                assert (row["provenance"] == "unknown") == (row["share"] == "unknown")
            assert at_ns == end_ns


@campaign(200, 2000)
def test_the_shares_of_locks_and_of_resources_are_all_time_that_was_waited(
    seed: int,
) -> None:
    model = run_of(seed)
    waited: dict[int, int] = {}
    for of in ("locks", "resources"):
        at: dict[Any, int] = {}
        for row in model.blame(of=of):
            block = tuple(
                row[name] for name in ("thread_id", "block_start_ns", "state")
            )
            assert row["start_ns"] == at.get(block, row["start_ns"]), (seed, row)
            assert row["owner_id"] != row["thread_id"], (seed, row)
            assert (row["owner_id"] is None) == (row["share"] != "owner")
            at[block] = row["end_ns"]
            if of == "resources" and row["share"] != "unknown":
                assert row["provenance"] == "inferred", (seed, row)
            ns = row["end_ns"] - row["start_ns"]
            waited[row["thread_id"]] = waited.get(row["thread_id"], 0) + ns
    for row in model.threads():
        states = ("blocked", "reentering", "parked", "waiting")
        total = sum(row[f"{state}_total_ns"] for state in states)
        assert waited.get(row["thread_id"], 0) == total, (seed, row)


ENTER, ENTERED = EventKind.CONTENDED_ENTER, EventKind.CONTENDED_ENTERED


def three_owners() -> Model:
    """Thread 1 blocks for 10 ms, while three others hold the lock in turn.

    ::

        2  |has it ..4|                        the VM says so when 1 blocks
        3        |block|has it ... 7|wait      let in at 4, waits at 7
        4                                |block 8-9|  unknown owner, has it from 9
        1  |block .........................................10|
    """
    model = Model()
    random_runs.define(model, 4, 2)
    reported = EventFlag.PEER_REPORTED
    model.ingest(
        [
            Event(1, 2, EventKind.THREAD_START),
            Event(1, 1, ENTER, object=100, peer=2, stack=1, flags=reported),
            Event(1 + 3 * MS, 3, ENTER, object=100, peer=2, stack=2, flags=reported),
            Event(1 + 4 * MS, 3, ENTERED, object=100),
            Event(1 + 7 * MS, 3, EventKind.WAIT, object=100, stack=3),
            Event(1 + 8 * MS, 4, ENTER, object=100, stack=4),
            Event(1 + 9 * MS, 4, ENTERED, object=100),
            Event(1 + 10 * MS, 1, ENTERED, object=100),
        ]
    )
    return model


def test_a_block_is_split_over_its_successive_owners() -> None:
    rows = [row for row in three_owners().blame() if row["thread_id"] == 1]
    shares = [
        (row["start_ns"] // MS, row["end_ns"] // MS, row["owner_id"], row["provenance"])
        for row in rows
    ]
    assert shares == [
        (0, 4, 2, "inferred"),
        (4, 7, 3, "inferred"),
        (7, 9, None, "unknown"),
        (9, 10, 4, "inferred"),
    ]
    assert [row["fraction"] for row in rows] == pytest.approx([0.4, 0.3, 0.2, 0.1])
    assert {(row["block_start_ns"], row["block_end_ns"]) for row in rows} == {
        (0, 10 * MS)
    }


def test_an_owner_is_named_with_where_it_got_the_lock() -> None:
    rows = list(three_owners().blame(selection=Selection(threads=[1])))
    methods = [(row["owner_method"], row["owner_line"]) for row in rows]
    assert methods == [(None, None), ("app.A.m3", 2), (None, None), ("app.B.m1", 4)]
    assert {row["method"] for row in rows} == {"app.B.m1"}


def test_the_matrix_adds_up_to_the_blocked_time_of_each_thread() -> None:
    for seed in range(60):
        model = random_model(seed)
        blocked = {
            row["thread_id"]: row["blocked_total_ns"] + row["reentering_total_ns"]
            for row in model.threads()
        }
        sums: dict[int, int] = {}
        shares: dict[int, float] = {}
        for row in model.blame(("thread", "owner"), states=("blocked", "reentering")):
            sums[row["thread_id"]] = sums.get(row["thread_id"], 0) + row["total_ns"]
        for row in model.blockers():
            shares[row["thread_id"]] = shares.get(row["thread_id"], 0) + row["share"]
            known = sum(
                row[f"{name}_share"] for name in ("reported", "exact", "inferred")
            )
            expected = 0.0
            if row["total_ns"] > 0:
                expected = (
                    1.0 if row["owner_id"] else row["latency_ns"] / row["total_ns"]
                )
            assert known == pytest.approx(expected), f"seed {seed}"
        assert sums == {t: ns for t, ns in blocked.items() if t in sums}
        assert all(ns == 0 for t, ns in blocked.items() if t not in sums)
        assert all(share == pytest.approx(1) or share == 0 for share in shares.values())


@pytest.mark.parametrize(
    "by",
    [("owner",), ("class",), ("object", "owner"), ("thread", "caller", "owner_method")],
)
def test_groups_are_sums_of_shares(by: tuple[str, ...]) -> None:
    columns = {
        "owner": ("owner_id", "owner"),
        "class": ("class",),
        "object": ("object", "class"),
        "thread": ("thread_id", "thread"),
        "caller": ("method", "source", "line"),
        "owner_method": ("owner_method", "owner_source", "owner_line"),
    }
    names = [name for key in by for name in columns[key]]
    for seed in range(40):
        model = random_model(seed)
        total: dict[Any, int] = {}
        blocks: dict[Any, set[Any]] = {}
        longest: dict[Any, int] = {}
        for row in model.blame():
            key = tuple(row[name] for name in names)
            block = (row["thread_id"], row["block_start_ns"], row["block_end_ns"])
            ns = row["end_ns"] - row["start_ns"]
            total[key] = total.get(key, 0) + ns
            blocks.setdefault(key, set()).add(block)
            longest[(key, block)] = longest.get((key, block), 0) + ns
        table = list(model.blame(by))
        answer = {tuple(row[name] for name in names): row for row in table}
        assert len(answer) == len(table)
        assert {key: row["total_ns"] for key, row in answer.items()} == total
        assert {key: row["count"] for key, row in answer.items()} == {
            key: len(found) for key, found in blocks.items()
        }
        for (key, _), ns in longest.items():
            assert answer[key]["max_ns"] >= ns
        ordered = [row["total_ns"] for row in table]
        assert ordered == sorted(ordered, reverse=True)


def test_blame_by_owners_stack_splits_that_by_its_method() -> None:
    for seed in range(40):
        model = random_model(seed)
        by_method: dict[Any, int] = {}
        for row in model.blame(("owner_stack", "owner_method")):
            place = tuple(
                row[name] for name in ("owner_method", "owner_source", "owner_line")
            )
            by_method[place] = by_method.get(place, 0) + row["total_ns"]
        assert by_method == {
            (row["owner_method"], row["owner_source"], row["owner_line"]): row[
                "total_ns"
            ]
            for row in model.blame("owner_method")
        }
        stacks = [row["owner_stack"] for row in model.blame("owner_stack")]
        assert len(set(stacks)) == len(stacks)
        assert {stack for stack in stacks if stack is not None} <= {
            row["stack"] for row in model.stacks()
        }


def test_a_window_cuts_blocks_and_their_shares() -> None:
    model = three_owners()
    rows = list(model.blame(selection=Selection(threads=[1], window=(5 * MS, 8 * MS))))
    assert [(r["start_ns"] // MS, r["end_ns"] // MS, r["owner_id"]) for r in rows] == [
        (5, 7, 3),
        (7, 8, None),
    ]
    assert [row["fraction"] for row in rows] == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize("of", ["locks", "resources"])
@pytest.mark.parametrize("seed", range(20))
def test_a_window_changes_no_share(seed: int, of: str) -> None:
    model = Model()
    random_runs.fill(model, seed, threads=7, objects=9, count=3000)
    names = ("thread_id", "object", "share", "owner_id", "owner_method", "provenance")
    rows = list(model.blame(of=of))
    for first, last in ((0.2, 0.7), (0.5, 0.51), (0.31, 0.9)):
        begin, end = (int(share * model.length_ns) for share in (first, last))
        cut = [
            (max(row["start_ns"], begin), min(row["end_ns"], end), *map(row.get, names))
            for row in rows
            if row["end_ns"] > begin and row["start_ns"] < end
        ]
        found = [
            (row["start_ns"], row["end_ns"], *map(row.get, names))
            for row in model.blame(selection=Selection(window=(begin, end)), of=of)
        ]
        assert sorted(map(repr, found)) == sorted(map(repr, cut))


def test_bounded_memory_leaves_the_sums_whole() -> None:
    for seed in range(20):
        whole, bounded = Model(), Model(memory_limit_bytes=60_000)
        for model in (whole, bounded):
            random_runs.fill(model, seed, threads=6, objects=3, count=4000)
        totals = [
            sum(row["total_ns"] for row in model.blame("thread", states="blocked"))
            for model in (whole, bounded)
        ]
        assert totals[0] == totals[1]
        assert bounded.blockers().caveats


def test_what_cannot_be_asked_is_refused() -> None:
    model = three_owners()
    with pytest.raises(InvalidArgumentError, match="no such key: 'nothing'"):
        model.blame("nothing")
    with pytest.raises(InvalidArgumentError, match="no such state: 'sleeping'"):
        model.blame(states="sleeping")
    with pytest.raises(NotFoundError, match="no thread 77"):
        model.blockers(Selection(threads=[77]))
    with pytest.raises(InvalidArgumentError, match="window begins"):
        model.blockers(Selection(window=(10**12, None)))


def test_a_model_without_events_has_no_blame() -> None:
    assert len(Model().blame()) == 0
    assert len(Model().blame("owner")) == 0
    assert len(Model().blockers()) == 0


@pytest.mark.parametrize("seed", range(6))
def test_statistics_have_the_latency_that_blame_has(seed: int) -> None:
    model = Model()
    random_runs.fill(model, seed, threads=7, objects=4, count=3000)
    blamed: dict[tuple[str | None, str | None], int] = {}
    for of in ("locks", "resources"):
        for row in model.blame(("class", "thread"), of=of):
            if row["latency_ns"]:
                key = (row["class"], row["thread"])
                blamed[key] = blamed.get(key, 0) + row["latency_ns"]
    found = {}
    for row in model.statistics(("class", "thread", "latency")):
        states = ("blocked", "waiting", "reentering", "parked")
        latency_ns = sum(row[f"{state}_latency_ns"] for state in states)
        if latency_ns:
            found[row["class"], row["thread"]] = latency_ns
    assert found == blamed
    assert blamed
