# SPDX-License-Identifier: Apache-2.0
"""Columns of text that fit a terminal, however long their names are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

GAP: Final = 2
# Names are not cut to fewer cells, even if the line exceeds the terminal's width.
LEAST: Final = 8
# The cells in which most names can be distinguished.
ENOUGH: Final = 24
# Longer names are not measured: no terminal is as wide.
LONGEST: Final = 1000


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, and how it is fitted.

    Attributes:
        title: is printed above it
        name: holds names, which are cut in front to fit; others are never cut
        label: holds words, aligned to the left as names are; others are numbers and
            units, aligned to the right
        optional: left out if names would otherwise be cut to less than ENOUGH
        style: of the cells, as rich names it
    """

    title: str
    name: bool = False
    label: bool = False
    optional: bool = False
    style: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of clean texts under columns."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]

    def show(self, console: Console) -> None:
        """Print a line for each row, no wider than the console if possible."""
        fitting = self._without_optional(console.width)
        if fitting is not self:
            fitting.show(console)
            return
        widths = self._widths(console.width)
        titles = [column.title for column in self.columns]
        console.print(self._line(titles, widths, "bold"), soft_wrap=True)
        for row in self.rows:
            console.print(self._line(row, widths), soft_wrap=True)

    def _without_optional(self, width: int) -> "Grid":
        """Return self, or without its last optional column if names need the room."""
        natural = self._natural()
        wanted = sum(
            min(cells, ENOUGH) if column.name else cells
            for column, cells in zip(self.columns, natural, strict=True)
        )
        optional = [i for i, column in enumerate(self.columns) if column.optional]
        if wanted + GAP * len(natural) <= width or not optional:
            return self
        kept = [i for i in range(len(natural)) if i != optional[-1]]
        rows = [[row[i] for i in kept] for row in self.rows]
        return Grid([self.columns[i] for i in kept], rows)

    def _natural(self) -> list[int]:
        """Return the width of each column if nothing is cut."""
        cells = zip(*self.rows, strict=True) if self.rows else [()] * len(self.columns)
        return [
            max(cell_len(cell[:LONGEST]) for cell in (column.title, *below))
            for column, below in zip(self.columns, cells, strict=True)
        ]

    def _widths(self, width: int) -> list[int]:
        natural = self._natural()
        left = width - GAP * len(self.columns)
        names = [i for i, column in enumerate(self.columns) if column.name]
        left -= sum(natural) - sum(natural[i] for i in names)
        # Narrow ones first: the wide ones share the room that these do not need.
        for place, i in enumerate(sorted(names, key=lambda i: natural[i])):
            share = max(LEAST, left // (len(names) - place))
            natural[i] = min(natural[i], share)
            left -= natural[i]
        return natural

    def _line(
        self, cells: Sequence[str], widths: Sequence[int], style: str = ""
    ) -> Text:
        line = Text(" " * GAP)
        for column, cell, width in zip(self.columns, cells, widths, strict=True):
            fitted = cut_front(cell, width) if column.name else cell
            padding = " " * (width - cell_len(fitted))
            is_left = column.name or column.label
            padded = fitted + padding if is_left else padding + fitted
            line.append(padded, style or column.style)
            line.append(" " * GAP)
        line.rstrip()
        return line


def cut_front(value: str, width: int) -> str:
    """Cut a text to a number of cells. Its end stays, as that distinguishes names."""
    if cell_len(value[:LONGEST]) <= width and len(value) <= LONGEST:
        return value
    kept = value[-width:]
    while kept and cell_len(kept) > width - 1:
        kept = kept[1:]
    return "…" + kept
