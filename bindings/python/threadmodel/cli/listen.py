# SPDX-License-Identifier: Apache-2.0
"""``threadmodel listen``: receive a trace from an agent, and show it live."""

import contextlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import IO, Final

import click
from rich.console import Console

from threadmodel import private
from threadmodel.cli import metrics as live_metrics
from threadmodel.cli import terminal
from threadmodel.cli.files import INPUT, OUTPUT, FileCommand
from threadmodel.cli.interrupts import noted
from threadmodel.cli.messages import say
from threadmodel.cli.peers import Peers
from threadmodel.cli.record import see_it
from threadmodel.cli.report import FILE_WIDTH, PARTLY, print_sections
from threadmodel.cli.sockets import (
    listener_at,
    name_of,
    resolved,
    tcp_listener,
    token_of,
)
from threadmodel.cli.targets import Heard
from threadmodel.cli.top_screen import View
from threadmodel.cli.watching import watch
from threadmodel.text import count, duration

TERMINAL_EVERY_S: Final = 2.0
# The time that a live screen sums up.
WINDOW_NS: Final = 10_000_000_000
INTERRUPTED: Final = 130
# The greatest age of --metrics.
UPDATE_S: Final = 0.25


def _is_of_collect(
    context: click.Context, parameter: click.Parameter, value: object
) -> None:
    """Name the command that took over an option."""
    if value is not None:
        options = " and ".join(parameter.opts)
        raise click.UsageError(
            f"{options} are options of `threadmodel collect`, which takes the traces "
            "of many agents"
        )


@click.command(
    cls=FileCommand, short_help="Receive a trace over a socket and show it live."
)
@click.argument("address", metavar="ADDRESS")
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT, help="Save the trace to FILE."
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=INPUT,
    help="Accept only an agent that sends the word in this file; its mode must be 600.",
)
@click.option(
    "--every",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    help="Report at this interval.  [2 in a terminal; else only at the end]",
)
@click.option(
    "--top",
    metavar="N",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Rows of a table to show.",
)
@click.option(
    "--memory",
    metavar="MIB",
    type=click.IntRange(min=1),
    default=1024,
    show_default=True,
    help="Beyond it, the oldest intervals are reduced to sums.",
)
@click.option(
    "--metrics",
    metavar="ADDRESS",
    help="Answer Prometheus there, :9404 for instance; on loopback unless a host is "
    "named.",
)
@click.option(
    "--folder",
    "--forward",
    type=click.UNPROCESSED,
    hidden=True,
    expose_value=False,
    callback=_is_of_collect,
)
@click.pass_context
def listen(
    context: click.Context,
    address: str,
    output: str | None,
    token_file: str | None,
    every: float | None,
    top: int,
    memory: int,
    metrics: str | None,
) -> None:
    """Wait at ADDRESS for one agent, show its trace while it comes, and report.

    ADDRESS is HOST:PORT (port 0: any free port), [::1]:PORT or unix:PATH. The agent
    connects by its option net=ADDRESS. Only your own programs can connect to a Unix
    socket. Any program can connect elsewhere, unless there is a --token-file, which an
    address beyond loopback requires. Nothing is encrypted. A connection that sends no
    trace within ten seconds is closed; others are still accepted.

    In a terminal the screen of "threadmodel top" is drawn every two seconds, with its
    keys, and the report printed at the end. q and Ctrl-C end the listener, not the
    program. With --metrics, Prometheus reads metrics at http://ADDRESS/metrics while
    the program runs; they contain the names of locks' classes, and anybody who can
    connect can read them. The exit status is 3 when the trace is incomplete, as when
    the program was killed. "threadmodel collect" takes the traces of many agents.

    \b
    threadmodel listen 127.0.0.1:7070 -o run.tmt
    threadmodel listen unix:/run/app.sock
    threadmodel listen 127.0.0.1:7070 --metrics :9404
    """
    is_terminal = sys.stdout.isatty() and sys.stdin.isatty()
    token = token_of(token_file)
    _check_output(output)
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(listener_at(address, token))
        scraped = None
        if metrics is not None:
            scraped = stack.enter_context(tcp_listener(*resolved(metrics)))
            say(f"metrics at http://{name_of(scraped)}/metrics")
        say(f"listening on {name_of(listener)}")
        try:
            begun = Peers(listener, token).wait()
        except KeyboardInterrupt:
            context.exit(INTERRUPTED)
        stack.enter_context(begun.connection)
        target = Heard(begun, stack.enter_context(_file(output)), memory, 0)
        listener.close()
        if scraped is not None:
            stack.enter_context(live_metrics.served(scraped, target.live.model))
        if is_terminal:
            name = f"process {begun.run.pid}" if begun.run.pid else address
            with contextlib.suppress(KeyboardInterrupt):
                watch(target, name, View(WINDOW_NS), every or TERMINAL_EVERY_S, None)
        else:
            _take(target, every, top)
        target.stop()
        model = target.live.finish()
        print_sections(terminal.sections(model, top), None)
        if output is not None:
            say(see_it([str(output)]))
        if model.damage is not None:
            say(f"only partly received: {model.damage}")
            context.exit(PARTLY)


def _check_output(output: str | None) -> None:
    """Refuse an output that cannot be written, before listening."""
    if output is None:
        return
    if os.path.isdir(output):
        raise click.UsageError(f"{output!r} is a folder: give the trace a file name")
    if os.path.islink(output):
        raise click.UsageError(f"{output!r} is a symbolic link: name the file itself")
    folder = os.path.dirname(os.path.abspath(output))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise click.UsageError(f"{folder}: no such folder, or no right to write there")


@contextlib.contextmanager
def _file(output: str | None) -> Iterator[IO[bytes]]:
    """The growing trace, which the model reads; a temporary file without a name."""
    if output is None:
        with tempfile.NamedTemporaryFile(buffering=0, suffix=".tmt") as file:
            yield file
    else:
        with private.create(output, buffering=0) as file:
            yield file


def _take(target: Heard, every: float | None, top: int) -> None:
    """Receive to the end of the trace or an interrupt, and report meanwhile."""
    begun = time.monotonic()
    due = None if every is None else begun + every
    pause_s = UPDATE_S if every is None else min(UPDATE_S, every)
    with noted(signal.SIGINT) as interrupt:
        while target.wait(pause_s) and not interrupt:
            target.update()
            if every is not None and due is not None and time.monotonic() >= due:
                _report(target, time.monotonic() - begun, top)
                due = time.monotonic() + every


def _report(target: Heard, after_s: float, top: int) -> None:
    """Print the report of the trace so far."""
    console = Console(
        width=None if "COLUMNS" in os.environ else FILE_WIDTH, highlight=False
    )
    model = target.live.model
    events = count(model.event_count, "event")
    print(f"after {duration(int(after_s * 1e9))}: {events}", flush=True)
    terminal.show(terminal.sections(model, top), console)
    sys.stdout.flush()
