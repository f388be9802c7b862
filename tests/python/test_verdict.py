# SPDX-License-Identifier: Apache-2.0
"""The verdict of a run, from Python."""

from threadmodel import Model


def test_a_run_without_events_cannot_be_judged() -> None:
    (row,) = Model().verdict()
    assert row["kind"] == "cannot_tell"
    assert row["title"] == "Cannot tell: the data has no event."
    assert row["threads"] == 0
    assert row["remedy"] is not None
    assert len(Model().verdict_members()) == 0
