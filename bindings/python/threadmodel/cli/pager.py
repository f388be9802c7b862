# SPDX-License-Identifier: Apache-2.0
"""Output that is longer than the terminal goes through a pager, as git does it."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import Final

from rich.console import Console

from threadmodel.cli.page import Section, show

# less: quit where a screen holds all, keep colours, leave the text on the screen.
_FOR_LESS: Final = {"LESS": "FRX", "LV": "-c"}


def pager_of(environment: Mapping[str, str]) -> str | None:
    """Return the command of the pager; None where output is not paged.

    Args:
        environment: THREADMODEL_PAGER, then PAGER, name one; empty turns it off
    """
    for name in ("THREADMODEL_PAGER", "PAGER"):
        command = environment.get(name)
        if command is not None:
            return None if command.strip() in ("", "cat") else command
    if environment.get("TERM", "dumb") == "dumb":
        return None
    return shutil.which("less")


def show_paged(wanted: Iterable[Section], console: Console) -> None:
    """Print sections; through a pager where the terminal has too few lines.

    Args:
        wanted: what to print
        console: of stdout
    """
    command = pager_of(os.environ) if sys.stdout.isatty() else None
    if command is None:
        show(wanted, console)
        return
    with console.capture() as captured:
        show(wanted, console)
    text = captured.get()
    if text.count("\n") <= console.height or not _run(command, text):
        sys.stdout.write(text)
        sys.stdout.flush()


def _run(command: str, text: str) -> bool:
    """Return whether a pager showed the text; False: it could not be started."""
    sys.stdout.flush()
    environment = {**_FOR_LESS, **os.environ}
    # The pager handles Ctrl-C, and may end before it has read all.
    handlers = {
        number: signal.signal(number, signal.SIG_IGN)
        for number in (signal.SIGINT, signal.SIGPIPE)
    }
    try:
        with subprocess.Popen(
            command,
            shell=True,
            stdin=subprocess.PIPE,
            env=environment,
            restore_signals=True,
        ) as process:
            try:
                process.communicate(text.encode(errors="backslashreplace"))
            except BrokenPipeError:
                process.wait()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    # The status of a shell for a command that does not exist or cannot be run.
    return process.returncode not in (126, 127)
