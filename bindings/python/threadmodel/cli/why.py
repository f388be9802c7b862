# SPDX-License-Identifier: Apache-2.0
"""``threadmodel why``: where the time of requests went, as a tree of causes."""

import json

import click

import threadmodel
from threadmodel.cli import terminal, why_page
from threadmodel.cli.asking import ask, output_options
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.names import one
from threadmodel.cli.ranges import part_of, range_options
from threadmodel.cli.reading import reading_options
from threadmodel.cli.report import print_sections
from threadmodel.model import Model
from threadmodel.table import Table

SHARE = click.FloatRange(0.0, 100.0)


@click.command(
    cls=FileCommand, short_help="Show where the time of requests went, by cause."
)
@click.argument("file", metavar="FILE", type=INPUT)
@click.option("--kind", metavar="NAME", help="Only requests or tasks of this kind.")
@click.option("--unit", metavar="N", type=click.IntRange(1), help="Only this one.")
@click.option("--slowest", is_flag=True, help="Only the slowest hundredth.")
@click.option("--all", "all_kinds", is_flag=True, help="Requests of all kinds.")
@click.option("--threads", is_flag=True, help="The time of threads instead.")
@click.option(
    "--depth",
    type=click.IntRange(1, 64),
    default=12,
    show_default=True,
    help="Levels to show.",
)
@click.option(
    "--min-share",
    metavar="PERCENT",
    type=SHARE,
    default=1.0,
    show_default=True,
    help="Leave out what has less of the time.",
)
@range_options
@click.option(
    "--diff", "other", metavar="OTHER", type=INPUT, help="Compare with a later run."
)
@output_options
@reading_options
@click.pass_context
def why(
    context: click.Context,
    /,
    kind: str | None,
    unit: int | None,
    slowest: bool,
    all_kinds: bool,
    threads: bool,
    depth: int,
    min_share: float,
    other: str | None,
    **_: object,
) -> None:
    """Show where the time of requests in FILE went; - reads from stdin.

    Each wait is divided among what the threads that held the lock, or ended the wait,
    did during that time, and so on down to a final cause. Without requests or tasks it
    is the time of threads. Of several kinds of requests it is the one that measures the
    program. Requests of a part of the run are those that end in it.

    \b
    threadmodel why run.tmt
    threadmodel why run.tmt --kind OrderServlet.doPost --slowest
    threadmodel why run.tmt --from 60s --to 120s
    threadmodel why before.tmt --diff after.tmt
    """
    if sum((kind is not None, unit is not None, threads, all_kinds)) > 1:
        raise click.UsageError("name one of --kind, --unit, --all and --threads")
    if other is not None and context.params["as_csv"]:
        raise click.UsageError("--diff prints text or --json, and no CSV")

    def question(model: Model) -> Table:
        chosen = kind
        if kind is not None:
            names = [row["kind"] for row in model.unit_kinds() if row["kind"]]
            chosen = one(kind, names, "kind of request or task")
        return model.causes(
            kind=chosen,
            unit=unit,
            slowest=slowest,
            threads=threads,
            main=not all_kinds,
            selection=part_of(model, context.params),
        )

    if other is not None:
        after = threadmodel.open(other)
        before = threadmodel.open(context.params["file"])
        found = why_page.changes(question(before), question(after))
        if context.params["as_json"]:
            click.echo(json.dumps([change.row() for change in found]))
            return
        section = why_page.difference(found, min_share / 100, depth)
        terminal.state_part(before, part_of(before, context.params), section)
        print_sections([section], context.params["output"])
        return
    ask(
        context,
        question,
        lambda model: [why_page.tree(question(model), min_share / 100, depth)],
    )
