# SPDX-License-Identifier: Apache-2.0
"""``threadmodel findings`` and ``threads``: one table of the report each."""

import click

from threadmodel.cli import terminal, thread_page
from threadmodel.cli.asking import TOP, ask, output_options, selection_options
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.names import selection
from threadmodel.cli.ranges import range_options, window
from threadmodel.cli.reading import reading_options
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.table import Table


@click.command(cls=FileCommand, short_help="Show the findings of a run, whole.")
@click.argument("file", metavar="FILE", type=INPUT)
@range_options
@TOP
@output_options
@reading_options
@click.pass_context
def findings(
    context: click.Context,
    /,
    from_ns: int | None,
    to_ns: int | None,
    skip_start: bool,
    top: int,
    **_: object,
) -> None:
    """Show the findings of the run in FILE with all their sentences.

    Each states who waited where, who was responsible, what a change would gain, and
    what to try. - reads from stdin.

    With --from, --to or --skip-start they count only what lies in that part of the run.
    Uneven threads, processors, lock order and gains are examined only for a whole run.

    \b
    threadmodel findings run.tmt
    threadmodel findings run.tmt --from 60s --to 120s
    threadmodel findings run.tmt --json
    """

    def chosen(model: Model) -> Selection:
        return Selection(window=window(model, from_ns, to_ns, skip_start))

    def question(model: Model) -> Table:
        return model.findings(chosen(model))

    def sections(model: Model) -> list[terminal.Section]:
        return [terminal.findings(model, top, chosen(model))]

    ask(context, question, sections)


@click.command(cls=FileCommand, short_help="Show the threads of a run.")
@click.argument("file", metavar="FILE", type=INPUT)
@selection_options
@TOP
@output_options
@reading_options
@click.pass_context
def threads(
    context: click.Context,
    /,
    threads: tuple[str, ...],
    classes: tuple[str, ...],
    from_ns: int | None,
    to_ns: int | None,
    skip_start: bool,
    top: int,
    **_: object,
) -> None:
    """Show the threads of the run in FILE, the most blocked first; - reads from stdin.

    \b
    threadmodel threads run.tmt --top 50
    threadmodel threads run.tmt --thread 'http-*' --from 10s --to 20s
    threadmodel threads run.tmt --csv
    """

    def chosen(model: Model) -> Selection:
        part = window(model, from_ns, to_ns, skip_start)
        return selection(model, threads, classes, part)

    def question(model: Model) -> Table:
        return model.threads(chosen(model))

    def sections(model: Model) -> list[terminal.Section]:
        return [thread_page.threads_of(model, top, chosen(model))]

    ask(context, question, sections)
