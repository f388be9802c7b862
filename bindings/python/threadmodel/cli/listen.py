# SPDX-License-Identifier: Apache-2.0
"""``threadmodel listen``: take a trace from an agent, and report while it comes."""

import contextlib
import ipaddress
import math
import os
import re
import select
import signal
import socket
import ssl
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import IO, Any, Final

import click
from click.core import ParameterSource
from rich.console import Console

from threadmodel import private
from threadmodel.cli import metrics as live_metrics
from threadmodel.cli import secured, terminal, top_screen
from threadmodel.cli.collector import Collector, Rules
from threadmodel.cli.files import INPUT, OUTPUT, OUTPUT_NEW, FileCommand
from threadmodel.cli.forwarder import Forwarder
from threadmodel.cli.messages import say
from threadmodel.cli.peers import MOST_PEERS, Peers
from threadmodel.cli.record import see_it
from threadmodel.cli.report import (
    FILE_WIDTH,
    PARTLY,
    print_sections,
    stdout_console,
)
from threadmodel.cli.segments import opened
from threadmodel.source import Live
from threadmodel.text import count, duration

TERMINAL_EVERY_S: Final = 2.0
# Of the past, what a live screen sums up.
WINDOW_NS: Final = 10_000_000_000
LONGEST_S: Final = 3600.0
INTERRUPTED: Final = 130
LEAST_TOKEN_BYTES: Final = 16
MOST_TOKEN_BYTES: Final = 256
CHUNK_BYTES: Final = 1 << 18
# Parameters whose options are "Of --folder".
OF_FOLDER: Final = (
    "spool",
    "file_mib",
    "file_minutes",
    "agents",
    "agents_of_host",
    "kib_per_second",
)
CLEAR: Final = "\033[H\033[2J\033[3J"


@click.command(
    cls=FileCommand, short_help="Receive a trace over a socket and report meanwhile."
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
    metavar="URL",
    type=OUTPUT_NEW,
    help="Collect from many agents, without reports, into a folder or an object store.",
)
@click.option(
    "--spool",
    metavar="DIR",
    type=OUTPUT_NEW,
    help="Of --folder: where files are until they are complete.  [URL.spool]",
)
@click.option(
    "--file-mib",
    metavar="MIB",
    type=click.IntRange(1),
    default=256,
    show_default=True,
    help="Of --folder: a larger file is ended, and another one begun.",
)
@click.option(
    "--file-minutes",
    metavar="MINUTES",
    type=click.IntRange(1, 7 * 24 * 60),
    default=60,
    show_default=True,
    help="Of --folder: a new file begins at whole multiples of this, by the clock.",
)
@click.option(
    "--agents",
    metavar="N",
    type=click.IntRange(1),
    default=256,
    show_default=True,
    help="Of --folder and --forward: agents at once; more are sent away.",
)
@click.option(
    "--agents-of-host",
    metavar="N",
    type=click.IntRange(1),
    default=64,
    show_default=True,
    help="Of --folder: the same for each host.",
)
@click.option(
    "--kib-per-second",
    metavar="KIB",
    type=click.IntRange(1),
    help="Of --folder: read no more from an agent, which then drops events.",
)
@click.option(
    "--forward",
    metavar="HOST:PORT",
    help="Send what agents send to another listener, by TLS if --tls-ca is given.",
)
@click.option(
    "--tls-cert", metavar="PEM", type=INPUT, help="Our certificate, with its chain."
)
@click.option(
    "--tls-key", metavar="PEM", type=INPUT, help="Its key, which others must not read."
)
@click.option(
    "--tls-ca",
    metavar="PEM",
    type=INPUT,
    help="Who signs the others' certificates: a peer must have one of these.",
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
    folder: str | None,
    spool: str | None,
    file_mib: int,
    file_minutes: int,
    agents: int,
    agents_of_host: int,
    kib_per_second: int | None,
    forward: str | None,
    tls_cert: str | None,
    tls_key: str | None,
    tls_ca: str | None,
) -> None:
    """Wait at ADDRESS for one agent, receive its trace and report; or collect many.

    ADDRESS is HOST:PORT (port 0: any free port), [::1]:PORT or unix:PATH. The agent
    connects by its option net=ADDRESS. Only your own programs can connect to a Unix
    socket. Any program can connect elsewhere, unless there is a --token-file, which an
    address beyond loopback requires. Without --tls-cert nothing is encrypted. A
    connection that sends no trace within ten seconds is closed; others are still
    accepted.

    In a terminal the screen of "threadmodel top" is drawn every two seconds, and the
    report printed at the end. Ctrl-C ends the listener, not the program. With
    --metrics, Prometheus reads metrics at http://ADDRESS/metrics while the program
    runs; they contain the names of locks' classes, and anybody who can connect can read
    them. The exit status is 3 when the trace is incomplete, as when the program was
    killed.

    With --folder, many agents send at once, and each process has a file an hour, for
    "threadmodel fleet summarize". SIGTERM ends that. With --tls-cert, --tls-key and
    --tls-ca only those with a certificate can send. As the agent itself has no TLS, a
    listener beside it takes its trace and passes it on, by --forward.

    \b
    threadmodel listen 127.0.0.1:7070 -o run.tmt
    threadmodel listen unix:/run/app.sock
    threadmodel listen 127.0.0.1:7070 --metrics :9404
    threadmodel listen 127.0.0.1:7071 --folder runs
    threadmodel listen unix:/run/app.sock --forward 127.0.0.1:7071
    """
    if folder is None:
        _refuse_options_of_folder(context, forward is not None)
    if folder is not None or forward is not None:
        if output or every or metrics or (folder and forward):
            raise click.UsageError(
                "--folder and --forward each go without --output, --every and --metrics"
            )
        token = None if token_file is None else _token(token_file)
        files = (tls_cert, tls_key, tls_ca)
        tls = secured.context(*files, is_server=forward is None)
        with contextlib.ExitStack() as stack:
            taker: Collector | Forwarder
            if folder is not None:
                rules = Rules(
                    file_mib << 20,
                    file_minutes * 60,
                    agents,
                    agents_of_host,
                    (kib_per_second or 0) << 10,
                )
                taker = Collector(stack.enter_context(opened(folder, spool)), rules)
            else:
                target = _resolved(str(forward))[1][:2]
                taker = Forwarder(str(forward), target, tls, agents)
                tls = None
            listener = stack.enter_context(_listener(address, token, tls))
            say(f"listening on {_name(listener)}")
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            with contextlib.suppress(KeyboardInterrupt):
                most = max(agents, MOST_PEERS)
                taker.run(Peers(listener, token, tls, most))
        return
    if any((tls_cert, tls_key, tls_ca)):
        raise click.UsageError("--tls-... need --folder or --forward")
    if every is None and sys.stdout.isatty():
        every = TERMINAL_EVERY_S
    token = None if token_file is None else _token(token_file)
    _check_output(output)
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(_listener(address, token))
        scraped = None
        if metrics is not None:
            scraped = stack.enter_context(_tcp_listener(*_resolved(metrics)))
            say(f"metrics at http://{_name(scraped)}/metrics")
        say(f"listening on {_name(listener)}")
        try:
            begun = Peers(listener, token).wait()
        except KeyboardInterrupt:
            context.exit(INTERRUPTED)
        peer = stack.enter_context(begun.connection)
        file = stack.enter_context(_file(output))
        _write(file, bytes(begun.said))
        listener.close()
        live = Live(file.name, memory_limit_bytes=memory << 20)
        if scraped is not None:
            stack.enter_context(live_metrics.served(scraped, live.model))
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


def _refuse_options_of_folder(context: click.Context, forwards: bool) -> None:
    """Refuse what would have no effect; a forwarder counts its agents as well."""
    for name in OF_FOLDER:
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if name != "agents" or not forwards:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --folder")


def _token(path: str) -> bytes:
    """Read the word that an agent must send; the file must be nobody else's to read."""
    with open(path, "rb") as file:
        facts = os.fstat(file.fileno())
        if facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
            raise click.UsageError(f"{path} is not yours alone: chmod 600 it")
        token = file.read(MOST_TOKEN_BYTES + 1).strip()
    if not LEAST_TOKEN_BYTES <= len(token) <= MOST_TOKEN_BYTES or b"\n" in token:
        raise click.UsageError(
            f"{path} must hold one line of {LEAST_TOKEN_BYTES} to {MOST_TOKEN_BYTES} "
            "bytes"
        )
    return token


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
def _listener(
    address: str, token: bytes | None, tls: ssl.SSLContext | None = None
) -> Iterator[socket.socket]:
    if address.startswith("unix:"):
        path = address.removeprefix("unix:")
        _remove_dead(path)
        with socket.socket(socket.AF_UNIX) as listener:
            _bind(listener, path, address)
            own = os.stat(path)
            try:
                yield listener
            finally:
                # By now another listener may have that name.
                with contextlib.suppress(OSError):
                    if os.path.samestat(own, os.stat(path)):
                        os.unlink(path)
        return
    family, target = _resolved(address)
    if (
        token is None
        and tls is None
        and not ipaddress.ip_address(target[0]).is_loopback
    ):
        raise click.UsageError(
            f"{address} is not loopback: give a --token-file or --tls-ca"
        )
    with _tcp_listener(family, target) as listener:
        yield listener


def _resolved(address: str) -> tuple[int, Any]:
    """Return the family and the address that HOST:PORT stands for."""
    match = re.fullmatch(r"(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})", address)
    if match is None or int(match[3]) > 65535:
        raise click.UsageError(f"{address!r} is neither HOST:PORT nor unix:PATH")
    host = match[1] or match[2] or "127.0.0.1"
    try:
        family, _, _, _, target = socket.getaddrinfo(
            host, int(match[3]), type=socket.SOCK_STREAM
        )[0]
    except OSError as failure:
        raise click.UsageError(f"{address}: {failure.strerror}") from None
    except UnicodeError:
        raise click.UsageError(f"{address!r}: no such host") from None
    return family, target


@contextlib.contextmanager
def _tcp_listener(family: int, target: Any) -> Iterator[socket.socket]:
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bind(listener, target, f"{target[0]}:{target[1]}")
        yield listener


def _bind(
    listener: socket.socket, target: "str | tuple[object, ...]", address: str
) -> None:
    try:
        # Of a Unix socket, that nobody else can connect.
        before = os.umask(0o177)
        try:
            listener.bind(target)
        finally:
            os.umask(before)
        listener.listen(16)
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


@contextlib.contextmanager
def _file(output: str | None) -> Iterator[IO[bytes]]:
    """The trace that grows, which the model reads; without a name it is no one's."""
    if output is None:
        with tempfile.NamedTemporaryFile(buffering=0, suffix=".tmt") as file:
            yield file
    else:
        with private.create(output, buffering=0) as file:
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
    """Draw the screen of `top` in a terminal, and print the report elsewhere."""
    events = count(live.model.event_count, "event")
    heading = f"after {duration(int(after_s * 1e9))}: {events}"
    if sys.stdout.isatty():
        console = stdout_console()
        height = os.get_terminal_size(sys.stdout.fileno()).lines - 1
        view = top_screen.View(WINDOW_NS, height=height)
        print(CLEAR, end="")
        shown = top_screen.sections(live.model, view, heading, console)
    else:
        console = Console(
            width=None if "COLUMNS" in os.environ else FILE_WIDTH, highlight=False
        )
        print(heading, flush=True)
        shown = terminal.sections(live.model, top)
    terminal.show(shown, console)
    sys.stdout.flush()
