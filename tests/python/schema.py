# SPDX-License-Identifier: Apache-2.0
"""Whether what we write is what a schema of others describes."""

from typing import Any


def unknown(message: Any) -> bool:
    """Whether a message holds fields that its schema does not have."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    if len(UnknownFieldSet(message)):
        return True
    for field, value in message.ListFields():
        if field.message_type is not None:
            many = value if field.is_repeated else [value]
            if any(unknown(each) for each in many):
                return True
    return False
