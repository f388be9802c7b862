# SPDX-License-Identifier: Apache-2.0
"""Single uses of resources, and how many permits were in use over time."""

import pytest

from campaign import campaign, run_of
from threadmodel import Model, Selection, permits
from threadmodel.errors import NotFoundError

PLACE = ("class", "waiting_method", "releasing_method")


@campaign(60, 1000)
def test_uses_are_those_that_resources_sum_up(seed: int) -> None:
    model = run_of(seed)
    uses = list(model.resource_uses())
    assert [use["start_ns"] for use in uses] == sorted(use["start_ns"] for use in uses)
    for row in model.resources():
        own = [use for use in uses if all(use[name] == row[name] for name in PLACE)]
        lengths = [use["end_ns"] - use["start_ns"] for use in own]
        assert len(own) == row["uses"]
        assert sum(lengths) == row["use_total_ns"]
        assert max(lengths, default=None) == row["use_max_ns"]
        assert max((use["in_use"] or 0 for use in own), default=0) == (
            row["permits"] or 0
        )
        for use, length_ns in zip(own, lengths, strict=True):
            assert 0 <= use["not_running_ns"] <= length_ns
            assert (use["in_use"] is None) == (length_ns == 0)


@campaign(60, 1000)
def test_averages_over_time_are_those_of_the_uses(seed: int) -> None:
    model = run_of(seed)
    resources = model.resources()
    uses = list(model.resource_uses())
    drawn = permits.in_use(model, resources)
    part_ns = model.length_ns / permits.PARTS
    for at, row in enumerate(resources):
        own = [use for use in uses if all(use[name] == row[name] for name in PLACE)]
        assert (at in drawn) == bool(own)
        for part, average in enumerate(drawn.get(at, ())):
            low, high = part * part_ns, (part + 1) * part_ns
            wanted = sum(
                max(min(use["end_ns"], high) - max(use["start_ns"], low), 0)
                for use in own
            )
            assert average == pytest.approx(wanted / part_ns, abs=0.002)


def test_a_choice_leaves_out_uses_and_counts_all_at_once() -> None:
    for seed in range(200):
        model = run_of(seed)
        uses = list(model.resource_uses())
        if len({use["thread_id"] for use in uses}) > 1:
            break
    chosen = uses[-1]["thread_id"]
    own = [use for use in uses if use["thread_id"] == chosen]
    assert list(model.resource_uses(Selection(threads=[chosen]))) == own
    window = (uses[0]["start_ns"] + 1, model.length_ns)
    late = [use for use in uses if window[0] <= use["start_ns"] < window[1]]
    assert list(model.resource_uses(Selection(window=window))) == late
    with pytest.raises(NotFoundError):
        model.resource_uses(Selection(threads=["nobody"]))


def test_a_run_without_length_has_nothing_in_use() -> None:
    model = Model()
    assert len(model.resource_uses()) == 0
    assert permits.in_use(model, model.resources()) == {}
