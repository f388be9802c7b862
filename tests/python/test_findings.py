# SPDX-License-Identifier: Apache-2.0
"""What holds of all findings: ranked, few of a kind, each a sentence."""

import random_runs
from threadmodel import Model


def test_findings_are_ranked_by_what_is_at_stake() -> None:
    for seed in range(40):
        model = Model()
        random_runs.fill(model, seed, threads=6, objects=3, count=800)
        rows = list(model.findings())
        stakes = [row["at_stake_ns"] for row in rows]
        assert stakes == sorted(stakes, reverse=True)
        assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
        assert all(row["text"].endswith(".") for row in rows)
        for kind in {row["kind"] for row in rows}:
            assert sum(row["kind"] == kind for row in rows) <= 5


def test_a_model_without_events_has_no_findings() -> None:
    assert len(Model().findings()) == 0
