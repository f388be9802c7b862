# SPDX-License-Identifier: Apache-2.0
"""What the command line says beside its answers."""

import sys
from typing import Final

from threadmodel.text import clean

LONGEST: Final = 2000


def say(message: str) -> None:
    """Print one harmless line on stderr."""
    print(f"threadmodel: {clean(message, LONGEST)}", file=sys.stderr)
