# SPDX-License-Identifier: Apache-2.0
"""``threadmodel listen``: take a trace from an agent, and report while it comes."""

import contextlib
import math
import os
import re
import select
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import IO, Final

import click
from rich.console import Console

from threadmodel.cli import terminal
from threadmodel.cli.messages import say
from threadmodel.cli.record import see_it
from threadmodel.cli.report import FILE_WIDTH, PARTLY, print_sections
from threadmodel.source import Live
from threadmodel.text import count, duration

TERMINAL_EVERY_S: Final = 2.0
# The beginning of a trace, its header and that of its first block, and how long a
# peer may take to send it.
MAGIC: Final = b"\xb1TMT\r\n\x1a\n"
BEGINNING_BYTES: Final = 56
BEGINNING_S: Final = 10.0
LONGEST_S: Final = 3600.0
INTERRUPTED: Final = 130
CHUNK_BYTES: Final = 1 << 18
CLEAR: Final = "\033[H\033[2J\033[3J"


@click.command(short_help="Take a trace over a socket and report while it comes.")
@click.argument("address", metavar="ADDRESS")
@click.option("-o", "--output", metavar="FILE", help="Keep the trace there.")
@click.option(
    "--every",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    help="Report so often while the program runs.  [2 in a terminal; else at the end]",
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
    help="Beyond it, sums are kept in place of what is oldest.",
)
@click.pass_context
def listen(
    context: click.Context,
    address: str,
    output: str | None,
    every: float | None,
    top: int,
    memory: int,
) -> None:
    """Wait at ADDRESS for one agent, take its trace and report.

    ADDRESS is HOST:PORT (port 0: any that is free), [::1]:PORT or unix:PATH. The agent
    is told where to by its option net=ADDRESS. What it sends is neither encrypted nor
    is the sender asked who it is: listen on loopback, or behind a tunnel.

    In a terminal the report is printed anew every two seconds, and at the end. Ctrl-C
    ends the listening, not the program. The exit status is 3 when the trace ended
    before its end, as when the program was killed.

    \b
    threadmodel listen 127.0.0.1:7070 -o run.tmt
    threadmodel listen unix:/run/app.sock
    """
    if every is None and sys.stdout.isatty():
        every = TERMINAL_EVERY_S
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(_listener(address))
        file = stack.enter_context(_file(output))
        say(f"listening on {_name(listener)}")
        try:
            peer = stack.enter_context(_accept(listener, file))
        except KeyboardInterrupt:
            context.exit(INTERRUPTED)
        listener.close()
        live = Live(file.name, memory_limit_bytes=memory << 20)
        with contextlib.suppress(KeyboardInterrupt):
            _take(peer, file, live, every, top)
        peer.close()
        model = live.finish()
        if every is not None and sys.stdout.isatty():
            print(CLEAR, end="")
        print_sections(terminal.sections(model, top), None)
        if output is not None:
            say(see_it([str(output)]))
        if model.damage is not None:
            say(f"only partly received: {model.damage}")
            context.exit(PARTLY)


@contextlib.contextmanager
def _listener(address: str) -> Iterator[socket.socket]:
    if address.startswith("unix:"):
        path = address.removeprefix("unix:")
        _remove_dead(path)
        with socket.socket(socket.AF_UNIX) as listener:
            _bind(listener, path, address)
            try:
                yield listener
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(path)
        return
    match = re.fullmatch(r"(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})", address)
    if match is None or int(match[3]) > 65535:
        raise click.UsageError(f"{address!r} is neither HOST:PORT nor unix:PATH")
    host = match[1] or match[2] or "127.0.0.1"
    try:
        family, kind, _, _, target = socket.getaddrinfo(
            host, int(match[3]), type=socket.SOCK_STREAM
        )[0]
    except OSError as failure:
        raise click.UsageError(f"{address}: {failure.strerror}") from None
    with socket.socket(family, kind) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bind(listener, target, address)
        yield listener


def _bind(
    listener: socket.socket, target: "str | tuple[object, ...]", address: str
) -> None:
    try:
        listener.bind(target)
        listener.listen(1)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise click.UsageError(f"{address}: {reason}") from None


def _remove_dead(path: str) -> None:
    """Remove the socket of a listener that was killed; another's is left."""
    with contextlib.suppress(OSError):
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            return
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(path)
            except ConnectionRefusedError:
                os.unlink(path)


def _name(listener: socket.socket) -> str:
    name = listener.getsockname()
    if isinstance(name, str):
        return f"unix:{name}"
    host, port = name[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _accept(listener: socket.socket, file: IO[bytes]) -> socket.socket:
    """Wait for a peer that begins a trace, and keep the beginning in the file."""
    while True:
        peer, _ = listener.accept()
        beginning = _beginning(peer)
        if beginning.startswith(MAGIC) and len(beginning) == BEGINNING_BYTES:
            _write(file, beginning)
            return peer
        peer.close()
        if beginning:
            say("a peer sent something else than a trace: still listening")


def _beginning(peer: socket.socket) -> bytes:
    """Return the first bytes that a peer sends, fewer if they are not a trace's."""
    beginning = b""
    peer.settimeout(BEGINNING_S)
    with contextlib.suppress(OSError):
        while len(beginning) < BEGINNING_BYTES:
            data = peer.recv(BEGINNING_BYTES - len(beginning))
            beginning += data
            if not data or not beginning.startswith(MAGIC[: len(beginning)]):
                break
    peer.settimeout(None)
    return beginning


@contextlib.contextmanager
def _file(output: str | None) -> Iterator[IO[bytes]]:
    """The trace that grows, which the model reads; without a name it is no one's."""
    if output is None:
        with tempfile.NamedTemporaryFile(buffering=0, suffix=".tmt") as file:
            yield file
    else:
        with open(output, "wb", buffering=0) as file:
            yield file


def _take(
    peer: socket.socket, file: IO[bytes], live: Live, every: float | None, top: int
) -> None:
    """Receive to the end of what is sent, and report meanwhile."""
    begun = time.monotonic()
    due = math.inf if every is None else begun + every
    while True:
        left = max(due - time.monotonic(), 0.0)
        readable, _, _ = select.select([peer], [], [], min(left, LONGEST_S))
        if readable:
            try:
                data = peer.recv(CHUNK_BYTES)
            except ConnectionError:
                return
            if not data:
                return
            _write(file, data)
            live.update()
        if every is not None and time.monotonic() >= due:
            _report(live, time.monotonic() - begun, top)
            due = time.monotonic() + every


def _write(file: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _report(live: Live, after_s: float, top: int) -> None:
    sections = terminal.sections(live.model, top)
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else FILE_WIDTH
    if sys.stdout.isatty():
        print(CLEAR, end="")
    events = count(live.model.event_count, "event")
    print(f"after {duration(int(after_s * 1e9))}: {events}", flush=True)
    terminal.show(sections, Console(width=width, highlight=False))
    sys.stdout.flush()
