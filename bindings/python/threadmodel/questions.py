# SPDX-License-Identifier: Apache-2.0
"""Common code of the questions to a model.

A question is a function of a module, and a method of class Model: so related questions
are in one module, and the user has one object.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from threadmodel import errors
from threadmodel._library import c_strings


def named(enum: type[Enum]) -> dict[str, int]:
    """Return the numbers of an enum's values by the names that questions take."""
    return {name.lower(): value.value for name, value in enum.__members__.items()}


def bits(chosen: Iterable[str] | str, known: Mapping[str, int], what: str) -> int:
    """Add up the numbers of some names.

    Raises:
        InvalidArgumentError: a name is unknown
    """
    if isinstance(chosen, str):
        chosen = (chosen,)
    if not isinstance(chosen, Iterable):
        raise errors.InvalidArgumentError(f"{what}s are not names: {chosen!r:.100}")
    total = 0
    for name in chosen:
        total |= number(name, known, what)
    return total


def number(name: str, known: Mapping[str, int], what: str) -> int:
    """Return the number of a name.

    Raises:
        InvalidArgumentError: it is unknown
    """
    if name not in known:
        raise errors.InvalidArgumentError(
            f"no such {what}: {name!r:.100}; there are {', '.join(known)}"
        )
    return known[name]


def library_fields(libraries: Iterable[str] | None) -> dict[str, Any]:
    """Return the fields of options for classes that are not callers."""
    if libraries is None:
        return {}
    names = [libraries] if isinstance(libraries, str) else list(libraries)
    return {"libraries": c_strings(names, "library"), "library_count": len(names)}
