# SPDX-License-Identifier: Apache-2.0
"""Findings from several thread dumps: threads that are blocked at one line."""

from pathlib import Path

import pytest

import threadmodel

END = "\nJNI global refs: 15, weak refs: 0\n\n"
HEADER = """2026-01-01 10:00:0{second}
Full thread dump OpenJDK 64-Bit Server VM (17.0.12+7 mixed mode, sharing):
"""
THREAD = """
"{name}" #{id} prio=5 os_prio=0 cpu=1.00ms elapsed=9.00s tid=0x{id:016x} nid=0x{id:x}\
 {doing}  [0x00007f1b8f3f2000]
   java.lang.Thread.State: {state}
\tat shop.Bank.transfer(Bank.java:{line})
\t- {lock} <0x0000000622a0{id:04x}> (a {of})
\tat java.lang.Thread.run(java.base@17.0.12/Thread.java:840)
"""


def blocked(id_: int, line: int = 40, of: str = "shop.Account") -> str:
    """Return a thread that wants a lock of its own at a line."""
    return THREAD.format(
        name=f"worker-{id_}",
        id=id_,
        doing="waiting for monitor entry",
        state="BLOCKED (on object monitor)",
        line=line,
        lock="waiting to lock",
        of=of,
    )


def running(id_: int) -> str:
    """Return the same thread, which has the lock."""
    return THREAD.format(
        name=f"worker-{id_}",
        id=id_,
        doing="runnable",
        state="RUNNABLE",
        line=40,
        lock="locked",
        of="shop.Account",
    )


def findings(folder: Path, *dumps: list[str]) -> list[dict[str, object]]:
    files = []
    for second, threads in enumerate(dumps):
        files.append(folder / f"{second}.txt")
        files[-1].write_text(HEADER.format(second=second) + "".join(threads) + END)
    return [
        row
        for row in threadmodel.open(files).findings()
        if row["kind"] == "sampled_block"
    ]


def test_a_thread_that_dumps_find_at_one_line_is_named(tmp_path: Path) -> None:
    (row,) = findings(tmp_path, [running(12)], [blocked(12)], [blocked(12)])
    assert row["title"] == "1 thread blocked by Account in several thread dumps"
    assert row["waits"] == (
        "worker-12 was blocked in 2 of 3 dumps at the same line, Bank.transfer:40, for "
        "Account."
    )
    assert (row["class"], row["method"], row["line"]) == (
        "shop.Account",
        "shop.Bank.transfer",
        40,
    )
    assert (row["thread"], row["impact_ns"]) == ("worker-12", 10**9)
    assert not row["suspected"]


def test_others_at_the_line_are_counted(tmp_path: Path) -> None:
    (row,) = findings(tmp_path, [blocked(12), blocked(13)], [blocked(12), blocked(13)])
    assert str(row["waits"]).endswith("; 1 other thread was there, too.")
    assert row["impact_ns"] == 2 * 10**9


@pytest.mark.parametrize(
    "dumps",
    [
        [[blocked(12)]],
        [[running(12)], [running(12)]],
        [[blocked(12)], [running(12)]],
        [[running(12)], [blocked(12)], [running(12)]],
        [[blocked(12, line=40)], [blocked(12, line=41)]],
        [[blocked(12, of="shop.Account")], [blocked(12, of="shop.Till")]],
        [[blocked(12)], [blocked(13)]],
    ],
    ids=[
        "one dump",
        "nobody blocked",
        "once at first",
        "once between",
        "another line",
        "another class",
        "another thread",
    ],
)
def test_what_is_seen_once_is_no_finding(
    tmp_path: Path, dumps: list[list[str]]
) -> None:
    assert findings(tmp_path, *dumps) == []


def test_the_owner_of_all_that_are_blocked_is_named_first(tmp_path: Path) -> None:
    def wanting(id_: int) -> str:
        return blocked(id_, of="java.lang.Class").replace(
            f"0x0000000622a0{id_:04x}> (a java.lang.Class)",
            "0x0000000622a00007> (a java.lang.Class for shop.Feed)",
        )

    owner = running(7).replace("(a shop.Account)", "(a java.lang.Class for shop.Feed)")
    dump = [owner, wanting(12), wanting(13)]
    (row,) = findings(tmp_path, dump, dump)
    assert row["title"] == (
        "worker-7 blocks 2 threads by class Feed in several thread dumps"
    )
    assert str(row["holds"]).startswith("worker-7 had class Feed in the last dump: ")
