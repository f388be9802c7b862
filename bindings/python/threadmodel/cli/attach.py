# SPDX-License-Identifier: Apache-2.0
"""``threadmodel attach`` and ``control``: JVMs that run already."""

import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from threadmodel import attach as attaching
from threadmodel.cli.agent_options import recording_options
from threadmodel.cli.files import TRACE, FileCommand
from threadmodel.cli.interrupts import noted
from threadmodel.cli.messages import say
from threadmodel.cli.processes import Process, chosen
from threadmodel.cli.record import see_it, trace_pattern
from threadmodel.text import clean

POLL_SECONDS: Final = 0.1
UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600}


# Generic since click 8.2, and to a type checker alone.
if TYPE_CHECKING:
    _ParamType = click.ParamType[int]
else:
    _ParamType = click.ParamType


class Seconds(_ParamType):
    """A time as 30, 30s, 5m or 1h."""

    name = "time"

    def convert(
        self, value: str, parameter: click.Parameter | None, context: object
    ) -> int:
        """Return the seconds, or report that the text is invalid."""
        found = re.fullmatch(r"([1-9]\d{0,7})([smh]?)", value)
        if not found:
            self.fail(f"{value!r} is not a time such as 30s, 5m or 1h")
        return int(found.group(1)) * UNITS[found.group(2)]


@click.command(cls=FileCommand, short_help="Attach to a running JVM and record it.")
@click.argument("pid", type=Process(), required=False)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=TRACE,
    default="run.tmt",
    show_default=True,
    help="The trace.",
)
@click.option(
    "--for",
    "seconds",
    metavar="TIME",
    type=Seconds(),
    help="Stop after that: 30s, 5m, 1h.  [until Ctrl-C, or its end]",
)
@recording_options
def attach(
    pid: int | None,
    output: str,
    seconds: int | None,
    depth: int | None,
    agent_options: tuple[str, ...],
) -> None:
    """Record what the threads of the JVM PID do to one another, from now on.

    PID is a process id or a part of the name of a running JVM. Without it, the running
    JVMs are listed, and one is asked for.

    The recording begins with what each thread is doing, wants and holds. Afterwards
    the JVM reports nothing any more; from JDK 20 on methods that were replaced stay,
    and call the old ones. Deadlocks are shown as they happen.

    The JVM must be HotSpot and run as the same user. JDK 21 and later print a warning
    of their own on its stderr when an agent is loaded.

    \b
    threadmodel attach 1234 --for 30s -o run.tmt
    threadmodel attach app.jar --depth 32
    """
    pid = chosen(pid)
    options = list(agent_options)
    if depth is not None:
        options.insert(0, f"depth={depth}")
    path = Path(trace_pattern(output, several=False))
    recording = attaching.record(pid, path, seconds=seconds or 0, options=options)
    say(f"recording process {pid}, {_until(seconds)}")
    _wait(recording, seconds)
    if recording.was_stopped():
        say(f"process {pid}: the recording was stopped by another command")
    recording.stop()
    for line in recording.notices():
        click.echo(clean(line), err=True)
    say(see_it([str(path)]))


@click.command(short_help="Control a recording: dump, pause, resume or stop.")
@click.argument("pid", type=Process())
@click.argument("what", type=click.Choice(attaching.CONTROLS))
def control(pid: int, what: str) -> None:
    """Control the recording of the JVM PID, whoever started it.

    \b
    dump    write all data so far to the trace, so that `report` can read it
    pause   record nothing, at no cost; that time is unknown in answers
    resume  go on, beginning with what every thread is doing then
    stop    complete the trace and leave the JVM as it was

    \b
    threadmodel control 1234 pause
    threadmodel control 1234 stop
    """
    say(attaching.control(pid, what))


def _until(seconds: int | None) -> str:
    return "until Ctrl-C" if seconds is None else f"for {seconds} s"


def _wait(recording: attaching.Recording, seconds: int | None) -> None:
    """Show the agent's messages until the time is up, Ctrl-C, or the recording ends."""
    deadline = None if seconds is None else time.monotonic() + seconds
    with noted(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as interrupt:
        while not interrupt and recording.is_going_on():
            if deadline is not None and time.monotonic() >= deadline:
                break
            for line in recording.notices():
                click.echo(clean(line), err=True)
            time.sleep(POLL_SECONDS)
