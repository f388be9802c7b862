# SPDX-License-Identifier: Apache-2.0
"""Signals that end a command between two of its steps, rather than within one."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType


class Interrupt:
    """Whether one of the signals has arrived."""

    def __init__(self) -> None:
        """Begin without a signal."""
        self._has_come = False

    def __bool__(self) -> bool:
        """Whether the command should end."""
        return self._has_come

    def note(self, number: int, frame: FrameType | None) -> None:
        """Note the first signal; another one ends the command at once."""
        self._has_come = True
        signal.signal(number, signal.default_int_handler)


@contextlib.contextmanager
def noted(*numbers: signal.Signals) -> Iterator[Interrupt]:
    """Note signals instead of raising an exception.

    Python raises KeyboardInterrupt anywhere, and loses it where it cannot be caught: in
    a callback from C and while an object is deleted.
    """
    it = Interrupt()
    former = {number: signal.signal(number, it.note) for number in numbers}
    try:
        yield it
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
