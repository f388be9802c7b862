# SPDX-License-Identifier: Apache-2.0
"""``threadmodel record --native``: run a native program with its locks recorded."""

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from threadmodel import native
from threadmodel.cli.messages import say
from threadmodel.cli.program import run

CUT: Final = 3


class NativeRun(NamedTuple):
    """The result of a recording."""

    #: exit status of the program, as of program.run()
    status: int
    #: whether there is a recording; otherwise the recorder has said why on stderr
    is_recorded: bool = True
    #: whether the recorder was ended before it could name the trace
    is_cut: bool = False
    trace: str | None = None
    #: traces of other processes that it started
    others: tuple[str, ...] = ()
    #: the one of all with most events
    busiest: str | None = None


def record_native(
    command: Sequence[str],
    output: str,
    ring_kib: int | None = None,
    stuck_s: int | None = None,
    options: Sequence[str] = (),
) -> NativeRun:
    """Run a program.

    Raises:
        MissingFileError: this build records no native programs
        OSError: the program cannot be started
    """
    stuck_s = native.STUCK_S if stuck_s is None else stuck_s
    with native.Recorder(output, ring_kib, stuck_s, options) as recorder:
        if not recorder.region:
            return NativeRun(run(command, os.environ), is_recorded=False)
        status = run(
            command,
            recorder.environment(os.environ, shutil.which(command[0])),
            recorder.ended,
        )
    if recorder.status < 0:
        say(f"signal {-recorder.status} ended the recorder: the trace is cut")
        return NativeRun(status or CUT, is_cut=True)
    if recorder.trace:
        for program in recorder.unseen:
            if reason := native.why_unseen(program):
                say(f"the trace has nothing of {program}: {reason}")
    # A shell beside the one program that it ran is not worth a word.
    if sum(recorder.silent.values()) > 1:
        say(_of_silent(recorder.silent))
    others = sorted(recorder.others, key=lambda file: -recorder.events[file])
    return NativeRun(
        status,
        trace=recorder.trace,
        others=tuple(others),
        busiest=max(
            recorder.events, key=lambda file: recorder.events[file], default=None
        ),
    )


def _of_silent(processes: Mapping[str, int]) -> str:
    count = sum(processes.values())
    by_count = sorted(processes.items(), key=lambda item: (-item[1], item[0]))
    names = ", ".join(
        f"{count} {name or 'that ended at once'}" for name, count in by_count
    )
    return (
        f"{count} processes have no trace, as no thread had to do with another: "
        f"{names}; -A processes=y records each"
    )


def explain_missing_trace(command: Sequence[str]) -> None:
    """Say why there is no trace of a program."""
    found = shutil.which(command[0]) or command[0]
    reason = native.why_unseen(found) or (
        "it did not load the preload library, or that has said why it records nothing"
    )
    say(f"no trace: {found}: {reason}")
