# SPDX-License-Identifier: Apache-2.0
"""All of a native thread's time, beside what the thread and the kernel measured."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from recording import SECONDS, environment, program, record

import threadmodel
from threadmodel import EventKind
from time_sums import Sums, sums_of

COMPUTES = ("spinner-0", "spinner-1", "spinner-2", "spinner-3", "toucher")


def run_of(trace: Path, *options: str) -> tuple[threadmodel.Model, dict[str, Sums]]:
    done = record(trace, program("times"), "20", "1000", "500", options=options)
    done.check_returncode()
    model = threadmodel.open(str(trace))
    return model, sums_of(model, done.stdout)


@pytest.fixture(scope="module")
def run(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[threadmodel.Model, dict[str, Sums]]:
    model, sums = run_of(tmp_path_factory.mktemp("native") / "run.tmt")
    if any("perf_event_open failed" in text for text in model.caveats):
        pytest.skip("the kernel does not let this user record switches")
    return model, sums


@pytest.mark.parametrize("name", COMPUTES)
def test_running_is_what_the_kernel_counts_and_runnable_the_wait_for_a_processor(
    run: tuple[threadmodel.Model, dict[str, Sums]], name: str
) -> None:
    assert run[1][name].odd(None, computes=True) == [], run[1][name]


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("reader", "io"),
        ("poller", "io"),
        ("server", "io"),
        ("answerer", "sleeping"),
        ("sleeper", "sleeping"),
        ("unseen", "native"),
    ],
)
def test_a_thread_is_in_a_state_for_as_long_as_it_measured(
    run: tuple[threadmodel.Model, dict[str, Sums]], name: str, state: str
) -> None:
    assert run[1][name].odd(state, computes=False) == [], run[1][name]


def test_nothing_is_odd(run: tuple[threadmodel.Model, dict[str, Sums]]) -> None:
    model, sums = run
    assert [row["cause"] for row in model.diagnostics() if row["count"]] == []
    assert {EventKind.ON_CPU, EventKind.OFF_CPU} <= set(model.run.kinds)
    for name, it in sums.items():
        assert it.states["unknown"] <= it.whole_ns * 0.01, name


def test_switches_are_not_recorded_where_that_is_not_wanted(tmp_path: Path) -> None:
    model, sums = run_of(tmp_path / "run.tmt", "-A", "switches=n")
    assert not {EventKind.ON_CPU, EventKind.OFF_CPU} & set(model.run.kinds)
    assert all(not it.states["runnable"] for it in sums.values())


def test_where_the_kernel_refuses_the_trace_states_what_to_do(tmp_path: Path) -> None:
    if not shutil.which("strace"):
        pytest.skip("no strace, which can refuse a call")
    trace = tmp_path / "run.tmt"
    refused = ["strace", "-f", "-e", "trace=perf_event_open", "-o", os.devnull]
    refused += ["-e", "inject=perf_event_open:error=EACCES"]
    subprocess.run(
        [*refused, sys.executable, "-m", "threadmodel", "record", "--native"]
        + ["-o", trace, "--", program("conditions")],
        env=environment(),
        stdin=subprocess.DEVNULL,
        timeout=SECONDS,
        check=True,
    )
    model = threadmodel.open(str(trace))
    (stated,) = (text for text in model.caveats if "perf_event_open failed" in text)
    assert "perf_event_paranoid must be 2 or less" in stated
    assert not {EventKind.ON_CPU, EventKind.OFF_CPU} & set(model.run.kinds)
    assert len(model.interactions())


def test_more_processors_are_predicted_from_switches(tmp_path: Path) -> None:
    """Four threads compute on one processor: two do so in half of the time, however
    much of it other programs take."""
    allowed, trace = os.sched_getaffinity(0), tmp_path / "run.tmt"
    os.sched_setaffinity(0, {min(allowed)})
    try:
        record(trace, program("computing"), "200").check_returncode()
    finally:
        os.sched_setaffinity(0, allowed)
    model = threadmodel.open(str(trace))
    if EventKind.ON_CPU not in model.run.kinds:
        pytest.skip("the kernel does not let this user record switches")
    (row,) = model.whatif(change="processors")
    assert 0.4 < row["gain_ns"] / model.length_ns < 0.6, row
