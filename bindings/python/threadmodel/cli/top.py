# SPDX-License-Identifier: Apache-2.0
"""``threadmodel top``: what the threads of a running process do to one another."""

import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from threadmodel import _proc, hotspot
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.messages import say
from threadmodel.cli.peers import Peers
from threadmodel.cli.processes import Process, chosen
from threadmodel.cli.sockets import is_address, listener_at, name_of, token_of
from threadmodel.cli.targets import TRACE, Heard, Looked, Recorded, Target, runs
from threadmodel.cli.top_screen import View
from threadmodel.cli.watching import print_screens, watch
from threadmodel.errors import AttachError
from threadmodel.text import clean

# Generic since click 8.2, and to a type checker alone.
if TYPE_CHECKING:
    _ParamType = click.ParamType[int | str]
else:
    _ParamType = click.ParamType

PROCESS: Final = Process()


class Shown(_ParamType):
    """A process, or where an agent connects."""

    name = "pid"

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: Any
    ) -> int | str:
        """Return the address as it is, or the id of the process."""
        if isinstance(value, str) and is_address(value):
            return value
        return PROCESS.convert(value, parameter, context)


@click.command(
    cls=FileCommand, short_help="Show live what blocks the threads of a process."
)
@click.argument("shown", metavar="[PID|ADDRESS]", type=Shown(), required=False)
@click.option(
    "--every",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1, max=3600),
    default=1.0,
    show_default=True,
    help="Time between two screens.",
)
@click.option(
    "--window",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1, max=86400),
    default=10.0,
    show_default=True,
    help="How much of the past is summed up.",
)
@click.option(
    "-n",
    "--screens",
    metavar="N",
    type=click.IntRange(min=1),
    help="Show so many, and end.  [until q or Ctrl-C; 1 without a terminal]",
)
@click.option(
    "--memory",
    metavar="MIB",
    type=click.IntRange(min=1),
    default=256,
    show_default=True,
    help="Beyond it, the oldest intervals are reduced to sums.",
)
@click.option(
    "--disk",
    metavar="MIB",
    type=click.IntRange(min=1),
    default=1024,
    show_default=True,
    help="Beyond it, the recording ends, and with it this command.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=INPUT,
    help="Of ADDRESS: accept only an agent that sends the word in this file.",
)
def top(
    shown: int | str | None,
    every: float,
    window: float,
    screens: int | None,
    memory: int,
    disk: int,
    token_file: str | None,
) -> None:
    """Show live who blocks whom in the process PID: its hottest locks, their owners,
    what every thread is doing, and whether the process is stuck.

    PID is a process id or a part of the name of a running JVM. Without it, the running
    JVMs are listed, and one is asked for. At ADDRESS, which is HOST:PORT or unix:PATH,
    it waits for one agent that connects by its option net=ADDRESS.

    A JVM is recorded by attaching, as by "threadmodel attach", until this command ends.
    The threads of a native process are looked at as by "threadmodel dump": it is
    neither stopped nor changed, and has no rates.

    q ends it, p freezes the screen, s sorts locks by another column, / shows only what
    has a word in its name, w writes a report of the last
    half minute.

    \b
    threadmodel top
    threadmodel top app.jar
    threadmodel top 1234 -n 1 --window 3
    threadmodel top unix:/tmp/app.sock
    """
    if token_file is not None and not isinstance(shown, str):
        raise click.UsageError("--token-file needs an ADDRESS")
    subject = shown if isinstance(shown, str) else chosen(shown)
    is_terminal = sys.stdout.isatty() and sys.stdin.isatty()
    if screens is None and not is_terminal:
        screens = 1
    # Nobody else would end the recording of a JVM.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    with (
        contextlib.suppress(KeyboardInterrupt),
        _target(subject, token_file, memory, disk) as (target, name),
    ):
        view = View(int(window * 1e9), has_rates=target.has_rates)
        if is_terminal:
            watch(target, name, view, every, screens)
        else:
            print_screens(target, name, view, every, screens)
    if isinstance(subject, int) and not runs(subject):
        say(f"process {subject} has ended")


@contextlib.contextmanager
def _target(
    subject: int | str, token_file: str | None, memory: int, disk: int
) -> Iterator[tuple[Target, str]]:
    """Begin to record, look or listen, and leave the process as it was at the end."""
    target: Target
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="threadmodel-top-")
        )
        if isinstance(subject, str):
            token = token_of(token_file)
            listener = stack.enter_context(listener_at(subject, token))
            name = name_of(listener)
            say(f"listening on {name}: waiting for an agent with net={name}")
            peer = Peers(listener, token).wait()
            path = os.path.join(folder, TRACE)
            file = stack.enter_context(open(path, "wb", buffering=0))
            target = Heard(peer, file, memory, disk)
            name = f"process {peer.run.pid}" if peer.run.pid else name
        elif _is_jvm(subject):
            target = Recorded(subject, folder, memory, disk)
            name = _name(subject)
        else:
            target = Looked(subject, folder)
            name = _name(subject)
        try:
            yield target, name
        finally:
            is_full = target.is_full()
            has_gone = isinstance(target, Heard) and not target.is_going_on()
            target.stop()
    if has_gone and not is_full:
        say("the agent sends no more: the program or its recording has ended")
    if is_full:
        say(f"the trace has reached {disk} MiB, the limit of --disk")


def _is_jvm(pid: int) -> bool:
    """Whether it is a JVM.

    Raises:
        AttachError: there is no such process, or nobody here may look into it
    """
    status = _proc.status(pid)
    if status.get("State", "?")[:1] in ("Z", "X"):
        raise AttachError(f"process {pid} has ended")
    try:
        with open(f"/proc/{pid}/maps") as file:
            file.read(1)
    except PermissionError:
        owner = _proc.user(int(status.get("Uid", "-1 -1").split()[1]))
        raise AttachError(
            f"process {pid} belongs to {owner}: run this as that user or as root"
        ) from None
    except OSError:
        raise AttachError(f"process {pid} has ended") from None
    return hotspot.is_jvm(pid)


def _name(pid: int) -> str:
    for jvm in hotspot.running():
        if jvm.pid == pid:
            return f"{clean(jvm.command, 60)} ({pid})"
    try:
        with open(f"/proc/{pid}/comm", errors="backslashreplace") as file:
            return f"{clean(file.read().strip())} ({pid})"
    except OSError:
        return f"process {pid}"
