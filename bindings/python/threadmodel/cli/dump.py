# SPDX-License-Identifier: Apache-2.0
"""``threadmodel dump``: the present state of the threads of a process."""

import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import click

import threadmodel
from threadmodel import attach, hotspot, native, private
from threadmodel.cli import deadlock_page, dump_go, export, terminal
from threadmodel.cli.files import OUTPUT, FileCommand, without_links
from threadmodel.cli.processes import Process, chosen
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.report import print_sections
from threadmodel.judgement import judge
from threadmodel.tables import TABLES
from threadmodel.text import clean

_FRAME: Final = "\tat "
_ADDRESS: Final = re.compile("<0x[0-9a-f]+>")


@click.command(
    cls=FileCommand, short_help="Show what the threads of a process are doing now."
)
@click.argument("target", metavar="PID|NAME|URL", required=False)
@click.option(
    "--virtual",
    is_flag=True,
    help="Virtual threads too (JDK 21 and later), one after another as they run.",
)
@click.option(
    "--times",
    type=click.IntRange(1, 10000),
    default=1,
    help="Look so many times, and show the last: the looks together are a run.",
)
@click.option(
    "--every",
    metavar="SECONDS",
    type=click.FloatRange(0, 3600),
    default=1.0,
    show_default=True,
    help="Seconds between two looks.",
)
@click.option(
    "--no-stop",
    is_flag=True,
    help="Native: stop no thread, and leave out the frames that need that.",
)
@click.option("--no-stacks", is_flag=True, help="Native: read no stacks.")
@click.option("--json", "as_json", is_flag=True, help="Print all tables as one object.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OUTPUT,
    help="Save the dump to FILE, for `report`.",
)
def dump(
    target: str | None,
    virtual: bool,
    times: int,
    every: float,
    no_stop: bool,
    no_stacks: bool,
    as_json: bool,
    output: str | None,
) -> None:
    """Show what the threads of a process are doing now.

    Their states and stacks, the locks that they hold and want, and deadlocks. A process
    is named by its PID, or a JVM by a part of its name.

    Of a JVM it is its own dump, all platform threads at one instant; no agent is
    loaded. Of a native process the kernel and the C library's memory show what each
    thread waits for and who owns it: nothing is loaded, and only a thread whose stack
    cannot be read else is stopped for a moment. Goroutines are visible to the program
    alone: give the URL at which it serves net/http/pprof.

    A terminal shows threads with equal stacks together. Deadlocks are listed below it;
    with --virtual also those of virtual threads, which the JVM itself does not report.

    \b
    threadmodel dump 1234
    threadmodel dump 1234 --virtual -o now.json
    threadmodel dump 1234 --times 3 --every 2 -o hang.tmt
    threadmodel dump http://localhost:6060
    """
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    path = None if output is None else without_links(output)
    url = target if target and dump_go.is_url(target) else None
    pid = (
        0 if url else chosen(Process().convert(target, None, None) if target else None)
    )
    is_native = not url and not hotspot.is_jvm(pid)
    if virtual and (url or is_native):
        what = url or f"process {pid}"
        raise click.UsageError(f"{what} is not a JVM: it has no virtual threads")
    if virtual and times > 1:
        raise click.UsageError("--virtual dumps once: --times is for other dumps")
    with tempfile.TemporaryDirectory() as folder:
        if is_native:
            stacks = "none" if no_stacks else "go-on" if no_stop else "stop"
            path = path or os.path.join(folder, "dump.tmt")
            text = native.dump(pid, path, times=times, every_s=every, stacks=stacks)
        else:
            text = (
                dump_go.dump(dump_go.endpoint(url), times, every)
                if url
                else _dump_jvm(pid, virtual, times, every)
            )
            if path is not None:
                with private.create(path) as file:
                    file.write(_bytes(text))
            # Output that went to a device is written once more, to be read.
            if path is None or not os.path.isfile(path):
                path = os.path.join(folder, "dump")
                Path(path).write_bytes(_bytes(text))
        model = threadmodel.open(path)
    if as_json:
        with LateProgress() as progress:
            export.write_json(model, TABLES, sys.stdout.buffer, progress.step)
        sys.stdout.buffer.flush()
        return
    if output is None and not virtual:
        _show(text)
    sections = [terminal.verdict(model, judge(model), list(model.findings()))]
    if len(model.deadlocks()):
        sections.append(deadlock_page.deadlocks(model))
    print_sections(sections, None)
    if is_native and dump_go.is_go(pid):
        click.echo(
            f"process {pid} is a Go program: only it knows what its goroutines wait "
            "for; if it serves net/http/pprof: threadmodel dump http://HOST:PORT",
            err=True,
        )


def _dump_jvm(pid: int, virtual: bool, times: int, every: float) -> str:
    texts = [attach.dump(pid, virtual=virtual)]
    for _ in range(times - 1):
        time.sleep(every)
        texts.append(attach.dump(pid))
    return "\n".join(texts)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _show(text: str) -> None:
    """Print the JVM's dump: shortened and cleaned on a terminal, else unchanged."""
    if sys.stdout.isatty():
        for line in grouped(text).split("\n"):
            click.echo("\t".join(map(clean, line.split("\t"))))
        return
    sys.stdout.buffer.write(_bytes(text) + b"\n")
    sys.stdout.buffer.flush()


def grouped(text: str) -> str:
    """Show threads with equal stacks together, at the place of the first.

    Args:
        text: a dump as the JVM writes it, in which an empty line ends a thread
    """
    blocks = text.split("\n\n")
    alike: dict[str, list[int]] = {}
    for number, block in enumerate(blocks):
        _, _, stack = block.partition("\n")
        # Threads without a frame are not shown together.
        if block.startswith('"') and _FRAME in stack:
            alike.setdefault(_ADDRESS.sub("<...>", stack), []).append(number)
    for stack, numbers in alike.items():
        if len(numbers) < 2:
            continue
        heads = [blocks[number].partition("\n")[0] for number in numbers]
        found = [blocks[number].partition("\n")[2] for number in numbers]
        # If they name different objects, the stack shows none of them.
        shown = found[0] if len(set(found)) == 1 else stack
        title = f"{len(numbers)} threads with the same stack:"
        blocks[numbers[0]] = "\n".join([title, *heads, shown])
    gone = {number for numbers in alike.values() for number in numbers[1:]}
    kept = [block for number, block in enumerate(blocks) if number not in gone]
    return "\n\n".join(kept)
