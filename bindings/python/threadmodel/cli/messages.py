# SPDX-License-Identifier: Apache-2.0
"""Messages of the command line, on stderr."""

import contextlib
import sys
from typing import Final

from threadmodel.text import clean

LONGEST: Final = 2000


def say(message: str) -> None:
    """Print one harmless line on stderr. Where nobody can write, nothing is lost: the
    exit status is what a command has to say."""
    with contextlib.suppress(OSError):
        print(f"threadmodel: {clean(message, LONGEST)}", file=sys.stderr, flush=True)
