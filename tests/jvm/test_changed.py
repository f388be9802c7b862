# SPDX-License-Identifier: Apache-2.0
"""The benchmark of what-if against programs that were really changed: it runs, with a
small program that needs no jars, and derives its verdicts correctly."""

import json
from pathlib import Path

import pytest

import threadmodel
from bench_whatif import Outcome
from changes import BY_NAME, CHANGES, SHORTER_JOURNAL
from jdks import Jdk
from planted import benchmark
from predict import Callee, Hold, Prediction, Question, Resource, of_row, predict
from rounds import Gain
from threadmodel import EventKind

# The work that the clients of the local case do one after the other.
SERIAL_NS = 6 * 25 * 15_000_000


def test_benchmark_runs_a_program_with_each_change_beside_its_prediction(
    jdk: Jdk, tmp_path: Path
):
    answers = tmp_path / "answers.json"
    said = benchmark("whatif", jdk, "--json", answers, "--rounds", 1, "local")
    outcomes = json.loads(answers.read_text())
    changes = [change for change in CHANGES if change.case == "local"]
    assert [outcome["change"]["what"] for outcome in outcomes] == [
        change.what for change in changes
    ]
    assert all(outcome["recorded_ns"] >= SERIAL_NS for outcome in outcomes)
    before, after = outcomes[0]["gain"]["before_ns"], outcomes[0]["gain"]["after_ns"]
    assert min(before) >= SERIAL_NS
    assert min(after) >= SERIAL_NS / 3
    assert all(change.what in said for change in changes)
    assert all(outcome["predicted"] is not None for outcome in outcomes)


@pytest.mark.parametrize(
    ("predicted", "inside", "close"),
    [
        (Prediction(80, 100, 120), True, True),
        (Prediction(60, 70, 100), True, False),
        (Prediction(30, 85, 90), False, True),
        (None, False, False),
    ],
)
def test_predicted_gain_is_compared_with_the_real_one(
    predicted: Prediction | None, inside: bool, close: bool
):
    real = Gain([200, 201, 199], [100, 100, 100])
    outcome = Outcome(SHORTER_JOURNAL, 17, real, 200, predicted)
    assert (outcome.inside, outcome.close) == (inside, close)


def test_row_reports_its_interval_and_one_without_a_gain_nothing():
    assert of_row({"gain_ns": None, "gain_low_ns": None, "gain_high_ns": None}) is None
    row = {"gain_ns": 7, "gain_low_ns": 5, "gain_high_ns": 9}
    assert of_row(row) == Prediction(5, 7, 9)


def test_every_change_is_one_of_a_case():
    assert {change.case for change in CHANGES} <= BY_NAME.keys()


def two_holds() -> threadmodel.Model:
    """Thread 1 holds a lock from 2 to 12 us while thread 2 queues, then that for 2."""
    model = threadmodel.Model()
    model.define_run(threadmodel.Run(policy=1, start_ns=1))
    model.define_class(1, "demo.Lock")
    model.define_object(100, 1)
    events = [
        (0, 1, EventKind.THREAD_START),
        (1, 2, EventKind.THREAD_START),
        (1_000, 1, EventKind.CONTENDED_ENTER),
        (2_000, 1, EventKind.CONTENDED_ENTERED),
        (3_000, 2, EventKind.CONTENDED_ENTER),
        (12_000, 2, EventKind.CONTENDED_ENTERED),
        (13_000, 1, EventKind.THREAD_END),
        (14_000, 2, EventKind.THREAD_END),
    ]
    for thread in (1, 2):
        model.define_thread(thread, f"thread-{thread}")
    model.ingest(
        threadmodel.Event(time_ns + 1, thread, kind, object=100)
        for time_ns, thread, kind in events
    )
    return model


def test_prediction_is_what_the_library_predicts_of_these_holds():
    predicted = predict(two_holds(), Hold("demo.Lock", 0.5))
    assert predicted is not None
    assert 0 < predicted.middle_ns <= 14_000
    assert predicted.least_ns <= predicted.middle_ns <= predicted.most_ns


@pytest.mark.parametrize(
    "question",
    [
        Hold("demo.Other", 0.5),
        Callee("demo.Program.work", 0.5),
        Resource("demo.Pool.borrow", more_permits=1),
    ],
)
def test_what_cannot_be_predicted_is_none(question: Question):
    assert predict(two_holds(), question) is None
