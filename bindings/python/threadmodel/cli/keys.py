# SPDX-License-Identifier: Apache-2.0
"""Keys of a terminal, one at a time, and its alternate screen."""

import codecs
import contextlib
import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from typing import Final

from threadmodel.text import clean

CLEAR_LINE: Final = "\033[K"
ALTERNATE: Final = ("\033[?1049h\033[?25l", "\033[?25h\033[?1049l")


class Keys:
    """Keys of a terminal, one at a time."""

    def __init__(self, file: int) -> None:
        """Read from a terminal that is in cbreak mode."""
        self._file: Final = file
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, seconds: float) -> str:
        """Return the next key; "" if none comes in time, "q" at the end of input."""
        readable, _, _ = select.select([self._file], [], [], seconds)
        return (self._key() or "q") if readable else ""

    def _key(self) -> str:
        """Wait for a key; "" at the end of input."""
        key = ""
        while not key and (byte := os.read(self._file, 1)):
            key = self._decoder.decode(byte)
        return key

    def line(self, asked: str) -> str:
        """Return the text that is typed up to Enter; "" after Escape."""
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
def keys_of_terminal() -> Iterator[Keys]:
    """Use the alternate screen, and keys without Enter."""
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
