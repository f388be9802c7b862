# SPDX-License-Identifier: Apache-2.0
"""Thread dumps as HotSpot writes them, made from short descriptions."""

from collections.abc import Sequence
from pathlib import Path

HEADER = """2026-01-01 10:00:{second:02}
Full thread dump OpenJDK 64-Bit Server VM (17.0.12+7 mixed mode, sharing):
"""
END = "\nJNI global refs: 15, weak refs: 0\n\n"


def thread(
    name: str,
    number: int,
    state: str,
    *lines: str,
    synchronizers: Sequence[str] = (),
    cpu: str = "1.00ms",
    elapsed: str = "9.00s",
    doing: str = "",
) -> str:
    """Write a thread.

    Args:
        name: of the thread
        number: of the thread
        state: as Java names it, "BLOCKED (on object monitor)"
        lines: "app.Main.run(Main.java:3)" is a frame, "- locked <0x1> (a X)" a lock
        synchronizers: that it owns, "<0x1> (a X)"
        cpu: as the JVM writes it
        elapsed: the same
        doing: words behind nid
    """
    shown = [line if line.startswith("- ") else f"at {line}" for line in lines]
    owned = [f"- {it}" for it in synchronizers] or ["- None"]
    return "\n".join(
        [
            "",
            f'"{name}" #{number} prio=5 os_prio=0 cpu={cpu} elapsed={elapsed}'
            f" tid=0x{number:016x} nid=0x{number:x} {doing}  [0x00007f1b8f3f2000]",
            f"   java.lang.Thread.State: {state}",
            *(f"\t{line}" for line in shown),
            "",
            "   Locked ownable synchronizers:",
            *(f"\t{line}" for line in owned),
            "",
        ]
    )


def dump(*threads: str, second: int = 0) -> str:
    """Write a dump of some threads."""
    return HEADER.format(second=second) + "".join(threads) + END


def write(folder: Path, *dumps: str) -> Path:
    """Write dumps into one file."""
    path = folder / "dumps.txt"
    path.write_text("\n".join(dumps))
    return path


BLOCKED = "BLOCKED (on object monitor)"
ASLEEP = "TIMED_WAITING (sleeping)"
PARKED = "WAITING (parking)"
RUNNABLE = "RUNNABLE"
SLEEP = "java.lang.Thread.sleep(java.base@17.0.12/Native Method)"
PARK = "jdk.internal.misc.Unsafe.park(java.base@17.0.12/Native Method)"
