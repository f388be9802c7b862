# SPDX-License-Identifier: Apache-2.0
"""The agent's life: options, and every way in which a JVM can end."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import threadmodel
from conftest import AGENT, Java
from jdks import ROOT

EARLY_TIMEOUTS = Path(
    os.environ.get(
        "TM_TEST_EARLY_TIMEOUTS", ROOT / "build/tests/jvm/libearly_timeouts.so"
    )
)


def lines_of_agent(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if line.startswith("threadmodel:")]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("depht=3", '"depht"'),
        ("depth=many", '"many"'),
        ("depth=-1", '"-1"'),
        ("depth", "has no value"),
        ("buffer=1", '"1"'),
        ("file=", "path is empty"),
    ],
)
def test_options_that_are_wrong_stop_the_vm_with_one_line(
    java: Java, options: str, named: str
):
    done = java.run(java.command("Stuck", 0, agent=options))
    assert done.returncode == 1
    (line,) = lines_of_agent(done.stderr)
    assert named in line
    assert not list(java.folder.glob("*.tmt"))


def test_a_wait_for_a_class_that_another_thread_initialises_is_distinguished(
    java: Java,
):
    run = java.record("Initialisation", 3)
    causes = {row["cause"]: row["count"] for row in run.model.diagnostics()}
    assert causes.get("initialisation_wait") == run.said["waits"]
    assert "waited_without_wait" not in causes


def test_help_lists_the_options_and_runs_nothing(java: Java):
    done = java.run(java.command("Stuck", 0, agent="help"))
    assert done.returncode == 0
    assert done.stderr == ""
    for option in ("file=", "depth=", "buffer=", "help"):
        assert f"\n  {option}" in done.stdout
    assert not list(java.folder.glob("*.tmt"))


@pytest.mark.parametrize(
    ("options", "missing", "there"),
    [
        ("monitor=n", {"handoff", "notify"}, {"start"}),
        ("contanalysis=n", {"start"}, {"handoff"}),
    ],
)
def test_events_can_be_left_out(
    java: Java, options: str, missing: set[str], there: set[str]
):
    run = java.record("Blocks", 2, options=options)
    kinds = set(run.interactions())
    assert not kinds & missing
    assert kinds >= there


def test_file_is_named_after_the_process_by_default(java: Java):
    done = java.run(java.command("Stuck", 0, agent=""))
    assert done.returncode == 0
    (trace,) = java.folder.glob("*.tmt")
    pid = threadmodel.open(trace).run.pid
    assert trace.name == f"threadmodel-{pid}.tmt"


def test_file_may_have_commas_and_spaces(java: Java):
    done = java.run(java.command("Stuck", 0, agent="file=a,,b c %%p.tmt,depth=2"))
    assert done.returncode == 0
    assert threadmodel.open(java.folder / "a,b c %p.tmt").event_count > 0


def test_agent_prints_nothing_and_passes_on_what_the_program_prints(java: Java):
    run = java.record("Blocks", 1)
    assert run.stderr == ""
    assert all("=" in line for line in run.stdout.splitlines())


def test_agent_needs_libc_alone():
    if not AGENT.exists():
        pytest.skip(f"no agent in {AGENT}")
    text = subprocess.run(
        ["readelf", "-d", AGENT], capture_output=True, text=True, check=True
    ).stdout
    needed = {
        line.split("[")[1].rstrip("]") for line in text.splitlines() if "NEEDED" in line
    }
    assert {name.split(".")[0].split("-")[0] for name in needed} <= {"libc", "ld"}
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", AGENT],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = {line.split()[-1] for line in symbols.splitlines()}
    # The VM looks these up by their names.
    natives = ("Java_java_lang_Threadmodel", "Java_io_github_threadmodel_Unit")
    names = {n for n in names if not n.startswith(natives)}
    assert names <= {"Agent_OnLoad", "Agent_OnUnload", "Agent_OnAttach"}


def start_and_read_a_line(java: Java, trace: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        java.command("Busy", 60_000, agent=f"file={trace}"),
        stdout=subprocess.PIPE,
        text=True,
        cwd=java.folder,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "warm\n"
    return process


def test_trace_of_a_killed_vm_opens_and_has_what_was_written(java: Java):
    trace = java.folder / "killed.tmt"
    process = start_and_read_a_line(java, trace)
    process.kill()
    process.communicate()
    model = threadmodel.open(trace)
    rows = {row["class"]: row for row in model.locks()}
    assert model.damage is None
    # A thread reported a hundred turns; each was blocked in most of them.
    assert rows["Busy$Hot"]["blocked_count"] >= 100
    assert {row["name"] for row in model.threads()} >= {f"busy-{i}" for i in range(4)}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_trace_of_a_vm_that_was_asked_to_end_is_complete(java: Java, number: int):
    trace = java.folder / "reported.tmt"
    # A shell may have set us to ignore it, which the program would inherit.
    before = signal.signal(number, signal.SIG_DFL)
    process = start_and_read_a_line(java, trace)
    signal.signal(number, before)
    process.send_signal(number)
    process.communicate()
    assert process.returncode == 128 + number
    model = threadmodel.open(trace)
    assert model.damage is None
    rows = {row["class"]: row for row in model.locks()}
    assert rows["Busy$Hot"]["blocked_count"] >= 100


def test_trace_is_complete_where_the_time_of_waits_is_faked(
    java: Java, monkeypatch: pytest.MonkeyPatch
):
    """Tests preload such libraries to have another clock."""
    monkeypatch.setenv("LD_PRELOAD", str(EARLY_TIMEOUTS))
    run = java.record("Blocks", 3)
    assert run.model.damage is None
    assert not run.trace.with_name(f"{run.trace.name}.rings").exists()


def test_vm_that_finds_no_program_leaves_a_whole_trace(java: Java):
    done = java.run(java.command("NoSuchProgram", agent="file=run.tmt"))
    assert done.returncode == 1
    assert lines_of_agent(done.stderr) == []
    assert threadmodel.open(java.folder / "run.tmt").damage is None


def test_vm_that_dies_in_start_up_leaves_a_trace_without_events(java: Java):
    done = java.run(java.command("Stuck", 0, agent="file=run.tmt", flags=("-Xmx1k",)))
    assert done.returncode == 1
    with pytest.warns(threadmodel.DamagedTraceWarning):
        assert threadmodel.open(java.folder / "run.tmt").event_count == 0


def test_full_disk_ends_the_recording_and_not_the_program(java: Java):
    if sys.platform != "linux" or not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    done = java.run(java.command("Blocks", 3, agent="file=/dev/full"))
    (line,) = lines_of_agent(done.stderr)
    assert "/dev/full" in line
    # The error is found when the file is begun, or else the program runs to its end.
    assert done.returncode == 1 or "most_ns=" in done.stdout


def test_small_buffers_lose_events_and_report_it(java: Java):
    run = java.record("Flood", 200_000, "waited", options="buffer=64,depth=0")
    notifies = sum(run.interactions(effect="useless", from_thread="flood").values())
    lost = run.odd().get("lost_by_producer", 0)
    print(f"{java.jdk}: {notifies / 2000:.1f} % recorded, the others counted")
    # The events of the thread's start and end, and its waits there, may be lost too.
    assert 200_000 <= notifies + lost <= 200_020
    if lost:
        said = [caveat for caveat in run.model.caveats if " lost " in caveat]
        assert len(said) == 1
        assert f"{lost:,} event" in said[0]


def test_notifies_where_nobody_ever_waited_do_not_flood_the_trace(java: Java):
    run = java.record("Flood", 200_000, options="buffer=64,depth=0")
    notifies = sum(run.interactions(effect="useless", from_thread="flood").values())
    (said,) = (caveat for caveat in run.model.caveats if "left out" in caveat)
    assert 1 <= notifies < 10_000
    assert notifies + int(said.split()[0].replace(",", "")) >= 200_000
    assert run.odd() == {}


def test_an_agent_that_was_there_first_hides_no_notify(java: Java):
    other = java.folder / "other.so"
    shutil.copy(AGENT, other)
    first = f"-agentpath:{other}=file={java.folder}/other.tmt"
    trace = java.folder / "own.tmt"
    command = java.command("Flood", 1000, "waited", agent=f"file={trace},depth=0")
    done = java.run([command[0], first, *command[1:]])
    assert done.returncode == 0, done.stderr
    for path in (trace, java.folder / "other.tmt"):
        rows = threadmodel.open(path).interactions()
        mine = [row for row in rows if row["from_thread"] == "flood"]
        assert [row["kind"] for row in mine].count("notify") == 1000


def test_agent_is_loaded_once(java: Java):
    done = java.run(
        java.command("Stuck", 0, agent="file=a.tmt", flags=(f"-agentpath:{AGENT}",))
    )
    assert done.returncode == 0
    (line,) = (line for line in lines_of_agent(done.stderr) if "loaded" in line)
    assert "twice" in line
    assert [path.name for path in java.folder.iterdir()] == ["a.tmt"]
    assert threadmodel.open(java.folder / "a.tmt").damage is None


@pytest.mark.parametrize(
    "flags",
    [
        ("-Xcheck:jni",),
        ("-XX:+UseSerialGC",),
        ("-XX:+UseParallelGC",),
        ("-XX:+UseZGC",),
        ("-XX:+UseShenandoahGC",),
        ("-Xverify:all",),
        ("-Xint",),
        ("-XX:TieredStopAtLevel=1",),
        ("-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"),
    ],
    ids=lambda flags: flags[-1],
)
def test_every_collector_and_compiler_reports_the_same(
    java: Java, flags: tuple[str, ...]
):
    if flags[-1] == "-XX:+UseCompactObjectHeaders" and java.jdk.release < 24:
        pytest.skip(f"JDK {java.jdk.release} has no compact headers")
    # Not every build has every collector.
    if java.run([java.jdk.tool("java"), *flags, "-version"]).returncode != 0:
        pytest.skip(f"this JDK {java.jdk.release} knows no {flags[-1]}")
    run = java.record("Waits", 10, flags=flags)
    row = run.one("locks", **{"class": "Waits$Bell"})
    assert row["waiting_count"] == 70
    assert run.odd() == {}
    assert "WARNING" not in run.stdout + run.stderr
