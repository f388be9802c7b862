# SPDX-License-Identifier: Apache-2.0
"""Lock orders of programs in which nobody ever queues, and which know the truth."""

import subprocess
import sys
from pathlib import Path

import pytest
from recording import environment, program, record

import threadmodel

SOURCE = (Path(__file__).parent / "programs/orders.c").read_text().splitlines()
NEVER = [
    "gated",
    "before_start",
    "after_join",
    "one_thread",
    "tried",
    "timed",
    "destroyed",
    "readers",
    "again",
    "hand_over_hand",
]
CAN = {
    "two": 2,
    "three": 3,
    "condition_wait": 2,
    "tried_outer": 2,
    "reader_and_writer": 2,
    "crossed": 2,
    "goes_on": 2,
    "destructor": 2,
}


def orders(tmp_path: Path, case: str) -> threadmodel.Model:
    trace = tmp_path / "run.tmt"
    assert record(trace, program("orders"), case).returncode == 0
    return threadmodel.open(str(trace))


def inversions(model: threadmodel.Model) -> list[dict[str, object]]:
    return [row for row in model.findings() if row["kind"] == "lock_inversion"]


@pytest.mark.parametrize("case", NEVER)
def test_what_cannot_deadlock_is_no_finding(tmp_path: Path, case: str) -> None:
    model = orders(tmp_path, case)
    assert len(model.lock_edges()) > 0 or case in ("one_thread", "readers")
    assert inversions(model) == []
    assert [row for row in model.lock_order() if row["level"] == "object"] == []


@pytest.mark.parametrize(("case", "length"), CAN.items())
def test_what_can_deadlock_is_one_finding(
    tmp_path: Path, case: str, length: int
) -> None:
    model = orders(tmp_path, case)
    (row,) = inversions(model)
    assert not row["suspected"]
    rows = [row for row in model.lock_order() if row["level"] == "object"]
    assert len(rows) == length
    assert all(row["provenance"] == "exact" for row in rows)


def test_both_places_of_each_order_are_named(tmp_path: Path) -> None:
    for row in orders(tmp_path, "two").lock_order():
        assert row["held_method"] == row["method"] == "native_orders.nest"
        assert "pthread_mutex_lock(outer)" in SOURCE[row["held_line"] - 1]
        assert "pthread_mutex_lock(inner)" in SOURCE[row["line"] - 1]


def test_orders_at_the_same_places_are_one_finding(tmp_path: Path) -> None:
    model = orders(tmp_path, "instances")
    (row,) = inversions(model)
    assert "5 more such cycles" in row["text"]
    assert len({row["cycle"] for row in model.lock_order()}) == 6


def test_a_long_ring_is_one_finding(tmp_path: Path) -> None:
    model = orders(tmp_path, "philosophers")
    assert len(inversions(model)) == 1
    assert len(model.lock_order()) == 10


def test_an_order_that_a_post_has_ended_is_suspected(tmp_path: Path) -> None:
    (row,) = inversions(orders(tmp_path, "posted"))
    assert row["suspected"]


def test_a_list_of_locks_is_bounded_with_a_caveat(tmp_path: Path) -> None:
    model = orders(tmp_path, "hand_over_hand")
    assert 20 <= len(model.lock_edges()) <= 100
    assert any("Lock order is not complete" in text for text in model.caveats)


def check(tmp_path: Path, case: str) -> int:
    trace = tmp_path / "run.tmt"
    assert record(trace, program("orders"), case).returncode == 0
    return subprocess.run(
        [sys.executable, "-m", "threadmodel", "check", trace, "--no-lock-inversion"],
        env=environment(),
        capture_output=True,
        check=False,
    ).returncode


def test_check_fails_for_an_inversion_and_for_no_suspicion(tmp_path: Path) -> None:
    assert check(tmp_path, "two") == 1
    assert check(tmp_path, "gated") == 0
    assert check(tmp_path, "posted") == 0


@pytest.mark.skipif(not Path(program("lives")).exists(), reason="no C++ compiler")
@pytest.mark.parametrize(
    ("case", "suspected"),
    [("reused", True), ("once", True), ("in_turn", False), ("initialised", False)],
)
def test_a_lock_that_may_be_another_by_then_is_suspected(
    tmp_path: Path, case: str, suspected: bool
) -> None:
    trace = tmp_path / "run.tmt"
    assert record(trace, program("lives"), case).returncode == 0
    found = inversions(threadmodel.open(str(trace)))
    assert [row["suspected"] for row in found] == [suspected]
    assert ("std::mutex" in str(found[0]["text"])) is suspected
