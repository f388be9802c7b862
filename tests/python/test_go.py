# SPDX-License-Identifier: Apache-2.0
"""A Go program's execution trace, compared with Go's own reader."""

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

import threadmodel
from go_traces import GO, PROGRAMS, RECORDED, SECONDS, run


class Life(NamedTuple):
    goroutine: int
    number: int  # from 1: a thread of C may get the goroutine of one that has ended


class Change(NamedTuple):
    life: Life
    before: str
    after: str
    by: int  # 0: nobody, or it does not matter
    why: str  # as Go names it; "": Go names none, or it was not kept


# The installed release, and the last release of each other format. A plain check uses
# only the oldest of these, as each release builds its library anew.
MIDDLE = pytest.mark.skipif(
    "TM_TEST_FULL" not in os.environ, reason="releases in between: with --full"
)


RELEASES = [
    "local",
    "go1.22.12",
    *(pytest.param(it, marks=MIDDLE) for it in ("go1.23.12", "go1.24.13")),
]


def record(release: str, program: str, *options: str | Path) -> None:
    """Run one of the programs, built and recorded by a release."""
    if GO is None:
        pytest.skip("there is no go")
    folder = PROGRAMS / program
    try:
        run("go", "version", folder=folder, GOTOOLCHAIN=release)
    except subprocess.CalledProcessError:
        pytest.skip(f"{release} cannot be had")
    run("go", "run", ".", *options, folder=folder, GOTOOLCHAIN=release)


@pytest.fixture(scope="module", params=RELEASES)
def trace(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The trace of a run; its profiles pprof.mutex and pprof.block lie beside it."""
    folder = tmp_path_factory.mktemp("go")
    path = folder / "trace.out"
    options = ("-count", "100", "-profiles", folder / "pprof")
    record(request.param, "waits", *options, path)
    return path


@pytest.fixture(scope="module")
def oracle(trace: Path) -> list[Change]:
    return changes_of(trace)


def changes_of(trace: Path) -> list[Change]:
    folder = PROGRAMS / "oracle"
    fetched = subprocess.run(
        ["go", "mod", "download"], cwd=folder, timeout=SECONDS, capture_output=True
    )
    if fetched.returncode:
        pytest.skip("golang.org/x/exp/trace cannot be had")
    return listed(run("go", "run", ".", trace, folder=folder))


def listed(lines: str) -> list[Change]:
    """The changes of state that tests/go/oracle prints."""
    changes = []
    lives: Counter[int] = Counter()
    for line in lines.splitlines():
        number, before, after, by, *more = line.split(" ", maxsplit=4)
        goroutine = int(number)
        lives[goroutine] += before == "NotExist" or not lives[goroutine]
        if before != after:
            is_woken = after == "Runnable" and before in ("Waiting", "NotExist")
            life = Life(goroutine, lives[goroutine])
            why = more[0].split('"')[1] if more else ""
            changes.append(Change(life, before, after, int(by) * is_woken, why))
    return changes


STATES = {
    "Running": "running",
    "Runnable": "runnable",
    "Syscall": "waiting",
    "Waiting": "waiting",
    "NotExist": "dead",
}


def distinct(states: Iterable[str]) -> list[str]:
    return [state for state, _ in groupby(states)]


def test_goroutines_change_as_in_the_reader_of_go(
    trace: Path, oracle: list[Change]
) -> None:
    compare_changes(trace, oracle)


@pytest.mark.parametrize("release", [22, 23, 24, 25])
def test_goroutines_of_each_release_change_as_its_reader_reports(release: int) -> None:
    trace = RECORDED.parent / f"go{release}.trace"
    changes = listed((PROGRAMS / f"recorded/go{release}.changes").read_text())
    model = threadmodel.open(trace)
    assert model.damage is None
    assert not len(model.diagnostics())
    assert len({it.life for it in changes}) > 15
    compare_changes(trace, changes)
    waits = {(row["class"], row["method"]) for row in model.timeline()}
    assert ("sync.Mutex", "main.(*account).move") in waits


@pytest.mark.parametrize(
    ("release", "name"),
    [(22, "Go 1.22"), (23, "Go 1.23 or 1.24"), (24, "Go 1.23 or 1.24")],
)
def test_a_release_that_kept_the_format_of_another_is_no_other(
    release: int, name: str
) -> None:
    assert threadmodel.open(RECORDED.parent / f"go{release}.trace").run.vm == name


def test_snapshots_of_the_flight_recorder_are_read_as_by_the_reader_of_go(
    tmp_path: Path,
) -> None:
    if GO is None:
        pytest.skip("there is no go")
    folder = PROGRAMS / "flight"
    if subprocess.run(["go", "version"], cwd=folder, capture_output=True).returncode:
        pytest.skip("Go 1.25 cannot be had")
    snapshots = [tmp_path / "first.out", tmp_path / "second.out"]
    run("go", "run", ".", *snapshots, folder=folder)
    for path in snapshots:
        model = threadmodel.open(path)
        assert model.damage is None
        assert not len(model.diagnostics())
        waits = {(row["class"], row["method"]) for row in model.timeline()}
        assert ("sync.Mutex", "main.work") in waits
        compare_changes(path, changes_of(path))


def test_who_waits_to_help_the_collector_is_known(tmp_path: Path) -> None:
    if GO is None:
        pytest.skip("there is no go")
    path = tmp_path / "trace.out"
    run("go", "run", ".", path, folder=PROGRAMS / "assist")
    changes = changes_of(path)
    model = threadmodel.open(path)
    waits = [
        row
        for row in model.timeline()
        if row["class"] == "GC mark assist wait for work" and row["state"] == "waiting"
    ]
    assert waits
    assert {row["method"] for row in waits} == {"main.allocate"}
    assert len(waits) == sum(it.why == "GC mark assist wait for work" for it in changes)
    table = model.statistics("method")
    idle = dict(zip(table["method"], table["idle"], strict=True))
    assert not idle["main.allocate"]
    compare_changes(path, changes)


def test_coroutines_and_calls_from_c_are_read_as_by_the_reader_of_go(
    tmp_path: Path,
) -> None:
    if GO is None or shutil.which("gcc") is None:
        pytest.skip("there is no go, or no C compiler")
    path = tmp_path / "trace.out"
    run("go", "run", ".", path, folder=PROGRAMS / "switches")
    model = threadmodel.open(path)
    assert model.damage is None
    assert not len(model.diagnostics())
    changes = changes_of(path)
    assert max(it.life.number for it in changes) > 1
    compare_changes(path, changes)


def life_of(name: str) -> Life:
    found = re.search(r"#(\d+)(?:, life (\d+))?$", name)
    assert found, name
    return Life(int(found[1]), int(found[2] or 1))


class Contention(NamedTuple):
    number: int
    ns: float


def contention(profile: Path, function: str, caller: str = "") -> Contention:
    """Sums of a profile in text form for a function called by this caller."""
    text = profile.read_text()
    per_second = re.search(r"^cycles/second=(\d+)$", text, re.MULTILINE)
    assert per_second
    count = cycles = 0
    for stack in re.split(r"\n(?=[0-9]+ [0-9]+ @)", text)[1:]:
        first, *frames = stack.splitlines()
        if f"\t{function}+" in frames[0] and any(f"\t{caller}" in it for it in frames):
            cycles += int(first.split()[0])
            count += int(first.split()[1])
    return Contention(count, cycles / int(per_second[1]) * 1e9)


class Wait(NamedTuple):
    goroutine: int
    start_ns: int
    end_ns: int


def waits_of(trace: Path, method: str, reason: str) -> list[Wait]:
    """The waits of a method for one reason, by their ends."""
    found = [
        Wait(row["thread_id"], row["start_ns"], row["end_ns"])
        for row in threadmodel.open(trace).timeline()
        if (row["method"], row["class"], row["state"]) == (method, reason, "waiting")
    ]
    return sorted(found, key=lambda it: it.end_ns)


def length(waits: list[Wait]) -> int:
    return sum(it.end_ns - it.start_ns for it in waits)


def charge(waits: list[Wait]) -> int:
    """Compute what the mutex profile charges for waits for one mutex that end by
    unlocks, as semrelease1() and dequeue() of Go's runtime/sema.go do.

    An unlock is charged the wait of the goroutine that it wakes; and, for each other
    one that waits, the mean of that and of the wait of the last one. From then on the
    first and the last of the others count as waiting since now, and the number of
    others never falls below 1 again.
    """
    order = [(it.start_ns, 0) for it in waits] + [(it.end_ns, 1) for it in waits]
    since: list[int] = []
    others = charged = 0
    for now, is_unlock in sorted(order):
        if not is_unlock:
            others = others + 1 if since else 0
            since.append(now)
            continue
        first = last = now - since.pop(0)
        among = others
        if since:
            since[0] = now
            last = now - since[-1]
            since[-1] = now
            others = max(others - 1, min(others, 1))
        charged += first + (first + last) // 2 * among
    return charged


def of_gate(release: str, folder: Path) -> tuple[list[float], list[float]]:
    """Return the sums of the profiles of one run, and those from its trace."""
    trace, profile = folder / "trace.out", folder / "pprof"
    record(release, "gate", trace, profile)
    passes = waits_of(trace, "main.(*gate).pass", "sync.Mutex")
    receives = waits_of(trace, "main.(*gate).enter", "chan receive")
    block, mutex = profile.with_suffix(".block"), profile.with_suffix(".mutex")
    locks = contention(block, "sync.(*Mutex).Lock", "main.(*gate).pass")
    unlocks = contention(mutex, "sync.(*Mutex).Unlock")
    channel = contention(block, "runtime.chanrecv1", "main.(*gate).enter")
    assert locks.number == unlocks.number == len(passes) == 72
    assert channel.number == len(receives) == 72
    return (
        [locks.ns, unlocks.ns, channel.ns],
        [length(passes), charge(passes), length(receives)],
    )


@pytest.mark.parametrize("release", RELEASES)
def test_profiles_of_who_waits_once_are_derived_from_the_trace(
    release: str, tmp_path: Path
) -> None:
    # The rest lies between two readings of the clock, one for each: in some run no
    # thread lost its processor there.
    for _ in range(5):
        profiles, traced = of_gate(release, tmp_path)
        if profiles == pytest.approx(traced, rel=0.01):
            break
    assert profiles == pytest.approx(traced, rel=0.01)


def test_profiles_of_who_waits_again_lie_between_bounds_of_the_trace(
    trace: Path,
) -> None:
    caller = "main.(*account).move"
    waits = waits_of(trace, caller, "sync.Mutex")
    mutex = contention(trace.parent / "pprof.mutex", "sync.(*Mutex).Unlock", caller)
    block = contention(trace.parent / "pprof.block", "sync.(*Mutex).Lock", caller)
    assert mutex.number == pytest.approx(len(waits), abs=2)
    assert 0 < block.number <= len(waits)
    # A goroutine that was woken, found no mutex and waited again is one there, with the
    # time between. Which ones these are, the trace does not tell.
    by_goroutine = sorted(waits)
    between = sorted(
        later.start_ns - it.end_ns
        for it, later in pairwise(by_goroutine)
        if it.goroutine == later.goroutine
    )
    again = len(waits) - block.number
    least = length(waits) + sum(between[:again])
    most = length(waits) + sum(between[len(between) - again :])
    assert 0.98 * least <= block.ns <= 1.02 * most


def compare_changes(trace: Path, oracle: list[Change]) -> None:
    model = threadmodel.open(trace)
    lives = {row["thread_id"]: life_of(row["name"]) for row in model.threads()}
    ours: dict[Life, list[str]] = {it.life: [] for it in oracle}
    for row in model.timeline():
        state = "waiting" if row["state"] in ("sleeping", "io") else row["state"]
        if state not in ("unknown", "new"):
            ours[lives[row["thread_id"]]].append(state)
    assert len(set(lives.values())) == len(lives)
    for life, states in ours.items():
        expected: list[str] = []
        for it in oracle:
            # A coroutine is new until something switches to it.
            if it.life != life or it[1:3] == ("NotExist", "Waiting"):
                continue
            # A goroutine that begins or ends in C is running for an instant there.
            is_of_c = {it.before, it.after} == {"NotExist", "Syscall"}
            expected += ["running"] * is_of_c + [STATES[it.after]]
        # One that was woken and did not run until the end still waits, for the model.
        if expected[-2:] == ["waiting", "runnable"]:
            expected.pop()
        assert distinct(states) == distinct(expected), life


def test_who_unblocked_a_goroutine_is_reported(
    trace: Path, oracle: list[Change]
) -> None:
    model = threadmodel.open(trace)
    wakers = Counter(
        (row["from_thread_id"], row["to_thread_id"])
        for row in model.interactions()
        if row["kind"] == "post" and row["woken_ns"] is not None
    )
    expected: Counter[tuple[int, int]] = Counter()
    pending: dict[int, int] = {}
    for it in oracle:
        if it.before == "Waiting" and it.after == "Runnable" and it.by:
            pending[it.life.goroutine] = it.by
        elif it.after == "Running" and it.life.goroutine in pending:
            goroutine = it.life.goroutine
            expected[pending.pop(goroutine), goroutine] += 1
    sleepers = {
        row["thread_id"] for row in model.timeline() if row["state"] == "sleeping"
    }
    for pair, count in expected.items():
        if pair[1] not in sleepers:
            assert wakers[pair] == count, pair
    assert not set(wakers) - set(expected)
