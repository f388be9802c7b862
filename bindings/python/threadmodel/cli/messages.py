# SPDX-License-Identifier: Apache-2.0
"""Messages of the command line on stderr, and commands as users type them."""

import contextlib
import os
import shlex
import sys
from typing import Final

from threadmodel.text import clean

LONGEST: Final = 2000


def say(message: str) -> None:
    """Print one cleaned line on stderr. A failure to write is ignored: the exit status
    is the result of a command."""
    with contextlib.suppress(OSError):
        print(f"threadmodel: {clean(message, LONGEST)}", file=sys.stderr, flush=True)


def shell_word(path: str) -> str:
    """Write a path as a user types it here, in one line and unlike an option."""
    relative = os.path.relpath(path)
    if not relative.startswith(".."):
        path = f"./{relative}" if relative.startswith("-") else relative
    return quoted(path)


def quoted(text: str) -> str:
    """Write a text as a word of a shell's command line."""
    if text.isprintable():
        return shlex.quote(text)
    # What bash, ksh and zsh read, with each odd byte as its number.
    odd = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b"\\'" else f"\\{byte:03o}"
        for byte in os.fsencode(text)
    )
    return f"$'{odd}'"


def called_as() -> str:
    """Return the command that runs us: as our caller states it, else the module."""
    if name := os.environ.get("THREADMODEL_CALLED_AS"):
        return name
    by_module = os.path.basename(sys.argv[0]) == "__main__.py"
    return "python -m threadmodel" if by_module else "threadmodel"
