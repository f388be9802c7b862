# SPDX-License-Identifier: Apache-2.0
"""Why a thread of a JVM did not run, in programs made so that the reason is known."""

import threadmodel
from conftest import Java

Chain = list[tuple[str, str]]


def longest(model: threadmodel.Model, thread: str, state: str) -> tuple[int, int]:
    """Start and end of the longest interval of a thread in a state."""
    rows = [
        (row["end_ns"] - row["start_ns"], row["start_ns"], row["end_ns"])
        for row in model.timeline()
        if (row["thread"], row["state"]) == (thread, state)
    ]
    return max(rows)[1:]


def chain(model: threadmodel.Model, thread: str, at_ns: int) -> Chain:
    rows = model.explain(thread=thread, at_ns=at_ns)
    return [(row["thread"], row["reason"]) for row in rows]


def test_chain_leads_through_locks_to_the_sleep_that_keeps_them(java: Java):
    model = java.record("Why").model
    start, end = longest(model, "first", "blocked")
    expected = [("first", "owner"), ("second", "owner"), ("third", "asleep")]
    assert chain(model, "first", (start + end) // 2) == expected
    assert chain(model, "main", (start + end) // 2) == [("main", "joined"), *expected]
    # Without a choice it is the longest block: of those who wait for one who sleeps.
    assert model.explain()[0]["thread"] in {"main", "first", "second", "other"}


def test_chain_leads_from_a_permit_to_the_thread_that_has_it(java: Java):
    model = java.record("Why").model
    start, end = longest(model, "other", "parked")
    assert chain(model, "other", (start + end) // 2) == [
        ("other", "waker"),
        ("user", "asleep"),
    ]
    assert chain(model, "main", (start + end) // 2) == [
        ("main", "joined"),
        ("user", "asleep"),
    ]
