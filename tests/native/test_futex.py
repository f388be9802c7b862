# SPDX-License-Identifier: Apache-2.0
"""Locks and waits on futexes of programs' own, beside what the programs know."""

import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest
from recording import PROGRAMS, SECONDS, environment, owners_of, program, record, rows

import threadmodel

RUST = Path(__file__).parent / "programs/futexes.rs"
PATIENCE_S = 20


@dataclass(frozen=True)
class Run:
    model: threadmodel.Model
    said: list[list[str]]


def run_of(trace: Path, *command: str) -> Run:
    # Two thousand threads that begin are many records of one thread's.
    done = record(trace, *command, options=["--ring-kib", "512"])
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    return Run(threadmodel.open(str(trace)), lines)


@pytest.fixture(scope="module")
def futexes(tmp_path_factory: pytest.TempPathFactory) -> Run:
    trace = tmp_path_factory.mktemp("futexes") / "run.tmt"
    return run_of(trace, program("futexes"))


def waits(model: threadmodel.Model) -> dict[tuple[str, str], list[int]]:
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for row in model.timeline():
        if row["state"] == "waiting":
            found[row["thread"], row["class"]].append(row["end_ns"] - row["start_ns"])
    return dict(found)


def is_whole(model: threadmodel.Model) -> bool:
    return not any("lost" in text for text in model.caveats)


def test_each_sleep_is_one_wait(futexes: Run) -> None:
    found = waits(futexes.model)
    said = {line[0]: int(line[1]) for line in futexes.said if "rival" in line[0]}
    assert len(said) == 4
    assert said == {name: len(found.get((name, "futex the_lock"), ())) for name in said}


def test_a_wait_is_as_long_as_both_sides_know(futexes: Run) -> None:
    least = [int(line[1]) for line in futexes.said if line[0] == "least"]
    most = [int(line[1]) for line in futexes.said if line[0] == "most"]
    found = waits(futexes.model)
    for at, (thread, word) in enumerate(
        (("woken", "the_word"), ("moved", "the_first"), ("woken-op", "the_first"))
    ):
        (length,) = found[thread, f"futex {word}"]
        assert least[at] <= length <= most[at], thread


def test_each_wake_up_has_its_waker(futexes: Run) -> None:
    posts: Counter[tuple[str, str]] = Counter()
    for row in futexes.model.interactions():
        if row["kind"] == "post":
            posts[row["to_thread"], row["class"]] += 1
    expected = {
        key: len(lengths)
        for key, lengths in waits(futexes.model).items()
        if key[0] not in ("interrupted", "timed", "shared")
    }
    if is_whole(futexes.model):
        assert dict(posts) == expected


def test_the_waker_is_the_thread_that_woke(futexes: Run) -> None:
    wakers = {
        row["to_thread"]: row["from_thread"]
        for row in futexes.model.interactions()
        if row["kind"] == "post" and row["to_thread"] in ("woken", "moved", "woken-op")
    }
    assert wakers == dict.fromkeys(("woken", "moved", "woken-op"), "native_futexes")


def test_a_wait_that_time_or_a_signal_ended_has_no_waker(futexes: Run) -> None:
    found = waits(futexes.model)
    assert len(found["interrupted", "futex the_interrupted"]) == 1
    assert len(found["timed", "futex the_timed"]) == 2
    assert found["timed", "futex the_timed"][0] >= 30_000_000
    kinds = {
        (row["to_thread"], row["kind"])
        for row in futexes.model.interactions()
        if row["to_thread"] in ("interrupted", "timed") and row["kind"] != "start"
    }
    assert kinds == {("interrupted", "interrupt"), ("timed", "timeout")}


def test_a_call_that_does_not_sleep_leaves_nothing(futexes: Run) -> None:
    assert not [key for key in waits(futexes.model) if key[0] == "busy"]


def test_a_wake_up_from_another_process_is_a_wait_without_waker(futexes: Run) -> None:
    assert [
        len(lengths)
        for (thread, _), lengths in waits(futexes.model).items()
        if thread == "shared"
    ] == [1]


def test_a_lock_with_inheritance_has_the_owner_that_its_word_names(
    tmp_path: Path,
) -> None:
    run = run_of(tmp_path / "run.tmt", program("inherited"))
    said = {line[0]: int(line[1]) for line in run.said}
    main = Path(program("inherited")).name[:15]
    spent = {"blocked": 0, "parked": 0}
    for row in run.model.timeline():
        if row["object"] == "mutex the_inherited" and row["state"] in spent:
            spent[row["state"]] += row["end_ns"] - row["start_ns"]
            assert (row["peer"], row["provenance"]) == (main, "inferred")
    assert said["least"] <= spent["blocked"] <= said["most"]
    assert owners_of(run.model, "queues") == owners_of(run.model, "times-out") != set()
    # Main waits for the end of a thread that wants what main owns, until it gives up.
    deadlocks = set(rows(run.model.deadlocks(), "thread"))
    assert deadlocks == {(main,), ("times-out",)}
    ends = {row["to_thread"]: row for row in run.model.interactions()}
    kinds = {row["kind"] for row in run.model.interactions()}
    assert "handoff" in kinds
    assert ends["queues"]["from_thread"] == main
    if "either" in said:
        # The begin of a wait that lasts is reported before its word is known.
        words = {word for thread, word in waits(run.model) if thread == "either"}
        assert words == {"futex the_other"} or words == {"futex the_either"}
    assert not len(run.model.diagnostics())


def test_two_thousand_threads_that_wait_are_all_seen(futexes: Run) -> None:
    found = waits(futexes.model)
    assert sum(
        len(lengths) for (_, word), lengths in found.items() if "the_crowd" in word
    ) in range(1990, 2001)


@pytest.mark.skipif(
    not (PROGRAMS / "native_cplusplus20").exists(), reason="no compiler for C++20"
)
def test_what_waits_in_cpp20_has_length_and_waker(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run.tmt", program("cplusplus20"))
    bounds = {(name, which): int(value) for name, which, value in run.said}
    lengths = {thread: sum(them) for (thread, _), them in waits(run.model).items()}
    wakers = {
        row["to_thread"]: row["from_thread"]
        for row in run.model.interactions()
        if row["kind"] == "post"
    }
    for name in ("flag", "latch", "semaphore", "barrier"):
        assert lengths[name] <= bounds[name, "most"], name
        assert lengths[name] >= bounds[name, "least"] * 0.9, name
        assert wakers[name] == "native_cplusplu", name


needs_cpp = pytest.mark.skipif(
    not (PROGRAMS / "native_guards").exists(), reason="no compiler for C++"
)


def owners(model: threadmodel.Model) -> dict[str, set[tuple[str, str]]]:
    """Owners and their locks, in the parts of blocks that lasted more than a moment."""
    found: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in model.blame():
        if row["share"] == "owner" and row["end_ns"] - row["start_ns"] > 20_000_000:
            assert row["provenance"] == "exact"
            found[row["thread"]].add((row["class"], row["owner"]))
    return dict(found)


@needs_cpp
def test_who_initialises_a_static_variable_owns_it(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run.tmt", program("guards"), "once")
    first = {("initialisation of table()::it", "first")}
    assert owners(run.model) == {"second": first, "third": first}
    assert not [key for key in waits(run.model) if "futex" in key[1]]


@needs_cpp
def test_an_initialisation_that_failed_is_the_next_thread_s(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run.tmt", program("guards"), "thrown")
    found = {
        thread: {owner for _, owner in its} for thread, its in owners(run.model).items()
    }
    assert found in (
        {"second": {"first"}, "third": {"first", "second"}},
        {"second": {"first", "third"}, "third": {"first"}},
    )


@needs_cpp
def test_a_library_of_cpp_in_a_program_of_c_is_initialised_once(tmp_path: Path) -> None:
    script = (
        "import ctypes, sys, threading\n"
        "it = ctypes.CDLL(sys.argv[1]).initialised\n"
        "found = []\n"
        "call = lambda: found.append(it())\n"
        "all = [threading.Thread(target=call) for _ in range(3)]\n"
        "[one.start() for one in all]; [one.join() for one in all]\n"
        "print(*found)\n"
    )
    library = str(PROGRAMS / "native_guarded.so")
    run = run_of(tmp_path / "run.tmt", sys.executable, "-c", script, library)
    assert run.said == [["1", "1", "1"]]
    blocked = [
        row["end_ns"] - row["start_ns"]
        for row in run.model.timeline()
        if row["state"] == "blocked" and "initialisation of" in row["class"]
    ]
    assert len(blocked) == 2


def hung(trace: Path, *command: str, patience_s: float = PATIENCE_S) -> str:
    """Return all that is reported of a program until it hangs, or for so long."""
    arguments = [sys.executable, "-m", "threadmodel", "record", "--native"]
    arguments += ["--stuck-s", "1", "-o", str(trace), "--", *command]
    said = trace.with_suffix(".err")
    with open(said, "w") as err:
        running = subprocess.Popen(
            arguments, env=environment(), stdin=subprocess.DEVNULL, stderr=err
        )
    until = time.monotonic() + patience_s
    pattern = re.compile(r"threadmodel: (deadlock|stuck)")
    while time.monotonic() < until and not pattern.search(said.read_text()):
        time.sleep(0.1)
    running.send_signal(signal.SIGTERM)
    running.wait(timeout=SECONDS)
    return said.read_text()


@needs_cpp
@pytest.mark.parametrize(
    ("mode", "members"), [("crossed", {"left", "right"}), ("itself", {"again"})]
)
def test_initialisations_that_need_one_another_are_a_deadlock(
    mode: str, members: set[str], tmp_path: Path
) -> None:
    trace = tmp_path / "run.tmt"
    said = hung(trace, program("guards"), mode)
    assert f"deadlock of {len(members)} thread" in said
    model = threadmodel.open(str(trace))
    (row,) = model.verdict()
    assert row["kind"] == "deadlocked"
    assert {member["thread"] for member in model.verdict_members()} >= members
    assert {it["thread"] for it in model.deadlocks()} == members


@pytest.mark.parametrize(
    ("mode", "members"),
    [
        ("own-orders", {"main", "left", "right"}),
        ("own-lost-wake", {"main", "taker"}),
    ],
)
def test_threads_that_no_thread_can_wake_are_stuck(
    mode: str, members: set[str], tmp_path: Path
) -> None:
    trace = tmp_path / "run.tmt"
    assert "threadmodel: stuck" in hung(trace, program("standstill"), mode)
    model = threadmodel.open(str(trace))
    (row,) = model.verdict()
    assert row["kind"] == "stuck"
    assert {it["thread"] for it in model.verdict_members()} == members


@pytest.mark.parametrize("mode", ["own-turns", "own-input"])
def test_threads_in_turns_or_idle_are_not_accused(mode: str, tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    said = hung(trace, program("standstill"), mode, patience_s=3)
    assert not re.search("threadmodel: (deadlock|stuck|partly stuck)", said)
    (row,) = threadmodel.open(str(trace)).verdict()
    assert row["kind"] not in ("stuck", "partly_stuck", "deadlocked", "starved")


@pytest.fixture(scope="module")
def rust(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("rustc"):
        pytest.skip("no compiler for Rust")
    out = tmp_path_factory.mktemp("rust") / "futexes"
    subprocess.run(["rustc", "-O", "-g", "-o", out, RUST], check=True, timeout=SECONDS)
    return out


def test_a_mutex_of_rust_is_named_after_its_variable(
    rust: Path, tmp_path: Path
) -> None:
    run = run_of(tmp_path / "run.tmt", str(rust))
    found = waits(run.model)
    putters = {"putter-0", "putter-1", "putter-2"}
    shelf = {thread for thread, word in found if word == "futex futexes::SHELF"}
    # One that begins when the others are done never sleeps.
    assert shelf & putters
    assert shelf <= {"taker", *putters}
    assert ("taker", "futex futexes::READY") in found
    wakers = {
        row["from_thread"]
        for row in run.model.interactions()
        if row["kind"] == "post" and row["class"] == "futex futexes::READY"
    }
    assert wakers
    assert wakers <= putters


def test_two_mutexes_of_rust_in_opposite_orders_are_stuck(
    rust: Path, tmp_path: Path
) -> None:
    trace = tmp_path / "run.tmt"
    assert "threadmodel: stuck" in hung(trace, str(rust), "hang")
    model = threadmodel.open(str(trace))
    (row,) = model.verdict()
    assert row["kind"] == "stuck"
    assert {it["thread"] for it in model.verdict_members()} == {
        "futexes",
        "left",
        "right",
    }
