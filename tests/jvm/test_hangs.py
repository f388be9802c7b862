# SPDX-License-Identifier: Apache-2.0
"""Programs that cannot go on are recognised, and those that only wait are not taken for
such: in traces, recordings of the flight recorder, thread dumps, and after an attach.
Several run at once, since they only wait."""

import os
import re
import signal
import statistics
import subprocess
import sys
import time

import threadmodel
from conftest import TIMEOUT_S, Java
from hangs import (
    HUNG,
    LOOKED_AT,
    OWED,
    PARTLY,
    RECORDED,
    RECORDED_TOO,
    SOME,
    WATCHED,
    check,
    end_all,
    in_turn,
    plain,
    start_all,
)
from jdks import JDKS, ROOT

# The last event dates a standstill, so most are known this precisely.
CLOSE_NS = 100_000_000
STUCK_S = int(os.environ.get("TM_TEST_STUCK_S", "1"))
MESSAGE_S = 30


def test_only_programs_that_cannot_go_on_are_stuck(java: Java) -> None:
    marks: dict[str, int] = {}
    for names in in_turn(SOME):
        running = start_all(
            java,
            names,
            lambda it: java.command("Hangs", it, agent=f"file={java.folder / it}.tmt"),
        )
        marks |= end_all(running)
    late_ns = {}
    for name in SOME:
        model = threadmodel.open(java.folder / f"{name}.tmt")
        row = check(model, name, is_certain=True)
        if name not in HUNG:
            continue
        assert isinstance(row["since_ns"], int), name
        late_ns[name] = model.run.start_ns + row["since_ns"] - marks[name]
        # The wait begins after the time that the program noted.
        assert late_ns[name] > 0, name
    late = {name: ns // 10**6 for name, ns in late_ns.items() if ns >= CLOSE_NS}
    print(f"since within 0.1 s but for {late} of {len(late_ns)} programs")
    assert statistics.median(late_ns.values()) < CLOSE_NS


def test_a_part_that_cannot_go_on_is_reported_live_and_in_the_trace(java: Java) -> None:
    """Another thread goes on. The end is reported when a member goes on."""

    def messages(name: str) -> list[str]:
        text = (java.folder / f"{name}.err").read_text()
        return [line for line in text.splitlines() if line.startswith("threadmodel: ")]

    def all_have(number: int) -> bool:
        return all(len(messages(name)) >= number for name in running)

    def wait_for(number: int) -> None:
        until = time.monotonic() + MESSAGE_S
        while time.monotonic() < until and not all_have(number):
            time.sleep(0.1)

    running = start_all(
        java,
        PARTLY,
        lambda it: java.command(
            *("Hangs", it, "beside"),
            agent=f"file={java.folder / it}.tmt,stuck={STUCK_S}",
        ),
    )
    wait_for(1)
    returned = running.pop("returned")
    assert returned.stdin is not None
    print(file=returned.stdin, flush=True)
    until = time.monotonic() + MESSAGE_S
    while time.monotonic() < until and len(messages("returned")) < 2:
        time.sleep(0.1)
    end_all(running | {"returned": returned})
    for name, members in PARTLY.items():
        text = (java.folder / f"{name}.err").read_text()
        first, *rest = messages(name)
        assert first.startswith("threadmodel: partly stuck for at least "), text
        assert all(f"\n  {member} has waited " in text for member in members), text
        assert f": {len(members)} thread" in first, text
        assert [line[:28] for line in rest] == (
            ["threadmodel: no longer stuck"] if name == "returned" else []
        )
        model = threadmodel.open(java.folder / f"{name}.tmt")
        (row,) = model.verdict()
        found = {str(member["thread"]) for member in model.verdict_members()}
        if name == "returned":
            assert found == set()
            continue
        assert row["kind"] in ("partly_stuck", "starved", "deadlocked"), row["title"]
        assert found == members, name


def test_the_first_line_names_who_waits_for_a_lock_beside_others(java: Java) -> None:
    running = start_all(
        java,
        OWED,
        lambda it: java.command(
            *("Hangs", it, "beside"), agent=f"file={java.folder / it}.tmt"
        ),
    )
    time.sleep(1.5)
    end_all(running)
    for name, who in OWED.items():
        (row,) = threadmodel.open(java.folder / f"{name}.tmt").verdict()
        title = str(row["title"])
        assert re.match(f"No thread is known to be stuck, but {who} ", title), name


def test_threads_that_try_for_ever_are_suspected(java: Java) -> None:
    """Each tries the lock of the other with a timeout. Only the first of these
    deadlocks is reported by a message."""
    names = ("tries", "triesBack")
    running = start_all(
        java,
        names,
        lambda it: java.command("Hangs", it, agent=f"file={java.folder / it}.tmt"),
    )
    time.sleep(2)
    end_all(running)
    for name in names:
        model = threadmodel.open(java.folder / f"{name}.tmt")
        (row,) = model.verdict()
        found = {str(member["thread"]) for member in model.verdict_members()}
        assert found == ({"here", "there"} if name == "tries" else set()), row["title"]
        assert not found or (row["kind"], row["suspected"]) == ("partly_stuck", True)
        assert (java.folder / f"{name}.err").read_text().count("threadmodel: ") == 1


def test_messages_name_the_programs_that_cannot_go_on_and_no_others(java: Java) -> None:
    def message(name: str) -> str:
        return (java.folder / f"{name}.err").read_text()

    reported: dict[str, int] = {}
    marks: dict[str, int] = {}
    for names in in_turn(WATCHED):
        running = start_all(
            java,
            names,
            lambda it: java.command(
                "Hangs",
                it,
                agent=f"file={java.folder / it}.tmt,stuck={STUCK_S}",
                flags=RECORDED_TOO if it == "pool" else (),
            ),
        )
        until = time.monotonic() + MESSAGE_S
        while time.monotonic() < until and not all(
            message(name) for name in names if name in HUNG
        ):
            time.sleep(0.1)
        # Only messages are written to this file.
        ago_ns = time.time_ns() - time.monotonic_ns()
        for name in HUNG.keys() & set(names):
            written = (java.folder / f"{name}.err").stat().st_mtime_ns
            reported[name] = written - ago_ns
        # Healthy ones are watched for longer than it takes to report a hung one.
        time.sleep(2 * STUCK_S)
        marks |= end_all(running)
    late = sorted((reported[it] - marks[it]) / 1e9 for it in reported if it in marks)
    print(f"reported {late[0]:.2f} to {late[-1]:.2f} s after it became true: {late}")
    messages = {name: message(name).count("threadmodel: ") for name in WATCHED}
    assert messages == {name: int(name in HUNG) for name in WATCHED}


def test_the_flight_recorder_shows_waits_that_do_not_end(java: Java) -> None:
    """With its default settings, the start of these waits is unknown."""
    for names in in_turn(RECORDED):
        running = start_all(
            java,
            names,
            lambda it: plain(
                java,
                "-XX:StartFlightRecording=dumponexit=true,"
                f"filename={java.folder / it}.jfr",
            )(it),
        )
        end_all(running)
    for name in RECORDED:
        check(threadmodel.open(java.folder / f"{name}.jfr"), name, is_certain=False)


def attach(
    java: Java, name: str, process: subprocess.Popen[str]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "threadmodel", "attach", str(process.pid)),
            *("--for", "1s", "-o", str(java.folder / f"{name}-attach.tmt")),
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT / "build/bindings/python")},
        stderr=subprocess.DEVNULL,
    )


def test_thread_dumps_and_an_attach_show_waits_that_do_not_end(java: Java) -> None:
    looked_at = []
    for names in in_turn(LOOKED_AT):
        # A program with only daemons left has ended.
        running = {
            name: process
            for name, process in start_all(java, names, plain(java)).items()
            if process.poll() is None
        }
        looked_at += running
        for name, process in running.items():
            for number in range(3):
                text = java.folder / f"{name}-{number}.txt"
                with open(text, "w") as out:
                    subprocess.run(
                        [JDKS[-1].tool("jcmd"), str(process.pid), "Thread.print", "-l"],
                        stdout=out,
                        check=True,
                        timeout=TIMEOUT_S,
                    )
        attached = [attach(java, name, process) for name, process in running.items()]
        assert [it.wait(TIMEOUT_S) for it in attached] == [0] * len(attached)
        end_all(running)
    assert len(looked_at) >= len(LOOKED_AT) - 1
    for name in looked_at:
        dumps = [java.folder / f"{name}-{number}.txt" for number in range(3)]
        check(threadmodel.open(dumps), name, is_certain=False)
        traced = threadmodel.open(java.folder / f"{name}-attach.tmt")
        check(traced, name, is_certain=False)


def test_a_verdict_states_that_the_program_was_stopped(java: Java) -> None:
    """A signal stops it: its threads seem to wait meanwhile."""
    running = start_all(
        java,
        ("beat",),
        lambda it: java.command("Hangs", it, agent=f"file={java.folder / it}.tmt"),
    )
    # A stop is missed if the agent's writer is working, and not waiting, just then.
    for _ in range(2):
        running["beat"].send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        running["beat"].send_signal(signal.SIGCONT)
        time.sleep(0.2)
    end_all(running)
    model = threadmodel.open(java.folder / "beat.tmt")
    row = check(model, "beat", is_certain=True)
    assert 1_000_000_000 < model.run.stopped_ns < model.length_ns
    assert "the process was stopped" in str(row["examined"])


def test_a_verdict_states_that_the_machine_was_suspended(java: Java) -> None:
    """No wait includes the time of the suspension."""
    suspended = ROOT / "build/tests/native/native_suspended_machine.so"
    running = start_all(
        java,
        ("signal",),
        lambda it: [
            *("env", f"LD_PRELOAD={suspended}"),
            *java.command("Hangs", it, agent=f"file={java.folder / it}.tmt"),
        ],
    )
    time.sleep(0.5)
    end_all(running)
    model = threadmodel.open(java.folder / "signal.tmt")
    row = check(model, "signal", is_certain=True)
    assert "the machine suspended, for 3600 s" in str(row["examined"])
    assert 3599e9 < model.run.stopped_ns < 3601e9
