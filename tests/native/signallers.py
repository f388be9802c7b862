# SPDX-License-Identifier: Apache-2.0
"""The thread that ended each wait: as a program knows it, and as the model states it.

    python tests/native/signallers.py 40

runs the program so often and prints how many waits of each kind were right.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import threadmodel
from threadmodel import native

PROGRAM = Path(__file__).resolve().parents[2] / "build/tests/native/native_signalled"
KINDS = ("mailbox", "broadcast", "signal", "semaphore", "mutex")
RIGHT, WRONG = "right", "wrong"


class Known(NamedTuple):
    """A line of the program's."""

    kind: str
    waiter: str
    begin_ns: int
    end_ns: int
    signaller: str

    def has(self, instant_ns: int, class_name: str) -> bool:
        """Whether something ended this wait that ended one for such an object then."""
        what = {"semaphore": "semaphore", "mutex": "mutex"}.get(self.kind, "condition")
        return (
            self.begin_ns <= instant_ns <= self.end_ns
            and class_name.split(" ")[0] == what
        )


def known_of(line: str) -> Known:
    kind, waiter, number, begin, end, signaller, other = line.split()
    return Known(
        kind, f"{waiter} {number}", int(begin), int(end), f"{signaller} {other}"
    )


def judge() -> Counter[tuple[str, str]]:
    """Record a run. Waits that found at once what they waited for are left out."""
    with tempfile.TemporaryDirectory() as folder:
        trace = f"{folder}/run.tmt"
        with native.Recorder(trace) as recording:
            said = subprocess.run(
                [PROGRAM],
                env=recording.environment(os.environ),
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
        model = threadmodel.open(trace)
    assert not len(model.diagnostics()), model.diagnostics()
    begin = model.run.start_ns
    ends, woken = defaultdict(list), defaultdict(list)
    for row in model.timeline():
        if row["state"] in ("waiting", "blocked") and not row["open"]:
            ends[row["thread"]].append((row["end_ns"] + begin, row["class"]))
    for row in model.interactions():
        if row["effect"] == "woke" and row["class"]:
            woken[row["to_thread"]].append(
                (row["woken_ns"] + begin, row["class"], row["from_thread"])
            )
    found: Counter[tuple[str, str]] = Counter()
    for it in map(known_of, said.splitlines()):
        if any(it.has(*end) for end in ends[it.waiter]):
            by = [who for at, name, who in woken[it.waiter] if it.has(at, name)]
            found[it.kind, RIGHT if by[-1:] == [it.signaller] else WRONG] += 1
    return found


def main() -> None:
    """Print what came of some runs."""
    found: Counter[tuple[str, str]] = Counter()
    for _ in range(int(sys.argv[1])):
        found += judge()
    for kind in KINDS:
        print(f"{kind:10} {found[kind, RIGHT]:7} right {found[kind, WRONG]:5} wrong")


if __name__ == "__main__":
    main()
