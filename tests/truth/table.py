# SPDX-License-Identifier: Apache-2.0
"""The table that is printed: a line for each question put to programs that know."""

import json
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from jdks import Jdk

HEAD = (
    "row",
    "JDK",
    "cases",
    "right",
    "wrong",
    "sure*",
    "unknown",
    "before",
    "goal",
    "",
)
LEFT = ("row", "goal", "")
FOOT = "* wrong, and marked exact or reported; before: right and wrong, when this began"
BEFORE = Path(__file__).resolve().parent / "before.json"


@dataclass
class Goal:
    """Shares that are to be reached: the least right, the most wrong, and the most that
    is wrong and sure, where answers of that kind say how sure they are."""

    right: float = 0.0
    wrong: float = 1.0
    sure: float | None = 0.0

    def __str__(self) -> str:
        parts = []
        if self.right:
            parts.append(f"right {self.right:.0%}")
        if self.wrong < 1:
            parts.append(f"wrong {self.wrong:.1%}".replace(".0%", "%"))
        if self.sure is not None:
            parts.append(f"sure {self.sure:.0%}")
        return ", ".join(parts)


@dataclass
class Line:
    """Amounts, of cases or of time; right, wrong and unknown are all of it."""

    row: str
    jdk: Jdk
    goal: Goal
    cases: int = 0
    right: float = 0
    wrong: float = 0
    sure: float = 0
    unknown: float = 0
    note: str = ""
    details: list[str] = field(default_factory=list)

    def count(self, said: int, truth: int, *, is_sure: bool, amount: float = 1) -> None:
        """Hold the number that is said of a case, 0 for none, against the true one."""
        if said == truth:
            self.right += amount
        elif said == 0:
            self.unknown += amount
        else:
            self.wrong += amount
            self.sure += amount if is_sure else 0

    @property
    def total(self) -> float:
        return self.right + self.wrong + self.unknown

    def share(self, amount: float) -> float:
        return amount / self.total if self.total else 0.0

    @property
    def is_missed(self) -> bool:
        return (
            self.share(self.right) < self.goal.right
            or self.share(self.wrong) > self.goal.wrong
            or (self.goal.sure is not None and self.share(self.sure) > self.goal.sure)
        )

    @property
    def key(self) -> str:
        return f"{self.row}, {self.jdk}"

    def cells(self, before: dict[str, str]) -> tuple[str, ...]:
        return (
            self.row,
            str(self.jdk.release),
            f"{self.cases:,}",
            f"{self.share(self.right):.1%}",
            f"{self.share(self.wrong):.2%}",
            "-" if self.goal.sure is None else f"{self.share(self.sure):.2%}",
            f"{self.share(self.unknown):.1%}",
            before.get(self.key, "-"),
            f"{self.goal}{' *' if self.is_missed else ''}",
            self.note,
        )


def keep(lines: list[Line]) -> None:
    """Make these figures the ones that later ones are printed beside."""
    figures = json.loads(BEFORE.read_text()) if BEFORE.exists() else {}
    for line in lines:
        right, wrong = line.share(line.right), line.share(line.wrong)
        figures[line.key] = f"{right:.1%} {wrong:.1%}"
    BEFORE.write_text(json.dumps(figures, indent=0) + "\n")


def text(lines: list[Line]) -> str:
    before = json.loads(BEFORE.read_text()) if BEFORE.exists() else {}
    rows = [HEAD, *(line.cells(before) for line in lines)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    table = [
        "  ".join(
            cell.ljust(width) if name in LEFT else cell.rjust(width)
            for name, cell, width in zip(HEAD, row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    details = [
        textwrap.fill(f"{line.key}, {detail}", 88, subsequent_indent="  ")
        for line in lines
        for detail in line.details
    ]
    return "\n".join([*table, FOOT, *details])
