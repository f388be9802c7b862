# SPDX-License-Identifier: Apache-2.0
"""Lock order: cycles, sequences that are not cycles, and the reasons."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import random_runs
from campaign import any_events, campaign, run_of
from threadmodel import Event, EventFlag, EventKind, Frame, Model

Row = dict[str, Any]
MS = 1_000_000
A, B, C, GATE = 100, 101, 102, 103
ENTER, ENTERED = EventKind.CONTENDED_ENTER, EventKind.CONTENDED_ENTERED
OUTER, LATER = 21, 22


class Story:
    """A model and a clock: each step takes a millisecond."""

    def __init__(self, threads: int = 6) -> None:
        self.model = Model()
        self.ms = 0
        random_runs.define(self.model, threads, 6)
        # INNER is called by OUTER, which got its lock in line 5; LATER is elsewhere.
        frames = {
            20: [Frame(3, line=9), Frame(1, line=7), Frame(2, line=1)],
            OUTER: [Frame(1, line=5), Frame(2, line=1)],
            LATER: [Frame(4, line=3), Frame(2, line=2)],
        }
        for stack, calls in frames.items():
            self.model.define_stack(stack, calls)

    def add(self, thread: int, kind: EventKind, **fields: int) -> None:
        self.ms += 1
        self.model.ingest([Event(1 + self.ms * MS, thread, kind, **fields)])

    def get(self, thread: int, lock: int, stack: int = OUTER) -> None:
        """Block, and acquire the lock."""
        self.add(thread, ENTER, object=lock, stack=stack)
        self.add(thread, ENTERED, object=lock)

    def nest(
        self,
        thread: int,
        held: Sequence[int],
        wanted: int,
        stack: int = 20,
        place: int = OUTER,
    ) -> None:
        """Block on one lock while others are held, as the VM reports."""
        self.add(thread, ENTER, object=wanted, stack=stack)
        self.add(thread, EventKind.HELD)
        for lock in held:
            self.ms -= 1
            self.add(
                thread,
                EventKind.HELD,
                object=lock,
                stack=place,
                flags=EventFlag.PEER_REPORTED,
            )
        self.add(thread, ENTERED, object=wanted)
        self.add(thread, EventKind.HELD)

    def cycles(self, level: str = "object") -> list[list[Row]]:
        found: dict[int, list[Row]] = {}
        for row in self.model.lock_order():
            if row["level"] == level:
                found.setdefault(row["cycle"], []).append(row)
        return list(found.values())


def test_two_orders_of_two_threads_are_a_cycle() -> None:
    story = Story()
    story.nest(1, [A], B)
    story.nest(2, [B], A, LATER)
    (cycle,) = story.cycles()
    edges = [(row["held_object"], row["wanted_object"]) for row in cycle]
    assert sorted(edges) == [
        ("app.A#100", "app.B#101"),
        ("app.B#101", "app.A#100"),
    ]
    assert {row["thread"] for row in cycle} == {"t1", "t2"}
    assert {row["provenance"] for row in cycle} == {"reported"}
    assert [row["position"] for row in cycle] == [0, 1]
    assert {row["count"] for row in cycle} == {1}


def test_a_lock_that_is_held_nobody_knows_where_is_an_edge_and_no_cycle() -> None:
    story = Story()
    story.nest(1, [A], B)
    story.nest(2, [B], A, LATER, place=0)
    assert story.cycles() == []
    assert story.cycles("class") == []
    assert len(story.model.lock_edges()) == 2
    story.nest(2, [B], A, LATER)
    assert len(story.cycles()) == 1


def test_a_lock_that_no_stack_shows_to_be_held_is_no_edge_and_is_counted() -> None:
    story = Story()
    story.get(1, A, 0)
    story.get(1, B, 0)
    edges = story.model.lock_edges()
    assert len(edges) == 0
    assert "For 1 blocking intervals no stack shows" in " ".join(edges.caveats)


def test_a_monitor_is_held_between_its_enter_and_its_exit_alone() -> None:
    for calls_at, is_held in ((9, True), (20, True), (21, False), (3, False)):
        story = Story()
        story.model.define_method(1, 1, "outer", monitors=[(5, 21), (30, 40)])
        story.model.define_stack(30, [Frame(1, 5), Frame(2, 1)])
        story.model.define_stack(31, [Frame(3, 9), Frame(1, calls_at), Frame(2, 1)])
        story.get(1, A, 30)
        story.get(1, B, 31)
        assert len(story.model.lock_edges()) == is_held, calls_at


def test_a_lock_that_no_instruction_enters_is_the_vms_own() -> None:
    for monitors, is_held in (([], False), (None, True)):
        story = Story()
        story.model.define_method(1, 1, "outer", monitors=monitors)
        story.model.define_stack(30, [Frame(1, 5), Frame(2, 1)])
        story.model.define_stack(31, [Frame(3, 9), Frame(1, 8), Frame(2, 1)])
        story.get(1, A, 30)
        story.get(1, B, 31)
        assert len(story.model.lock_edges()) == is_held


def test_orders_of_one_thread_alone_are_none() -> None:
    story = Story()
    story.nest(1, [A], B)
    story.nest(1, [B], A)
    assert story.cycles() == []
    assert len(story.model.lock_edges()) == 2


def test_a_gate_lock_keeps_two_orders_apart() -> None:
    story = Story()
    story.nest(1, [GATE, A], B)
    story.nest(2, [GATE, B], A)
    assert story.cycles() == []
    story.nest(3, [B], A)
    assert len(story.cycles()) == 1


def test_an_order_that_is_over_before_the_other_thread_starts_is_none() -> None:
    story = Story()
    story.nest(1, [A], B)
    story.add(1, EventKind.THREAD_START_CALLED, peer=2)
    story.add(2, EventKind.THREAD_START)
    story.nest(2, [B], A)
    assert story.cycles() == []
    story.nest(1, [A], B)
    assert len(story.cycles()) == 1


def test_an_order_that_follows_a_join_is_none() -> None:
    story = Story()
    story.nest(1, [A], B)
    story.add(1, EventKind.THREAD_END)
    story.add(3, EventKind.JOIN, peer=1)
    story.add(3, EventKind.JOINED, peer=1)
    story.add(3, EventKind.THREAD_START_CALLED, peer=2)
    story.add(2, EventKind.THREAD_START)
    story.nest(2, [B], A)
    assert story.cycles() == []


def test_cycles_of_three_come_after_cycles_of_two() -> None:
    story = Story()
    for thread, held, wanted in ((1, 104, 105), (2, 105, C), (3, C, 104)):
        story.nest(thread, [held], wanted)
    story.nest(1, [A], B)
    story.nest(2, [B], A)
    assert [len(cycle) for cycle in story.cycles()] == [2, 3]


def test_a_lock_that_was_got_counts_while_its_method_is_on_the_stack() -> None:
    story = Story()
    story.get(1, A)
    story.get(1, B, 20)
    (row,) = story.model.lock_edges()
    assert (row["held_object"], row["wanted_object"]) == ("app.A#100", "app.B#101")
    assert row["provenance"] == "inferred"
    assert row["held_line"] == 5


def test_a_lock_whose_method_was_left_is_not_held() -> None:
    story = Story()
    story.get(1, A)
    story.get(1, B, LATER)
    assert len(story.model.lock_edges()) == 0


def test_a_deadlock_that_stands_is_a_cycle() -> None:
    story = Story()
    story.get(1, A)
    story.get(2, B)
    story.add(1, ENTER, object=B, peer=2, stack=20, flags=EventFlag.PEER_REPORTED)
    story.add(2, ENTER, object=A, peer=1, stack=20, flags=EventFlag.PEER_REPORTED)
    assert len(story.model.deadlocks()) == 2
    assert len(story.cycles()) == 1


def test_classes_report_where_objects_differ() -> None:
    story = Story()
    story.nest(1, [A], B)
    story.nest(2, [104], 103)
    assert story.cycles() == []
    (cycle,) = story.cycles("class")
    assert {(row["held_class"], row["wanted_class"]) for row in cycle} == {
        ("app.A", "app.B"),
        ("app.B", "app.A"),
    }


def test_a_cycle_of_objects_is_not_reported_again_of_classes() -> None:
    story = Story()
    story.nest(1, [A], B)
    story.nest(2, [B], A)
    assert story.cycles("class") == []


@campaign(250, 4000)
def test_all_pairs_of_orders_are_judged(seed: int) -> None:
    model = any_events(seed)
    edges = list(model.lock_edges())
    held: dict[Any, set[str]] = {}
    for row in edges:
        held.setdefault(situation(row), set()).add(row["held_object"])
    expected = {
        frozenset((one["held_object"], one["wanted_object"]))
        for one, two in product(edges, edges)
        if one["held_object"] == two["wanted_object"]
        and two["held_object"] == one["wanted_object"]
        and one["thread_id"] != two["thread_id"]
        and one["held_method"] is not None
        and two["held_method"] is not None
        and not held[situation(one)] & held[situation(two)]
    }
    pairs = {
        frozenset(row["held_object"] for row in cycle)
        for cycle in cycles_of(model)
        if len(cycle) == 2
    }
    assert pairs == expected


@campaign(150, 2000)
def test_cycles_of_any_run_close_and_come_the_smallest_first(seed: int) -> None:
    model = run_of(seed)
    cycles = cycles_of(model)
    assert [len(cycle) for cycle in cycles] == sorted(len(cycle) for cycle in cycles)
    edges = {
        (row["thread_id"], row["held_object"], row["wanted_object"])
        for row in model.lock_edges()
    }
    for cycle in cycles:
        assert len({row["thread_id"] for row in cycle}) == len(cycle)
        for row, after in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            assert row["wanted_object"] == after["held_object"]
            key = (row["thread_id"], row["held_object"], row["wanted_object"])
            assert key in edges


def cycles_of(model: Model) -> list[list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in model.lock_order():
        if row["level"] == "object":
            found.setdefault(row["cycle"], []).append(row)
    return list(found.values())


def situation(row: Row) -> tuple[Any, ...]:
    names = ("thread_id", "time_ns", "stack", "wanted_object", "count")
    return tuple(row[name] for name in names)


def test_an_empty_model_has_no_order() -> None:
    assert len(Model().lock_order()) == 0
    assert len(Model().lock_edges()) == 0
