# SPDX-License-Identifier: Apache-2.0
"""What a release promised stays; what is new was accepted on purpose."""

import pytest
from abi import accepted, compare, current

OLD = {
    "function tm_run_length THREADMODEL_0.1 int (const tm_run *)",
    "field tm_run.size at 0 size_t",
    "field tm_run.pid at 8 uint64_t",
    "size tm_run 16",
    "field tm_event.kind at 0 uint16_t",
    "size tm_event 2",
    "enum TM_RED 1",
    "enum TM_COLOUR_END 2",
}


def test_nothing_that_was_promised_is_gone_or_different() -> None:
    broken, _ = compare(accepted(), current())
    assert broken == []


def test_every_addition_was_accepted() -> None:
    _, added = compare(accepted(), current())
    assert added == [], "accept these with ./dev abi-update"


@pytest.mark.parametrize("line", sorted(OLD))
def test_a_removal_is_a_break(line: str) -> None:
    assert compare(OLD, OLD - {line})[0] == [line]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("function tm_run_length THREADMODEL_0.1 int (const tm_run *)",)
        + ("function tm_run_length THREADMODEL_0.2 int (const tm_run *)",),
        ("function tm_run_length THREADMODEL_0.1 int (const tm_run *)",)
        + ("function tm_run_length THREADMODEL_0.1 int64_t (const tm_run *)",),
        ("field tm_run.pid at 8 uint64_t", "field tm_run.pid at 16 uint64_t"),
        ("field tm_run.pid at 8 uint64_t", "field tm_run.pid at 8 int64_t"),
        ("size tm_event 2", "size tm_event 4"),
        ("size tm_run 16", "size tm_run 8"),
        ("enum TM_RED 1", "enum TM_RED 2"),
    ],
)
def test_a_change_is_a_break(old: str, new: str) -> None:
    assert compare(OLD, OLD - {old} | {new})[0] == [old]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("size tm_run 16", "size tm_run 24"),
        ("enum TM_COLOUR_END 2", "enum TM_COLOUR_END 3"),
    ],
)
def test_what_carries_its_size_may_grow(old: str, new: str) -> None:
    assert compare(OLD, OLD - {old} | {new}) == ([], [new])
