# SPDX-License-Identifier: Apache-2.0
"""``threadmodel top``: what the threads of a running process do to one another."""

import codecs
import contextlib
import os
import select
import signal
import sys
import tempfile
import termios
import time
import tty
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import click
from rich.console import Console

from threadmodel import attach as attaching
from threadmodel import hotspot, native, page, private
from threadmodel.cli import terminal
from threadmodel.cli.files import FileCommand
from threadmodel.cli.messages import say
from threadmodel.cli.processes import Process, chosen
from threadmodel.cli.report import stdout_console
from threadmodel.cli.top_screen import View, sections
from threadmodel.errors import AttachError, ThreadmodelError
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.source import Live
from threadmodel.source import open as open_source
from threadmodel.text import clean, count, duration

TRACE: Final = "top.tmt"
# A written report is of so much of the past.
WRITTEN_NS: Final = 30_000_000_000
HOME: Final = "\033[H"
CLEAR_REST: Final = "\033[J"
CLEAR_LINE: Final = "\033[K"
ALTERNATE: Final = ("\033[?1049h\033[?25l", "\033[?25h\033[?1049l")
FIRST_SECONDS: Final = 20.0
POLL_SECONDS: Final = 0.05
FILL_SECONDS: Final = 3.0
KEYS: Final = "q quit   p freeze   s sort   / filter   w write a report"


class Recorded:
    """A JVM, recorded by attaching, and the model of what was recorded so far."""

    has_rates: Final = True

    def __init__(self, pid: int, folder: str, memory_mib: int, disk_mib: int) -> None:
        """Attach; the trace grows in the folder, up to a limit."""
        self._recording: Final = attaching.record(pid, os.path.join(folder, TRACE))
        self._path: Final = self._recording.path_here()
        self._memory_bytes: Final = memory_mib << 20
        self._disk_bytes: Final = disk_mib << 20
        self._live: Live | None = None

    def update(self) -> Model | None:
        """Read what is new; None: nothing was written yet."""
        if self._live is None:
            try:
                self._live = Live(self._path, memory_limit_bytes=self._memory_bytes)
            except (OSError, ValueError):
                return None
        return self._live.update()

    def is_going_on(self) -> bool:
        """Whether the process runs, and is recorded."""
        return self._recording.is_going_on() and not self.is_full()

    def is_full(self) -> bool:
        """Whether the trace has reached its limit."""
        # That of a JVM in a container is gone with it.
        with contextlib.suppress(OSError):
            return os.path.getsize(self._path) > self._disk_bytes
        return False

    def stop(self) -> None:
        """Leave the process as it was."""
        self._recording.stop()


class Looked:
    """A native process, whose threads are looked at now and then."""

    has_rates: Final = False

    def __init__(self, pid: int, folder: str) -> None:
        """Look nowhere yet."""
        self._pid: Final = pid
        self._path: Final = os.path.join(folder, TRACE)
        self._runs = True

    def update(self) -> Model | None:
        """Look twice: a thread that moved in between is not stuck."""
        try:
            native.dump(self._pid, self._path, times=2, every_s=0.1, stacks="go-on")
        except AttachError:
            self._runs = _runs(self._pid)
            if self._runs:
                raise
            return None
        return open_source(self._path)

    def is_going_on(self) -> bool:
        """Whether the process runs."""
        return self._runs

    def is_full(self) -> bool:
        """Never: each look replaces the one before."""
        return False

    def stop(self) -> None:
        """Nothing is left to undo."""


@click.command(
    cls=FileCommand, short_help="Show live what blocks the threads of a process."
)
@click.argument("pid", type=Process(), required=False)
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
def top(
    pid: int | None,
    every: float,
    window: float,
    screens: int | None,
    memory: int,
    disk: int,
) -> None:
    """Show live who blocks whom in the process PID: its hottest locks, their owners,
    what every thread is doing, and whether the process is stuck.

    PID is a process id or a part of the name of a running JVM. Without it, the running
    JVMs are listed, and one is asked for.

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
    """
    pid = chosen(pid)
    is_terminal = sys.stdout.isatty() and sys.stdin.isatty()
    if screens is None and not is_terminal:
        screens = 1
    name = _name(pid)
    with tempfile.TemporaryDirectory(prefix="threadmodel-top-") as folder:
        target = (
            Recorded(pid, folder, memory, disk)
            if hotspot.is_jvm(pid)
            else Looked(pid, folder)
        )
        view = View(int(window * 1e9), has_rates=target.has_rates)
        # Nobody else would end the recording of a JVM.
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)
        try:
            with contextlib.suppress(KeyboardInterrupt):
                if is_terminal:
                    _watch(target, name, view, every, screens)
                else:
                    _print(target, name, view, every, screens)
        finally:
            is_full = target.is_full()
            target.stop()
    if is_full:
        say(f"the trace has reached {disk} MiB, the limit of --disk")
    if not _runs(pid):
        say(f"process {pid} has ended")


def _runs(pid: int) -> bool:
    """Whether there is such a process."""
    return os.path.exists(f"/proc/{pid}/stat")


def _name(pid: int) -> str:
    for jvm in hotspot.running():
        if jvm.pid == pid:
            return f"{clean(jvm.command, 60)} ({pid})"
    try:
        with open(f"/proc/{pid}/comm", errors="backslashreplace") as file:
            return f"{clean(file.read().strip())} ({pid})"
    except OSError:
        return f"process {pid}"


def _heading(model: Model, name: str, view: View, marks: "Marks") -> str:
    if not view.has_rates:
        return name
    facts = []
    rate = marks.rate(model.event_count)
    if rate is not None:
        facts.append(f"{rate:,.0f} events a second")
    if model.run.cost_dropped:
        facts.append(f"{count(model.run.cost_dropped, 'event')} dropped")
    length = f"{name}, {duration(model.length_ns)}"
    return f"{length}: {', '.join(facts)}" if facts else length


class Marks:
    """How many events there were when, for their rate."""

    def __init__(self) -> None:
        """None yet."""
        self._last: tuple[float, int] | None = None
        self._rate: float | None = None

    def rate(self, events: int) -> float | None:
        """Note the number of events; return how many came a second since the last."""
        now = time.monotonic()
        if self._last is not None and now > self._last[0]:
            self._rate = max(events - self._last[1], 0) / (now - self._last[0])
        self._last = now, events
        return self._rate


def _first(target: Recorded | Looked) -> Model:
    deadline = time.monotonic() + FIRST_SECONDS
    while True:
        model = target.update()
        if model is not None:
            return model
        if not target.is_going_on() or time.monotonic() > deadline:
            raise AttachError(
                "nothing was recorded: the process has ended, or is stopped"
            )
        time.sleep(POLL_SECONDS)


def _print(
    target: Recorded | Looked, name: str, view: View, every: float, screens: int | None
) -> None:
    """Print screens one below the other."""
    marks = Marks()
    marks.rate(_first(target).event_count)
    console = stdout_console()
    for number in range(screens or 1):
        if number:
            print()
        # There is nothing to sum up at first.
        time.sleep(
            every if number else max(every, min(view.window_ns / 1e9, FILL_SECONDS))
        )
        model = target.update()
        if model is None or (number and not target.is_going_on()):
            return
        heading = _heading(model, name, view, marks)
        terminal.show(sections(model, view, heading, console), console)
        sys.stdout.flush()


def _watch(
    target: Recorded | Looked, name: str, view: View, every: float, screens: int | None
) -> None:
    """Draw screens in place of one another, and obey keys."""
    marks = Marks()
    with _keys() as keys:
        model = _first(target)
        heading = name
        is_frozen = False
        said = ""
        shown = 0
        while target.is_going_on():
            if not is_frozen:
                model = target.update() or model
                heading = _heading(model, name, view, marks)
            _draw(model, view, heading, "frozen" if is_frozen else said)
            said = ""
            shown += 1
            if screens is not None and shown >= screens:
                return
            due = time.monotonic() + every
            while (left := due - time.monotonic()) > 0:
                key = keys.read(left)
                if key == "q":
                    return
                if key == "p":
                    is_frozen = not is_frozen
                elif key == "s":
                    view = view.next_sort()
                elif key == "/":
                    view = replace(view, words=keys.line("show only what has: "))
                elif key == "w":
                    said = _write(model)
                if key:
                    break


def _write(model: Model) -> str:
    """Write the page of the report, and return where it is."""
    path = os.path.abspath(time.strftime("top-%H%M%S.html"))
    try:
        start_ns = model.length_ns - WRITTEN_NS
        part = Selection(window=(start_ns, None)) if start_ns > 0 else None
        text = page.render(model, part=part)
        with open(path, "w", encoding="utf-8", opener=private.owner_only) as file:
            file.write(text)
    except (OSError, ThreadmodelError) as failure:
        return clean(f"not written: {failure}")
    return f"written: {path}"


def _draw(model: Model, view: View, heading: str, said: str) -> None:
    width, height = os.get_terminal_size(sys.stdout.fileno())
    view = replace(view, height=height - 1)
    with tempfile.SpooledTemporaryFile(mode="w+", max_size=1 << 20) as text:
        console = Console(
            file=text,
            width=width,
            height=height,
            force_terminal=True,
            highlight=False,
            no_color="NO_COLOR" in os.environ,
        )
        terminal.show(sections(model, view, heading, console), console)
        text.seek(0)
        shown = text.read().split("\n")[: height - 1]
    status = said or (f"only {view.words!r}   {KEYS}" if view.words else KEYS)
    screen = "".join(f"{line}{CLEAR_LINE}\n" for line in shown)
    sys.stdout.write(
        f"{HOME}{screen}{clean(status)[: width - 1]}{CLEAR_LINE}{CLEAR_REST}"
    )
    sys.stdout.flush()


class Keys:
    """Keys of a terminal, one at a time."""

    def __init__(self, file: int) -> None:
        """Read from a terminal that is in cbreak mode."""
        self._file: Final = file
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, seconds: float) -> str:
        """Return the next key; nothing where none comes in time, q at the end."""
        readable, _, _ = select.select([self._file], [], [], seconds)
        return (self._key() or "q") if readable else ""

    def _key(self) -> str:
        """Wait for a key; nothing at the end."""
        key = ""
        while not key and (byte := os.read(self._file, 1)):
            key = self._decoder.decode(byte)
        return key

    def line(self, asked: str) -> str:
        """Return what is typed up to Enter; Escape is nothing."""
        typed = ""
        while True:
            sys.stdout.write(f"\r{asked}{clean(typed)}{CLEAR_LINE}")
            sys.stdout.flush()
            key = self._key()
            if key in ("\r", "\n", ""):
                return typed
            if key == "\x1b":
                return ""
            if key in ("\x7f", "\b"):
                typed = typed[:-1]
            elif key.isprintable():
                typed += key


@contextlib.contextmanager
def _keys() -> Iterator[Keys]:
    """Have a screen of one's own, and keys without Enter."""
    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    try:
        tty.setcbreak(file)
        sys.stdout.write(ALTERNATE[0])
        yield Keys(file)
    finally:
        sys.stdout.write(ALTERNATE[1])
        sys.stdout.flush()
        termios.tcsetattr(file, termios.TCSADRAIN, before)
