# SPDX-License-Identifier: Apache-2.0
"""``threadmodel collect``: receive traces of many agents, to store or forward them."""

import contextlib
import signal
from typing import Final

import click
from click.core import ParameterSource

from threadmodel.cli import secured
from threadmodel.cli.collector import Collector, Rules
from threadmodel.cli.files import INPUT, OUTPUT_NEW, FileCommand
from threadmodel.cli.forwarder import Forwarder
from threadmodel.cli.messages import say
from threadmodel.cli.peers import MOST_PEERS, Peers
from threadmodel.cli.segments import opened
from threadmodel.cli.sockets import listener_at, name_of, resolved, token_of

NEEDED: Final = "a --token-file or --tls-ca"
# Parameters that only --folder uses.
OF_FOLDER: Final = (
    "spool",
    "file_mib",
    "file_minutes",
    "agents_of_host",
    "kib_per_second",
)


@click.command(cls=FileCommand, short_help="Collect the traces of many agents.")
@click.argument("address", metavar="ADDRESS")
@click.option(
    "--folder",
    metavar="URL",
    type=OUTPUT_NEW,
    help="Keep the traces in a folder or an object store.",
)
@click.option(
    "--forward",
    metavar="HOST:PORT",
    help="Pass them on to another collector, by TLS if --tls-ca is given.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=INPUT,
    help="Accept only agents that send the word in this file; its mode must be 600.",
)
@click.option(
    "--agents",
    metavar="N",
    type=click.IntRange(1),
    default=256,
    show_default=True,
    help="Agents at once; more are sent away.",
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
    "--kib-per-second",
    metavar="KIB",
    type=click.IntRange(1),
    help="Of --folder: read no more from an agent, which then drops events.",
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
def collect(
    context: click.Context,
    address: str,
    folder: str | None,
    forward: str | None,
    token_file: str | None,
    agents: int,
    agents_of_host: int,
    spool: str | None,
    file_mib: int,
    file_minutes: int,
    kib_per_second: int | None,
    tls_cert: str | None,
    tls_key: str | None,
    tls_ca: str | None,
) -> None:
    """Receive at ADDRESS from many agents at once, and keep what they send, or pass it
    on.

    ADDRESS is HOST:PORT (port 0: any free port), [::1]:PORT or unix:PATH. An agent
    connects by its option net=ADDRESS. With --folder each process has a file an hour,
    for "threadmodel fleet summarize". Ctrl-C and SIGTERM end it, not the programs.

    With --tls-cert, --tls-key and --tls-ca only those with a certificate can send. As
    the agent itself has no TLS, a collector beside it takes its trace and passes it on,
    by --forward. An address beyond loopback requires certificates or a --token-file.
    Only your own programs can connect to a Unix socket. A connection that sends no
    trace within ten seconds is closed.

    \b
    threadmodel collect 127.0.0.1:7071 --folder runs
    threadmodel collect unix:/run/app.sock --forward 127.0.0.1:7071
    """
    if (folder is None) == (forward is None):
        raise click.UsageError("give --folder or --forward, one of the two")
    if folder is None:
        _refuse_options_of_folder(context)
    token = token_of(token_file)
    tls = secured.context(tls_cert, tls_key, tls_ca, is_server=forward is None)
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
            target = resolved(str(forward))[1][:2]
            taker = Forwarder(str(forward), target, tls, agents)
            tls = None
        listener = stack.enter_context(listener_at(address, token, tls, NEEDED))
        say(f"listening on {name_of(listener)}")
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with contextlib.suppress(KeyboardInterrupt):
            taker.run(Peers(listener, token, tls, max(agents, MOST_PEERS)))


def _refuse_options_of_folder(context: click.Context) -> None:
    """Refuse options that would have no effect."""
    for name in OF_FOLDER:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --folder")
