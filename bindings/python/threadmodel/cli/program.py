# SPDX-License-Identifier: Apache-2.0
"""Running a program as if it ran without us."""

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Final

# Signals by which other processes end or control a program.
RELAYED: Final = frozenset(
    {
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGQUIT,
        signal.SIGTERM,
        signal.SIGUSR1,
        signal.SIGUSR2,
    }
)


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    ended: Callable[[int, int], None] | None = None,
) -> int:
    """Run a program to its end and return its exit status, 128+n for signal n.

    It has our stdin, stdout, stderr and process group, so the terminal treats it as
    it would without us: Ctrl-C and Ctrl-\\ reach it directly. Only a signal that a
    process sent to us alone is passed on, which the kernel states.

    Args:
        command: the program and its arguments
        environment: of the program
        ended: called with its process id and its status as of ``waitpid``

    Raises:
        OSError: the program cannot be started
    """
    watched = RELAYED | {signal.SIGCHLD}
    # Our parent may ignore it: then the program's end would not be signalled.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    try:
        child = os.posix_spawnp(
            command[0],
            list(command),
            environment,
            setsigmask=before,
            # Python ignores these; programs do not expect that.
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
        while True:
            received = signal.sigwaitinfo(watched)
            if received.si_signo == signal.SIGCHLD:
                waited, status = os.waitpid(child, os.WNOHANG)
                if waited:
                    if ended:
                        ended(child, status)
                    code = os.waitstatus_to_exitcode(status)
                    return code if code >= 0 else 128 - code
            elif received.si_code <= 0:
                os.kill(child, received.si_signo)
    finally:
        # Discard signals of the terminal, which the program has received as well.
        while signal.sigtimedwait(RELAYED, 0):
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
