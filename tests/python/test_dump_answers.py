# SPDX-License-Identifier: Apache-2.0
"""A single thread dump shows which threads block which."""

from pathlib import Path

import pytest

import threadmodel
from conftest import Cli
from dump_text import (
    ASLEEP,
    BLOCKED,
    PARK,
    PARKED,
    RUNNABLE,
    SLEEP,
    dump,
    thread,
    write,
)

TRUCK = "<0x00000000f0000010> (a depot.Truck)"
LEDGER = "<0x00000000f0000020> (a depot.Ledger)"
GATE = "<0x00000000f0000030> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)"
LOCK = "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)"

CHAIN = (
    thread("main", 1, ASLEEP, SLEEP, "depot.Main.main(Main.java:9)"),
    thread(
        "auditor",
        12,
        BLOCKED,
        "depot.Main.audit(Main.java:30)",
        f"- waiting to lock {LEDGER}",
    ),
    thread(
        "bookkeeper",
        13,
        BLOCKED,
        "depot.Main.book(Main.java:20)",
        f"- waiting to lock {TRUCK}",
        f"- locked {LEDGER}",
    ),
    thread(
        "driver",
        14,
        ASLEEP,
        SLEEP,
        "depot.Main.drive(Main.java:10)",
        f"- locked {TRUCK}",
    ),
    thread(
        "visitor",
        15,
        PARKED,
        PARK,
        f"- parking to wait for  {GATE}",
        LOCK,
        "depot.Main.visit(Main.java:40)",
    ),
    thread(
        "porter",
        16,
        RUNNABLE,
        "depot.Main.count(Main.java:50)",
        synchronizers=[GATE],
    ),
)


def texts(model: threadmodel.Model, name: str | None, at_ns: int | None) -> list[str]:
    return [row["text"] for row in model.explain(thread=name, at_ns=at_ns)]


@pytest.mark.parametrize("at_ns", [None, 0])
def test_a_chain_leads_through_owners_to_its_root(
    tmp_path: Path, at_ns: int | None
) -> None:
    model = threadmodel.open(write(tmp_path, dump(*CHAIN)))
    first, second, third = texts(model, "auditor", at_ns)
    assert "in Main.audit:30; bookkeeper owned it." in first
    assert "in Main.book:20; driver owned it." in second
    assert third == "driver was asleep in Main.drive:10: the root cause."


def test_an_owner_that_runs_is_reported_in_the_instant_of_the_dump(
    tmp_path: Path,
) -> None:
    model = threadmodel.open(write(tmp_path, dump(*CHAIN)))
    first, *_ = texts(model, "visitor", 0)
    assert first.endswith("in Main.visit:40; porter owned it.")
    (row,) = (row for row in model.explain(thread="visitor") if row["step"] == 1)
    assert row["provenance"] == "reported"


def test_blame_and_blockers_name_the_owner_of_a_block_without_length(
    tmp_path: Path,
) -> None:
    model = threadmodel.open(write(tmp_path, dump(*CHAIN)))
    shares = {row["thread"]: row for row in model.blame()}
    assert {name: row["owner"] for name, row in shares.items()} == {
        "auditor": "bookkeeper",
        "bookkeeper": "driver",
        "visitor": "porter",
    }
    assert {row["share"] for row in shares.values()} == {"owner"}
    assert shares["auditor"]["owner_method"] == "depot.Main.book"
    assert {(row["thread"], row["owner"]) for row in model.blockers()} == {
        ("auditor", "bookkeeper"),
        ("bookkeeper", "driver"),
        ("visitor", "porter"),
    }


def test_explain_takes_a_blocked_thread_and_no_sleeper(
    cli: Cli, tmp_path: Path
) -> None:
    path = write(tmp_path, dump(*CHAIN))
    said = cli("explain", path).stdout.decode()
    assert "auditor was blocked by" in said
    assert "main" not in said
    said = cli("explain", path, "--at", "0s").stdout.decode()
    assert "auditor was blocked by" in said
    late = cli("explain", path, "--at", "3s")
    assert late.returncode == 2
    assert b"the instant 3.00 s is after the end of the run (0 ns)" in late.stderr


ACCOUNT = """Found one Java-level deadlock:
=============================
"left":
  waiting to lock monitor 0x00007f1f90001230 (object 0x00000000f38880f8, a app.Fork),
  which is held by "right"

"right":
  waiting for ownable synchronizer 0x00000000f38877f8, (a app.Spoon),
  which is held by "left"

Found 1 deadlock.
"""


def test_the_account_of_a_deadlock_alone_is_a_deadlock(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "pasted.txt"
    path.write_text(ACCOUNT)
    rows = list(threadmodel.open(path).deadlocks())
    assert {(row["thread"], row["owner"], row["class"]) for row in rows} == {
        ("left", "right", "app.Fork"),
        ("right", "left", "app.Spoon"),
    }
    assert {row["provenance"] for row in rows} == {"reported"}
    assert cli("check", path, "--no-deadlock").returncode == 1


def test_members_that_a_cut_dump_lacks_are_known_from_the_account(
    tmp_path: Path,
) -> None:
    other = thread("other", 5, RUNNABLE, "app.Main.run(Main.java:1)")
    model = threadmodel.open(write(tmp_path, dump(other) + ACCOUNT))
    assert {row["thread"] for row in model.deadlocks()} == {"left", "right"}
    assert len(model.threads()) == 3


def initialiser(name: str, number: int, wants: str, has: str) -> str:
    return thread(
        name,
        number,
        RUNNABLE,
        f"app.{has}.<clinit>(Main.java:{number})",
        f"- waiting on the Class initialization monitor for app.{wants}",
        "app.Main.run(Main.java:5)",
    )


def test_two_threads_that_initialise_classes_are_deadlocked(tmp_path: Path) -> None:
    late = thread(
        "late",
        14,
        RUNNABLE,
        "app.Main.run(Main.java:7)",
        "- waiting on the Class initialization monitor for app.Prices",
    )
    dumped = dump(
        initialiser("one", 12, "Prices", "Catalog"),
        initialiser("two", 13, "Catalog", "Prices"),
        late,
    )
    model = threadmodel.open(write(tmp_path, dumped))
    assert {
        (row["thread"], row["object"], row["kind"]) for row in model.deadlocks()
    } == {
        ("one", "initialisation of app.Prices", "once"),
        ("two", "initialisation of app.Catalog", "once"),
    }
    (row, *_) = model.explain(thread="late")
    assert row["text"] == (
        "late was blocked by initialisation of Prices in Main.run:7; two owned it."
    )


def test_a_class_that_nobody_initialises_has_no_owner(tmp_path: Path) -> None:
    lone = initialiser("one", 12, "Prices", "Catalog")
    model = threadmodel.open(write(tmp_path, dump(lone)))
    assert len(model.deadlocks()) == 0
    assert model.threads()[0]["state"] == "waiting"


def test_the_lock_of_a_class_is_named_after_it(tmp_path: Path) -> None:
    wants = "- waiting to lock <0x00000000f0000010> (a java.lang.Class for app.Feed)"
    dumped = dump(thread("one", 12, BLOCKED, "app.Feed.last(Feed.java:5)", wants))
    model = threadmodel.open(write(tmp_path, dumped))
    (row,) = model.timeline()
    assert (row["object"], row["class"]) == ("class app.Feed", "java.lang.Class")


def running(cpu: str, elapsed: str) -> str:
    return thread(
        "busy", 12, RUNNABLE, "app.Main.run(Main.java:1)", cpu=cpu, elapsed=elapsed
    )


def test_elapsed_gives_the_time_between_dumps_of_one_second(tmp_path: Path) -> None:
    path = write(
        tmp_path, dump(running("10.50ms", "9.00s")), dump(running("0.41s", "9.40s"))
    )
    model = threadmodel.open(path)
    assert model.length_ns == 400_000_000
    assert any("elapsed=" in caveat for caveat in model.caveats)
    (row,) = model.threads()
    assert row["cpu_time_ns"] == 399_500_000


def test_a_clock_that_went_back_is_not_believed(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        dump(running("1.00ms", "9.00s"), second=50),
        dump(running("1.00ms", "19.00s"), second=0),
    )
    model = threadmodel.open(path)
    assert model.length_ns == 10 * 10**9
    assert any("clock" in caveat for caveat in model.caveats)


def test_a_clock_that_agrees_is_not_mentioned(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        dump(running("1.00ms", "9.00s"), second=0),
        dump(running("1.00ms", "11.30s"), second=2),
    )
    model = threadmodel.open(path)
    assert model.length_ns == 2_300_000_000
    assert not any("elapsed=" in caveat for caveat in model.caveats)
