# SPDX-License-Identifier: Apache-2.0
"""Values as people read them.

Names come from the recorded program and may contain any character: :func:`clean` makes
them safe for a terminal.
"""

import re
from datetime import UTC, datetime

# Control characters, line and paragraph separators, surrogates, and marks that change
# the direction of text.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"))


def clean(value: str, limit: int | None = None) -> str:
    r"""Make a name harmless to show: ``ESC`` becomes the four characters ``\x1b``.

    Args:
        value: any text
        limit: the most characters to keep; an ellipsis stands for the rest
    """
    if limit is not None and len(value) > limit:
        value = value[: max(limit - 1, 0)] + "…"
    return _UNSAFE.sub(_escaped, value)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def duration(nanoseconds: int | None) -> str:
    """Write a length of time with three digits and its unit: ``1.23 ms``."""
    if nanoseconds is None:
        return ""
    for factor, unit in _UNITS:
        # So that 999.5 us is not written as 1000 us.
        if abs(nanoseconds) >= factor * 0.9995:
            value = nanoseconds / factor
            digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
            return f"{value:.{digits}f} {unit}"
    return f"{nanoseconds} ns"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number of things: ``1 thread``, ``2,000 threads``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def wall_time(nanoseconds: int) -> str | None:
    """Write a time since 1970 as ISO 8601 in UTC, to the ns; None for 0, unknown."""
    seconds, fraction = divmod(nanoseconds, 1_000_000_000)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction:09d}Z" if nanoseconds else None
