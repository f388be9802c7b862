# SPDX-License-Identifier: Apache-2.0
"""``threadmodel path``, ``explain`` and ``whatif``: what decided a run's length."""

from typing import Any

import click
from click.core import ParameterSource

from threadmodel.cli import page, path_page
from threadmodel.cli.asking import TOP, ask, output_options
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.messages import shell_word
from threadmodel.cli.names import (
    known_class,
    known_method,
    known_object,
    thread_id,
)
from threadmodel.cli.ranges import Moment, part_of, range_options
from threadmodel.cli.reading import reading_options
from threadmodel.errors import NotFoundError
from threadmodel.model import Model
from threadmodel.selection import ALL
from threadmodel.table import Table
from threadmodel.victim import first_to_explain, longest_wait


@click.command(
    cls=FileCommand,
    short_help="Show the critical path: what decided when the run ended.",
)
@click.argument("file", metavar="FILE", type=INPUT)
@click.option("--thread", metavar="NAME", help="End with this thread: a name, or #ID.")
@range_options
@click.option(
    "--waited-for",
    is_flag=True,
    help="Show what the thread waited for at each moment instead.",
)
@click.option(
    "--by",
    metavar="KEY",
    multiple=True,
    type=click.Choice(["thread", "method", "class", "state"]),
    help="Sum up by thread, method, class or state; repeatable.",
)
@TOP
@output_options
@reading_options
@click.pass_context
def path(
    context: click.Context,
    /,
    thread: str | None,
    waited_for: bool,
    by: tuple[str, ...],
    top: int,
    **_: object,
) -> None:
    """Show the critical path of the run in FILE; - reads from stdin.

    The path is the chain of activities that decided when the program's work ended.
    Where a thread on it was blocked, the path goes to the thread that woke it, and
    stays there. Unexplained time is labelled, with the reason. With --to the path ends
    at that time; the part before --from is left out.

    \b
    threadmodel path run.tmt --top 50
    threadmodel path run.tmt --by method
    threadmodel path run.tmt --thread main --to 1.5s --waited-for
    """

    def question(model: Model) -> Table:
        part = part_of(model, context.params)
        asked: dict[str, Any] = {
            "thread": thread_id(model, thread),
            "from_ns": part.start_ns,
            "to_ns": part.end_ns,
            "waited_for": waited_for,
        }
        return model.path_rollup(by, **asked) if by else model.critical_path(**asked)

    def sections(model: Model) -> list[page.Section]:
        show = path_page.path_sums if by else path_page.path_segments
        if waited_for:
            title = "What the thread waited for"
            return [show(question(model), top, model.caveats, title)]
        return [show(question(model), top, model.caveats)]

    ask(context, question, sections)


@click.command(cls=FileCommand, short_help="Say why a thread did not run then.")
@click.argument("file", metavar="FILE", type=INPUT)
@click.option(
    "--thread",
    metavar="NAME",
    help="Of this thread: a name, or #ID. Otherwise of the longest wait of the first"
    " finding.",
)
@click.option(
    "--at",
    "at_ns",
    metavar="TIME",
    type=Moment(),
    help="At this time of the run: 12.3s; without a unit ms. Otherwise in the middle"
    " of the longest block.",
)
@range_options
@output_options
@reading_options
@click.pass_context
def explain(
    context: click.Context, /, thread: str | None, at_ns: int | None, **_: object
) -> None:
    """Say why a thread of the run in FILE did not run; - reads from stdin.

    The first line is about the thread itself, the next one about what it was blocked
    by at that same instant, and so on down to the root cause. Without a thread or a
    time, the command explains the longest wait of the first finding; with --from, --to
    or --skip-start that of this part of the run.

    \b
    threadmodel explain run.tmt
    threadmodel explain run.tmt --from 60s --to 120s
    threadmodel explain run.tmt --thread worker-1 --at 12.3s
    """

    def question(model: Model) -> Table:
        return answer(model)[0]

    def answer(model: Model) -> tuple[Table, str | None]:
        part = part_of(model, context.params)
        if part != ALL and at_ns is not None:
            raise click.UsageError("--at and a part of the run exclude each other")
        if thread is None and at_ns is None:
            first = first_to_explain(model, part)
            if first is not None:
                finding, asked, middle_ns = first
                steps = model.explain(thread=asked, at_ns=middle_ns)
                return steps, str(finding["title"])
        wanted = thread_id(model, thread)
        if part == ALL:
            return model.explain(thread=wanted, at_ns=at_ns), None
        longest = longest_wait(model, wanted, part)
        if longest is None:
            raise NotFoundError("no thread was blocked in this part of the run")
        return model.explain(thread=longest[0], at_ns=longest[1]), None

    ask(context, question, lambda model: [path_page.explanation(*answer(model))])


@click.command(
    cls=FileCommand, short_help="Predict the run with shorter holds or more permits."
)
@click.argument("file", metavar="FILE", type=INPUT)
@click.option("--class", "class_name", metavar="NAME", help="Locks of this class.")
@click.option(
    "--method",
    metavar="NAME",
    help="Locks acquired in this method; or the method to change.",
)
@click.option("--object", "object_", metavar="NAME", help="This lock.")
@click.option(
    "--endpoint",
    metavar="NAME",
    help="I/O with this: db:5432, for instance. Implies --change io.",
)
@click.option(
    "--change",
    type=click.Choice(["holds", "method", "uses", "permits", "io", "processors"]),
    default="holds",
    show_default=True,
    help="Shorter holds of locks, sleeps and I/O in the method, uses of the resource "
    "that threads wait for in it, or I/O with the endpoint; or more permits of the "
    "resource, or processors.",
)
@click.option(
    "--factor",
    type=float,
    default=0.0,
    show_default=True,
    help="Their new length, as a factor of the recorded one.",
)
@click.option(
    "--permits",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How many more: connections of a pool, workers, owners of a lock. Implies"
    " --change permits.",
)
@click.option(
    "--processors",
    metavar="N",
    type=click.IntRange(1),
    help="So many more processors. Implies --change processors.",
)
@range_options
@TOP
@output_options
@reading_options
@click.pass_context
def whatif(
    context: click.Context,
    /,
    class_name: str | None,
    method: str | None,
    object_: str | None,
    endpoint: str | None,
    change: str,
    factor: float,
    permits: int,
    processors: int | None,
    top: int,
    **_: object,
) -> None:
    """Predict how long the run in FILE would have been; - reads from stdin.

    Without a class, method, object or endpoint, the command tries the locks, pools,
    endpoints and methods of the findings one by one. The greatest gains come first.
    With --from, --to or --skip-start only work that begins in that part changes, and
    requests are those that end in it.

    \b
    threadmodel whatif run.tmt
    threadmodel whatif run.tmt --class app.Till --factor 0.5
    threadmodel whatif run.tmt --change permits --method app.Pool.borrow
    threadmodel whatif run.tmt --endpoint 10.0.0.7:5432 --factor 0.5
    """

    if context.get_parameter_source("permits") is ParameterSource.COMMANDLINE:
        if context.get_parameter_source("change") is not ParameterSource.COMMANDLINE:
            change = "permits"
        if change != "permits":
            raise click.UsageError("--permits is for --change permits")
    if endpoint is not None:
        if context.get_parameter_source("change") is not ParameterSource.COMMANDLINE:
            change = "io"
        if change != "io" or object_ is not None:
            raise click.UsageError("--endpoint is for --change io, without --object")
        object_ = endpoint
    if processors is not None:
        change, permits = "processors", processors
    is_named = change == "processors" or not (
        class_name is None and method is None and object_ is None
    )
    if change != "holds" and not is_named:
        options = "--endpoint" if change == "io" else "--method, --class"
        raise click.UsageError(f"--change {change} of what? Name it: {options}")

    def question(model: Model) -> Table:
        window = part_of(model, context.params).window
        if not is_named:
            return model.whatif_rank(top, factor=factor, window=window)
        return model.whatif(
            known_class(model, class_name),
            method=known_method(model, method, change),
            object=known_object(model, object_),
            change=change,
            factor=factor,
            permits=permits,
            window=window,
        )

    def sections(model: Model) -> list[page.Section]:
        name = str(context.params["file"])
        file = None if is_named or name == "-" else shell_word(name)
        return [path_page.predictions(question(model), model.caveats, file)]

    ask(context, question, sections)
