# SPDX-License-Identifier: Apache-2.0
"""``threadmodel deadlocks``: rings of threads that wait for one another."""

import click

from threadmodel.cli import deadlock_page, terminal
from threadmodel.cli.asking import ask, output_options
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.ranges import part_of, range_options
from threadmodel.cli.reading import reading_options
from threadmodel.model import Model
from threadmodel.table import Table
from threadmodel.tables import deadlocks_in


@click.command(cls=FileCommand, short_help="Show the deadlocks of a run.")
@click.argument("file", metavar="FILE", type=INPUT)
@range_options
@output_options
@reading_options
@click.pass_context
def deadlocks(context: click.Context, /, **_: object) -> None:
    """Show the deadlocks of the run in FILE, and lock orders that can deadlock.

    Each deadlock has the stack of each member, and whether the VM reported the owners
    or they were inferred. Two locks acquired in both orders are listed as well, unless
    something else kept the threads apart. With --from, --to or --skip-start deadlocks
    are those that stood in that part; lock orders are of the whole run. - reads from
    stdin.

    \b
    threadmodel deadlocks run.tmt
    threadmodel deadlocks run.tmt --json
    """

    def sections(model: Model) -> list[terminal.Section]:
        found = deadlock_page.deadlocks(model, part_of(model, context.params))
        if not found.body:
            found.line("none found")
            # A recording without owners, for example, cannot show deadlocks.
            for caveat in model.caveats:
                if "deadlock" in caveat or "owner" in caveat:
                    found.fact("caveat", caveat, "yellow")
        return [found, _orders(model)]

    def question(model: Model) -> Table:
        return deadlocks_in(model, part_of(model, context.params))

    ask(context, question, sections)


def _orders(model: Model) -> terminal.Section:
    section = terminal.Section("Lock orders that can deadlock")
    cycles: dict[int, list[str]] = {}
    for row in model.lock_order():
        held, wanted = (row[f"{side}_class"] or "?" for side in ("held", "wanted"))
        where = f" in {row['method']}" if row["method"] else ""
        thread = row["thread"] or "a thread"
        text = f"{thread} held {held} and wanted {wanted}{where}"
        cycles.setdefault(row["cycle"], []).append(text)
    for number, lines in cycles.items():
        for place, text in enumerate(lines):
            section.fact(f"#{number + 1}" if place == 0 else "", text)
    if not cycles:
        section.line("none observed")
    return section
