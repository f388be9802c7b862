# SPDX-License-Identifier: Apache-2.0
"""Checks of our output by the schemas of its formats."""

from typing import Any


def unknown(message: Any) -> bool:
    """Return whether a message has fields that are not in its schema."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    if len(UnknownFieldSet(message)):
        return True
    for field, value in message.ListFields():
        if field.message_type is not None:
            many = value if field.is_repeated else [value]
            if any(unknown(each) for each in many):
                return True
    return False
