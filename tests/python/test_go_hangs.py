# SPDX-License-Identifier: Apache-2.0
"""Goroutines that nobody will wake are found, others that wait are not."""

from collections import Counter
from pathlib import Path

import pytest

import threadmodel
from test_go import record

# Goroutines that wait forever, by function.
HUNG = {
    "reader": {"main.reader": 1, "main.writer": 1, "main.late": 2},
    "orders": {"main.locks": 2},
    "senders": {"main.ask.func1": 4},
    "soon": {"main.ask.func1": 1},
    "receive": {"main.receive": 3},
    "twice": {"main.lockTwice.func1": 1},
    "group": {"main.awaitGroup": 1},
    "early": {"main.produce": 1},
    "signal": {"main.awaitCondition": 1},
    "never": {"main.stay": 1},
    "nil": {"main.receive": 1},
    "twenty": {"main.first.func1": 20},
}
HEALTHY = (
    "wait",
    "notify",
    "select",
    "accept",
    "workers",
    "crowd",
    "done",
    "slow",
    "holder",
    "ticker",
    "result",
    "pool",
    "steps",
    "period",
    "cond",
    "due",
    "closed",
    "parks",
    "errors",
    "hedged",
    "serves",
    "shared",
    "limits",
    "pubsub",
    "child",
)


def judge(folder: Path, program: str) -> tuple[threadmodel.Model, dict[str, object]]:
    trace = folder / f"{program}.trace"
    record("local", "hangs", program, trace)
    model = threadmodel.open(trace)
    (row,) = model.verdict()
    return model, row


@pytest.mark.parametrize("program", HUNG)
def test_goroutines_that_nobody_wakes_are_one_suspicion(
    tmp_path: Path, program: str
) -> None:
    model, row = judge(tmp_path, program)
    members = Counter(
        str(member["thread"]).partition(" #")[0] for member in model.verdict_members()
    )
    assert (row["kind"], row["suspected"], members) == (
        "partly_stuck",
        True,
        HUNG[program],
    )
    cards = [it for it in model.findings() if it["kind"] == "partly_stuck"]
    assert len(cards) == 1


@pytest.mark.parametrize("program", HEALTHY)
def test_goroutines_that_wait_for_a_reason_are_not_stuck(
    tmp_path: Path, program: str
) -> None:
    model, row = judge(tmp_path, program)
    assert row["kind"] in ("idle", "healthy", "bound")
    assert row["since_ns"] is None
    assert not list(model.verdict_members())
