# SPDX-License-Identifier: Apache-2.0
"""Tables as text for a terminal, which names the columns that do not fit, and as HTML
for a notebook.
"""

import html as markup
import shutil
import textwrap
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len, set_cell_size

from threadmodel.text import clean, count

if TYPE_CHECKING:
    from threadmodel.column import Column
    from threadmodel.table import Table

PLAIN_ROWS: Final = 20
HTML_ROWS: Final = 50
PLAIN_CELL: Final = 40
HTML_CELL: Final = 200
GAP: Final = "  "


def _cell(column: "Column", value: Any, limit: int) -> str:
    if value is None:
        return ""
    # Counts and times are int64; ids, lines and the like are of other types.
    if column.type == "int64":
        return f"{value:,}"
    return f"{value:.4g}" if column.type == "double" else clean(str(value), limit)


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
        values = table[column][:PLAIN_ROWS]
        texts = (_cell(table[column], value, PLAIN_CELL) for value in values)
        cells = [column, *texts]
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
    notes = []
    if len(table) > PLAIN_ROWS:
        notes.append(f"and {count(len(table) - PLAIN_ROWS, 'more row')}")
    if hidden := table.columns[len(shown) :]:
        notes.append(f"and {count(len(hidden), 'more column')}: {', '.join(hidden)}")
    notes += [f"caveat: {clean(caveat)}" for caveat in table.caveats]
    wrapped = (line for note in notes for line in textwrap.wrap(note, width))
    return "\n".join([title, *lines, *wrapped])


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
    for values in table.head(HTML_ROWS):
        cells = (_cell(table[column], values[column], HTML_CELL) for column in values)
        parts.append(row("td", list(cells)))
    parts.append("</tbody></table>")
    parts += [f"<p>{markup.escape(clean(caveat))}</p>" for caveat in table.caveats]
    return "".join(parts)
