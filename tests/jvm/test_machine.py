# SPDX-License-Identifier: Apache-2.0
"""Facts of the agent other than locks: collections, processors, names, its cost."""

import re

import pytest

from conftest import Java
from threadmodel import EventKind

COLLECTIONS = 5


@pytest.mark.parametrize("collector", ["Serial", "Parallel", "G1"])
def test_pauses_of_the_collector_are_reported(java: Java, collector: str):
    flag = f"-XX:+Use{collector}GC"
    run = java.record("Machine", COLLECTIONS, 0, flags=(flag,))
    (row,) = (r for r in run.model.context_totals() if r["kind"] == "gc_pause")
    assert row["count"] >= COLLECTIONS
    assert 0 < row["total_ns"] < run.model.length_ns
    without = java.record("Machine", COLLECTIONS, 0, options="gc=n", flags=(flag,))
    kinds = {r["kind"] for r in without.model.context_totals()}
    assert "gc_pause" not in kinds
    assert EventKind.GC_PAUSE not in without.model.run.kinds


def test_samples_of_a_thread_are_its_processor_time(java: Java):
    run = java.record("Machine", 0, 500, options="cpu=samples,interval=5")
    spinner = run.one("threads", name="spinner")
    # Time before the first look, and in the last interval, has no sample.
    assert 1 <= spinner["cpu_samples"] <= 101
    assert EventKind.CPU_SAMPLE in run.model.run.kinds
    assert any(row["method"] == "Machine.spin" for row in run.model.stacks())
    without = java.record("Machine", 0, 100)
    assert without.one("threads", name="spinner")["cpu_samples"] == 0


def test_monitors_held_at_a_contended_enter_are_reported_where_asked_for(java: Java):
    run = java.record("Machine", 0, 0, options="held=y")
    edge = run.one("lock_edges", wanted_class="Machine$Inner")
    assert edge["held_class"] == "Machine$Outer"
    assert edge["provenance"] == "reported"
    assert edge["held_method"] == "Machine$Outer.pass"
    assert run.odd() == {}


def test_a_monitor_is_held_until_its_exit_and_not_until_its_method_ends(java: Java):
    run = java.record("Ranges")
    edges = run.rows("lock_edges", wanted_class="Ranges$Second")
    assert sorted(row["held_class"] for row in edges) == [
        "Ranges$Within",
        "Ranges$WithinAfterWait",
        "Ranges$WithinHandler",
    ]
    assert run.odd() == {}


def test_a_thread_that_was_renamed_goes_by_its_new_name(java: Java):
    run = java.record("Machine", 0, 0)
    assert run.rows("threads", name="before") == []
    assert run.one("threads", name="after")["blocked_count"] >= 1


def test_a_recording_reports_what_it_cost(java: Java):
    run = java.record("Machine", 0, 0)
    (said,) = (
        caveat for caveat in run.model.caveats if caveat.startswith("Recording ")
    )
    pattern = (
        r"Recording ([\d,]+) events \(([\d,]+) dropped\) took [\d.]+ s of "
        r"the program's threads \(estimated; \d+ % of it for stacks\) and [\d.]+ s of "
        r"the recorder's own, for ([\d,]+) bytes\."
    )
    matched = re.fullmatch(pattern, said)
    assert matched, said
    events, dropped, written = (int(n.replace(",", "")) for n in matched.groups())
    assert dropped == 0
    # Pauses of the collector, and events of the writer, are not counted.
    assert 0 < events <= run.model.event_count
    assert 0 < written <= run.trace.stat().st_size
