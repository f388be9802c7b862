# SPDX-License-Identifier: Apache-2.0
"""``threadmodel units``: requests and tasks by kind, and where their time went."""

from typing import Any, Final

import click

from threadmodel.cli import terminal
from threadmodel.cli.asking import TOP, ask, output_options
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.page import add_more, name_of
from threadmodel.cli.ranges import part_of, range_options
from threadmodel.cli.reading import reading_options
from threadmodel.model import Model
from threadmodel.table import Table
from threadmodel.text import duration

Row = dict[str, Any]
FIGURES: Final = ("mean", "p50", "p95", "p99", "max")


@click.command(cls=FileCommand, short_help="Show requests and tasks, by kind.")
@click.argument("file", metavar="FILE", type=INPUT)
@click.option("--parts", is_flag=True, help="Show where the time of each kind went.")
@range_options
@TOP
@output_options
@reading_options
@click.pass_context
def units(context: click.Context, /, parts: bool, top: int, **_: object) -> None:
    """Sum up the requests and tasks of the run in FILE by kind; - reads from stdin.

    The producer states them, or they are inferred: what a worker does between two waits
    for work, for instance. Those that end in a part of the run are of that part.

    \b
    threadmodel units run.tmt
    threadmodel units run.tmt --parts --from 60s --to 120s
    """

    def question(model: Model) -> Table:
        part = part_of(model, context.params)
        return model.unit_parts(part) if parts else model.unit_kinds(part)

    def sections(model: Model) -> list[terminal.Section]:
        return [(_parts if parts else _kinds)(list(question(model)), top)]

    ask(context, question, sections)


def _kinds(rows: list[Row], top: int) -> terminal.Section:
    section = terminal.Section("Requests and tasks, by kind")
    if not rows:
        section.line("none: no event states one, and no thread works in a pattern")
        return section
    columns = [
        Column("kind", name=True, style="bold"),
        Column("on", name=True, optional=True),
        Column("known", label=True, optional=True),
        Column("count"),
        Column("a second"),
        *(Column(figure) for figure in FIGURES),
        Column("at once", optional=True),
        Column("threads", optional=True),
    ]
    cells = [
        [
            name_of(row["kind"]),
            name_of(row["thread"], _unnamed(row)),
            row["provenance"],
            f"{row['count']:,}",
            "-" if row["rate"] is None else f"{row['rate']:,.4g}",
            *(
                "-" if row[f"{figure}_ns"] is None else duration(row[f"{figure}_ns"])
                for figure in FIGURES
            ),
            "-" if row["in_flight"] is None else f"{row['in_flight']:,.1f}",
            f"{row['threads']:,}",
        ]
        for row in rows[:top]
    ]
    section.body.append(Grid(columns, cells))
    add_more(section, len(rows) - top)
    return section


def _parts(rows: list[Row], top: int) -> terminal.Section:
    section = terminal.Section("Where the time of requests and tasks went")
    if not rows:
        section.line("none")
        return section
    columns = [
        Column("kind", name=True, style="bold"),
        Column("on", name=True, optional=True),
        Column("state", label=True),
        Column("class", name=True),
        Column("method", name=True),
        Column("total"),
        Column("share"),
        Column("each"),
        Column("of the slowest", optional=True),
    ]
    cells = [
        [
            name_of(row["kind"]),
            name_of(row["thread"], _unnamed(row)),
            name_of(row["state"], "on no known thread"),
            name_of(row["class"], "-"),
            name_of(row["method"], "-"),
            duration(row["total_ns"]),
            f"{row['share']:.1%}",
            duration(row["mean_ns"]),
            f"{row['slow_share']:.1%}",
        ]
        for row in rows[:top]
    ]
    section.body.append(Grid(columns, cells))
    add_more(section, len(rows) - top)
    return section


def _unnamed(row: Row) -> str:
    return "?" if row["thread_id"] is None else f"#{row['thread_id']}"
