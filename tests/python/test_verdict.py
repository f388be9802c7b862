# SPDX-License-Identifier: Apache-2.0
"""The verdict of a run, from Python."""

import ast
from pathlib import Path

import pytest

import scenario
from story import KIND, LOCK, QUEUE, TAKE, Story
from threadmodel import Ending, Event, EventKind, Model, Run

SCENARIOS = Path(__file__).parents[1] / "scenarios"


def test_a_run_without_events_cannot_be_judged() -> None:
    (row,) = Model().verdict()
    assert row["kind"] == "cannot_tell"
    assert row["title"] == "Cannot tell: the data has no event."
    assert row["threads"] == 0
    assert row["remedy"] is not None
    assert len(Model().verdict_members()) == 0


def test_the_first_line_names_those_who_wait_for_permits_of_nobody_known() -> None:
    path = SCENARIOS / "healthy-that-waits-for-permits-of-nobody-known.txt"
    (row,) = scenario.fill(scenario.read(path), None).verdict()
    assert row["title"] == (
        "No thread is known to be stuck, but clerk and other have waited for locks or "
        "permits, the last since 20 ns, and no event shows who has them."
    )


def test_those_at_a_barrier_name_the_party_that_ended() -> None:
    path = SCENARIOS / "partly-stuck-party-left-by-unparks.txt"
    (row,) = scenario.fill(scenario.read(path), None).verdict()
    text = str(row["text"])
    assert "; gone, which came there before, ended at 90 ns." in text, text


def test_the_first_line_names_an_owner_that_waits() -> None:
    story = Story().block(10, 3010, thread=3, owner=2)
    story.at(5, 2, KIND.CONTENDED_ENTER, object=LOCK, stack=TAKE)
    story.at(6, 2, KIND.CONTENDED_ENTERED, object=LOCK)
    story.at(20, 2, KIND.WAIT, object=QUEUE, stack=TAKE)
    story.at(2000, 4, KIND.SLEEP, stack=TAKE)
    # The block has not ended.
    story.events = [it for it in story.events if it.time_ns < 3_000_000_000]
    story.findings()
    (row,) = story.model.verdict()
    assert row["title"] == (
        "No thread is known to be stuck, but t3 has waited for a lock or permit since "
        "10.0 ms, and t2, which has it, waits, too."
    )


def test_a_run_of_samples_alone_cannot_be_judged() -> None:
    model = Model()
    model.ingest([Event(time, 1, EventKind.CPU_SAMPLE) for time in (10, 20)])
    (row,) = model.verdict()
    assert row["kind"] == "cannot_tell"
    assert "samples" in str(row["title"])


def programs(name: str) -> list[str]:
    """Return the programs of a kind that know the truth, of all three languages."""
    tests = SCENARIOS.parent
    files = (
        "jvm/hangs.py",
        "jvm/test_givers.py",
        "native/test_standstill.py",
        "python/test_go_hangs.py",
    )
    found = []
    for file in files:
        for node in ast.parse((tests / file).read_text()).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
                found += [f"{file} {it}" for it in ast.literal_eval(node.value)]
    return found


def test_many_programs_that_know_the_truth_are_asked() -> None:
    hung, healthy = programs("HUNG"), programs("HEALTHY")
    print(f"{len(hung)} hung, {len(healthy)} healthy")
    assert len(set(hung)) == len(hung) >= 40
    assert len(set(healthy)) == len(healthy) >= 60


def test_all_threads_that_wait_are_counted_however_many_they_are() -> None:
    model, waiters = Model(), 150
    events = [Event(0, 1, EventKind.SLEEP)]
    for thread in range(2, 2 + waiters):
        events += [
            Event(1, thread, EventKind.THREAD_START),
            Event(10, thread, EventKind.WAIT, object=thread),
        ]
    model.ingest([*events, Event(2_000_000_000, 1, EventKind.SLEPT)])
    (row,) = model.verdict()
    assert row["kind"] == "idle"
    assert str(row["text"]).endswith(f" {waiters - 3} more wait.")


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        (Ending.EXITED, "The process ended with exit status 3."),
        (Ending.SIGNALLED, "The process ended with signal 3."),
        (Ending.WENT_ON, "1 thread is left: it can go on without another."),
    ],
)
def test_of_a_process_that_ended_the_text_is_how(ending: Ending, text: str) -> None:
    model = Model()
    model.define_run(Run(start_ns=1, end_ns=1000, ending=ending, ending_status=3))
    model.define_thread(1, "main")
    model.ingest([Event(1, 1, EventKind.THREAD_START)])
    model.ingest([Event(500, 1, EventKind.SLEEP), Event(900, 1, EventKind.SLEPT)])
    (row,) = model.verdict()
    assert row["text"] == text
