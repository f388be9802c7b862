# SPDX-License-Identifier: Apache-2.0
"""Classes and methods have names, even if they were unloaded."""

from collections import Counter

from conftest import Java

GUESTS = 30


def test_methods_of_classes_that_are_unloaded_at_once_have_names_and_lines(java: Java):
    """Each guest is unloaded before the next: most before the writer's next round."""
    run = java.record("Unloaded", GUESTS, options="stacks=all")
    guests = [row for row in run.rows("timeline") if row["class"] == "Unloaded$Guest"]
    assert Counter((row["state"], row["method"]) for row in guests) == {
        ("parked", "Unloaded$Guest.run"): GUESTS,
        ("waiting", "Unloaded$Guest.rest"): GUESTS,
    }
    (parked,) = run.rows("callers", **{"class": "Unloaded$Guest"}, parked_count=GUESTS)
    assert parked["source"] == "Unloaded.java"
    assert parked["line"] > 0
    assert all(row["method"] for row in run.rows("stacks"))
    assert run.odd() == {}


def test_lambdas_go_by_what_they_do_in_every_run(java: Java):
    names = [
        {row["class"] for row in java.record("Lambdas").rows("locks")} for _ in range(2)
    ]
    lambdas = [{name for name in run if name and "Lambda" in name} for run in names]
    assert lambdas[0] == lambdas[1]
    assert lambdas[0] == {
        "Lambdas$$Lambda(lambda$main$0)",
        "Lambdas$$Lambda(lambda$main$1)",
        "Lambdas$$Lambda(rest)",
        "Lambdas$$Lambda(Thread::yield)",
    }
    # Two lambdas with the same text are two sites; one that is made twice is one site.
    run = java.record("Lambdas")
    (row,) = run.rows("locks", **{"class": "Lambdas$$Lambda(lambda$main$1)"})
    assert row["waiting_count"] == 3
    assert row["objects"] == 3


def test_threads_that_were_there_before_have_the_stack_at_which_they_wait(java: Java):
    """The VM does not report a wait that began before; they may be waiting by then."""
    run = java.record("Lambdas")
    waits = run.rows("timeline", thread="Finalizer", state="waiting")
    assert all(
        row["method"] == "java.lang.ref.Finalizer$FinalizerThread.run" for row in waits
    )
