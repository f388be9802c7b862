# SPDX-License-Identifier: Apache-2.0
"""``threadmodel path`` and ``whatif``: what decided the length of a run."""

import signal
import sys
import warnings
from collections.abc import Callable
from typing import Final

import click

import threadmodel
from threadmodel.cli import terminal
from threadmodel.cli.messages import say
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.reading import input_path
from threadmodel.cli.report import PARTLY, print_sections
from threadmodel.errors import DamagedTraceWarning
from threadmodel.model import Model
from threadmodel.table import Table

MS: Final = 1_000_000

TOP = click.option(
    "--top",
    metavar="N",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Rows to show.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print all rows as JSON.")


def _answer(
    context: click.Context,
    file: str,
    as_json: bool,
    question: Callable[[Model], Table],
    section: Callable[[Model, Table], terminal.Section],
) -> None:
    """Ask the run in a file one question, and print the answer."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    with LateProgress() as progress:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DamagedTraceWarning)
            model = threadmodel.open(input_path(file), progress.reading)
        progress.step("walking")
        table = question(model)
    if as_json:
        table.to_json(sys.stdout.buffer)
        sys.stdout.buffer.write(b"\n")
        sys.stdout.buffer.flush()
    else:
        print_sections([section(model, table)], None)
    if model.damage is not None:
        say(f"only partly read: {model.damage}")
        context.exit(PARTLY)


@click.command(short_help="Show the chain of activities that a run waited for.")
@click.argument("file", metavar="FILE")
@click.option("--thread", metavar="NAME", help="End with this thread: a name, or #ID.")
@click.option(
    "--to", "to_ms", metavar="MS", type=float, help="End at this time of the run."
)
@click.option(
    "--unbounded",
    is_flag=True,
    help="Stay with the thread that ended a hold-up, back to its start.",
)
@click.option(
    "--by",
    metavar="KEY",
    multiple=True,
    type=click.Choice(["thread", "method", "class", "state"]),
    help="Sum up by thread, method, class or state; may be given again.",
)
@TOP
@JSON
@click.pass_context
def path(
    context: click.Context,
    file: str,
    thread: str | None,
    to_ms: float | None,
    unbounded: bool,
    by: tuple[str, ...],
    top: int,
    as_json: bool,
) -> None:
    """Show the critical path of the run in FILE; - reads from stdin.

    The path is the chain of activities that decided how long the run took: while a
    thread on it was held up, it shows what the thread that ended that did meanwhile.
    Time that nothing explains is called so.
    """
    if to_ms is not None and not 0 < to_ms < float("inf"):
        raise click.BadParameter(f"{to_ms} ms is no time of a run", param_hint="--to")
    to_ns = None if to_ms is None else round(to_ms * MS)
    wanted: int | str | None = thread
    if thread is not None and thread[:1] == "#" and thread[1:].isdecimal():
        wanted = int(thread[1:])

    def question(model: Model) -> Table:
        if by:
            return model.path_rollup(
                by, thread=wanted, to_ns=to_ns, bounded=not unbounded
            )
        return model.critical_path(thread=wanted, to_ns=to_ns, bounded=not unbounded)

    def section(_: Model, table: Table) -> terminal.Section:
        show = terminal.path_sums if by else terminal.path_segments
        return show(table, top)

    _answer(context, file, as_json, question, section)


@click.command(short_help="Predict the run with locks that are held shorter.")
@click.argument("file", metavar="FILE")
@click.option("--class", "class_name", metavar="NAME", help="Monitors of this class.")
@click.option("--method", metavar="NAME", help="Those that this method got.")
@click.option("--object", "object_", metavar="NAME", help="This monitor.")
@click.option(
    "--factor",
    type=float,
    default=0.0,
    show_default=True,
    help="Length of a hold, as part of what it was.",
)
@TOP
@JSON
@click.pass_context
def whatif(
    context: click.Context,
    file: str,
    class_name: str | None,
    method: str | None,
    object_: str | None,
    factor: float,
    top: int,
    as_json: bool,
) -> None:
    """Predict how long the run in FILE would have been; - reads from stdin.

    Without a class, method or object, the locks that the critical path goes through
    are tried one by one, and the best come first. Gains are upper bounds.
    """

    def question(model: Model) -> Table:
        if class_name is None and method is None and object_ is None:
            return model.whatif_rank(top, factor=factor)
        return model.whatif(class_name, method=method, object=object_, factor=factor)

    def section(model: Model, table: Table) -> terminal.Section:
        return terminal.predictions(table, model.length_ns)

    _answer(context, file, as_json, question, section)
