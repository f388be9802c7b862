# SPDX-License-Identifier: Apache-2.0
"""The table that is printed: a line for each question put to programs that know."""

from dataclasses import dataclass

from jdks import Jdk

HEAD = ("row", "JDK", "cases", "right", "wrong", "sure*", "unknown", "goal", "")
FOOT = "* wrong, and marked exact or reported"


@dataclass
class Goal:
    """Shares that are to be reached: the least right, the most wrong, and so on."""

    right: float = 0.0
    wrong: float = 1.0
    sure: float = 0.0

    def __str__(self) -> str:
        parts = []
        if self.right:
            parts.append(f"right {self.right:.0%}")
        if self.wrong < 1:
            parts.append(f"wrong {self.wrong:.1%}")
        return ", ".join([*parts, "sure 0"])


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
            or self.share(self.sure) > self.goal.sure
        )

    def cells(self) -> tuple[str, ...]:
        return (
            self.row,
            str(self.jdk.release),
            f"{self.cases:,}",
            f"{self.share(self.right):.1%}",
            f"{self.share(self.wrong):.2%}",
            f"{self.share(self.sure):.2%}",
            f"{self.share(self.unknown):.1%}",
            f"{self.goal}{' *' if self.is_missed else ''}",
            self.note,
        )


def text(lines: list[Line]) -> str:
    rows = [HEAD, *(line.cells() for line in lines)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i in (0, 7, 8) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
