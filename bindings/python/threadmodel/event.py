# SPDX-License-Identifier: Apache-2.0
"""Events: one fact about one thread at one instant, for programs with their own."""

import struct
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from threadmodel import errors
from threadmodel._enums import EventFlag as EventFlag
from threadmodel._enums import EventKind as EventKind
from threadmodel.extras import extra

EVENT_BYTES: Final = 48
_PACKED: Final = struct.Struct("=qQQQqIHH")


class Event(NamedTuple):
    """One event. Ids are the producer's own numbers; 0: none or unknown.

    Attributes:
        time_ns: on the producer's monotonic clock
        thread: of the event; 0 for LOST: any thread, for GC_PAUSE: all threads
        kind: a number of EventKind
        object: monitor or park blocker
        peer: the other thread, in the kind's sense
        value: timeout in ns, or another number, by kind
        stack: where, by the id of a defined stack
        flags: bits of EventFlag
    """

    time_ns: int
    thread: int
    kind: int
    object: int = 0
    peer: int = 0
    value: int = 0
    stack: int = 0
    flags: int = 0


def event_dtype() -> Any:
    """Return the numpy dtype of one event, 48 bytes; arrays of it need no copy.

    Raises:
        MissingExtraError: numpy is not installed
    """
    return extra("numpy").dtype(
        [
            ("time_ns", "i8"),
            ("thread", "u8"),
            ("object", "u8"),
            ("peer", "u8"),
            ("value", "i8"),
            ("stack", "u4"),
            ("kind", "u2"),
            ("flags", "u2"),
        ]
    )


def pack(events: Iterable[Event]) -> bytes:
    """Pack events in the layout of C, 48 bytes each.

    Raises:
        InvalidArgumentError: a field is not a whole number or does not fit
    """
    packed = bytearray()
    for index, event in enumerate(events):
        try:
            packed += _PACKED.pack(
                event.time_ns,
                event.thread,
                event.object,
                event.peer,
                event.value,
                event.stack,
                event.kind,
                event.flags,
            )
        except (struct.error, AttributeError, TypeError) as failure:
            raise errors.InvalidArgumentError(
                f"event {index} is invalid: {failure}: {event!r}"
            ) from None
    return bytes(packed)
