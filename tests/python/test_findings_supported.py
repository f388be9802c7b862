# SPDX-License-Identifier: Apache-2.0
"""Kinds that the data does not support are not looked for, and reports state it."""

import json
from pathlib import Path

import pytest

import runs
import threadmodel
from conftest import Cli
from describe.columns import read_tables
from story import ALL_KINDS, ALL_OBJECTS, KIND, LOCK, OTHER, SLOW, TAKE, TRANSFER, Story
from test_findings_dumps import END, HEADER, blocked
from test_findings_kinds import executor
from test_findings_waits import herd, waits
from threadmodel import EventFlag, Model, Run


def whole(story: Story, threshold_ns: int = 0) -> Story:
    """State that the producer reports every kind of event there is."""
    story.model.define_run(
        Run(
            policy=1,
            start_ns=1,
            kinds=ALL_KINDS,
            object_kinds=ALL_OBJECTS,
            threshold_ns=threshold_ns,
        )
    )
    return story


def not_looked_for(model: Model) -> dict[str, str]:
    """Return the reasons for kinds that another recording could support."""
    return {
        row["kind"]: row["why"]
        for row in model.finding_kinds()
        if not row["looked_for"] and row["remedy"] is not None
    }


def asleep(flags: int = 0, transfer: int = TRANSFER, slow: int = SLOW) -> Story:
    """Thread 1 sleeps while it holds the lock for which 2 queues, eight times. The ends
    of blocks have the stacks."""
    story = Story()
    for ms in range(0, 160, 20):
        story.at(ms, 1, KIND.ACQUIRED, object=LOCK, stack=slow)
        story.at(ms + 1, 1, KIND.SLEEP)
        story.at(ms + 2, 2, KIND.CONTENDED_ENTER, object=LOCK)
        story.at(ms + 12, 1, KIND.SLEPT, stack=slow, flags=flags)
        story.at(ms + 12.1, 1, KIND.RELEASED, object=LOCK)
        story.at(
            ms + 12.2,
            2,
            KIND.CONTENDED_ENTERED,
            object=LOCK,
            stack=transfer,
            flags=flags,
        )
    return story


def test_every_kind_of_the_table_is_listed_in_its_order() -> None:
    columns = {column.name: column for column in read_tables()["findings"].columns}
    story = whole(asleep())
    story.findings()
    assert list(story.model.finding_kinds()["kind"]) == list(columns["kind"].values)


def test_a_whole_recording_lacks_nothing() -> None:
    story = whole(asleep())
    assert [row["kind"] for row in story.findings()] == ["held_while_sleeping"]
    assert not_looked_for(story.model) == {}


def test_a_run_without_events_has_no_kinds() -> None:
    assert list(Model().finding_kinds()) == []


def test_a_kind_whose_events_are_not_reported_is_not_looked_for() -> None:
    story = asleep()
    story.model.define_run(
        Run(
            policy=1,
            start_ns=1,
            kinds=ALL_KINDS - {KIND.SLEEP, KIND.SLEPT},
            object_kinds=ALL_OBJECTS,
        )
    )
    story.findings()
    assert not_looked_for(story.model) == {
        "held_while_sleeping": "Sleeps were not recorded.",
        "sleep_on_critical_path": "Sleeps were not recorded.",
    }


def test_who_reports_every_hold_of_a_lock_has_no_parks_to_miss() -> None:
    missing = "Parks were not recorded"
    parks = {KIND.PARK, KIND.UNPARKED, KIND.AWAIT, KIND.AWAITED}
    holds = {KIND.ACQUIRED, KIND.RELEASED}
    for without, is_shown in ((parks, False), (parks | holds, True)):
        story = asleep()
        story.model.define_run(Run(start_ns=1, kinds=ALL_KINDS - without))
        story.findings()
        caveats = "\n".join(story.model.caveats)
        assert (missing in caveats) == is_shown


def test_sampled_stacks_do_not_show_what_an_owner_did() -> None:
    story = whole(asleep(flags=EventFlag.SAMPLED))
    kinds = {row["kind"]: row["method"] for row in story.findings()}
    assert kinds["hot_lock"] == "demo.Lock.slow"
    assert "held_while_sleeping" not in kinds
    found = not_looked_for(story.model)
    assert set(found) == {
        "class_initialisation",
        "long_wait",
        "lock_inversion",
    }
    assert set(found.values()) == {
        "Most of the time for which threads were blocked has a sampled stack."
    }


def test_without_stacks_a_lock_is_one_lock() -> None:
    story = whole(asleep(transfer=0, slow=0))
    story.model.define_object(OTHER + 1, 1)
    for ms in range(0, 160, 20):
        story.at(ms + 3, 3, KIND.CONTENDED_ENTER, object=OTHER + 1, peer=4)
        story.at(ms + 9, 3, KIND.CONTENDED_ENTERED, object=OTHER + 1)
    rows = story.findings()
    assert [row["title"] for row in rows] == ["1 thread blocked by Lock"] * 2
    assert all(row["method"] is None for row in rows)
    assert {
        "resource_wait",
        "held_while_sleeping",
        "executor_too_small",
        "sleep_on_critical_path",
    } <= set(not_looked_for(story.model))
    assert "hot_lock" not in not_looked_for(story.model)


def test_under_a_threshold_workers_are_not_called_busy() -> None:
    assert whole(executor(20, 0)).findings("executor_too_small")
    story = whole(executor(20, 0), threshold_ns=20_000_000)
    assert story.findings("executor_too_small") == []
    assert not_looked_for(story.model)["executor_too_small"] == (
        "Short blocks and waits were not recorded."
    )


def time_outs(lost: int) -> Story:
    story = Story()
    for ms in range(0, 100, 10):
        story.at(ms, 1, KIND.WAIT, object=LOCK, stack=TAKE)
        story.at(ms + 5, 1, KIND.WAITED, object=LOCK, flags=EventFlag.TIMED_OUT)
    if lost:
        story.at(150, 0, KIND.LOST, value=lost)
    return story.at(200, 2, KIND.THREAD_END)


def test_one_lost_event_may_be_the_notify() -> None:
    assert whole(time_outs(0)).findings("wait_always_times_out")
    story = whole(time_outs(1))
    assert story.findings("wait_always_times_out") == []
    assert not_looked_for(story.model)["wait_always_times_out"].startswith("Events")


def outlier(lost_ms: float) -> Story:
    """One wait of 500 ms from 150 ms on, after 75 of 1 ms; one event is lost."""
    return waits([1.0] * 75 + [500.0]).at(lost_ms, 0, KIND.LOST, value=1)


def endless(lost_ms: float) -> Story:
    """One wait from 200 ms on that nothing ends; one event is lost."""
    story = waits([1.0] * 75).at(lost_ms, 0, KIND.LOST, value=1)
    story.at(200, 3, KIND.WAIT, object=OTHER, stack=TAKE)
    return story.at(3200, 1, KIND.THREAD_END).at(3200, 2, KIND.THREAD_END)


def test_a_loss_before_a_long_wait_does_not_matter() -> None:
    story = whole(outlier(149))
    assert story.findings("long_wait")
    assert set(not_looked_for(story.model)) == {"wait_always_times_out"}
    (row,) = whole(endless(199)).findings("stuck")
    assert not row["suspected"]


def test_a_long_wait_during_which_an_event_was_lost_may_be_two() -> None:
    assert whole(outlier(400)).findings("long_wait") == []


def test_an_event_that_was_lost_may_end_an_endless_wait() -> None:
    (row,) = whole(endless(1000)).findings("stuck")
    assert row["suspected"]


def lossy_herd(calm: int) -> Story:
    """Lose one event, and emit this many events without effect."""
    story = herd(back=True).at(245, 0, KIND.LOST, value=1)
    for number in range(calm):
        story.at(250 + number, 8, KIND.UNPARK_CALLED, peer=7)
    return story


def test_sums_stand_a_few_lost_events_and_not_many() -> None:
    assert whole(lossy_herd(500)).findings("notify_all_herd")
    story = whole(lossy_herd(0))
    for number in range(20):
        story.at(250 + number, 0, KIND.LOST, value=1)
    assert story.findings("notify_all_herd") == []
    assert "one event in a hundred" in not_looked_for(story.model)["notify_all_herd"]


def dumps(folder: Path, count: int) -> list[Path]:
    files = []
    for second in range(count):
        files.append(folder / f"{second}.txt")
        threads = blocked(12) + blocked(13)
        files[-1].write_text(HEADER.format(second=second) + threads + END)
    return files


@pytest.mark.parametrize("count", [1, 2])
def test_dumps_support_no_finding_that_takes_time(tmp_path: Path, count: int) -> None:
    model = threadmodel.open(dumps(tmp_path, count))
    looked_for = {row["kind"] for row in model.finding_kinds() if row["looked_for"]}
    always = {"deadlock", "lock_inversion", "blocking_thread", "pool_starved"}
    always |= {"carriers_taken", "stuck", "partly_stuck", "starved"}
    sampled = {"sampled_block", "sampled_wait", "sampled_io", "sampled_processor"}
    assert looked_for == (always if count == 1 else always | sampled)
    assert {row["kind"] for row in model.findings()} <= looked_for


def test_every_report_lists_what_was_not_looked_for(tmp_path: Path, cli: Cli) -> None:
    names = list(map(str, dumps(tmp_path, 1)))
    line = (
        "Not looked for: sampled block, sampled wait, sampled io, sampled processor. "
        "One thread dump shows one instant."
    )
    text = " ".join(cli("report", "--all", *names).stdout.decode().split())
    assert line in text
    assert "with the locks that they name" in text
    markdown = cli("report", *names, "--markdown").stdout.decode().replace("\\", "")
    assert line in markdown
    rows = json.loads(cli("report", *names, "--json").stdout)["finding_kinds"]
    assert {row["kind"] for row in rows if not row["looked_for"]} > {"hot_lock"}


def test_reports_of_a_whole_recording_list_nothing(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "run.tmt"
    with threadmodel.Writer(path) as writer:
        runs.define(writer)
        writer.define_run(Run(kinds=ALL_KINDS, object_kinds=ALL_OBJECTS))
        writer.ingest(runs.events())
    assert "Not looked for" not in cli("report", "--all", str(path)).stdout.decode()


def test_a_thread_that_may_have_slept_unseen_is_no_case_for_a_profiler() -> None:
    model = Model()
    model.define_run(Run(policy=1, start_ns=1, kinds=ALL_KINDS - {KIND.SLEEP}))
    model.define_thread(1, "main")
    story = Story()
    story.model = model
    story.at(0, 1, KIND.THREAD_START).at(500, 1, KIND.THREAD_END).findings()
    assert "profiler" not in threadmodel.calm.calm(model)
