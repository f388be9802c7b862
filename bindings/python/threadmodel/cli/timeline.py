# SPDX-License-Identifier: Apache-2.0
"""``threadmodel timeline``: a lane a thread, drawn in letters for a terminal."""

import shutil
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click
from rich.text import Text

from threadmodel.cli import terminal
from threadmodel.cli.asking import ask, output_options, selection_options
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.grid import cut_front
from threadmodel.cli.names import selection
from threadmodel.cli.ranges import window
from threadmodel.cli.reading import reading_options
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.table import Table
from threadmodel.text import clean, duration

# A letter and a colour for each state: distinct without colour, too.
LETTERS: Final = {
    "running": ("─", "green"),
    "blocked": ("█", "red"),
    "reentering": ("▓", "yellow"),
    "waiting": ("░", "cyan"),
    "joining": ("┄", "magenta"),
    "sleeping": ("·", "bright_black"),
    "parked": ("▒", "blue"),
    "runnable": ("╌", "bright_green"),
    "io": ("═", "bright_magenta"),
    "native": ("∙", "yellow"),
    "deadlocked": ("X", "bold white on red"),
    "new": ("~", "bright_black"),
    "unknown": ("?", "bright_black"),
}
BLOCKING_STATES: Final = (
    "blocked",
    "reentering",
    "waiting",
    "joining",
    "parked",
    "sleeping",
    "io",
)
LEAST_WIDTH: Final = 20
NAME_WIDTH: Final = 24
FILE_WIDTH: Final = 120


@click.command(
    cls=FileCommand, short_help="Draw what each thread was doing when, in letters."
)
@click.argument("file", metavar="FILE", type=INPUT)
@selection_options
@click.option(
    "--top",
    metavar="N",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    help="Threads to draw, those that were blocked longest.",
)
@click.option(
    "--width",
    metavar="N",
    type=click.IntRange(min=LEAST_WIDTH, max=10_000),
    help="Letters of a line.  [default: the terminal's width]",
)
@output_options
@reading_options
@click.pass_context
def timeline(
    context: click.Context,
    /,
    threads: tuple[str, ...],
    classes: tuple[str, ...],
    from_ns: int | None,
    to_ns: int | None,
    skip_start: bool,
    top: int,
    width: int | None,
    **_: object,
) -> None:
    """Draw a lane for each thread of the run in FILE; - reads from stdin.

    A letter is the state that took most of its time. With --json, --csv or -o there is
    a row for each interval.

    \b
    threadmodel timeline run.tmt --top 10
    threadmodel timeline run.tmt --thread worker-1 --from 1s --to 1.1s
    threadmodel timeline run.tmt -o timeline.parquet
    """

    def chosen(model: Model) -> Selection:
        return selection(
            model, threads, classes, window(model, from_ns, to_ns, skip_start)
        )

    def sections(model: Model) -> list[terminal.Section]:
        columns = width or shutil.get_terminal_size((FILE_WIDTH, 0)).columns
        return [_drawing(model, chosen(model), top, columns)]

    def question(model: Model) -> Table:
        return model.timeline(chosen(model))

    ask(context, question, sections)


def _drawing(model: Model, chosen: Selection, top: int, width: int) -> terminal.Section:
    section = terminal.Section("What each thread was doing when")
    rows = list(model.threads(chosen))
    if not rows:
        section.line("nothing happened")
        return section
    if chosen.threads is None:
        rows.sort(
            key=lambda row: -sum(row[f"{state}_total_ns"] for state in BLOCKING_STATES)
        )
    hidden = len(rows) - top
    rows = rows[:top]
    names = {
        row["thread_id"]: clean(row["name"] or f"#{row['thread_id']}") for row in rows
    }
    left = min(NAME_WIDTH, max(len(name) for name in names.values()))
    if model.length_ns == 0:
        _report_states(section, rows, names, left)
        _report_hidden(section, hidden)
        return section
    cells = max(width - left - 4, LEAST_WIDTH)
    start = chosen.start_ns
    end = model.length_ns if chosen.end_ns is None else chosen.end_ns
    span = max(end - start, 1)
    tiles = model.tiles(span // cells, Selection(names, window=chosen.window))
    lanes = _lanes(tiles, start, span, cells)
    for id_, name in names.items():
        line = Text(cut_front(name, left).ljust(left) + "  ")
        for state in lanes.get(id_, []):
            letter, style = LETTERS.get(state, (" ", ""))
            line.append(letter, style)
        line.rstrip()
        section.body.append(line)
    axis = duration(start) if start else "0"
    last = duration(end)
    section.body.append(
        Text(" " * (left + 2) + axis + last.rjust(cells - len(axis)), "dim")
    )
    seen = {state for lane in lanes.values() for state in lane}
    legend = Text()
    for state, (letter, style) in LETTERS.items():
        if state in seen:
            legend.append(letter * 2, style)
            legend.append(f" {state}   ")
    legend.rstrip()
    section.body.append(legend)
    _report_hidden(section, hidden)
    return section


def _report_states(
    section: terminal.Section,
    rows: Sequence[dict[str, Any]],
    names: Mapping[int, str],
    left: int,
) -> None:
    """Show what each thread was doing in a run of one instant, such as a dump."""
    for row in rows:
        letter, style = LETTERS.get(row["state"], (" ", ""))
        name = cut_front(names[row["thread_id"]], left).ljust(left)
        section.body.append(
            Text.assemble(f"{name}  ", (letter * 2, style), f" {row['state']}")
        )
    section.line("all at one instant", "dim")


def _report_hidden(section: terminal.Section, hidden: int) -> None:
    if hidden > 0:
        section.line(f"and {hidden:,} more threads", "dim")


def _lanes(tiles: Table, start: int, span: int, cells: int) -> dict[int, Sequence[str]]:
    """Return for each thread the state that took most of each cell; "": no state."""
    spent: dict[int, list[dict[str, int]]] = {}
    for id_, begin, end, state in zip(
        *(tiles[c] for c in ("thread_id", "start_ns", "end_ns", "state")),
        strict=True,
    ):
        lane = spent.setdefault(id_, [{} for _ in range(cells)])
        first = max((begin - start) * cells // span, 0)
        last = min((end - start) * cells // span, cells - 1)
        for cell in range(first, last + 1):
            left = max(begin, start + span * cell // cells)
            right = min(end, start + span * (cell + 1) // cells)
            if right > left:
                lane[cell][state] = lane[cell].get(state, 0) + right - left
    return {
        id_: [max(cell, key=lambda s: cell[s]) if cell else "" for cell in lane]
        for id_, lane in spent.items()
    }
