# SPDX-License-Identifier: Apache-2.0
"""Messages of the command line, on stderr."""

import sys
from typing import Final

from threadmodel.text import clean

LONGEST: Final = 2000


def say(message: str) -> None:
    """Print one harmless line on stderr."""
    print(f"threadmodel: {clean(message, LONGEST)}", file=sys.stderr)
