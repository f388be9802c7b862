# SPDX-License-Identifier: Apache-2.0
"""Traces that earlier agents wrote are read, with the answers of today."""

from pathlib import Path

import threadmodel

# docs/examples/demo/Demo.java on JDK 25, by the agent of trace version 1.
VERSION_1 = Path(__file__).parents[1] / "data" / "traces" / "demo-version-1.tmt"


def test_a_recording_of_trace_version_1_is_read_whole() -> None:
    model = threadmodel.open(VERSION_1)
    assert model.event_count == 407
    assert len(model.threads()) == 14
    assert {row["thread"] for row in model.deadlocks()} == {"alice", "bob"}
    (till,) = [row for row in model.statistics() if row["class"] == "Demo$Till"]
    assert till["blocked_count"] == 24


def test_answers_of_today_are_given_of_a_recording_of_trace_version_1() -> None:
    model = threadmodel.open(VERSION_1)
    owners = {row["thread"] for row in model.holds() if row["class"] == "Demo$Till"}
    assert owners == {"waiter-1", "waiter-2", "waiter-3"}
    deadlock, till, *_ = model.findings()
    assert deadlock["kind"] == "deadlock"
    assert (till["kind"], till["class"]) == ("held_while_sleeping", "Demo$Till")
    assert model.critical_path()[-1]["thread"] == "main"
