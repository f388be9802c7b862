# SPDX-License-Identifier: Apache-2.0
"""``threadmodel diff``: two runs side by side."""

import json
import signal
from pathlib import Path
from typing import Any, Final

import click

from threadmodel import pair
from threadmodel.cli import hypertext, terminal
from threadmodel.cli.files import INPUT, OUTPUT, FileCommand
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.ranges import part_of, range_options
from threadmodel.cli.regressions import odds, percent
from threadmodel.cli.report import (
    HTML_SUFFIXES,
    NOTHING,
    PARTLY,
    data_target,
    print_sections,
)
from threadmodel.cli.sides import (
    moved_lines,
    name_damaged,
    name_empty,
    open_all,
    parts_of,
    requests,
)
from threadmodel.comparison import Comparison, compare, idle_in
from threadmodel.load import Change
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.text import clean, duration

Row = dict[str, Any]

NAME_LENGTH: Final = 1000


@click.command(cls=FileCommand, short_help="Compare two recorded runs.")
@click.argument("before", metavar="BEFORE", type=INPUT)
@click.argument("after", metavar="AFTER", type=INPUT)
@click.option("--json", "as_json", is_flag=True, help="Print all tables as one object.")
@click.option(
    "--top",
    metavar="N",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Rows of a table to show in a terminal.",
)
@click.option(
    "--before",
    "more_before",
    metavar="FILE",
    type=INPUT,
    multiple=True,
    help="Another run that did the same as BEFORE; may be repeated.",
)
@click.option(
    "--after",
    "more_after",
    metavar="FILE",
    type=INPUT,
    multiple=True,
    help="Another run that did the same as AFTER; may be repeated.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OUTPUT,
    help="Write to FILE: a page for a browser if it ends in .html, data if in .json.",
)
@range_options
@click.pass_context
def diff(
    context: click.Context,
    /,
    before: str,
    after: str,
    as_json: bool,
    top: int,
    more_before: tuple[str, ...],
    more_after: tuple[str, ...],
    output: str | None,
    **_: object,
) -> None:
    """Show what changed from the run in BEFORE to the run in AFTER.

    Rows are matched by class, method and line, and those that changed most come first.
    Of several runs on each side the medians are shown, and how likely it is that the
    noise of the runs alone makes such a change. --from, --to and --skip-start choose
    the same part of each run.

    With -o NAME.html it is a page with both timelines under one another on one scale,
    and the flame graph as a difference: of BEFORE and AFTER alone.

    \b
    threadmodel diff before.tmt after.tmt
    threadmodel diff before.tmt after.tmt --json
    threadmodel diff before.tmt after.tmt -o diff.html
    threadmodel diff a1.tmt b1.tmt --before a2.tmt --after b2.tmt --from 2s
    """
    # A reader that closes the pipe early, as `head` does, ends us without a message.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sides = (before, *more_before), (after, *more_after)
    models = open_all(sides[0]), open_all(sides[1])
    parts = (
        parts_of(models[0], context.params),
        parts_of(models[1], context.params),
    )
    found = compare(*models, part=lambda model: part_of(model, context.params))
    change = requests(*models, parts, None)
    suffix = Path(output or "").suffix.lower()
    if as_json or suffix == ".json":
        tables: dict[str, Any] = dict(found.tables())
        if change is not None:
            tables["requests"] = [change.row()]
        with data_target(output) as file:
            file.write(json.dumps(tables).encode() + b"\n")
    else:
        above = _summary(found)
        if change is not None:
            above.insert(0, _request_section(change, models[1][0]))
        below = [_changes(found.callers, top), _finding_changes(found.findings, top)]
        if suffix in HTML_SUFFIXES:
            firsts = (parts[0][0], parts[1][0])
            page = _page(models[0][0], models[1][0], firsts, above, below)
            with data_target(output) as file:
                file.write(page.encode())
        else:
            print_sections([*above, *below], output)
    named = sides[0] + sides[1], models[0] + models[1]
    if name_empty(*named):
        context.exit(NOTHING)
    if name_damaged(*named):
        context.exit(PARTLY)


def _page(
    before: Model,
    after: Model,
    parts: tuple[Selection, Selection],
    above: list[terminal.Section],
    below: list[terminal.Section],
) -> str:
    with LateProgress() as progress:
        return pair.render(
            before,
            after,
            hypertext.fragment(above, {}),
            hypertext.fragment(below, {}),
            parts=parts,
            step=progress.step,
        )


def _request_section(change: Change, model: Model) -> terminal.Section:
    section = terminal.Section("Requests, before and after")
    section.line(change.sentence())
    section.line(change.basis())
    for line in moved_lines(change, model):
        section.line(line)
    return section


def _summary(found: Comparison) -> list[terminal.Section]:
    run = found.run[0]
    summary = terminal.Section("Runs, before and after")
    if max(found.runs) > 1:
        summary.body.append(terminal.Fact("runs", "{} -> {}".format(*found.runs)))
    for name, show in (
        ("length", "length_ns"),
        ("threads", "threads"),
        ("deadlocks", "deadlocks"),
        ("queueing", "lock_share"),
    ):
        values = [run[f"{show}_before"], run[f"{show}_after"]]
        if show == "length_ns":
            words = [duration(value) for value in values]
        elif show == "lock_share":
            words = [percent(value) for value in values]
        else:
            words = [f"{value:,}" for value in values]
        text = " -> ".join(words) + odds(run.get(f"{show}_chance"))
        summary.body.append(terminal.Fact(name, text))
    return [summary]


def _changes(callers: list[Row], top: int) -> terminal.Section:
    section = terminal.Section("Locks and waits that changed most")
    changed = [
        (row, state)
        for row in callers
        for state in ("blocked", "reentering", "waiting", "parked", "io")
        if row[f"{state}_total_ns_change"] and not idle_in(row, state)
    ]
    changed.sort(key=lambda item: -abs(item[0][f"{item[1]}_total_ns_change"]))
    if not changed:
        section.line("nothing changed")
        return section
    columns = [
        Column("class", name=True, style="bold"),
        Column("called from", name=True),
        Column("state", label=True),
        *(Column(title) for title in ("before", "after", "change")),
    ]
    rows = []
    for row, state in changed[:top]:
        figures = [row[f"{state}_total_ns_{side}"] for side in ("before", "after")]
        change = row[f"{state}_total_ns_change"]
        line = f":{row['line']}" if row["line"] else ""
        rows.append(
            [
                clean(row["class"] or "?", NAME_LENGTH),
                clean((row["method"] or "?") + line, NAME_LENGTH),
                state,
                *(duration(figure) for figure in figures),
                ("+" if change > 0 else "-") + duration(abs(change)),
            ]
        )
    section.body.append(Grid(columns, rows))
    return section


def _finding_changes(findings: list[Row], top: int) -> terminal.Section:
    section = terminal.Section("Findings")
    columns = [
        Column("kind", label=True),
        Column("class", name=True, style="bold"),
        Column("method", name=True),
        *(Column(title) for title in ("before", "after")),
    ]
    rows = [
        [
            clean(row["kind"].replace("_", " ")),
            clean(row["class"] or "?", NAME_LENGTH),
            clean(row["method"] or "?", NAME_LENGTH),
            *(duration(row[f"impact_ns_{side}"]) for side in ("before", "after")),
        ]
        for row in findings[:top]
    ]
    if rows:
        section.body.append(Grid(columns, rows))
    else:
        section.line("none in either run")
    return section
