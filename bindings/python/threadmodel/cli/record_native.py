# SPDX-License-Identifier: Apache-2.0
"""``threadmodel record --native``: run a native program with its locks recorded."""

import os
import shutil
from collections.abc import Sequence
from typing import Final

from threadmodel import native
from threadmodel.cli.messages import say
from threadmodel.cli.program import run

CUT: Final = 3


def record_native(command: Sequence[str], output: str) -> tuple[int, bool]:
    """Run a program.

    Returns:
        its exit status, as program.run() does, and whether it was recorded: where not,
        the recorder has said why on stderr

    Raises:
        MissingFileError: this build records no native programs
        OSError: the program cannot be started
    """
    with native.Recorder(output) as recorder:
        if not recorder.region:
            return run(command, os.environ), False
        status = run(command, recorder.environment(os.environ))
    if recorder.status < 0:
        say(f"signal {-recorder.status} ended the recorder: the trace is cut")
        return status or CUT, True
    return status, True


def say_why_unseen(command: Sequence[str]) -> None:
    """Say why there is no trace of a program."""
    found = shutil.which(command[0]) or command[0]
    reason = native.why_unseen(found) or "it did not load the preload library"
    say(f"no trace: {found}: {reason}")
