# SPDX-License-Identifier: Apache-2.0
"""Totals, shares, stacks and histograms, against rows of the timeline."""

from typing import Any

import pytest

import random_runs
from threadmodel import Model
from threadmodel.errors import InvalidArgumentError

STATES = ("blocked", "waiting", "reentering", "joining", "parked")


def model_of(seed: int) -> Model:
    model = Model()
    random_runs.fill(model, seed, threads=5, objects=4, count=600)
    return model


def hold_ups(model: Model) -> list[dict[str, Any]]:
    """Return the first row of each hold-up, with its whole duration."""
    found: list[dict[str, Any]] = []
    open_: dict[str, Any] | None = None
    for row in model.timeline():
        if (
            open_
            and row["thread_id"] == open_["thread_id"]
            and (row["state"] in ("deadlocked", open_["state"]))
        ):
            open_["ns"] += row["end_ns"] - row["start_ns"]
            continue
        open_ = None
        if row["state"] in STATES:
            open_ = {**row, "ns": row["end_ns"] - row["start_ns"]}
            found.append(open_)
    return found


def test_a_total_counts_each_object_and_thread_once() -> None:
    for seed in range(30):
        model = model_of(seed)
        found = hold_ups(model)
        (row,) = model.total()
        assert row["threads"] == len({it["thread_id"] for it in found})
        objects = {it["object"] for it in found} - {None}
        assert row["objects"] == len(objects)
        for state in STATES:
            ns = [it["ns"] for it in found if it["state"] == state]
            assert row[f"{state}_count"] == len(ns)
            assert row[f"{state}_total_ns"] == sum(ns)
            share = sum(ns) / model.length_ns
            assert row[f"{state}_share"] == pytest.approx(share)


def test_shares_are_of_the_window() -> None:
    model = model_of(3)
    (row,) = model.total(window=(1000, 3000))
    assert row["blocked_share"] == pytest.approx(row["blocked_total_ns"] / 2000)


def test_stacks_are_groups() -> None:
    for seed in range(20):
        model = model_of(seed)
        expected: dict[Any, int] = {}
        for it in hold_ups(model):
            key = (it["class"], it["method"], it["stack"])
            expected[key] = expected.get(key, 0) + (it["state"] == "blocked")
        answer = {
            (row["class"], row["method"], row["stack"]): row["blocked_count"]
            for row in model.statistics(("class", "caller", "stack"))
        }
        assert answer == expected
        assert {row["stack"] for row in model.statistics("stack")} == {
            key[2] for key in expected
        }


@pytest.mark.parametrize("state", STATES)
def test_a_histogram_counts_what_lies_in_its_buckets(state: str) -> None:
    for seed in range(20):
        model = model_of(seed)
        found = [it["ns"] for it in hold_ups(model) if it["state"] == state]
        counted = 0
        for row in model.histogram(state):
            low, high = row["low_ns"], row["high_ns"]
            assert row["count"] == sum(low <= ns < high for ns in found)
            assert high - low == 1 or (high - low) / low < 0.04
            counted += row["count"]
        assert counted == len(found)


def test_histograms_by_key_add_up_to_the_whole() -> None:
    model = model_of(7)
    whole = {row["low_ns"]: row["count"] for row in model.histogram("blocked")}
    parts: dict[int, int] = {}
    for row in model.histogram("blocked", ("class", "thread")):
        parts[row["low_ns"]] = parts.get(row["low_ns"], 0) + row["count"]
    assert parts == whole


def test_what_has_no_histogram_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="no such state: 'sleeping'"):
        Model().histogram("sleeping")


def test_an_empty_model_has_empty_answers() -> None:
    assert len(Model().total()) == 0
    assert len(Model().histogram()) == 0
