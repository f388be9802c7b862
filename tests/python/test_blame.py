# SPDX-License-Identifier: Apache-2.0
"""Blame, against a slow reference that reads the timeline and the interactions."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import pytest

import random_runs
from campaign import any_events, any_size, campaign, fair_locks
from threadmodel import Event, EventFlag, EventKind, Model
from threadmodel.errors import InvalidArgumentError, NotFoundError

Row = dict[str, Any]
BLOCKS = ("blocked", "reentering", "parked")
HELD_UP = (*BLOCKS, "waiting", "joining", "sleeping", "deadlocked")
CERTAIN = "exact"
SURER = ("unknown", "inferred", "exact", "reported")


@dataclass
class Piece:
    """A stretch of an object's life with one owner."""

    from_ns: int
    owner: int | None
    provenance: str


@dataclass
class Lock:
    """An object: its pieces so far, and how many blocks wait for it."""

    pieces: list[Piece] = field(default_factory=lambda: [Piece(-1, None, "unknown")])
    queued: int = 0

    def change(self, time_ns: int, owner: int | None, provenance: str) -> None:
        last = self.pieces[-1]
        if last.owner == owner:
            if not self.queued:
                last.provenance = provenance
        elif last.from_ns == time_ns or not self.queued:
            self.pieces[-1] = Piece(time_ns, owner, provenance)
        else:
            self.pieces.append(Piece(time_ns, owner, provenance))

    def let_go(self, time_ns: int, thread: int) -> None:
        if self.pieces[-1].owner == thread:
            self.change(time_ns, None, "unknown")

    def had_it(self, thread: int) -> None:
        last = self.pieces[-1]
        if last.owner is None:
            last.owner, last.provenance = thread, "inferred"
        elif last.owner != thread:
            last.owner, last.provenance = None, "unknown"

    def stated(self, time_ns: int, since_ns: int, thread: int) -> None:
        """Take the VM's word for an owner, which has been held up since a time."""
        last = self.pieces[-1]
        if not self.queued or time_ns < last.from_ns:
            return
        if (last.owner, last.provenance) == (thread, "reported"):
            return
        if since_ns > last.from_ns:
            self.had_it(thread)
            self.pieces.append(Piece(since_ns, thread, "reported"))
        else:
            self.pieces[-1] = Piece(last.from_ns, thread, "reported")


@dataclass
class Block:
    row: Row
    first_piece: int


def hold_up_rows(model: Model) -> list[list[Row]]:
    """Return the timeline thread by thread, with what ended each interval."""
    by_thread: dict[int, list[Row]] = {}
    for row in model.timeline():
        by_thread.setdefault(row["thread_id"], []).append(row)
    return list(by_thread.values())


def label(object: int) -> str:
    return f"{random_runs.CLASSES[(object - 100) % len(random_runs.CLASSES)]}#{object}"


def held_up_since(rows: list[Row], time_ns: int, lock: str) -> int:
    """Return since when a thread has been in one hold-up, which is not for a lock."""
    since = time_ns
    for row in reversed(rows):
        if row["start_ns"] >= time_ns:
            continue
        if row["state"] not in HELD_UP or row["object"] == lock:
            break
        if row["end_ns"] < since:
            break
        since = row["start_ns"]
    return since


def statements(model: Model, events: list[Event]) -> list[Event]:
    """Return what was said of owners while somebody wanted the lock."""
    order = {(event.thread, event.time_ns): i for i, event in enumerate(events)}
    wants = [row for row in model.timeline() if row["state"] in (*BLOCKS, "deadlocked")]

    def is_wanted(number: int, event: Event) -> bool:
        time_ns = event.time_ns - 1
        for row in wants:
            # Of one instant, what came first came first.
            began_or_ended = order.get((row["thread_id"], event.time_ns), number)
            if row["object"] == label(event.object) and (
                row["start_ns"] < time_ns < row["end_ns"]
                or (row["start_ns"] == time_ns and began_or_ended <= number)
                or (row["end_ns"] == time_ns and began_or_ended >= number)
            ):
                return True
        return False

    return [
        event
        for number, event in enumerate(events)
        if event.kind == EventKind.HELD and is_wanted(number, event)
    ]


def reference(
    model: Model, events: list[Event]
) -> dict[tuple[Any, ...], dict[str, int]]:
    """Return for each (thread, start, end, object, owner) the ns by provenance."""
    held = statements(model, events)
    handoffs = {}
    for row in model.interactions():
        if row["kind"] == "handoff":
            handoffs[row["to_thread_id"], row["woken_ns"], row["object"]] = row
    ended = {row["thread_id"]: row["end_ns"] for row in model.threads()}
    timelines = hold_up_rows(model)
    by_thread = {rows[0]["thread_id"]: rows for rows in timelines}
    moments = sorted(
        [
            (row["start_ns"], t, i)
            for t, rows in enumerate(timelines)
            for i, row in enumerate(rows)
        ]
        + [(event.time_ns - 1, -1, i) for i, event in enumerate(held)]
    )
    locks: dict[str, Lock] = defaultdict(Lock)
    open_blocks: dict[int, Block] = {}
    result: dict[tuple[Any, ...], dict[str, int]] = {}

    def finish(t: int, end_ns: int) -> None:
        block = open_blocks.pop(t)
        row = block.row
        if row["object"] is None:
            pieces = [Piece(row["start_ns"], None, "unknown")]
        else:
            pieces = locks[row["object"]].pieces[block.first_piece :]
            locks[row["object"]].queued -= 1
        merged: list[Piece] = []
        for number, piece in enumerate(pieces):
            known = piece.provenance
            if number == 0 and piece.owner == row["peer_id"]:
                known = row["provenance"] or "unknown"
            elif number == 0 and piece.from_ns < row["start_ns"]:
                # Who got it earlier may have left it since, and nobody saw.
                known = "unknown" if known == "unknown" else "inferred"
            if (
                not merged
                or merged[-1].owner != piece.owner
                or SURER.index(known) > SURER.index(merged[-1].provenance)
            ):
                merged.append(Piece(piece.from_ns, piece.owner, known))
        for piece, after in zip(merged, [*merged[1:], None], strict=True):
            start = max(piece.from_ns, row["start_ns"])
            end = max(after.from_ns if after else end_ns, start)
            give(row, end_ns, piece, start, end)

    def give(row: Row, end_ns: int, piece: Piece, start: int, end: int) -> None:
        owner = piece.owner
        if owner == row["thread_id"]:
            owner = None
        death = ended.get(owner) if owner is not None else None
        if death is not None and death < end:
            middle = max(death, start)
            add(row, end_ns, owner, piece.provenance, middle - start)
            add(row, end_ns, None, "unknown", end - middle)
        elif owner is None:
            add(row, end_ns, None, "unknown", end - start)
        else:
            add(row, end_ns, owner, piece.provenance, end - start)

    def add(row: Row, end_ns: int, owner: Any, provenance: str, ns: int) -> None:
        if ns:
            key = (row["thread_id"], row["start_ns"], end_ns, row["object"], owner)
            sums = result.setdefault(key, {})
            sums[provenance] = sums.get(provenance, 0) + ns

    for time_ns, t, i in moments:
        if t < 0:
            lock, owner = label(held[i].object), held[i].thread
            since = held_up_since(by_thread.get(owner, []), time_ns, lock)
            locks[lock].stated(time_ns, since, owner)
            continue
        rows = timelines[t]
        row = rows[i]
        before = rows[i - 1] if i else None
        thread = row["thread_id"]
        block = open_blocks.get(t)
        if block and row["state"] == "deadlocked":
            if row["peer_id"] is not None:
                locks[block.row["object"]].change(
                    time_ns, row["peer_id"], row["provenance"]
                )
            continue
        if (
            block
            and row["state"] == block.row["state"]
            and before["state"]
            in (
                "deadlocked",
                row["state"],
            )
        ):
            continue
        held_up = block.row if block else before
        if block:
            lock = row_lock = block.row["object"]
            handoff = handoffs.get((thread, time_ns, lock))
            if handoff and handoff["provenance"] == "reported":
                giver = handoff["from_thread_id"]
                if giver not in (None, thread) and row["state"] == "running":
                    locks[row_lock].had_it(giver)
            finish(t, time_ns)
        if held_up and row["state"] == "running" and held_up["object"] is not None:
            lock_now = locks[held_up["object"]]
            # That a wait is over is told before the thread has the monitor back.
            entered = (thread, time_ns, held_up["object"]) in handoffs
            state = held_up["state"]
            if state == "blocked" and entered:
                lock_now.change(time_ns, thread, CERTAIN)
            elif state == "reentering":
                lock_now.change(time_ns, thread, CERTAIN if entered else "inferred")
            elif state == "waiting":
                kinds = ended_by.get((thread, time_ns))
                if (
                    kinds is None
                    or kinds not in ("timeout", "interrupt")
                    or lock_now.pieces[-1].owner is None
                ):
                    lock_now.change(time_ns, thread, "inferred")
        continues = before is not None and before["state"] == "deadlocked"
        if continues and row["state"] != "running":
            continue
        lock = row["object"]
        if row["state"] in ("blocked", "reentering") or (
            row["state"] == "parked" and lock is not None and row["peer_id"] is not None
        ):
            first = 0
            if lock is not None:
                it = locks[lock]
                it.let_go(time_ns, thread)
                if row["state"] != "reentering" or row["peer_id"] is not None:
                    it.change(time_ns, row["peer_id"], row["provenance"] or "unknown")
                it.queued += 1
                first = len(it.pieces) - 1
            open_blocks[t] = Block(row, first)
        elif lock is not None and (
            row["state"] == "waiting"
            or (row["state"] == "joining" and row["provenance"] == "exact")
        ):
            locks[lock].had_it(thread)
            locks[lock].let_go(time_ns, thread)
    for t in list(open_blocks):
        finish(t, timelines[t][-1]["end_ns"])
    return result


ended_by: dict[tuple[int, int], str] = {}


def note_ends(model: Model) -> None:
    ended_by.clear()
    for row in model.interactions():
        if row["kind"] in ("timeout", "interrupt") and row["woken_ns"] is not None:
            ended_by[row["to_thread_id"], row["woken_ns"]] = row["kind"]


def answered(model: Model) -> dict[tuple[Any, ...], dict[str, int]]:
    result: dict[tuple[Any, ...], dict[str, int]] = {}
    for row in model.blame():
        ns = row["to_ns"] - row["from_ns"]
        if ns:
            key = tuple(
                row[name]
                for name in ("thread_id", "start_ns", "end_ns", "object", "owner_id")
            )
            sums = result.setdefault(key, {})
            sums[row["provenance"]] = sums.get(row["provenance"], 0) + ns
    return result


def random_model(seed: int) -> Model:
    model = Model()
    random_runs.fill(
        model, seed, threads=2 + seed % 7, objects=1 + seed % 4, count=40 + seed % 300
    )
    return model


@campaign(150, 2000)
def test_owners_are_those_of_the_slow_reference(seed: int) -> None:
    events = list(random_runs.events(seed, **any_size(seed)))
    for model, said in ((any_events(seed), events), (fair_locks(seed), [])):
        note_ends(model)
        assert answered(model) == reference(model, said)


MS = 1_000_000
ENTER, ENTERED = EventKind.CONTENDED_ENTER, EventKind.CONTENDED_ENTERED


def three_owners() -> Model:
    """Thread 1 blocks for 10 ms, in which three others have the lock in turn.

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
        (row["from_ns"] // MS, row["to_ns"] // MS, row["owner_id"], row["provenance"])
        for row in rows
    ]
    assert shares == [
        (0, 4, 2, "reported"),
        (4, 7, 3, "exact"),
        (7, 9, None, "unknown"),
        (9, 10, 4, "exact"),
    ]
    assert [row["share"] for row in rows] == pytest.approx([0.4, 0.3, 0.2, 0.1])
    assert {(row["start_ns"], row["end_ns"]) for row in rows} == {(0, 10 * MS)}


def test_an_owner_is_named_with_where_it_got_the_lock() -> None:
    rows = list(three_owners().blame(threads=[1]))
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
            expected = float(row["owner_id"] is not None and row["total_ns"] > 0)
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
            block = (row["thread_id"], row["start_ns"], row["end_ns"])
            ns = row["to_ns"] - row["from_ns"]
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


def test_a_window_cuts_blocks_and_their_shares() -> None:
    model = three_owners()
    rows = list(model.blame(threads=[1], window=(5 * MS, 8 * MS)))
    assert [(r["from_ns"] // MS, r["to_ns"] // MS, r["owner_id"]) for r in rows] == [
        (5, 7, 3),
        (7, 8, None),
    ]
    assert [row["share"] for row in rows] == pytest.approx([2 / 3, 1 / 3])


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
        assert bounded.blockers().limits


def test_what_cannot_be_asked_is_refused() -> None:
    model = three_owners()
    with pytest.raises(InvalidArgumentError, match="no such key: 'nothing'"):
        model.blame("nothing")
    with pytest.raises(InvalidArgumentError, match="no such state: 'sleeping'"):
        model.blame(states="sleeping")
    with pytest.raises(NotFoundError, match="no thread 77"):
        model.blockers(threads=[77])
    with pytest.raises(InvalidArgumentError, match="window begins"):
        model.blockers(window=(10**12, None))


def test_a_model_without_events_has_no_blame() -> None:
    assert len(Model().blame()) == 0
    assert len(Model().blame("owner")) == 0
    assert len(Model().blockers()) == 0
