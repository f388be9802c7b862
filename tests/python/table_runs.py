# SPDX-License-Identifier: Apache-2.0
"""Runs whose tables have columns of all types."""

import random_runs
import threadmodel


def runs_of_all_types() -> threadmodel.Table:
    """A table of some hundred rows with columns of all types, most with nulls."""
    model = threadmodel.Model()
    random_runs.fill(model, 3, threads=5, objects=4, count=700)
    model.add_caveat("nothing is known of parks")
    return model.timeline()
