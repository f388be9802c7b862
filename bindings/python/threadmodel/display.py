# SPDX-License-Identifier: Apache-2.0
"""How tables look: in a terminal, where columns that do not fit are named, and in a
notebook, as HTML.
"""

import html as markup
import shutil
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len, set_cell_size

from threadmodel.text import clean, count

if TYPE_CHECKING:
    from threadmodel.table import Table

PLAIN_ROWS: Final = 20
HTML_ROWS: Final = 50
PLAIN_CELL: Final = 40
HTML_CELL: Final = 200
GAP: Final = "  "


def _cell(value: Any, limit: int) -> str:
    return "" if value is None else clean(str(value), limit)


def _fit(value: str, width: int, right: bool) -> str:
    if cell_len(value) > width:
        return set_cell_size(value, width - 1) + "…"
    padding = " " * (width - cell_len(value))
    return padding + value if right else value + padding


def plain(table: "Table", width: int | None = None) -> str:
    """Draw the first rows as text.

    Args:
        table: what to draw
        width: of the terminal, in cells; None: ask the terminal
    """
    width = width or shutil.get_terminal_size((100, 24)).columns
    lines: list[str] = []
    left = width
    shown: list[str] = []
    drawn: list[list[str]] = []
    for column in table.columns:
        values = table.values(column, PLAIN_ROWS)
        cells = [column, *(_cell(value, PLAIN_CELL) for value in values)]
        needed = min(max(cell_len(cell) for cell in cells), PLAIN_CELL)
        if shown and needed + len(GAP) > left:
            break
        needed = min(needed, left)
        right = any(type(value) in (int, float) for value in values)
        drawn.append([_fit(cell, needed, right) for cell in cells])
        left -= needed + len(GAP)
        shown.append(column)
    lines = [GAP.join(row).rstrip() for row in zip(*drawn, strict=True)]
    title = f"{table.name}: {count(len(table), 'row')}"
    if hidden := table.columns[len(shown) :]:
        lines.append(f"and {count(len(hidden), 'more column')}: {', '.join(hidden)}")
    if len(table) > PLAIN_ROWS:
        lines.append(f"and {count(len(table) - PLAIN_ROWS, 'more row')}")
    lines += [f"limit: {clean(limit)}" for limit in table.limits]
    return "\n".join([title, *lines])


def html(table: "Table") -> str:
    """Draw the first rows as an HTML table; every text in it is escaped."""

    def row(tag: str, cells: list[str]) -> str:
        return (
            "<tr>"
            + "".join(f"<{tag}>{markup.escape(cell)}</{tag}>" for cell in cells)
            + "</tr>"
        )

    parts = ['<table class="threadmodel">']
    caption = f"{table.name}: {count(len(table), 'row')}"
    if len(table) > HTML_ROWS:
        caption += f", the first {HTML_ROWS} shown"
    parts.append(f"<caption>{markup.escape(caption)}</caption>")
    parts.append(f"<thead>{row('th', list(table.columns))}</thead><tbody>")
    for values in table.rows(HTML_ROWS):
        parts.append(row("td", [_cell(value, HTML_CELL) for value in values.values()]))
    parts.append("</tbody></table>")
    parts += [f"<p>{markup.escape(clean(limit))}</p>" for limit in table.limits]
    return "".join(parts)
