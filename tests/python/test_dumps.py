# SPDX-License-Identifier: Apache-2.0
"""Thread dumps in the forms of JVM releases that are not installed here."""

from pathlib import Path
from typing import Any

import threadmodel
from conftest import Cli

DATA = Path(__file__).resolve().parents[1] / "data/dumps"


def by_name(model: threadmodel.Model) -> dict[Any, dict[str, Any]]:
    """Return the last known state of each thread."""
    return {row["thread"]: row for row in model.timeline()}


def test_a_dump_of_jdk_8_among_the_lines_of_a_log():
    model = threadmodel.open(DATA / "jdk8-in-a-log.txt")
    seen = by_name(model)
    assert {name: row["state"] for name, row in seen.items()} == {
        "Attach Listener": "running",
        "worker-1": "deadlocked",
        "worker-2": "deadlocked",
        "back in wait": "reentering",
        'fills the "queue" #1 prio=5 os_prio=0 tid=0x1': "running",
        "compiled waiter": "waiting",
        "static": "running",
    }
    back = seen["back in wait"]
    assert back["class"] == "java.util.ArrayDeque"
    assert back["peer"] == 'fills the "queue" #1 prio=5 os_prio=0 tid=0x1'
    # "waiting on <no object reference available>": the frame that waits locked it.
    assert seen["compiled waiter"]["class"] == "shop.TaskQueue"
    assert seen["worker-1"]["method"] == "shop.Bank.transfer"
    assert {row["thread"] for row in model.deadlocks()} == {"worker-1", "worker-2"}
    assert {row["provenance"] for row in model.deadlocks()} == {"reported"}
    assert not any("account" in caveat for caveat in model.caveats)
    # A line of the log within a stack does not end it.
    stack = seen["worker-1"]["stack"]
    assert sum(row["stack"] == stack for row in model.stacks()) == 3


def test_a_dump_of_jdk_11_with_synchronizers():
    model = threadmodel.open(DATA / "jdk11-l.txt")
    seen = by_name(model)
    assert seen["main"]["state"] == "joining"
    assert seen["main"]["class"] == "java.lang.Thread"
    assert seen["writer"]["state"] == "parked"
    assert seen["writer"]["peer"] == "holder"
    assert seen["holder"]["state"] == "sleeping"
    assert seen["eliminated"]["state"] == "running"
    assert model.run.vm == "OpenJDK 64-Bit Server VM (11.0.22+7 mixed mode, sharing)"
    threads = {row["name"]: row for row in model.threads()}
    assert threads["writer"]["thread_id"] == 12


def test_a_virtual_thread_of_jdk_21_is_known_by_its_carrier():
    model = threadmodel.open(DATA / "jdk21.txt")
    rows = {row["thread_id"]: row for row in model.threads()}
    assert rows[21]["virtual"]
    assert rows[21]["state"] == rows[22]["state"] == "running"
    assert rows[1]["state"] == "sleeping"
    assert any("only while they are mounted" in caveat for caveat in model.caveats)


def test_json_of_jdk_21_has_no_states_but_stacks():
    model = threadmodel.open(DATA / "jdk21.json")
    rows = {row["thread_id"]: row for row in model.timeline()}
    assert {number: row["state"] for number, row in rows.items()} == {
        1: "sleeping",
        9: "waiting",
        10: "unknown",
        21: "parked",
    }
    threads = {row["thread_id"]: row for row in model.threads()}
    assert threads[9]["name"] == 'a "quoted", name\n\ufffd'
    assert threads[21]["virtual"]
    assert threads[21]["group"] == "java.util.concurrent.ThreadPerTaskExecutor@1b2c"
    assert threads[1]["group"] == "<root>"
    assert model.run.pid == 5151
    assert any("does not list 6 threads" in caveat for caveat in model.caveats)
    assert any(
        "of one that is blocked or runs it is" in caveat for caveat in model.caveats
    )


def test_plain_text_of_jdk_21_has_no_states_but_stacks():
    model = threadmodel.open(DATA / "jdk21-plain.txt")
    rows = {row["thread_id"]: row for row in model.timeline()}
    assert {number: row["state"] for number, row in rows.items()} == {
        1: "sleeping",
        9: "waiting",
        10: "unknown",
        12: "unknown",
        21: "parked",
    }
    threads = {row["thread_id"]: row for row in model.threads()}
    assert threads[9]["name"] == 'a "quoted", name\nof two lines'
    assert threads[21]["virtual"]
    assert (model.run.pid, model.run.vm) == (5151, "21.0.2+13-LTS")
    assert any(
        "of one that is blocked or runs it is" in caveat for caveat in model.caveats
    )
    assert any("looks whole" in caveat for caveat in model.caveats)


def test_json_of_version_2_has_owners_of_locks():
    model = threadmodel.open(DATA / "jdk27.json")
    rows = by_name(model)
    assert {name: row["state"] for name, row in rows.items()} == {
        "fair": "deadlocked",
        "foul": "deadlocked",
        "mounted": "running",
        "waits": "waiting",
    }
    assert rows["waits"]["object"] == "shop.Account@40"
    kinds = {(row["thread"], row["kind"]) for row in model.deadlocks()}
    assert kinds == {("fair", "synchronizer"), ("foul", "monitor")}
    threads = {row["name"]: row for row in model.threads()}
    assert threads["foul"]["virtual"]
    assert not any("java.util.concurrent" in caveat for caveat in model.caveats)


def test_several_dumps_in_a_file_are_a_sampled_time_line(tmp_path: Path):
    text = (DATA / "jdk11-l.txt").read_text()
    later = text.replace("11:00:00", "11:00:10").replace("writer", "written")
    last = text.replace("11:00:00", "11:00:20")
    both = tmp_path / "both.txt"
    both.write_text(text + later + last[: last.index('"holder"')] + last[-100:])
    model = threadmodel.open(both)
    assert model.length_ns == 20_000_000_000
    threads = {row["name"]: row for row in model.threads()}
    assert threads["writer"]["parked_total_ns"] == 20_000_000_000
    # A thread that is missing in a later dump has ended.
    assert threads["holder"]["end_ns"] == 20_000_000_000
    assert any("3 thread dumps in 20000 ms" in caveat for caveat in model.caveats)


def test_a_dump_converts_to_a_trace_with_the_same_answers(cli: Cli, tmp_path: Path):
    trace = tmp_path / "dump.tmt"
    done = cli("convert", str(DATA / "jdk8-in-a-log.txt"), "-o", str(trace))
    assert done.returncode == 0, done.stderr
    ours, theirs = threadmodel.open(DATA / "jdk8-in-a-log.txt"), threadmodel.open(trace)
    for table in ("threads", "timeline", "deadlocks", "locks", "stacks"):
        assert list(getattr(ours, table)()) == list(getattr(theirs, table)())


def test_hprof_text_of_jdk_8():
    model = threadmodel.open(DATA / "hprof-jdk8.txt")
    assert model.damage is None
    threads = {row["thread_id"]: row for row in model.threads()}
    assert threads[200003]["name"] == 'a "b", group="c", d'
    assert threads[200003]["group"] == "workers"
    # The two waits overlap, and the second line that ended one came later.
    assert threads[200002]["waiting_total_ns"] >= 40_000_000
    assert threads[200003]["waiting_total_ns"] == 100_000_000
    assert threads[200003]["sleeping_count"] == 1
    assert threads[200004]["cpu_samples"] == 7
    members = {row["thread"]: row["owner"] for row in model.deadlocks()}
    assert members == {"left": "right", "right": "left"}
    assert {row["class"] for row in model.deadlocks()} == {"shop.Account"}
    at = {row["thread"]: (row["method"], row["line"]) for row in model.deadlocks()}
    assert at["left"] == ("shop.Bank.transfer", 20)
    # "total = 2 ms" are 2,000 s: three quarters of these at the first place, where the
    # dump found another that lasts no time.
    totals = {
        (row["class"], row["method"]): (row["blocked_count"], row["blocked_total_ns"])
        for row in model.callers()
        if row["blocked_total_ns"] > 10**9
    }
    assert totals == {
        ("shop.Account", "shop.Bank.transfer"): (31, 1_500 * 10**9),
        ("java.util.ArrayDeque", "shop.Main.main"): (5, 500 * 10**9),
    }
    said = "\n".join(model.caveats)
    for part in (
        "a million times too small",
        "2000 s",
        "2 samples and contentions",
        "1 lines EXIT",
        "1 lines are about threads that HPROF did not know",
        "1 tables of heaps",
        "HPROF writes no times",
    ):
        assert part in said, part
