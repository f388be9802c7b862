# SPDX-License-Identifier: Apache-2.0
"""Locks and conditions of native programs that know what their threads did."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from recording import oddity, owners_of, program, record, rows
from signallers import KINDS, WRONG, judge

import threadmodel


@pytest.fixture(scope="module")
def conditions(tmp_path_factory: pytest.TempPathFactory) -> threadmodel.Model:
    trace = tmp_path_factory.mktemp("native") / "run.tmt"
    assert record(trace, program("conditions")).returncode == 0
    return threadmodel.open(str(trace))


BLOCKED = {
    "lock_mutex": "mutex the_mutex",
    "recursive": "mutex the_recursive",
    "read_lock": "rwlock the_rwlock",
    "write_lock": "rwlock the_rwlock",
    "lock_spinlock": "spinlock the_spinlock",
    "lock_mtx": "mutex the_mtx",
}


def test_every_kind_of_lock_blames_its_owner(contended: threadmodel.Model) -> None:
    blame = rows(contended.blame(), "thread", "class", "share", "owner", "provenance")
    found = {row[0]: row for row in blame if row[2] == "owner"}
    main = Path(program("contended")).name[:15]
    assert found == {
        thread: (thread, lock, "owner", main, "exact")
        for thread, lock in BLOCKED.items()
    }


def test_locks_have_their_names_and_kinds(contended: threadmodel.Model) -> None:
    assert {
        ("mutex the_mutex", "mutex the_mutex", "mutex"),
        ("rwlock the_rwlock", "rwlock the_rwlock", "rwlock"),
        ("spinlock the_spinlock", "spinlock the_spinlock", "spin_lock"),
    } <= set(rows(contended.holds(), "object", "class", "kind"))


def test_every_block_of_cplusplus_blames_its_owner(
    cplusplus: threadmodel.Model,
) -> None:
    blame = rows(cplusplus.blame(), "thread", "class", "share", "owner", "provenance")
    main = Path(program("cplusplus")).name[:15]
    assert sorted(row for row in blame if row[2] == "owner") == [
        ("lock_unique", "mutex the_account", "owner", main, "exact"),
        ("put_money", "mutex the_account", "owner", main, "exact"),
        ("read_shared", "rwlock the_shared", "owner", main, "exact"),
        ("write_shared", "rwlock the_shared", "owner", main, "exact"),
    ]
    holds = rows(cplusplus.holds(), "class", "thread", "shared")
    assert [row[1:] for row in holds if row[0] == "rwlock the_shared"] == [
        (main, False),
        ("read_shared", True),
        (main, True),
        ("write_shared", False),
    ]
    assert not len(cplusplus.diagnostics())


def test_waits_of_cplusplus_end_by_who_signalled(cplusplus: threadmodel.Model) -> None:
    columns = ("kind", "from_thread", "to_thread", "object", "effect")
    main = Path(program("cplusplus")).name[:15]
    ends = {
        (*row[:3], str(row[3]).split("@")[0], row[4])
        for row in rows(cplusplus.interactions(), *columns)
        if str(row[0]).startswith("notify")
    }
    assert ends == {
        ("notify", main, "wait_plain", "condition the_condition", "woke"),
        ("notify_all", main, "wait_timed", "condition the_condition", "woke"),
    }


def test_a_recursive_lock_is_free_after_its_last_unlock(
    contended: threadmodel.Model,
) -> None:
    holds = rows(contended.holds(), "class", "thread", "start_ns", "end_ns")
    owner, queued = (row for row in holds if row[0] == "mutex the_recursive")
    assert queued[1] == "recursive"
    assert isinstance(owner[3], int)
    assert isinstance(queued[2], int)
    assert owner[3] <= queued[2]


def test_readers_share(contended: threadmodel.Model) -> None:
    holds = rows(contended.holds(), "class", "shared")
    assert [shared for name, shared in holds if name == "rwlock the_rwlock"] == [
        False,
        True,
        True,
        False,
    ]


def test_nothing_contradicts(
    contended: threadmodel.Model, conditions: threadmodel.Model
) -> None:
    assert not len(contended.diagnostics())
    assert not len(conditions.diagnostics())


def test_a_wait_ends_by_who_signalled(conditions: threadmodel.Model) -> None:
    columns = ("kind", "from_thread", "to_thread", "object", "effect")
    found = {
        (row[0], row[1], row[2], str(row[3]).split("@")[0], row[4])
        for row in rows(conditions.interactions(), *columns)
    }
    main = Path(program("conditions")).name[:15]
    for kind, thread, waited_for in [
        ("notify", "wait_plain", "condition the_condition"),
        ("notify_all", "wait_clock", "condition the_condition"),
        ("notify", "wait_c11", "condition the_cnd"),
        ("post", "wait_semaphore", "semaphore the_semaphore"),
        ("post", "wait_barrier", "barrier the_barrier"),
    ]:
        assert (kind, main, thread, waited_for, "woke") in found


def test_who_ends_a_wait_is_as_the_program_knows_it() -> None:
    found: Counter[tuple[str, str]] = Counter()
    for _ in range(3):
        found += judge()
    assert {kind for kind, _ in found} == set(KINDS)
    wrong = sum(count for (_, how), count in found.items() if how == WRONG)
    assert found.total() > 1000
    assert wrong <= found.total() / 1000, found


def test_a_condition_is_no_lock(conditions: threadmodel.Model) -> None:
    kinds = {str(name).split()[0] for name in conditions.holds()["class"]}
    assert kinds == {"mutex", "once"}
    assert not len(conditions.deadlocks())


def test_who_runs_a_routine_once_is_waited_for(conditions: threadmodel.Model) -> None:
    blame = rows(conditions.blame(), "class", "share", "owner")
    assert ("once the_once", "owner", "run_once") in blame


@pytest.mark.parametrize(
    "which",
    [
        "checks",
        "hands_over",
        "waits",
        "locks_early",
        "dies",
        "inherits",
        "reads_while_it_writes",
        "locks_by_a_clock",
    ],
)
def test_whoever_has_the_lock_is_blamed(which: str, tmp_path: Path) -> None:
    model = oddity(which, tmp_path)
    (main,) = (row[1] for row in rows(model.threads(), "name", "thread_id")[:1])
    assert owners_of(model, "waiter") == {main}
    assert not len(model.deadlocks())
    # A thread that dies releases its lock afterwards.
    assert set(model.diagnostics()["cause"]) <= {"after_end"}


@pytest.mark.parametrize(
    ("which", "lost"), [("locks_many", []), ("queues_for_many", ["lost_by_producer"])]
)
def test_of_many_locks_only_those_that_are_queued_for_count_as_lost(
    which: str, lost: list[str], tmp_path: Path
) -> None:
    """Of the 200 locks that it takes 64 are recorded; another thread takes one more."""
    model = oddity(which, tmp_path)
    ids = {row[0]: row[1] for row in rows(model.threads(), "name", "thread_id")}
    main = Path(program("oddities")).name[:15]
    assert owners_of(model, "later") == {ids[main]}
    if not lost:
        assert owners_of(model, "waiter") == {ids["owner"]}
    diagnostics = rows(model.diagnostics(), "cause", "count")
    assert [row[0] for row in diagnostics] == lost
    assert [row[1] for row in diagnostics] == [1 for _ in lost]


def test_a_wait_that_a_signal_or_a_cancellation_ends_brings_no_permit(
    tmp_path: Path,
) -> None:
    model = oddity("is_interrupted", tmp_path)
    threads = {"interrupted", "cancelled", "posted"}
    ends = rows(model.interactions(), "kind", "to_thread")
    assert [(str(kind), to) for kind, to in ends if to in threads] == [
        ("start", "interrupted"),
        ("interrupt", "interrupted"),
        ("start", "cancelled"),
        ("interrupt", "cancelled"),
        ("start", "posted"),
        ("post", "posted"),
    ]


def test_a_signal_handler_that_locks_leaves_the_locks_of_its_thread(
    tmp_path: Path,
) -> None:
    """40 are held for so long that the recorder sees them, if nothing holds it up."""
    seen = 0
    for _ in range(3):
        model = oddity("holds_between_signals", tmp_path)
        counts = dict(rows(model.hold_times(), "class", "count"))
        seen = max(seen, int(str(counts.get("mutex the_mutex", 0))))
        if seen >= 36:
            break
    assert seen >= 36


PARKED = "parked"


LIMIT_NS = 100_000_000


def test_a_lock_with_a_limit_is_parked_for_until_then(tmp_path: Path) -> None:
    model = oddity("limits", tmp_path)
    ids = {row[0]: row[1] for row in rows(model.threads(), "name", "thread_id")}
    main = ids[Path(program("oddities")).name[:15]]
    columns = ("thread", "state", "object", "start_ns", "end_ns")
    parks = {
        row[0]: row for row in rows(model.timeline(), *columns) if row[1] == PARKED
    }
    for thread in ("gives_up", "gets_it"):
        assert owners_of(model, thread) == {main}
        assert parks[thread][2] == "mutex the_mutex"
    *_, begin, end = parks["gives_up"]
    assert isinstance(begin, int)
    assert isinstance(end, int)
    assert end - begin > 0.9 * LIMIT_NS
    holds = rows(model.holds(), "thread_id", "object")
    wanted = [row[0] for row in holds if row[1] == "mutex the_mutex"]
    assert wanted == [main, ids["gets_it"]]
    assert not len(model.diagnostics())


JEMALLOC = "libjemalloc.so.2"


def test_nothing_is_lost_where_jemalloc_locks_all_of_its_own(tmp_path: Path) -> None:
    """It has over a hundred mutexes at each fork."""
    probe = ["env", f"LD_PRELOAD={JEMALLOC}", "true"]
    if subprocess.run(probe, capture_output=True, check=False).stderr:
        pytest.skip("no jemalloc")
    which = "forks_and_allocates"
    script = f"LD_PRELOAD=$LD_PRELOAD:{JEMALLOC} exec {program('oddities')} {which}"
    done = record(tmp_path / "run.tmt", "sh", "-c", script)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    for trace in tmp_path.glob("*.tmt"):
        assert not len(threadmodel.open(str(trace)).diagnostics())


def test_each_join_is_of_the_thread_that_ended(tmp_path: Path) -> None:
    model = oddity("joins", tmp_path)
    columns = ("kind", "from_thread_id")
    found = [row[1] for row in rows(model.interactions(), *columns) if row[0] == "join"]
    assert len(found) > 250
    assert len(set(found)) == len(found)


def test_a_thread_that_was_cancelled_has_released_its_mutex(tmp_path: Path) -> None:
    record(tmp_path / "run.tmt", program("hardships"), "cancels")
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    waits = rows(model.timeline(), "thread", "state", "open")
    assert ("wait_for_ever", "waiting", False) in waits
    assert not len(model.deadlocks())


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_contended_enters_are_the_program_s_own_count_and_strace_s_at_most(
    tmp_path: Path,
) -> None:
    """A block may wait in the kernel several times: a woken thread may be overtaken."""
    calls = tmp_path / "calls"
    trace = tmp_path / "run.tmt"
    watch = ["strace", "-f", "-e", "trace=futex", "-o", str(calls)]
    done = record(trace, *watch, program("counted"))
    assert done.returncode == 0, done.stderr
    counted = int(done.stdout.split()[0])
    model = threadmodel.open(str(trace))
    sums = model.statistics(by="class")
    counts = dict(rows(sums, "class", "blocked_count"))
    assert counts["mutex lock"] == counted > 0
    waits = re.findall(r"futex\((0x\w+), FUTEX_WAIT_PRIVATE", calls.read_text())
    assert max(map(waits.count, set(waits))) >= counted
