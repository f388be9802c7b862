# SPDX-License-Identifier: Apache-2.0
"""Parts of a page for people: headings, facts, lines and grids."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from threadmodel.cli.grid import Grid
from threadmodel.text import clean

NAME_LENGTH: Final = 1000
FACT_WIDTH: Final = 12

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and its clean value, which may take several lines."""

    name: str
    value: str
    style: str = ""

    def show(self, console: Console) -> None:
        """Print it, the value in a column of its own."""
        left = f"  {self.name}".ljust(FACT_WIDTH)
        width = max(console.width - FACT_WIDTH, FACT_WIDTH)
        for line in Text(self.value).wrap(console, width, overflow="fold"):
            line.rstrip()
            console.print(Text.assemble(left, (line.plain, self.style)), soft_wrap=True)
            left = " " * FACT_WIDTH


@dataclass(slots=True)
class Section:
    """A heading and its content."""

    heading: str
    body: list[Grid | Fact | Text] = field(default_factory=list)

    def line(self, text: str, style: str = "") -> None:
        """Add a line of cleaned text."""
        self.body.append(Text(clean(text), style))

    def fact(self, name: str, value: str | None, style: str = "") -> None:
        """Add a name and its cleaned value; nothing if there is no value."""
        if value:
            self.body.append(Fact(name, clean(value, NAME_LENGTH), style))


def show(wanted: Iterable[Section], console: Console) -> None:
    """Print sections, an empty line between them."""
    for number, section in enumerate(wanted):
        if number:
            console.print()
        console.print(Text(section.heading, "bold cyan"), soft_wrap=True)
        for part in section.body:
            if isinstance(part, Text):
                part.pad_left(2)
                console.print(part, soft_wrap=True)
            else:
                part.show(console)


def name_of(value: Any, unknown: str = "?") -> str:
    """Write a cleaned name; an empty name counts as none."""
    return unknown if value is None or value == "" else clean(str(value), NAME_LENGTH)


def caller_of(row: Row, unknown: str = "?") -> str:
    """Write a place in few cells, the line last: ``demo.Account.transfer:42``."""
    line = f":{row['line']}" if row["line"] else ""
    return name_of(row["method"], unknown) + line


def add_more(section: Section, hidden: int) -> None:
    """State how many rows are not shown."""
    if hidden > 0:
        section.line(f"and {hidden:,} more", "dim")
