# SPDX-License-Identifier: Apache-2.0
"""The first command names the cause: five programs, each with one that was planted.

Each recording has a neutral name, and `threadmodel FILE` is the only command. Its
screen of 24 lines must state the bottleneck, its place, the threads, the time, and
advice, in agreement with the source of the program. Time is processor time, which other
work on a machine does not change.
"""

import re
import resource
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import Cli

EXAMPLES = Path(__file__).parents[2] / "docs/examples"
SECONDS = 60
LINES = 24
LENGTH = r"\d (?:us|ms|s)\b"


@dataclass(frozen=True)
class Planted:
    """A program, and the facts that its author knows."""

    trace: str
    what: str
    where: str
    who: str
    now: str


PROGRAMS = [
    # Waiters charge at one till, which sleeps with its lock held.
    Planted(
        "demo/demo.tmt",
        what=r"blocked by Demo\$Till whose owner sleeps",
        where=r"Demo\$Till\.charge:39",
        who="3 threads",
        now="before the lock is acquired or after",
    ),
    # The same lock for all prices, held while another server is asked.
    Planted(
        "shop/slow.tmt",
        what=r"Bound by Shop\$Prices",
        where=r"Shop\$Prices\.priceOf:44",
        who="13 threads",
        now="before the lock is acquired or after",
    ),
    # Without that lock, three connections for thirteen workers.
    Planted(
        "shop/fixed.tmt",
        what=r"wait for a permit in HikariPool\.getConnection, 3 seen in use",
        where=r"HikariPool\.getConnection:\d+",
        who="13 threads",
        now="have more of it",
    ),
    # Pages are set while the press is held.
    Planted(
        "press/slow.tmt",
        what="blocked by Press",
        where=r"Press\.setAndPrint:35",
        who="4 threads",
        now="Hold it for less time",
    ),
    # Five hundred virtual threads fetch, eight at a time.
    Planted(
        "fetch/fetch.tmt",
        what=r"Bound by waits for Semaphore",
        where=r"Fetch\.fetch:13",
        who="492 threads",
        now="have more of it: connections, permits",
    ),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda it: it.trace)
def test_the_first_screen_names_the_cause(
    cli: Cli, program: Planted, tmp_path: Path
) -> None:
    shutil.copy(EXAMPLES / program.trace, tmp_path / "run.tmt")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = cli("run.tmt", env={"COLUMNS": "80"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert used < SECONDS
    lines = done.stdout.decode().splitlines()
    assert len(lines) <= LINES
    screen = " ".join(" ".join(lines).split())
    for part in (program.what, program.where, program.who, program.now, LENGTH):
        assert re.search(part, screen), (part, screen)
    # The verdict or the first card has it.
    said = " ".join(" ".join(lines[:14]).split())
    assert re.search(program.what, said)
