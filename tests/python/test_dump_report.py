# SPDX-License-Identifier: Apache-2.0
"""The report on thread dumps: its first line, and the stacks of the last dump."""

from pathlib import Path

from conftest import Cli
from dump_text import ASLEEP, BLOCKED, PARK, PARKED, SLEEP, dump, thread, write

POOL = "<0x10> (a java.util.concurrent.SynchronousQueue$TransferQueue)"


def shown(cli: Cli, path: Path, *options: str) -> str:
    done = cli("report", str(path), *options, env={"COLUMNS": "120"})
    assert done.stderr == b""
    return str(done.stdout.decode())


def waiter(number: int) -> str:
    return thread(
        f"exec-{number}",
        number,
        PARKED,
        PARK,
        f"- parking to wait for {POOL}",
        "shop.Pool.borrow(Pool.java:5)",
    )


def owner(number: int, line: int = 6) -> str:
    return thread(
        f"loader-{number}",
        number,
        ASLEEP,
        SLEEP,
        f"shop.Feed.load(Feed.java:{line})",
        "- locked <0x20> (a shop.Feed)",
    )


def wanting(number: int) -> str:
    return thread(
        f"reader-{number}",
        number,
        BLOCKED,
        "shop.Feed.last(Feed.java:9)",
        "- waiting to lock <0x20> (a shop.Feed)",
    )


def test_the_first_line_names_the_thread_that_blocks_others(tmp_path: Path, cli: Cli):
    one = write(tmp_path, dump(owner(7), wanting(8), wanting(9)))
    assert shown(cli, one).startswith("loader-7 blocks 2 threads.\n")
    two = write(
        tmp_path,
        dump(owner(7), wanting(8), wanting(9)),
        dump(owner(7), wanting(8), wanting(9), second=5),
    )
    first, second, *_ = shown(cli, two).splitlines()
    assert first == "loader-7 blocks 2 threads by Feed in several thread dumps."
    assert second.strip() == (
        "No thread is known to be stuck in the last dump: 1 sleeps, 2 wait for others."
    )


def test_equal_stacks_are_counted_and_threads_that_moved(tmp_path: Path, cli: Cli):
    path = write(
        tmp_path,
        dump(waiter(1), waiter(2), waiter(3), owner(7), owner(8, line=1)),
        dump(waiter(1), waiter(2), waiter(3), owner(7, line=7), second=5),
    )
    text = shown(cli, path, "--all")
    rows = text[text.index("equal stacks together") :].splitlines()[2:4]
    assert rows[0].split()[:2] == ["3", "parked"]
    assert rows[0].endswith("5.00 s  exec-1 and 2 more")
    assert rows[1].split()[:2] == ["1", "sleeping"]
    assert rows[1].endswith("0 ns  loader-7")
    assert (
        "Since the first dump 3 threads did not move, and 1 moved or started; 1 ended."
        in text
    )


def test_one_dump_has_stacks_and_no_moves(tmp_path: Path, cli: Cli):
    text = shown(cli, write(tmp_path, dump(waiter(1), waiter(2))), "--all")
    assert "equal stacks together" in text
    assert "Since the first dump" not in text
